/* The resolved config as YAML, each value with a comment that says where it comes from. */
#ifndef HELIA_REPORT_CONFIG_VIEW_H
#define HELIA_REPORT_CONFIG_VIEW_H

#include "base/text.h"
#include "plan/plan.h"

/* What was written, what was decoded from it, and what became of that. */
struct config_view {
    const struct diagnostics *diagnostics;
    const struct node *root; /* the config file with the command line laid over it */
    const struct config *config;
    const struct memory_plan *plan;
};

/* Values and literal defaults are lines of YAML. What was worked out (automatic locations, what the SoC's file says, the buffers
 * of an engine) stands in lines that are comments, because in a file it would become fixed. So the output can be given back as a
 * config, and plans the same. */
void report_config_view(const struct config_view *view, struct text *out);

#endif
