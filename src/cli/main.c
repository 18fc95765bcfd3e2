/* The corridor: reads the command line, opens the command's door, prints the findings, exits. */
#include <stdio.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/session.h"

static void print_general_help(struct text *out)
{
    text_add(out, "helia-placement: where every byte of a neural network lives on a chip, and whether the linker put it there\n\n"
                  "usage: helia-placement COMMAND [options]\n\ncommands:\n");
    for (size_t i = 0; i < command_count; i++) {
        text_print(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    text_add(out, "\noptions of every command:\n");
    options_print_help(FOR_ALL, out);
    text_add(out, "\n'helia-placement COMMAND --help' lists a command's own options.\n"
                  "Exit codes: 0 done, 1 the answer is no, 2 wrong input or usage, 3 a file cannot be read or written.\n");
}

static void print_command_help(const struct command *command, struct text *out)
{
    text_print(out, "helia-placement %s: %s\n\nusage: helia-placement %s %s\n\noptions:\n", command->name, command->summary,
               command->name, command->arguments);
    options_print_help(command->bit, out);
    text_add(out, "\noptions of every command:\n");
    options_print_help(FOR_ALL, out);
}

/* For `include $(shell ...)`: Make splits at blanks that no backslash precedes. */
static void print_make_path(const char *folder, struct text *out)
{
    for (const char *letter = folder; *letter != '\0'; letter++) {
        if (*letter == ' ') {
            text_add_char(out, '\\');
        }
        text_add_char(out, *letter);
    }
    text_add(out, "/templates/make/helia-placement.mk\n");
}

/* Help, version and the paths that build systems ask for. False: none was asked for. */
static bool answer_question(struct session *session, enum exit_code *code)
{
    struct text out = text_start(&session->arena);
    if (option_find(&session->line, OPTION_HELP) != NULL) {
        if (session->line.command != NULL) {
            print_command_help(session->line.command, &out);
        } else {
            print_general_help(&out);
        }
    } else if (option_find(&session->line, OPTION_VERSION) != NULL) {
        text_add(&out, "helia-placement " HELIA_VERSION "\n");
    } else if (option_find(&session->line, OPTION_MAKE_INCLUDE) != NULL) {
        print_make_path(session->data_folder, &out);
    } else if (option_find(&session->line, OPTION_CMAKE_FOLDER) != NULL) {
        text_print(&out, "%s/cmake-modules\n", session->data_folder);
    } else {
        return false;
    }
    *code = session_print(session, &out);
    return true;
}

static enum exit_code run(struct session *session, int argc, char **argv)
{
    enum exit_code code;
    bool parsed = command_line_parse(&session->arena, &session->diagnostics, argc, argv, &session->line);
    /* Configured even after a bad word, so that the findings come in the format that was asked for. */
    if (!session_configure(session) || !parsed) {
        return EXIT_BAD_INPUT;
    }
    if (answer_question(session, &code)) {
        return code;
    }
    if (session->line.command == NULL) {
        struct diag *diag = diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "no command is given");
        diag_note(&session->diagnostics, diag, SPAN_NONE, "'helia-placement --help' lists them");
        return EXIT_BAD_INPUT;
    }
    session->shows_progress = !session->quiet && progress_is_possible();
    return session->line.command->run(session);
}

int main(int argc, char **argv)
{
    struct session session = {0};
    session.diagnostics = diagnostics_start(&session.arena);
    enum exit_code code = session_exit_code(&session, run(&session, argc, argv));
    session_print_diagnostics(&session);
    if (fclose(stdout) != 0 && code == EXIT_DONE) {
        fputs("helia-placement: error: cannot write to the standard output\n", stderr);
        code = EXIT_ENVIRONMENT;
    }
    arena_free(&session.scratch);
    arena_free(&session.arena);
    return (int)code;
}
