/* explain NAME: which rule put a tensor, arena or region where it is, what it shares, why it is not elsewhere. */
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "report/explain.h"

/* "scratch DTCM" may come as one word or as two. */
static const char *wanted_name(struct session *session)
{
    const struct command_line *line = &session->line;
    return line->word_count < 2 ? line->words[0] : arena_format(&session->arena, "%s %s", line->words[0], line->words[1]);
}

enum exit_code command_explain(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    struct pipeline pipeline = {0};
    struct explanation explanation;
    if (!session_choice(session, OPTION_FORMAT, formats, &format) || !pipeline_run(session, &pipeline) ||
        !explain_name(&session->arena, &session->diagnostics, pipeline.plan, wanted_name(session), SPAN_NONE, &explanation)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_explanation_json(&explanation, &out);
    } else {
        report_explanation_text(&explanation, &out);
    }
    enum exit_code printed = session_print(session, &out);
    if (printed == EXIT_DONE && pipeline.plan->has_overflow) {
        pipeline_print_overflow(session, pipeline.plan);
        return EXIT_ANSWER_NO;
    }
    return printed;
}
