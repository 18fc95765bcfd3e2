/* What stands at some steps, one column of extents each: how low it begins, how high it reaches, how wide its widest gap is.
 *
 * An item that is alive at one of the steps cannot lie in the column beside anything that stands there. So where one column of
 * many extents has no gap that is wide enough, an item that lives through its step goes above all of them, whatever the other
 * columns look like. This holds for lives that are mixed at random too, of which a summary of first and last steps says nothing.
 *
 * Bytes are counted in units, so that compilers can compare four columns at once; what rounding hides only costs a closer look.
 */
#ifndef HELIA_PLAN_COLUMNS_H
#define HELIA_PLAN_COLUMNS_H

#include <stdint.h>

#include "base/arena.h"
#include "plan/planner.h"

#define COLUMN_COUNT 64u

/* Where the columns stand, the same for all that is compared. */
struct column_grid {
    uint32_t steps[COLUMN_COUNT]; /* ascending */
    uint32_t shift;               /* a unit is 2^shift bytes; all offsets are below 2^30 units */
};

/* All in units. */
struct columns {
    int32_t lowest[COLUMN_COUNT]; /* COLUMN_EMPTY if nothing stands there */
    int32_t top[COLUMN_COUNT];
    int32_t widest[COLUMN_COUNT]; /* a gap is less than a unit wider than this */
};

#define COLUMN_EMPTY INT32_MAX

/* The columns that an item lives through. */
struct column_search {
    int32_t mask[COLUMN_COUNT]; /* -1: it does */
    uint32_t first_group;       /* the groups of columns that hold them, the last not included; none: both 0 */
    uint32_t last_group;
};

/* Steps where as many items start between any two. */
struct column_grid column_grid_new(const struct scratch_problem *problem, struct arena *arena);
struct column_search column_search_new(const struct column_grid *grid, uint32_t start, uint32_t end);

void columns_clear(struct columns *columns);
/* An extent whose offset is not below those that are there already. */
void columns_add(struct columns *columns, const struct column_grid *grid, uint32_t start, uint32_t end, uint64_t offset,
                 uint64_t top);
/* All of `next`, whose extents lie behind in the order of offsets. */
void columns_join(struct columns *columns, const struct columns *next);
/* The lowest offset from `offset` on that no column rules out for `size` bytes. It need not be free. */
uint64_t columns_pass(const struct columns *columns, const struct column_grid *grid, const struct column_search *search,
                      uint64_t offset, uint64_t size);

#endif
