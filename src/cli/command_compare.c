/* compare A B: two plans, residency reports or check reports side by side. */
#include "cli/commands.h"
#include "doc/doc.h"
#include "report/compare.h"

static bool read_report(struct session *session, const char *path, struct compared **report)
{
    const struct node *root;
    return doc_read(&session->arena, &session->diagnostics, path, SPAN_NONE, &root) &&
           compared_decode(&session->arena, &session->diagnostics, path, root, report);
}

enum exit_code command_compare(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    struct compared *a = NULL;
    struct compared *b = NULL;
    struct comparison comparison;
    bool good = session_choice(session, OPTION_FORMAT, formats, &format);
    good = read_report(session, session->line.words[0], &a) && good;
    good = read_report(session, session->line.words[1], &b) && good;
    if (!good || !compare_reports(&session->arena, &session->diagnostics, a, b, &comparison)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_comparison_json(&comparison, &out);
    } else if (!session->quiet) {
        report_comparison_text(&comparison, session->verbose, &out);
    }
    return session_print(session, &out);
}
