/* First fit in the order in which lives start (REQ-PLN-029 to 032).
 *
 * All slots that are alive when an item starts share that operator, so they are disjoint: each memory lists them by offset and
 * takes them off when their life has ended; when they have become too many for a list, they move to a shelf. Two radix sorts, and
 * for each item a search, an addition and a removal that take some hundred steps of a list or a logarithmic number of a shelf:
 * n log n, whatever the lives. Memory is linear in the number of items. */
#include "plan/planner.h"

#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/live_list.h"
#include "plan/planner_order.h"
#include "plan/shelf.h"
#include "plan/watch.h"

/* What is alive in a memory. */
struct living {
    struct live_list list;
    struct shelf shelf;
    bool is_on_shelf;
};

struct greedy {
    const struct scratch_problem *problem;
    struct living *living; /* by memory */
    struct layout *layout;
};

/* What stands on the shelf is alive together with everything that is looked for. */
static uint64_t first_gap(struct greedy *greedy, const struct scratch_item *item, uint32_t memory)
{
    struct living *living = &greedy->living[memory];
    struct shelf_search search = {
        .size = item->size,
        .alignment = slot_alignment(item, &greedy->problem->memories[memory]),
        .position = 1,
    };
    if (!living->is_on_shelf) {
        return live_list_gap(&living->list, search.size, search.alignment);
    }
    shelf_find_gap(&living->shelf, &search);
    return search.offset;
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

static void move_to_shelf(struct living *living)
{
    for (size_t i = 0; i < living->list.count; i++) {
        shelf_add(&living->shelf, &(struct shelf_extent){.offset = living->list.offsets[i], .top = living->list.tops[i]});
    }
    living->is_on_shelf = true;
}

/* Nothing lies in no bytes: an empty item would only split gaps. */
static void take_off(struct greedy *greedy, uint32_t index)
{
    const struct slot *slot = &greedy->layout->slots[index];
    struct living *living = &greedy->living[slot->memory];
    uint64_t top = slot->offset + greedy->problem->items[index].size;
    if (top == slot->offset) {
        return;
    }
    if (living->is_on_shelf) {
        shelf_remove(&living->shelf, &(struct shelf_extent){.offset = slot->offset, .top = top});
    } else {
        live_list_remove(&living->list, slot->offset);
    }
}

static void put(struct greedy *greedy, uint32_t index)
{
    struct slot slot = choose(greedy, &greedy->problem->items[index]);
    struct living *living = &greedy->living[slot.memory];
    uint64_t top = slot.offset + greedy->problem->items[index].size;
    greedy->layout->slots[index] = slot;
    if (top == slot.offset) {
        return;
    }
    if (!living->is_on_shelf && living->list.count == LIVE_LIST_CAPACITY) {
        move_to_shelf(living);
    }
    if (living->is_on_shelf) {
        shelf_add(&living->shelf, &(struct shelf_extent){.offset = slot.offset, .top = top});
    } else {
        live_list_add(&living->list, slot.offset, top);
    }
}

static struct living *living_new(const struct scratch_problem *problem, struct arena *arena)
{
    struct living *living = ARENA_ARRAY(arena, struct living, problem->memory_count);
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        living[m].list = live_list_new(arena);
        living[m].shelf = shelf_new(problem, m, arena);
    }
    return living;
}

void greedy_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                  struct layout *layout, struct planner_report *report)
{
    (void)options;
    (void)report;
    struct greedy greedy = {.problem = problem, .living = living_new(problem, arena), .layout = layout};
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
