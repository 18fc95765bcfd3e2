/* planners: the registered planners with their option schemas. */
#include "cli/commands.h"
#include "cli/planners.h"
#include "report/report.h"

enum exit_code command_planners(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    struct planner_set set;
    if (!session_choice(session, OPTION_FORMAT, formats, &format) || !planners_load(session, &set)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_planners_json(&set, &out);
    } else {
        report_planners_table(&set, &out);
    }
    return session_print(session, &out);
}
