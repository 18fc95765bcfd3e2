/* The memories of a problem: the SoC's regions as the profile, the platform and the constraints let a plan use them. */
#ifndef HELIA_PLACEMENT_MEMORIES_H
#define HELIA_PLACEMENT_MEMORIES_H

#include "placement/placement.h"

/* Fills problem->memories and problem->order from problem->soc and problem->profile. */
void memories_from_profile(struct arena *arena, struct problem *problem);

/* Applies max_size and arena_alignment; reports unknown memories, sizes that cannot be read, and a memory named twice. */
MUST_CHECK bool memories_apply_constraints(struct diagnostics *diagnostics, const struct record_list *constraints,
                                           struct problem *problem);

#endif
