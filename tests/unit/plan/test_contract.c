/* What holds whichever planner is chosen: pins, routing, budgets, roles, bindings, the same bytes every time. */
#include "plan_fixture.h"

enum { STATE, STATE_TWO, STAGED, COLD, PINNED, FIRST, SECOND, FAMILY_COUNT };
#define FIXED_COUNT 4 /* the tensors before the scratch ones */

/* DTCM has a budget of 4096 bytes. 100 + 60 bytes of state go there; one of the two unpinned scratch tensors fits besides. */
static void start_every_kind(struct fixture *fixture, const char *planner, bool with_scratch)
{
    fixture_start(fixture);
    fixture->problem.planner = planner;
    fixture->memories[DTCM].limit = 4096;
    fixture->memories[DTCM].limit_is_budget = true;
    fixture_tensor(fixture, "state", ROLE_PERSISTENT, 100, 0, 0);
    fixture_tensor(fixture, "state two", ROLE_PERSISTENT, 60, 3, 3)->memory = DTCM;
    fixture_tensor(fixture, "staged", ROLE_CONSTANT, 500, 0, 0)->memory = SRAM;
    fixture_tensor(fixture, "cold", ROLE_CONSTANT, 700, 0, 0);
    fixture->problem.step_count = 4;
    if (!with_scratch) {
        return;
    }
    fixture_tensor(fixture, "pinned", ROLE_SCRATCH, 64, 0, 3)->memory = SRAM;
    fixture_tensor(fixture, "first", ROLE_SCRATCH, 3000, 0, 1);
    fixture_tensor(fixture, "second", ROLE_SCRATCH, 2900, 1, 2);
}

static void pins_routing_and_budgets_hold_for_every_planner(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture fixture;
        start_every_kind(&fixture, planners[p].name, true);
        const struct memory_plan *plan = fixture_plan(&fixture);
        assert_string_equal(plan->planner->name, planners[p].name);
        assert_int_equal(plan->allocation_count, FAMILY_COUNT);
        assert_int_equal(plan->allocations[PINNED].binding.memory, SRAM);
        assert_int_equal(plan->allocations[STATE_TWO].binding.memory, DTCM);
        assert_int_equal(plan->allocations[STAGED].binding.memory, SRAM);
        assert_int_equal(plan->allocations[STAGED].binding.source_memory, MRAM);
        assert_int_equal(plan->allocations[COLD].binding.memory, MRAM);
        assert_false(plan->has_overflow);
        assert_true(plan->regions[DTCM].used <= 4096);
        /* Both live at operator 1, so one of them spills, and only one: the fast memory comes first. */
        assert_int_equal((plan->allocations[FIRST].binding.memory == DTCM) + (plan->allocations[SECOND].binding.memory == DTCM),
                         1);
        assert_int_equal((plan->allocations[FIRST].binding.memory == SRAM) + (plan->allocations[SECOND].binding.memory == SRAM),
                         1);
        fixture_free(&fixture);
    }
}

static void a_pin_over_the_budget_is_an_overflow_for_every_planner(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture fixture;
        start_every_kind(&fixture, planners[p].name, true);
        fixture.requests[FIRST].memory = fixture.requests[SECOND].memory = DTCM;
        const struct memory_plan *plan = fixture_plan(&fixture);
        assert_true(plan->regions[DTCM].overflow);
        assert_int_equal(plan->allocations[FIRST].binding.memory, DTCM);
        assert_int_equal(plan->allocations[SECOND].binding.memory, DTCM);
        fixture_free(&fixture);
    }
}

static void every_tensor_is_bound_to_an_arena_of_its_role(void **state)
{
    (void)state;
    static const enum tensor_role roles[FAMILY_COUNT] = {ROLE_PERSISTENT, ROLE_PERSISTENT, ROLE_CONSTANT, ROLE_CONSTANT,
                                                         ROLE_SCRATCH,    ROLE_SCRATCH,    ROLE_SCRATCH};
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture fixture;
        start_every_kind(&fixture, planners[p].name, true);
        const struct memory_plan *plan = fixture_plan(&fixture);
        for (size_t i = 0; i < plan->allocation_count; i++) {
            const struct tensor_allocation *allocation = &plan->allocations[i];
            const struct arena_usage *arena = arena_of(plan, allocation->binding.role, allocation->binding.memory);
            assert_int_equal(allocation->binding.role, roles[i]);
            assert_non_null(arena);
            assert_true(allocation->binding.offset + allocation->size <= arena->total_size);
            assert_int_equal(allocation->binding.source_memory, arena->source_memory);
            if (roles[i] != ROLE_CONSTANT) {
                assert_int_equal(allocation->binding.source_memory, allocation->binding.memory);
                assert_false(arena_is_staged(arena));
            }
        }
        assert_true(arena_is_staged(arena_of(plan, ROLE_CONSTANT, SRAM)));
        assert_false(arena_is_staged(arena_of(plan, ROLE_CONSTANT, MRAM)));
        fixture_free(&fixture);
    }
}

/* At most one arena a role and memory, and none where nothing was put. */
static void arenas_are_one_a_role_and_memory(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture fixture;
        start_every_kind(&fixture, planners[p].name, true);
        const struct memory_plan *plan = fixture_plan(&fixture);
        for (size_t i = 0; i < plan->arena_count; i++) {
            assert_ptr_equal(arena_of(plan, plan->arenas[i].role, plan->arenas[i].memory), &plan->arenas[i]);
            assert_true(plan->arenas[i].used > 0);
        }
        assert_null(arena_of(plan, ROLE_PERSISTENT, SRAM));
        assert_null(arena_of(plan, ROLE_PERSISTENT, PSRAM));
        assert_null(arena_of(plan, ROLE_SCRATCH, PSRAM));
        fixture_free(&fixture);
    }
}

/* The three families are filled each for itself: scratch tensors move nothing of the other two. */
static void scratch_moves_no_other_family(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture with;
        struct fixture without;
        start_every_kind(&with, planners[p].name, true);
        start_every_kind(&without, planners[p].name, false);
        const struct memory_plan *full = fixture_plan(&with);
        const struct memory_plan *bare = fixture_plan(&without);
        for (size_t i = 0; i < FIXED_COUNT; i++) {
            assert_memory_equal(&full->allocations[i].binding, &bare->allocations[i].binding, sizeof(struct tensor_binding));
        }
        fixture_free(&with);
        fixture_free(&without);
    }
}

static void two_runs_give_the_same_offsets_and_hash(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct fixture one;
        struct fixture two;
        start_every_kind(&one, planners[p].name, true);
        start_every_kind(&two, planners[p].name, true);
        const struct memory_plan *first = fixture_plan(&one);
        const struct memory_plan *second = fixture_plan(&two);
        assert_string_equal(first->hash, second->hash);
        for (size_t i = 0; i < FAMILY_COUNT; i++) {
            assert_memory_equal(&first->allocations[i].binding, &second->allocations[i].binding, sizeof(struct tensor_binding));
        }
        fixture_free(&one);
        fixture_free(&two);
    }
}

static void there_are_three_roles(void **state)
{
    (void)state;
    static const char *const names[] = {"scratch", "persistent", "constant"};
    assert_int_equal(ROLE_COUNT, COUNT_OF(names));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(role_names[i], names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_routing_and_budgets_hold_for_every_planner),
        cmocka_unit_test(a_pin_over_the_budget_is_an_overflow_for_every_planner),
        cmocka_unit_test(every_tensor_is_bound_to_an_arena_of_its_role),
        cmocka_unit_test(arenas_are_one_a_role_and_memory),
        cmocka_unit_test(scratch_moves_no_other_family),
        cmocka_unit_test(two_runs_give_the_same_offsets_and_hash),
        cmocka_unit_test(there_are_three_roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
