/* hill_climb's search, held against what can be counted or enumerated without it: when it stops, where it starts, what it
 * prefers. */
#include "planning.h"

static struct solved climb(struct sample *sample, uint64_t iterations, uint64_t stall)
{
    const struct planner_options options = {{iterations, 0, stall}};
    return solve_with(sample, planner_named("hill_climb"), &options);
}

/* Where the stall limit must end the search, by the improvements after each number of attempts; 0: not within the trace. */
static uint64_t expected_stop(const uint64_t *improvements, size_t count, uint64_t stall)
{
    uint64_t last_improvement = 0;
    for (uint64_t attempts = 1; attempts < count; attempts++) {
        if (improvements[attempts] > improvements[attempts - 1]) {
            last_improvement = attempts;
        }
        if (attempts - last_improvement == stall) {
            return attempts;
        }
    }
    return 0;
}

static void an_improvement_starts_the_count_of_the_stall_anew(void **state)
{
    (void)state;
    enum { TRACE = 200 };
    struct sample *sample = endless_sample(11);
    uint64_t improvements[TRACE];
    for (uint64_t k = 0; k < TRACE; k++) {
        struct solved solved = climb(sample, k, UINT64_MAX);
        assert_int_equal(solved.report.attempts, k);
        improvements[k] = solved.report.improvements;
    }
    static const uint64_t stalls[] = {1, 2, 3, 5, 8, 13, 21};
    size_t restarted = 0;
    for (size_t i = 0; i < COUNT_OF(stalls); i++) {
        uint64_t expected = expected_stop(improvements, TRACE, stalls[i]);
        if (expected == 0) {
            continue;
        }
        struct solved solved = climb(sample, 1000000, stalls[i]);
        assert_string_equal(solved.report.stop, "stall");
        assert_int_equal(solved.report.attempts, expected);
        restarted += expected > stalls[i];
    }
    assert_true(restarted >= 3);
    sample_free(sample);
}

/* Without attempts the search's layout is greedy_by_size's, and the keep rule decides as it does after a search. */
static void without_attempts_greedy_by_size_stands_for_the_search(void **state)
{
    (void)state;
    size_t kept = 0;
    size_t refused = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct sample *sample = random_sample(seed);
        const struct scratch_problem *problem = &sample->problem;
        struct solved greedy = solve(sample, "greedy");
        struct solved by_size = solve(sample, "greedy_by_size");
        struct solved solved = climb(sample, 0, 50);
        bool smaller = layout_total(problem, &by_size.layout) < layout_total(problem, &greedy.layout);
        for (size_t m = 0; m < problem->memory_count; m++) {
            smaller = smaller && by_size.layout.used[m] <= greedy.layout.used[m];
        }
        bool keeps = !greedy.layout.fits || (by_size.layout.fits && smaller);
        assert_int_equal(solved.report.attempts, 0);
        assert_string_equal(solved.report.kept, keeps ? "search" : "greedy");
        assert_same_slots(problem, solved.layout.slots, keeps ? by_size.layout.slots : greedy.layout.slots, seed);
        kept += keeps;
        refused += !keeps;
        sample_free(sample);
    }
    assert_true(kept > 100);
    assert_true(refused > 100);
}

/* ---- every order of a few items ---- */

#define FEW 5
static const uint32_t *visit_rank; /* of the item at this index; set before each reference layout */
static const struct scratch_item *first_item;

static bool ranks_before(const struct scratch_item *a, const struct scratch_item *b)
{
    return visit_rank[a - first_item] < visit_rank[b - first_item];
}

struct outcome {
    uint64_t excess, total, used[2];
};

static struct outcome outcome_of(const struct scratch_problem *problem, const struct slot *slots)
{
    struct outcome outcome = {0};
    for (size_t i = 0; i < problem->item_count; i++) {
        outcome.used[slots[i].memory] = size_max(outcome.used[slots[i].memory], slots[i].offset + problem->items[i].size);
    }
    for (size_t m = 0; m < 2; m++) {
        uint64_t limit = problem->memories[m].limit;
        outcome.total += outcome.used[m];
        outcome.excess += outcome.used[m] > limit ? outcome.used[m] - limit : 0;
    }
    return outcome;
}

/* The documented objective: smaller total, then less in the preferred memory. */
static bool is_better(const struct outcome *a, const struct outcome *b)
{
    if (a->excess != b->excess) {
        return a->excess < b->excess;
    }
    if (a->total != b->total) {
        return a->total < b->total;
    }
    return a->used[0] < b->used[0];
}

struct survey {
    struct outcome best;
    bool has_tie; /* the best total is reached with different shares of the memories */
};

static void survey_orders(const struct scratch_problem *problem, uint32_t *ranks, uint32_t next, struct survey *survey)
{
    if (next == FEW) {
        struct slot slots[FEW];
        visit_rank = ranks;
        first_item = problem->items;
        reference_first_fit(problem, ranks_before, slots);
        struct outcome outcome = outcome_of(problem, slots);
        bool same = outcome.excess == survey->best.excess && outcome.total == survey->best.total;
        survey->has_tie = same ? survey->has_tie || outcome.used[0] != survey->best.used[0]
                               : survey->has_tie && !is_better(&outcome, &survey->best);
        if (is_better(&outcome, &survey->best)) {
            survey->best = outcome;
        }
        return;
    }
    for (uint32_t i = 0; i < FEW; i++) {
        if (ranks[i] != UINT32_MAX) {
            continue;
        }
        ranks[i] = next;
        survey_orders(problem, ranks, next + 1, survey);
        ranks[i] = UINT32_MAX;
    }
}

static struct sample *few_items(uint64_t seed)
{
    struct dice dice = {seed * UINT64_C(0x2545F4914F6CDD1D) + 1};
    for (int i = 0; i < 4; i++) {
        throw_dice(&dice, 2);
    }
    struct row rows[FEW];
    for (size_t i = 0; i < FEW; i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, 4);
        rows[i] = (struct row){1 + throw_dice(&dice, 12), start, start + (uint32_t)throw_dice(&dice, 3)};
    }
    struct sample *sample = sample_new(rows, FEW);
    sample_memory(sample, 8 + throw_dice(&dice, 14), 1);
    sample_memory(sample, 1000, 1);
    return sample;
}

/* Where the search goes on to the end, it ends at the best of all orders: total first, then the preferred memory. */
static void the_objective_is_the_total_and_then_the_preferred_memory(void **state)
{
    (void)state;
    size_t searched = 0;
    size_t tied = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct sample *sample = few_items(seed);
        struct solved solved = climb(sample, 400, UINT64_MAX);
        if (strcmp(solved.report.kept, "search") == 0 && strcmp(solved.report.stop, "iterations") == 0) {
            uint32_t ranks[FEW];
            memset(ranks, 0xFF, sizeof ranks);
            struct survey survey = {.best = {.excess = UINT64_MAX}};
            survey_orders(&sample->problem, ranks, 0, &survey);
            struct outcome found = outcome_of(&sample->problem, solved.layout.slots);
            if (memcmp(&found, &survey.best, sizeof found) != 0) {
                fail_msg("seed %llu: total %llu, preferred memory %llu; the best order gives %llu and %llu",
                         (unsigned long long)seed, (unsigned long long)found.total, (unsigned long long)found.used[0],
                         (unsigned long long)survey.best.total, (unsigned long long)survey.best.used[0]);
            }
            searched++;
            tied += survey.has_tie;
        }
        sample_free(sample);
    }
    print_message("%zu searched to the end, %zu of them with ties\n", searched, tied);
    assert_true(searched > 50);
    assert_true(tied > 10);
}

/* A kept search may give a tensor another memory than greedy did, as long as no arena grows. */
static void a_kept_search_moves_tensors_between_memories(void **state)
{
    (void)state;
    size_t moved = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct sample *sample = random_sample(seed);
        struct solved greedy = solve(sample, "greedy");
        struct solved solved = solve(sample, "hill_climb");
        if (greedy.layout.fits && strcmp(solved.report.kept, "search") == 0) {
            for (size_t i = 0; i < sample->problem.item_count; i++) {
                moved += solved.layout.slots[i].memory != greedy.layout.slots[i].memory;
            }
            for (size_t m = 0; m < sample->problem.memory_count; m++) {
                assert_true(solved.layout.used[m] <= greedy.layout.used[m]);
            }
        }
        sample_free(sample);
    }
    assert_true(moved > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_improvement_starts_the_count_of_the_stall_anew),
        cmocka_unit_test(without_attempts_greedy_by_size_stands_for_the_search),
        cmocka_unit_test(the_objective_is_the_total_and_then_the_preferred_memory),
        cmocka_unit_test(a_kept_search_moves_tensors_between_memories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
