/* Orders by radix sort: digit by digit from the lowest, each pass stable. Against a merge sort that compares through the index,
 * this is what makes a million items a matter of milliseconds; a digit that all keys share costs nothing. */
#include "plan/planner_order.h"

#define DIGIT_BITS  8u
#define DIGITS      (64u / DIGIT_BITS)
#define DIGIT_COUNT (1u << DIGIT_BITS)

struct keyed_item {
    uint64_t key;
    uint32_t item;
};

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_COUNT - 1);
}

/* How many keys have each value of a digit. */
struct digit_counts {
    uint32_t counts[DIGITS][DIGIT_COUNT];
};

static void count_digits(const struct keyed_item *items, size_t count, uint64_t varying, struct digit_counts *digits)
{
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (digit_of(varying, digit) == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            digits->counts[digit][digit_of(items[i].key, digit)]++;
    }
}

static void distribute(const struct keyed_item *from, struct keyed_item *to, size_t count, unsigned digit, uint32_t *places)
{
    uint32_t place = 0;
    for (size_t value = 0; value < DIGIT_COUNT; value++) {
        uint32_t size = places[value];
        places[value] = place;
        place += size;
    }
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i].key, digit)]++] = from[i];
}

/* Sorts `items`; returns where they are afterwards, there or in `spare`. */
static struct keyed_item *sort_keyed(struct keyed_item *items, struct keyed_item *spare, size_t count, struct arena *arena)
{
    uint64_t varying = 0;
    for (size_t i = 0; i < count; i++)
        varying |= items[i].key ^ items[0].key;
    struct digit_counts *digits = ARENA_NEW(arena, struct digit_counts);
    count_digits(items, count, varying, digits);
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (digit_of(varying, digit) == 0)
            continue;
        distribute(items, spare, count, digit, digits->counts[digit]);
        struct keyed_item *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

/* Sorts by another key what is sorted by lesser keys already. */
static void sort_further(uint32_t *order, size_t count, item_key *key, const void *context, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct keyed_item *items = ARENA_ARRAY(arena, struct keyed_item, count);
    struct keyed_item *spare = ARENA_ARRAY(arena, struct keyed_item, count);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct keyed_item){key(context, order[i]), order[i]};
    const struct keyed_item *sorted = sort_keyed(items, spare, count, arena);
    for (size_t i = 0; i < count; i++)
        order[i] = sorted[i].item;
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
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
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
