/* Planners by name, and their options. */
#include "plan_fixture.h"

#include <stdio.h>

struct decoded {
    struct arena arena;
    struct diagnostics diagnostics;
    struct planner_options options;
    bool ok;
};

static const struct planner *find(struct arena *arena, struct diagnostics *diagnostics, const char *name)
{
    const struct planner_set set = planner_set_built_in(arena);
    return planner_find(diagnostics, &set, name, SPAN_NONE);
}

static void decode(struct decoded *decoded, const char *planner, const char *yaml)
{
    *decoded = (struct decoded){0};
    decoded->diagnostics = diagnostics_start(&decoded->arena);
    const struct planner *found = find(&decoded->arena, &decoded->diagnostics, planner);
    assert_non_null(found);
    const struct node *node = NULL;
    if (yaml != NULL) {
        struct bytes bytes = {(const uint8_t *)yaml, strlen(yaml)};
        uint32_t source = diag_add_source(&decoded->diagnostics, "options.yaml", bytes);
        assert_true(doc_parse(&decoded->arena, &decoded->diagnostics, source, &node));
    }
    decoded->ok = planner_options_decode(&decoded->arena, &decoded->diagnostics, found, node, &decoded->options);
}

static void expect_values(const char *yaml, uint64_t iterations, uint64_t seed, uint64_t stall)
{
    struct decoded decoded;
    decode(&decoded, "hill_climb", yaml);
    assert_true(decoded.ok);
    assert_int_equal(decoded.options.values[0], iterations);
    assert_int_equal(decoded.options.values[1], seed);
    assert_int_equal(decoded.options.values[2], stall);
    arena_free(&decoded.arena);
}

static void expect_refusal(const char *planner, const char *yaml, enum diag_id id, const char *part)
{
    struct decoded decoded;
    decode(&decoded, planner, yaml);
    if (decoded.ok) {
        fail_msg("accepted: %s", yaml);
    }
    assert_int_equal(decoded.diagnostics.list.count, 1);
    const struct diag *diag = &decoded.diagnostics.list.items[0];
    assert_int_equal(diag->id, id);
    struct text text = text_start(&decoded.arena);
    diag_render_text(&decoded.diagnostics, false, &text);
    if (strstr(text.data, part) == NULL) {
        fail_msg("no '%s' in: %s", part, text.data);
    }
    arena_free(&decoded.arena);
}

static void pln_029_absent_options_are_the_documented_ones(void **state)
{
    (void)state;
    expect_values(NULL, 300, 0, 50);
    expect_values("{}", 300, 0, 50);
    expect_values("{iterations: 300, seed: 0, max_stall_iterations: 50}", 300, 0, 50);
}

static void values_are_taken_as_written(void **state)
{
    (void)state;
    expect_values("{iterations: 0}", 0, 0, 50);
    expect_values("{iterations: 1000000, seed: 4294967295, max_stall_iterations: 1}", 1000000, UINT32_MAX, 1);
    expect_values("{max_stall_iterations: null}", 300, 0, UINT64_MAX);
}

static void pln_024_an_unknown_key_names_the_known_ones(void **state)
{
    (void)state;
    expect_refusal("hill_climb", "{iteration: 5}", DIAG_UNKNOWN_KEY, "iterations, seed, max_stall_iterations");
    expect_refusal("greedy", "{iterations: 5}", DIAG_UNKNOWN_KEY, "memory.planner_options.iterations");
    expect_refusal("greedy_by_size", "{seed: 5}", DIAG_UNKNOWN_KEY, "memory.planner_options.seed");
}

static void pln_026_values_out_of_range_are_refused(void **state)
{
    (void)state;
    expect_refusal("hill_climb", "{max_stall_iterations: 0}", DIAG_BAD_VALUE, "max_stall_iterations");
    expect_refusal("hill_climb", "{max_stall_iterations: -1}", DIAG_BAD_VALUE, "max_stall_iterations");
    expect_refusal("hill_climb", "{iterations: 1000001}", DIAG_BAD_VALUE, "1000000");
    expect_refusal("hill_climb", "{seed: 4294967296}", DIAG_BAD_VALUE, "4294967295");
}

static void pln_027_what_is_no_mapping_is_refused(void **state)
{
    (void)state;
    expect_refusal("hill_climb", "[1, 2]", DIAG_WRONG_KIND, "memory.planner_options");
    expect_refusal("hill_climb", "fast", DIAG_WRONG_KIND, "memory.planner_options");
}

static void numbers_that_are_no_counts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"5.5", "-1", "true", "many", "[5]", "null"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{iterations: %s}", texts[i]);
        struct decoded decoded;
        decode(&decoded, "hill_climb", yaml);
        if (decoded.ok) {
            fail_msg("accepted: %s", yaml);
        }
        assert_int_equal(decoded.diagnostics.error_count, 1);
        arena_free(&decoded.arena);
    }
}

static void pln_028_an_unknown_planner_names_the_known_ones(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostics diagnostics = diagnostics_start(&arena);
    assert_null(find(&arena, &diagnostics, "simulated_annealing"));
    assert_int_equal(diagnostics.list.count, 1);
    assert_int_equal(diagnostics.list.items[0].id, DIAG_UNKNOWN_PLANNER);
    struct text text = text_start(&arena);
    diag_render_text(&diagnostics, false, &text);
    assert_non_null(strstr(text.data, "greedy, greedy_by_size, hill_climb"));
    arena_free(&arena);
}

static void exactly_the_documented_planners_are_built_in(void **state)
{
    (void)state;
    /* The three of the reference, and the complete search, which only its name chooses. */
    static const char *const names[] = {"greedy", "greedy_by_size", "hill_climb", "optimal"};
    static const size_t option_counts[] = {0, 0, 3, 1};
    assert_int_equal(planner_count, COUNT_OF(names));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(planners[i].name, names[i]);
        assert_int_equal(planners[i].experimental, i == 1);
        assert_int_equal(planners[i].option_count, option_counts[i]);
    }
    assert_string_equal(default_planner, "hill_climb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pln_029_absent_options_are_the_documented_ones),
        cmocka_unit_test(values_are_taken_as_written),
        cmocka_unit_test(pln_024_an_unknown_key_names_the_known_ones),
        cmocka_unit_test(pln_026_values_out_of_range_are_refused),
        cmocka_unit_test(pln_027_what_is_no_mapping_is_refused),
        cmocka_unit_test(numbers_that_are_no_counts_are_refused),
        cmocka_unit_test(pln_028_an_unknown_planner_names_the_known_ones),
        cmocka_unit_test(exactly_the_documented_planners_are_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
