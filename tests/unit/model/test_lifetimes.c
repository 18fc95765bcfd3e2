/* When tensors live: widening and merging, subgraphs that operators call, resource variables, and the lower bound. */
#include "flat_builder.h"

enum { INT32 = 2, BOOL = 6, INT8 = 9, RESOURCE = 13 };
enum { ADD, WHILE, IF, CALL_ONCE, VAR_HANDLE, READ, ASSIGN, CODE_COUNT };
enum { OPTIONS_IF = 92, OPTIONS_WHILE = 93, OPTIONS_CALL_ONCE = 103, OPTIONS_VAR_HANDLE = 111 };

#define ENDS(...)                                                                                                                \
    {                                                                                                                            \
        __VA_ARGS__, LIST_END                                                                                                    \
    }
#define NOTHING                                                                                                                  \
    {                                                                                                                            \
        LIST_END                                                                                                                 \
    }
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))
#define SUBGRAPH(tensors, operators, ...)                                                                                        \
    {                                                                                                                            \
        tensors, COUNT(tensors), operators, COUNT(operators), __VA_ARGS__                                                        \
    }

static bool read_subgraphs(struct run *run, const struct test_subgraph *subgraphs, uint32_t count)
{
    const struct test_model model = {
        .codes = {{0, NULL}, {119, NULL}, {118, NULL}, {129, NULL}, {142, NULL}, {143, NULL}, {144, NULL}},
        .code_count = CODE_COUNT,
        .buffer_sizes = {0, 64},
        .buffer_count = 2,
        .subgraphs = subgraphs,
        .subgraph_count = count,
    };
    return read_model(run, &model);
}

static void test_add_op_and_merge(void **state)
{
    (void)state;
    struct tensor a = {0};
    struct tensor b = {0};
    tensor_add_op(&a, 5);
    assert_life(&a, 5, 5);
    tensor_add_op(&a, 9);
    tensor_add_op(&a, 7);
    assert_life(&a, 5, 9);
    tensor_add_op(&b, 2);
    tensor_merge_lifetime(&a, &b);
    assert_life(&a, 2, 9);
    struct tensor dead = {.start_op = 0, .end_op = 99};
    tensor_merge_lifetime(&a, &dead);
    assert_life(&a, 2, 9);
    tensor_merge_lifetime(&dead, &a);
    assert_life(&dead, 2, 9);
}

/* Main: ADD, WHILE(1, 2), IF(2, 3), ADD. Subgraph 2 is called from both, subgraph 3 only by the IF, subgraph 4 by subgraph 2,
 * subgraph 5 by nobody. */
static void test_called_subgraphs_live_with_their_callers(void **state)
{
    (void)state;
    static const struct test_tensor one[] = {{.name = "x", .type = INT8, .rank = 1, .shape = {8}},
                                             {.name = "y", .type = INT8, .rank = 1, .shape = {8}}};
    static const struct test_operator main_operators[] = {
        {.code = ADD, .inputs = ENDS(0, 0), .outputs = ENDS(1), .intermediates = NOTHING},
        {.code = WHILE,
         .inputs = ENDS(1),
         .outputs = ENDS(1),
         .intermediates = NOTHING,
         .options_type = OPTIONS_WHILE,
         .callees = {1, 2}},
        {.code = IF,
         .inputs = ENDS(1, 1),
         .outputs = ENDS(1),
         .intermediates = NOTHING,
         .options_type = OPTIONS_IF,
         .callees = {2, 3}},
        {.code = ADD, .inputs = ENDS(1, 1), .outputs = ENDS(1), .intermediates = NOTHING},
    };
    static const struct test_operator plain[] = {
        {.code = ADD, .inputs = ENDS(0, 0), .outputs = ENDS(1), .intermediates = NOTHING}};
    static const struct test_operator nested[] = {
        {.code = ADD, .inputs = ENDS(0, 0), .outputs = ENDS(1), .intermediates = NOTHING},
        {.code = IF,
         .inputs = ENDS(0, 0),
         .outputs = ENDS(1),
         .intermediates = NOTHING,
         .options_type = OPTIONS_IF,
         .callees = {4, 4}},
    };
    const struct test_subgraph subgraphs[] = {
        SUBGRAPH(one, main_operators, ENDS(0), ENDS(1)), SUBGRAPH(one, plain, ENDS(0), ENDS(1)),
        SUBGRAPH(one, nested, ENDS(0), ENDS(1)),         SUBGRAPH(one, plain, ENDS(0), ENDS(1)),
        SUBGRAPH(one, plain, NOTHING, NOTHING),          SUBGRAPH(one, plain, ENDS(0), ENDS(1)),
    };
    struct run run;
    assert_true(read_subgraphs(&run, subgraphs, COUNT(subgraphs)));
    static const struct {
        const char *id;
        uint32_t start, end;
    } rows[] = {{"0", 0, 0},   {"1", 0, 3},   {"1:0", 1, 1}, {"1:1", 1, 1}, {"2:0", 1, 2},
                {"2:1", 1, 2}, {"3:1", 2, 2}, {"4:0", 1, 2}, {"4:1", 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_life(tensor_with_id(&run, rows[i].id), rows[i].start, rows[i].end);
    }
    assert_false(tensor_with_id(&run, "5:0")->is_live);
    assert_finding(&run, 0, "model-unused-subgraph", "subgraph 5", "no operator calls it");
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_int_equal(run.model.operator_count, 9); /* subgraph 5 runs nothing */
    assert_int_equal(run.model.operators[4].subgraph, 1);
    assert_int_equal(run.model.operators[4].step, 1);
    assert_int_equal(run.model.operators[7].subgraph, 3);
    assert_int_equal(run.model.operators[7].step, 2);
    assert_int_equal(run.model.step_count, 4);
    run_end(&run);
}

static const struct test_tensor pair[] = {{.name = "x", .type = INT8, .rank = 1, .shape = {8}},
                                          {.name = "y", .type = INT8, .rank = 1, .shape = {8}}};

/* Subgraphs 0 calls first, each other one what `next` says. */
static bool read_circle(struct run *run, const int32_t *next, uint32_t count)
{
    struct test_operator operators[4];
    struct test_subgraph subgraphs[4];
    for (uint32_t i = 0; i < count; i++) {
        operators[i] = (struct test_operator){.code = CALL_ONCE,
                                              .inputs = NOTHING,
                                              .outputs = NOTHING,
                                              .intermediates = NOTHING,
                                              .options_type = OPTIONS_CALL_ONCE,
                                              .callees = {next[i], 0}};
        subgraphs[i] = (struct test_subgraph){pair, 2, &operators[i], next[i] == LIST_END ? 0 : 1, NOTHING, NOTHING};
    }
    return read_subgraphs(run, subgraphs, count);
}

static void test_circles_of_calls(void **state)
{
    (void)state;
    static const struct {
        int32_t next[4];
        const char *place; /* NULL: no circle */
    } rows[] = {
        {{1, 2, 3, LIST_END}, NULL},
        {{1, 2, 3, 1}, "subgraph 3, operator 0 (CALL_ONCE)"},
        {{1, 2, 3, 3}, "subgraph 3, operator 0 (CALL_ONCE)"},
        {{0, LIST_END, LIST_END, LIST_END}, "subgraph 0, operator 0 (CALL_ONCE)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        bool ok = read_circle(&run, rows[i].next, 4);
        assert_true(ok == (rows[i].place == NULL));
        assert_int_equal(count_findings(&run, "model-recursion"), !ok);
        if (i == 2 || i == 3) {
            assert_finding(&run, 0, "model-recursion", rows[i].place, "leads back");
        }
        run_end(&run);
    }
}

/* A circle that nothing enters is only unused. */
static void test_circle_that_never_runs(void **state)
{
    (void)state;
    static const int32_t next[] = {LIST_END, 2, 1};
    struct run run;
    assert_true(read_circle(&run, next, 3));
    assert_int_equal(count_findings(&run, "model-unused-subgraph"), 2);
    run_end(&run);
}

static void test_calls_that_lead_nowhere(void **state)
{
    (void)state;
    static const int32_t bad[] = {3, -1, INT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        const int32_t next[] = {1, bad[i], LIST_END};
        struct run run;
        assert_false(read_circle(&run, next, 3));
        assert_finding(&run, 0, "model-bad-index", "subgraph 1, operator 0 (CALL_ONCE)", "but the model has 3");
        run_end(&run);
    }
}

static void test_call_without_its_options(void **state)
{
    (void)state;
    static const uint8_t types[] = {0, OPTIONS_IF};
    for (size_t i = 0; i < 2; i++) {
        const struct test_operator operators[] = {
            {.code = CALL_ONCE, .inputs = NOTHING, .outputs = NOTHING, .intermediates = NOTHING, .options_type = types[i]}};
        const struct test_subgraph subgraphs[] = {SUBGRAPH(pair, operators, NOTHING, NOTHING),
                                                  {pair, 2, NULL, 0, NOTHING, NOTHING}};
        struct run run;
        assert_false(read_subgraphs(&run, subgraphs, 2));
        assert_finding(&run, 0, "model-corrupt", "subgraph 0, operator 0 (CALL_ONCE)",
                       "options are missing or of the wrong type");
        run_end(&run);
    }
}

/* ---- resource variables ---- */

static const struct test_tensor variable_tensors[] = {
    {.name = "a", .type = RESOURCE},
    {.name = "b", .type = RESOURCE},
    {.name = "value_a", .type = INT32, .rank = 1, .shape = {10}},
    {.name = "value_b", .type = INT8, .rank = 1, .shape = {3}},
    {.name = "a again", .type = RESOURCE},
};
#define HANDLE(tensor, name_)                                                                                                    \
    {                                                                                                                            \
        .code = VAR_HANDLE, .inputs = NOTHING, .outputs = ENDS(tensor), .intermediates = NOTHING,                                \
        .options_type = OPTIONS_VAR_HANDLE, .shared_name = (name_)                                                               \
    }

static void test_variables(void **state)
{
    (void)state;
    static const struct test_operator main_operators[] = {
        {.code = CALL_ONCE,
         .inputs = NOTHING,
         .outputs = NOTHING,
         .intermediates = NOTHING,
         .options_type = OPTIONS_CALL_ONCE,
         .callees = {1, 0}},
        HANDLE(0, "first"),
        HANDLE(1, "second"),
        {.code = READ, .inputs = ENDS(0), .outputs = ENDS(2), .intermediates = NOTHING},
        {.code = READ, .inputs = ENDS(1), .outputs = ENDS(3), .intermediates = NOTHING},
        HANDLE(4, "first"),
        {.code = ASSIGN, .inputs = ENDS(4, 2), .outputs = NOTHING, .intermediates = NOTHING},
    };
    static const struct test_operator set_up[] = {
        HANDLE(0, "second"),
        {.code = ASSIGN, .inputs = ENDS(0, 3), .outputs = NOTHING, .intermediates = NOTHING},
    };
    const struct test_subgraph subgraphs[] = {SUBGRAPH(variable_tensors, main_operators, NOTHING, NOTHING),
                                              SUBGRAPH(variable_tensors, set_up, NOTHING, NOTHING)};
    struct run run;
    assert_true(read_subgraphs(&run, subgraphs, 2));
    assert_int_equal(run.diagnostics.list.count, 0);
    const struct tensor *first = tensor_with_id(&run, "0");
    assert_int_equal(first->role, ROLE_PERSISTENT);
    assert_int_equal(first->size, 40);
    assert_int_equal(first->alignment, 4);
    assert_int_equal(first->variable, 0);
    assert_life(first, 1, 6);
    const struct tensor *second = tensor_with_id(&run, "1");
    assert_int_equal(second->size, 3);
    assert_life(second, 0, 4);
    assert_false(tensor_with_id(&run, "4")->is_live);
    assert_int_equal(tensor_with_id(&run, "4")->variable, 0);
    assert_false(tensor_with_id(&run, "1:0")->is_live);
    assert_int_equal(tensor_with_id(&run, "1:0")->variable, 1);
    assert_int_equal(tensor_with_id(&run, "2")->variable, TENSOR_NONE);
    run_end(&run);
}

/* The handle goes into a loop as an argument; only the body assigns, so the size is known from there. */
static void test_variable_that_is_passed_to_a_subgraph(void **state)
{
    (void)state;
    static const struct test_operator main_operators[] = {
        HANDLE(0, "first"),
        {.code = WHILE,
         .inputs = ENDS(3, 0),
         .outputs = ENDS(3, 4),
         .intermediates = NOTHING,
         .options_type = OPTIONS_WHILE,
         .callees = {1, 1}},
    };
    static const struct test_operator body[] = {
        {.code = ASSIGN, .inputs = ENDS(1, 2), .outputs = NOTHING, .intermediates = NOTHING}};
    const struct test_subgraph subgraphs[] = {SUBGRAPH(variable_tensors, main_operators, NOTHING, NOTHING),
                                              SUBGRAPH(variable_tensors, body, ENDS(3, 1), ENDS(3, 1))};
    struct run run;
    assert_true(read_subgraphs(&run, subgraphs, 2));
    assert_int_equal(tensor_with_id(&run, "0")->size, 40);
    assert_false(tensor_with_id(&run, "4")->is_live);
    assert_false(tensor_with_id(&run, "1:1")->is_live);
    assert_int_equal(tensor_with_id(&run, "1:1")->variable, 0);
    run_end(&run);
}

static void test_variable_of_two_sizes(void **state)
{
    (void)state;
    static const struct test_operator operators[] = {
        HANDLE(0, "first"),
        {.code = ASSIGN, .inputs = ENDS(0, 2), .outputs = NOTHING, .intermediates = NOTHING},
        {.code = ASSIGN, .inputs = ENDS(0, 3), .outputs = NOTHING, .intermediates = NOTHING},
    };
    const struct test_subgraph subgraphs[] = {SUBGRAPH(variable_tensors, operators, NOTHING, NOTHING)};
    struct run run;
    assert_false(read_subgraphs(&run, subgraphs, 1));
    assert_finding(&run, 0, "model-variable-size", "subgraph 0, operator 2 (ASSIGN_VARIABLE)", "40 bytes elsewhere and 3 here");
    assert_int_equal(run.diagnostics.list.count, 1);
    run_end(&run);
}

static void test_variable_that_nothing_reads_or_assigns(void **state)
{
    (void)state;
    static const struct test_operator operators[] = {HANDLE(0, "first"), HANDLE(1, "first")};
    const struct test_subgraph subgraphs[] = {SUBGRAPH(variable_tensors, operators, NOTHING, NOTHING)};
    struct run run;
    assert_false(read_subgraphs(&run, subgraphs, 1));
    assert_finding(&run, 0, "model-unknown-size", "subgraph 0, tensor 0 'a'", "resource");
    assert_int_equal(run.diagnostics.list.count, 1); /* one variable, one finding */
    run_end(&run);
}

/* ---- the lower bound ---- */

static struct tensor living(uint64_t size, uint32_t start, uint32_t end)
{
    return (struct tensor){.size = size, .start_op = start, .end_op = end, .is_live = true};
}

static uint64_t peak(struct tensor *tensors, size_t count, uint64_t alignment)
{
    struct arena scratch = {0};
    struct model model = {.tensors = tensors, .tensor_count = count};
    uint64_t result = model_peak_live(&model, alignment, &scratch);
    arena_free(&scratch);
    return result;
}

static void test_peak_live(void **state)
{
    (void)state;
    struct tensor tensors[] = {living(10, 0, 1), living(20, 1, 2), living(5, 2, 2), living(100, 4000000000u, UINT32_MAX - 1)};
    assert_int_equal(peak(tensors, 0, 16), 0);
    assert_int_equal(peak(tensors, 3, 1), 30);  /* operator 1: 10 + 20 */
    assert_int_equal(peak(tensors, 3, 16), 48); /* operators 1 and 2: 16 + 32 */
    assert_int_equal(peak(tensors, 4, 1), 100);
    tensors[0].role = ROLE_PERSISTENT;
    tensors[3].is_live = false;
    assert_int_equal(peak(tensors, 4, 1), 25);
}

/* The same by looking at every operator. */
static void test_peak_live_against_counting(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (size_t round = 0; round < 200; round++) {
        struct tensor tensors[30];
        uint64_t live[20] = {0};
        uint64_t most = 0;
        for (size_t i = 0; i < 30; i++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t start = (seed >> 8) % 20;
            uint32_t end = start + (seed >> 16) % (20 - start);
            tensors[i] = living((seed >> 4) % 100, start, end);
            for (uint32_t step = start; step <= end; step++) {
                live[step] += (tensors[i].size + 7) / 8 * 8;
                most = live[step] > most ? live[step] : most;
            }
        }
        assert_int_equal(peak(tensors, 30, 8), most);
    }
}

static void test_find_by_id_and_name(void **state)
{
    (void)state;
    struct tensor tensors[] = {{.id = "0", .name = "2"}, {.id = "1", .name = "twice"}, {.id = "2", .name = "twice"}};
    struct model model = {.tensors = tensors, .tensor_count = 3};
    assert_int_equal(model_find_tensor(&model, "2"), 2); /* an id goes before a name */
    assert_int_equal(model_find_tensor(&model, "twice"), TENSOR_NONE);
    assert_int_equal(model_find_tensor(&model, "nowhere"), TENSOR_NONE);
    tensors[1].name = "once";
    assert_int_equal(model_find_tensor(&model, "once"), 1);
    tensors[1].name = "";
    assert_int_equal(model_find_tensor(&model, ""), TENSOR_NONE); /* having no name is no name */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_op_and_merge),
        cmocka_unit_test(test_called_subgraphs_live_with_their_callers),
        cmocka_unit_test(test_circles_of_calls),
        cmocka_unit_test(test_circle_that_never_runs),
        cmocka_unit_test(test_calls_that_lead_nowhere),
        cmocka_unit_test(test_call_without_its_options),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_variable_that_is_passed_to_a_subgraph),
        cmocka_unit_test(test_variable_of_two_sizes),
        cmocka_unit_test(test_variable_that_nothing_reads_or_assigns),
        cmocka_unit_test(test_peak_live),
        cmocka_unit_test(test_peak_live_against_counting),
        cmocka_unit_test(test_find_by_id_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
