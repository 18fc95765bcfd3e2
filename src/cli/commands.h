/* The commands: one row each, one file each. */
#ifndef HELIA_CLI_COMMANDS_H
#define HELIA_CLI_COMMANDS_H

#include "check/check.h"
#include "cli/options.h"
#include "cli/pipeline.h"
#include "cli/session.h"

struct command {
    const char *name;
    unsigned bit;          /* command_bit */
    const char *arguments; /* "ELF [options]" */
    const char *summary;   /* one sentence */
    size_t minimum_words;
    size_t maximum_words;
    enum exit_code (*run)(struct session *session);
};

extern const struct command commands[];
extern const size_t command_count;

enum exit_code command_plan(struct session *session);
enum exit_code command_generate(struct session *session);
enum exit_code command_check(struct session *session);
enum exit_code command_model(struct session *session);
enum exit_code command_soc(struct session *session);
enum exit_code command_planners(struct session *session);
enum exit_code command_explain(struct session *session);
enum exit_code command_compare(struct session *session);
enum exit_code command_tighten(struct session *session);

/* What check does before it prints: reads options, plan and image, loads the SoC and measures. */
MUST_CHECK bool check_measure(struct session *session, struct pipeline *pipeline, struct check_request *request,
                              struct check_result *result);

#endif
