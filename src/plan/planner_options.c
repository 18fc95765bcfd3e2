/* Planners by name, and their options by their own rows. */
#include <stddef.h>

#include "plan/plan.h"
#include "schema/schema.h"

const struct planner *planner_find(struct diagnostics *diagnostics, const struct planner_set *set, const char *name,
                                   struct span span)
{
    const char **names = ARENA_ARRAY(diagnostics->arena, const char *, set->count);
    for (size_t i = 0; i < set->count; i++) {
        if (text_equal(set->items[i]->name, name)) {
            return set->items[i];
        }
        names[i] = set->items[i]->name;
    }
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_PLANNER, span, "unknown planner '%s'", name);
    diag_suggest(diagnostics, diag, name, "planners", names, set->count);
    if (text_equal(name, PLANNER_ALL)) {
        diag_note(diagnostics, diag, SPAN_NONE, "'%s' is for the command plan, which then compares the planners", PLANNER_ALL);
    }
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
    if (option->kind == OPTION_BOOL) {
        return value->flag.set ? value->flag.value : option->default_value;
    }
    if (!value->number.set) {
        return option->default_value;
    }
    return value->number.is_null ? UINT64_MAX : value->number.value;
}

bool planner_options_decode(struct arena *arena, struct diagnostics *diagnostics, const struct planner *planner,
                            const struct node *node, struct planner_options *options)
{
    struct option_value values[PLANNER_OPTIONS_MAXIMUM] = {0};
    struct field fields[PLANNER_OPTIONS_MAXIMUM] = {0};
    for (size_t i = 0; i < planner->option_count; i++) {
        fields[i] = option_field(arena, &planner->options[i], i);
    }
    struct schema schema = {
        .name = "memory.planner_options",
        .help = planner->summary,
        .size = sizeof values,
        .span_offset = SCHEMA_NO_SPAN,
        .fields = fields,
        .field_count = planner->option_count,
    };
    size_t before = diagnostics->list.count;
    if (node != NULL && !schema_decode(arena, diagnostics, &schema, node, values)) {
        /* A list of no known keys says little. */
        if (planner->option_count == 0 && diagnostics->list.count > before) {
            diag_note(diagnostics, &diagnostics->list.items[diagnostics->list.count - 1], SPAN_NONE,
                      "the planner %s takes no options", planner->name);
        }
        return false;
    }
    for (size_t i = 0; i < planner->option_count; i++) {
        options->values[i] = option_result(&planner->options[i], &values[i]);
    }
    return true;
}

static bool has_option(const struct planner *planner, const char *key)
{
    for (size_t i = 0; i < planner->option_count; i++) {
        if (text_equal(planner->options[i].key, key)) {
            return true;
        }
    }
    return false;
}

/* Of a mapping, what the planner knows. Anything else is left to the decoder to complain about. */
static const struct node *options_of(struct arena *arena, const struct planner *planner, const struct node *node)
{
    if (node == NULL || node->kind != NODE_MAPPING) {
        return node;
    }
    struct node *known = ARENA_NEW(arena, struct node);
    *known = *node;
    known->pairs = ARENA_ARRAY(arena, struct node_pair, node->count);
    known->count = 0;
    for (size_t i = 0; i < node->count; i++) {
        if (has_option(planner, node->pairs[i].key->text)) {
            known->pairs[known->count++] = node->pairs[i];
        }
    }
    return known;
}

/* The keys of all planners, each once. */
static size_t list_keys(const struct planner_set *set, const char **keys)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < set->items[i]->option_count; k++) {
            const char *key = set->items[i]->options[k].key;
            size_t seen = 0;
            while (seen < count && !text_equal(keys[seen], key)) {
                seen++;
            }
            keys[seen] = key;
            count += seen == count ? 1 : 0;
        }
    }
    return count;
}

static bool is_known_to_any(struct diagnostics *diagnostics, const struct planner_set *set, const struct node *key)
{
    for (size_t i = 0; i < set->count; i++) {
        if (has_option(set->items[i], key->text)) {
            return true;
        }
    }
    const char **keys = ARENA_ARRAY(diagnostics->arena, const char *, set->count *PLANNER_OPTIONS_MAXIMUM);
    size_t count = list_keys(set, keys);
    struct diag *diag =
        diag_report(diagnostics, DIAG_UNKNOWN_KEY, key->span, "no planner knows the key 'memory.planner_options.%s'",
                    node_printable(diagnostics->arena, key->text));
    diag_suggest(diagnostics, diag, key->text, "keys", keys, count);
    return false;
}

bool planner_options_decode_all(struct arena *arena, struct diagnostics *diagnostics, const struct planner_set *set,
                                const struct node *node, struct planner_options *options)
{
    bool ok = true;
    for (size_t i = 0; node != NULL && node->kind == NODE_MAPPING && i < node->count; i++) {
        ok = is_known_to_any(diagnostics, set, node->pairs[i].key) && ok;
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct node *known = options_of(arena, set->items[i], node);
        ok = planner_options_decode(arena, diagnostics, set->items[i], known, &options[i]) && ok;
        if (known == node && !ok) {
            break; /* no mapping at all: one complaint is enough */
        }
    }
    return ok;
}

bool planner_check(struct arena *arena, struct diagnostics *diagnostics, const struct planner_set *set,
                   const struct memory_config *memory)
{
    const char *name = memory->planner.set ? memory->planner.text : default_planner;
    const struct planner *planner = planner_find(diagnostics, set, name, memory->planner.span);
    struct planner_options options;
    return planner != NULL && planner_options_decode(arena, diagnostics, planner,
                                                     memory->planner_options.set ? memory->planner_options.node : NULL, &options);
}
