/* A planner that minimises the total high-water mark over all memories, and says when it has proven that none is lower. */
#ifndef HELIA_PLAN_OPTIMAL_H
#define HELIA_PLAN_OPTIMAL_H

#include "plan/planner.h"

/* `options->values[0]`: most work units of complete search; 0 returns the best layout of the other planners. */
void optimal_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                   struct layout *layout, struct planner_report *report);

#endif
