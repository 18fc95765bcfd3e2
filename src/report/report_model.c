/* A model as a table and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "model/alias.h"
#include "report/report.h"

/* Slots of every arena are at least so far apart on the platforms that the registry knows, and so the bound is stated for it. */
#define PEAK_ALIGNMENT 16u

/* A note names at most so many tensors. */
#define NAMED_TENSORS 8u

struct totals {
    uint64_t scratch;
    uint64_t persistent;
    uint64_t peak_live;
    size_t dynamic_count;
};

static struct totals sum_up(const struct model *model, struct arena *arena)
{
    struct totals totals = {.peak_live = model_peak_live(model, PEAK_ALIGNMENT, arena)};
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (!tensor->is_live) {
            continue;
        }
        totals.scratch += tensor->role == ROLE_SCRATCH ? tensor->size : 0;
        totals.persistent += tensor->role == ROLE_PERSISTENT ? tensor->size : 0;
        totals.dynamic_count += tensor->is_dynamic;
    }
    return totals;
}

static const char *tensor_id(const struct model *model, uint32_t index)
{
    return index == TENSOR_NONE ? "-" : model->tensors[index].id;
}

/* ---- table ---- */

static int widest(int width, const char *text)
{
    size_t size = strlen(text);
    return size > (size_t)width && size < 64 ? (int)size : width;
}

static const char *ids_text(const struct model *model, const struct operator_io *list, struct arena *arena)
{
    struct text text = text_start(arena);
    for (size_t i = 0; i < list->count; i++) {
        text_print(&text, "%s%s", i > 0 ? " " : "", tensor_id(model, list->tensors[i]));
    }
    return text.data;
}

/* The last cell of a line may be empty; padding in front of nothing is not shown. */
static void end_line(struct text *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ') {
        out->data[--out->size] = '\0';
    }
    text_add(out, "\n");
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void add_operators(const struct model *model, struct text *out)
{
    int name_width = widest(0, "operator");
    int output_width = widest(0, "outputs");
    for (size_t i = 0; i < model->operator_count; i++) {
        name_width = widest(name_width, model->operators[i].name);
        output_width = widest(output_width, ids_text(model, &model->operators[i].outputs, out->arena));
    }
    text_print(out, "\n%6s  %-9s %-*s  %-*s  inputs\n", "step", "subgraph", name_width, "operator", output_width, "outputs");
    for (size_t i = 0; i < model->operator_count; i++) {
        const struct model_operator *op = &model->operators[i];
        text_print(out, "%6" PRIu32 "  %-9" PRIu32 " %-*s  %-*s  %s", op->step, op->subgraph, name_width, op->name, output_width,
                   ids_text(model, &op->outputs, out->arena), ids_text(model, &op->inputs, out->arena));
        end_line(out);
    }
}

/* "1x49x10", "scalar", or "-" if no shape is known. */
static const char *shape_text(const struct tensor *tensor, struct arena *arena)
{
    if (tensor->shape == NULL) {
        return "-";
    }
    struct text text = text_start(arena);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        text_print(&text, "%s%" PRId32, i > 0 ? "x" : "", tensor->shape[i]);
    }
    return tensor->rank == 0 ? "scalar" : text.data;
}

static const char *life_text(const struct tensor *tensor, struct arena *arena)
{
    return tensor->is_live ? arena_format(arena, "%" PRIu32 "..%" PRIu32, tensor->start_op, tensor->end_op) : "-";
}

static const char *type_text(const struct tensor *tensor)
{
    return tensor->type != NULL ? tensor->type->name : "-";
}

struct widths {
    int id, type, shape, life;
};

static struct widths tensor_widths(const struct model *model, struct arena *arena)
{
    struct widths widths = {widest(0, "id"), widest(0, "type"), widest(0, "shape"), widest(0, "lifetime")};
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        widths.id = widest(widths.id, tensor->id);
        widths.type = widest(widths.type, type_text(tensor));
        widths.shape = widest(widths.shape, shape_text(tensor, arena));
        widths.life = widest(widths.life, life_text(tensor, arena));
    }
    return widths;
}

/* All that can share, overwriting included; what shares a slot only if the config asks for it is marked so. */
static struct alias_list find_aliases(const struct model *model, struct arena *arena)
{
    struct alias_list aliases;
    model_find_aliases(model, true, arena, &aliases);
    return aliases;
}

/* The config key that must be true for a tensor to share its parent's slot; NULL: it always does. */
static const char *alias_option(const struct alias *alias)
{
    return alias->kind == ALIAS_IN_PLACE ? "memory.in_place" : NULL;
}

/* " = 28 (reshape)", or "" for a tensor with a slot of its own. */
static const char *alias_text(const struct model *model, const struct alias *alias, struct arena *arena)
{
    if (alias->parent == TENSOR_NONE) {
        return "";
    }
    const char *parent = tensor_id(model, alias->parent);
    if (alias_option(alias) != NULL) {
        return arena_format(arena, " = %s (in place, with %s)", parent, alias_option(alias));
    }
    return arena_format(arena, " = %s (%s)", parent, alias_kind_names[alias->kind]);
}

/* What a reader must know about one tensor beside its name; a space in front if it has one. */
static const char *remark(const struct model *model, const struct alias_list *aliases, uint32_t index, struct arena *arena)
{
    const struct tensor *tensor = &model->tensors[index];
    if (tensor->variable != TENSOR_NONE && tensor->variable != index) {
        return arena_format(arena, " (bytes of tensor %s)", tensor_id(model, tensor->variable));
    }
    const char *ends = tensor->is_output ? " (output)" : "";
    if (tensor->is_input) {
        ends = tensor->is_output ? " (input, output)" : " (input)";
    }
    return arena_format(arena, "%s%s", alias_text(model, &aliases->items[index], arena), ends);
}

static void add_tensors(const struct model *model, struct text *out)
{
    struct widths widths = tensor_widths(model, out->arena);
    struct alias_list aliases = find_aliases(model, out->arena);
    text_print(out, "\n%*s  %-*s  %-*s  %12s  %-10s  %-*s  name\n", widths.id, "id", widths.type, "type", widths.shape, "shape",
               "bytes", "role", widths.life, "lifetime");
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        const char *more = remark(model, &aliases, i, out->arena);
        if (tensor->name[0] == '\0' && more[0] == ' ') {
            more++;
        }
        text_print(out, "%*s  %-*s  %-*s  %12" PRIu64 "  %-10s  %-*s  %s%s", widths.id, tensor->id, widths.type,
                   type_text(tensor), widths.shape, shape_text(tensor, out->arena), tensor->size, role_names[tensor->role],
                   widths.life, life_text(tensor, out->arena), tensor->name, more);
        end_line(out);
    }
}

static void add_totals(const struct model *model, const struct totals *totals, struct text *out)
{
    text_print(out, "\n%-28s %12zu\n", "operators", model->operator_count);
    text_print(out, "%-28s %12" PRIu64 "\n", "scratch bytes, all tensors", totals->scratch);
    text_print(out, "%-28s %12" PRIu64 "  (most scratch bytes alive at one operator, sizes rounded up to %u)\n", "peak live",
               totals->peak_live, PEAK_ALIGNMENT);
    text_print(out, "%-28s %12" PRIu64 "  (shared bytes count once)\n", "constant bytes", model->weight_bytes);
    text_print(out, "%-28s %12" PRIu64 "\n", "persistent bytes", totals->persistent);
}

static void add_dynamic_note(const struct model *model, const struct totals *totals, struct text *out)
{
    if (totals->dynamic_count == 0) {
        return;
    }
    text_print(out, "\nnote: %zu tensor%s a dimension that is open in the model; the shape shown is what is planned:",
               totals->dynamic_count, totals->dynamic_count == 1 ? " has" : "s have");
    size_t named = 0;
    for (size_t i = 0; i < model->tensor_count && named < NAMED_TENSORS; i++) {
        if (!model->tensors[i].is_dynamic || !model->tensors[i].is_live) {
            continue;
        }
        text_print(out, " %s", model->tensors[i].id);
        named++;
    }
    if (totals->dynamic_count > named) {
        text_print(out, " and %zu more", totals->dynamic_count - named);
    }
    text_add(out, "\n");
}

void report_model_table(const struct model *model, struct text *out)
{
    struct totals totals = sum_up(model, out->arena);
    text_print(out, "model %s (%s): %zu operator%s, %zu tensor%s, %" PRIu32 " subgraph%s\n", model->name, model->format,
               model->operator_count, plural(model->operator_count), model->tensor_count, plural(model->tensor_count),
               model->subgraph_count, plural(model->subgraph_count));
    if (model->operator_count > 0) {
        add_operators(model, out);
    }
    if (model->tensor_count > 0) {
        add_tensors(model, out);
    }
    add_totals(model, &totals, out);
    add_dynamic_note(model, &totals, out);
}

/* ---- JSON ---- */

static struct json *id_json(const struct model *model, uint32_t index)
{
    return index == TENSOR_NONE ? json_nothing() : json_text(model->tensors[index].id);
}

static struct json *ids_json(const struct model *model, const struct operator_io *list)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < list->count; i++) {
        json_add(array, id_json(model, list->tensors[i]));
    }
    return array;
}

static struct json *operators_json(const struct model *model)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < model->operator_count; i++) {
        const struct model_operator *op = &model->operators[i];
        struct json *object = json_new_object();
        json_set(object, "index", json_size(op->index));
        json_set(object, "subgraph", json_size(op->subgraph));
        json_set(object, "step", json_size(op->step));
        json_set(object, "name", json_text(op->name));
        json_set(object, "inputs", ids_json(model, &op->inputs));
        json_set(object, "outputs", ids_json(model, &op->outputs));
        json_add(array, object);
    }
    return array;
}

static struct json *shape_json(const struct tensor *tensor)
{
    if (tensor->shape == NULL) {
        return json_nothing();
    }
    struct json *array = json_new_array();
    for (uint32_t i = 0; i < tensor->rank; i++) {
        json_add(array, json_signed(tensor->shape[i]));
    }
    return array;
}

static struct json *step_json(const struct tensor *tensor, uint32_t step)
{
    return tensor->is_live ? json_size(step) : json_nothing();
}

static struct json *tensor_json(const struct model *model, const struct tensor *tensor, const struct alias *alias)
{
    struct json *object = json_new_object();
    json_set(object, "id", json_text(tensor->id));
    json_set(object, "name", json_text(tensor->name));
    json_set(object, "subgraph", json_size(tensor->subgraph));
    json_set(object, "type", json_text(tensor->type != NULL ? tensor->type->name : NULL));
    json_set(object, "shape", shape_json(tensor));
    json_set(object, "size", json_size(tensor->size));
    json_set(object, "alignment", json_size(tensor->alignment));
    json_set(object, "role", json_text(role_names[tensor->role]));
    json_set(object, "is_live", json_bool(tensor->is_live));
    json_set(object, "start_op", step_json(tensor, tensor->start_op));
    json_set(object, "end_op", step_json(tensor, tensor->end_op));
    json_set(object, "is_input", json_bool(tensor->is_input));
    json_set(object, "is_output", json_bool(tensor->is_output));
    json_set(object, "is_dynamic", json_bool(tensor->is_dynamic));
    json_set(object, "alias_of", id_json(model, alias->parent));
    json_set(object, "alias_kind", json_text(alias_kind_names[alias->kind]));
    json_set(object, "alias_option", json_text(alias_option(alias)));
    json_set(object, "variable", id_json(model, tensor->variable));
    json_set(object, "buffer", tensor->buffer == UINT32_MAX ? json_nothing() : json_size(tensor->buffer));
    json_set(object, "data_offset", json_size(tensor->data_offset));
    json_set(object, "data_size", json_size(tensor->data_size));
    return object;
}

static struct json *tensors_json(const struct model *model, struct arena *arena)
{
    struct alias_list aliases = find_aliases(model, arena);
    struct json *array = json_new_array();
    for (size_t i = 0; i < model->tensor_count; i++) {
        json_add(array, tensor_json(model, &model->tensors[i], &aliases.items[i]));
    }
    return array;
}

static struct json *totals_json(const struct model *model, struct arena *arena)
{
    struct totals totals = sum_up(model, arena);
    struct json *object = json_new_object();
    json_set(object, "scratch_bytes", json_size(totals.scratch));
    json_set(object, "persistent_bytes", json_size(totals.persistent));
    json_set(object, "constant_bytes", json_size(model->weight_bytes));
    json_set(object, "peak_live", json_size(totals.peak_live));
    return object;
}

void report_model_json(const struct model *model, struct text *out)
{
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/model/1"));
    json_set(root, "name", json_text(model->name));
    json_set(root, "format", json_text(model->format));
    json_set(root, "step_count", json_size(model->step_count));
    json_set(root, "operators", operators_json(model));
    json_set(root, "tensors", tensors_json(model, out->arena));
    json_set(root, "totals", totals_json(model, out->arena));
    json_finish(root, false, out);
}
