/* The command line: one row an option, one pass over the words. */
#ifndef HELIA_CLI_OPTIONS_H
#define HELIA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/text.h"
#include "diag/diag.h"

/* Which commands take an option: one bit a command, see commands.h. */
enum command_bit {
    FOR_PLAN = 1 << 0,
    FOR_GENERATE = 1 << 1,
    FOR_CHECK = 1 << 2,
    FOR_MODEL = 1 << 3,
    FOR_SOC = 1 << 4,
    FOR_PLANNERS = 1 << 5,
    FOR_EXPLAIN = 1 << 6,
    FOR_COMPARE = 1 << 7,
    FOR_TIGHTEN = 1 << 8,
    FOR_ALL = (1 << 9) - 1,
    FOR_INPUTS = FOR_PLAN | FOR_GENERATE | FOR_CHECK | FOR_EXPLAIN | FOR_TIGHTEN
};

enum option_id {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_MAKE_INCLUDE,
    OPTION_CMAKE_FOLDER,
    OPTION_COLOR,
    OPTION_REGISTRY,
    OPTION_DIAGNOSTICS,
    OPTION_WARNING,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_CONFIG,
    OPTION_SET,
    OPTION_PLANNER_OPTION,
    OPTION_PLANNER_PLUGIN,
    OPTION_CONFIG_KEY, /* any option that stands for one key of the config file: its row says which */
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_FOLDER,
    OPTION_DEPFILE,
    OPTION_DEPFILE_TARGET,
    OPTION_LINKER,
    OPTION_SECTIONS,
    OPTION_ONLY,
    OPTION_PLAN,
    OPTION_BUDGET,
    OPTION_TOP,
    OPTION_SHOW_CONFIG,
    OPTION_ALLOCATED,
    OPTION_HEADROOM
};

struct option_row {
    enum option_id id;
    char letter;            /* 0: none */
    const char *name;       /* without the dashes */
    const char *value_name; /* NULL: takes no value */
    unsigned commands;      /* command_bit bits; 0: only before or without a command */
    const char *config_key; /* OPTION_CONFIG_KEY: "target.soc" */
    const char *excludes;   /* config key that this one replaces: --soc drops the file's target.board */
    const char *help;
};
extern const struct option_row option_rows[];
extern const size_t option_row_count;

struct option_use {
    const struct option_row *row;
    const char *value; /* NULL if it takes none */
    struct span span;  /* "<command line>: --name" */
};

struct command_line {
    const struct command *command; /* NULL: none given */
    struct {
        struct option_use *items;
        size_t count, capacity;
    } options;
    const char **words; /* what is neither option nor command */
    size_t word_count;
};

/* Reads argv. Reports unknown options and commands, missing and superfluous values. */
MUST_CHECK bool command_line_parse(struct arena *arena, struct diagnostics *diagnostics, int argc, char **argv,
                                   struct command_line *line);

/* The last use of an option, or NULL. */
const struct option_use *option_find(const struct command_line *line, enum option_id id);
/* Its value, or NULL. */
const char *option_value(const struct command_line *line, enum option_id id);

/* "  -c, --config FILE   text" for every option of a command (FOR_ALL: the global ones). */
void options_print_help(unsigned command, struct text *out);

#endif
