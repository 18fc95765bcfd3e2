/* The `.tflite` importer: the file's head, its buffers and operator codes, and the order of the steps. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "model/model_build.h"
#include "model/tflite.h"

/* ---- findings ---- */

struct tflite_place tflite_tensor_place(const struct tflite *tflite, uint32_t tensor)
{
    const struct tensor *t = &tflite->tensors[tensor];
    uint32_t index = tensor - tflite->subgraphs[t->subgraph].first_tensor;
    return (struct tflite_place){PLACE_TENSOR, t->subgraph, index, t->name};
}

struct tflite_place tflite_operator_place(const struct model_operator *op)
{
    return (struct tflite_place){PLACE_OPERATOR, op->subgraph, op->index, op->name};
}

static void put_place(struct tflite *tflite, struct diag *diag, struct tflite_place place)
{
    struct diagnostics *diagnostics = tflite->diagnostics;
    switch (place.kind) {
    case PLACE_FILE:
        break;
    case PLACE_BUFFER:
        diag_place(diagnostics, diag, "buffer %" PRIu32, place.index);
        break;
    case PLACE_CODE:
        diag_place(diagnostics, diag, "operator code %" PRIu32, place.index);
        break;
    case PLACE_SUBGRAPH:
        diag_place(diagnostics, diag, "subgraph %" PRIu32, place.subgraph);
        break;
    case PLACE_TENSOR:
        diag_place(diagnostics, diag, "subgraph %" PRIu32 ", tensor %" PRIu32 " '%s'", place.subgraph, place.index, place.name);
        break;
    case PLACE_OPERATOR:
        diag_place(diagnostics, diag, "subgraph %" PRIu32 ", operator %" PRIu32 " (%s)", place.subgraph, place.index, place.name);
        break;
    }
}

struct diag *tflite_report(struct tflite *tflite, enum diag_id id, struct tflite_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_format_list(tflite->diagnostics->arena, format, arguments);
    va_end(arguments);
    struct diag *diag = diag_report(tflite->diagnostics, id, (struct span){.source = tflite->source}, "%s", message);
    put_place(tflite, diag, place);
    return diag;
}

void tflite_check_intact(struct tflite *tflite, struct tflite_place place)
{
    size_t offset;
    const char *problem = flatbuffer_take_problem(&tflite->file, &offset);
    if (problem != NULL) {
        tflite_report(tflite, DIAG_MODEL_CORRUPT, place, "%s (at byte %zu of %zu)", problem, offset, tflite->file.content.size);
    }
}

bool tflite_goes_on(const struct tflite *tflite)
{
    return tflite->diagnostics->dropped == 0 || tflite->diagnostics->error_count == tflite->errors_before;
}

/* Nearly every name is plain ASCII, which needs no second look. */
const char *tflite_text(struct tflite *tflite, struct bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < ' ' || text.data[i] > '~') {
            return text_printable(tflite->arena, (const char *)text.data, text.size);
        }
    }
    return text.size == 0 ? "" : arena_copy(tflite->arena, text.data, text.size);
}

/* ---- buffers and operator codes ---- */

/* In files above 2 GB the bytes stand behind the FlatBuffer, at an offset from the file's start; 0 and 1 mean "not so". */
static struct tflite_buffer read_outer_data(struct tflite *tflite, const struct flat_table *table, struct tflite_place place)
{
    uint64_t offset = flat_u64(&tflite->file, table, BUFFER_OFFSET, 0);
    uint64_t size = flat_u64(&tflite->file, table, BUFFER_SIZE, 0);
    if (offset <= 1) {
        return (struct tflite_buffer){0};
    }
    uint64_t file_size = tflite->file.content.size;
    if (offset > file_size || size > file_size - offset) {
        tflite_report(tflite, DIAG_MODEL_CORRUPT, place,
                      "its data (%" PRIu64 " bytes at byte %" PRIu64 ") does not end within the file of %" PRIu64 " bytes", size,
                      offset, file_size);
        return (struct tflite_buffer){0};
    }
    return (struct tflite_buffer){.offset = offset, .size = size};
}

static struct tflite_buffer read_buffer(struct tflite *tflite, const struct flat_vector *buffers, uint32_t index)
{
    struct tflite_place place = {.kind = PLACE_BUFFER, .index = index};
    struct tflite_buffer buffer = {0};
    struct flat_table table;
    if (flat_vector_table(&tflite->file, buffers, index, &table)) {
        struct flat_vector data = flat_bytes_field(&tflite->file, &table, BUFFER_DATA);
        buffer = (struct tflite_buffer){.offset = data.position, .size = data.count};
        if (data.count == 0) {
            buffer = read_outer_data(tflite, &table, place);
        }
    }
    tflite_check_intact(tflite, place);
    return buffer;
}

static void read_buffers(struct tflite *tflite, const struct flat_table *root)
{
    struct flat_vector buffers = flat_vector_field(&tflite->file, root, MODEL_BUFFERS);
    tflite->buffers = ARENA_ARRAY(tflite->arena, struct tflite_buffer, buffers.count);
    tflite->buffer_count = buffers.count;
    for (uint32_t i = 0; i < buffers.count && tflite_goes_on(tflite); i++) {
        tflite->buffers[i] = read_buffer(tflite, &buffers, i);
    }
}

/* The number once was a signed byte and became 32 bits when it grew beyond 127: old files hold it in the narrow field only, new
 * ones hold the placeholder 127 there, so the larger of both counts. */
static int32_t code_number(struct tflite *tflite, const struct flat_table *table)
{
    uint8_t narrow = flat_u8(&tflite->file, table, CODE_NARROW, 0);
    int32_t signed_narrow = narrow < 128 ? narrow : narrow - 256;
    int32_t wide = flat_i32(&tflite->file, table, CODE_WIDE, 0);
    return signed_narrow > wide ? signed_narrow : wide;
}

static struct tflite_code read_code(struct tflite *tflite, const struct flat_vector *codes, uint32_t index)
{
    struct tflite_code code = {UINT32_MAX, "unknown"};
    struct flat_table table;
    if (flat_vector_table(&tflite->file, codes, index, &table)) {
        int32_t number = code_number(tflite, &table);
        struct bytes custom = {0};
        if (number == BUILTIN_CUSTOM) {
            custom = flat_string_field(&tflite->file, &table, CODE_CUSTOM_NAME);
        }
        code.number = (uint32_t)number;
        if (custom.size > 0) {
            code.name = tflite_text(tflite, custom);
        } else if (builtin_name(code.number) != NULL) {
            code.name = builtin_name(code.number);
        } else {
            code.name = arena_format(tflite->arena, "BUILTIN_%" PRId32, number);
        }
    }
    tflite_check_intact(tflite, (struct tflite_place){.kind = PLACE_CODE, .index = index});
    return code;
}

static void read_codes(struct tflite *tflite, const struct flat_table *root)
{
    struct flat_vector codes = flat_vector_field(&tflite->file, root, MODEL_OPERATOR_CODES);
    tflite->codes = ARENA_ARRAY(tflite->arena, struct tflite_code, codes.count);
    tflite->code_count = codes.count;
    for (uint32_t i = 0; i < codes.count && tflite_goes_on(tflite); i++) {
        tflite->codes[i] = read_code(tflite, &codes, i);
    }
}

/* ---- subgraphs ---- */

/* Lists are only counted here, so that one array can hold the tensors of all subgraphs and another their operators. */
static void count_subgraph(struct tflite *tflite, const struct flat_vector *subgraphs, uint32_t index)
{
    struct tflite_subgraph *subgraph = &tflite->subgraphs[index];
    struct tflite_place place = {.kind = PLACE_SUBGRAPH, .subgraph = index};
    subgraph->first_tensor = (uint32_t)tflite->tensor_count;
    subgraph->first_operator = (uint32_t)tflite->operator_count;
    if (flat_vector_table(&tflite->file, subgraphs, index, &subgraph->table)) {
        subgraph->tensors = flat_vector_field(&tflite->file, &subgraph->table, SUBGRAPH_TENSORS);
        subgraph->operators = flat_vector_field(&tflite->file, &subgraph->table, SUBGRAPH_OPERATORS);
    }
    tflite_check_intact(tflite, place);
    size_t tensor_count = tflite->tensor_count + subgraph->tensors.count;
    size_t operator_count = tflite->operator_count + subgraph->operators.count;
    if (tensor_count > MODEL_TENSORS_LIMIT || operator_count > TFLITE_OPERATORS_LIMIT) {
        tflite_report(tflite, DIAG_MODEL_LIMIT, place, "up to here are %zu tensors and %zu operators; the most are %u and %u",
                      tensor_count, operator_count, MODEL_TENSORS_LIMIT, TFLITE_OPERATORS_LIMIT);
        subgraph->tensors = subgraph->operators = (struct flat_vector){0};
        return;
    }
    tflite->tensor_count = tensor_count;
    tflite->operator_count = operator_count;
}

static void read_inputs_and_outputs(struct tflite *tflite, uint32_t index)
{
    struct tflite_subgraph *subgraph = &tflite->subgraphs[index];
    struct tflite_place place = {.kind = PLACE_SUBGRAPH, .subgraph = index};
    const struct flat_table *table = &subgraph->table;
    subgraph->inputs = tflite_read_tensor_list(tflite, table, SUBGRAPH_INPUTS, subgraph, false, place, "input");
    subgraph->outputs = tflite_read_tensor_list(tflite, table, SUBGRAPH_OUTPUTS, subgraph, false, place, "output");
    tflite_check_intact(tflite, place);
}

static void read_subgraphs(struct tflite *tflite, const struct flat_table *root)
{
    struct flat_vector subgraphs = flat_vector_field(&tflite->file, root, MODEL_SUBGRAPHS);
    struct tflite_place place = {.kind = PLACE_FILE};
    tflite_check_intact(tflite, place);
    if (subgraphs.count == 0 || subgraphs.count > TFLITE_SUBGRAPHS_LIMIT) {
        tflite_report(tflite, subgraphs.count == 0 ? DIAG_MODEL_CORRUPT : DIAG_MODEL_LIMIT, place,
                      "the model has %" PRIu32 " subgraphs; it must have between 1 and %u", subgraphs.count,
                      TFLITE_SUBGRAPHS_LIMIT);
        return;
    }
    tflite->subgraph_count = subgraphs.count;
    tflite->subgraphs = ARENA_ARRAY(tflite->arena, struct tflite_subgraph, subgraphs.count);
    for (uint32_t i = 0; i < subgraphs.count; i++) {
        count_subgraph(tflite, &subgraphs, i);
    }
    tflite->tensors = ARENA_ARRAY(tflite->arena, struct tensor, tflite->tensor_count);
    tflite->size_problems = ARENA_ARRAY(tflite->arena, enum tflite_size_problem, tflite->tensor_count);
    tflite->operators = ARENA_ARRAY(tflite->arena, struct model_operator, tflite->operator_count);
    tflite->operator_facts = ARENA_ARRAY(tflite->arena, struct tflite_operator, tflite->operator_count);
    for (uint32_t i = 0; i < subgraphs.count && tflite_goes_on(tflite); i++) {
        tflite_read_tensors(tflite, i);
        read_inputs_and_outputs(tflite, i);
        tflite_read_operators(tflite, i);
    }
}

/* ---- the whole ---- */

static bool read_head(struct tflite *tflite, struct flat_table *root)
{
    struct tflite_place place = {.kind = PLACE_FILE};
    if (!flatbuffer_root(&tflite->file, TFLITE_IDENTIFIER, root)) {
        tflite_report(tflite, DIAG_MODEL_NOT_TFLITE, place, "this is no TensorFlow Lite model: bytes 4 to 7 are not '%s'",
                      TFLITE_IDENTIFIER);
        return false;
    }
    uint32_t version = flat_u32(&tflite->file, root, MODEL_VERSION, 0);
    tflite_check_intact(tflite, place);
    if (tflite->diagnostics->error_count != tflite->errors_before) {
        return false;
    }
    if (version == TFLITE_VERSION) {
        return true;
    }
    tflite_report(tflite, DIAG_MODEL_NOT_TFLITE, place, "the model states version %" PRIu32 " of the format; version %u is read",
                  version, TFLITE_VERSION);
    return false;
}

/* The operators that run, main subgraph first, as that is the first one. */
static void keep_running_operators(const struct tflite *tflite, struct model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < tflite->operator_count; i++) {
        struct model_operator op = tflite->operators[i];
        const struct tflite_subgraph *subgraph = &tflite->subgraphs[op.subgraph];
        if (!subgraph->runs) {
            continue;
        }
        op.step = op.subgraph == 0 ? op.index : subgraph->first_step;
        tflite->operators[count++] = op;
    }
    model->operators = tflite->operators;
    model->operator_count = count;
}

static void fill_model(const struct tflite *tflite, struct model *model)
{
    model->tensors = tflite->tensors;
    model->tensor_count = tflite->tensor_count;
    keep_running_operators(tflite, model);
    model->step_count = tflite->subgraphs[0].operators.count;
    if (model->step_count == 0 && model->tensor_count > 0) {
        model->step_count = 1;
    }
    model->subgraph_count = tflite->subgraph_count;
}

bool tflite_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content, uint32_t source,
                   struct model *model)
{
    (void)path;
    struct tflite tflite = {.arena = arena,
                            .diagnostics = diagnostics,
                            .source = source,
                            .errors_before = diagnostics->error_count,
                            .file = flatbuffer_start(content)};
    struct flat_table root;
    if (!read_head(&tflite, &root)) {
        return false;
    }
    read_buffers(&tflite, &root);
    read_codes(&tflite, &root);
    read_subgraphs(&tflite, &root);
    /* From here on all indices are true. */
    if (diagnostics->error_count != tflite.errors_before || !tflite_order_calls(&tflite)) {
        return false;
    }
    tflite_find_lifetimes(&tflite);
    tflite_find_variables(&tflite);
    tflite_check_sizes(&tflite);
    if (diagnostics->error_count != tflite.errors_before) {
        return false;
    }
    fill_model(&tflite, model);
    return model_complete(arena, diagnostics, model);
}
