/* A model as a table and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doc/doc.h"
#include "report/report.h"

static const int32_t shape[] = {1, 49};
static const uint32_t both[] = {0, 1, TENSOR_NONE};
static const uint32_t result[] = {2};

struct fixture {
    struct arena arena;
    struct diagnostics diagnostics;
    struct tensor tensors[4];
    struct model_operator operators[1];
    struct model model;
    struct text out;
};

static void start(struct fixture *f)
{
    *f = (struct fixture){0};
    f->diagnostics = diagnostics_start(&f->arena);
    f->out = text_start(&f->arena);
    const struct element_type *int8 = element_type_by_name("int8");
    f->tensors[0] = (struct tensor){.id = "0",
                                    .name = "in",
                                    .type = int8,
                                    .size = 49,
                                    .alignment = 1,
                                    .is_live = true,
                                    .is_input = true,
                                    .is_dynamic = true,
                                    .shape = shape,
                                    .rank = 2,
                                    .buffer = UINT32_MAX,
                                    .variable = TENSOR_NONE};
    f->tensors[1] = (struct tensor){.id = "1",
                                    .name = "w",
                                    .type = int8,
                                    .size = 20,
                                    .alignment = 1,
                                    .role = ROLE_CONSTANT,
                                    .is_live = true,
                                    .shape = shape,
                                    .rank = 0,
                                    .buffer = 3,
                                    .data_offset = 64,
                                    .data_size = 20,
                                    .variable = TENSOR_NONE};
    f->tensors[2] = (struct tensor){.id = "2",
                                    .name = "out",
                                    .size = 10,
                                    .alignment = 1,
                                    .is_live = true,
                                    .is_output = true,
                                    .buffer = UINT32_MAX,
                                    .variable = TENSOR_NONE};
    f->tensors[3] = (struct tensor){.id = "3",
                                    .name = "",
                                    .size = 7,
                                    .alignment = 4,
                                    .role = ROLE_PERSISTENT,
                                    .is_live = true,
                                    .buffer = UINT32_MAX,
                                    .variable = TENSOR_NONE};
    f->operators[0] = (struct model_operator){.name = "MUL", .inputs = {both, 3}, .outputs = {result, 1}};
    f->model = (struct model){.name = "tiny",
                              .format = "tflite",
                              .tensors = f->tensors,
                              .tensor_count = 4,
                              .operators = f->operators,
                              .operator_count = 1,
                              .step_count = 1,
                              .subgraph_count = 1,
                              .weight_bytes = 20};
}

static void test_table(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    f.tensors[2].is_live = false;
    report_model_table(&f.model, &f.out);
    static const char *const lines[] = {
        "model tiny (tflite): 1 operator, 4 tensors, 1 subgraph\n",
        "\n     0  0         MUL       2        0 1 -\n",
        "\n 0  int8  1x49              49  scratch     0..0      in (input)\n",
        "\n 1  int8  scalar            20  constant    0..0      w\n",
        "\n 2  -     -                 10  scratch     -         out (output)\n",
        "\n 3  -     -                  7  persistent  0..0\n",
        "\nscratch bytes, all tensors             49\n",
        "\npeak live                              64  ",
        "\nconstant bytes                         20  ",
        "\npersistent bytes                        7\n",
        "note: 1 tensor has a dimension that is open in the model; the shape shown is what is planned: 0\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strstr(f.out.data, lines[i]) == NULL) {
            fail_msg("no line '%s' in\n%s", lines[i], f.out.data);
        }
    }
    assert_null(strstr(f.out.data, " \n"));
    arena_free(&f.arena);
}

/* Follows a path in the JSON and compares the text there. */
static void assert_at(const struct node *root, const char *path, const char *expected)
{
    const struct node *node = node_find(root, path);
    if (node == NULL) {
        fail_msg("nothing at %s", path);
    }
    assert_string_equal(node->kind == NODE_SCALAR ? node->text : node_kind_name(node), expected);
}

static void test_json(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    report_model_json(&f.model, &f.out);
    uint32_t source = diag_add_source(&f.diagnostics, "out.json", (struct bytes){(const uint8_t *)f.out.data, f.out.size});
    const struct node *root;
    assert_true(doc_parse(&f.arena, &f.diagnostics, source, &root));
    static const char *const rows[][2] = {
        {"schema", "helia-placement/model/1"},
        {"name", "tiny"},
        {"format", "tflite"},
        {"step_count", "1"},
        {"operators.0.name", "MUL"},
        {"operators.0.inputs.1", "1"},
        {"operators.0.inputs.2", "null"},
        {"operators.0.outputs.0", "2"},
        {"operators.0.step", "0"},
        {"tensors.0.id", "0"},
        {"tensors.0.type", "int8"},
        {"tensors.0.shape.1", "49"},
        {"tensors.0.is_dynamic", "true"},
        {"tensors.0.buffer", "null"},
        {"tensors.1.role", "constant"},
        {"tensors.1.buffer", "3"},
        {"tensors.1.data_offset", "64"},
        {"tensors.1.data_size", "20"},
        {"tensors.1.shape", "a list"},
        {"tensors.2.type", "null"},
        {"tensors.2.shape", "null"},
        {"tensors.3.alignment", "4"},
        {"tensors.3.end_op", "0"},
        {"totals.scratch_bytes", "59"},
        {"totals.persistent_bytes", "7"},
        {"totals.constant_bytes", "20"},
        {"totals.peak_live", "80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_at(root, rows[i][0], rows[i][1]);
    }
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
