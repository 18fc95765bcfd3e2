/* Tensors of a `.tflite` file: shape, type, role and bytes. */
#include <inttypes.h>

#include "base/size.h"
#include "model/model_build.h"
#include "model/tflite.h"

static const char *tensor_id(struct tflite *tflite, uint32_t subgraph, uint32_t index)
{
    if (subgraph == 0) {
        return arena_format(tflite->arena, "%" PRIu32, index);
    }
    return arena_format(tflite->arena, "%" PRIu32 ":%" PRIu32, subgraph, index);
}

static void read_shape(struct tflite *tflite, const struct flat_table *table, struct tensor *tensor, struct tflite_place place)
{
    struct flat_vector shape = flat_vector_field(&tflite->file, table, TENSOR_SHAPE);
    if (shape.count > TFLITE_RANK_LIMIT) {
        tflite_report(tflite, DIAG_MODEL_LIMIT, place, "its shape has %" PRIu32 " dimensions; the most are %u", shape.count,
                      TFLITE_RANK_LIMIT);
        return;
    }
    int32_t *dimensions = ARENA_ARRAY(tflite->arena, int32_t, shape.count);
    for (uint32_t i = 0; i < shape.count; i++) {
        dimensions[i] = flat_vector_i32(&tflite->file, &shape, i);
    }
    tensor->shape = dimensions;
    tensor->rank = shape.count;
}

static bool has_dynamic_signature(struct tflite *tflite, const struct flat_table *table)
{
    struct flat_vector signature = flat_vector_field(&tflite->file, table, TENSOR_SHAPE_SIGNATURE);
    for (uint32_t i = 0; i < signature.count; i++) {
        if (flat_vector_i32(&tflite->file, &signature, i) < 0) {
            return true;
        }
    }
    return false;
}

/* Sets the size that follows from shape and type, or tells why none does. */
static enum tflite_size_problem size_by_shape(struct tensor *tensor)
{
    if (tensor->type == NULL) {
        return SIZE_TYPE_UNKNOWN;
    }
    if (tensor->type->bits == 0) {
        return SIZE_TYPE_UNSIZED;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] < 0) {
            return SIZE_DIMENSION_NEGATIVE;
        }
    }
    return model_shape_bytes(tensor->type, tensor->shape, tensor->rank, &tensor->size) ? SIZE_KNOWN : SIZE_TOO_LARGE;
}

/* A sparse constant holds fewer bytes than its shape says, by design. */
static void check_constant_size(struct tflite *tflite, const struct flat_table *table, const struct tensor *tensor,
                                enum tflite_size_problem problem, struct tflite_place place)
{
    if (problem != SIZE_KNOWN && problem != SIZE_TOO_LARGE) {
        return;
    }
    if (flat_has_field(&tflite->file, table, TENSOR_SPARSITY)) {
        return;
    }
    if (problem == SIZE_TOO_LARGE) {
        tflite_report(tflite, DIAG_MODEL_DATA_SIZE, place, "its shape needs more than the %" PRIu64 " bytes of buffer %" PRIu32,
                      tensor->data_size, tensor->buffer);
    } else if (tensor->data_size < tensor->size) {
        tflite_report(tflite, DIAG_MODEL_DATA_SIZE, place,
                      "its shape needs %" PRIu64 " bytes of type %s, but buffer %" PRIu32 " holds %" PRIu64, tensor->size,
                      tensor->type->name, tensor->buffer, tensor->data_size);
    }
}

/* Variables start as zeros, so bytes other than zero would be lost without a word. */
static void check_variable_data(struct tflite *tflite, const struct tflite_buffer *data, struct tflite_place place)
{
    if (!flatbuffer_charge(&tflite->file, data->size, (size_t)data->offset)) {
        return;
    }
    for (uint64_t i = 0; i < data->size; i++) {
        if (tflite->file.content.data[data->offset + i] == 0) {
            continue;
        }
        tflite_report(tflite, DIAG_MODEL_VARIABLE_DATA, place,
                      "it is a variable with initial bytes other than zero, but variables start as zeros");
        return;
    }
}

/* Decides the role. Sets `*problem` to SIZE_KNOWN for constants, whose bytes are counted and not computed. */
static void read_data(struct tflite *tflite, const struct flat_table *table, struct tensor *tensor,
                      enum tflite_size_problem *problem, struct tflite_place place)
{
    uint32_t buffer = flat_u32(&tflite->file, table, TENSOR_BUFFER, 0);
    bool is_variable = flat_u8(&tflite->file, table, TENSOR_IS_VARIABLE, 0) != 0;
    tensor->role = is_variable ? ROLE_PERSISTENT : ROLE_SCRATCH;
    if (flat_u32(&tflite->file, table, TENSOR_EXTERNAL_BUFFER, 0) != 0) {
        tflite_report(tflite, DIAG_MODEL_EXTERNAL_DATA, place, "its bytes stand in another file; they must stand in the model");
    }
    /* Files without any buffer exist; 0 then means "none", as it does everywhere. */
    if (buffer != 0 && buffer >= tflite->buffer_count) {
        tflite_report(tflite, DIAG_MODEL_BAD_INDEX, place, "it refers to buffer %" PRIu32 ", but the model has %" PRIu32, buffer,
                      tflite->buffer_count);
        return;
    }
    struct tflite_buffer data = tflite->buffer_count > 0 ? tflite->buffers[buffer] : (struct tflite_buffer){0};
    if (data.size > 0 && is_variable) {
        check_variable_data(tflite, &data, place);
    }
    if (data.size == 0 || is_variable) {
        return;
    }
    tensor->role = ROLE_CONSTANT;
    tensor->buffer = buffer;
    tensor->data_offset = data.offset;
    tensor->data_size = data.size;
    check_constant_size(tflite, table, tensor, *problem, place);
    tensor->size = data.size;
    *problem = SIZE_KNOWN;
}

static void read_tensor(struct tflite *tflite, uint32_t subgraph, uint32_t index)
{
    const struct tflite_subgraph *owner = &tflite->subgraphs[subgraph];
    struct tensor *tensor = &tflite->tensors[owner->first_tensor + index];
    struct tflite_place place = {PLACE_TENSOR, subgraph, index, ""};
    *tensor = (struct tensor){.id = tensor_id(tflite, subgraph, index),
                              .name = "",
                              .subgraph = subgraph,
                              .alignment = 1,
                              .buffer = UINT32_MAX,
                              .variable = TENSOR_NONE,
                              .span = {.source = tflite->source}};
    struct flat_table table;
    if (flat_vector_table(&tflite->file, &owner->tensors, index, &table)) {
        place.name = tensor->name = tflite_text(tflite, flat_string_field(&tflite->file, &table, TENSOR_NAME));
        tensor->type = element_type_by_number(flat_u8(&tflite->file, &table, TENSOR_TYPE, 0));
        tensor->alignment = tensor->type != NULL ? tensor->type->alignment : 1;
        tensor->is_dynamic = has_dynamic_signature(tflite, &table);
        read_shape(tflite, &table, tensor, place);
        enum tflite_size_problem *problem = &tflite->size_problems[owner->first_tensor + index];
        *problem = size_by_shape(tensor);
        read_data(tflite, &table, tensor, problem, place);
    }
    tflite_check_intact(tflite, place);
}

void tflite_read_tensors(struct tflite *tflite, uint32_t subgraph_index)
{
    uint32_t count = tflite->subgraphs[subgraph_index].tensors.count;
    for (uint32_t i = 0; i < count && tflite_goes_on(tflite); i++) {
        read_tensor(tflite, subgraph_index, i);
    }
}

static void report_size(struct tflite *tflite, uint32_t index, const char *why, const char *remedy)
{
    enum diag_id id = tflite->size_problems[index] == SIZE_TOO_LARGE ? DIAG_MODEL_LIMIT : DIAG_MODEL_UNKNOWN_SIZE;
    struct diag *diag = tflite_report(tflite, id, tflite_tensor_place(tflite, index), "its size %s", why);
    diag_note(tflite->diagnostics, diag, SPAN_NONE, "%s", remedy);
}

static void check_size(struct tflite *tflite, uint32_t index)
{
    const struct tensor *tensor = &tflite->tensors[index];
    switch (tflite->size_problems[index]) {
    case SIZE_KNOWN:
        break;
    case SIZE_TYPE_UNKNOWN:
        report_size(tflite, index, "is not known, as its element type is none that is known here",
                    "convert the model with the element types of the schema's version 3d");
        break;
    case SIZE_TYPE_UNSIZED:
        report_size(tflite, index,
                    arena_format(tflite->diagnostics->arena, "is known only at run time, as its elements are of type %s",
                                 tensor->type->name),
                    "only numbers and resource variables that are read or assigned can be planned; make such steps part of the "
                    "program");
        break;
    case SIZE_DIMENSION_NEGATIVE:
        report_size(tflite, index, "is not known, as a dimension of its shape is negative",
                    "convert the model with a fixed shape, for example batch size 1");
        break;
    case SIZE_TOO_LARGE:
        report_size(tflite, index, arena_format(tflite->diagnostics->arena, "is above %" PRIu64 " bytes", SIZE_LIMIT),
                    "no memory is that large: the shape is wrong");
        break;
    }
}

void tflite_check_sizes(struct tflite *tflite)
{
    for (uint32_t i = 0; i < tflite->tensor_count && tflite_goes_on(tflite); i++) {
        if (tflite->tensors[i].is_live) {
            check_size(tflite, i);
        }
    }
}
