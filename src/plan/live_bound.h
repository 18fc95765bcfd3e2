/* Lower bounds that no layout can go below. */
#ifndef HELIA_PLAN_LIVE_BOUND_H
#define HELIA_PLAN_LIVE_BOUND_H

#include "base/arena.h"
#include "plan/planner.h"

/* A lower bound of the total over all memories, whatever goes where (see live_bound.c for the proof). */
uint64_t total_lower_bound(const struct scratch_problem *problem, struct arena *scratch);

/* By memory: a lower bound of its high-water mark from the items that can go nowhere else. */
uint64_t *forced_lower_bounds(const struct scratch_problem *problem, struct arena *arena);

#endif
