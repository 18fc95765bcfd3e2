/* PSRAM is opt-in, and each engine has its own condition for it (REQ-PLC-041 to 046). */
#ifndef HELIA_PLACEMENT_PSRAM_H
#define HELIA_PLACEMENT_PSRAM_H

#include "placement/placement.h"

#define DEFAULT_PSRAM_CLOCK_HZ UINT64_C(48000000)

/* target.psram.clock_hz against the part's list. */
MUST_CHECK bool psram_check_clock(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                                  struct problem *problem);

/* Whatever was resolved to memory that must be powered first, against the engine's rule. One finding a place that asks for it. */
MUST_CHECK bool psram_check_use(struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                                const struct problem *problem);

#endif
