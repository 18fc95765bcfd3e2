/* Orders by radix sort: against a merge sort that compares through the index, this is what makes a million items a matter of
 * milliseconds. */
#include "plan/planner_order.h"

#include "plan/radix_sort.h"

/* Sorts by another key what is sorted by lesser keys already. */
static void sort_further(uint32_t *order, size_t count, item_key *key, const void *context, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct keyed_item *items = ARENA_ARRAY(arena, struct keyed_item, count);
    struct keyed_item *spare = ARENA_ARRAY(arena, struct keyed_item, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct keyed_item){key(context, order[i]), order[i]};
    }
    const struct keyed_item *sorted = radix_sort(items, spare, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = sorted[i].item;
    }
    arena_rewind(arena, mark);
}

static uint64_t start_of(const void *items, uint32_t item)
{
    return ((const struct scratch_item *)items)[item].start;
}

static uint64_t end_of(const void *items, uint32_t item)
{
    return ((const struct scratch_item *)items)[item].end;
}

/* Falls as the size grows. */
static uint64_t smallness_of(const void *items, uint32_t item)
{
    return UINT64_MAX - ((const struct scratch_item *)items)[item].size;
}

static uint64_t memory_of(const void *slots, uint32_t item)
{
    return ((const struct slot *)slots)[item].memory;
}

static uint64_t offset_of(const void *slots, uint32_t item)
{
    return ((const struct slot *)slots)[item].offset;
}

uint32_t *order_by_key(size_t count, item_key *key, const void *context, struct arena *arena)
{
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    sort_further(order, count, key, context, arena);
    return order;
}

uint32_t *order_by_start(const struct scratch_problem *problem, struct arena *arena)
{
    return order_by_key(problem->item_count, start_of, problem->items, arena);
}

uint32_t *order_by_end(const struct scratch_problem *problem, struct arena *arena)
{
    return order_by_key(problem->item_count, end_of, problem->items, arena);
}

uint32_t *order_by_size(const struct scratch_problem *problem, struct arena *arena)
{
    uint32_t *order = order_by_start(problem, arena);
    sort_further(order, problem->item_count, smallness_of, problem->items, arena);
    return order;
}

uint32_t *order_by_place(const struct scratch_problem *problem, const struct slot *slots, struct arena *arena)
{
    uint32_t *order = order_by_key(problem->item_count, offset_of, slots, arena);
    sort_further(order, problem->item_count, memory_of, slots, arena);
    return order;
}
