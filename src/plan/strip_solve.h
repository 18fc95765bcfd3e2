/* The lowest layout of a strip that a given amount of work finds. */
#ifndef HELIA_PLAN_STRIP_SOLVE_H
#define HELIA_PLAN_STRIP_SOLVE_H

#include "plan/strip.h"

struct strip_result {
    uint64_t height; /* high-water mark of the offsets */
    uint64_t bound;  /* proven: no layout is lower. Equal to the height: the layout is optimal */
};

/* `offsets`: a layout to start from; replaced when a lower one is found. What is done is added to `effort`, whose work ends not
 * far above `work_limit`. A strip that cannot be searched comes back as it is. */
struct strip_result strip_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, struct effort *effort,
                                struct arena *arena);

#endif
