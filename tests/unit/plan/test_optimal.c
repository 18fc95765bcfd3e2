/* The optimal planner against an oracle that tries every order in every memory, and against the planners that it starts from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/size.h"
#include "placement/placement.h"
#include "plan/optimal.h"
#include "plan/random.h"

#define MOST_ITEMS    400
#define ORACLE_ITEMS  8
#define MOST_MEMORIES 2
#define NO_LAYOUT     UINT64_MAX

/* A random problem with the storage that it points to. */
struct made_problem {
    struct scratch_problem problem;
    struct scratch_item items[MOST_ITEMS];
    struct scratch_memory memories[MOST_MEMORIES];
    uint32_t order[MOST_MEMORIES];
};

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

/* ---- random problems ---- */

static void finish(struct made_problem *made, size_t items, size_t memories)
{
    made->problem = (struct scratch_problem){
        .items = made->items,
        .item_count = items,
        .memories = made->memories,
        .memory_count = memories,
        .order = made->order,
        .order_count = memories,
        .step_count = 64,
    };
}

static void make_items(struct made_problem *made, struct random *random, size_t count, uint32_t steps, uint64_t most,
                       uint64_t granule)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t start = random_below(random, steps);
        uint32_t end = start + random_below(random, steps - start);
        made->items[i] = (struct scratch_item){
            .size = (1 + random_below(random, most)) * granule,
            .start = start,
            .end = end,
            .memory = MEMORY_ANY,
            .alignment = UINT64_C(1) << random_below(random, 4),
        };
    }
}

/* Everything that may vary: one or two memories in either order, or only one of them for what is not pinned; limits that mostly
 * hurt; alignments of items and memories; empty items; pins. */
static void make_small(struct made_problem *made, struct random *random)
{
    *made = (struct made_problem){0};
    size_t count = random_below(random, 20) == 0 ? ORACLE_ITEMS : 1 + random_below(random, ORACLE_ITEMS - 2);
    size_t memories = 1 + random_below(random, MOST_MEMORIES);
    make_items(made, random, count, 2 + random_below(random, 6), 24, random_below(random, 2) == 0 ? 1 : 4);
    for (uint32_t m = 0; m < memories; m++) {
        uint64_t limit = random_below(random, 3) == 0 ? UINT64_C(1) << 30 : 16 + random_below(random, 100);
        made->memories[m] = (struct scratch_memory){.limit = limit, .alignment_floor = UINT64_C(1) << random_below(random, 4)};
        made->order[m] = m;
    }
    finish(made, count, memories);
    if (memories == 2 && random_below(random, 2) == 0) {
        made->order[0] = 1;
        made->order[1] = 0;
    }
    if (random_below(random, 4) == 0) {
        made->problem.order_count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (random_below(random, 4) == 0) {
            made->items[i].memory = random_below(random, memories);
        }
        if (random_below(random, 16) == 0) {
            made->items[i].size = 0;
        }
    }
}

/* ---- the oracle ---- */

struct oracle {
    const struct scratch_problem *problem;
    uint32_t memory;
    uint64_t offset[ORACLE_ITEMS];
    uint64_t height[1 << ORACLE_ITEMS]; /* by set of items: the least high-water mark */
};

static bool clash(const struct oracle *oracle, size_t a, size_t b, uint64_t offset)
{
    const struct scratch_item *first = &oracle->problem->items[a];
    const struct scratch_item *second = &oracle->problem->items[b];
    return first->size > 0 && second->size > 0 && first->start <= second->end && second->start <= first->end &&
           offset < oracle->offset[b] + second->size && oracle->offset[b] < offset + first->size;
}

/* Every layout can be made by placing its items in order of offset, each as low as those before it allow; so all orders of all
 * sets give the least high-water mark of each set. */
static void place_all_orders(struct oracle *oracle, uint32_t set, uint64_t height)
{
    const struct scratch_problem *problem = oracle->problem;
    oracle->height[set] = size_min(oracle->height[set], height);
    for (size_t i = 0; i < problem->item_count; i++) {
        if (set & (UINT32_C(1) << i)) {
            continue;
        }
        uint64_t step = slot_alignment(&problem->items[i], &problem->memories[oracle->memory]);
        uint64_t offset = 0;
        for (size_t k = 0; k < problem->item_count; k++) {
            if ((set & (UINT32_C(1) << k)) == 0 || !clash(oracle, i, k, offset)) {
                continue;
            }
            offset = size_align(oracle->offset[k] + problem->items[k].size, step);
            k = SIZE_MAX;
        }
        oracle->offset[i] = offset;
        place_all_orders(oracle, set | (UINT32_C(1) << i), size_max(height, offset + problem->items[i].size));
    }
}

static bool may_go(const struct scratch_problem *problem, size_t item, uint32_t memory)
{
    if (problem->items[item].memory != MEMORY_ANY) {
        return problem->items[item].memory == memory;
    }
    for (size_t k = 0; k < problem->order_count; k++) {
        if (problem->order[k] == memory) {
            return true;
        }
    }
    return false;
}

/* The least total within the limits, or NO_LAYOUT. */
static uint64_t least_total(const struct scratch_problem *problem)
{
    static struct oracle oracles[MOST_MEMORIES];
    uint32_t full = (UINT32_C(1) << problem->item_count) - 1;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        oracles[m] = (struct oracle){.problem = problem, .memory = m};
        for (uint32_t set = 0; set <= full; set++) {
            oracles[m].height[set] = NO_LAYOUT;
        }
        place_all_orders(&oracles[m], 0, 0);
    }
    uint64_t least = NO_LAYOUT;
    for (uint32_t set = 0; set <= full; set++) {
        bool is_allowed = problem->memory_count > 1 || set == full;
        for (size_t i = 0; i < problem->item_count; i++) {
            is_allowed = is_allowed && may_go(problem, i, set & (UINT32_C(1) << i) ? 0 : 1);
        }
        uint64_t first = oracles[0].height[set];
        uint64_t second = problem->memory_count > 1 ? oracles[1].height[full & ~set] : 0;
        if (!is_allowed || first > problem->memories[0].limit) {
            continue;
        }
        if (problem->memory_count > 1 && second > problem->memories[1].limit) {
            continue;
        }
        least = size_min(least, first + second);
    }
    return least;
}

static void finds_and_proves_the_least_total(void **state)
{
    (void)state;
    struct random random = {.state = 1};
    size_t fitting = 0;
    for (size_t round = 0; round < 2000; round++) {
        struct arena arena = {0};
        static struct made_problem made;
        make_small(&made, &random);
        uint64_t least = least_total(&made.problem);
        struct answer answer = solve_by_default(&made.problem, &arena);
        if (answer.layout.fits != (least != NO_LAYOUT)) {
            fail_msg("problem %zu: fits is %d", round, answer.layout.fits);
        }
        if (least != NO_LAYOUT && (answer.total != least || !answer.report.proven_optimal)) {
            fail_msg("problem %zu: total %zu of %zu, proven %d", round, (size_t)answer.total, (size_t)least,
                     answer.report.proven_optimal);
        }
        fitting += least != NO_LAYOUT;
        arena_free(&arena);
    }
    assert_true(fitting > 1000);
}

/* ---- larger problems ---- */

static void make_large(struct made_problem *made, struct random *random, size_t count, uint64_t limit)
{
    *made = (struct made_problem){0};
    make_items(made, random, count, 24, 64, 16);
    for (uint32_t m = 0; m < MOST_MEMORIES; m++) {
        made->memories[m] = (struct scratch_memory){.limit = m == 0 ? limit : UINT64_C(1) << 40, .alignment_floor = 16};
        made->order[m] = m;
    }
    finish(made, count, MOST_MEMORIES);
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
        assert_int_equal(answer.report.work, 0);
        arena_free(&arena);
    }
}

/* Work is looked at when the search turns back, so it may go over by one way down. */
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
        assert_in_range(answer.report.work, 0, limit + 1000000);
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
        assert_int_equal(first.report.work, second.report.work);
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
        cmocka_unit_test(is_never_worse_than_the_others),
        cmocka_unit_test(no_work_gives_the_best_of_the_others),
        cmocka_unit_test(stays_near_the_work_limit),
        cmocka_unit_test(gives_the_same_layout_again),
        cmocka_unit_test(a_proven_total_does_not_depend_on_the_order_of_items),
        cmocka_unit_test(puts_a_cut_block_together),
        cmocka_unit_test(takes_problems_with_nothing_in_them),
        cmocka_unit_test(leaves_what_cannot_fit_to_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
