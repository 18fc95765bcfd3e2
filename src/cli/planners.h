/* The planners of a run: built in and built outside, one or all of them. */
#ifndef HELIA_CLI_PLANNERS_H
#define HELIA_CLI_PLANNERS_H

#include "base/attributes.h"
#include "cli/session.h"
#include "plan/plan.h"

/* The built-in planners, those of --planner-plugin, those of HELIA_PLACEMENT_PLANNERS (separated by ':'), each in the order
 * given. Reports every file that cannot be used. */
MUST_CHECK bool planners_load(struct session *session, struct planner_set *set);

/* One plan from each planner of the set, in its order. */
struct planner_comparison {
    struct planner_options *options;
    const struct memory_plan **plans;
    uint64_t *microseconds; /* that each took; for people only, since it is never the same twice */
    size_t count;
};

/* True if the config asks for all planners. */
bool comparison_is_wanted(const struct memory_config *memory);
/* The options, by planner. */
MUST_CHECK bool comparison_check(struct session *session, const struct planner_set *set, const struct memory_config *memory,
                                 struct planner_comparison *comparison);
/* The plans. One plugin's failure does not keep the others' from being reported. `observer` may be NULL. */
MUST_CHECK bool comparison_make(struct session *session, const struct planner_set *set, const struct problem *problem,
                                const struct planner_observer *observer, struct planner_comparison *comparison);
/* The default planner's plan, which decides whether the model fits. */
const struct memory_plan *comparison_default(const struct planner_comparison *comparison);

#endif
