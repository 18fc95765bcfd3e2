/* From a problem to a plan: slots, arenas, alignment, aliases, hash. */
#include "base/sha256.h"
#include "plan_fixture.h"

static void pln_033_persistent_slots_lie_one_behind_the_other(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "P1", ROLE_PERSISTENT, 100, 0, 0);
    fixture_tensor(&fixture, "P2", ROLE_PERSISTENT, 200, 5, 5);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(offset_of(plan, 0), 0);
    assert_int_equal(offset_of(plan, 1), 112);
    const struct arena_usage *arena = arena_of(plan, ROLE_PERSISTENT, DTCM);
    assert_int_equal(arena->used, 312);
    assert_int_equal(arena->total_size, 312);
    assert_int_equal(arena->peak_live, 312);
    assert_string_equal(arena->symbol, "kws_arena_persistent_dtcm");
    assert_int_equal(plan->arena_count, 1);
    fixture_free(&fixture);
}

static void pln_034_cold_constants_lie_one_behind_the_other(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "w0", ROLE_CONSTANT, 100, 0, 0);
    fixture_tensor(&fixture, "w1", ROLE_CONSTANT, 50, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(offset_of(plan, 0), 0);
    assert_int_equal(offset_of(plan, 1), 112);
    const struct arena_usage *arena = arena_of(plan, ROLE_CONSTANT, MRAM);
    assert_int_equal(arena->used, 162);
    assert_false(arena_is_staged(arena));
    assert_null(arena->source_symbol);
    assert_int_equal(plan->model_weight_bytes, 162);
    fixture_free(&fixture);
}

/* Two scratch tensors of ten bytes that live together. */
static const struct memory_plan *plan_two_tens(struct fixture *fixture, uint64_t minimum, uint64_t arena_alignment, uint64_t hint)
{
    fixture_start(fixture);
    fixture->memories[DTCM].minimum_alignment = minimum;
    fixture->memories[DTCM].arena_alignment = arena_alignment;
    fixture_tensor(fixture, "a", ROLE_SCRATCH, 10, 0, 0)->alignment = hint;
    fixture_tensor(fixture, "b", ROLE_SCRATCH, 10, 0, 0)->alignment = hint;
    return fixture_plan(fixture);
}

static void aln_001_the_floor_of_the_base_is_not_one_of_the_slots(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct memory_plan *plan = plan_two_tens(&fixture, 4, 0, 1);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, DTCM)->alignment, 16);
    assert_int_equal(offset_of(plan, 1), 12);
    fixture_free(&fixture);
}

static void aln_004_an_arena_alignment_holds_for_base_and_slots(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct memory_plan *plan = plan_two_tens(&fixture, 4, 64, 1);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, DTCM)->alignment, 64);
    assert_int_equal(offset_of(plan, 1), 64);
    fixture_free(&fixture);
}

static void aln_006_a_hint_raises_the_base_too(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct memory_plan *plan = plan_two_tens(&fixture, 4, 0, 32);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, DTCM)->alignment, 32);
    assert_int_equal(offset_of(plan, 1), 32);
    fixture_free(&fixture);
}

static void aln_007_a_cache_line_in_psram(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[PSRAM].arena_alignment = 32;
    for (int i = 0; i < 2; i++) {
        struct request *request = fixture_tensor(&fixture, i == 0 ? "w0" : "w1", ROLE_CONSTANT, 10, 0, 0);
        request->memory = PSRAM;
    }
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(arena_of(plan, ROLE_CONSTANT, PSRAM)->alignment, 32);
    assert_int_equal(offset_of(plan, 1), 32);
    fixture_free(&fixture);
}

static void pln_035_and_036_aliases_share_a_slot_for_all_their_lives(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "A", ROLE_SCRATCH, 64, 0, 1);
    fixture_tensor(&fixture, "B", ROLE_SCRATCH, 64, 1, 2)->alias_of = 0;
    fixture_tensor(&fixture, "C", ROLE_SCRATCH, 64, 5, 6)->alias_of = 1;
    fixture_tensor(&fixture, "D", ROLE_SCRATCH, 64, 4, 4);
    const struct memory_plan *plan = fixture_plan(&fixture);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(plan->allocations[i].start_op, 0);
        assert_int_equal(plan->allocations[i].end_op, 6);
        assert_int_equal(offset_of(plan, i), offset_of(plan, 0));
        assert_int_equal(plan->allocations[i].alias_of, i == 0 ? UINT32_MAX : 0);
    }
    /* D lives between B and C, so it cannot have their bytes. */
    assert_int_equal(offset_of(plan, 3), 64);
    assert_int_equal(plan->lower_bound, 128);
    assert_true(plan->proven_optimal);
    fixture_free(&fixture);
}

static void emt_001_arenas_are_numbered_by_role_then_name(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 10, 0, 0);
    fixture_tensor(&fixture, "s", ROLE_SCRATCH, 10, 0, 0)->memory = SRAM;
    fixture_tensor(&fixture, "d", ROLE_SCRATCH, 10, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 10, 0, 0)->memory = DTCM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->arena_count, 4);
    const struct {
        enum tensor_role role;
        uint32_t memory;
    } expected[] = {{ROLE_SCRATCH, DTCM}, {ROLE_SCRATCH, SRAM}, {ROLE_PERSISTENT, DTCM}, {ROLE_CONSTANT, MRAM}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(plan->arenas[i].id, i);
        assert_int_equal(plan->arenas[i].role, expected[i].role);
        assert_int_equal(plan->arenas[i].memory, expected[i].memory);
    }
    fixture_free(&fixture);
}

static void pln_029_the_defaults_spelled_out_change_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = default_planner;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 1024, 0, 1);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_string_equal(plan->planner->name, "hill_climb");
    assert_int_equal(plan->options.values[0], 300);
    assert_int_equal(plan->options.values[1], 0);
    assert_int_equal(plan->options.values[2], 50);
    fixture_free(&fixture);
}

static const char *hash_after(void (*change)(struct fixture *))
{
    static char hash[80];
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 1024, 0, 1);
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 100, 0, 1);
    change(&fixture);
    strcpy(hash, fixture_plan(&fixture)->hash);
    fixture_free(&fixture);
    return hash;
}

static void leave(struct fixture *fixture)
{
    (void)fixture;
}
static void change_prefix(struct fixture *fixture)
{
    fixture->problem.prefix = "other";
    fixture->model.path = "elsewhere.tflite";
    fixture->requests[0].memory_span.line = 7;
}
static void change_planner(struct fixture *fixture)
{
    fixture->problem.planner = "greedy";
}
static void change_size(struct fixture *fixture)
{
    fixture->requests[1].size++;
}
static void change_id(struct fixture *fixture)
{
    fixture->tensors[0].id = "b";
}
static void change_window(struct fixture *fixture)
{
    fixture->memories[SRAM].capacity--;
}
static void change_life(struct fixture *fixture)
{
    fixture->requests[0].end_op = 0;
}
static void change_pin(struct fixture *fixture)
{
    fixture->requests[0].memory = DTCM;
}

static void the_hash_names_what_matters_and_nothing_else(void **state)
{
    (void)state;
    char hash[80];
    strcpy(hash, hash_after(leave));
    assert_int_equal(strlen(hash), strlen("sha256:") + 64);
    assert_true(text_starts_with(hash, "sha256:"));
    assert_string_equal(hash, hash_after(leave));
    assert_string_equal(hash, hash_after(change_prefix));
    assert_string_equal(hash, hash_after(change_planner));
    void (*const changes[])(struct fixture *) = {change_size, change_id, change_window, change_life, change_pin};
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        assert_string_not_equal(hash, hash_after(changes[i]));
    }
}

static void the_canonical_text_opens_with_its_version(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a\nb", ROLE_SCRATCH, 8, 0, 0);
    struct text text = text_start(&fixture.arena);
    plan_canonical_text(fixture_plan(&fixture), &text);
    assert_true(text_starts_with(text.data, "helia-placement/plan-hash/1\nsoc 8:testchip profile 3:sbl\n"));
    assert_non_null(strstr(text.data, "tensor 3:a\nb scratch size 8 "));
    fixture_free(&fixture);
}

/* Texts longer than what is hashed at once, of tensors that lie in several pieces. */
static void the_hashes_are_those_of_the_texts(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    const char *long_name = arena_format(&fixture.arena, "%0*d", 20000, 7);
    for (size_t i = 0; i < 6; i++) {
        fixture_tensor(&fixture, arena_format(&fixture.arena, "%zu%s", i, long_name), ROLE_SCRATCH, 8, 0, 0);
    }
    const struct memory_plan *plan = fixture_plan(&fixture);
    char digest[65];
    struct text text = text_start(&fixture.arena);
    plan_canonical_text(plan, &text);
    assert_true(text.size > 120000);
    sha256_hex(text.data, text.size, digest);
    assert_string_equal(plan->hash, arena_format(&fixture.arena, "sha256:%s", digest));
    text = text_start(&fixture.arena);
    plan_problem_text(plan->problem, &text);
    sha256_hex(text.data, text.size, digest);
    assert_string_equal(plan->problem_hash, arena_format(&fixture.arena, "sha256:%s", digest));
    fixture_free(&fixture);
}

static void an_allocation_is_found_by_id_and_name(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "7", ROLE_SCRATCH, 8, 0, 0);
    fixture_tensor(&fixture, "9", ROLE_SCRATCH, 8, 0, 0);
    fixture.tensors[1].name = "conv";
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_ptr_equal(plan_get_allocation(plan, "7"), &plan->allocations[0]);
    assert_ptr_equal(plan_get_allocation(plan, "conv"), &plan->allocations[1]);
    assert_null(plan_get_allocation(plan, "8"));
    fixture_free(&fixture);
}

static void sizes_that_pass_every_address_space_are_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, UINT64_MAX - 8, 0, 0);
    const struct memory_plan *plan = NULL;
    assert_false(plan_make(&fixture.arena, &fixture.scratch, &fixture.diagnostics, &fixture.problem, &plan));
    assert_null(plan);
    assert_int_equal(only_finding(&fixture)->id, DIAG_PLAN_LIMIT);
    fixture_free(&fixture);
}

static void a_tensor_without_any_memory_is_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.order_count = 0;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 8, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 8, 0, 0)->memory = DTCM;
    const struct memory_plan *plan = NULL;
    assert_false(plan_make(&fixture.arena, &fixture.scratch, &fixture.diagnostics, &fixture.problem, &plan));
    assert_int_equal(only_finding(&fixture)->id, DIAG_NO_MEMORY);
    assert_non_null(strstr(only_finding(&fixture)->message, "'a'"));
    fixture_free(&fixture);
}

static void nothing_to_place_is_a_plan_too(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->arena_count, 0);
    assert_int_equal(plan->region_count, MEMORY_COUNT);
    assert_true(plan->proven_optimal);
    assert_false(plan->has_overflow);
    fixture_free(&fixture);
}

static void what_is_above_the_bound_is_not_proven(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = "greedy";
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 1024, 0, 1);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 2048, 1, 2);
    fixture_tensor(&fixture, "c", ROLE_SCRATCH, 2048, 2, 3);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, DTCM)->used, 5120);
    assert_int_equal(plan->lower_bound, 4096);
    assert_int_equal(plan_gap(plan), 1024);
    assert_false(plan->proven_optimal);
    fixture_free(&fixture);
}

/* First fit gives the room of the larger tensor to the smaller one: no more bytes than the bound, and still not what can be had.
 */
static void what_does_not_fit_is_not_proven_while_something_may(void **state)
{
    (void)state;
    static const char *const names[] = {"greedy", "optimal"};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        struct fixture fixture;
        fixture_start(&fixture);
        fixture.problem.planner = names[n];
        fixture.memories[DTCM].limit = 6000;
        fixture.memories[SRAM].limit = 4096;
        fixture_tensor(&fixture, "small", ROLE_SCRATCH, 4000, 0, 1);
        fixture_tensor(&fixture, "large", ROLE_SCRATCH, 6000, 0, 1);
        const struct memory_plan *plan = fixture_plan(&fixture);
        assert_int_equal(plan->lower_bound, 10000);
        assert_int_equal(plan_gap(plan), 0);
        assert_int_equal(plan->has_overflow, n == 0);
        assert_int_equal(plan->proven_optimal, n == 1);
        fixture_free(&fixture);
    }
}

static void what_has_no_choice_is_proven_even_where_it_does_not_fit(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = "greedy";
    fixture.memories[DTCM].limit = 6000;
    fixture_tensor(&fixture, "pinned", ROLE_SCRATCH, 8000, 0, 1)->memory = DTCM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_true(plan->has_overflow);
    assert_true(plan->proven_optimal);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pln_033_persistent_slots_lie_one_behind_the_other),
        cmocka_unit_test(pln_034_cold_constants_lie_one_behind_the_other),
        cmocka_unit_test(aln_001_the_floor_of_the_base_is_not_one_of_the_slots),
        cmocka_unit_test(aln_004_an_arena_alignment_holds_for_base_and_slots),
        cmocka_unit_test(aln_006_a_hint_raises_the_base_too),
        cmocka_unit_test(aln_007_a_cache_line_in_psram),
        cmocka_unit_test(pln_035_and_036_aliases_share_a_slot_for_all_their_lives),
        cmocka_unit_test(emt_001_arenas_are_numbered_by_role_then_name),
        cmocka_unit_test(pln_029_the_defaults_spelled_out_change_nothing),
        cmocka_unit_test(the_hash_names_what_matters_and_nothing_else),
        cmocka_unit_test(the_canonical_text_opens_with_its_version),
        cmocka_unit_test(the_hashes_are_those_of_the_texts),
        cmocka_unit_test(an_allocation_is_found_by_id_and_name),
        cmocka_unit_test(sizes_that_pass_every_address_space_are_refused),
        cmocka_unit_test(a_tensor_without_any_memory_is_refused),
        cmocka_unit_test(nothing_to_place_is_a_plan_too),
        cmocka_unit_test(what_is_above_the_bound_is_not_proven),
        cmocka_unit_test(what_does_not_fit_is_not_proven_while_something_may),
        cmocka_unit_test(what_has_no_choice_is_proven_even_where_it_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
