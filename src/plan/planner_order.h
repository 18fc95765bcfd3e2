/* The two orders in which planners visit items. Both are total: equal keys fall back to the item's index. */
#ifndef HELIA_PLAN_PLANNER_ORDER_H
#define HELIA_PLAN_PLANNER_ORDER_H

#include "base/arena.h"
#include "plan/planner.h"

/* Item indices by start of life, ties by index. */
uint32_t *order_by_start(const struct scratch_problem *problem, struct arena *arena);
/* Item indices by end of life, ties by index. */
uint32_t *order_by_end(const struct scratch_problem *problem, struct arena *arena);
/* Item indices by size, largest first; ties by earlier start, then index. */
uint32_t *order_by_size(const struct scratch_problem *problem, struct arena *arena);

#endif
