/* Complete search of one memory by itself: started from a poor layout, so that no other planner has done its work. */
#include "oracle.h"

#include "plan/strip.h"
#include "plan/strip_solve.h"

/* Far more than any of these takes. */
#define AMPLE_WORK UINT64_C(1000000000)

/* Each item above all others. */
static uint64_t *pile(const struct strip *strip, struct arena *arena)
{
    uint64_t *offsets = ARENA_ARRAY(arena, uint64_t, strip->item_count);
    uint64_t top = 0;
    for (size_t i = 0; i < strip->item_count; i++) {
        uint64_t alignment = strip->items[i].alignment * strip->unit;
        offsets[i] = (top + alignment - 1) / alignment * alignment;
        top = offsets[i] + strip->items[i].size;
    }
    return offsets;
}

/* The strip's offsets as a layout of one memory, for the referee. */
static void judge(const struct scratch_problem *problem, const struct strip *strip, const uint64_t *offsets, struct arena *arena)
{
    struct layout layout = {
        .slots = ARENA_ARRAY(arena, struct slot, problem->item_count),
        .used = ARENA_ARRAY(arena, uint64_t, 1),
        .fits = true,
    };
    for (size_t i = 0; i < strip->item_count; i++) {
        layout.slots[strip->sources[i]].offset = offsets[i];
    }
    layout.used[0] = strip_height(strip, offsets);
    const char *fault = referee_judge(problem, &layout, arena);
    if (fault != NULL) {
        fail_msg("%s", fault);
    }
}

static void check(const struct made_problem *made, size_t round, uint64_t work_limit, bool is_ample)
{
    static struct oracle oracle;
    struct arena arena = {0};
    const struct scratch_problem *problem = &made->problem;
    uint32_t memory_of[MOST_ITEMS] = {0};
    struct strip strip = strip_new(problem, memory_of, 0, &arena);
    assert_true(strip.can_be_searched);
    uint64_t *offsets = pile(&strip, &arena);
    struct effort effort = {0};
    struct strip_result result = strip_solve(&strip, offsets, work_limit, &effort, &arena);
    judge(problem, &strip, offsets, &arena);
    oracle_ask(&oracle, problem, 0);
    uint64_t least = oracle.height[((size_t)1 << problem->item_count) - 1];
    bool is_honest = result.height == strip_height(&strip, offsets) && result.height >= least && result.bound <= least;
    if (!is_honest || strip.bound > least || (is_ample && (result.height != least || result.bound != least))) {
        fail_msg("strip %zu: height %zu, bound %zu, at first %zu; the oracle says %zu", round, (size_t)result.height,
                 (size_t)result.bound, (size_t)strip.bound, (size_t)least);
    }
    arena_free(&arena);
}

/* What lies around a knot of a few items: longer lives, sizes of one kind, empty items. */
static void make_strip(struct made_problem *made, struct random *random)
{
    make_knotty(made, random);
    uint32_t kind = random_below(random, 4);
    for (size_t i = 0; i < made->problem.item_count; i++) {
        struct scratch_item *item = &made->items[i];
        if (kind == 0) {
            item->size = 1 + random_below(random, 3);
        }
        if (kind == 1) {
            item->start = random_below(random, 10);
            item->end = item->start + random_below(random, 3);
        }
        if (random_below(random, 30) == 0) {
            item->size = 0;
        }
    }
    made->memories[0].alignment_floor = UINT64_C(1) << random_below(random, 3);
}

static void finds_the_least_height_from_a_pile(void **state)
{
    (void)state;
    struct random random = {.state = 21};
    for (size_t round = 0; round < 2500; round++) {
        static struct made_problem made;
        make_strip(&made, &random);
        check(&made, round, AMPLE_WORK, true);
    }
}

static void says_no_more_than_it_has_searched(void **state)
{
    (void)state;
    struct random random = {.state = 22};
    for (size_t round = 0; round < 1000; round++) {
        static struct made_problem made;
        make_strip(&made, &random);
        check(&made, round, random_below(&random, UINT64_C(1) << random_below(&random, 13)), false);
    }
}

/* ---- large strips ---- */

#define MANY_ITEMS 1600

struct many {
    struct scratch_problem problem;
    struct scratch_item items[MANY_ITEMS];
    struct scratch_memory memory;
    uint32_t order;
};

static void add(struct many *many, uint64_t size, uint32_t start, uint32_t end, uint64_t alignment)
{
    many->items[many->problem.item_count++] =
        (struct scratch_item){.size = size, .start = start, .end = end, .memory = MEMORY_ANY, .alignment = alignment};
}

static void begin(struct many *many)
{
    *many = (struct many){.memory = {UINT64_C(1) << 50, 1}};
    many->problem = (struct scratch_problem){.items = many->items,
                                             .memories = &many->memory,
                                             .memory_count = 1,
                                             .order = &many->order,
                                             .order_count = 1,
                                             .step_count = 64};
}

struct outcome {
    struct strip_result result;
    uint64_t pile; /* height to begin with */
    struct effort effort;
};

static struct outcome solve_many(const struct many *many, uint64_t work_limit)
{
    static const uint32_t memory_of[MANY_ITEMS];
    struct arena arena = {0};
    struct strip strip = strip_new(&many->problem, memory_of, 0, &arena);
    assert_true(strip.can_be_searched);
    uint64_t *offsets = pile(&strip, &arena);
    struct outcome outcome = {.pile = strip_height(&strip, offsets)};
    outcome.result = strip_solve(&strip, offsets, work_limit, &outcome.effort, &arena);
    judge(&many->problem, &strip, offsets, &arena);
    arena_free(&arena);
    return outcome;
}

/* Two full sections side by side, one of them full of items of one lifetime, and behind them lives anyhow. To glue the many takes
 * the fourth power of their number. */
static void ends_not_far_above_the_work_limit(void **state)
{
    (void)state;
    static struct many many;
    struct random random = {.state = 23};
    begin(&many);
    uint64_t sum = 0;
    for (size_t i = 0; i < 150; i++) {
        uint64_t size = 1 + random_below(&random, 1000);
        add(&many, size, 0, 0, 1);
        sum += size;
    }
    add(&many, sum, 1, 1, 1);
    for (uint32_t step = 2; step < 60; step++) {
        add(&many, 1 + random_below(&random, (uint32_t)(sum / 4)), step, step + 1 + random_below(&random, 3), 1);
    }
    const uint64_t limits[] = {1000, 100000, 1000000};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        struct outcome outcome = solve_many(&many, limits[k]);
        assert_in_range(outcome.effort.work, 0, limits[k] + 50000);
    }
}

/* Many long lives: to lay them all out once, without anything going wrong, already costs far more than the limit. */
static void ends_on_the_first_way_up(void **state)
{
    (void)state;
    static struct many many;
    struct random random = {.state = 29};
    begin(&many);
    for (size_t i = 0; i < MANY_ITEMS; i++) {
        uint32_t start = random_below(&random, MANY_ITEMS);
        add(&many, 16 * (1 + random_below(&random, 4000)), start, start + random_below(&random, MANY_ITEMS), 16);
    }
    many.problem.step_count = 2 * MANY_ITEMS;
    struct outcome outcome = solve_many(&many, 100000);
    assert_in_range(outcome.effort.work, 100000, 200000);
}

/* Hundreds of items for the same place: an alternative each, at hundreds of choices that are open at once. */
static void remembers_all_alternatives(void **state)
{
    (void)state;
    static struct many many;
    struct random random = {.state = 24};
    begin(&many);
    for (size_t i = 0; i < MANY_ITEMS / 2; i++) {
        add(&many, 1 + random_below(&random, 900), 0, 1, UINT64_C(1) << random_below(&random, 7));
    }
    for (size_t i = 0; i < MANY_ITEMS / 2; i++) {
        uint32_t start = 1 + random_below(&random, 3);
        add(&many, 1 + random_below(&random, 900), start, start + 1, UINT64_C(1) << random_below(&random, 7));
    }
    struct outcome outcome = solve_many(&many, UINT64_C(20000000));
    assert_true(outcome.result.height < outcome.pile);
}

/* Far more units than a search can count. */
static void leaves_what_cannot_be_searched(void **state)
{
    (void)state;
    static struct many many;
    static const uint32_t memory_of[MANY_ITEMS];
    struct arena arena = {0};
    begin(&many);
    add(&many, UINT64_C(1) << 40, 0, 1, 1);
    add(&many, 3, 1, 2, 1);
    struct strip strip = strip_new(&many.problem, memory_of, 0, &arena);
    assert_false(strip.can_be_searched);
    uint64_t offsets[] = {3, 0};
    struct effort effort = {0};
    struct strip_result result = strip_solve(&strip, offsets, AMPLE_WORK, &effort, &arena);
    assert_int_equal(result.height, (UINT64_C(1) << 40) + 3);
    assert_true(result.bound < result.height);
    assert_int_equal(effort.work, 0);
    assert_int_equal(offsets[0], 3);
    assert_int_equal(offsets[1], 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_not_far_above_the_work_limit),  cmocka_unit_test(ends_on_the_first_way_up),
        cmocka_unit_test(remembers_all_alternatives),         cmocka_unit_test(leaves_what_cannot_be_searched),
        cmocka_unit_test(finds_the_least_height_from_a_pile), cmocka_unit_test(says_no_more_than_it_has_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
