/* arena_location and weights_location: the coarse control, and the automatic policy where they are absent.
 *
 * Fastest fit, the arena first, down the tiers (REQ-PLC-024 to 031). The policy reckons with the memories' physical sizes less a
 * slack that is kept for stack, heap and .bss (decision 7), and puts nothing where a window or budget would refuse it. */
#ifndef HELIA_PLACEMENT_COARSE_H
#define HELIA_PLACEMENT_COARSE_H

#include "placement/placement.h"

/* Slack kept back where target.slack says nothing, bytes (the cases' constants). */
#define DEFAULT_TCM_SLACK  UINT64_C(131072)
#define DEFAULT_SRAM_SLACK UINT64_C(32768)

/* What the policy is told and what it answers. Pure arithmetic, so that it can be tested on its own. */
struct policy_question {
    uint64_t tcm, sram;             /* physical bytes; 0: none */
    uint64_t tcm_limit, sram_limit; /* what the plan is held against: window or budget, bytes */
    uint64_t tcm_slack, sram_slack;
    uint64_t arena, weights;        /* bytes */
    bool arena_may_use_tcm;         /* false: an NPU must reach it and cannot reach TCM */
    const enum location *arena_pin; /* NULL: free */
    bool weights_follow_policy;
};
struct policy_answer {
    enum location arena;
    enum location weights; /* meaningless where pinned */
    bool slack_dropped;    /* the arena fits SRAM only by taking the slack */
};
struct policy_answer policy_decide(const struct policy_question *question);

/* Fills problem->coarse (all inactive where neither key is set and the engine has no policy of its own). Reports a region that
 * the part does not have, and slack that cannot be read. */
MUST_CHECK bool coarse_resolve(struct diagnostics *diagnostics, const struct placement_inputs *inputs, struct problem *problem);

/* Index of the memory that a location names, or UINT32_MAX. */
uint32_t location_memory(const struct problem *problem, enum location location);

/* True if the part has the memory that a location key names, or the key is not set; else reports the key. */
MUST_CHECK bool location_is_fitted(struct diagnostics *diagnostics, const struct problem *problem, const struct choice_value *key,
                                   const char *key_name);

/* Switches off each coarse rule in whose place a user's rule without ids stands. */
void coarse_yield_to_rules(struct problem *problem);

#endif
