/* First fit in any order: each item goes to the lowest offset that is free of the items that come before it in the order and are
 * alive together with it. Where an item goes depends on those items alone, so a change of the order is carried on from item to
 * item, and what it does not touch is not looked at again. */
#ifndef HELIA_PLAN_PACKING_H
#define HELIA_PLAN_PACKING_H

#include "base/arena.h"
#include "plan/life_index.h"
#include "plan/ordered_set.h"
#include "plan/planner.h"

struct packed_item {
    uint64_t offset;
    uint64_t top; /* offset + size */
    uint32_t memory;
    uint32_t position; /* in the order */
};

struct packing {
    const struct scratch_problem *problem;
    struct life_index index;
    uint32_t *order;               /* item at each position */
    struct packed_item *items;     /* by item */
    struct ordered_set stale;      /* positions to be placed again */
    uint32_t *found;               /* work: items met */
    struct packed_extent *extents; /* work: a heap by offset */
    uint64_t met;                  /* items met so far: what the placing has cost, the same on every host */
};

/* All items placed in `order`, which the packing takes over. */
struct packing packing_new(const struct scratch_problem *problem, uint32_t *order, struct arena *arena);

/* The items at two positions change places. Call packing_settle() afterwards. */
void packing_swap(struct packing *packing, uint32_t a, uint32_t b);
/* Places again what the moves since the last call have touched. Gives up as soon as an item ends above its memory's ceiling and
 * returns false; the packing is then of no use until its items and order are put back. */
MUST_CHECK bool packing_settle(struct packing *packing, const uint64_t *ceilings);

void packing_layout(const struct packing *packing, struct layout *layout);

#endif
