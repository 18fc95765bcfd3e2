/* hill_climb: the keep rule, the options, what the search must reach. */
#include "planning.h"

#include <dirent.h>
#include <stdio.h>

#include "base/text.h"
#include "plan/live_bound.h"

static const struct row gap_too_small[] = {{1024, 0, 1}, {2048, 1, 2}, {2048, 2, 3}};

static struct solved climb(struct sample *sample, uint64_t iterations, uint64_t seed, uint64_t stall)
{
    const struct planner_options options = {{iterations, seed, stall}};
    return solve_with(sample, planner_named("hill_climb"), &options);
}

static void pln_004_a_smaller_search_is_kept(void **state)
{
    (void)state;
    struct sample *sample = sample_new(gap_too_small, 3);
    sample_memory(sample, 65536, 1);
    struct solved solved = solve(sample, "hill_climb");
    assert_int_equal(solved.layout.used[0], 4096);
    assert_string_equal(solved.report.kept, "search");
    assert_string_equal(solved.report.stop, "bound");
    sample_free(sample);
}

static void pln_005_without_iterations_the_seed_layout_is_compared(void **state)
{
    (void)state;
    struct sample *sample = sample_new(gap_too_small, 3);
    sample_memory(sample, 65536, 1);
    struct solved solved = climb(sample, 0, 0, 50);
    assert_int_equal(solved.layout.used[0], 4096);
    assert_string_equal(solved.report.kept, "search");
    assert_int_equal(solved.report.attempts, 0);
    sample_free(sample);
}

static void pln_006_a_tie_keeps_greedys_offsets(void **state)
{
    (void)state;
    const struct row rows[] = {{1024, 0, 1}, {2048, 1, 2}, {1024, 2, 3}};
    struct sample *sample = sample_new(rows, 3);
    sample_memory(sample, 65536, 1);
    struct solved solved = solve(sample, "hill_climb");
    const struct slot expected[] = {{0, 0}, {0, 1024}, {0, 0}};
    assert_same_slots(&sample->problem, solved.layout.slots, expected, 0);
    assert_int_equal(solved.layout.used[0], 3072);
    assert_string_equal(solved.report.kept, "greedy");
    sample_free(sample);
}

static void pln_009_the_only_layout_that_fits_is_used(void **state)
{
    (void)state;
    struct sample *sample = sample_new(gap_too_small, 3);
    sample_memory(sample, 4096, 1);
    struct solved solved = solve(sample, "hill_climb");
    assert_true(solved.layout.fits);
    assert_int_equal(solved.layout.used[0], 4096);
    assert_string_equal(solved.report.kept, "search");
    sample_free(sample);
}

static void pln_010_when_neither_fits_the_searchs_is_reported(void **state)
{
    (void)state;
    struct sample *sample = sample_new(gap_too_small, 3);
    sample_memory(sample, 4095, 1);
    struct solved solved = solve(sample, "hill_climb");
    assert_false(solved.layout.fits);
    assert_int_equal(solved.layout.used[0], 4096);
    assert_string_equal(solved.report.kept, "search");
    sample_free(sample);
}

static void pln_018_the_default_options_reach_the_optimum(void **state)
{
    (void)state;
    const struct row rows[] = {{16, 0, 0}, {64, 1, 2}, {96, 1, 1}, {96, 2, 4}, {128, 4, 5}};
    struct sample *sample = sample_new(rows, 5);
    sample_memory(sample, 65536, 1);
    struct solved solved = solve(sample, "hill_climb");
    assert_int_equal(solved.layout.used[0], 224);
    assert_string_equal(solved.report.stop, "bound");
    assert_true(solved.report.attempts > 0);
    sample_free(sample);
}

static void a_smaller_total_that_grows_one_arena_is_not_kept(void **state)
{
    (void)state;
    /* Largest first fills memory 0 with the 60, so that 50 goes to memory 1, where greedy puts only the 30: total 110 against
     * 120. */
    const struct row rows[] = {{30, 0, 1}, {50, 1, 2}, {60, 2, 3}};
    struct sample *sample = sample_new(rows, 3);
    sample_memory(sample, 80, 1);
    sample_memory(sample, 65536, 1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct solved greedy = solve(sample, "greedy");
        struct solved solved = climb(sample, 300, seed, 50);
        for (size_t m = 0; m < 2; m++) {
            assert_true(solved.layout.used[m] <= greedy.layout.used[m]);
        }
    }
    sample_free(sample);
}

static void pln_030_one_tensor_needs_no_search(void **state)
{
    (void)state;
    const struct row rows[] = {{100, 0, 3}};
    struct sample *sample = sample_new(rows, 1);
    sample_memory(sample, 65536, 16);
    struct solved solved = climb(sample, 1000, 0, 1);
    assert_true(solved.report.attempts <= 1);
    assert_string_equal(solved.report.kept, "greedy");
    sample_free(sample);
}

static void the_stop_is_counted_in_attempts(void **state)
{
    (void)state;
    struct sample *sample = endless_sample(7);
    struct solved few = climb(sample, 5, 0, UINT64_MAX);
    assert_string_equal(few.report.stop, "iterations");
    assert_int_equal(few.report.attempts, 5);
    struct solved stalled = climb(sample, 1000000, 0, 3);
    assert_string_equal(stalled.report.stop, "stall");
    assert_true(stalled.report.attempts >= 3);
    struct solved all = climb(sample, 400, 0, UINT64_MAX);
    assert_int_equal(all.report.attempts, 400);
    /* More attempts from the same seed never end higher. */
    assert_true(all.layout.used[0] <= few.layout.used[0]);
    sample_free(sample);
}

static void the_same_seed_gives_the_same_layout(void **state)
{
    (void)state;
    struct sample *sample = endless_sample(7);
    bool differs = false;
    struct solved first = climb(sample, 300, 0, 50);
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct solved one = climb(sample, 300, seed, 50);
        struct solved two = climb(sample, 300, seed, 50);
        assert_same_slots(&sample->problem, one.layout.slots, two.layout.slots, seed);
        assert_memory_equal(&one.report.attempts, &two.report.attempts, sizeof one.report.attempts);
        differs =
            differs || memcmp(one.layout.slots, first.layout.slots, sample->problem.item_count * sizeof *one.layout.slots) != 0;
    }
    assert_true(differs);
    sample_free(sample);
}

static void pln_021_the_keep_rule_holds_for_random_problems(void **state)
{
    (void)state;
    size_t searches = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct sample *sample = random_sample(seed);
        const struct scratch_problem *problem = &sample->problem;
        struct solved greedy = solve(sample, "greedy");
        struct solved by_size = solve(sample, "greedy_by_size");
        struct solved solved = solve(sample, "hill_climb");
        bool kept_search = strcmp(solved.report.kept, "search") == 0;
        searches += kept_search;
        uint64_t total = layout_total(problem, &solved.layout);
        if (!kept_search) {
            assert_same_slots(problem, solved.layout.slots, greedy.layout.slots, seed);
            assert_true(greedy.layout.fits);
        } else if (by_size.layout.fits) {
            assert_true(total <= layout_total(problem, &by_size.layout));
        }
        if (greedy.layout.fits) {
            assert_true(solved.layout.fits);
            for (size_t m = 0; m < problem->memory_count; m++) {
                assert_true(solved.layout.used[m] <= greedy.layout.used[m]);
            }
            assert_true(kept_search == (total < layout_total(problem, &greedy.layout)));
        }
        if (by_size.layout.fits) {
            assert_true(solved.layout.fits);
        }
        sample_free(sample);
    }
    assert_true(searches > 100);
}

static void use_first_memory_only(struct sample *sample)
{
    sample->problem.order_count = 1;
    sample->memories[0].limit = UINT64_MAX / 2;
    for (size_t i = 0; i < sample->problem.item_count; i++) {
        sample->items[i].memory = MEMORY_ANY;
    }
}

/* The search may stop early only where going on could change nothing: what is kept is then as small as anything can be. */
static void a_stop_at_the_bound_is_one(void **state)
{
    (void)state;
    size_t stops = 0;
    size_t searches = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sample *sample = random_sample(seed);
        /* Bounds are met where alignment is in nobody's way. */
        for (size_t i = 0; i < sample->problem.item_count; i++) {
            sample->items[i].alignment = 1;
        }
        for (size_t m = 0; m < sample->problem.memory_count; m++) {
            sample->memories[m].alignment_floor = 1;
        }
        if (seed % 2 == 0) {
            use_first_memory_only(sample);
        }
        struct solved solved = climb(sample, 60, 0, UINT64_MAX);
        uint64_t total = layout_total(&sample->problem, &solved.layout);
        if (strcmp(solved.report.stop, "bound") == 0) {
            assert_int_equal(total, total_lower_bound(&sample->problem, &sample->arena));
            assert_true(solved.layout.fits);
            stops++;
            searches += strcmp(solved.report.kept, "search") == 0;
        } else {
            assert_string_equal(solved.report.stop, "iterations");
            assert_int_equal(solved.report.attempts, 60);
        }
        sample_free(sample);
    }
    assert_true(stops > 100);
    assert_true(searches > 20);
}

/* A second memory that nobody needs does not keep the search from stopping. */
static void an_empty_memory_does_not_prolong_the_search(void **state)
{
    (void)state;
    struct sample *sample = sample_new(gap_too_small, 3);
    sample_memory(sample, 65536, 16);
    sample_memory(sample, 65536, 16);
    struct solved solved = solve(sample, "hill_climb");
    assert_string_equal(solved.report.stop, "bound");
    assert_int_equal(solved.report.attempts, 0);
    assert_int_equal(solved.layout.used[0], 4096);
    sample_free(sample);
}

/* ---- the corpus ---- */

/* The hole under the last item is one that a search finds at once: the largest item comes first then. With 8,000 more items alive
 * beside them there is no search to wait for, and greedy's layout says so. */
static void a_crowd_is_not_searched(void **state)
{
    (void)state;
    enum { CROWD = 8000, FEW = 80 };
    static struct row rows[CROWD + 3];
    rows[0] = (struct row){16, 0, 1};
    for (size_t i = 1; i < CROWD + 2; i++) {
        rows[i] = (struct row){16, 0, 9};
    }
    rows[CROWD + 2] = (struct row){32, 2, 9};
    struct sample *crowd = sample_new(rows, CROWD + 3);
    sample_memory(crowd, UINT64_MAX / 2, 16);
    struct solved solved = solve(crowd, "hill_climb");
    assert_string_equal(solved.report.stop, "work limit");
    assert_string_equal(solved.report.kept, "greedy");
    assert_int_equal(solved.report.attempts, 0);
    assert_int_equal(solved.layout.used[0], 16 * (CROWD + 2) + 32);
    sample_free(crowd);

    struct sample *few = sample_new(&rows[CROWD + 2 - FEW], FEW + 1);
    few->items[0].end = 1;
    sample_memory(few, UINT64_MAX / 2, 16);
    solved = solve(few, "hill_climb");
    assert_string_equal(solved.report.stop, "bound");
    assert_string_equal(solved.report.kept, "search");
    assert_int_equal(solved.layout.used[0], 16 * (FEW - 1) + 32);
    sample_free(few);
}

static struct sample *read_instance(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static struct row rows[20000];
    size_t count = 0;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long id;
        unsigned long lower;
        unsigned long upper;
        unsigned long size;
        if (sscanf(line, "%lu,%lu,%lu,%lu", &id, &lower, &upper, &size) != 4) {
            continue;
        }
        assert_true(count < COUNT_OF(rows));
        rows[count++] = (struct row){size, (uint32_t)lower, (uint32_t)upper - 1};
    }
    fclose(file);
    struct sample *sample = sample_new(rows, count);
    sample_memory(sample, UINT64_MAX / 2, 16);
    return sample;
}

/* The best of the documented heuristics needs 1.269 times the bound on average; six of the eleven inputs are here. */
static void the_hard_set_is_no_worse_than_documented(void **state)
{
    (void)state;
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    static const char *const names[] = {"hard_A", "hard_B", "hard_D", "hard_F", "hard_H", "hard_J"};
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/instances/%s.csv", corpus != NULL ? corpus : PROJECT_FOLDER "/../shared/data", names[i]);
        FILE *file = fopen(path, "r");
        if (file == NULL) {
            print_message("skipped: no %s\n", path);
            skip();
        }
        fclose(file);
        struct sample *sample = read_instance(path);
        struct solved solved = solve(sample, "hill_climb");
        sum += (double)solved.layout.used[0] / (double)total_lower_bound(&sample->problem, &sample->arena);
        sample_free(sample);
    }
    assert_true(sum / (double)COUNT_OF(names) <= 1.269);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_is_not_searched),
        cmocka_unit_test(pln_004_a_smaller_search_is_kept),
        cmocka_unit_test(pln_005_without_iterations_the_seed_layout_is_compared),
        cmocka_unit_test(pln_006_a_tie_keeps_greedys_offsets),
        cmocka_unit_test(pln_009_the_only_layout_that_fits_is_used),
        cmocka_unit_test(pln_010_when_neither_fits_the_searchs_is_reported),
        cmocka_unit_test(pln_018_the_default_options_reach_the_optimum),
        cmocka_unit_test(a_smaller_total_that_grows_one_arena_is_not_kept),
        cmocka_unit_test(pln_030_one_tensor_needs_no_search),
        cmocka_unit_test(the_stop_is_counted_in_attempts),
        cmocka_unit_test(the_same_seed_gives_the_same_layout),
        cmocka_unit_test(pln_021_the_keep_rule_holds_for_random_problems),
        cmocka_unit_test(a_stop_at_the_bound_is_one),
        cmocka_unit_test(an_empty_memory_does_not_prolong_the_search),
        cmocka_unit_test(the_hard_set_is_no_worse_than_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
