/* First fit in the order in which lives start (REQ-PLN-029 to 032).
 *
 * All slots that are alive when an item starts share that operator, so they are disjoint: each memory keeps them on a shelf and
 * takes them off when their life has ended. Two radix sorts, and for each item a search, an addition and a removal that take a
 * logarithmic number of steps: n log n, whatever the lives. Memory is linear in the number of items. */
#include "plan/planner.h"

#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/planner_order.h"
#include "plan/shelf.h"
#include "plan/watch.h"

struct greedy {
    const struct scratch_problem *problem;
    struct shelf *shelves; /* by memory */
    struct layout *layout;
};

/* What stands on the shelves is alive together with everything that is looked for. */
static uint64_t first_gap(struct greedy *greedy, const struct scratch_item *item, uint32_t memory)
{
    struct shelf_search search = {
        .size = item->size,
        .alignment = slot_alignment(item, &greedy->problem->memories[memory]),
        .position = 1,
    };
    shelf_find_gap(&greedy->shelves[memory], &search);
    return search.offset;
}

static struct shelf_extent extent_of(const struct greedy *greedy, uint32_t index)
{
    const struct slot *slot = &greedy->layout->slots[index];
    return (struct shelf_extent){
        .offset = slot->offset,
        .top = slot->offset + greedy->problem->items[index].size,
        .item = index,
    };
}

static struct slot choose(struct greedy *greedy, const struct scratch_item *item)
{
    const struct scratch_problem *problem = greedy->problem;
    const uint32_t *candidates = item->memory == MEMORY_ANY ? problem->order : &item->memory;
    size_t count = item->memory == MEMORY_ANY ? problem->order_count : 1;
    struct slot slot = {0};
    for (size_t i = 0; i < count; i++) {
        slot.memory = candidates[i];
        slot.offset = item->size == 0 ? 0 : first_gap(greedy, item, slot.memory);
        if (slot.offset + item->size <= problem->memories[slot.memory].limit) {
            break;
        }
    }
    return slot;
}

/* Nothing lies in no bytes: an empty item would only split gaps. */
static void take_off(struct greedy *greedy, uint32_t index)
{
    struct shelf_extent extent = extent_of(greedy, index);
    if (extent.top > extent.offset) {
        shelf_remove(&greedy->shelves[greedy->layout->slots[index].memory], &extent);
    }
}

static void put(struct greedy *greedy, uint32_t index)
{
    greedy->layout->slots[index] = choose(greedy, &greedy->problem->items[index]);
    struct shelf_extent extent = extent_of(greedy, index);
    if (extent.top > extent.offset) {
        shelf_add(&greedy->shelves[greedy->layout->slots[index].memory], &extent);
    }
}

void greedy_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                  struct layout *layout, struct planner_report *report)
{
    (void)options;
    (void)report;
    struct greedy greedy = {.problem = problem, .shelves = shelves_new(problem, arena), .layout = layout};
    const uint32_t *starts = order_by_start(problem, arena);
    const uint32_t *ends = order_by_end(problem, arena);
    for (size_t i = 0, ended = 0; i < problem->item_count; i++) {
        for (; problem->items[ends[ended]].end < problem->items[starts[i]].start; ended++) {
            take_off(&greedy, ends[ended]);
        }
        put(&greedy, starts[i]);
        watch_work(problem->watch, 1);
    }
    layout_measure(problem, layout);
    watch_layout(problem->watch, problem, layout);
}
