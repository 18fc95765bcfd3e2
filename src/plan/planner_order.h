/* The orders in which planners visit items. All are total: equal keys fall back to the item's index. Each costs time linear in
 * the number of items. */
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
/* Item indices by where a layout puts them: memory, then offset, ties by index. */
uint32_t *order_by_place(const struct scratch_problem *problem, const struct slot *slots, struct arena *arena);

/* Item indices by any other key, ties by index. */
typedef uint64_t item_key(const void *context, uint32_t item);
uint32_t *order_by_key(size_t count, item_key *key, const void *context, struct arena *arena);

#endif
