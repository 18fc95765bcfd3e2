/* Which items are alive together: an interval tree over the items in start order, linear in the number of items. */
#ifndef HELIA_PLAN_LIFE_INDEX_H
#define HELIA_PLAN_LIFE_INDEX_H

#include "base/arena.h"
#include "plan/planner.h"

struct life_index {
    size_t count;
    uint32_t *items;  /* by rank: the items in start order */
    uint32_t *ends;   /* by rank: last operator */
    uint32_t *first;  /* by item: the first rank that starts when the item does */
    uint32_t *after;  /* by item: the first rank that starts after the item's end */
    uint32_t *latest; /* complete binary tree: latest end below each node; the leaves are blocks of ranks */
    size_t leaf_count;
};

struct life_index life_index_new(const struct scratch_problem *problem, struct arena *arena);

/* Writes all items alive together with `item`, itself included, to `found` (room for all items). Returns how many. */
size_t life_index_meeting(const struct life_index *index, const struct scratch_problem *problem, uint32_t item, uint32_t *found);

#endif
