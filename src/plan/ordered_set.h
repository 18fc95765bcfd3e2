/* A set of numbers below a bound that answers "next" and "previous" in a few steps: bits, and above them bits that say which
 * words of bits are not empty, and so on until one word is left. */
#ifndef HELIA_PLAN_ORDERED_SET_H
#define HELIA_PLAN_ORDERED_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define ORDERED_SET_NONE   UINT32_MAX
#define ORDERED_SET_LEVELS 6 /* 64^6 is above 2^32 */

struct ordered_set {
    uint64_t *levels[ORDERED_SET_LEVELS]; /* level 0: the members */
    size_t words[ORDERED_SET_LEVELS];
    size_t level_count;
};

/* Empty, for numbers below `bound` (at most UINT32_MAX). */
struct ordered_set ordered_set_new(struct arena *arena, size_t bound);
void ordered_set_add(struct ordered_set *set, uint32_t number);
void ordered_set_remove(struct ordered_set *set, uint32_t number);
/* Removes all members, at a cost that grows with their number. */
void ordered_set_clear(struct ordered_set *set);
/* The smallest member that is at least `from`, or ORDERED_SET_NONE. */
uint32_t ordered_set_next(const struct ordered_set *set, uint32_t from);
/* The largest member below `before`, or ORDERED_SET_NONE. */
uint32_t ordered_set_previous(const struct ordered_set *set, uint32_t before);

#endif
