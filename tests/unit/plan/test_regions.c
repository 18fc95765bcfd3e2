/* What every memory holds: consumers, gaps, limits that all share. */
#include "plan_fixture.h"

#include "plan/plan_json.h"

static const char *plan_json_text(struct fixture *fixture, const struct memory_plan *plan)
{
    struct text text = text_start(&fixture->arena);
    plan_write_json(plan, &text);
    return text.data;
}

static void apl_001_a_staged_constant_counts_in_both_memories(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "s", ROLE_SCRATCH, 16492, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 28976, 0, 0)->memory = DTCM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->regions[DTCM].used, 45468);
    assert_string_equal(consumers_text(&fixture, plan, DTCM),
                        "dtcm_constant_arena_1=28976 weights, dtcm_scratch_arena_0=16492 arena");
    assert_int_equal(plan->regions[MRAM].used, 28976);
    assert_string_equal(consumers_text(&fixture, plan, MRAM), "mram_constant_source_1=28976 weights");
    assert_int_equal(plan->model_weight_bytes, 28976);
    const struct arena_usage *arena = arena_of(plan, ROLE_CONSTANT, DTCM);
    assert_true(arena_is_staged(arena));
    assert_string_equal(arena->source_symbol, "kws_source_dtcm_from_mram");
    fixture_free(&fixture);
}

static void a_cold_constant_in_ram_costs_its_bytes_in_the_image(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    struct request *request = fixture_tensor(&fixture, "w", ROLE_CONSTANT, 1000, 0, 0);
    request->memory = request->source_memory = SRAM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_string_equal(consumers_text(&fixture, plan, SRAM), "sram_constant_arena_0=1000 weights");
    assert_string_equal(consumers_text(&fixture, plan, MRAM), "mram_constant_image_0=1000 weights");
    fixture_free(&fixture);
}

static void a_cold_constant_in_mram_costs_nothing_elsewhere(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 1000, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_string_equal(consumers_text(&fixture, plan, MRAM), "mram_constant_arena_0=1000 weights");
    assert_int_equal(plan->regions[SRAM].used + plan->regions[DTCM].used + plan->regions[PSRAM].used, 0);
    fixture_free(&fixture);
}

static void pjs_001_and_002_every_memory_is_listed_in_registry_order(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    const struct memory_plan *plan = fixture_plan(&fixture);
    for (uint32_t m = 0; m < MEMORY_COUNT; m++) {
        assert_int_equal(plan->regions[m].memory, m);
        assert_true(plan->regions[m].capacity > 0);
        assert_int_equal(plan->regions[m].used, 0);
        assert_int_equal(region_free(&plan->regions[m]), plan->regions[m].capacity);
    }
    fixture_free(&fixture);
}

static void psr_010_the_arena_stands_behind_the_model_at_a_multiple_of_64(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    struct request *model = fixture_tensor(&fixture, "model", ROLE_CONSTANT, 1000001, 0, 0);
    model->memory = model->source_memory = PSRAM;
    fixture_tensor(&fixture, "arena", ROLE_SCRATCH, 4096, 0, 0)->memory = PSRAM;
    fixture.problem.host_fills_external = true;
    const struct memory_plan *plan = fixture_plan(&fixture);
    const struct arena_usage *arena = arena_of(plan, ROLE_CONSTANT, PSRAM);
    assert_int_equal(arena->region_offset, 0);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, PSRAM)->region_offset, 1000064);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, PSRAM)->alignment, 64);
    /* The host uploads the model: it costs nothing in the image. */
    assert_true(arena_is_host_uploaded(&fixture.problem, arena));
    assert_int_equal(plan->regions[MRAM].used, 0);
    assert_non_null(strstr(plan_json_text(&fixture, plan), "\"host_upload\": true"));
    fixture.problem.host_fills_external = false;
    assert_false(arena_is_host_uploaded(&fixture.problem, arena));
    assert_null(strstr(plan_json_text(&fixture, plan), "host_upload"));
    fixture_free(&fixture);
}

static void gaps_between_arenas_are_counted_and_bases_are_true_addresses(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    /* The window starts 8 bytes behind a multiple of 64. */
    fixture.memories[DTCM].origin += 8;
    fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 10, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "s", ROLE_SCRATCH, 100, 0, 0)->memory = DTCM;
    fixture.requests[1].alignment = 64;
    const struct memory_plan *plan = fixture_plan(&fixture);
    /* persistent: 8 bytes to the next multiple of 16, 10 bytes; scratch at 64 - 8 = 56. */
    assert_int_equal(arena_of(plan, ROLE_PERSISTENT, DTCM)->region_offset, 8);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, DTCM)->region_offset, 56);
    assert_string_equal(consumers_text(&fixture, plan, DTCM),
                        "dtcm_persistent_arena_1=10 arena, dtcm_scratch_arena_0=100 arena, alignment_padding=46 other");
    assert_int_equal(plan->regions[DTCM].used, 156);
    fixture_free(&fixture);
}

static void scratch_gets_what_everything_else_leaves(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = 4096;
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 1000, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 1024, 0, 0)->memory = DTCM;
    /* 1024 + 1000, up to 2032: 2064 bytes are left. */
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 2064, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 16, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->allocations[2].binding.memory, DTCM);
    assert_int_equal(plan->allocations[3].binding.memory, SRAM);
    assert_int_equal(plan->regions[DTCM].used, 4096);
    assert_false(plan->has_overflow);
    fixture_free(&fixture);
}

static void one_byte_more_goes_to_the_next_memory(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = 4096;
    fixture_tensor(&fixture, "w", ROLE_CONSTANT, 1000, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 1024, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 2065, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->allocations[2].binding.memory, SRAM);
    assert_false(plan->has_overflow);
    fixture_free(&fixture);
}

/* The arena's base will be aligned to the largest slot in it, so the bytes before it are not there for scratch: 16 + 48 + 64
 * + 32. */
static void the_gap_before_the_most_aligned_slot_is_not_given_away(void **state)
{
    (void)state;
    for (uint64_t less = 0; less < 2; less++) {
        struct fixture fixture;
        fixture_start(&fixture);
        fixture.memories[DTCM].limit = 160 - less;
        fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 16, 0, 0)->memory = DTCM;
        fixture_tensor(&fixture, "aligned", ROLE_SCRATCH, 64, 0, 0)->alignment = 64;
        fixture_tensor(&fixture, "plain", ROLE_SCRATCH, 32, 0, 0)->alignment = 16;
        const struct memory_plan *plan = fixture_plan(&fixture);
        assert_false(plan->has_overflow);
        assert_int_equal(plan->allocations[1].binding.memory, DTCM);
        assert_int_equal(plan->allocations[2].binding.memory, less == 0 ? DTCM : SRAM);
        fixture_free(&fixture);
    }
}

/* 1024 bytes of state and 3000 of scratch leave too little of 4096 for 2000 more, which would end at 1024 + 3008 + 2000. */
static const struct memory_plan *plan_with_budget(struct fixture *fixture, bool is_budget, uint64_t capacity)
{
    fixture_start(fixture);
    fixture->memories[DTCM].limit = 4096;
    fixture->memories[DTCM].limit_is_budget = is_budget;
    fixture->memories[DTCM].capacity = capacity;
    fixture_tensor(fixture, "p", ROLE_PERSISTENT, 1024, 0, 0)->memory = DTCM;
    fixture_tensor(fixture, "a", ROLE_SCRATCH, 3000, 0, 0);
    fixture_tensor(fixture, "b", ROLE_SCRATCH, 2000, 0, 0);
    fixture_tensor(fixture, "pinned", ROLE_SCRATCH, 500, 0, 0)->memory = SRAM;
    const struct memory_plan *plan = fixture_plan(fixture);
    assert_int_equal(plan->allocations[2].binding.memory, SRAM);
    return plan;
}

static void what_only_a_budget_keeps_out_is_counted(void **state)
{
    (void)state;
    static const struct {
        bool is_budget;
        uint64_t capacity;
        uint64_t kept_out;
    } rows[] = {{true, 524288, 2000}, {true, 6032, 2000}, {true, 6031, 0}, {false, 524288, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fixture fixture;
        const struct memory_plan *plan = plan_with_budget(&fixture, rows[i].is_budget, rows[i].capacity);
        assert_int_equal(plan->regions[DTCM].kept_out, rows[i].kept_out);
        assert_int_equal(plan->regions[DTCM].kept_out_count, rows[i].kept_out > 0);
        assert_int_equal(plan->regions[SRAM].kept_out, 0);
        fixture_free(&fixture);
    }
}

/* One with a pin had no choice, what shares a slot goes where that goes and counts once, and what lies in an earlier memory does
 * not want to go to a later one. */
static void a_budget_keeps_out_only_what_had_the_choice(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = fixture.memories[SRAM].limit = 4096;
    fixture.memories[DTCM].limit_is_budget = fixture.memories[SRAM].limit_is_budget = true;
    fixture_tensor(&fixture, "pinned", ROLE_SCRATCH, 1000, 0, 1)->memory = SRAM;
    fixture_tensor(&fixture, "first", ROLE_SCRATCH, 4000, 0, 1);
    fixture_tensor(&fixture, "root", ROLE_SCRATCH, 3000, 0, 0);
    fixture_tensor(&fixture, "alias", ROLE_SCRATCH, 3000, 1, 1)->alias_of = 2;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->allocations[1].binding.memory, DTCM);
    assert_int_equal(plan->allocations[2].binding.memory, SRAM);
    assert_int_equal(plan->regions[DTCM].kept_out_count, 1);
    assert_int_equal(plan->regions[DTCM].kept_out, 3000);
    assert_int_equal(plan->regions[SRAM].kept_out_count, 0);
    fixture_free(&fixture);
}

/* Slots of DTCM are a kilobyte apart, so that the lowest total of 100 and 100 bytes is one of them in each memory; and what is no
 * scratch does not count. */
static void a_budget_does_not_keep_out_what_the_planner_put_elsewhere(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = "optimal";
    fixture.memories[DTCM].minimum_alignment = 1024;
    fixture.memories[DTCM].limit = 4096;
    fixture.memories[DTCM].limit_is_budget = true;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 100, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 100, 0, 0);
    fixture_tensor(&fixture, "state", ROLE_PERSISTENT, 5000, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(arena_of(plan, ROLE_SCRATCH, SRAM)->used, 100);
    assert_int_equal(plan->allocations[2].binding.memory, SRAM);
    assert_int_equal(plan->regions[DTCM].kept_out_count, 0);
    fixture_free(&fixture);
}

static void an_unpinned_persistent_tensor_takes_the_first_memory_with_room(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = 512;
    fixture_tensor(&fixture, "p0", ROLE_PERSISTENT, 300, 0, 0);
    fixture_tensor(&fixture, "p1", ROLE_PERSISTENT, 300, 0, 0);
    fixture_tensor(&fixture, "p2", ROLE_PERSISTENT, 100, 0, 0);
    fixture_tensor(&fixture, "p3", ROLE_PERSISTENT, 96, 0, 0)->memory = DTCM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    const uint32_t expected[] = {DTCM, SRAM, DTCM, DTCM};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(plan->allocations[i].binding.memory, expected[i]);
    }
    assert_int_equal(offset_of(plan, 2), 304);
    assert_int_equal(offset_of(plan, 3), 416);
    assert_int_equal(plan->regions[DTCM].used, 512);
    assert_false(plan->has_overflow);
    fixture_free(&fixture);
}

static void a_persistent_tensor_that_fits_nowhere_overflows_the_last_memory(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "p", ROLE_PERSISTENT, 4 << 20, 0, 0);
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->allocations[0].binding.memory, SRAM);
    assert_true(plan->regions[SRAM].overflow);
    assert_false(plan->regions[DTCM].overflow);
    fixture_free(&fixture);
}

static void psram_is_used_only_where_a_pin_names_it(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 16 << 20, 0, 0);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 16 << 20, 0, 0)->memory = PSRAM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_int_equal(plan->allocations[0].binding.memory, SRAM);
    assert_int_equal(plan->allocations[1].binding.memory, PSRAM);
    assert_true(plan->has_overflow);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apl_001_a_staged_constant_counts_in_both_memories),
        cmocka_unit_test(a_cold_constant_in_ram_costs_its_bytes_in_the_image),
        cmocka_unit_test(a_cold_constant_in_mram_costs_nothing_elsewhere),
        cmocka_unit_test(pjs_001_and_002_every_memory_is_listed_in_registry_order),
        cmocka_unit_test(psr_010_the_arena_stands_behind_the_model_at_a_multiple_of_64),
        cmocka_unit_test(gaps_between_arenas_are_counted_and_bases_are_true_addresses),
        cmocka_unit_test(scratch_gets_what_everything_else_leaves),
        cmocka_unit_test(one_byte_more_goes_to_the_next_memory),
        cmocka_unit_test(the_gap_before_the_most_aligned_slot_is_not_given_away),
        cmocka_unit_test(what_only_a_budget_keeps_out_is_counted),
        cmocka_unit_test(a_budget_keeps_out_only_what_had_the_choice),
        cmocka_unit_test(a_budget_does_not_keep_out_what_the_planner_put_elsewhere),
        cmocka_unit_test(an_unpinned_persistent_tensor_takes_the_first_memory_with_room),
        cmocka_unit_test(a_persistent_tensor_that_fits_nowhere_overflows_the_last_memory),
        cmocka_unit_test(psram_is_used_only_where_a_pin_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
