/* `.tflite` files: tensors, roles, sizes, and every finding where it fires and where it stays quiet. */
#include "flat_builder.h"

enum { FLOAT32 = 0, INT32 = 2, STRING = 5, INT16 = 7, INT8 = 9, RESOURCE = 13, VARIANT = 14, INT4 = 17 };

#define ENDS(...)                                                                                                                \
    {                                                                                                                            \
        __VA_ARGS__, LIST_END                                                                                                    \
    }
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* in -> op 0 -> mid -> op 1 -> out, with weights in buffer 1. */
static const struct test_tensor chain_tensors[] = {
    {.name = "in", .type = INT8, .rank = 2, .shape = {1, 10}},
    {.name = "weights", .type = INT8, .rank = 2, .shape = {10, 10}, .buffer = 1},
    {.name = "mid", .type = INT16, .rank = 2, .shape = {1, 10}},
    {.name = "out", .type = FLOAT32, .rank = 0},
};
static const struct test_operator chain_operators[] = {
    {.code = 0, .inputs = ENDS(0, 1, -1), .outputs = ENDS(2), .intermediates = ENDS(LIST_END)},
    {.code = 1, .inputs = ENDS(2), .outputs = ENDS(3), .intermediates = ENDS(LIST_END)},
};

/* A copy of the chain that a test may change before it is read. */
struct chain {
    struct test_tensor tensors[4];
    struct test_operator operators[2];
    struct test_subgraph subgraph;
    struct test_model model;
};

static void chain_start(struct chain *chain)
{
    memcpy(chain->tensors, chain_tensors, sizeof chain_tensors);
    memcpy(chain->operators, chain_operators, sizeof chain_operators);
    chain->subgraph = (struct test_subgraph){chain->tensors, 4, chain->operators, 2, ENDS(0), ENDS(3)};
    chain->model = (struct test_model){.codes = {{9, NULL}, {32, "MY_OP"}},
                                       .code_count = 2,
                                       .buffer_sizes = {0, 100},
                                       .buffer_count = 2,
                                       .subgraphs = &chain->subgraph,
                                       .subgraph_count = 1};
}

static void test_chain(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(run.diagnostics.list.count, 0);
    const struct model *model = &run.model;
    assert_int_equal(model->tensor_count, 4);
    assert_int_equal(model->step_count, 2);
    assert_int_equal(model->weight_bytes, 100);
    assert_int_equal(tensor_with_id(&run, "0")->role, ROLE_SCRATCH);
    assert_true(tensor_with_id(&run, "0")->is_input);
    assert_life(tensor_with_id(&run, "0"), 0, 0);
    assert_int_equal(tensor_with_id(&run, "1")->role, ROLE_CONSTANT);
    assert_int_equal(tensor_with_id(&run, "1")->buffer, 1);
    assert_int_equal(tensor_with_id(&run, "1")->data_size, 100);
    assert_int_equal(tensor_with_id(&run, "mid")->size, 20);
    assert_int_equal(tensor_with_id(&run, "mid")->alignment, 2);
    assert_life(tensor_with_id(&run, "mid"), 0, 1);
    assert_int_equal(tensor_with_id(&run, "3")->size, 4);
    assert_true(tensor_with_id(&run, "3")->is_output);
    assert_string_equal(model->operators[0].name, "FULLY_CONNECTED");
    assert_string_equal(model->operators[1].name, "MY_OP");
    assert_int_equal(model->operators[0].inputs.count, 3);
    assert_int_equal(model->operators[0].inputs.tensors[2], TENSOR_NONE);
    run_end(&run);
}

static void test_narrow_elements_are_packed(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[0] = (struct test_tensor){.name = "in", .type = INT4, .rank = 1, .shape = {15}};
    chain.tensors[1].type = INT4; /* 100 elements in 50 bytes */
    chain.model.buffer_sizes[1] = 50;
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(tensor_with_id(&run, "0")->size, 8);
    assert_int_equal(tensor_with_id(&run, "1")->size, 50);
    run_end(&run);
}

static void test_open_dimension_is_noted_and_concrete_shape_counts(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[0].is_open = true;
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_true(tensor_with_id(&run, "0")->is_dynamic);
    assert_false(tensor_with_id(&run, "2")->is_dynamic);
    assert_int_equal(tensor_with_id(&run, "0")->size, 10);
    run_end(&run);
}

static void test_empty_dimension_is_no_bytes(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[2] = (struct test_tensor){.name = "mid", .type = INT8, .rank = 3, .shape = {INT32_MAX, INT32_MAX, 0}};
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(tensor_with_id(&run, "2")->size, 0);
    run_end(&run);
}

static void test_variable_tensor(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[2].is_variable = true;
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(run.diagnostics.list.count, 0);
    assert_int_equal(tensor_with_id(&run, "2")->role, ROLE_PERSISTENT);
    run_end(&run);
    chain.tensors[2].buffer = 1; /* bytes of value 1 */
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(tensor_with_id(&run, "2")->role, ROLE_PERSISTENT);
    assert_finding(&run, 0, "model-variable-data", "subgraph 0, tensor 2 'mid'", "start as zeros");
    run_end(&run);
}

static void test_shared_bytes_count_once(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[0].buffer = 1;
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(tensor_with_id(&run, "0")->role, ROLE_CONSTANT);
    assert_int_equal(tensor_with_id(&run, "0")->data_offset, tensor_with_id(&run, "1")->data_offset);
    assert_int_equal(run.model.weight_bytes, 100);
    run_end(&run);
}

/* Reads what must be refused with one finding. */
static void refuse(const struct chain *chain, const char *id, const char *place, const char *words)
{
    struct run run;
    assert_false(read_model(&run, &chain->model));
    assert_finding(&run, 0, id, place, words);
    assert_int_equal(run.diagnostics.list.count, 1);
    run_end(&run);
}

static void test_size_that_no_plan_can_know(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        int32_t dimension;
        const char *words;
    } rows[] = {
        {STRING, 1, "of type string"},
        {VARIANT, 1, "of type variant"},
        {RESOURCE, 1, "of type resource"},
        {99, 1, "none that is known here"},
        {INT8, -1, "a dimension of its shape is negative"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct chain chain;
        chain_start(&chain);
        chain.tensors[2].type = rows[i].type;
        chain.tensors[2].shape[0] = rows[i].dimension;
        refuse(&chain, "model-unknown-size", "subgraph 0, tensor 2 'mid'", rows[i].words);
        chain.operators[0].outputs[0] = 0; /* the same tensor, but nothing touches it */
        chain.operators[1].inputs[0] = 0;
        struct run run;
        assert_true(read_model(&run, &chain.model));
        assert_int_equal(run.diagnostics.list.count, 0);
        assert_false(run.model.tensors[2].is_live);
        run_end(&run);
    }
}

static void test_shape_beyond_all_bounds(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[2].rank = 3;
    for (size_t i = 0; i < 3; i++) {
        chain.tensors[2].shape[i] = INT32_MAX;
    }
    refuse(&chain, "model-limit", "subgraph 0, tensor 2 'mid'", "its size is above");
}

static void test_sum_beyond_all_bounds(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    for (size_t i = 0; i < 4; i += 2) {
        chain.tensors[i].type = INT8;
        chain.tensors[i].rank = 2;
        chain.tensors[i].shape[0] = 1 << 24;
        chain.tensors[i].shape[1] = 1 << 24; /* 2^48 bytes, the limit, twice */
    }
    refuse(&chain, "model-limit", NULL, "together");
}

static void test_constant_with_too_few_bytes(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.model.buffer_sizes[1] = 99;
    refuse(&chain, "model-data-size", "subgraph 0, tensor 1 'weights'", "needs 100 bytes of type int8, but buffer 1 holds 99");
    chain.model.buffer_sizes[1] = 101; /* padding behind the data is kept */
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_int_equal(tensor_with_id(&run, "1")->size, 101);
    run_end(&run);
}

static void test_external_bytes(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[1].external_buffer = 1;
    refuse(&chain, "model-external-data", "subgraph 0, tensor 1 'weights'", "another file");
}

static void test_bad_indices(void **state)
{
    (void)state;
    struct chain chain;
    struct run run;
    chain_start(&chain);
    chain.tensors[0].buffer = 2;
    chain.operators[0].inputs[1] = 4;
    chain.operators[0].outputs[0] = -1; /* only inputs may be absent */
    chain.operators[1].inputs[0] = -2;
    chain.operators[1].code = 2;
    chain.operators[1].intermediates[0] = 77;
    chain.operators[1].intermediates[1] = LIST_END;
    chain.subgraph.inputs[0] = 9;
    assert_false(read_model(&run, &chain.model));
    static const struct {
        const char *place, *words;
    } rows[] = {
        {"subgraph 0, tensor 0 'in'", "refers to buffer 2, but the model has 2"},
        {"subgraph 0", "input 0 is tensor 9, but the subgraph has 4 tensors"},
        {"subgraph 0, operator 0 (FULLY_CONNECTED)", "input 1 is tensor 4"},
        {"subgraph 0, operator 0 (FULLY_CONNECTED)", "output 0 is tensor -1"},
        {"subgraph 0, operator 1 (unknown)", "operator code 2, but the model has 2"},
        {"subgraph 0, operator 1 (unknown)", "input 0 is tensor -2"},
        {"subgraph 0, operator 1 (unknown)", "intermediate 0 is tensor 77"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_finding(&run, i, "model-bad-index", rows[i].place, rows[i].words);
    }
    assert_int_equal(run.diagnostics.list.count, COUNT(rows));
    run_end(&run);
}

static void test_flags_of_changed_inputs(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.operators[0].mutating_count = 2;
    refuse(&chain, "model-corrupt", "subgraph 0, operator 0 (FULLY_CONNECTED)", "2 inputs");
    chain.operators[0].mutating_count = 3;
    struct run run;
    assert_true(read_model(&run, &chain.model));
    run_end(&run);
}

static void test_operator_code_fields(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.model.codes[0].number = 142; /* the builder puts 127 into the narrow field */
    chain.model.codes[1] = (struct test_code){9999, NULL};
    chain.operators[0] = (struct test_operator){.code = 0,
                                                .inputs = {LIST_END},
                                                .outputs = ENDS(2),
                                                .intermediates = {LIST_END},
                                                .options_type = 111,
                                                .shared_name = "v"};
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_string_equal(run.model.operators[0].name, "VAR_HANDLE");
    assert_string_equal(run.model.operators[1].name, "BUILTIN_9999");
    run_end(&run);
}

static void test_other_files(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.model.version = 2;
    refuse(&chain, "model-not-tflite", NULL, "version 2");
    struct run run;
    run_start(&run);
    assert_false(run_read(&run, "tflite", "test.tflite",
                          "\x7f"
                          "ELF and more",
                          12));
    assert_finding(&run, 0, "model-not-tflite", NULL, "no TensorFlow Lite model");
    run_end(&run);
    run_start(&run);
    assert_false(run_read(&run, "tflite", "test.tflite", "", 0));
    assert_finding(&run, 0, "model-not-tflite", NULL, "no TensorFlow Lite model");
    run_end(&run);
}

static void test_model_without_subgraph(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.model.subgraph_count = 0;
    refuse(&chain, "model-corrupt", NULL, "0 subgraphs");
}

static void test_names_cannot_steer_a_terminal(void **state)
{
    (void)state;
    struct chain chain;
    chain_start(&chain);
    chain.tensors[0].name = "a\033[31m\xff";
    struct run run;
    assert_true(read_model(&run, &chain.model));
    assert_string_equal(run.model.tensors[0].name, "a?[31m?");
    run_end(&run);
}

/* The newer form: no data in the FlatBuffer, but offset and size of bytes behind it. */
static void test_bytes_behind_the_flatbuffer(void **state)
{
    (void)state;
    struct flat_builder b;
    flat_begin(&b, "TFL3");
    size_t root = flat_table(&b, "4.4.4");
    flat_link(&b, 0, root);
    flat_set(&b, root, 0, 3, 4);
    size_t subgraphs = flat_vector_of(&b, root, 2, 1, 4);
    size_t buffers = flat_vector_of(&b, root, 4, 2, 4);
    static const struct test_tensor weights = {.name = "w", .type = INT8, .rank = 1, .shape = {6}, .buffer = 1};
    static const struct test_subgraph subgraph = {&weights, 1, NULL, 0, {LIST_END}, ENDS(0)};
    put_subgraph(&b, subgraphs, &subgraph);
    put_buffer(&b, buffers, 0);
    size_t outer = flat_table(&b, ".88");
    flat_link(&b, buffers + 4, outer);
    flat_set(&b, outer, 1, b.size, 8);
    flat_set(&b, outer, 2, 6, 8);
    size_t data = b.size;
    for (size_t i = 0; i < 6; i++) {
        flat_put(&b, i, 1);
    }
    struct run run;
    run_start(&run);
    assert_true(run_read(&run, "tflite", "test.tflite", b.bytes, b.size));
    assert_int_equal(tensor_with_id(&run, "0")->role, ROLE_CONSTANT);
    assert_int_equal(tensor_with_id(&run, "0")->data_offset, data);
    assert_int_equal(tensor_with_id(&run, "0")->data_size, 6);
    run_end(&run);
    run_start(&run);
    assert_false(run_read(&run, "tflite", "test.tflite", b.bytes, b.size - 1));
    assert_finding(&run, 0, "model-corrupt", "buffer 1", "does not end within the file");
    run_end(&run);
}

/* Findings beyond the sink's limit are counted, and none is lost from the count's point of view. */
static void test_many_findings(void **state)
{
    (void)state;
    static struct test_tensor tensors[100];
    static struct test_operator operators[100];
    for (size_t i = 0; i < 100; i++) {
        tensors[i] = (struct test_tensor){.name = "t", .type = STRING};
        operators[i] = (struct test_operator){.inputs = ENDS(500, 501, 502), .outputs = {LIST_END}, .intermediates = {LIST_END}};
    }
    struct chain chain;
    chain_start(&chain);
    chain.subgraph = (struct test_subgraph){tensors, 60, operators, 100, {LIST_END}, {LIST_END}};
    struct run run;
    assert_false(read_model(&run, &chain.model));
    assert_int_equal(run.diagnostics.list.count, DIAG_LIMIT);
    assert_true(run.diagnostics.dropped > 0);
    run_end(&run);
}

static void test_ending_of_the_file_name(void **state)
{
    (void)state;
    struct run run;
    const struct model *model = NULL;
    run_start(&run);
    assert_false(model_read(&run.arena, &run.diagnostics, "model.onnx", SPAN_NONE, &model));
    assert_finding(&run, 0, "model-format", NULL, "'model.onnx'");
    run_end(&run);
    run_start(&run);
    assert_false(model_read(&run.arena, &run.diagnostics, "no-such-file.TFLITE", SPAN_NONE, &model));
    assert_finding(&run, 0, "file-unreadable", NULL, "no-such-file.TFLITE");
    assert_null(model);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_narrow_elements_are_packed),
        cmocka_unit_test(test_open_dimension_is_noted_and_concrete_shape_counts),
        cmocka_unit_test(test_empty_dimension_is_no_bytes),
        cmocka_unit_test(test_variable_tensor),
        cmocka_unit_test(test_shared_bytes_count_once),
        cmocka_unit_test(test_size_that_no_plan_can_know),
        cmocka_unit_test(test_shape_beyond_all_bounds),
        cmocka_unit_test(test_sum_beyond_all_bounds),
        cmocka_unit_test(test_constant_with_too_few_bytes),
        cmocka_unit_test(test_external_bytes),
        cmocka_unit_test(test_bad_indices),
        cmocka_unit_test(test_flags_of_changed_inputs),
        cmocka_unit_test(test_operator_code_fields),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_model_without_subgraph),
        cmocka_unit_test(test_names_cannot_steer_a_terminal),
        cmocka_unit_test(test_bytes_behind_the_flatbuffer),
        cmocka_unit_test(test_many_findings),
        cmocka_unit_test(test_ending_of_the_file_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
