/* The pipeline: config, SoC, model, problem, plan. Each border states what has become true. */
#ifndef HELIA_CLI_PIPELINE_H
#define HELIA_CLI_PIPELINE_H

#include "base/attributes.h"
#include "cli/planners.h"
#include "cli/session.h"
#include "placement/placement.h"
#include "plan/plan.h"

struct pipeline {
    const struct node *root; /* the config file with the command line laid over it */
    struct config config;    /* the same, decoded */
    const struct soc *soc;
    const struct board *board; /* NULL: the SoC was named */
    const struct linker_profile *profile;
    const struct model *model;
    struct problem problem;
    struct planner_set planners;
    const struct memory_plan *plan;
    bool compares;                        /* set before the run: 'all' is taken as the planner's name */
    struct planner_comparison comparison; /* then; `plan` is the default planner's */
    struct path_list inputs;              /* every file that was read, in reading order, for depfiles */
};

/* The config file with the command line laid over it, decoded. */
MUST_CHECK bool pipeline_read_config(struct session *session, struct pipeline *pipeline);

/* Board, SoC and profile that the config names; `soc_name` and `profile_name` stand in where it names none (NULL: it must). */
MUST_CHECK bool pipeline_load_soc(struct session *session, struct pipeline *pipeline, const char *soc_name,
                                  const char *profile_name);

/* Config, SoC and model: all that is read. */
MUST_CHECK bool pipeline_read(struct session *session, struct pipeline *pipeline);

/* Placement and plan, once all is read. Can be repeated with another config. */
MUST_CHECK bool pipeline_resolve(struct session *session, struct pipeline *pipeline);

/* Model, placement and plan, once config and SoC are there. */
MUST_CHECK bool pipeline_plan(struct session *session, struct pipeline *pipeline);

/* All of it, up to the plan. */
MUST_CHECK bool pipeline_run(struct session *session, struct pipeline *pipeline);

/* Prints the overflow in its documented form to stderr. */
void pipeline_print_overflow(struct session *session, const struct memory_plan *plan);

#endif
