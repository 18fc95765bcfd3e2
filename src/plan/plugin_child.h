/* What a plugin's own process does: loads the file and answers one question. Answers are copied out of the process, so they hold
 * no pointers, and what a plugin made too long for them is a fault. */
#ifndef HELIA_PLAN_PLUGIN_CHILD_H
#define HELIA_PLAN_PLUGIN_CHILD_H

#include <stdint.h>

#include "plan/planner.h"

#define PLUGIN_FAULT_SIZE    512
#define PLUGIN_NAME_SIZE     64
#define PLUGIN_SENTENCE_SIZE 256

struct plugin_option_answer {
    char key[PLUGIN_NAME_SIZE];
    char help[PLUGIN_SENTENCE_SIZE];
    uint32_t kind;
    uint32_t nullable;
    uint64_t minimum, maximum, default_value;
};

/* What the planner says of itself; nothing in it is checked but that it could be read. */
struct plugin_description {
    char fault[PLUGIN_FAULT_SIZE]; /* "" if there is none */
    char name[PLUGIN_NAME_SIZE];
    char summary[PLUGIN_SENTENCE_SIZE];
    uint32_t experimental;
    uint32_t option_count;
    struct plugin_option_answer options[PLANNER_OPTIONS_MAXIMUM];
};

struct plugin_task {
    const char *path; /* with a slash in it, so that the loader searches nowhere else */
    const char *name; /* the planner that was found there before */
    size_t option_count;
    const struct scratch_problem *problem;
    const struct planner_options *options;
    uint64_t lower_bound;
};

struct plugin_layout {
    char fault[PLUGIN_FAULT_SIZE];
    uint64_t attempts;
    uint64_t improvements;
    struct slot slots[]; /* one an item */
};

/* Works for child_ask(). The first question is the path, a text; the second a struct plugin_task. */
void plugin_describe(const void *question, void *answer);
void plugin_lay_out(const void *question, void *answer);

#endif
