/* First fit in any order: each item goes to the lowest offset that is free of the items that come before it in the order and are
 * alive together with it. Where an item goes depends on those items alone, so a change of the order is carried on from item to
 * item, and what it does not touch is not looked at again.
 *
 * Items that meet more than an eighth of all items, or a sixteenth where there are many, stand on a shelf in offset order
 * (shelf.h), where they are passed over by the dozen; the others are found by their lives (life_index.h). Placing an item hence
 * costs the number of short-lived items that meet it, plus what the search of the shelf costs: a logarithm when the long-lived
 * ones live together, their number at worst. Memory is linear in the number of items. */
#ifndef HELIA_PLAN_PACKING_H
#define HELIA_PLAN_PACKING_H

#include "base/arena.h"
#include "plan/life_index.h"
#include "plan/ordered_set.h"
#include "plan/planner.h"
#include "plan/radix_sort.h"
#include "plan/shelf.h"

struct packed_item {
    uint64_t offset;
    uint64_t top; /* offset + size */
    uint32_t memory;
    uint32_t position; /* in the order */
};

struct packing {
    const struct scratch_problem *problem;
    uint32_t *order;               /* item at each position */
    struct packed_item *items;     /* by item */
    bool *is_long;                 /* by item: it stands on a shelf */
    struct shelf *shelves;         /* by memory; NULL if no item is long-lived */
    struct life_index short_lived; /* the items that do not stand on a shelf */
    uint32_t *found;               /* work: items met */
    struct packed_extent *extents; /* work: where they lie */
    struct keyed_item *keyed;      /* work: the extents by offset */
    struct keyed_item *spare;
    uint64_t met; /* items looked at so far: what the placing has cost, the same on every host */

    /* For moves (packing_allow_moves). */
    struct life_index all;
    uint32_t *rank;              /* by memory: its place in the preferred order, or UINT32_MAX */
    struct ordered_set stale;    /* positions to be placed again */
    bool all_stale;              /* so are all that follow */
    struct packed_undo *changes; /* since the last packing_keep() */
    size_t change_count;
};

/* All items placed in `order`, which the packing takes over. */
struct packing packing_new(const struct scratch_problem *problem, uint32_t *order, struct arena *arena);
void packing_layout(const struct packing *packing, struct layout *layout);

/* To be called once, before what follows. */
void packing_allow_moves(struct packing *packing, struct arena *arena);
/* The items that are alive together with one go to packing->found; returns how many there are. */
size_t packing_meeting(struct packing *packing, uint32_t item);
/* The items at two positions change places. Call packing_settle() afterwards, and then either of the two behind it. */
void packing_swap(struct packing *packing, uint32_t a, uint32_t b);
/* Places again what the swap has touched. Gives up as soon as an item ends above its memory's ceiling and returns false; the
 * packing is then of no use until it is taken back. */
MUST_CHECK bool packing_settle(struct packing *packing, const uint64_t *ceilings);
void packing_keep(struct packing *packing);
void packing_take_back(struct packing *packing);

#endif
