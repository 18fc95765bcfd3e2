#include "plan/plugin.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/size.h"
#include "helia_placement/planner.h"
#include "plan/child.h"
#include "plan/layout.h"
#include "plan/live_bound.h"
#include "plan/plugin_child.h"

/* ---- the descriptor's rules ---- */

static const char *check_option(const struct plugin_option_answer *option, struct arena *arena)
{
    bool is_flag = option->kind == HELIA_PLANNER_OPTION_BOOL;
    if (!text_is_identifier(option->key)) {
        return arena_format(arena, "option key '%s' is no identifier", option->key);
    }
    if (!is_flag && option->kind != HELIA_PLANNER_OPTION_INTEGER) {
        return arena_format(arena, "option '%s' is of a kind %" PRIu32 " that does not exist", option->key, option->kind);
    }
    if (option->nullable > 1 || (is_flag && option->nullable != 0)) {
        return arena_format(arena, "option '%s' has %" PRIu32 " as 'nullable'", option->key, option->nullable);
    }
    if (is_flag) {
        return option->default_value > 1 || option->minimum != 0 || option->maximum != 0
                   ? arena_format(arena, "bool option '%s' has a range, or a default that is neither 0 nor 1", option->key)
                   : NULL;
    }
    if (option->maximum == 0 || option->maximum > INT64_MAX || option->minimum > option->maximum) {
        return arena_format(arena, "option '%s' has no range of numbers from %" PRIu64 " to %" PRIu64, option->key,
                            option->minimum, option->maximum);
    }
    bool in_range = option->default_value >= option->minimum && option->default_value <= option->maximum;
    if (!in_range && !(option->nullable == 1 && option->default_value == HELIA_PLANNER_NULL)) {
        return arena_format(arena, "option '%s' has the default %" PRIu64 ", which is out of its range", option->key,
                            option->default_value);
    }
    return NULL;
}

static const char *check_options(const struct plugin_description *description, struct arena *arena)
{
    for (uint32_t i = 0; i < description->option_count; i++) {
        const struct plugin_option_answer *option = &description->options[i];
        const char *fault = check_option(option, arena);
        for (uint32_t k = 0; k < i && fault == NULL; k++) {
            if (text_equal(option->key, description->options[k].key)) {
                fault = arena_format(arena, "has two options '%s'", option->key);
            }
        }
        if (fault != NULL) {
            return fault;
        }
    }
    return NULL;
}

/* Names that differ only in case would be taken for each other. */
static const char *check_name(const char *name, const struct planner_set *set, struct arena *arena)
{
    if (!text_is_identifier(name)) {
        return arena_format(arena, "its name '%s' is no identifier", name);
    }
    if (text_equal_nocase(name, PLANNER_ALL)) {
        return arena_format(arena, "its name '%s' stands for all planners", name);
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct planner *other = set->items[i];
        if (text_equal_nocase(name, other->name)) {
            return other->plugin == NULL
                       ? arena_format(arena, "its name '%s' is that of a built-in planner", name)
                       : arena_format(arena, "its name '%s' is that of the planner in '%s'", name, other->plugin->path);
        }
    }
    return NULL;
}

/* A planner can write into the pipe of its answer, by mistake or not, so texts are given their ends again. */
static void seal_text(char *text, size_t room)
{
    text[room - 1] = '\0';
}

static void seal_texts(struct plugin_description *description)
{
    seal_text(description->fault, sizeof description->fault);
    seal_text(description->name, sizeof description->name);
    seal_text(description->summary, sizeof description->summary);
    for (size_t i = 0; i < PLANNER_OPTIONS_MAXIMUM; i++) {
        seal_text(description->options[i].key, sizeof description->options[i].key);
        seal_text(description->options[i].help, sizeof description->options[i].help);
    }
}

static const char *check_description(const struct plugin_description *description, const struct planner_set *set,
                                     struct arena *arena)
{
    if (description->fault[0] != '\0') {
        return arena_copy_text(arena, description->fault);
    }
    const char *fault = check_name(description->name, set, arena);
    if (fault != NULL) {
        return fault;
    }
    if (description->summary[0] == '\0') {
        return "it has no summary";
    }
    if (description->experimental > 1) {
        return arena_format(arena, "it has %" PRIu32 " as 'experimental'", description->experimental);
    }
    if (description->option_count > PLANNER_OPTIONS_MAXIMUM) {
        return arena_format(arena, "has %" PRIu32 " options; %d are allowed", description->option_count, PLANNER_OPTIONS_MAXIMUM);
    }
    return check_options(description, arena);
}

/* ---- loading ---- */

/* What is shown to people and written to JSON later is printable from here on. */
static const char *take_sentence(struct arena *arena, const char *text)
{
    return text_printable(arena, text, strlen(text));
}

static const struct planner_option *take_options(struct arena *arena, const struct plugin_description *description)
{
    struct planner_option *options = ARENA_ARRAY(arena, struct planner_option, description->option_count);
    for (uint32_t i = 0; i < description->option_count; i++) {
        const struct plugin_option_answer *answer = &description->options[i];
        options[i] = (struct planner_option){
            .key = arena_copy_text(arena, answer->key),
            .kind = answer->kind == HELIA_PLANNER_OPTION_BOOL ? OPTION_BOOL : OPTION_INTEGER,
            .minimum = answer->minimum,
            .maximum = answer->maximum,
            .default_value = answer->default_value,
            .nullable = answer->nullable == 1,
            .help = take_sentence(arena, answer->help),
        };
    }
    return options;
}

static void add_planner(struct arena *arena, const struct plugin_description *description, const char *path, struct span span,
                        struct planner_set *set)
{
    struct plugin *plugin = ARENA_NEW(arena, struct plugin);
    struct planner *planner = ARENA_NEW(arena, struct planner);
    *planner = (struct planner){
        .name = arena_copy_text(arena, description->name),
        .summary = take_sentence(arena, description->summary),
        .experimental = description->experimental == 1,
        .options = take_options(arena, description),
        .option_count = description->option_count,
        .plugin = plugin,
    };
    *plugin = (struct plugin){.path = path, .span = span, .planner = planner};
    *LIST_ADD(arena, set) = planner;
}

static bool is_loaded(const struct planner_set *set, const char *path)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->items[i]->plugin != NULL && file_is_same(set->items[i]->plugin->path, path)) {
            return true;
        }
    }
    return false;
}

/* The loader would search its own folders for a name without a slash. */
static const char *loader_path(struct arena *arena, const char *path)
{
    return strchr(path, '/') != NULL ? path : arena_format(arena, "./%s", path);
}

bool plugin_load(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                 struct planner_set *set)
{
    if (is_loaded(set, path)) {
        return true;
    }
    if (!file_is_same(path, path)) {
        diag_report(diagnostics, DIAG_FILE_UNREADABLE, span, "cannot load planner plugin '%s': %s", path,
                    file_exists(path) ? "it is no regular file" : "there is no such file");
        return false;
    }
    struct plugin_description *description = ARENA_NEW(arena, struct plugin_description);
    const char *fault = child_ask(plugin_describe, loader_path(arena, path), description, sizeof *description, NULL, arena);
    if (fault == NULL) {
        seal_texts(description);
        fault = check_description(description, set, arena);
    }
    if (fault != NULL) {
        diag_report(diagnostics, DIAG_PLUGIN_REFUSED, span, "planner plugin '%s': %s", path, fault);
        return false;
    }
    add_planner(arena, description, path, span, set);
    return true;
}

/* ---- solving ---- */

/* What the later sums rely on, and the referee therefore must not see. */
static const char *check_slots(const struct scratch_problem *problem, const struct slot *slots, struct arena *arena)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        if (slots[i].memory == HELIA_PLANNER_NO_SLOT) {
            return arena_format(arena, "left item %zu without a slot", i);
        }
        if (slots[i].memory >= problem->memory_count) {
            return arena_format(arena, "put item %zu into memory %" PRIu32 " of %zu", i, slots[i].memory, problem->memory_count);
        }
        if (slots[i].offset > PLAN_BYTES_LIMIT - problem->items[i].size) {
            return arena_format(arena, "put item %zu at offset %" PRIu64 ": it ends above %" PRIu64, i, slots[i].offset,
                                PLAN_BYTES_LIMIT);
        }
    }
    return NULL;
}

const char *plugin_solve(const struct plugin *plugin, const struct scratch_problem *problem,
                         const struct planner_options *options, struct arena *arena, struct layout *layout,
                         struct planner_report *report)
{
    const struct plugin_task task = {
        .path = loader_path(arena, plugin->path),
        .name = plugin->planner->name,
        .option_count = plugin->planner->option_count,
        .problem = problem,
        .options = options,
        .lower_bound = total_lower_bound(problem, arena),
    };
    size_t size = sizeof(struct plugin_layout) + problem->item_count * sizeof(struct slot);
    struct plugin_layout *answer = arena_alloc(arena, 1, size, _Alignof(struct plugin_layout));
    const char *fault = child_ask(plugin_lay_out, &task, answer, size, problem->watch, arena);
    seal_text(answer->fault, sizeof answer->fault);
    if (fault != NULL || answer->fault[0] != '\0') {
        return fault != NULL ? fault : answer->fault;
    }
    fault = check_slots(problem, answer->slots, arena);
    if (fault != NULL) {
        return fault;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        layout->slots[i] = answer->slots[i];
    }
    layout_measure(problem, layout);
    *report = (struct planner_report){
        .attempts = size_min(answer->attempts, INT64_MAX),
        .improvements = size_min(answer->improvements, INT64_MAX),
    };
    return NULL;
}
