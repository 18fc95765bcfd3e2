#include "cli/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/data.h"

bool session_choice(struct session *session, enum option_id id, const char *const *choices, size_t *choice)
{
    const struct option_use *use = option_find(&session->line, id);
    size_t count = 0;
    while (choices[count] != NULL) {
        count++;
    }
    if (use == NULL) {
        *choice = 0;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (text_equal(use->value, choices[i])) {
            *choice = i;
            return true;
        }
    }
    struct diag *diag = diag_report(&session->diagnostics, DIAG_USAGE, use->span, "unknown value '%s'", use->value);
    diag_suggest(&session->diagnostics, diag, use->value, "values", choices, count);
    return false;
}

static bool configure_warnings(struct session *session)
{
    bool good = true;
    for (size_t i = 0; i < session->line.options.count; i++) {
        const struct option_use *use = &session->line.options.items[i];
        if (use->row->id == OPTION_WARNING && !diag_configure(&session->diagnostics, use->value)) {
            diag_report(&session->diagnostics, DIAG_USAGE, use->span,
                        "'%s' is no warning that can be set; docs/diagnostics.md lists them", use->value);
            good = false;
        }
    }
    return good;
}

bool session_configure(struct session *session)
{
    static const char *const colors[] = {"auto", "always", "never", NULL};
    static const char *const renderings[] = {"text", "json", NULL};
    size_t color = 0;
    size_t rendering = 0;
    bool good = session_choice(session, OPTION_COLOR, colors, &color);
    good = session_choice(session, OPTION_DIAGNOSTICS, renderings, &rendering) && good;
    session->json_diagnostics = rendering == 1;
    const char *no_color = getenv("NO_COLOR");
    bool may_color = isatty(STDERR_FILENO) == 1 && (no_color == NULL || no_color[0] == '\0');
    session->color = color == 1 || (color == 0 && may_color);
    session->quiet = option_find(&session->line, OPTION_QUIET) != NULL;
    session->verbose = option_find(&session->line, OPTION_VERBOSE) != NULL;
    good = configure_warnings(session) && good;
    session->data_folder = data_folder_find(&session->arena);
    session->registry = data_registry(&session->arena, session->data_folder, &session->line);
    return good;
}

enum exit_code session_print(struct session *session, const struct text *text)
{
    bool written = fwrite(text->data, 1, text->size, stdout) == text->size;
    if (written && fflush(stdout) == 0) {
        return EXIT_DONE;
    }
    diag_report(&session->diagnostics, DIAG_FILE_UNWRITABLE, SPAN_NONE, "cannot write to the standard output: %s",
                strerror(errno));
    return EXIT_ENVIRONMENT;
}

static bool refuse_harm(struct session *session, const struct output_list *outputs, const struct path_list *inputs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const char *path = outputs->items[i].path;
        for (size_t k = 0; k < inputs->count; k++) {
            if (file_is_same(path, inputs->items[k])) {
                diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE,
                            "the output '%s' is the input '%s': write it to another file", path, inputs->items[k]);
                return false;
            }
        }
        for (size_t k = 0; k < i; k++) {
            if (text_equal(path, outputs->items[k].path) || file_is_same(path, outputs->items[k].path)) {
                diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "two outputs go to one file: '%s' and '%s'",
                            outputs->items[k].path, path);
                return false;
            }
        }
    }
    return true;
}

static bool report_unwritable(struct session *session, const char *path, const struct file_error *error)
{
    diag_report(&session->diagnostics, DIAG_FILE_UNWRITABLE, SPAN_NONE, "cannot %s '%s': %s", error->operation, path,
                error->reason);
    return false;
}

/* What would end the process in the middle waits until the mask is set back to `before`. Of a file that grows beyond what the
 * user may write, write(2) then tells, so that it is taken away. */
static void hold_signals(sigset_t *before)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        sigaddset(&held, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &held, before);
}

/* Makes all ready, or none. */
static bool stage_all(struct session *session, const struct output_list *outputs, struct staged_file *staged)
{
    struct file_error error;
    for (size_t i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->items[i];
        if (!file_stage(&session->arena, output->path, output->data, output->size, &staged[i], &error)) {
            while (i-- > 0) {
                file_discard(&staged[i]);
            }
            return report_unwritable(session, output->path, &error);
        }
    }
    return true;
}

/* Puts the files in their places, or writes to the devices. After a failure, what is left is taken away. */
static bool commit_all(struct session *session, const struct output_list *outputs, const struct staged_file *staged, bool devices)
{
    struct file_error error;
    bool good = true;
    for (size_t i = 0; i < outputs->count; i++) {
        if (staged[i].device != devices) {
            continue;
        }
        if (!good) {
            file_discard(&staged[i]);
        } else if (!file_commit(&session->arena, &staged[i], &error)) {
            good = report_unwritable(session, outputs->items[i].path, &error);
        }
    }
    return good;
}

bool session_write_files(struct session *session, const struct output_list *outputs, const struct path_list *inputs)
{
    if (!refuse_harm(session, outputs, inputs)) {
        return false;
    }
    struct staged_file *staged = ARENA_ARRAY(&session->arena, struct staged_file, outputs->count);
    sigset_t before;
    hold_signals(&before);
    bool good = stage_all(session, outputs, staged) && commit_all(session, outputs, staged, false);
    sigprocmask(SIG_SETMASK, &before, NULL);
    /* Who reads a pipe may keep us waiting for ever, so that here Ctrl-C must be heard. */
    return good && commit_all(session, outputs, staged, true);
}

enum exit_code session_exit_code(const struct session *session, enum exit_code otherwise)
{
    const struct diagnostics *diagnostics = &session->diagnostics;
    enum exit_code code = otherwise;
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const struct diag *diag = &diagnostics->list.items[i];
        if (diag->level != DIAG_ERROR || diag->id == DIAG_PLAN_OVERFLOW) {
            continue; /* that a plan does not fit is an answer, and the command has given it */
        }
        if (diag->id != DIAG_FILE_UNREADABLE && diag->id != DIAG_FILE_UNWRITABLE) {
            return EXIT_BAD_INPUT;
        }
        code = EXIT_ENVIRONMENT;
    }
    return code;
}

void session_print_diagnostics(struct session *session)
{
    if (session->diagnostics.list.count == 0) {
        return;
    }
    struct text out = text_start(&session->arena);
    if (session->json_diagnostics) {
        diag_render_json(&session->diagnostics, &out);
    } else {
        diag_render_text(&session->diagnostics, session->color, &out);
    }
    fwrite(out.data, 1, out.size, stderr);
}
