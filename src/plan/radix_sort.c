/* Digit by digit from the lowest, each pass stable. A digit that all keys share costs nothing. */
#include "plan/radix_sort.h"

#define DIGIT_BITS  8u
#define DIGITS      (64u / DIGIT_BITS)
#define DIGIT_COUNT (1u << DIGIT_BITS)

/* Below so many, the passes over the digits' values would cost more than moving the items. */
#define FEW 48u

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_COUNT - 1);
}

static void sort_few(struct keyed_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct keyed_item moved = items[i];
        size_t place = i;
        for (; place > 0 && items[place - 1].key > moved.key; place--) {
            items[place] = items[place - 1];
        }
        items[place] = moved;
    }
}

static void distribute(const struct keyed_item *from, struct keyed_item *to, size_t count, unsigned digit)
{
    uint32_t places[DIGIT_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        places[digit_of(from[i].key, digit)]++;
    }
    uint32_t place = 0;
    for (size_t value = 0; value < DIGIT_COUNT; value++) {
        uint32_t size = places[value];
        places[value] = place;
        place += size;
    }
    for (size_t i = 0; i < count; i++) {
        to[places[digit_of(from[i].key, digit)]++] = from[i];
    }
}

struct keyed_item *radix_sort(struct keyed_item *items, struct keyed_item *spare, size_t count)
{
    if (count < FEW) {
        sort_few(items, count);
        return items;
    }
    uint64_t varying = 0;
    for (size_t i = 0; i < count; i++) {
        varying |= items[i].key ^ items[0].key;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (digit_of(varying, digit) == 0) {
            continue;
        }
        distribute(items, spare, count, digit);
        struct keyed_item *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}
