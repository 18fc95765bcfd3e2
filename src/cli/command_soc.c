/* soc: list, show NAME, validate FILE... */
#include "base/json_write.h"
#include "cli/commands.h"
#include "doc/doc.h"
#include "report/report.h"
#include "soc/soc.h"

static enum exit_code list(struct session *session, bool json)
{
    struct registry_names socs;
    struct registry_names boards;
    if (session->line.word_count != 1) {
        diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "usage: helia-placement soc list");
        return EXIT_BAD_INPUT;
    }
    if (!registry_list_socs(&session->arena, &session->diagnostics, &session->registry, &socs) ||
        !registry_list_boards(&session->arena, &session->diagnostics, &session->registry, &boards)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (json) {
        struct json *soc_names = json_new_array();
        struct json *board_names = json_new_array();
        for (size_t i = 0; i < socs.count; i++) {
            json_add(soc_names, json_text(socs.items[i]));
        }
        for (size_t i = 0; i < boards.count; i++) {
            json_add(board_names, json_text(boards.items[i]));
        }
        struct json *root = json_new_object();
        json_set(root, "schema", json_text("helia-placement/soc-list/1"));
        json_set(root, "socs", soc_names);
        json_set(root, "boards", board_names);
        json_finish(root, false, &out);
    } else {
        text_add(&out, "SoCs:\n");
        for (size_t i = 0; i < socs.count; i++) {
            text_print(&out, "  %s\n", socs.items[i]);
        }
        text_add(&out, "Boards:\n");
        for (size_t i = 0; i < boards.count; i++) {
            text_print(&out, "  %s\n", boards.items[i]);
        }
    }
    return session_print(session, &out);
}

static enum exit_code show(struct session *session, bool json)
{
    if (session->line.word_count != 2) {
        diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "usage: helia-placement soc show NAME");
        return EXIT_BAD_INPUT;
    }
    const struct soc *soc;
    if (!registry_load_soc(&session->arena, &session->diagnostics, &session->registry, session->line.words[1], SPAN_NONE, &soc)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (json) {
        report_soc_json(soc, &out);
    } else {
        report_soc_table(soc, &out);
    }
    return session_print(session, &out);
}

static bool validate_file(struct session *session, const char *path)
{
    struct arena *arena = &session->arena;
    const struct node *root;
    if (!doc_read(arena, &session->diagnostics, path, SPAN_NONE, &root)) {
        return false;
    }
    if (node_get(root, "board") != NULL) {
        struct board *board;
        return board_decode(arena, &session->diagnostics, root, path, &board);
    }
    struct soc *soc;
    return soc_decode(arena, &session->diagnostics, root, path, (struct bytes){0}, &soc) &&
           soc_validate(&session->scratch, &session->diagnostics, soc);
}

static enum exit_code validate(struct session *session)
{
    if (session->line.word_count < 2) {
        diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "usage: helia-placement soc validate FILE...");
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    bool good = true;
    for (size_t i = 1; i < session->line.word_count; i++) {
        if (validate_file(session, session->line.words[i])) {
            text_print(&out, "%s: valid\n", session->line.words[i]);
        } else {
            good = false;
        }
    }
    enum exit_code printed = session->quiet ? EXIT_DONE : session_print(session, &out);
    return good ? printed : EXIT_BAD_INPUT;
}

enum exit_code command_soc(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    static const char *const actions[] = {"list", "show", "validate"};
    size_t format;
    if (!session_choice(session, OPTION_FORMAT, formats, &format)) {
        return EXIT_BAD_INPUT;
    }
    const char *action = session->line.words[0];
    if (text_equal(action, "list")) {
        return list(session, format == 1);
    }
    if (text_equal(action, "show")) {
        return show(session, format == 1);
    }
    if (text_equal(action, "validate")) {
        return validate(session);
    }
    struct diag *diag = diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "unknown action 'soc %s'", action);
    diag_suggest(&session->diagnostics, diag, action, "actions", actions, 3);
    return EXIT_BAD_INPUT;
}
