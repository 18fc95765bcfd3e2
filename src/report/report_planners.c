/* The registered planners and their options, for people and for machines. */
#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "plan/plugin.h"
#include "report/report.h"

static const char *const kind_names[] = {[OPTION_INTEGER] = "integer", [OPTION_BOOL] = "bool"};

static void add_option(const struct planner_option *option, struct text *out)
{
    text_print(out, "    %s: %s", option->key, kind_names[option->kind]);
    if (option->kind == OPTION_BOOL) {
        text_print(out, ", default %s", option->default_value != 0 ? "true" : "false");
    } else if (option->nullable && option->default_value == UINT64_MAX) {
        text_print(out, " %" PRIu64 " to %" PRIu64 " or null, default null", option->minimum, option->maximum);
    } else {
        text_print(out, " %" PRIu64 " to %" PRIu64 "%s, default %" PRIu64, option->minimum, option->maximum,
                   option->nullable ? " or null" : "", option->default_value);
    }
    text_print(out, "\n      %s\n", option->help);
}

/* The file's name, without the folders, which are this host's. */
static const char *plugin_mark(const struct planner *planner, struct arena *arena)
{
    if (planner->plugin == NULL) {
        return "";
    }
    const char *name = path_name(planner->plugin->path);
    return arena_format(arena, " (plugin %s)", text_printable(arena, name, strlen(name)));
}

void report_planners_table(const struct planner_set *set, struct text *out)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct planner *planner = set->items[i];
        text_print(out, "%s%s%s%s\n  %s\n", planner->name, text_equal(planner->name, default_planner) ? " (default)" : "",
                   planner->experimental ? " (experimental)" : "", plugin_mark(planner, out->arena), planner->summary);
        for (size_t k = 0; k < planner->option_count; k++) {
            add_option(&planner->options[k], out);
        }
    }
}

static struct json *default_json(const struct planner_option *option)
{
    if (option->kind == OPTION_BOOL) {
        return json_bool(option->default_value != 0);
    }
    return option->nullable && option->default_value == UINT64_MAX ? json_nothing() : json_size(option->default_value);
}

static struct json *options_json(const struct planner *planner)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < planner->option_count; i++) {
        const struct planner_option *option = &planner->options[i];
        struct json *entry = json_new_object();
        json_set(entry, "key", json_text(option->key));
        json_set(entry, "kind", json_text(kind_names[option->kind]));
        if (option->kind == OPTION_INTEGER) {
            json_set(entry, "minimum", json_size(option->minimum));
            json_set(entry, "maximum", json_size(option->maximum));
        }
        json_set(entry, "nullable", json_bool(option->nullable));
        json_set(entry, "default", default_json(option));
        json_set(entry, "help", json_text(option->help));
        json_add(array, entry);
    }
    return array;
}

void report_planners_json(const struct planner_set *set, struct text *out)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < set->count; i++) {
        const struct planner *planner = set->items[i];
        struct json *entry = json_new_object();
        json_set(entry, "name", json_text(planner->name));
        json_set(entry, "summary", json_text(planner->summary));
        json_set(entry, "experimental", json_bool(planner->experimental));
        json_set(entry, "default", json_bool(text_equal(planner->name, default_planner)));
        json_set(entry, "plugin", planner->plugin != NULL ? json_text(path_name(planner->plugin->path)) : json_nothing());
        json_set(entry, "options", options_json(planner));
        json_add(array, entry);
    }
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/planners/1"));
    json_set(root, "planners", array);
    json_finish(root, false, out);
}
