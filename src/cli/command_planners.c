/* planners: the registered planners with their option schemas. */
#include "cli/commands.h"
#include "report/report.h"

enum exit_code command_planners(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    if (!session_choice(session, OPTION_FORMAT, formats, &format)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_planners_json(&out);
    } else {
        report_planners_table(&out);
    }
    return session_print(session, &out);
}
