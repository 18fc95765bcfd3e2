/* Puts strips together that have no room to spare. */
#ifndef HELIA_PLAN_JIGSAW_H
#define HELIA_PLAN_JIGSAW_H

#include "plan/strip.h"

/* True: `offsets` (bytes, by item) is a layout at the strip's bound. False proves nothing. What is done is added to `effort`,
 * whose work ends not far above `work_limit`. */
bool jigsaw_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, struct effort *effort, struct arena *arena);

#endif
