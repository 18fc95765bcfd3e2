/* Slots of a plan, who owns their bytes when, and how much is alive at once. */
#include "../plan/plan_fixture.h"

#include "report/explain.h"

static void the_peak_is_where_most_bytes_live(void **state)
{
    (void)state;
    struct arena arena = {0};
    /* Operator 3: 10 + 30 = 40; operator 5: 30 + 5 = 35; the last operators that a number can name: 40 again, and the first
     * stays. */
    const struct life lives[] = {
        {10, 0, 3}, {30, 3, 5}, {5, 5, 5}, {25, UINT32_MAX - 2, UINT32_MAX - 1}, {15, UINT32_MAX - 1, UINT32_MAX - 1}};
    const struct live_peak peak = live_peak_find(lives, COUNT_OF(lives), &arena);
    assert_int_equal(peak.bytes, 40);
    assert_int_equal(peak.op, 3);
    assert_int_equal(live_peak_find(lives, 0, &arena).bytes, 0);
    arena_free(&arena);
}

static void aliases_are_one_slot(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.problem.planner = "greedy";
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 100, 0, 1);
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 200, 1, 4)->alias_of = 0;
    fixture_tensor(&fixture, "c", ROLE_SCRATCH, 64, 2, 3);
    const struct memory_plan *plan = fixture_plan(&fixture);
    const struct slot_table slots = slots_of_plan(plan, &fixture.arena);
    assert_int_equal(slots.count, 2);
    assert_int_equal(slots.items[0].allocation, 0);
    assert_int_equal(slots.items[0].size, 200);
    assert_int_equal(slots.items[0].start_op, 0);
    assert_int_equal(slots.items[0].end_op, 4);
    assert_int_equal(slots.root[1], 0);
    assert_int_equal(slots.by_root_first[1] - slots.by_root_first[0], 2);
    assert_int_equal(slots.by_root[slots.by_root_first[0] + 1], 1);
    /* c lives with the slot, behind it: 200 rounded up to 16. */
    assert_int_equal(slots.items[1].allocation, 2);
    assert_int_equal(slots.items[1].offset, 208);
    fixture_free(&fixture);
}

/* One arena whose slots are given; the first is the one that is asked about. */
static struct tensor_explanation share(struct arena *arena, struct owned_slot *slots, size_t count)
{
    const struct arena_usage usage = {.id = 0};
    size_t first[] = {0, count};
    const struct slot_table table = {.items = slots, .count = count, .first = first};
    struct tensor_explanation explained = {.slot = &slots[0], .arena = &usage};
    for (size_t i = 0; i < count; i++) {
        if (slots[i].allocation == 0) {
            explained.slot = &slots[i];
        }
    }
    explain_sharing(arena, &table, &explained);
    explained.arena = NULL;
    return explained;
}

static void each_byte_has_one_last_owner(void **state)
{
    (void)state;
    struct arena arena = {0};
    /* 0 lives from 10 to 12 in bytes 100 to 200. Before: 1 (ends at 9) has 150 to 250; 2 (ends at 5) has 0 to 160, of which 100
     * to 150 are left to it; 3 (ends at 2) has 120 to 140, which 2 took over. After: 4 from 13. 5 has other bytes. */
    struct owned_slot slots[] = {
        {.allocation = 2, .offset = 0, .size = 160, .start_op = 4, .end_op = 5},
        {.allocation = 0, .offset = 100, .size = 100, .start_op = 10, .end_op = 12},
        {.allocation = 3, .offset = 120, .size = 20, .start_op = 0, .end_op = 2},
        {.allocation = 1, .offset = 150, .size = 100, .start_op = 6, .end_op = 9},
        {.allocation = 4, .offset = 199, .size = 10, .start_op = 13, .end_op = 13},
        {.allocation = 5, .offset = 200, .size = 10, .start_op = 13, .end_op = 13},
    };
    const struct tensor_explanation explained = share(&arena, slots, COUNT_OF(slots));
    assert_int_equal(explained.before.count, 2);
    assert_int_equal(explained.before.items[0].allocation, 1);
    assert_int_equal(explained.before.items[0].from, 150);
    assert_int_equal(explained.before.items[0].to, 200);
    assert_int_equal(explained.before.items[1].allocation, 2);
    assert_int_equal(explained.before.items[1].from, 100);
    assert_int_equal(explained.before.items[1].to, 160);
    assert_int_equal(explained.after.count, 1);
    assert_int_equal(explained.after.items[0].allocation, 4);
    assert_int_equal(explained.after.items[0].from, 199);
    arena_free(&arena);
}

static void many_owners_are_cut(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct owned_slot slots[41];
    slots[0] = (struct owned_slot){.allocation = 0, .offset = 0, .size = 400, .start_op = 1000, .end_op = 1000};
    for (uint32_t i = 1; i < 41; i++) {
        /* Every second 10 bytes, so that the rest falls into many pieces. */
        slots[i] = (struct owned_slot){.allocation = i, .offset = 10 * (i - 1), .size = 5, .start_op = i, .end_op = i};
    }
    const struct tensor_explanation explained = share(&arena, slots, COUNT_OF(slots));
    assert_int_equal(explained.before.count, EXPLAIN_LIST_LIMIT);
    assert_true(explained.before.cut);
    assert_int_equal(explained.before.items[0].allocation, 40); /* the latest */
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_where_most_bytes_live),
        cmocka_unit_test(aliases_are_one_slot),
        cmocka_unit_test(each_byte_has_one_last_owner),
        cmocka_unit_test(many_owners_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
