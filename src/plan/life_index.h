/* Which items are alive together: the items in start order, and at checkpoints among them the list of what is alive there. Linear
 * in the number of items. */
#ifndef HELIA_PLAN_LIFE_INDEX_H
#define HELIA_PLAN_LIFE_INDEX_H

#include <stdbool.h>

#include "base/arena.h"
#include "plan/planner.h"

struct life_index {
    size_t count;    /* items in the index */
    uint32_t *items; /* by rank: the items in start order */
    uint32_t *ends;  /* by rank: last operator */
    uint32_t *first; /* by item: the first rank that starts when the item does, or later */
    uint32_t *after; /* by item: the first rank that starts after the item's end */
    struct checkpoint *checkpoints;
    uint32_t *checkpoint; /* by rank, and one more: the last checkpoint at or before it */
    uint32_t *alive;      /* ranks: the lists of all checkpoints */
};

/* Of the items for which `included` is true; NULL: of all. Any item can be asked for, included or not. */
struct life_index life_index_new(const struct scratch_problem *problem, const bool *included, struct arena *arena);

/* Writes all items of the index that are alive together with `item`, itself among them if it is included, to `found` (room for
 * all items). Returns how many. Costs a few times their number. */
size_t life_index_meeting(const struct life_index *index, const struct scratch_problem *problem, uint32_t item, uint32_t *found);

/* By item: how many of all items are alive together with it, itself included. */
uint32_t *count_meetings(const struct scratch_problem *problem, struct arena *arena);

#endif
