/* Planners by name, and their options by their own rows. */
#include <stddef.h>

#include "plan/plan.h"
#include "schema/schema.h"

const struct planner *planner_find(struct diagnostics *diagnostics, const char *name, struct span span)
{
    const char *names[16];
    size_t count = 0;
    for (size_t i = 0; i < planner_count && i < sizeof names / sizeof names[0]; i++) {
        if (text_equal(planners[i].name, name))
            return &planners[i];
        names[count++] = planners[i].name;
    }
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_PLANNER, span, "unknown planner '%s'", name);
    diag_suggest(diagnostics, diag, name, "planners", names, count);
    return NULL;
}

/* What one option decodes into; which member counts is the row's affair. */
struct option_value {
    struct size_value number;
    struct bool_value flag;
};

static struct field option_field(struct arena *arena, const struct planner_option *option, size_t index)
{
    size_t start = index * sizeof(struct option_value);
    bool is_flag = option->kind == OPTION_BOOL;
    return (struct field){
        .key = option->key,
        .kind = is_flag ? FIELD_BOOL : FIELD_INTEGER,
        .offset = start + (is_flag ? offsetof(struct option_value, flag) : offsetof(struct option_value, number)),
        .flags = option->nullable ? FIELD_NULLABLE : 0,
        .minimum = option->minimum,
        .maximum = option->maximum,
        .help = arena_copy_text(arena, option->help),
    };
}

static uint64_t option_result(const struct planner_option *option, const struct option_value *value)
{
    if (option->kind == OPTION_BOOL)
        return value->flag.set ? value->flag.value : option->default_value;
    if (!value->number.set)
        return option->default_value;
    return value->number.is_null ? UINT64_MAX : value->number.value;
}

bool planner_options_decode(struct arena *arena, struct diagnostics *diagnostics, const struct planner *planner,
                            const struct node *node, struct planner_options *options)
{
    struct option_value values[PLANNER_OPTIONS_MAXIMUM] = {0};
    struct field fields[PLANNER_OPTIONS_MAXIMUM] = {0};
    for (size_t i = 0; i < planner->option_count; i++)
        fields[i] = option_field(arena, &planner->options[i], i);
    struct schema schema = {
        .name = "memory.planner_options",
        .help = planner->summary,
        .size = sizeof values,
        .span_offset = SCHEMA_NO_SPAN,
        .fields = fields,
        .field_count = planner->option_count,
    };
    if (node != NULL && !schema_decode(arena, diagnostics, &schema, node, values))
        return false;
    for (size_t i = 0; i < planner->option_count; i++)
        options->values[i] = option_result(&planner->options[i], &values[i]);
    return true;
}

bool planner_check(struct arena *arena, struct diagnostics *diagnostics, const struct memory_config *memory)
{
    const char *name = memory->planner.set ? memory->planner.text : default_planner;
    const struct planner *planner = planner_find(diagnostics, name, memory->planner.span);
    struct planner_options options;
    return planner != NULL && planner_options_decode(arena, diagnostics, planner,
                                                     memory->planner_options.set ? memory->planner_options.node : NULL, &options);
}
