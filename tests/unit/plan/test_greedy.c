/* greedy: first fit in the order in which lives start. Expected offsets are those of the cases named in each test. */
#include "planning.h"

#define KB64 65536

static void check(const char *planner, const struct row *rows, size_t count, const uint64_t *offsets, uint64_t used)
{
    struct sample *sample = sample_new(rows, count);
    sample_memory(sample, KB64, 1);
    struct solved solved = solve(sample, planner);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(solved.layout.slots[i].offset, offsets[i]);
    }
    assert_int_equal(solved.layout.used[0], used);
    assert_true(solved.layout.fits);
    sample_free(sample);
}

static void pln_001_a_freed_gap_is_reused(void **state)
{
    (void)state;
    const struct row rows[] = {{1024, 0, 1}, {2048, 1, 2}, {1024, 2, 3}};
    check("greedy", rows, 3, (const uint64_t[]){0, 1024, 0}, 3072);
}

static void pln_002_a_gap_that_is_too_small_is_passed_over(void **state)
{
    (void)state;
    const struct row rows[] = {{1024, 0, 1}, {2048, 1, 2}, {2048, 2, 3}};
    check("greedy", rows, 3, (const uint64_t[]){0, 1024, 3072}, 5120);
}

static void pln_011_what_does_not_fit_says_so(void **state)
{
    (void)state;
    const struct row rows[] = {{1024, 0, 1}, {2048, 1, 2}, {2048, 2, 3}};
    struct sample *sample = sample_new(rows, 3);
    sample_memory(sample, 4096, 1);
    struct solved solved = solve(sample, "greedy");
    assert_false(solved.layout.fits);
    assert_int_equal(solved.layout.used[0], 5120);
    sample_free(sample);
}

static void pln_013_the_second_of_two_spills_to_the_next_memory(void **state)
{
    (void)state;
    const struct row rows[] = {{4096, 0, 2}, {4096, 0, 2}};
    struct sample *sample = sample_new(rows, 2);
    sample_memory(sample, 6144, 1);
    sample_memory(sample, KB64, 1);
    struct solved solved = solve(sample, "greedy");
    assert_int_equal(solved.layout.slots[0].memory, 0);
    assert_int_equal(solved.layout.slots[1].memory, 1);
    assert_int_equal(solved.layout.used[0], 4096);
    assert_int_equal(solved.layout.used[1], 4096);
    sample_free(sample);
}

static void pln_014_a_smaller_one_returns_to_the_fast_memory(void **state)
{
    (void)state;
    const struct row rows[] = {{4096, 0, 2}, {4096, 0, 2}, {2048, 1, 3}, {2048, 3, 4}};
    struct sample *sample = sample_new(rows, 4);
    sample_memory(sample, 6144, 1);
    sample_memory(sample, KB64, 1);
    struct solved solved = solve(sample, "greedy");
    const struct slot expected[] = {{0, 0}, {1, 0}, {0, 4096}, {0, 0}};
    assert_same_slots(&sample->problem, solved.layout.slots, expected, 0);
    assert_int_equal(solved.layout.used[0], 6144);
    assert_int_equal(solved.layout.used[1], 4096);
    sample_free(sample);
}

static void pln_015_alignment_moves_offsets_and_leaves_the_end_alone(void **state)
{
    (void)state;
    const struct row rows[] = {{1000, 0, 3}, {1000, 0, 3}, {1000, 0, 3}};
    struct sample *sample = sample_new(rows, 3);
    sample_memory(sample, KB64, 16);
    struct solved solved = solve(sample, "greedy");
    const struct slot expected[] = {{0, 0}, {0, 1008}, {0, 2016}};
    assert_same_slots(&sample->problem, solved.layout.slots, expected, 0);
    assert_int_equal(solved.layout.used[0], 3016);
    sample_free(sample);
}

static void pln_016_five_tensors_take_288(void **state)
{
    (void)state;
    const struct row rows[] = {{16, 0, 0}, {64, 1, 2}, {96, 1, 1}, {96, 2, 4}, {128, 4, 5}};
    check("greedy", rows, 5, (const uint64_t[]){0, 0, 64, 64, 160}, 288);
}

static void pln_038_a_budget_is_the_threshold_of_the_spill(void **state)
{
    (void)state;
    const struct row rows[] = {{4096, 0, 0}, {1, 0, 0}};
    struct sample *sample = sample_new(rows, 2);
    sample_memory(sample, 4096, 1);
    sample_memory(sample, KB64, 1);
    struct solved solved = solve(sample, "greedy");
    assert_int_equal(solved.layout.slots[0].memory, 0);
    assert_int_equal(solved.layout.slots[1].memory, 1);
    sample_free(sample);
}

static void a_pin_is_kept_even_when_it_does_not_fit(void **state)
{
    (void)state;
    const struct row rows[] = {{4096, 0, 0}};
    struct sample *sample = sample_new(rows, 1);
    sample_memory(sample, 1024, 1);
    sample_memory(sample, KB64, 1);
    sample->items[0].memory = 0;
    for (size_t p = 0; p < planner_count; p++) {
        struct solved solved = solve(sample, planners[p].name);
        assert_int_equal(solved.layout.slots[0].memory, 0);
        assert_false(solved.layout.fits);
    }
    sample_free(sample);
}

static void nothing_at_all_is_planned_too(void **state)
{
    (void)state;
    struct sample *sample = sample_new(NULL, 0);
    sample_memory(sample, 16, 16);
    for (size_t p = 0; p < planner_count; p++) {
        assert_true(solve(sample, planners[p].name).layout.fits);
    }
    sample_free(sample);
}

static bool starts_before(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->start < b->start;
}

static void pln_022_random_problems_give_the_reference_layout(void **state)
{
    (void)state;
    assert_reference_layouts("greedy", starts_before, random_sample, 1500);
}

static void crowds_give_the_reference_layout_too(void **state)
{
    (void)state;
    assert_reference_layouts("greedy", starts_before, crowded_sample, 30);
}

/* More than a list holds are alive at once: they move to a shelf, in the middle of it all, and leave it again one by one. */
static struct sample *teeming_sample(uint64_t seed)
{
    struct dice dice = {(seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
    struct row rows[1800];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, 80);
        rows[i] = (struct row){1 + throw_dice(&dice, 5000), start, start + 20 + (uint32_t)throw_dice(&dice, 30)};
    }
    struct sample *sample = sample_new(rows, COUNT_OF(rows));
    sample_memory(sample, 1200000, 8);
    sample_memory(sample, UINT64_C(1) << 40, 16);
    return sample;
}

static void what_teems_gives_the_reference_layout_too(void **state)
{
    (void)state;
    assert_reference_layouts("greedy", starts_before, teeming_sample, 4);
}

static void wide_and_clustered_problems_give_the_reference_layout_too(void **state)
{
    (void)state;
    assert_reference_layouts("greedy", starts_before, wide_or_clustered_sample, 1500);
}

/* Nobody leaves, so all of them stand one on the other, and a look at each that is there for each that comes would take minutes.
 */
static void a_hundred_thousand_alive_together_stand_in_one_pile(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct row *rows = calloc(COUNT, sizeof *rows);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = (struct row){16 + i % 1000, i, 2 * COUNT - i};
    }
    assert_one_pile("greedy", rows, COUNT);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pln_001_a_freed_gap_is_reused),
        cmocka_unit_test(pln_002_a_gap_that_is_too_small_is_passed_over),
        cmocka_unit_test(pln_011_what_does_not_fit_says_so),
        cmocka_unit_test(pln_013_the_second_of_two_spills_to_the_next_memory),
        cmocka_unit_test(pln_014_a_smaller_one_returns_to_the_fast_memory),
        cmocka_unit_test(pln_015_alignment_moves_offsets_and_leaves_the_end_alone),
        cmocka_unit_test(pln_016_five_tensors_take_288),
        cmocka_unit_test(pln_038_a_budget_is_the_threshold_of_the_spill),
        cmocka_unit_test(a_pin_is_kept_even_when_it_does_not_fit),
        cmocka_unit_test(nothing_at_all_is_planned_too),
        cmocka_unit_test(pln_022_random_problems_give_the_reference_layout),
        cmocka_unit_test(crowds_give_the_reference_layout_too),
        cmocka_unit_test(what_teems_gives_the_reference_layout_too),
        cmocka_unit_test(wide_and_clustered_problems_give_the_reference_layout_too),
        cmocka_unit_test(a_hundred_thousand_alive_together_stand_in_one_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
