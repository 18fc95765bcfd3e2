#include "report/config_view.h"

#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "placement/coarse.h"
#include "placement/engine.h"
#include "report/explain.h"

/* Comments start here, or two spaces behind longer lines. */
#define COMMENT_COLUMN 48

struct printer {
    const struct config_view *view;
    struct text *out;
    size_t lines; /* of YAML so far, comments not counted */
};

static const char *printable(struct printer *printer, const char *text)
{
    return text_printable(printer->out->arena, text, strlen(text));
}

/* ---- one line ---- */

struct line {
    size_t depth;
    bool dash;          /* first line of a list's entry */
    bool is_comment;    /* worked out: shown, but not part of the config */
    const char *key;    /* NULL: an entry of a list that is a single value */
    const char *value;  /* NULL: what follows is deeper */
    const char *origin; /* NULL: none */
};

static void add_line(struct printer *printer, const struct line *line)
{
    struct text *out = printer->out;
    const size_t start = out->size;
    text_add(out, line->is_comment ? "# " : "");
    text_add_repeated(out, ' ', 2 * line->depth - (line->dash ? 2 : 0));
    text_add(out, line->dash ? "- " : "");
    if (line->key != NULL) {
        text_print(out, "%s:%s", line->key, line->value != NULL ? " " : "");
    }
    text_add(out, line->value != NULL ? line->value : "");
    if (line->origin != NULL) {
        const size_t width = out->size - start;
        text_add_repeated(out, ' ', width + 2 <= COMMENT_COLUMN ? COMMENT_COLUMN - width : 2);
        text_print(out, "# %s", line->origin);
    }
    text_add_char(out, '\n');
    printer->lines += line->is_comment ? 0 : 1;
}

/* ---- what was written ---- */

static bool is_safe(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        const bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        if (!letter && (p == text ? strchr("_./~", *p) == NULL : strchr("_./%+-~", *p) == NULL)) {
            return false;
        }
    }
    return text[0] != '\0';
}

/* The number of the well-formed UTF-8 character of `size` bytes (RFC 3629). */
static uint32_t code_point(const char *bytes, size_t size)
{
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = (unsigned char)bytes[0] & first_bits[size];
    for (size_t i = 1; i < size; i++) {
        point = point << 6 | ((unsigned char)bytes[i] & 0x3F);
    }
    return point;
}

/* In quotes, whatever it holds. What could steer a terminal is written by its number, so that it still reads back the same. */
static const char *quoted(struct printer *printer, const char *text)
{
    struct text made = text_start(printer->out->arena);
    text_add_char(&made, '"');
    for (size_t rest = strlen(text); rest > 0;) {
        const size_t before = made.size;
        const size_t known = text_utf8_size(text, rest);
        const size_t size = text_add_printable(&made, text, rest);
        const bool replaced = text_equal(&made.data[before], "?") && *text != '?';
        if (replaced && known > 0) {
            made.data[made.size = before] = '\0';
            text_print(&made, "\\U%08" PRIX32, code_point(text, known));
        } else if (*text == '"' || *text == '\\') {
            made.data[made.size = before] = '\0';
            text_print(&made, "\\%c", *text);
        }
        text += size;
        rest -= size;
    }
    text_add_char(&made, '"');
    return made.data;
}

/* Words and numbers stay as they were: without quotes only if they were written without. */
static const char *scalar_text(struct printer *printer, const struct node *node)
{
    if (node_is_null(node)) {
        return "null";
    }
    return node->plain && is_safe(node->text) ? node->text : quoted(printer, node->text);
}

static const char *key_text(struct printer *printer, const char *key)
{
    return is_safe(key) ? key : quoted(printer, key);
}

static const char *origin_text(struct printer *printer, struct span span)
{
    return diag_span_text(printer->view->diagnostics, printer->out->arena, span);
}

static void add_node(struct printer *printer, const char *key, const struct node *node, size_t depth, bool dash);

static void add_children(struct printer *printer, const struct node *node, size_t depth)
{
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == NODE_MAPPING) {
            add_node(printer, key_text(printer, node->pairs[i].key->text), node->pairs[i].value, depth, false);
        } else {
            add_node(printer, NULL, node->items[i], depth + 1, true);
        }
    }
}

/* An entry of a list that is a mapping starts on the dash's line. Depth is bounded by the reader. */
static void add_entry(struct printer *printer, const struct node *mapping, size_t depth)
{
    for (size_t i = 0; i < mapping->count; i++) {
        add_node(printer, key_text(printer, mapping->pairs[i].key->text), mapping->pairs[i].value, depth, i == 0);
    }
}

static void add_node(struct printer *printer, const char *key, const struct node *node, size_t depth, bool dash)
{
    struct line line = {.depth = depth, .dash = dash, .key = key};
    if (node->kind == NODE_SCALAR) {
        line.value = scalar_text(printer, node);
        line.origin = origin_text(printer, node->span);
    } else if (node->count == 0) {
        line.value = node->kind == NODE_MAPPING ? "{}" : "[]";
        line.origin = origin_text(printer, node->span);
    } else if (key == NULL && node->kind == NODE_MAPPING) {
        add_entry(printer, node, depth);
        return;
    }
    add_line(printer, &line);
    if (line.value == NULL) {
        add_children(printer, node, depth + 1 - (node->kind == NODE_SEQUENCE ? 1 : 0));
    }
}

/* ---- what was not written ---- */

/* What a key that nobody wrote has become; `origin` says why. False: nothing that could be shown. */
struct derived {
    const char *value;
    const char *origin;
    bool is_literal; /* writing it down changes nothing: it is a line of the config */
};

static const char *order_text(struct printer *printer)
{
    const struct problem *problem = printer->view->plan->problem;
    struct text text = text_start(printer->out->arena);
    text_add(&text, "the first memory with room:");
    for (size_t i = 0; i < problem->order_count; i++) {
        text_print(&text, "%s %s", i == 0 ? "" : ",", problem->memories[problem->order[i]].name);
    }
    return text.data;
}

static bool location_of(struct printer *printer, enum tensor_role role, struct derived *derived)
{
    const struct coarse_rule *coarse = &printer->view->plan->problem->coarse[role];
    if (!coarse_speaks(coarse)) {
        *derived = role == ROLE_CONSTANT ? (struct derived){"mram", "automatic: where load images stand", false}
                                         : (struct derived){"automatic", order_text(printer), false};
        return true;
    }
    *derived = (struct derived){location_names[coarse->location],
                                coarse->active ? "automatic" : "automatic; a rule for the type stands in its place", false};
    return true;
}

static bool derive_arena_location(struct printer *printer, struct derived *derived)
{
    return location_of(printer, ROLE_SCRATCH, derived);
}

static bool derive_weights_location(struct printer *printer, struct derived *derived)
{
    return location_of(printer, ROLE_CONSTANT, derived);
}

static bool derive_arena_size(struct printer *printer, struct derived *derived)
{
    const struct problem *problem = printer->view->plan->problem;
    const bool is_read = (engines[problem->engine].keys & READS_ARENA_SIZE) != 0;
    *derived = (struct derived){arena_format(printer->out->arena, "%" PRIu64, DEFAULT_ARENA_SIZE),
                                is_read ? "default" : "default, with which the automatic policy reckons", is_read};
    return is_read || coarse_speaks(&problem->coarse[ROLE_SCRATCH]);
}

static bool derive_soc(struct printer *printer, struct derived *derived)
{
    *derived = (struct derived){printable(printer, printer->view->plan->problem->soc->name), "of the board", false};
    return printer->view->plan->problem->board != NULL;
}

static bool derive_profile(struct printer *printer, struct derived *derived)
{
    const struct problem *problem = printer->view->plan->problem;
    *derived =
        (struct derived){printable(printer, problem->profile->name),
                         arena_format(printer->out->arena, "default of %s", printable(printer, problem->soc->name)), false};
    return true;
}

static bool derive_clock(struct printer *printer, struct derived *derived)
{
    const struct problem *problem = printer->view->plan->problem;
    *derived = (struct derived){arena_format(printer->out->arena, "%" PRIu64, problem->psram_clock_hz), "default", false};
    return location_memory(problem, LOCATION_PSRAM) != UINT32_MAX;
}

static bool derive_prefix(struct printer *printer, struct derived *derived)
{
    *derived = (struct derived){printer->view->plan->problem->prefix, "from the model's file name", false};
    return true;
}

/* ExecuTorch's buffers: their sizes and memories as the plan has them. */
static const struct tensor_allocation *find_buffer(struct printer *printer, const char *name)
{
    const struct memory_plan *plan = printer->view->plan;
    return plan->problem->engine == ENGINE_EXECUTORCH ? plan_get_allocation(plan, name) : NULL;
}

static bool size_of_buffer(struct printer *printer, const char *name, struct derived *derived)
{
    const struct tensor_allocation *buffer = find_buffer(printer, name);
    if (buffer == NULL) {
        return false;
    }
    const struct size_value *planned = &printer->view->config->engine.config.planned_arena_size;
    const bool is_planned = text_equal(name, "planned_arena");
    const char *otherwise = is_planned ? "as model.arena_size" : "default";
    *derived = (struct derived){arena_format(printer->out->arena, "%" PRIu64, buffer->size),
                                is_planned && planned->set ? origin_text(printer, planned->span) : otherwise, !is_planned};
    return true;
}

static bool location_of_buffer(struct printer *printer, const char *name, struct derived *derived)
{
    const struct tensor_allocation *buffer = find_buffer(printer, name);
    if (buffer == NULL) {
        return false;
    }
    const char *key = tier_location_key(printer->view->plan->problem->memories[buffer->binding.memory].tier);
    *derived = (struct derived){key, "as model.arena_location", false};
    return key != NULL;
}

static bool derive_planned_size(struct printer *printer, struct derived *derived)
{
    return size_of_buffer(printer, "planned_arena", derived);
}
static bool derive_method_size(struct printer *printer, struct derived *derived)
{
    return size_of_buffer(printer, "method_arena", derived);
}
static bool derive_temporary_size(struct printer *printer, struct derived *derived)
{
    return size_of_buffer(printer, "temporary_arena", derived);
}
static bool derive_planned_location(struct printer *printer, struct derived *derived)
{
    return location_of_buffer(printer, "planned_arena", derived);
}
static bool derive_method_location(struct printer *printer, struct derived *derived)
{
    return location_of_buffer(printer, "method_arena", derived);
}
static bool derive_temporary_location(struct printer *printer, struct derived *derived)
{
    return location_of_buffer(printer, "temporary_arena", derived);
}
static bool derive_io_location(struct printer *printer, struct derived *derived)
{
    return location_of_buffer(printer, "input_buffer", derived) || location_of_buffer(printer, "output_buffer", derived);
}
static bool derive_records(struct printer *printer, struct derived *derived)
{
    *derived = (struct derived){"true", "default", true};
    return printer->view->plan->problem->engine == ENGINE_EXECUTORCH;
}

static bool derive_nothing(struct printer *printer, struct derived *derived)
{
    (void)printer;
    (void)derived;
    return false;
}

/* Keys whose default is more than the word in the schema's row. A key that is not here has a literal default. */
static const struct derived_row {
    const char *path;
    bool (*derive)(struct printer *printer, struct derived *derived);
} derived_rows[] = {
    {"model.arena_size", derive_arena_size},
    {"model.arena_location", derive_arena_location},
    {"model.weights_location", derive_weights_location},
    {"target.soc", derive_soc},
    {"target.linker_profile", derive_profile},
    {"target.psram.clock_hz", derive_clock},
    {"target.custom_socs", derive_nothing},
    {"target.custom_boards", derive_nothing},
    {"engine.config.aot_args.memory", derive_nothing}, /* laid under `memory`, where its values are shown */
    {"engine.config.manifest", derive_nothing},
    {"engine.config.planned_arena_size", derive_planned_size},
    {"engine.config.method_arena_size", derive_method_size},
    {"engine.config.temporary_arena_size", derive_temporary_size},
    {"engine.config.input_size", derive_nothing},
    {"engine.config.output_size", derive_nothing},
    {"engine.config.planned_arena_location", derive_planned_location},
    {"engine.config.method_arena_location", derive_method_location},
    {"engine.config.temporary_arena_location", derive_temporary_location},
    {"engine.config.io_location", derive_io_location},
    {"engine.config.pmu_layer_records", derive_records},
    {"output.prefix", derive_prefix},
};

static const struct derived_row *find_row(const char *path)
{
    for (size_t i = 0; i < sizeof derived_rows / sizeof derived_rows[0]; i++) {
        if (text_equal(derived_rows[i].path, path)) {
            return &derived_rows[i];
        }
    }
    return NULL;
}

static void add_default(struct printer *printer, const struct field *field, const char *path, size_t depth)
{
    const struct derived_row *row = find_row(path);
    struct derived derived;
    if (row != NULL) {
        if (row->derive(printer, &derived)) {
            add_line(printer, &(struct line){depth, false, !derived.is_literal, field->key, derived.value, derived.origin});
        }
        return;
    }
    const char *value = field->kind == FIELD_RECORDS ? "[]" : field->default_text;
    if (value != NULL) {
        add_line(printer, &(struct line){depth, false, false, field->key, value, "default"});
    }
}

/* ---- keys with a printer of their own ---- */

/* The planner's options: all of them, each from where it is written or from the planner's row. */
static void add_planner_options(struct printer *printer, const struct node *written, size_t depth)
{
    const struct memory_plan *plan = printer->view->plan;
    const bool none = plan->planner->option_count == 0;
    add_line(printer, &(struct line){depth, false, false, "planner_options", none ? "{}" : NULL, none ? "default" : NULL});
    for (size_t i = 0; i < plan->planner->option_count; i++) {
        const struct planner_option *option = &plan->planner->options[i];
        const struct node *node = node_get(written, option->key);
        const uint64_t value = plan->options.values[i];
        if (node != NULL) {
            add_node(printer, option->key, node, depth + 1, false);
            continue;
        }
        const char *text = arena_format(printer->out->arena, "%" PRIu64, value);
        if (option->kind == OPTION_BOOL) {
            text = value != 0 ? "true" : "false";
        } else if (option->nullable && value == UINT64_MAX) {
            text = "null";
        }
        add_line(printer, &(struct line){depth + 1, false, false, option->key, text, "default"});
    }
}

static bool names_memory(const struct node *written, const char *memory)
{
    for (size_t i = 0; written != NULL && written->kind == NODE_MAPPING && i < written->count; i++) {
        if (text_equal_nocase(written->pairs[i].key->text, memory)) {
            return true;
        }
    }
    return false;
}

/* Slack that is not written has the default of its memory's tier. */
static void add_slack(struct printer *printer, const struct node *written, size_t depth)
{
    static const struct {
        enum location location;
        uint64_t bytes;
    } defaults[] = {{LOCATION_TCM, DEFAULT_TCM_SLACK}, {LOCATION_SRAM, DEFAULT_SRAM_SLACK}};
    const struct problem *problem = printer->view->plan->problem;
    const bool any = written != NULL && written->kind == NODE_MAPPING && written->count > 0;
    add_line(printer, &(struct line){depth, false, !any, "slack", NULL, NULL});
    if (any) {
        add_children(printer, written, depth + 1);
    }
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        const uint32_t memory = location_memory(problem, defaults[i].location);
        if (memory != UINT32_MAX && !names_memory(written, problem->memories[memory].name)) {
            const char *value = arena_format(printer->out->arena, "%" PRIu64, defaults[i].bytes);
            const char *name = key_text(printer, problem->memories[memory].name);
            add_line(printer, &(struct line){depth + 1, false, true, name, value, "default"});
        }
    }
}

/* Paths are shown as they are opened: relative to the folder of the call. */
static void add_path(struct printer *printer, const struct text_value *path, const char *key, size_t depth)
{
    struct node node = {.kind = NODE_SCALAR, .span = path->span, .text = path->text, .plain = true};
    node.plain = !node_is_null(&node); /* a file may be called null */
    add_node(printer, key, &node, depth, false);
}

/* False: the key is one like any other. */
static bool add_special(struct printer *printer, const char *path, const struct node *written, size_t depth)
{
    const struct config *config = printer->view->config;
    if (text_equal(path, "memory.planner_options")) {
        add_planner_options(printer, written, depth);
    } else if (text_equal(path, "target.slack")) {
        add_slack(printer, written, depth);
    } else if (text_equal(path, "model.path")) {
        add_path(printer, &config->model.path, "path", depth);
    } else if (text_equal(path, "engine.config.manifest") && config->engine.config.manifest.set) {
        add_path(printer, &config->engine.config.manifest, "manifest", depth);
    } else {
        return false;
    }
    return true;
}

/* ---- the schema, key by key ---- */

static void add_schema(struct printer *printer, const struct schema *schema, const struct node *written, const char *path,
                       size_t depth);

/* A section that has nothing but comments is a comment itself: `psram:` alone would be null. */
static void add_section(struct printer *printer, const struct field *field, const struct node *written, const char *path,
                        size_t depth)
{
    struct text inside = text_start(printer->out->arena);
    struct printer inner = {.view = printer->view, .out = &inside};
    add_schema(&inner, field->record, written, path, depth + 1);
    if (inside.size == 0) {
        return;
    }
    add_line(printer, &(struct line){depth, false, inner.lines == 0, field->key, NULL, NULL});
    text_add(printer->out, inside.data);
    printer->lines += inner.lines;
}

static void add_field(struct printer *printer, const struct field *field, const struct node *written, const char *path,
                      size_t depth)
{
    if (add_special(printer, path, written, depth)) {
        return;
    }
    if (field->kind == FIELD_RECORD) {
        add_section(printer, field, written, path, depth);
    } else if (written == NULL || node_is_null(written) || text_equal(path, "engine.config.aot_args.memory")) {
        add_default(printer, field, path, depth);
    } else {
        add_node(printer, field->key, written, depth, false);
    }
}

static void add_schema(struct printer *printer, const struct schema *schema, const struct node *written, const char *path,
                       size_t depth)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct field *field = &schema->fields[i];
        const char *inner = arena_format(printer->out->arena, "%s%s%s", path, path[0] != '\0' ? "." : "", field->key);
        add_field(printer, field, node_get(written, field->key), inner, depth);
    }
}

void report_config_view(const struct config_view *view, struct text *out)
{
    /* As config_decode() does: heliaAOT's memory block lies under the top-level one, key by key. */
    const struct node *memory = node_get(view->root, "memory");
    const struct node *aot_memory = node_find(view->root, "engine.config.aot_args.memory");
    const struct node *top = memory != NULL && !node_is_null(memory) ? memory : NULL;
    const struct node *under = aot_memory != NULL && !node_is_null(aot_memory) ? aot_memory : NULL;
    const struct node *merged = node_overlay(out->arena, under, top);
    struct printer printer = {.view = view, .out = out};
    for (size_t i = 0; i < config_schema.field_count; i++) {
        const struct field *field = &config_schema.fields[i];
        const struct node *written = text_equal(field->key, "memory") ? merged : node_get(view->root, field->key);
        add_field(&printer, field, written, field->key, 0);
    }
}
