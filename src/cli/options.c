#include "cli/options.h"

#include <string.h>

#include "cli/commands.h"

#define CONFIG_KEY(option, value, key, text)                                                                                     \
    {                                                                                                                            \
        .id = OPTION_CONFIG_KEY, .name = option, .value_name = value, .commands = FOR_INPUTS, .config_key = key, .help = text    \
    }

const struct option_row option_rows[] = {
    {.id = OPTION_CONFIG,
     .letter = 'c',
     .name = "config",
     .value_name = "FILE",
     .commands = FOR_INPUTS,
     .help = "the config file (YAML)"},
    CONFIG_KEY("model", "FILE", "model.path", "the model: .tflite, tensor list (.yaml, .json) or lifetimes (.csv)"),
    {.id = OPTION_CONFIG_KEY,
     .name = "soc",
     .value_name = "NAME",
     .commands = FOR_INPUTS,
     .config_key = "target.soc",
     .excludes = "target.board",
     .help = "the SoC"},
    {.id = OPTION_CONFIG_KEY,
     .name = "board",
     .value_name = "NAME",
     .commands = FOR_INPUTS,
     .config_key = "target.board",
     .excludes = "target.soc",
     .help = "the board, which names its SoC"},
    CONFIG_KEY("profile", "NAME", "target.linker_profile", "the linker profile whose windows hold"),
    CONFIG_KEY("engine", "NAME", "engine.type", "the inference engine"),
    CONFIG_KEY("arena-size", "BYTES", "model.arena_size", "the interpreter's arena"),
    CONFIG_KEY("arena-location", "tcm|sram|psram", "model.arena_location", "where arenas go"),
    CONFIG_KEY("weights-location", "tcm|sram|mram|psram", "model.weights_location", "where constants are read from"),
    CONFIG_KEY("planner", "NAME", "memory.planner", "the memory planner; plan takes 'all' as well and compares them"),
    {.id = OPTION_PLANNER_OPTION,
     .name = "planner-option",
     .value_name = "KEY=VALUE",
     .commands = FOR_INPUTS,
     .help = "an option of the planner (repeatable)"},
    {.id = OPTION_PLANNER_PLUGIN,
     .name = "planner-plugin",
     .value_name = "FILE.so",
     .commands = FOR_INPUTS | FOR_PLANNERS,
     .help = "a planner built outside (repeatable)"},
    {.id = OPTION_SET,
     .name = "set",
     .value_name = "A.B.C=VALUE",
     .commands = FOR_INPUTS,
     .help = "any key of the config file; VALUE is read as YAML (repeatable)"},
    CONFIG_KEY("prefix", "NAME", "output.prefix", "prefix of generated files and symbols"),
    {.id = OPTION_FOLDER,
     .letter = 'd',
     .name = "directory",
     .value_name = "DIR",
     .commands = FOR_GENERATE,
     .help = "where the files go"},
    {.id = OPTION_DEPFILE,
     .name = "depfile",
     .value_name = "FILE",
     .commands = FOR_GENERATE,
     .help = "also write what the outputs depend on, in Make's syntax"},
    {.id = OPTION_DEPFILE_TARGET,
     .name = "depfile-target",
     .value_name = "NAME",
     .commands = FOR_GENERATE,
     .help = "the target that the depfile names (default: the plan JSON)"},
    {.id = OPTION_LINKER,
     .name = "linker",
     .value_name = "gnu|lld|any",
     .commands = FOR_GENERATE,
     .help = "the linker that the flags for Make and CMake ask for; the scripts serve both (default: any)"},
    {.id = OPTION_SECTIONS,
     .name = "sections",
     .value_name = "own|native",
     .commands = FOR_GENERATE,
     .help = "section names: own, for the generated scripts; native, those that the profile's own script collects"},
    {.id = OPTION_ONLY,
     .name = "only",
     .value_name = "KIND,...",
     .commands = FOR_GENERATE,
     .help = "write only these kinds of files"},
    {.id = OPTION_PLAN,
     .name = "plan",
     .value_name = "FILE",
     .commands = FOR_CHECK,
     .help = "the plan JSON (default: the one in the ELF)"},
    {.id = OPTION_BUDGET,
     .name = "budget",
     .value_name = "REGION=SIZE[%]",
     .commands = FOR_CHECK,
     .help = "fail if the region uses more (repeatable)"},
    {.id = OPTION_TOP,
     .name = "top",
     .value_name = "N",
     .commands = FOR_CHECK,
     .help = "list the N largest symbols of each region"},
    {.id = OPTION_SHOW_CONFIG,
     .name = "show-config",
     .commands = FOR_PLAN,
     .help = "print the resolved config and where each value comes from, as YAML"},
    {.id = OPTION_ALLOCATED,
     .name = "allocated",
     .value_name = "BYTES",
     .commands = FOR_TIGHTEN,
     .help = "what the interpreter reported that it used of its arena"},
    {.id = OPTION_HEADROOM,
     .name = "headroom",
     .value_name = "SIZE[%]",
     .commands = FOR_TIGHTEN,
     .help = "what is kept on top of it (default: 15%)"},
    {.id = OPTION_FORMAT,
     .name = "format",
     .value_name = "table|json",
     .commands = FOR_PLAN | FOR_CHECK | FOR_MODEL | FOR_SOC | FOR_PLANNERS | FOR_EXPLAIN | FOR_COMPARE | FOR_TIGHTEN,
     .help = "what is printed (default: table)"},
    {.id = OPTION_OUTPUT,
     .letter = 'o',
     .name = "output",
     .value_name = "FILE",
     .commands = FOR_PLAN | FOR_CHECK,
     .help = "write the JSON (plan) or the report (check) to FILE"},
    {.id = OPTION_REGISTRY,
     .name = "registry",
     .value_name = "DIR",
     .commands = FOR_ALL,
     .help = "a folder of SoC and board files, searched before the built-in one (repeatable)"},
    {.id = OPTION_WARNING,
     .letter = 'W',
     .name = "warning",
     .value_name = "NAME",
     .commands = FOR_ALL,
     .help = "NAME, no-NAME or error=NAME: a warning on, off, or as an error (repeatable)"},
    {.id = OPTION_DIAGNOSTICS,
     .name = "diagnostics",
     .value_name = "text|json",
     .commands = FOR_ALL,
     .help = "how findings are printed (default: text)"},
    {.id = OPTION_COLOR,
     .name = "color",
     .value_name = "auto|always|never",
     .commands = FOR_ALL,
     .help = "colour findings (default: auto)"},
    {.id = OPTION_QUIET, .letter = 'q', .name = "quiet", .commands = FOR_ALL, .help = "print no table and no progress"},
    {.id = OPTION_VERBOSE, .letter = 'v', .name = "verbose", .commands = FOR_ALL, .help = "print exact bytes and more"},
    {.id = OPTION_HELP, .letter = 'h', .name = "help", .commands = FOR_ALL, .help = "this text"},
    {.id = OPTION_VERSION, .name = "version", .commands = FOR_ALL, .help = "the version"},
    {.id = OPTION_MAKE_INCLUDE, .name = "make-include", .commands = 0, .help = "print the path of the include file for Make"},
    {.id = OPTION_CMAKE_FOLDER, .name = "cmake-folder", .commands = 0, .help = "print the folder of the CMake package"},
};
const size_t option_row_count = sizeof option_rows / sizeof option_rows[0];

/* State of one pass over argv. */
struct parser {
    struct arena *arena;
    struct diagnostics *diagnostics;
    int argc;
    char **argv;
    int next; /* index of the word to read next */
    bool good;
    struct command_line *line;
};

static struct span command_line_span(struct parser *parser, const char *what)
{
    const char *path = arena_format(parser->arena, "<command line>: %s", text_printable(parser->arena, what, strlen(what)));
    return (struct span){.source = diag_add_source(parser->diagnostics, path, (struct bytes){0})};
}

static struct diag *usage_error(struct parser *parser, const char *word, const char *message)
{
    parser->good = false;
    return diag_report(parser->diagnostics, DIAG_USAGE, command_line_span(parser, word), "%s", message);
}

static void suggest_option(struct parser *parser, struct diag *diag, const char *word)
{
    const char *names[sizeof option_rows / sizeof option_rows[0]];
    for (size_t i = 0; i < option_row_count; i++) {
        names[i] = option_rows[i].name;
    }
    const char *near = text_nearest(word, names, option_row_count);
    if (near != NULL) {
        diag_note(parser->diagnostics, diag, SPAN_NONE, "did you mean '--%s'?", near);
    }
}

static const struct option_row *find_row(char letter, const char *name, size_t name_size)
{
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (letter != 0 ? row->letter == letter : strlen(row->name) == name_size && memcmp(row->name, name, name_size) == 0) {
            return row;
        }
    }
    return NULL;
}

static void add_use(struct parser *parser, const struct option_row *row, const char *shown, const char *value)
{
    *LIST_ADD(parser->arena, &parser->line->options) =
        (struct option_use){.row = row, .value = value, .span = command_line_span(parser, shown)};
}

/* The value of an option that has none attached: the next word. */
static const char *next_value(struct parser *parser, const struct option_row *row, const char *shown)
{
    if (parser->next < parser->argc) {
        return parser->argv[parser->next++];
    }
    usage_error(parser, shown, arena_format(parser->arena, "a value is missing: %s", row->value_name));
    return NULL;
}

static void read_long(struct parser *parser, const char *word)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    size_t name_size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct option_row *row = find_row(0, name, name_size);
    const char *shown = arena_copy(parser->arena, word, name_size + 2);
    if (row == NULL) {
        suggest_option(parser, usage_error(parser, shown, "unknown option"), shown + 2);
        return;
    }
    if (row->value_name == NULL) {
        if (equals != NULL) {
            usage_error(parser, shown, "takes no value");
            return;
        }
        add_use(parser, row, shown, NULL);
        return;
    }
    const char *value = equals != NULL ? equals + 1 : next_value(parser, row, shown);
    if (value != NULL) {
        add_use(parser, row, shown, value);
    }
}

/* "-qv" is two switches; "-cFILE" and "-c FILE" are one option with its value. */
static void read_short(struct parser *parser, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct option_row *row = find_row(*letter, NULL, 0);
        char shown[3] = {'-', *letter, '\0'};
        if (row == NULL) {
            usage_error(parser, shown, "unknown option");
            return;
        }
        if (row->value_name == NULL) {
            add_use(parser, row, shown, NULL);
            continue;
        }
        const char *value = letter[1] != '\0' ? letter + 1 : next_value(parser, row, shown);
        if (value != NULL) {
            add_use(parser, row, shown, value);
        }
        return;
    }
}

static void read_command(struct parser *parser, const char *word)
{
    const char *names[16];
    for (size_t i = 0; i < command_count; i++) {
        names[i] = commands[i].name;
        if (text_equal(commands[i].name, word)) {
            parser->line->command = &commands[i];
            return;
        }
    }
    struct diag *diag = usage_error(parser, word, "unknown command");
    diag_suggest(parser->diagnostics, diag, word, "commands", names, command_count);
}

static void check_options_fit_command(struct parser *parser)
{
    const struct command *command = parser->line->command;
    for (size_t i = 0; command != NULL && i < parser->line->options.count; i++) {
        const struct option_use *use = &parser->line->options.items[i];
        if ((use->row->commands & command->bit) == 0) {
            diag_report(parser->diagnostics, DIAG_USAGE, use->span, "is no option of the command '%s'", command->name);
            parser->good = false;
        }
    }
}

static void check_word_count(struct parser *parser)
{
    const struct command *command = parser->line->command;
    if (command == NULL || option_find(parser->line, OPTION_HELP) != NULL) {
        return;
    }
    size_t count = parser->line->word_count;
    if (count < command->minimum_words || count > command->maximum_words) {
        const char *which = count < command->minimum_words ? "an argument is missing" : "too many arguments";
        usage_error(parser, command->name,
                    arena_format(parser->arena, "%s; usage: helia-placement %s %s", which, command->name, command->arguments));
    }
}

bool command_line_parse(struct arena *arena, struct diagnostics *diagnostics, int argc, char **argv, struct command_line *line)
{
    struct command_line read = {.words = ARENA_ARRAY(arena, const char *, (size_t)argc + 1)};
    struct parser parser = {
        .arena = arena, .diagnostics = diagnostics, .argc = argc, .argv = argv, .next = 1, .good = true, .line = &read};
    bool only_words = false;
    bool command_seen = false;
    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        if (!only_words && text_equal(word, "--")) {
            only_words = true;
        } else if (!only_words && text_starts_with(word, "--")) {
            read_long(&parser, word);
        } else if (!only_words && word[0] == '-' && word[1] != '\0') {
            read_short(&parser, word);
        } else if (!command_seen) {
            command_seen = true;
            read_command(&parser, word);
        } else {
            read.words[read.word_count++] = word;
        }
    }
    check_options_fit_command(&parser);
    if (parser.good) {
        check_word_count(&parser); /* after a bad word the count tells nothing */
    }
    *line = read;
    return parser.good;
}

const struct option_use *option_find(const struct command_line *line, enum option_id id)
{
    for (size_t i = line->options.count; i > 0; i--) {
        if (line->options.items[i - 1].row->id == id) {
            return &line->options.items[i - 1];
        }
    }
    return NULL;
}

const char *option_value(const struct command_line *line, enum option_id id)
{
    const struct option_use *use = option_find(line, id);
    return use != NULL ? use->value : NULL;
}

#define HELP_COLUMN 36

static void print_option(const struct option_row *row, struct text *out)
{
    size_t before = out->size;
    if (row->letter != 0) {
        text_print(out, "  -%c, --%s", row->letter, row->name);
    } else {
        text_print(out, "      --%s", row->name);
    }
    if (row->value_name != NULL) {
        text_print(out, " %s", row->value_name);
    }
    size_t width = out->size - before;
    text_add_repeated(out, ' ', width < HELP_COLUMN ? HELP_COLUMN - width : 2);
    text_print(out, "%s\n", row->help);
}

void options_print_help(unsigned command, struct text *out)
{
    for (size_t i = 0; i < option_row_count; i++) {
        bool is_global = option_rows[i].commands == FOR_ALL || option_rows[i].commands == 0;
        if (command == FOR_ALL ? is_global : !is_global && (option_rows[i].commands & command) != 0) {
            print_option(&option_rows[i], out);
        }
    }
}
