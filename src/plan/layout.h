/* What every planner does with its layout at the end. */
#ifndef HELIA_PLAN_LAYOUT_H
#define HELIA_PLAN_LAYOUT_H

#include "plan/planner.h"

/* Fills `used` and `fits` from the slots. */
void layout_measure(const struct scratch_problem *problem, struct layout *layout);
/* Both layouts belong to `problem`. */
void layout_copy(const struct scratch_problem *problem, const struct layout *from, struct layout *to);

#endif
