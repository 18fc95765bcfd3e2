/* What lies in one memory, in the order of offsets, so that the lowest gap is found without looking at all of it.
 *
 * Extents stand in blocks of a few dozen, the blocks in a balanced tree. Every block, and every subtree, knows how high it
 * reaches, which lives and positions it holds, and how wide its widest gap is when all of its extents are in the way. A search
 * from below therefore passes over a subtree in one step if nothing of it is in the way, if it ends below where the search has
 * come, or if all of it is in the way and no gap is wide enough. When all extents are alive together, one of these holds all
 * along but one path: a search, an addition and a removal take a number of steps that grows with the logarithm of the number of
 * extents (times the number of different alignments). When lives are mixed at random, the columns of a subtree (columns.h) say
 * most often how far to go on; at worst a search looks at each extent below its result, one after the other in memory. */
#ifndef HELIA_PLAN_SHELF_H
#define HELIA_PLAN_SHELF_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/columns.h"
#include "plan/planner.h"

struct shelf_extent {
    uint64_t offset;
    uint64_t top;      /* above offset */
    uint32_t start;    /* first operator, included */
    uint32_t end;      /* last operator, included */
    uint32_t position; /* the extent is in the way of later positions only */
    uint32_t item;
};

struct shelf {
    struct arena *arena;
    struct shelf_block *root; /* NULL until something is added */
    uint64_t *alignments;     /* all that searches come with, ascending */
    size_t alignment_count;
    const struct column_grid *grid; /* NULL: without columns */
    uint64_t visited;               /* extents and blocks looked at so far: what searching has cost, the same on every host */
};

struct shelf_search {
    uint64_t size; /* above 0 */
    uint64_t alignment;
    uint32_t start;
    uint32_t end;
    uint32_t position;
    uint64_t offset; /* where to begin; a multiple of the alignment */
};

/* Empty, for the items that may go to a memory. Blocks are taken from the arena as the shelf grows, and kept. */
struct shelf shelf_new(const struct scratch_problem *problem, uint32_t memory, struct arena *arena);
/* One for each memory. */
struct shelf *shelves_new(const struct scratch_problem *problem, struct arena *arena);
/* Once, and for good: makes searches among thousands of extents with mixed lives faster, additions and removals slower. */
void shelf_keep_columns(struct shelf *shelf, const struct column_grid *grid);

void shelf_add(struct shelf *shelf, const struct shelf_extent *extent);
/* `extent` is there. */
void shelf_remove(struct shelf *shelf, const struct shelf_extent *extent);

/* Raises search->offset to the lowest place that is free of all extents of earlier positions whose lives meet the search's. */
void shelf_find_gap(struct shelf *shelf, struct shelf_search *search);

#endif
