/* The plan's table, and the planners as a table and as JSON. */
#include "../plan/plan_fixture.h"

#include "report/report.h"

static const char *table(struct fixture *fixture, bool verbose)
{
    struct text text = text_start(&fixture->arena);
    report_plan_table(fixture_plan(fixture), verbose, &text);
    return text.data;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no '%s' in:\n%s", part, text);
    }
}

static void the_table_tells_regions_and_arenas(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "s", ROLE_SCRATCH, 16492, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 28976, 0, 0)->memory = DTCM;
    const char *text = table(&fixture, false);
    expect(text, "Plan for testchip, profile sbl, engine helia-aot, planner hill_climb\nHash sha256:");
    /* 45468 of 524288 bytes are 8.67 %; 478820 are free. */
    expect(text,
           "  DTCM      44.4 KB   467.6 KB  of  512.0 KB     9%   dtcm_constant_arena_1 28.3 KB, dtcm_scratch_arena_0 16.1 KB\n");
    expect(text, "  SRAM          0 B     3.0 MB  of    3.0 MB     0%\n");
    expect(text, "   0  scratch     DTCM    -         16.1 KB    16.1 KB           0.0%         16\n");
    expect(text, "   1  constant    DTCM    MRAM      28.3 KB    28.3 KB           0.0%         16\n");
    expect(text, "Scratch: 16492 B in all; proven optimal");
    expect(text, "Layout kept: greedy (0 attempts, 0 improvements, stopped by bound).\n");
    assert_null(strstr(text, "OVERFLOW"));
    assert_null(strstr(text, "faster"));
    expect(table(&fixture, true), "44.4 KB (45468 B)");
    fixture_free(&fixture);
}

static void a_region_that_overflows_is_marked(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "s", ROLE_SCRATCH, 540672, 0, 0)->memory = DTCM;
    expect(table(&fixture, false),
           "  DTCM     528.0 KB        0 B  of  512.0 KB   103%   dtcm_scratch_arena_0 528.0 KB   OVERFLOW\n");
    fixture_free(&fixture);
}

static void a_budget_that_decides_is_named(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 3000, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 2000, 0, 0);
    assert_null(strstr(table(&fixture, false), "Budget:"));
    fixture.memories[DTCM].limit = 4096;
    fixture.memories[DTCM].limit_is_budget = true;
    expect(table(&fixture, false),
           "\nBudget: max_size holds DTCM to 4096 of 524288 B; scratch tensors in later memories that would each fit on top "
           "without it: 1, 2000 B in all.\n");
    fixture_free(&fixture);
}

static void what_is_not_proven_is_not_claimed(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start_with_loss(&fixture);
    const char *text = table(&fixture, false);
    expect(text, "Scratch: 5120 B in all; no layout takes less than 4096 B: a gap of 1024 B, 20.0%.\n");
    expect(text, "20.0%");
    assert_null(strstr(text, "optimal"));
    assert_null(strstr(text, "Layout kept"));
    fixture_free(&fixture);
}

static void experimental_planners_are_marked(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = "greedy_by_size";
    expect(table(&fixture, false), "planner greedy_by_size (experimental)\n");
    struct text text = text_start(&fixture.arena);
    const struct planner_set set = planner_set_built_in(&fixture.arena);
    report_planners_table(&set, &text);
    expect(text.data, "greedy\n");
    expect(text.data, "greedy_by_size (experimental)\n");
    expect(text.data, "hill_climb (default)\n");
    expect(text.data, "    iterations: integer 0 to 1000000, default 300\n");
    expect(text.data, "    seed: integer 0 to 4294967295, default 0\n");
    expect(text.data, "    max_stall_iterations: integer 1 to 4294967295 or null, default 50\n");
    fixture_free(&fixture);
}

static void planners_as_json(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    struct text text = text_start(&fixture.arena);
    const struct planner_set set = planner_set_built_in(&fixture.arena);
    report_planners_json(&set, &text);
    const struct node *root = NULL;
    struct bytes bytes = {(const uint8_t *)text.data, text.size};
    assert_true(doc_parse(&fixture.arena, &fixture.diagnostics, diag_add_source(&fixture.diagnostics, "out.json", bytes), &root));
    static const char *const expected[][2] = {
        {"schema", "helia-placement/planners/1"}, {"planners.0.name", "greedy"},
        {"planners.0.experimental", "false"},     {"planners.1.experimental", "true"},
        {"planners.2.default", "true"},           {"planners.2.options.0.key", "iterations"},
        {"planners.2.options.0.default", "300"},  {"planners.2.options.1.maximum", "4294967295"},
        {"planners.2.options.2.minimum", "1"},    {"planners.2.options.2.nullable", "true"},
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct node *node = node_find(root, expected[i][0]);
        assert_non_null(node);
        assert_string_equal(node->text, expected[i][1]);
    }
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_tells_regions_and_arenas), cmocka_unit_test(a_region_that_overflows_is_marked),
        cmocka_unit_test(a_budget_that_decides_is_named),     cmocka_unit_test(what_is_not_proven_is_not_claimed),
        cmocka_unit_test(experimental_planners_are_marked),   cmocka_unit_test(planners_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
