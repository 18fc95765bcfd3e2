/* Memories, windows, budgets and alignment floors. */
#include "resolving.h"

static const struct problem_memory *memory(const struct resolving *resolving, const char *name)
{
    uint32_t index = problem_find_memory(&resolving->problem, name);
    assert_int_not_equal(index, UINT32_MAX);
    return &resolving->problem.memories[index];
}

static void memories_come_in_the_registrys_order_with_their_windows(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "");
    expect_quiet(resolving);
    static const char *const names[] = {"MRAM", "SRAM", "DTCM", "ITCM", "PSRAM"};
    assert_int_equal(resolving->problem.memory_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(resolving->problem.memories[i].name, names[i]);
    }
    assert_int_equal(memory(resolving, "dtcm")->capacity, 61440);
    assert_int_equal(memory(resolving, "dtcm")->physical, 65536);
    assert_int_equal(memory(resolving, "psram")->capacity, 8388608);
    assert_int_equal(memory(resolving, "mram")->origin, 0x410000);
}

static void external_memory_is_never_in_the_order(void **state)
{
    struct resolving *resolving = *state;
    static const uint32_t order[] = {REGION_PSRAM, REGION_DTCM, REGION_SRAM};
    test_soc.memory_order = order;
    test_soc.memory_order_count = 3;
    resolve(resolving, "");
    test_soc.memory_order = test_order;
    test_soc.memory_order_count = 2;
    expect_quiet(resolving);
    assert_int_equal(resolving->problem.order_count, 2);
    assert_string_equal(resolving->problem.memories[resolving->problem.order[0]].name, "DTCM");
    assert_string_equal(resolving->problem.memories[resolving->problem.order[1]].name, "SRAM");
}

/* Decision 12: a constraint may name external memory, and is then the last resort. */
static void a_constraint_opens_external_memory_last_of_all(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  constraints:\n    - {name: psram, max_size: 1M}\n");
    expect_quiet(resolving);
    assert_int_equal(resolving->problem.order_count, 3);
    assert_string_equal(resolving->problem.memories[resolving->problem.order[2]].name, "PSRAM");
}

static void budgets_lower_the_limit_and_never_raise_it(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  constraints:\n"
                       "    - {name: dtcm, max_size: 4K}\n"
                       "    - {name: SRAM, max_size: 1M}\n"
                       "    - {name: MRAM, max_size: 50%}\n");
    expect_quiet(resolving);
    assert_int_equal(memory(resolving, "DTCM")->limit, 4096);
    assert_true(memory(resolving, "DTCM")->limit_is_budget);
    assert_int_equal(memory(resolving, "SRAM")->limit, 524288);
    assert_false(memory(resolving, "SRAM")->limit_is_budget);
    assert_int_equal(memory(resolving, "MRAM")->limit, (1048576 - 65536) / 2);
}

static void a_budget_of_null_is_no_budget(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  constraints:\n    - {name: DTCM, max_size: null}\n");
    expect_quiet(resolving);
    assert_int_equal(memory(resolving, "DTCM")->limit, 61440);
}

static void a_budget_that_cannot_be_read(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - name: DTCM\n      max_size: plenty\n");
    expect_finding(*state, DIAG_BAD_VALUE, 4);
}

static void a_budget_above_the_whole(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - name: DTCM\n      max_size: 101%\n");
    expect_finding(*state, DIAG_BAD_VALUE, 4);
}

static void a_budget_of_the_whole(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - name: DTCM\n      max_size: 100%\n");
    expect_quiet(*state);
}

static void a_memory_with_two_constraints(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - {name: DTCM, max_size: 1K}\n    - {name: dtcm, max_size: 2K}\n");
    expect_finding(*state, DIAG_DUPLICATE_CONSTRAINT, 4);
}

static void a_constraint_on_an_unknown_memory(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - {name: HBM, max_size: 1K}\n");
    expect_finding(*state, DIAG_UNKNOWN_MEMORY, 3);
}

static void arena_alignment_must_be_a_power_of_two(void **state)
{
    resolve(*state, "memory:\n  constraints:\n    - {name: DTCM, arena_alignment: 48}\n");
    expect_finding(*state, DIAG_BAD_VALUE, 3);
}

/* Decision 3, ALN-001, ALN-004, ALN-006: the largest of platform floor, arena_alignment and the tensor's own. */
static void slot_alignment_is_the_largest_floor(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  constraints:\n    - {name: SRAM, arena_alignment: 64}\n");
    expect_quiet(resolving);
    struct request request = {.alignment = 1};
    assert_int_equal(request_slot_alignment(&request, memory(resolving, "DTCM")), 4);
    assert_int_equal(request_slot_alignment(&request, memory(resolving, "SRAM")), 64);
    request.alignment = 32;
    assert_int_equal(request_slot_alignment(&request, memory(resolving, "DTCM")), 32);
    request.alignment = 128;
    assert_int_equal(request_slot_alignment(&request, memory(resolving, "SRAM")), 128);
}

static void constants_without_a_rule_are_cold_where_images_stand(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "");
    expect_runtime_memory(resolving, "w0", "MRAM");
    expect_source(resolving, "w0", "MRAM");
    expect_runtime_memory(resolving, "t1", "any");
    expect_runtime_memory(resolving, "p0", "any");
    assert_int_equal(resolving->problem.request_count, 7); /* the dead tensor has none */
}

static void constants_of_one_buffer_share_a_slot(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "");
    expect_quiet(resolving);
    const struct request *root = request_of(resolving, "w0");
    const struct request *alias = request_of(resolving, "w0b");
    assert_int_equal(root->alias_of, UINT32_MAX);
    assert_ptr_equal(&resolving->problem.requests[alias->alias_of], root);
    assert_int_equal(root->alignment, 4);
    assert_int_equal(root->start_op, 0);
    assert_int_equal(root->end_op, 2);
}

static void constants_of_one_buffer_in_two_places_do_not(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n    - {id: w0b, attributes: {constant_destination_memory: dtcm}}\n");
    expect_quiet(resolving);
    assert_int_equal(request_of(resolving, "w0b")->alias_of, UINT32_MAX);
}

static void the_prefix_comes_from_the_model_or_the_config(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "");
    assert_string_equal(resolving->problem.prefix, "net");
    resolve(resolving, "output: {prefix: kws}\n");
    assert_string_equal(resolving->problem.prefix, "kws");
    test_model.name = "7-net.v2";
    resolve(resolving, "");
    test_model.name = "net";
    assert_string_equal(resolving->problem.prefix, "model_7_net_v2");
    expect_quiet(resolving);
}

static void a_prefix_that_is_no_identifier(void **state)
{
    resolve(*state, "output:\n  prefix: my-net\n");
    expect_finding(*state, DIAG_BAD_VALUE, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESOLVING_TEST(memories_come_in_the_registrys_order_with_their_windows),
        RESOLVING_TEST(external_memory_is_never_in_the_order),
        RESOLVING_TEST(a_constraint_opens_external_memory_last_of_all),
        RESOLVING_TEST(budgets_lower_the_limit_and_never_raise_it),
        RESOLVING_TEST(a_budget_of_null_is_no_budget),
        RESOLVING_TEST(a_budget_that_cannot_be_read),
        RESOLVING_TEST(a_budget_above_the_whole),
        RESOLVING_TEST(a_budget_of_the_whole),
        RESOLVING_TEST(a_memory_with_two_constraints),
        RESOLVING_TEST(a_constraint_on_an_unknown_memory),
        RESOLVING_TEST(arena_alignment_must_be_a_power_of_two),
        RESOLVING_TEST(slot_alignment_is_the_largest_floor),
        RESOLVING_TEST(constants_without_a_rule_are_cold_where_images_stand),
        RESOLVING_TEST(constants_of_one_buffer_share_a_slot),
        RESOLVING_TEST(constants_of_one_buffer_in_two_places_do_not),
        RESOLVING_TEST(the_prefix_comes_from_the_model_or_the_config),
        RESOLVING_TEST(a_prefix_that_is_no_identifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
