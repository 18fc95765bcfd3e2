/* plan: resolve the placement, run the planner or all of them, print the table or the resolved config; -o FILE
 * writes the JSON. */
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "plan/plan_json.h"
#include "report/config_view.h"
#include "report/report.h"

static void write_json(const struct pipeline *pipeline, struct text *out)
{
    if (pipeline->compares) {
        plan_write_all(pipeline->comparison.plans, pipeline->comparison.count, out);
    } else {
        plan_write_json(pipeline->plan, out);
    }
}

static enum exit_code print_plan(struct session *session, const struct pipeline *pipeline, bool json)
{
    const struct planner_comparison *comparison = &pipeline->comparison;
    struct text out = text_start(&session->arena);
    if (json) {
        write_json(pipeline, &out);
    } else if (!session->quiet && pipeline->compares) {
        report_plans_table(comparison->plans, comparison->microseconds, comparison->count, &out);
    } else if (!session->quiet) {
        report_plan_table(pipeline->plan, session->verbose, &out);
    }
    return session_print(session, &out);
}

static enum exit_code print_config(struct session *session, const struct pipeline *pipeline)
{
    const struct config_view view = {&session->diagnostics, pipeline->root, &pipeline->config, pipeline->plan};
    struct text out = text_start(&session->arena);
    report_config_view(&view, &out);
    return session_print(session, &out);
}

/* The config is printed instead of the plan, and only as YAML. */
static bool check_show_config(struct session *session, bool json)
{
    const struct option_use *use = option_find(&session->line, OPTION_SHOW_CONFIG);
    if (use == NULL || !json) {
        return true;
    }
    diag_report(&session->diagnostics, DIAG_USAGE, use->span, "prints YAML and cannot be combined with --format json");
    return false;
}

static bool write_plan(struct session *session, const struct pipeline *pipeline)
{
    const char *path = option_value(&session->line, OPTION_OUTPUT);
    if (path == NULL) {
        return true;
    }
    struct text json = text_start(&session->arena);
    write_json(pipeline, &json);
    struct output output = {path, json.data, json.size};
    return session_write_files(session, &(struct output_list){.items = &output, .count = 1}, &pipeline->inputs);
}

enum exit_code command_plan(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    const bool show_config = option_find(&session->line, OPTION_SHOW_CONFIG) != NULL;
    struct pipeline pipeline = {.compares = !show_config}; /* the config of one planner is shown */
    if (!session_choice(session, OPTION_FORMAT, formats, &format) || !check_show_config(session, format == 1) ||
        !pipeline_run(session, &pipeline)) {
        return EXIT_BAD_INPUT;
    }
    enum exit_code printed = show_config ? print_config(session, &pipeline) : print_plan(session, &pipeline, format == 1);
    if (printed != EXIT_DONE) {
        return printed;
    }
    if (pipeline.plan->has_overflow) {
        pipeline_print_overflow(session, pipeline.plan);
        return EXIT_ANSWER_NO;
    }
    return write_plan(session, &pipeline) ? EXIT_DONE : EXIT_ENVIRONMENT;
}
