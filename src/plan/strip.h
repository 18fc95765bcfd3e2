/* The items of one memory seen as a strip: each is as wide as it lives and as high as it is large, and may only move up and down.
 *
 * Time is cut into sections: the moments at which as much as possible is alive together (the maximal cliques of the intervals).
 * Two items are alive together exactly if they share a section. */
#ifndef HELIA_PLAN_STRIP_H
#define HELIA_PLAN_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/planner.h"

struct strip_item {
    uint64_t size;      /* bytes */
    uint32_t height;    /* size in units, rounded up: what it takes below another item */
    uint32_t alignment; /* of its offset, in units */
    uint32_t first;     /* section */
    uint32_t last;      /* section, included */
};

struct strip {
    struct strip_item *items;
    uint32_t *sources; /* by item: its index in the problem */
    uint32_t *widths;  /* by item: operators that it lives for */
    size_t item_count;
    size_t section_count;
    uint64_t unit;        /* bytes; every offset of a layout without needless gaps is a multiple of it */
    uint64_t *total;      /* by section: sum of heights, in units */
    uint64_t *credit;     /* by section: bytes that the topmost item may save, as nothing lies above it */
    uint64_t bound;       /* bytes: no layout has a lower high-water mark */
    bool is_exact;        /* every size is a whole number of units */
    bool has_alignment;   /* some item is aligned to more than a unit */
    bool can_be_searched; /* small enough for the complete search; if not, items have only sizes and lives, and the bound is 0 */
    struct watch *watch;  /* the problem's */
    uint64_t limit;       /* bytes that the memory has */
    uint64_t beside;      /* bytes that the other memories take, where they are known and fit; else UINT64_MAX */
};

/* The items of size above 0 for which `memory_of` says `memory`. */
struct strip strip_new(const struct scratch_problem *problem, const uint32_t *memory_of, uint32_t memory, struct arena *arena);

/* Tells who watches of what has been spent since, and of the height of the best layout so far. */
void strip_tell(const struct strip *strip, const struct effort *before, const struct effort *now, uint64_t height);

/* The high-water mark of these offsets (bytes, by item). */
uint64_t strip_height(const struct strip *strip, const uint64_t *offsets);

#endif
