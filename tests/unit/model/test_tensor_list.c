/* Tensor lists: sizes, lifetimes stated or following from operators, data files, and every finding. */
#include "model_run.h"

#include "model/tensor_list.h"

static bool read_list(struct run *run, const char *text)
{
    run_start(run);
    return run_read(run, "tensor-list", "test.yaml", text, strlen(text));
}

static void test_stated_lifetimes(void **state)
{
    (void)state;
    struct run run;
    assert_true(read_list(&run,
                          "tensors:\n"
                          "  - {id: a, size: 64K, start_op: 0, end_op: 3}\n"
                          "  - {id: b, name: second, shape: [1, 49, 10], dtype: int16, alignment: 32, start_op: 2, end_op: 7}\n"
                          "  - {id: s, type: persistent, size: 100}\n"
                          "  - {id: w, type: constant, size: 20}\n"));
    assert_int_equal(run.diagnostics.list.count, 0);
    assert_int_equal(run.model.step_count, 8);
    const struct tensor *a = tensor_with_id(&run, "a");
    assert_int_equal(a->size, 65536);
    assert_int_equal(a->alignment, 1);
    assert_null(a->type);
    assert_null(a->shape);
    assert_life(a, 0, 3);
    const struct tensor *b = tensor_with_id(&run, "second");
    assert_int_equal(b->size, 980);
    assert_int_equal(b->alignment, 32);
    assert_int_equal(b->rank, 3);
    assert_int_equal(b->span.line, 3);
    assert_int_equal(tensor_with_id(&run, "s")->role, ROLE_PERSISTENT);
    assert_life(tensor_with_id(&run, "s"), 0, 7);
    assert_int_equal(tensor_with_id(&run, "w")->role, ROLE_CONSTANT);
    assert_int_equal(tensor_with_id(&run, "w")->data_size, 0);
    assert_int_equal(run.model.weight_bytes, 20);
    run_end(&run);
}

static void test_lifetimes_from_operators(void **state)
{
    (void)state;
    struct run run;
    assert_true(read_list(&run,
                          "{\"tensors\": [{\"id\": \"x\", \"size\": 8}, {\"id\": \"m\", \"shape\": [3], \"dtype\": \"int4\"},\n"
                          "  {\"id\": \"y\", \"size\": 8}, {\"id\": \"u\", \"size\": 8},\n"
                          "  {\"id\": \"k\", \"size\": 8, \"start_op\": 0, \"end_op\": 0}],\n"
                          " \"operators\": [{\"name\": \"A\", \"inputs\": [\"x\"], \"outputs\": [\"m\"]},\n"
                          "  {\"name\": \"B\", \"inputs\": [\"m\", \"k\"], \"outputs\": [\"y\"]}, {\"name\": \"C\"}],\n"
                          " \"inputs\": [\"x\"], \"outputs\": [\"y\"]}"));
    assert_int_equal(run.model.step_count, 3);
    assert_int_equal(run.model.operator_count, 3);
    assert_string_equal(run.model.operators[1].name, "B");
    assert_life(tensor_with_id(&run, "x"), 0, 0);
    assert_true(tensor_with_id(&run, "x")->is_input);
    assert_life(tensor_with_id(&run, "m"), 0, 1);
    assert_int_equal(tensor_with_id(&run, "m")->size, 2); /* three elements of four bits */
    assert_life(tensor_with_id(&run, "y"), 1, 2);         /* output: to the last operator */
    assert_true(tensor_with_id(&run, "y")->is_output);
    assert_false(tensor_with_id(&run, "u")->is_live); /* no operator touches it */
    assert_life(tensor_with_id(&run, "k"), 0, 0);     /* stated, so not widened */
    run_end(&run);
}

/* Writes a data file beside the list, as a user would have it. */
static void test_data_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/helia-model-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct run run;
    run_start(&run);
    const char *list = arena_format(&run.arena, "%s/list.yaml", folder);
    const char *data = arena_format(&run.arena, "%s/three.bin", folder);
    static const char text[] = "tensors:\n"
                               "  - {id: s, shape: [], dtype: float32, start_op: 0, end_op: 0}\n"
                               "  - {id: w, type: constant, data: three.bin}\n"
                               "  - {id: v, type: constant, data: three.bin, shape: [3], dtype: uint8}\n";
    bool changed;
    struct file_error error;
    assert_true(file_replace(&run.arena, list, text, sizeof text - 1, &changed, &error));
    assert_true(file_replace(&run.arena, data, "abc", 3, &changed, &error));
    const struct model *model;
    bool ok = model_read(&run.arena, &run.diagnostics, list, SPAN_NONE, &model);
    assert_true(file_replace(&run.arena, data, "abcd", 4, &changed, &error));
    const struct model *again;
    bool ok_again = model_read(&run.arena, &run.diagnostics, list, SPAN_NONE, &again);
    (void)remove(list);
    (void)remove(data);
    (void)remove(folder);
    assert_true(ok);
    assert_string_equal(model->format, "tensor-list");
    assert_string_equal(model->name, "list");
    assert_int_equal(model->tensors[0].size, 4);
    assert_int_equal(model->tensors[1].size, 3);
    assert_int_equal(model->tensors[2].data_offset, 3);
    assert_int_equal(model->content.size, 6);
    assert_memory_equal(model->content.data, "abcabc", 6);
    assert_false(ok_again);
    assert_finding(&run, 0, "model-data-size", NULL, "has 3 bytes, but its data file holds 4");
    assert_int_equal(run.diagnostics.list.count, 1);
    run_end(&run);
}

#define LIVE "start_op: 0, end_op: 0"

static void test_findings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *id, *words;
        uint32_t line;
    } rows[] = {
        {"operators: []\n", "missing-key", "tensors", 1},
        {"tensors:\n  - {size: 4}\n", "missing-key", "id", 2},
        {"tensors:\n  - {id: a, size: 4, " LIVE ", colour: red}\n", "unknown-key", "colour", 2},
        {"tensors:\n  - {id: a, size: 4, " LIVE "}\n  - {id: a, size: 4, " LIVE "}\n", "model-duplicate-id", "id 'a'", 3},
        {"tensors:\n  - {id: a, " LIVE "}\n", "model-unknown-size", "give size, or shape and dtype", 2},
        {"tensors:\n  - {id: a, shape: [4], " LIVE "}\n", "model-unknown-size", "'a' has no size", 2},
        {"tensors:\n  - {id: a, shape: [4], dtype: strange, " LIVE "}\n", "unknown-choice", "'strange'", 2},
        {"tensors:\n  - {id: a, shape: [4], dtype: string, " LIVE "}\n", "unknown-choice", "no element type of known size", 2},
        {"tensors:\n  - {id: a, shape: [-4], dtype: int8, " LIVE "}\n", "bad-value", "a dimension", 2},
        {"tensors:\n  - {id: a, shape: [2147483648], dtype: int8, " LIVE "}\n", "bad-value", "a dimension", 2},
        {"tensors:\n  - {id: a, shape: [2147483647, 2147483647], dtype: int8, " LIVE "}\n", "model-limit", "needs more than", 2},
        {"tensors:\n  - {id: a, size: 3, shape: [4], dtype: int8, " LIVE "}\n", "bad-value", "but its shape and dtype need 4", 2},
        {"tensors:\n  - {id: a, size: 4, alignment: 24, " LIVE "}\n", "bad-value", "power of two", 2},
        {"tensors:\n  - {id: a, size: 4, type: weights, " LIVE "}\n", "unknown-choice", "type", 2},
        {"tensors:\n  - {id: a, size: 4}\n", "model-lifetime", "has no lifetime", 2},
        {"tensors:\n  - {id: a, size: 4, start_op: 1}\n", "model-lifetime", "only one end", 2},
        {"tensors:\n  - {id: a, size: 4, start_op: 2, end_op: 1}\n", "model-lifetime", "before it starts at 2", 2},
        {"tensors:\n  - {id: a, size: 4, start_op: 0, end_op: 1}\noperators: [{name: A}]\n", "model-lifetime",
         "the list has 1 operators", 2},
        {"tensors:\n  - {id: a, size: 4, " LIVE "}\noperators:\n  - {name: A, inputs: [b]}\n", "model-bad-index",
         "no tensor has the id 'b'", 4},
        {"tensors:\n  - {id: a, size: 4, " LIVE "}\noutputs: [c]\n", "model-bad-index", "no tensor has the id 'c'", 3},
        {"tensors:\n  - {id: a, size: 4, data: x.bin, " LIVE "}\n", "bad-value", "only a constant has data", 2},
        {"tensors:\n  - {id: a, type: constant, data: no-such-file.bin}\n", "file-unreadable", "no-such-file.bin", 2},
        {"tensors: [\n", "yaml-syntax", "", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        assert_false(read_list(&run, rows[i].text));
        assert_finding(&run, 0, rows[i].id, NULL, rows[i].words);
        if (run.diagnostics.list.count != 1) {
            print_findings(&run);
        }
        assert_int_equal(run.diagnostics.list.count, 1);
        assert_int_equal(run.diagnostics.list.items[0].span.line, rows[i].line);
        run_end(&run);
    }
}

/* The text between ```LANGUAGE and ``` after a line that holds `marker`. */
static const char *example(struct arena *arena, const char *text, const char *marker, const char *language)
{
    const char *section = strstr(text, marker);
    assert_non_null(section);
    const char *start = strstr(section, arena_format(arena, "```%s\n", language));
    assert_non_null(start);
    start = strchr(start, '\n') + 1;
    const char *end = strstr(start, "```");
    assert_non_null(end);
    return arena_copy(arena, start, (size_t)(end - start));
}

/* The examples of docs/formats.md are read, and they hold what the page says of them. */
static void test_documented_examples(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct bytes page;
    struct file_error error;
    assert_true(file_read(&run.arena, PROJECT_FOLDER "/docs/formats.md", 1 << 20, &page, &error));
    const char *text = (const char *)page.data;
    const char *list = example(&run.arena, text, "### Tensor lists", "yaml");
    assert_true(run_read(&run, "tensor-list", "example.yaml", list, strlen(list)));
    assert_int_equal(run.model.tensor_count, 4);
    assert_int_equal(tensor_with_id(&run, "features")->size, 490);
    assert_life(tensor_with_id(&run, "words"), 1, 1);
    struct text reference = text_start(&run.arena);
    schema_print_reference(&tensor_list_schema, 4, &reference);
    assert_non_null(strstr(text, reference.data)); /* the page's tables are what the schema prints */
    const char *csv = example(&run.arena, text, "### Lifetime tables", "csv");
    assert_true(run_read(&run, "lifetime-csv", "example.csv", csv, strlen(csv)));
    assert_int_equal(run.model.tensor_count, 3);
    assert_int_equal(model_peak_live(&run.model, 1, &run.scratch), 30208);
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stated_lifetimes),    cmocka_unit_test(test_lifetimes_from_operators),
        cmocka_unit_test(test_data_files),          cmocka_unit_test(test_findings),
        cmocka_unit_test(test_documented_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
