/* Planners built outside, by the interface in helia_placement/planner.h. No code of theirs runs in the tool's own process: every
 * question goes to a child that loads the file, answers and ends. */
#ifndef HELIA_PLAN_PLUGIN_H
#define HELIA_PLAN_PLUGIN_H

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "plan/planner.h"

struct plugin {
    const char *path; /* as the user wrote it */
    struct span span; /* where it was named */
    const struct planner *planner;
};

/* Appends the file's planner to the set. A file that is there already is passed over: naming it twice does no harm. False after
 * file-unreadable or plugin-refused at `span`: no shared object, no planner in it, another version of the interface, a descriptor
 * that breaks its rules, a name that is taken. */
MUST_CHECK bool plugin_load(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                            struct planner_set *set);

/* As a planner's solve(). NULL, or why there is no layout, in the arena: what the planner said, or how its process ended. The
 * layout is then worthless. Lies about the layout are the referee's business; here only those are caught that it cannot be asked
 * about. */
MUST_CHECK const char *plugin_solve(const struct plugin *plugin, const struct scratch_problem *problem,
                                    const struct planner_options *options, struct arena *arena, struct layout *layout,
                                    struct planner_report *report);

#endif
