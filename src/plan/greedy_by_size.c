/* Largest first, first fit (REQ-PLN-033). */
#include "plan/layout.h"
#include "plan/packing.h"
#include "plan/planner.h"
#include "plan/planner_order.h"
#include "plan/watch.h"

/* The same problem with its items in the order in which they start, so that those that live together lie together in the host's
 * memory too: they are looked at again and again. `starts`: the items in that order. */
static struct scratch_problem sort_problem(const struct scratch_problem *problem, const uint32_t *starts, struct arena *arena)
{
    struct scratch_item *items = ARENA_ARRAY(arena, struct scratch_item, problem->item_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        items[i] = problem->items[starts[i]];
    }
    struct scratch_problem sorted = *problem;
    sorted.items = items;
    return sorted;
}

/* Among equal sizes and starts the order is that of the problem itself, not of the sorted one. */
static uint32_t *sorted_order_by_size(const struct scratch_problem *problem, const uint32_t *starts, struct arena *arena)
{
    uint32_t *order = order_by_size(problem, arena);
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    for (uint32_t i = 0; i < problem->item_count; i++) {
        place[starts[i]] = i;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        order[i] = place[order[i]];
    }
    return order;
}

void greedy_by_size_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                          struct layout *layout, struct planner_report *report)
{
    (void)options;
    (void)report;
    const uint32_t *starts = order_by_start(problem, arena);
    struct scratch_problem sorted = sort_problem(problem, starts, arena);
    struct packing packing = packing_new(&sorted, sorted_order_by_size(problem, starts, arena), arena);
    struct layout found = layout_new(arena, problem);
    packing_layout(&packing, &found);
    for (size_t i = 0; i < problem->item_count; i++) {
        layout->slots[starts[i]] = found.slots[i];
    }
    layout_measure(problem, layout);
    watch_layout(problem->watch, problem, layout);
}
