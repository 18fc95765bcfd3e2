/* Which items go to which memory, when several could take them. */
#ifndef HELIA_PLAN_SPILL_H
#define HELIA_PLAN_SPILL_H

#include "plan/planner.h"

/* True if some item may go to more than one memory. */
bool spill_has_choice(const struct scratch_problem *problem);

/* The layout with its memories as they are, each packed as low as the work allows. True if it is proven that none of them can be
 * lower with these items. */
bool spill_repack(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena);

/* Replaces `layout` by better ones, with other choices of memories, while it finds any. True if it is proven that no layout that
 * fits the limits has a lower total. */
bool spill_search(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena);

/* For a layout that fits and whose total is known to be the least: replaces it, while the work allows, by those of the same total
 * with more in the memories that are preferred. */
void spill_prefer(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena);

/* < 0 if `a` is better: fewer bytes above the limits, then a lower total, then more in the memories that are preferred. */
int spill_compare(const struct scratch_problem *problem, const struct layout *a, const struct layout *b);

#endif
