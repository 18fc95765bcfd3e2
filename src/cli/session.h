/* One run of the tool: its memory, its findings, its settings, and the only places that print. */
#ifndef HELIA_CLI_SESSION_H
#define HELIA_CLI_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "cli/options.h"
#include "diag/diag.h"
#include "soc/soc.h"

enum exit_code {
    EXIT_DONE = 0,       /* done, all holds */
    EXIT_ANSWER_NO = 1,  /* a plan does not fit, or a gate failed */
    EXIT_BAD_INPUT = 2,  /* usage, or an input that is wrong */
    EXIT_ENVIRONMENT = 3 /* a file cannot be read or written, out of memory */
};

struct session {
    struct arena arena;   /* results, to the end of the run */
    struct arena scratch; /* work of one step */
    struct diagnostics diagnostics;
    struct command_line line;
    struct registry registry;
    const char *data_folder; /* where soc-registry/ and the build-system snippets stand */
    bool color;
    bool json_diagnostics;
    bool quiet;
    bool verbose;
    bool shows_progress; /* set by main() alone: a library does not write to its program's terminal */
};

/* Applies the global options; false: reported. */
MUST_CHECK bool session_configure(struct session *session);

/* Prints to stdout; EXIT_DONE, or EXIT_ENVIRONMENT after a report. */
enum exit_code session_print(struct session *session, const struct text *text);

/* Result files of a run, and the files that it read. */
struct output {
    const char *path;
    const void *data;
    size_t size;
};
struct output_list {
    struct output *items;
    size_t count, capacity;
};
struct path_list {
    const char **items;
    size_t count, capacity;
};

/* Writes all files, unchanged ones left alone, or none of them: every file is ready beside its place before the first one is put
 * there, and a signal that asks the process to end waits so long. Pipes and devices are written to when the files are in place.
 * An output that is one of the inputs, or of the other outputs, is refused: it would destroy what it was made from. */
MUST_CHECK bool session_write_files(struct session *session, const struct output_list *outputs, const struct path_list *inputs);

/* The code that the findings so far ask for: 3 if only files or memory failed, 2 for wrong input, else `otherwise`. */
enum exit_code session_exit_code(const struct session *session, enum exit_code otherwise);

/* Prints the findings to stderr. */
void session_print_diagnostics(struct session *session);

/* True if --format is absent or one of `choices` (NULL-terminated); `*choice` is then its index, 0 if absent. */
MUST_CHECK bool session_choice(struct session *session, enum option_id id, const char *const *choices, size_t *choice);

#endif
