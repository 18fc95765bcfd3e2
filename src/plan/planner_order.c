#include "plan/planner_order.h"

#include "base/sort.h"

static int compare_starts(const void *a, const void *b, const void *context)
{
    const struct scratch_item *items = context;
    return SORT_BY(items[*(const uint32_t *)a].start, items[*(const uint32_t *)b].start);
}

static int compare_ends(const void *a, const void *b, const void *context)
{
    const struct scratch_item *items = context;
    return SORT_BY(items[*(const uint32_t *)a].end, items[*(const uint32_t *)b].end);
}

static int compare_sizes(const void *a, const void *b, const void *context)
{
    const struct scratch_item *items = context;
    const struct scratch_item *left = &items[*(const uint32_t *)a];
    const struct scratch_item *right = &items[*(const uint32_t *)b];
    return left->size != right->size ? SORT_BY(right->size, left->size) : SORT_BY(left->start, right->start);
}

/* The sort is stable, so that the index decides between equals without being compared. */
static uint32_t *sorted_items(const struct scratch_problem *problem, sort_compare *compare, struct arena *arena)
{
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    for (size_t i = 0; i < problem->item_count; i++)
        order[i] = (uint32_t)i;
    sort_stable(order, problem->item_count, sizeof *order, compare, problem->items, arena);
    return order;
}

uint32_t *order_by_start(const struct scratch_problem *problem, struct arena *arena)
{
    return sorted_items(problem, compare_starts, arena);
}

uint32_t *order_by_end(const struct scratch_problem *problem, struct arena *arena)
{
    return sorted_items(problem, compare_ends, arena);
}

uint32_t *order_by_size(const struct scratch_problem *problem, struct arena *arena)
{
    return sorted_items(problem, compare_sizes, arena);
}
