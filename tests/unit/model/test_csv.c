/* Lifetime tables: half-open times, columns by name, every finding with its line. */
#include "model_run.h"

static bool read_csv(struct run *run, const char *text)
{
    run_start(run);
    return run_read(run, "lifetime-csv", "test.csv", text, strlen(text));
}

static void test_rows(void **state)
{
    (void)state;
    struct run run;
    assert_true(read_csv(&run, "id,lower,upper,size\nb1,0,2,100\nb2,1,1048576,7\n"));
    assert_int_equal(run.diagnostics.list.count, 0);
    assert_int_equal(run.model.tensor_count, 2);
    assert_int_equal(run.model.step_count, 1048576);
    assert_int_equal(run.model.operator_count, 0);
    const struct tensor *tensor = tensor_with_id(&run, "b1");
    assert_life(tensor, 0, 1);
    assert_int_equal(tensor->size, 100);
    assert_int_equal(tensor->alignment, 1);
    assert_int_equal(tensor->role, ROLE_SCRATCH);
    assert_null(tensor->type);
    assert_life(tensor_with_id(&run, "b2"), 1, 1048575);
    assert_int_equal(tensor_with_id(&run, "b2")->span.line, 3);
    run_end(&run);
}

static void test_line_ends_spaces_order_and_alignment(void **state)
{
    (void)state;
    struct run run;
    assert_true(read_csv(&run, "size , alignment,upper,lower,id\r\n 64, 32 ,2,0,x\r\n\r\n8,1,4294967294,0,y"));
    assert_int_equal(tensor_with_id(&run, "x")->size, 64);
    assert_int_equal(tensor_with_id(&run, "x")->alignment, 32);
    assert_life(tensor_with_id(&run, "y"), 0, 4294967293u);
    assert_int_equal(run.model.step_count, 4294967294u);
    run_end(&run);
}

static void test_table_without_rows(void **state)
{
    (void)state;
    struct run run;
    assert_true(read_csv(&run, "id,lower,upper,size\n"));
    assert_int_equal(run.model.tensor_count, 0);
    assert_int_equal(run.model.step_count, 0);
    run_end(&run);
}

static void test_findings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *id, *words;
        uint32_t line, column;
    } rows[] = {
        {"", "model-csv", "empty", 0, 0},
        {"0,0,2,528\n", "model-csv", "'0' is no known column", 1, 1},
        {"id,lower,upper\n", "model-csv", "must name the columns", 1, 1},
        {"id,lower,upper,size,size\n", "model-csv", "'size' stands twice", 1, 21},
        {"id,lower,upper,size\na,0,1\n", "model-csv", "3 fields, but the header names 4", 2, 1},
        {"id,lower,upper,size\na,0,1,2,3\n", "model-csv", "5 fields", 2, 1},
        {"id,lower,upper,size\na,0,1,-2\n", "model-csv", "'-2' is no size", 2, 7},
        {"id,lower,upper,size\na,0,1,0x10\n", "model-csv", "'0x10' is no size", 2, 7},
        {"id,lower,upper,size\na,0,1,281474976710657\n", "model-csv", "up to 281474976710656", 2, 7},
        {"id,lower,upper,size\na,0,99999999999999999999999,1\n", "model-csv", "is no upper", 2, 5},
        {"id,lower,upper,size\na,0,4294967295,1\n", "model-csv", "up to 4294967294", 2, 5},
        {"id,lower,upper,size\na,,1,1\n", "model-csv", "'' is no lower", 2, 3},
        {"id,lower,upper,size\n,0,1,1\n", "model-csv", "the id is empty", 2, 1},
        {"id,lower,upper,size\na,5,5,1\n", "model-lifetime", "no time at all", 2, 1},
        {"id,lower,upper,size,alignment\na,0,1,1,3\n", "model-csv", "3 is no power of two", 2, 1},
        {"id,lower,upper,size\na,0,1,1\nb,0,1,1\na,2,3,1\n", "model-duplicate-id", "the id 'a'", 4, 1},
        {"id,lower,upper,size\na,0,1,281474976710656\nb,0,1,1\n", "model-limit", "together", 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        assert_false(read_csv(&run, rows[i].text));
        assert_finding(&run, 0, rows[i].id, NULL, rows[i].words);
        assert_int_equal(run.diagnostics.list.items[0].span.line, rows[i].line);
        assert_int_equal(run.diagnostics.list.items[0].span.column, rows[i].column);
        run_end(&run);
    }
}

static void test_all_findings_are_collected(void **state)
{
    (void)state;
    struct run run;
    assert_false(read_csv(&run, "id,lower,upper,size\na,x,y,z\nb,3,2,1\nc,0,1,1\nc,0,1,1\n"));
    assert_int_equal(run.diagnostics.list.count, 5);
    run_end(&run);
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    static const char text[] = "id,lower,upper,size\na\0b\xff,0,1,5\n";
    struct run run;
    run_start(&run);
    assert_true(run_read(&run, "lifetime-csv", "test.csv", text, sizeof text - 1));
    assert_string_equal(run.model.tensors[0].id, "a?b?");
    run_end(&run);
}

/* What the published inputs are known to hold: the number of buffers, and a size that fits them all. */
static void test_published_inputs(void **state)
{
    (void)state;
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    static const struct {
        const char *name;
        size_t count;
        uint64_t bound;
    } rows[] = {
        {"hard_D", 0, 986112}, {"hard_J", 0, 989184}, {"hard_A", 0, 1048576}, {"planted_100_0", 100, 0}, {"chain2000", 2000, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        run_start(&run);
        const struct model *model;
        const char *path = arena_format(&run.arena, "%s/instances/%s.csv", corpus != NULL ? corpus : "", rows[i].name);
        if (!file_exists(path)) {
            run_end(&run);
            print_message("skipped: HELIA_PLACEMENT_CORPUS names no corpus of lifetime tables\n");
            skip();
        }
        assert_true(model_read(&run.arena, &run.diagnostics, path, SPAN_NONE, &model));
        if (rows[i].count != 0) {
            assert_int_equal(model->tensor_count, rows[i].count);
        }
        if (rows[i].bound != 0) {
            assert_int_equal(model_peak_live(model, 1, &run.scratch), rows[i].bound);
        }
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_line_ends_spaces_order_and_alignment),
        cmocka_unit_test(test_table_without_rows),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_all_findings_are_collected),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_published_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
