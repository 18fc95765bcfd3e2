/* Tensor lists in YAML or JSON: models of other tools, or of a person who knows the sizes. The format is documented in
 * docs/formats.md. */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/map.h"
#include "base/size.h"
#include "model/model_build.h"
#include "model/tensor_list.h"
#include "schema/schema.h"

#define ALIGNMENT_LIMIT ((uint64_t)1 << 20)

static const struct choice role_choices[] = {
    {"scratch", ROLE_SCRATCH}, {"persistent", ROLE_PERSISTENT}, {"constant", ROLE_CONSTANT}, {NULL, 0}};

#define FIELD(record, member_, kind_, ...)                                                                                       \
    {                                                                                                                            \
        .key = #member_, .kind = (kind_), .offset = offsetof(struct record, member_), __VA_ARGS__                                \
    }

static const struct field tensor_fields[] = {
    FIELD(listed_tensor, id, FIELD_TEXT, .flags = FIELD_REQUIRED, .help = "Unique id, which rules and operators name."),
    FIELD(listed_tensor, name, FIELD_TEXT, .help = "Second name, for people and rules."),
    FIELD(listed_tensor, type, FIELD_CHOICE, .choices = role_choices, .default_text = "scratch", .help = "Role of the tensor."),
    FIELD(listed_tensor, size, FIELD_SIZE, .help = "Bytes. Without it: from shape and dtype, or the length of data."),
    FIELD(listed_tensor, shape, FIELD_TEXT_LIST, .help = "Dimensions, outermost first; an empty list is a scalar."),
    FIELD(listed_tensor, dtype, FIELD_TEXT, .help = "Element type, such as int8, int4, float32."),
    FIELD(listed_tensor, alignment, FIELD_SIZE, .flags = FIELD_POWER_OF_TWO, .minimum = 1, .maximum = ALIGNMENT_LIMIT,
          .default_text = "that of dtype", .help = "Alignment in bytes that the tensor's slot needs at least."),
    FIELD(listed_tensor, start_op, FIELD_INTEGER, .maximum = UINT32_MAX - 1u,
          .help = "First operator that writes or reads the tensor, counted from 0."),
    FIELD(listed_tensor, end_op, FIELD_INTEGER, .maximum = UINT32_MAX - 1u, .help = "Last operator that reads it, included."),
    FIELD(listed_tensor, data, FIELD_TEXT, .help = "Constants: file with the bytes, relative to the list."),
};
static const struct schema tensor_schema = {
    .name = "tensors[]",
    .help = "One tensor.",
    .size = sizeof(struct listed_tensor),
    .span_offset = offsetof(struct listed_tensor, span),
    .fields = tensor_fields,
    .field_count = sizeof tensor_fields / sizeof tensor_fields[0],
};

static const struct field operator_fields[] = {
    FIELD(listed_operator, name, FIELD_TEXT, .flags = FIELD_REQUIRED, .help = "Name for people, such as CONV_2D."),
    FIELD(listed_operator, inputs, FIELD_TEXT_LIST, .help = "Ids of the tensors that it reads."),
    FIELD(listed_operator, outputs, FIELD_TEXT_LIST, .help = "Ids of the tensors that it writes."),
};
static const struct schema operator_schema = {
    .name = "operators[]",
    .help = "One operator, in the order of execution.",
    .size = sizeof(struct listed_operator),
    .span_offset = offsetof(struct listed_operator, span),
    .fields = operator_fields,
    .field_count = sizeof operator_fields / sizeof operator_fields[0],
};

static const struct field list_fields[] = {
    FIELD(listed_model, tensors, FIELD_RECORDS, .flags = FIELD_REQUIRED, .record = &tensor_schema, .help = "All tensors."),
    FIELD(listed_model, operators, FIELD_RECORDS, .record = &operator_schema,
          .help = "Operators; lifetimes that are not stated follow from them."),
    FIELD(listed_model, inputs, FIELD_TEXT_LIST, .help = "Ids of the model's inputs, alive from operator 0."),
    FIELD(listed_model, outputs, FIELD_TEXT_LIST, .help = "Ids of the model's outputs, alive to the last operator."),
};
const struct schema tensor_list_schema = {
    .name = "tensor list",
    .help = "A model as a list of tensors.",
    .size = sizeof(struct listed_model),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = list_fields,
    .field_count = sizeof list_fields / sizeof list_fields[0],
};

struct list_reading {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char *folder;
    struct model *model;
    struct listed_model listed;
    struct map ids;
    struct text data; /* bytes of all constants */
};

/* ---- sizes ---- */

static bool read_dimension(struct list_reading *reading, const struct text_value *text, int32_t *dimension)
{
    uint64_t value = 0;
    bool ok = text->text[0] != '\0';
    for (const char *c = text->text; ok && *c != '\0'; c++) {
        ok = *c >= '0' && *c <= '9';
        value = value * 10 + (uint64_t)(*c - '0');
        ok = ok && value <= INT32_MAX;
    }
    if (ok) {
        *dimension = (int32_t)value;
        return true;
    }
    diag_report(reading->diagnostics, DIAG_BAD_VALUE, text->span,
                "a dimension of a shape must be a whole number from 0 to 2147483647");
    return false;
}

static bool read_shape(struct list_reading *reading, const struct text_list *list, struct tensor *tensor)
{
    if (!list->set) {
        return true;
    }
    if (list->count > TENSOR_LIST_RANK_LIMIT) {
        diag_report(reading->diagnostics, DIAG_MODEL_LIMIT, list->span, "a shape has at most %u dimensions, this one %zu",
                    TENSOR_LIST_RANK_LIMIT, list->count);
        return false;
    }
    int32_t *shape = ARENA_ARRAY(reading->arena, int32_t, list->count);
    bool ok = true;
    for (size_t i = 0; i < list->count; i++) {
        ok = read_dimension(reading, &list->items[i], &shape[i]) && ok;
    }
    tensor->shape = shape;
    tensor->rank = (uint32_t)list->count;
    return ok;
}

static bool read_type(struct list_reading *reading, const struct text_value *dtype, struct tensor *tensor)
{
    if (!dtype->set) {
        return true;
    }
    tensor->type = element_type_by_name(dtype->text);
    if (tensor->type != NULL && tensor->type->bits != 0) {
        tensor->alignment = size_max(tensor->alignment, tensor->type->alignment);
        return true;
    }
    struct diag *diag =
        diag_report(reading->diagnostics, DIAG_UNKNOWN_CHOICE, dtype->span, "'%s' is no element type of known size",
                    node_printable(reading->diagnostics->arena, dtype->text));
    const char *names[ELEMENT_TYPES_MAXIMUM];
    size_t count = 0;
    for (uint32_t i = 0; element_type_by_number(i) != NULL && count < ELEMENT_TYPES_MAXIMUM; i++) {
        if (element_type_by_number(i)->bits != 0) {
            names[count++] = element_type_by_number(i)->name;
        }
    }
    diag_suggest(reading->diagnostics, diag, dtype->text, "element types", names, count);
    return false;
}

static bool read_data(struct list_reading *reading, const struct text_value *path, struct tensor *tensor)
{
    struct bytes bytes;
    struct file_error error;
    size_t room = MODEL_BYTES_LIMIT - reading->data.size;
    const char *full_path = path_join(reading->arena, reading->folder, path->text);
    if (!file_read(reading->arena, full_path, room, &bytes, &error)) {
        diag_report(reading->diagnostics, error.too_large ? DIAG_MODEL_LIMIT : DIAG_FILE_UNREADABLE, path->span,
                    "cannot %s '%s': %s", error.operation, full_path, error.reason);
        return false;
    }
    *LIST_ADD(reading->arena, &reading->model->data_files) = full_path;
    tensor->data_offset = reading->data.size;
    tensor->data_size = bytes.size;
    text_add_bytes(&reading->data, bytes.data, bytes.size);
    return true;
}

/* A stated size counts; it must agree with what else is said. */
static void set_size(struct list_reading *reading, const struct listed_tensor *listed, struct tensor *tensor)
{
    uint64_t shape_size = 0;
    bool has_shape = listed->shape.set && tensor->type != NULL;
    if (has_shape && !model_shape_bytes(tensor->type, tensor->shape, tensor->rank, &shape_size)) {
        diag_report(reading->diagnostics, DIAG_MODEL_LIMIT, listed->shape.span,
                    "the shape of tensor '%s' needs more than %" PRIu64 " bytes", tensor->id, SIZE_LIMIT);
        return;
    }
    if (!listed->size.set && !has_shape && !listed->data.set) {
        diag_report(reading->diagnostics, DIAG_MODEL_UNKNOWN_SIZE, listed->span,
                    "tensor '%s' has no size; give size, or shape and dtype%s", tensor->id,
                    tensor->role == ROLE_CONSTANT ? ", or data" : "");
        return;
    }
    tensor->size = listed->size.set ? listed->size.value : has_shape ? shape_size : tensor->data_size;
    if (has_shape && tensor->size < shape_size) {
        diag_report(reading->diagnostics, DIAG_BAD_VALUE, listed->size.span,
                    "tensor '%s' has size %" PRIu64 ", but its shape and dtype need %" PRIu64, tensor->id, tensor->size,
                    shape_size);
        return;
    }
    if (listed->data.set && tensor->data_size != tensor->size) {
        diag_report(reading->diagnostics, DIAG_MODEL_DATA_SIZE, listed->data.span,
                    "tensor '%s' has %" PRIu64 " bytes, but its data file holds %" PRIu64, tensor->id, tensor->size,
                    tensor->data_size);
    }
}

/* ---- tensors ---- */

static bool check_data_role(struct list_reading *reading, const struct listed_tensor *listed, const struct tensor *tensor)
{
    if (!listed->data.set || tensor->role == ROLE_CONSTANT) {
        return true;
    }
    diag_report(reading->diagnostics, DIAG_BAD_VALUE, listed->data.span, "only a constant has data; tensor '%s' is %s",
                tensor->id, role_names[tensor->role]);
    return false;
}

static void read_tensor(struct list_reading *reading, const struct listed_tensor *listed, uint32_t index)
{
    struct tensor *tensor = &reading->model->tensors[index];
    const char *id = listed->id.text;
    *tensor = (struct tensor){
        .id = text_printable(reading->arena, id, strlen(id)),
        .name = listed->name.set ? text_printable(reading->arena, listed->name.text, strlen(listed->name.text)) : "",
        .alignment = listed->alignment.set ? listed->alignment.value : 1,
        .role = listed->type.set ? (enum tensor_role)listed->type.value : ROLE_SCRATCH,
        .buffer = UINT32_MAX,
        .variable = TENSOR_NONE,
        .span = listed->span};
    uint32_t other;
    if (!map_add(&reading->ids, tensor->id, index, &other)) {
        struct diag *diag = diag_report(reading->diagnostics, DIAG_MODEL_DUPLICATE_ID, listed->id.span,
                                        "a second tensor has the id '%s'", tensor->id);
        diag_note(reading->diagnostics, diag, reading->model->tensors[other].span, "the first one is here");
    }
    bool ok = read_type(reading, &listed->dtype, tensor);
    ok = read_shape(reading, &listed->shape, tensor) && ok;
    ok = check_data_role(reading, listed, tensor) && ok;
    if (ok && (!listed->data.set || read_data(reading, &listed->data, tensor))) {
        set_size(reading, listed, tensor);
    }
}

/* ---- operators ---- */

static uint32_t find_id(struct list_reading *reading, const struct text_value *id)
{
    uint32_t index;
    const char *printable = text_printable(reading->arena, id->text, strlen(id->text));
    if (map_find(&reading->ids, printable, &index)) {
        return index;
    }
    diag_report(reading->diagnostics, DIAG_MODEL_BAD_INDEX, id->span, "no tensor has the id '%s'",
                node_printable(reading->diagnostics->arena, id->text));
    return TENSOR_NONE;
}

static struct operator_io read_ids(struct list_reading *reading, const struct text_list *list)
{
    uint32_t *tensors = ARENA_ARRAY(reading->arena, uint32_t, list->count);
    for (size_t i = 0; i < list->count; i++) {
        tensors[i] = find_id(reading, &list->items[i]);
    }
    return (struct operator_io){.tensors = tensors, .count = list->count};
}

static void read_operators(struct list_reading *reading)
{
    const struct listed_operator *listed = reading->listed.operators.items;
    struct model *model = reading->model;
    model->operator_count = reading->listed.operators.count;
    model->operators = ARENA_ARRAY(reading->arena, struct model_operator, model->operator_count);
    for (uint32_t i = 0; i < model->operator_count; i++) {
        const char *name = listed[i].name.text;
        model->operators[i] = (struct model_operator){.name = text_printable(reading->arena, name, strlen(name)),
                                                      .index = i,
                                                      .step = i,
                                                      .inputs = read_ids(reading, &listed[i].inputs),
                                                      .outputs = read_ids(reading, &listed[i].outputs)};
    }
}

/* ---- lifetimes ---- */

static void use_tensors(struct list_reading *reading, const struct operator_io *list, uint32_t step)
{
    const struct listed_tensor *listed = reading->listed.tensors.items;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t index = list->tensors[i];
        if (index != TENSOR_NONE && !listed[index].start_op.set && !listed[index].end_op.set) {
            tensor_add_op(&reading->model->tensors[index], step);
        }
    }
}

static void mark_ends(struct list_reading *reading)
{
    struct operator_io inputs = read_ids(reading, &reading->listed.inputs);
    struct operator_io outputs = read_ids(reading, &reading->listed.outputs);
    uint32_t last = reading->model->step_count > 0 ? reading->model->step_count - 1 : 0;
    use_tensors(reading, &inputs, 0);
    use_tensors(reading, &outputs, last);
    for (size_t i = 0; i < inputs.count; i++) {
        if (inputs.tensors[i] != TENSOR_NONE) {
            reading->model->tensors[inputs.tensors[i]].is_input = true;
        }
    }
    for (size_t i = 0; i < outputs.count; i++) {
        if (outputs.tensors[i] != TENSOR_NONE) {
            reading->model->tensors[outputs.tensors[i]].is_output = true;
        }
    }
}

/* A lifetime that the list states. True if there is one and it is sound. */
static bool state_lifetime(struct list_reading *reading, const struct listed_tensor *listed, struct tensor *tensor)
{
    if (!listed->start_op.set && !listed->end_op.set) {
        return false;
    }
    if (!listed->start_op.set || !listed->end_op.set) {
        diag_report(reading->diagnostics, DIAG_MODEL_LIFETIME, listed->span,
                    "tensor '%s' states only one end of its lifetime; give start_op and end_op, or neither", tensor->id);
        return false;
    }
    uint64_t operators = reading->model->operator_count;
    if (listed->start_op.value > listed->end_op.value) {
        diag_report(reading->diagnostics, DIAG_MODEL_LIFETIME, listed->end_op.span,
                    "tensor '%s' ends at operator %" PRIu64 ", before it starts at %" PRIu64, tensor->id, listed->end_op.value,
                    listed->start_op.value);
        return false;
    }
    if (reading->listed.operators.set && listed->end_op.value >= operators) {
        diag_report(reading->diagnostics, DIAG_MODEL_LIFETIME, listed->end_op.span,
                    "tensor '%s' ends at operator %" PRIu64 ", but the list has %" PRIu64 " operators", tensor->id,
                    listed->end_op.value, operators);
        return false;
    }
    tensor_add_op(tensor, (uint32_t)listed->start_op.value);
    tensor_add_op(tensor, (uint32_t)listed->end_op.value);
    return true;
}

static void state_lifetimes(struct list_reading *reading)
{
    struct model *model = reading->model;
    const struct listed_tensor *listed = reading->listed.tensors.items;
    model->step_count = (uint32_t)model->operator_count;
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (state_lifetime(reading, &listed[i], &model->tensors[i]) && model->tensors[i].end_op >= model->step_count) {
            model->step_count = model->tensors[i].end_op + 1;
        }
    }
    if (model->step_count == 0 && model->tensor_count > 0) {
        model->step_count = 1;
    }
}

/* Without operators, a scratch tensor must state its lifetime; what is no scratch is there all the time. */
static void check_lifetimes(struct list_reading *reading)
{
    const struct listed_tensor *listed = reading->listed.tensors.items;
    for (size_t i = 0; i < reading->model->tensor_count && !reading->listed.operators.set; i++) {
        struct tensor *tensor = &reading->model->tensors[i];
        if (tensor->is_live && (tensor->role != ROLE_SCRATCH || listed[i].start_op.set)) {
            continue;
        }
        if (tensor->role == ROLE_SCRATCH && !listed[i].start_op.set && !listed[i].end_op.set) {
            diag_report(reading->diagnostics, DIAG_MODEL_LIFETIME, listed[i].span,
                        "tensor '%s' has no lifetime; give start_op and end_op, or list the operators", tensor->id);
        }
        if (tensor->role == ROLE_SCRATCH) {
            continue;
        }
        tensor_add_op(tensor, 0);
        tensor_add_op(tensor, reading->model->step_count - 1);
    }
}

static void find_lifetimes(struct list_reading *reading)
{
    state_lifetimes(reading);
    for (size_t i = 0; i < reading->model->operator_count; i++) {
        const struct model_operator *op = &reading->model->operators[i];
        use_tensors(reading, &op->inputs, op->step);
        use_tensors(reading, &op->outputs, op->step);
    }
    mark_ends(reading);
    check_lifetimes(reading);
}

/* ---- the whole ---- */

static bool check_counts(struct list_reading *reading)
{
    if (reading->listed.tensors.count <= MODEL_TENSORS_LIMIT) {
        return true;
    }
    diag_report(reading->diagnostics, DIAG_MODEL_LIMIT, reading->listed.tensors.span, "the list has %zu tensors; the most are %u",
                reading->listed.tensors.count, MODEL_TENSORS_LIMIT);
    return false;
}

bool tensor_list_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                        uint32_t source, struct model *model)
{
    (void)content; /* the sink has it, under `source` */
    struct list_reading reading = {
        .arena = arena, .diagnostics = diagnostics, .folder = path_folder(arena, path), .model = model};
    size_t errors = diagnostics->error_count;
    const struct node *root;
    if (!doc_parse(arena, diagnostics, source, &root) ||
        !schema_decode(arena, diagnostics, &tensor_list_schema, root, &reading.listed) || !check_counts(&reading)) {
        return false;
    }
    reading.ids = map_start(arena);
    reading.data = text_start(arena);
    model->tensor_count = reading.listed.tensors.count;
    model->tensors = ARENA_ARRAY(arena, struct tensor, model->tensor_count);
    const struct listed_tensor *listed = reading.listed.tensors.items;
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        read_tensor(&reading, &listed[i], i);
    }
    read_operators(&reading);
    find_lifetimes(&reading);
    if (diagnostics->error_count != errors) {
        return false;
    }
    model->content = (struct bytes){.data = (const uint8_t *)reading.data.data, .size = reading.data.size};
    model->subgraph_count = 1;
    return model_complete(arena, diagnostics, model);
}
