/* First fit in the order in which lives start (REQ-PLN-029 to 032).
 *
 * All slots that are alive when an item starts share that operator, so they are disjoint: each memory keeps them in one list in
 * offset order, and the first gap is found by walking it. A slot whose life has ended leaves the list when a walk meets it; the
 * starts only grow, so it never comes back. */
#include "plan/planner.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/planner_order.h"

#define NOBODY UINT32_MAX

struct live_slot {
    uint64_t offset;
    uint64_t top;  /* offset + size */
    uint32_t end;  /* last operator of the item's life */
    uint32_t next; /* the live slot above, or NOBODY */
};

struct greedy {
    const struct scratch_problem *problem;
    struct live_slot *live; /* by item */
    uint32_t *lowest;       /* by memory: the list's head */
};

/* The lowest offset at which the item fits, and the link of the list that it belongs behind. */
static uint64_t first_gap(struct greedy *greedy, const struct scratch_item *item, uint32_t memory, uint32_t **place)
{
    uint64_t alignment = slot_alignment(item, &greedy->problem->memories[memory]);
    uint64_t offset = 0;
    uint32_t *link = &greedy->lowest[memory];
    while (*link != NOBODY) {
        struct live_slot *slot = &greedy->live[*link];
        if (slot->end < item->start) {
            *link = slot->next;
            continue;
        }
        if (offset + item->size <= slot->offset)
            break;
        offset = size_max(offset, size_align(slot->top, alignment));
        link = &slot->next;
    }
    *place = link;
    return offset;
}

static void put(struct greedy *greedy, uint32_t index, uint64_t offset, uint32_t *place)
{
    const struct scratch_item *item = &greedy->problem->items[index];
    greedy->live[index] = (struct live_slot){.offset = offset, .top = offset + item->size, .end = item->end, .next = *place};
    *place = index;
}

static struct slot choose(struct greedy *greedy, uint32_t index)
{
    const struct scratch_problem *problem = greedy->problem;
    const struct scratch_item *item = &problem->items[index];
    const uint32_t *candidates = item->memory == MEMORY_ANY ? problem->order : &item->memory;
    size_t count = item->memory == MEMORY_ANY ? problem->order_count : 1;
    struct slot slot = {0};
    uint32_t *place = NULL;
    for (size_t i = 0; i < count; i++) {
        slot.memory = candidates[i];
        slot.offset = item->size == 0 ? 0 : first_gap(greedy, item, slot.memory, &place);
        if (slot.offset + item->size <= problem->memories[slot.memory].limit)
            break;
    }
    /* Nothing lies in no bytes: an empty item would only split gaps. */
    if (item->size > 0)
        put(greedy, index, slot.offset, place);
    return slot;
}

void greedy_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                  struct layout *layout, struct planner_report *report)
{
    (void)options;
    (void)report;
    struct greedy greedy = {
        .problem = problem,
        .live = ARENA_ARRAY(arena, struct live_slot, problem->item_count),
        .lowest = ARENA_ARRAY(arena, uint32_t, problem->memory_count),
    };
    for (size_t i = 0; i < problem->memory_count; i++)
        greedy.lowest[i] = NOBODY;
    const uint32_t *order = order_by_start(problem, arena);
    for (size_t i = 0; i < problem->item_count; i++)
        layout->slots[order[i]] = choose(&greedy, order[i]);
    layout_measure(problem, layout);
}
