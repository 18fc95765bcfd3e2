/* A tiny writer of the FlatBuffers layout, independent of the reader under test, and of .tflite models on top of it.
 * Everything is written front to back: a table first, what it refers to behind it, and the offset then filled in. */
#ifndef TESTS_UNIT_MODEL_FLAT_BUILDER_H
#define TESTS_UNIT_MODEL_FLAT_BUILDER_H

#include "model_run.h"

struct flat_builder {
    uint8_t bytes[16384];
    size_t size;
};

static inline void flat_poke(struct flat_builder *b, size_t position, uint64_t value, size_t size)
{
    assert_true(position + size <= sizeof b->bytes);
    for (size_t i = 0; i < size; i++) {
        b->bytes[position + i] = (uint8_t)(value >> (8 * i));
    }
    if (position + size > b->size) {
        b->size = position + size;
    }
}

static inline void flat_put(struct flat_builder *b, uint64_t value, size_t size)
{
    flat_poke(b, b->size, value, size);
}

static inline uint32_t flat_peek16(const struct flat_builder *b, size_t position)
{
    return b->bytes[position] | (uint32_t)b->bytes[position + 1] << 8;
}

/* Header with identifier; the root table comes next and flat_link(b, 0, root) points to it. */
static inline void flat_begin(struct flat_builder *b, const char *identifier)
{
    b->size = 0;
    flat_put(b, 0, 4);
    for (size_t i = 0; i < 4; i++) {
        flat_put(b, (uint8_t)identifier[i], 1);
    }
}

static inline void flat_link(struct flat_builder *b, size_t position, size_t target)
{
    assert_true(target > position);
    flat_poke(b, position, target - position, 4);
}

/* One letter a field: '.' absent, '1', '2', '4', '8' that many bytes, all zero. Returns where the table stands. */
static inline size_t flat_table(struct flat_builder *b, const char *layout)
{
    size_t fields = strlen(layout);
    size_t vtable = b->size;
    size_t offset = 4;
    flat_put(b, 4 + 2 * fields, 2);
    flat_put(b, 0, 2);
    for (size_t i = 0; i < fields; i++) {
        size_t size = layout[i] == '.' ? 0 : (size_t)(layout[i] - '0');
        flat_put(b, size == 0 ? 0 : offset, 2);
        offset += size;
    }
    flat_poke(b, vtable + 2, offset, 2);
    size_t table = b->size;
    flat_put(b, table - vtable, 4);
    for (size_t i = 4; i < offset; i++) {
        flat_put(b, 0, 1);
    }
    return table;
}

/* Where a field stands. */
static inline size_t flat_field(const struct flat_builder *b, size_t table, size_t field)
{
    size_t distance = 0;
    for (size_t i = 0; i < 4; i++) {
        distance |= (size_t)b->bytes[table + i] << (8 * i);
    }
    uint32_t offset = flat_peek16(b, table - distance + 4 + 2 * field);
    assert_int_not_equal(offset, 0);
    return table + offset;
}

static inline void flat_set(struct flat_builder *b, size_t table, size_t field, uint64_t value, size_t size)
{
    flat_poke(b, flat_field(b, table, field), value, size);
}

/* A vector of `count` elements, all zero, that a field points to. Returns where the first element stands. */
static inline size_t flat_vector_of(struct flat_builder *b, size_t table, size_t field, uint32_t count, size_t element_size)
{
    flat_link(b, flat_field(b, table, field), b->size);
    flat_put(b, count, 4);
    size_t first = b->size;
    for (size_t i = 0; i < count * element_size; i++) {
        flat_put(b, 0, 1);
    }
    return first;
}

static inline void flat_numbers(struct flat_builder *b, size_t table, size_t field, const int32_t *numbers, uint32_t count)
{
    size_t first = flat_vector_of(b, table, field, count, 4);
    for (size_t i = 0; i < count; i++) {
        flat_poke(b, first + 4 * i, (uint32_t)numbers[i], 4);
    }
}

static inline void flat_text(struct flat_builder *b, size_t table, size_t field, const char *text)
{
    size_t size = strlen(text);
    size_t first = flat_vector_of(b, table, field, (uint32_t)size, 1);
    memcpy(b->bytes + first, text, size);
    flat_put(b, 0, 1);
}

/* ---- a .tflite model from arrays ---- */

#define LIST_END INT32_MIN

struct test_tensor {
    const char *name;
    uint8_t type; /* number of the format; 9 is int8 */
    uint32_t rank;
    int32_t shape[3];
    uint32_t buffer;
    bool is_variable;
    bool is_open; /* signature with a -1 in front */
    uint32_t external_buffer;
};

struct test_operator {
    uint32_t code;                                   /* index into test_model.codes */
    int32_t inputs[6], outputs[4], intermediates[3]; /* end with LIST_END */
    uint8_t options_type;
    int32_t callees[2];      /* options with two numbers */
    const char *shared_name; /* options with two texts instead */
    uint32_t mutating_count;
};

struct test_subgraph {
    const struct test_tensor *tensors;
    uint32_t tensor_count;
    const struct test_operator *operators;
    uint32_t operator_count;
    int32_t inputs[4], outputs[4];
};

struct test_code {
    int32_t number;
    const char *custom;
};

struct test_model {
    uint32_t version;
    struct test_code codes[8];
    uint32_t code_count;
    uint32_t buffer_sizes[8]; /* bytes of data, of value 1 */
    uint32_t buffer_count;
    const struct test_subgraph *subgraphs;
    uint32_t subgraph_count;
};

static inline uint32_t list_size(const int32_t *list, uint32_t room)
{
    uint32_t count = 0;
    while (count < room && list[count] != LIST_END) {
        count++;
    }
    return count;
}

static inline void put_tensor(struct flat_builder *b, size_t slot, const struct test_tensor *tensor)
{
    size_t table = flat_table(b, "4144.1.4..4");
    flat_link(b, slot, table);
    flat_set(b, table, 1, tensor->type, 1);
    flat_set(b, table, 2, tensor->buffer, 4);
    flat_set(b, table, 5, tensor->is_variable, 1);
    flat_set(b, table, 10, tensor->external_buffer, 4);
    flat_numbers(b, table, 0, tensor->shape, tensor->rank);
    flat_text(b, table, 3, tensor->name != NULL ? tensor->name : "");
    int32_t signature[3];
    memcpy(signature, tensor->shape, sizeof signature);
    if (tensor->is_open) {
        signature[0] = -1;
    }
    flat_numbers(b, table, 7, signature, tensor->rank);
}

static inline void put_options(struct flat_builder *b, size_t op, const struct test_operator *from)
{
    size_t options = flat_table(b, "44");
    flat_set(b, op, 3, from->options_type, 1);
    flat_link(b, flat_field(b, op, 4), options);
    if (from->shared_name != NULL) {
        flat_text(b, options, 0, "");
        flat_text(b, options, 1, from->shared_name);
        return;
    }
    flat_set(b, options, 0, (uint32_t)from->callees[0], 4);
    flat_set(b, options, 1, (uint32_t)from->callees[1], 4);
}

static inline void put_operator(struct flat_builder *b, size_t slot, const struct test_operator *op)
{
    size_t table = flat_table(b, op->options_type != 0 ? "44414..44" : "444....44");
    flat_link(b, slot, table);
    flat_set(b, table, 0, op->code, 4);
    flat_numbers(b, table, 1, op->inputs, list_size(op->inputs, 6));
    flat_numbers(b, table, 2, op->outputs, list_size(op->outputs, 4));
    (void)flat_vector_of(b, table, 7, op->mutating_count, 1);
    flat_numbers(b, table, 8, op->intermediates, list_size(op->intermediates, 3));
    if (op->options_type != 0) {
        put_options(b, table, op);
    }
}

static inline void put_subgraph(struct flat_builder *b, size_t slot, const struct test_subgraph *subgraph)
{
    size_t table = flat_table(b, "4444");
    flat_link(b, slot, table);
    flat_numbers(b, table, 1, subgraph->inputs, list_size(subgraph->inputs, 4));
    flat_numbers(b, table, 2, subgraph->outputs, list_size(subgraph->outputs, 4));
    size_t tensors = flat_vector_of(b, table, 0, subgraph->tensor_count, 4);
    size_t operators = flat_vector_of(b, table, 3, subgraph->operator_count, 4);
    for (size_t i = 0; i < subgraph->tensor_count; i++) {
        put_tensor(b, tensors + 4 * i, &subgraph->tensors[i]);
    }
    for (size_t i = 0; i < subgraph->operator_count; i++) {
        put_operator(b, operators + 4 * i, &subgraph->operators[i]);
    }
}

static inline void put_code(struct flat_builder *b, size_t slot, const struct test_code *code)
{
    size_t table = flat_table(b, "14.4");
    flat_link(b, slot, table);
    flat_set(b, table, 0, (uint32_t)(code->number < 127 ? code->number : 127), 1);
    flat_set(b, table, 3, (uint32_t)code->number, 4);
    flat_text(b, table, 1, code->custom != NULL ? code->custom : "");
}

static inline void put_buffer(struct flat_builder *b, size_t slot, uint32_t size)
{
    size_t table = flat_table(b, "4");
    flat_link(b, slot, table);
    size_t first = flat_vector_of(b, table, 0, size, 1);
    memset(b->bytes + first, 1, size);
}

static inline void flat_build_model(struct flat_builder *b, const struct test_model *model)
{
    flat_begin(b, "TFL3");
    size_t root = flat_table(b, "444.4");
    flat_link(b, 0, root);
    flat_set(b, root, 0, model->version != 0 ? model->version : 3, 4);
    size_t codes = flat_vector_of(b, root, 1, model->code_count, 4);
    size_t subgraphs = flat_vector_of(b, root, 2, model->subgraph_count, 4);
    size_t buffers = flat_vector_of(b, root, 4, model->buffer_count, 4);
    for (size_t i = 0; i < model->code_count; i++) {
        put_code(b, codes + 4 * i, &model->codes[i]);
    }
    for (size_t i = 0; i < model->subgraph_count; i++) {
        put_subgraph(b, subgraphs + 4 * i, &model->subgraphs[i]);
    }
    for (size_t i = 0; i < model->buffer_count; i++) {
        put_buffer(b, buffers + 4 * i, model->buffer_sizes[i]);
    }
}

/* Builds and reads. */
static inline bool read_model(struct run *run, const struct test_model *model)
{
    static struct flat_builder b; /* large; used anew by each call */
    flat_build_model(&b, model);
    run_start(run);
    bool ok = run_read(run, "tflite", "test.tflite", b.bytes, b.size);
    return ok;
}

#endif
