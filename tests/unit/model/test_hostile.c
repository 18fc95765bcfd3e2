/* Bytes that nobody vouches for: cut short anywhere, changed at random, or with one number replaced by the worst ones. The reader
 * may refuse or accept them, but it must end, stay within its memory, and keep every index of a model true. */
#include "flat_builder.h"

#include "base/size.h"

/* Far above what files of a few kilobytes may cost; passing it ends the process and so fails the test. */
#define MEMORY_LIMIT ((size_t)32 << 20)

#define MUTATIONS 20000

enum { INT32 = 2, INT8 = 9, RESOURCE = 13 };
#define ENDS(...)                                                                                                                \
    {                                                                                                                            \
        __VA_ARGS__, LIST_END                                                                                                    \
    }
#define NOTHING                                                                                                                  \
    {                                                                                                                            \
        LIST_END                                                                                                                 \
    }

/* One of everything: constants, a loop, a branch, a variable, names. */
static void build_rich_model(struct flat_builder *b)
{
    static const struct test_tensor tensors[] = {
        {.name = "in", .type = INT8, .rank = 3, .shape = {1, 4, 4}, .is_open = true},
        {.name = "weights", .type = INT32, .rank = 2, .shape = {4, 4}, .buffer = 1},
        {.name = "state", .type = INT8, .rank = 1, .shape = {9}, .is_variable = true},
        {.name = "handle", .type = RESOURCE},
        {.name = "out", .type = INT8, .rank = 1, .shape = {16}},
    };
    static const struct test_operator main_operators[] = {
        {.code = 0, .inputs = ENDS(0, 1, -1, 2), .outputs = ENDS(4), .intermediates = ENDS(0), .mutating_count = 4},
        {.code = 1, .inputs = ENDS(4, 3), .outputs = ENDS(4, 3), .intermediates = NOTHING, .options_type = 93, .callees = {1, 2}},
        {.code = 3, .inputs = NOTHING, .outputs = ENDS(3), .intermediates = NOTHING, .options_type = 111, .shared_name = "v"},
        {.code = 4, .inputs = ENDS(3), .outputs = ENDS(4), .intermediates = NOTHING},
    };
    static const struct test_operator inner[] = {
        {.code = 2, .inputs = ENDS(1, 0), .outputs = ENDS(4), .intermediates = NOTHING, .options_type = 92, .callees = {3, 3}}};
    static const struct test_operator leaf[] = {{.code = 5, .inputs = ENDS(0), .outputs = ENDS(4), .intermediates = NOTHING}};
    static const struct test_subgraph subgraphs[] = {
        {tensors, 5, main_operators, 4, ENDS(0), ENDS(4)},
        {tensors, 5, inner, 1, ENDS(0, 3), ENDS(4)},
        {tensors, 5, inner, 1, ENDS(0, 3), ENDS(4, 3)},
        {tensors, 5, leaf, 1, ENDS(0), ENDS(4)},
    };
    static const struct test_model model = {
        .codes = {{9, NULL}, {119, NULL}, {118, NULL}, {142, NULL}, {143, NULL}, {32, "MINE"}},
        .code_count = 6,
        .buffer_sizes = {0, 64},
        .buffer_count = 2,
        .subgraphs = subgraphs,
        .subgraph_count = 4,
    };
    flat_build_model(b, &model);
}

static void check_list(const struct model *model, const struct operator_io *list)
{
    for (size_t i = 0; i < list->count; i++) {
        assert_true(list->tensors[i] == TENSOR_NONE || list->tensors[i] < model->tensor_count);
    }
}

static void check_model(const struct model *model, size_t file_size)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        assert_true(tensor->size <= SIZE_LIMIT && size_is_power_of_two(tensor->alignment));
        assert_true(!tensor->is_live || (tensor->start_op <= tensor->end_op && tensor->end_op < model->step_count));
        assert_true(tensor->data_offset <= file_size && tensor->data_size <= file_size - tensor->data_offset);
        assert_true(tensor->variable == TENSOR_NONE || model->tensors[tensor->variable].variable == tensor->variable);
    }
    for (size_t i = 0; i < model->operator_count; i++) {
        const struct model_operator *op = &model->operators[i];
        assert_true(op->name != NULL && op->step < model->step_count);
        check_list(model, &op->inputs);
        check_list(model, &op->outputs);
        check_list(model, &op->intermediates);
    }
}

/* Returns whether the bytes were accepted. */
static bool try_bytes(const uint8_t *bytes, size_t size)
{
    struct run run = {.arena = {.limit = MEMORY_LIMIT}, .scratch = {.limit = MEMORY_LIMIT}};
    run.diagnostics = diagnostics_start(&run.arena);
    bool ok = run_read(&run, "tflite", "test.tflite", bytes, size);
    if (ok) {
        check_model(&run.model, size);
        (void)model_peak_live(&run.model, 16, &run.scratch);
    }
    run_end(&run);
    return ok;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void test_unharmed(void **state)
{
    (void)state;
    struct flat_builder b;
    build_rich_model(&b);
    assert_true(try_bytes(b.bytes, b.size));
}

/* What the last bytes hold is needed, so no shorter file is a model. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    struct flat_builder b;
    build_rich_model(&b);
    for (size_t size = 0; size < b.size; size++) {
        assert_false(try_bytes(b.bytes, size));
    }
}

static void test_every_number_replaced(void **state)
{
    (void)state;
    struct flat_builder b;
    build_rich_model(&b);
    const uint32_t values[] = {0, 0xffffffff, 0x7fffffff, 0x80000000, (uint32_t)b.size, (uint32_t)b.size - 4, 1, 0xffff};
    for (size_t at = 0; at + 4 <= b.size; at++) {
        uint8_t saved[4];
        memcpy(saved, b.bytes + at, 4);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            flat_poke(&b, at, values[v], 4);
            (void)try_bytes(b.bytes, b.size);
        }
        memcpy(b.bytes + at, saved, 4);
    }
}

static void test_random_changes(void **state)
{
    (void)state;
    struct flat_builder good;
    struct flat_builder b;
    build_rich_model(&good);
    uint32_t seed = 12345;
    size_t accepted = 0;
    for (size_t i = 0; i < MUTATIONS; i++) {
        b = good;
        size_t changes = 1 + next_random(&seed) % 8;
        for (size_t c = 0; c < changes; c++) {
            b.bytes[next_random(&seed) % b.size] = (uint8_t)(next_random(&seed) >> 8);
        }
        accepted += try_bytes(b.bytes, b.size);
    }
    assert_true(accepted > 0 && accepted < MUTATIONS); /* neither all nor none: the changes meet all kinds of bytes */
}

/* Every subgraph is the same table with many tensors, and every tensor the same table with a long shape: a file of 12 KB that
 * describes billions of numbers. */
static void test_shared_parts_do_not_multiply(void **state)
{
    (void)state;
    struct flat_builder b;
    flat_begin(&b, "TFL3");
    size_t root = flat_table(&b, "4.4");
    flat_link(&b, 0, root);
    flat_set(&b, root, 0, 3, 4);
    size_t subgraphs = flat_vector_of(&b, root, 2, 1000, 4);
    size_t subgraph = flat_table(&b, "4");
    size_t tensors = flat_vector_of(&b, subgraph, 0, 1000, 4);
    size_t tensor = flat_table(&b, "4");
    (void)flat_vector_of(&b, tensor, 0, 1000, 4);
    for (size_t i = 0; i < 1000; i++) {
        flat_link(&b, subgraphs + 4 * i, subgraph);
        flat_link(&b, tensors + 4 * i, tensor);
    }
    assert_false(try_bytes(b.bytes, b.size));
}

/* A table of lifetimes, and a list in JSON, get the same treatment. */
static void test_other_formats(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"lifetime-csv", "id,lower,upper,size,alignment\na,0,5,100,4\nb,2,9,77,1\n"},
        {"tensor-list",
         "{\"tensors\": [{\"id\": \"a\", \"shape\": [1, 4], \"dtype\": \"int8\"}, {\"id\": \"b\", \"size\": \"4K\"}],\n"
         " \"operators\": [{\"name\": \"ADD\", \"inputs\": [a], \"outputs\": [b]}], \"outputs\": [b]}\n"},
    };
    uint32_t seed = 777;
    for (size_t i = 0; i < 4000; i++) {
        const char *const *row = texts[i % 2];
        char text[400];
        size_t size = strlen(row[1]);
        memcpy(text, row[1], size);
        for (size_t c = next_random(&seed) % 4; c-- > 0;) {
            text[next_random(&seed) % size] = (char)(next_random(&seed) >> 8);
        }
        struct run run = {.arena = {.limit = MEMORY_LIMIT}, .scratch = {.limit = MEMORY_LIMIT}};
        run.diagnostics = diagnostics_start(&run.arena);
        if (run_read(&run, row[0], "test", text, i % 3 == 0 ? next_random(&seed) % size : size)) {
            check_model(&run.model, SIZE_MAX);
        }
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unharmed),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_number_replaced),
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_shared_parts_do_not_multiply),
        cmocka_unit_test(test_other_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
