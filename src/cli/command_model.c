/* model: list a model's operators, tensors, lifetimes and totals. */
#include "cli/commands.h"
#include "model/model.h"
#include "report/report.h"

enum exit_code command_model(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    const struct model *model;
    if (!session_choice(session, OPTION_FORMAT, formats, &format) ||
        !model_read(&session->arena, &session->diagnostics, session->line.words[0], SPAN_NONE, &model)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_model_json(model, &out);
    } else if (!session->quiet) {
        report_model_table(model, &out);
    }
    return session_print(session, &out);
}
