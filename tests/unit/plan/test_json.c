/* The plan and the residency report as JSON: every key of the contract, in its order. */
#include "plan_fixture.h"

#include "plan/plan_json.h"

static void start_example(struct fixture *fixture)
{
    fixture_start(fixture);
    fixture_tensor(fixture, "s0", ROLE_SCRATCH, 100, 0, 1);
    fixture_tensor(fixture, "s1", ROLE_SCRATCH, 100, 1, 2)->alias_of = 0;
    fixture_tensor(fixture, "s2", ROLE_SCRATCH, 60, 3, 4)->memory = DTCM;
    fixture_tensor(fixture, "w", ROLE_CONSTANT, 64, 0, 0)->memory = SRAM;
    fixture_tensor(fixture, "p", ROLE_PERSISTENT, 32, 0, 0);
}

static const struct node *parse(struct fixture *fixture, const struct text *text)
{
    const struct node *root = NULL;
    struct bytes bytes = {(const uint8_t *)text->data, text->size};
    assert_true(
        doc_parse(&fixture->arena, &fixture->diagnostics, diag_add_source(&fixture->diagnostics, "out.json", bytes), &root));
    return root;
}

static void expect_keys(const struct node *node, const char *const *keys, size_t count)
{
    assert_non_null(node);
    assert_int_equal(node->kind, NODE_MAPPING);
    assert_int_equal(node->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(node->pairs[i].key->text, keys[i]);
    }
}
#define EXPECT_KEYS(node, ...)                                                                                                   \
    expect_keys(node, (const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__})))

static void expect(const struct node *root, const char *path, const char *text)
{
    const struct node *node = node_find(root, path);
    if (node == NULL) {
        fail_msg("no %s", path);
    }
    assert_string_equal(node->text, text);
}

/* The plan's JSON, read again. */
static const struct node *write_and_parse(struct fixture *fixture)
{
    struct text text = text_start(&fixture->arena);
    plan_write_json(fixture_plan(fixture), &text);
    return parse(fixture, &text);
}

static void the_plan_has_the_keys_of_the_contract_in_order(void **state)
{
    (void)state;
    struct fixture fixture;
    start_example(&fixture);
    const struct node *root = write_and_parse(&fixture);
    EXPECT_KEYS(root, "schema", "plan_hash", "soc", "profile", "engine", "prefix", "allocate_arenas", "problem_hash", "planner",
                "tensor_allocs", "tensor_lifetimes", "arena_usages", "persistent_arenas", "constant_arenas", "memory_plan");
    EXPECT_KEYS(node_find(root, "planner"), "name", "options", "proven_optimal", "lower_bound", "gap", "nodes", "work", "kept",
                "stop", "attempts", "improvements");
    EXPECT_KEYS(node_find(root, "planner.options"), "iterations", "seed", "max_stall_iterations");
    EXPECT_KEYS(node_find(root, "tensor_allocs"), "s0", "s1", "s2", "w", "p");
    EXPECT_KEYS(node_find(root, "tensor_allocs.s0"), "tensor_id", "memory", "offset", "size", "binding");
    EXPECT_KEYS(node_find(root, "tensor_allocs.s1"), "tensor_id", "memory", "offset", "size", "alias_of", "binding");
    EXPECT_KEYS(node_find(root, "tensor_allocs.s0.binding"), "role", "memory", "source_memory", "offset");
    EXPECT_KEYS(node_find(root, "tensor_lifetimes.s0"), "tensor_id", "start_op", "end_op");
    EXPECT_KEYS(node_find(root, "arena_usages.DTCM"), "id", "memory", "role", "total_size", "used", "alignment", "source_memory",
                "is_staged", "peak_live", "symbol");
    EXPECT_KEYS(node_find(root, "constant_arenas.SRAM"), "id", "memory", "role", "total_size", "used", "alignment",
                "source_memory", "is_staged", "peak_live", "symbol", "source_symbol");
    EXPECT_KEYS(node_find(root, "memory_plan"), "engine", "model_weight_bytes", "has_overflow", "regions");
    EXPECT_KEYS(node_find(root, "memory_plan.regions.0"), "region", "capacity", "used", "free", "overflow", "consumers");
    EXPECT_KEYS(node_find(root, "memory_plan.regions.0.consumers.0"), "name", "size", "kind");
    fixture_free(&fixture);
}

static void the_plan_says_what_the_plan_is(void **state)
{
    (void)state;
    struct fixture fixture;
    start_example(&fixture);
    const struct memory_plan *plan = fixture_plan(&fixture);
    struct text text = text_start(&fixture.arena);
    plan_write_json(plan, &text);
    const struct node *root = parse(&fixture, &text);
    static const char *const expected[][2] = {
        {"schema", "helia-placement/plan/1"},
        {"soc", "testchip"},
        {"profile", "sbl"},
        {"engine", "helia-aot"},
        {"prefix", "kws"},
        {"allocate_arenas", "true"},
        {"planner.name", "hill_climb"},
        {"planner.proven_optimal", "true"},
        {"planner.lower_bound", "100"},
        {"tensor_allocs.s1.alias_of", "s0"},
        {"tensor_allocs.s2.offset", "0"},
        {"tensor_allocs.w.binding.role", "constant"},
        {"tensor_allocs.w.binding.memory", "SRAM"},
        {"tensor_allocs.w.binding.source_memory", "MRAM"},
        {"tensor_lifetimes.s1.start_op", "0"},
        {"tensor_lifetimes.s1.end_op", "2"},
        {"arena_usages.DTCM.used", "100"},
        {"arena_usages.DTCM.symbol", "kws_arena_scratch_dtcm"},
        {"persistent_arenas.DTCM.total_size", "32"},
        {"constant_arenas.SRAM.is_staged", "true"},
        {"constant_arenas.SRAM.source_symbol", "kws_source_sram_from_mram"},
        {"memory_plan.model_weight_bytes", "64"},
        {"memory_plan.regions.0.region", "MRAM"},
        {"memory_plan.regions.2.region", "DTCM"},
        {"memory_plan.regions.2.used", "132"},
        {"memory_plan.regions.2.free", "524156"},
        {"memory_plan.regions.2.overflow", "false"},
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        expect(root, expected[i][0], expected[i][1]);
    }
    expect(root, "plan_hash", plan->hash);
    fixture_free(&fixture);
}

static void a_region_with_a_budget_says_what_it_keeps_out(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = 4096;
    fixture.memories[DTCM].limit_is_budget = true;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 3000, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 2000, 0, 0);
    struct text text = text_start(&fixture.arena);
    plan_write_json(fixture_plan(&fixture), &text);
    const struct node *root = parse(&fixture, &text);
    EXPECT_KEYS(node_find(root, "memory_plan.regions.1"), "region", "capacity", "used", "free", "overflow", "consumers");
    EXPECT_KEYS(node_find(root, "memory_plan.regions.2"), "region", "capacity", "used", "free", "overflow", "consumers", "budget",
                "kept_out");
    expect(root, "memory_plan.regions.2.budget", "4096");
    expect(root, "memory_plan.regions.2.kept_out", "2000");
    fixture_free(&fixture);
}

static void a_stall_limit_that_is_off_is_null(void **state)
{
    (void)state;
    struct fixture fixture;
    start_example(&fixture);
    static const char yaml[] = "{max_stall_iterations: null}";
    struct text options = {.data = (char *)(uintptr_t)yaml, .size = strlen(yaml)};
    fixture.problem.planner_options = parse(&fixture, &options);
    assert_true(node_is_null(node_find(write_and_parse(&fixture), "planner.options.max_stall_iterations")));
    fixture_free(&fixture);
}

static void residency_tells_used_peak_and_the_bank_of_each_tensor(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start_with_loss(&fixture);
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 64, 0, 0);
    struct text text = text_start(&fixture.arena);
    plan_write_residency(fixture_plan(&fixture), &text);
    const struct node *root = parse(&fixture, &text);
    EXPECT_KEYS(root, "schema", "plan_hash", "planner", "arenas", "tensors");
    EXPECT_KEYS(node_find(root, "arenas.0"), "memory", "role", "used", "peak_live", "fragmentation");
    EXPECT_KEYS(node_find(root, "tensors.0"), "id", "memory", "role", "source_memory", "offset", "size", "start_op", "end_op");
    static const char *const expected[][2] = {
        {"schema", "helia-placement/residency/1"},
        {"planner", "greedy"},
        {"arenas.0.memory", "DTCM"},
        {"arenas.0.role", "scratch"},
        {"arenas.0.used", "5120"},
        {"arenas.0.peak_live", "4096"},
        {"arenas.0.fragmentation", "0.2"},
        {"arenas.1.role", "constant"},
        {"arenas.1.fragmentation", "0.0"},
        {"tensors.2.id", "C"},
        {"tensors.2.memory", "DTCM"},
        {"tensors.2.offset", "3072"},
        {"tensors.2.start_op", "2"},
        {"tensors.3.memory", "MRAM"},
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        expect(root, expected[i][0], expected[i][1]);
    }
    fixture_free(&fixture);
}

static void two_runs_give_the_same_bytes(void **state)
{
    (void)state;
    struct fixture fixture;
    struct fixture again;
    start_example(&fixture);
    start_example(&again);
    struct text one = text_start(&fixture.arena);
    struct text two = text_start(&again.arena);
    plan_write_json(fixture_plan(&fixture), &one);
    plan_write_json(fixture_plan(&again), &two);
    assert_string_equal(one.data, two.data);
    fixture_free(&fixture);
    fixture_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_has_the_keys_of_the_contract_in_order),
        cmocka_unit_test(the_plan_says_what_the_plan_is),
        cmocka_unit_test(a_region_with_a_budget_says_what_it_keeps_out),
        cmocka_unit_test(a_stall_limit_that_is_off_is_null),
        cmocka_unit_test(residency_tells_used_peak_and_the_bank_of_each_tensor),
        cmocka_unit_test(two_runs_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
