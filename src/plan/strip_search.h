/* Complete search for a layout of a strip within a capacity. */
#ifndef HELIA_PLAN_STRIP_SEARCH_H
#define HELIA_PLAN_STRIP_SEARCH_H

#include "plan/strip.h"

enum strip_answer {
    STRIP_FOUND,
    STRIP_IMPOSSIBLE, /* proven: no layout fits the capacity */
    STRIP_UNDECIDED,  /* a limit was reached first, or the memory for going back has run out */
};

struct strip_search;

/* For a strip with at least one item that can be searched. */
struct strip_search *strip_search_new(const struct strip *strip, struct arena *arena);

/* `rank`, by item: of several items that could go to the same place, the higher rank is tried first. The search is given up at
 * the first failure beyond either limit. `offsets`, by item, in bytes, are written when the answer is STRIP_FOUND. The work done
 * is added to `effort`. */
enum strip_answer strip_search_run(struct strip_search *search, uint64_t capacity, const uint32_t *rank, uint64_t failure_limit,
                                   uint64_t work_limit, uint64_t *offsets, struct effort *effort);

#endif
