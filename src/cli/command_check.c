/* check: measure the linked image against the SoC's windows and against the plan; the gate. */
#include <string.h>

#include "base/size.h"
#include "check/check.h"
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "report/report.h"

struct budget_list {
    struct budget *items;
    size_t count, capacity;
};

static bool read_budgets(struct session *session, struct budget_list *budgets)
{
    bool good = true;
    for (size_t i = 0; i < session->line.options.count; i++) {
        const struct option_use *use = &session->line.options.items[i];
        if (use->row->id != OPTION_BUDGET) {
            continue;
        }
        const char *equals = strchr(use->value, '=');
        if (equals == NULL || equals == use->value || equals[1] == '\0') {
            diag_report(&session->diagnostics, DIAG_USAGE, use->span, "expected REGION=SIZE or REGION=PERCENT%%, not '%s'",
                        use->value);
            good = false;
            continue;
        }
        *LIST_ADD(&session->arena, budgets) = (struct budget){
            .region = arena_copy(&session->arena, use->value, (size_t)(equals - use->value)),
            .limit_text = equals + 1,
            .span = use->span,
        };
    }
    return good;
}

static bool read_top(struct session *session, size_t *top)
{
    const struct option_use *use = option_find(&session->line, OPTION_TOP);
    uint64_t count = 0;
    if (use != NULL && (!size_parse(use->value, &count) || count > CHECK_TOP_LIMIT)) {
        diag_report(&session->diagnostics, DIAG_USAGE, use->span, "expected a number from 0 to %d, not '%s'", CHECK_TOP_LIMIT,
                    use->value);
        return false;
    }
    *top = (size_t)count;
    return true;
}

static bool read_given_plan(struct session *session, struct pipeline *pipeline, struct planned **planned)
{
    const struct option_use *use = option_find(&session->line, OPTION_PLAN);
    if (use == NULL) {
        return true;
    }
    *LIST_ADD(&session->arena, &pipeline->inputs) = use->value;
    const struct node *root;
    return doc_read(&session->arena, &session->diagnostics, use->value, use->span, &root) &&
           planned_decode(&session->arena, &session->diagnostics, root, planned);
}

static bool prepare(struct session *session, struct pipeline *pipeline, struct check_request *request)
{
    struct arena *arena = &session->arena;
    struct diagnostics *diagnostics = &session->diagnostics;
    struct budget_list budgets = {0};
    struct planned *planned = NULL;
    bool good = read_budgets(session, &budgets);
    good = read_top(session, &request->top) && good;
    good = pipeline_read_config(session, pipeline) && good;
    good = read_given_plan(session, pipeline, &planned) && good;
    *LIST_ADD(arena, &pipeline->inputs) = session->line.words[0];
    good = image_read(arena, diagnostics, session->line.words[0], SPAN_NONE, &request->image) && good;
    if (!good || !planned_from_image(arena, diagnostics, request->image, &request->embedded, &request->embedded_count)) {
        return false;
    }
    const struct planned *known = planned;
    if (known == NULL && request->embedded_count > 0) {
        known = request->embedded[0];
    }
    const struct target_config *target = &pipeline->config.target;
    if (known == NULL && !target->soc.set && !target->board.set) {
        diag_report(diagnostics, DIAG_MISSING_TARGET, SPAN_NONE,
                    "the image carries no plan that would name its SoC: give --plan FILE, --soc NAME or --board NAME");
        return false;
    }
    if (!pipeline_load_soc(session, pipeline, known != NULL ? known->soc : NULL, known != NULL ? known->profile : NULL)) {
        return false;
    }
    /* A model that is named is planned anew: the image must be what it gives today. */
    if (pipeline->config.model.path.set) {
        if (!pipeline_plan(session, pipeline)) {
            return false;
        }
        request->fresh_hash = pipeline->plan->hash;
        request->fresh_prefix = pipeline->problem.prefix;
    }
    request->soc = pipeline->soc;
    request->profile = pipeline->profile;
    request->planned = planned;
    request->budgets = budgets.items;
    request->budget_count = budgets.count;
    return true;
}

bool check_measure(struct session *session, struct pipeline *pipeline, struct check_request *request, struct check_result *result)
{
    return prepare(session, pipeline, request) && check_run(&session->arena, &session->diagnostics, request, result);
}

enum exit_code command_check(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    struct pipeline pipeline = {0};
    struct check_request request = {0};
    struct check_result result = {0};
    if (!session_choice(session, OPTION_FORMAT, formats, &format) || !check_measure(session, &pipeline, &request, &result)) {
        return EXIT_BAD_INPUT;
    }
    const char *path = option_value(&session->line, OPTION_OUTPUT);
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_check_json(&result, &out);
    } else if (!session->quiet || !result.ok || path != NULL) {
        report_check_table(&result, session->verbose, &out);
    }
    struct output output = {path, out.data, out.size};
    const struct output_list outputs = {.items = &output, .count = 1};
    bool given =
        path != NULL ? session_write_files(session, &outputs, &pipeline.inputs) : session_print(session, &out) == EXIT_DONE;
    if (!given) {
        return EXIT_ENVIRONMENT;
    }
    return result.ok ? EXIT_DONE : EXIT_ANSWER_NO;
}
