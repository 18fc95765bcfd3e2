/* The optimal planner against an oracle (oracle.h) that tries every order in every memory, and against the planners that it
 * starts from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/size.h"
#include "placement/placement.h"
#include "plan/live_bound.h"
#include "plan/optimal.h"

#include "oracle.h"

struct answer {
    struct layout layout;
    struct planner_report report;
    uint64_t total;
};

/* The planner as users reach it. */
static const struct planner *optimal_row(void)
{
    for (size_t i = 0; i < planner_count; i++) {
        if (strcmp(planners[i].name, "optimal") == 0) {
            return &planners[i];
        }
    }
    fail_msg("optimal is not in the table");
    return NULL;
}

static struct answer solve(const struct scratch_problem *problem, uint64_t max_work, struct arena *arena)
{
    struct answer answer = {.layout = layout_new(arena, problem)};
    struct planner_options options = {.values = {max_work}};
    optimal_solve(problem, &options, arena, &answer.layout, &answer.report);
    answer.total = layout_total(problem, &answer.layout);
    const char *fault = referee_judge(problem, &answer.layout, arena);
    if (fault != NULL) {
        fail_msg("%s", fault);
    }
    return answer;
}

static struct answer solve_by_default(const struct scratch_problem *problem, struct arena *arena)
{
    return solve(problem, optimal_row()->options[0].default_value, arena);
}

/* ---- against the oracle ---- */

struct tally {
    size_t fitting, proven, asked;
};

/* Below what is alive nothing is possible, so the oracle is asked only where the answer is above. */
static struct least look_up(const struct scratch_problem *problem, const struct answer *answer, struct tally *tally)
{
    if (answer->layout.fits && answer->total == most_alive(problem)) {
        return (struct least){.total = answer->total};
    }
    tally->asked++;
    return least_total(problem, true);
}

/* What must hold with any amount of work: no claim that the oracle does not confirm. */
static void check_honest(const struct scratch_problem *problem, const struct answer *answer, const struct least *least,
                         size_t round, struct arena *arena)
{
    bool is_proven = answer->report.proven_optimal;
    bool is_possible = !answer->layout.fits || (least->total != NO_LAYOUT && answer->total >= least->total);
    bool is_true = !is_proven || (answer->layout.fits ? answer->total == least->total : least->total == NO_LAYOUT);
    if (!is_possible || !is_true) {
        fail_msg("problem %zu: fits %d, total %zu of %zu, proven %d", round, answer->layout.fits, (size_t)answer->total,
                 (size_t)least->total, is_proven);
    }
    if (is_proven && !answer->layout.fits) {
        assert_int_equal(answer->total, least_total(problem, false).total);
    }
    assert_true(total_lower_bound(problem, arena) <= least->total);
}

/* What must hold with enough of it: all that the oracle finds is found, and proven. */
static void check_complete(const struct answer *answer, const struct least *least, size_t round)
{
    if (answer->layout.fits != (least->total != NO_LAYOUT)) {
        fail_msg("problem %zu: fits is %d", round, answer->layout.fits);
    }
    if (answer->layout.fits && (answer->total != least->total || !answer->report.proven_optimal)) {
        fail_msg("problem %zu: total %zu of %zu, proven %d", round, (size_t)answer->total, (size_t)least->total,
                 answer->report.proven_optimal);
    }
}

typedef void make_function(struct made_problem *made, struct random *random);

static struct tally check_rounds(make_function *make, uint64_t seed, size_t rounds)
{
    struct random random = {.state = seed};
    struct tally tally = {0};
    for (size_t round = 0; round < rounds; round++) {
        struct arena arena = {0};
        struct made_problem made;
        make(&made, &random);
        struct answer answer = solve_by_default(&made.problem, &arena);
        struct least least = look_up(&made.problem, &answer, &tally);
        check_honest(&made.problem, &answer, &least, round, &arena);
        check_complete(&answer, &least, round);
        tally.fitting += answer.layout.fits;
        arena_free(&arena);
    }
    return tally;
}

static void finds_and_proves_the_least_total(void **state)
{
    (void)state;
    struct tally tally = check_rounds(make_small, 1, 1500);
    assert_true(tally.fitting > 800);
    assert_true(tally.asked > 400);
}

static void finds_and_proves_it_where_rounding_decides(void **state)
{
    (void)state;
    assert_true(check_rounds(make_knotty, 8, 1500).asked > 300);
}

/* Two or three memories, tight and loose. */
static void make_several(struct made_problem *made, struct random *random)
{
    make_knotty(made, random);
    made->problem.memory_count = 2 + random_below(random, MOST_MEMORIES - 1);
    made->problem.order_count = random_below(random, 4) == 0 ? 1 : made->problem.memory_count;
    for (size_t m = 0; m < made->problem.memory_count; m++) {
        made->memories[m].alignment_floor = UINT64_C(1) << random_below(random, 3);
        made->memories[m].limit = random_below(random, 4) == 0 ? UINT64_C(1) << 50 : 10 + random_below(random, 120);
    }
    for (size_t i = 0; i < made->problem.item_count; i++) {
        made->items[i].memory = random_below(random, 6) == 0 ? random_below(random, made->problem.memory_count) : MEMORY_ANY;
    }
}

/* Nothing is rounded and nothing pinned, so that any split could stand in one memory as well, if it were large enough. */
static void make_several_plain(struct made_problem *made, struct random *random)
{
    make_several(made, random);
    for (size_t m = 0; m < made->problem.memory_count; m++) {
        made->memories[m].alignment_floor = 1;
    }
    for (size_t i = 0; i < made->problem.item_count; i++) {
        made->items[i].memory = MEMORY_ANY;
        made->items[i].alignment = 1;
    }
}

/* As much room as the oracle's own layout takes and not a byte more; then one byte less in one of the memories. */
static void finds_what_only_just_fits(void **state)
{
    (void)state;
    struct random random = {.state = 9};
    struct tally tally = {0};
    for (size_t round = 0; round < 500; round++) {
        struct made_problem made;
        (round % 2 == 0 ? make_several : make_several_plain)(&made, &random);
        struct least least = least_total(&made.problem, true);
        if (least.total == NO_LAYOUT) {
            continue;
        }
        uint32_t changed = random_below(&random, made.problem.memory_count);
        for (uint64_t less = 0; less < 2; less++) {
            struct arena arena = {0};
            for (size_t m = 0; m < made.problem.memory_count; m++) {
                made.memories[m].limit = least.used[m];
            }
            made.memories[changed].limit -= size_min(less, least.used[changed]);
            struct answer answer = solve_by_default(&made.problem, &arena);
            struct least within = less == 0 ? least : least_total(&made.problem, true);
            check_honest(&made.problem, &answer, &within, round, &arena);
            check_complete(&answer, &within, round);
            tally.fitting += answer.layout.fits;
            arena_free(&arena);
        }
    }
    assert_true(tally.fitting > 300);
}

/* Of all layouts with the least total, the one with most in the first memory of the order, then in the second. */
static void prefers_the_first_memories_where_totals_are_equal(void **state)
{
    (void)state;
    static make_function *const makes[] = {make_small, make_several, make_several_plain};
    struct random random = {.state = 11};
    size_t split = 0;
    for (size_t round = 0; round < 1500; round++) {
        struct arena arena = {0};
        struct made_problem made;
        makes[round % (sizeof makes / sizeof makes[0])](&made, &random);
        struct answer answer = solve_by_default(&made.problem, &arena);
        struct least least = least_total(&made.problem, true);
        for (size_t k = 0; answer.layout.fits && k < made.problem.order_count; k++) {
            uint32_t m = made.problem.order[k];
            if (answer.layout.used[m] != least.used[m]) {
                fail_msg("problem %zu: memory %u takes %zu, not %zu", round, m, (size_t)answer.layout.used[m],
                         (size_t)least.used[m]);
            }
            split += k > 0 && least.used[m] > 0;
        }
        arena_free(&arena);
    }
    assert_true(split > 300);
}

/* A chain of 31, each tensor alive with the next. The largest, 36864, leaves its memory no room for its neighbours, 18432 and
 * 9216, which so lie in the other; the one before these, 18432, then lies with the largest, and the first of all, 27648, beside
 * it in the other again: 36864 + 27648 B. The tail of small tensors changes nothing, and must not be tried in all ways. */
static void proves_what_does_not_depend_on_a_tail(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {27648, 18432, 18432, 36864, 9216, 18432, 18432, 18432, 4608, 9216, 9216,
                                     9216,  2304,  4608,  4608,  4608, 4608,  4608,  4608,  4608, 4608, 4608,
                                     4608,  4608,  1152,  2304,  2304, 2304,  256,   2,     2};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct scratch_item items[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        items[i] =
            (struct scratch_item){.size = sizes[i], .start = i == 0 ? 0 : i - 1, .end = i, .memory = MEMORY_ANY, .alignment = 16};
    }
    const struct scratch_memory memories[] = {{44224, 16}, {44224, 16}};
    const uint32_t order[] = {0, 1};
    const struct scratch_problem problem = {
        .items = items,
        .item_count = COUNT,
        .memories = memories,
        .memory_count = 2,
        .order = order,
        .order_count = 2,
        .step_count = COUNT + 1,
    };
    struct arena arena = {0};
    struct answer answer = solve(&problem, 100000, &arena);
    assert_true(answer.layout.fits);
    assert_int_equal(answer.total, 36864 + 27648);
    assert_true(answer.report.proven_optimal);
    arena_free(&arena);
}

/* Cut off anywhere, it may find less, and must not claim more. */
static void claims_nothing_that_was_not_searched(void **state)
{
    (void)state;
    static make_function *const makes[] = {make_small, make_knotty, make_several};
    struct random random = {.state = 10};
    struct tally tally = {0};
    size_t undecided = 0;
    for (size_t round = 0; round < 1500; round++) {
        struct arena arena = {0};
        struct made_problem made;
        makes[round % 3](&made, &random);
        struct answer answer = solve(&made.problem, random_below(&random, UINT64_C(1) << random_below(&random, 13)), &arena);
        struct least least = look_up(&made.problem, &answer, &tally);
        check_honest(&made.problem, &answer, &least, round, &arena);
        tally.proven += answer.report.proven_optimal;
        undecided += !answer.report.proven_optimal;
        arena_free(&arena);
    }
    assert_true(tally.proven > 200);
    assert_true(undecided > 200);
}

static void make_small_or_knotty(struct made_problem *made, struct random *random)
{
    if (random_below(random, 2) == 0) {
        make_small(made, random);
    } else {
        make_knotty(made, random);
    }
}

/* In units of 2^20 and more bytes a problem is as easy as in small ones. */
static void make_huge(struct made_problem *made, struct random *random)
{
    make_small_or_knotty(made, random);
    uint32_t scale = 20 + random_below(random, 15);
    for (size_t i = 0; i < made->problem.item_count; i++) {
        made->items[i].size <<= scale;
        made->items[i].alignment <<= scale;
    }
    for (size_t m = 0; m < made->problem.memory_count; m++) {
        made->memories[m].limit <<= made->memories[m].limit >> 40 == 0 ? scale : 0;
        made->memories[m].alignment_floor <<= scale;
    }
}

static void finds_and_proves_it_in_huge_sizes(void **state)
{
    (void)state;
    assert_true(check_rounds(make_huge, 11, 600).asked > 100);
}

/* Where bytes count in sizes of a terabyte, the search is not begun: what is found is right, and no more is claimed. */
static void claims_nothing_where_it_cannot_search(void **state)
{
    (void)state;
    struct random random = {.state = 12};
    struct tally tally = {0};
    for (size_t round = 0; round < 400; round++) {
        struct arena arena = {0};
        struct made_problem made;
        make_knotty(&made, &random);
        for (size_t i = 0; i < made.problem.item_count; i++) {
            made.items[i].size = (made.items[i].size << 35) + random_below(&random, 1000);
        }
        made.problem.order_count = made.problem.memory_count = 1 + random_below(&random, 2);
        struct answer answer = solve_by_default(&made.problem, &arena);
        struct least least = look_up(&made.problem, &answer, &tally);
        check_honest(&made.problem, &answer, &least, round, &arena);
        bool is_at_bound = answer.layout.fits && answer.total == total_lower_bound(&made.problem, &arena);
        assert_int_equal(answer.report.proven_optimal, is_at_bound);
        arena_free(&arena);
    }
    assert_true(tally.asked > 50);
}

/* ---- larger problems ---- */

static void make_large(struct made_problem *made, struct random *random, size_t count, uint64_t limit)
{
    *made = (struct made_problem){0};
    make_items(made, random, count, 24, 64, 16);
    for (uint32_t m = 0; m < 2; m++) {
        made->memories[m] = (struct scratch_memory){.limit = m == 0 ? limit : UINT64_C(1) << 40, .alignment_floor = 16};
        made->order[m] = m;
    }
    finish(made, count, 2);
}

static uint64_t least_of_others(const struct scratch_problem *problem, bool *fits, struct arena *arena)
{
    struct planner_options options[3] = {{{0}}, {{0}}, {{300, 0, 50}}};
    void (*const others[])(const struct scratch_problem *, const struct planner_options *, struct arena *, struct layout *,
                           struct planner_report *) = {greedy_solve, greedy_by_size_solve, hill_climb_solve};
    uint64_t least = UINT64_MAX;
    *fits = false;
    for (size_t k = 0; k < 3; k++) {
        struct layout layout = layout_new(arena, problem);
        struct planner_report report = {0};
        others[k](problem, &options[k], arena, &layout, &report);
        if (layout.fits) {
            least = size_min(least, layout_total(problem, &layout));
        }
        *fits = *fits || layout.fits;
    }
    return least;
}

static void is_never_worse_than_the_others(void **state)
{
    (void)state;
    struct random random = {.state = 2};
    for (size_t round = 0; round < 60; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_large(&made, &random, 10 + random_below(&random, 50), 1000 + random_below(&random, 20000));
        bool fits = false;
        uint64_t least = least_of_others(&made.problem, &fits, &arena);
        struct answer answer = solve(&made.problem, 200000, &arena);
        assert_true(answer.layout.fits || !fits);
        assert_true(!fits || answer.total <= least);
        arena_free(&arena);
    }
}

static void no_work_gives_the_best_of_the_others(void **state)
{
    (void)state;
    struct random random = {.state = 3};
    for (size_t round = 0; round < 60; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_large(&made, &random, 10 + random_below(&random, 50), UINT64_C(1) << 40);
        bool fits = false;
        uint64_t least = least_of_others(&made.problem, &fits, &arena);
        struct answer answer = solve(&made.problem, 0, &arena);
        assert_int_equal(answer.total, least);
        assert_int_equal(answer.report.effort.work, 0);
        arena_free(&arena);
    }
}

/* Work is looked at before each move, so it goes over by one move at most, and by a guess of what was cut apart. */
static void stays_near_the_work_limit(void **state)
{
    (void)state;
    struct random random = {.state = 4};
    for (size_t round = 0; round < 12; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_large(&made, &random, 150, 20000);
        uint64_t limit = UINT64_C(1) << (8 + round);
        struct answer answer = solve(&made.problem, limit, &arena);
        assert_in_range(answer.report.effort.work, 0, limit + 50000);
        arena_free(&arena);
    }
}

static void gives_the_same_layout_again(void **state)
{
    (void)state;
    struct random random = {.state = 5};
    for (size_t round = 0; round < 12; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_large(&made, &random, 60, 2000 + random_below(&random, 20000));
        struct answer first = solve(&made.problem, 300000, &arena);
        struct answer second = solve(&made.problem, 300000, &arena);
        for (size_t i = 0; i < made.problem.item_count; i++) {
            assert_int_equal(first.layout.slots[i].memory, second.layout.slots[i].memory);
            assert_int_equal(first.layout.slots[i].offset, second.layout.slots[i].offset);
        }
        assert_int_equal(first.report.effort.work, second.report.effort.work);
        arena_free(&arena);
    }
}

static void shuffle(struct made_problem *made, struct random *random)
{
    for (size_t i = made->problem.item_count; i > 1; i--) {
        size_t other = random_below(random, i);
        struct scratch_item kept = made->items[i - 1];
        made->items[i - 1] = made->items[other];
        made->items[other] = kept;
    }
}

static void a_proven_total_does_not_depend_on_the_order_of_items(void **state)
{
    (void)state;
    struct random random = {.state = 6};
    size_t proven = 0;
    for (size_t round = 0; round < 40; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_large(&made, &random, 10 + random_below(&random, 30), UINT64_C(1) << 40);
        struct answer first = solve(&made.problem, 1000000, &arena);
        shuffle(&made, &random);
        struct answer second = solve(&made.problem, 1000000, &arena);
        if (first.report.proven_optimal && second.report.proven_optimal) {
            assert_int_equal(first.total, second.total);
            proven++;
        }
        arena_free(&arena);
    }
    assert_true(proven > 20);
}

/* ---- blocks cut into pieces ---- */

static void cut(struct made_problem *made, struct random *random, size_t count, uint32_t steps, uint64_t units)
{
    *made = (struct made_problem){.memories = {{.limit = UINT64_C(1) << 40, .alignment_floor = 16}}};
    made->items[0] = (struct scratch_item){.size = units * 16, .end = steps - 1, .memory = MEMORY_ANY, .alignment = 16};
    for (size_t made_count = 1; made_count < count;) {
        struct scratch_item *piece = &made->items[random_below(random, made_count)];
        struct scratch_item *rest = &made->items[made_count];
        *rest = *piece;
        if (random_below(random, 2) == 0 && piece->end > piece->start) {
            piece->end = piece->start + random_below(random, piece->end - piece->start);
            rest->start = piece->end + 1;
            made_count++;
        } else if (piece->size > 16) {
            piece->size = 16 * (1 + (uint64_t)random_below(random, piece->size / 16 - 1));
            rest->size -= piece->size;
            made_count++;
        }
    }
    finish(made, count, 1);
    shuffle(made, random);
}

static void puts_a_cut_block_together(void **state)
{
    (void)state;
    struct random random = {.state = 7};
    for (size_t round = 0; round < 8; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        cut(&made, &random, 20 + 20 * round, 200, 65536);
        struct answer answer = solve_by_default(&made.problem, &arena);
        assert_int_equal(answer.total, 65536 * 16);
        assert_true(answer.report.proven_optimal);
        arena_free(&arena);
    }
}

/* ---- the odd ones ---- */

/* Three hundred lives for two memories that each hold five eighths of what is alive at most: far too many to try all ways. In the
 * order of the other planners, a memory is filled before the next one is used, and what is left over does not fit well together:
 * hill_climb is a fifth above the bound. Splits of the load can be nearly even. */
static void splits_what_is_too_much_for_one_memory(void **state)
{
    (void)state;
    enum { COUNT = 300, STEPS = 100, LENGTH = 30, SIZES = 400 };
    uint64_t draw = 4 * 7919;
    uint64_t live[STEPS + LENGTH] = {0};
    struct scratch_item items[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t numbers[3];
        for (size_t k = 0; k < 3; k++) {
            draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[k] = (uint32_t)(draw >> 33);
        }
        uint32_t start = numbers[0] % STEPS;
        uint32_t end = start + numbers[1] % LENGTH;
        items[i] = (struct scratch_item){
            .size = 16 * (UINT64_C(1) + numbers[2] % SIZES), .start = start, .end = end, .memory = MEMORY_ANY, .alignment = 16};
        for (uint32_t step = start; step <= end; step++) {
            live[step] += items[i].size;
        }
    }
    uint64_t peak = 0;
    for (size_t step = 0; step < STEPS + LENGTH; step++) {
        peak = size_max(peak, live[step]);
    }
    const struct scratch_memory memories[] = {{peak / 8 * 5, 16}, {peak / 8 * 5, 16}};
    const uint32_t order[] = {0, 1};
    const struct scratch_problem problem = {
        .items = items,
        .item_count = COUNT,
        .memories = memories,
        .memory_count = 2,
        .order = order,
        .order_count = 2,
        .step_count = STEPS + LENGTH,
    };
    struct arena arena = {0};
    struct answer answer = solve_by_default(&problem, &arena);
    assert_true(answer.layout.fits);
    assert_in_range(answer.total, peak, peak + peak / 50);
    arena_free(&arena);
}

static void takes_problems_with_nothing_in_them(void **state)
{
    (void)state;
    struct arena arena = {0};
    static struct made_problem made;
    finish(&made, 0, 0);
    assert_int_equal(solve_by_default(&made.problem, &arena).total, 0);
    finish(&made, 0, 2);
    assert_int_equal(solve_by_default(&made.problem, &arena).total, 0);
    made.items[0] = (struct scratch_item){.memory = MEMORY_ANY, .alignment = 16};
    made.items[1] = made.items[0];
    made.order[1] = 1;
    finish(&made, 2, 2);
    struct answer answer = solve_by_default(&made.problem, &arena);
    assert_int_equal(answer.total, 0);
    assert_true(answer.report.proven_optimal);
    arena_free(&arena);
}

/* Six of 40 bytes alive together, where the first memory takes two and the second three. */
static void leaves_what_cannot_fit_to_the_caller(void **state)
{
    (void)state;
    struct arena arena = {0};
    static struct made_problem made = {.memories = {{.limit = 100, .alignment_floor = 4}, {.limit = 120, .alignment_floor = 4}},
                                       .order = {0, 1}};
    for (size_t i = 0; i < 6; i++) {
        made.items[i] = (struct scratch_item){.size = 40, .end = 3, .memory = MEMORY_ANY, .alignment = 4};
    }
    finish(&made, 6, 2);
    struct answer answer = solve_by_default(&made.problem, &arena);
    assert_false(answer.layout.fits);
    assert_int_equal(answer.total, 240);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_and_proves_the_least_total),
        cmocka_unit_test(finds_and_proves_it_where_rounding_decides),
        cmocka_unit_test(finds_what_only_just_fits),
        cmocka_unit_test(prefers_the_first_memories_where_totals_are_equal),
        cmocka_unit_test(proves_what_does_not_depend_on_a_tail),
        cmocka_unit_test(claims_nothing_that_was_not_searched),
        cmocka_unit_test(finds_and_proves_it_in_huge_sizes),
        cmocka_unit_test(claims_nothing_where_it_cannot_search),
        cmocka_unit_test(is_never_worse_than_the_others),
        cmocka_unit_test(no_work_gives_the_best_of_the_others),
        cmocka_unit_test(stays_near_the_work_limit),
        cmocka_unit_test(gives_the_same_layout_again),
        cmocka_unit_test(a_proven_total_does_not_depend_on_the_order_of_items),
        cmocka_unit_test(puts_a_cut_block_together),
        cmocka_unit_test(splits_what_is_too_much_for_one_memory),
        cmocka_unit_test(takes_problems_with_nothing_in_them),
        cmocka_unit_test(leaves_what_cannot_fit_to_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
