/* What every planner of the table must keep to, on random problems from none to 2^40 bytes a tensor; each promise is held against
 * a calculation that is written down here as simply as it can be said. */
#include "planning.h"

#include "plan/live_bound.h"

/* ---- what any layout must be ---- */

static uint64_t alignment_in(const struct scratch_problem *problem, size_t item, uint32_t memory)
{
    uint64_t own = problem->items[item].alignment;
    uint64_t floor = problem->memories[memory].alignment_floor;
    return own > floor ? own : floor;
}

static bool is_allowed(const struct scratch_problem *problem, size_t item, uint32_t memory)
{
    uint32_t pin = problem->items[item].memory;
    bool is_in_order = false;
    for (size_t k = 0; k < problem->order_count; k++) {
        is_in_order = is_in_order || problem->order[k] == memory;
    }
    return memory < problem->memory_count && (pin == MEMORY_ANY ? is_in_order : pin == memory);
}

static bool share_a_byte(const struct scratch_problem *problem, const struct slot *slots, size_t a, size_t b)
{
    const struct scratch_item *x = &problem->items[a];
    const struct scratch_item *y = &problem->items[b];
    bool together = x->start <= y->end && y->start <= x->end;
    return together && x->size > 0 && y->size > 0 && slots[a].memory == slots[b].memory &&
           slots[a].offset < slots[b].offset + y->size && slots[b].offset < slots[a].offset + x->size;
}

/* The referee's rules again, pair by pair. */
static void assert_sound(const struct scratch_problem *problem, const struct layout *layout)
{
    uint64_t used[8] = {0};
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct slot *slot = &layout->slots[i];
        assert_true(is_allowed(problem, i, slot->memory));
        assert_int_equal(slot->offset % alignment_in(problem, i, slot->memory), 0);
        assert_true(slot->offset + problem->items[i].size >= slot->offset);
        used[slot->memory] = size_max(used[slot->memory], slot->offset + problem->items[i].size);
        for (size_t k = 0; k < i; k++) {
            assert_false(share_a_byte(problem, layout->slots, i, k));
        }
    }
    bool fits = true;
    for (size_t m = 0; m < problem->memory_count; m++) {
        assert_int_equal(layout->used[m], used[m]);
        fits = fits && used[m] <= problem->memories[m].limit;
    }
    assert_int_equal(layout->fits, fits);
}

/* Nothing that is alive at one operator shares bytes, in one memory or in all. */
static void assert_not_below_what_is_alive(const struct scratch_problem *problem, const struct layout *layout)
{
    uint64_t total = 0;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        assert_true(layout->used[m] >= reference_live(problem, layout->slots, m));
        total += layout->used[m];
    }
    assert_true(total >= reference_live(problem, NULL, 0));
}

static struct sample *any_sample(uint64_t seed, size_t most_items)
{
    return seed % 3 == 0 ? random_sample(seed) : wide_sample(seed, most_items);
}

static void every_layout_is_sound_and_above_the_bounds(void **state)
{
    (void)state;
    size_t fitting = 0;
    size_t overflowing = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sample *sample = any_sample(seed, 32);
        const struct scratch_problem *problem = &sample->problem;
        uint64_t bound = total_lower_bound(problem, &sample->arena);
        assert_true(bound >= reference_live(problem, NULL, 0));
        for (size_t p = 0; p < planner_count; p++) {
            struct layout layout = solve(sample, planners[p].name).layout;
            assert_sound(problem, &layout);
            assert_not_below_what_is_alive(problem, &layout);
            assert_true(layout_total(problem, &layout) >= bound);
            fitting += layout.fits;
            overflowing += !layout.fits;
        }
        sample_free(sample);
    }
    assert_true(fitting > 400);
    assert_true(overflowing > 200);
}

/* What can go nowhere else: its pin, or the only memory of the order. */
static uint64_t live_that_is_forced(const struct scratch_problem *problem, uint32_t memory)
{
    struct slot slots[64];
    for (size_t i = 0; i < problem->item_count; i++) {
        bool is_free = problem->items[i].memory == MEMORY_ANY && problem->order_count > 1;
        slots[i].memory = is_free                                  ? UINT32_MAX
                          : problem->items[i].memory == MEMORY_ANY ? problem->order[0]
                                                                   : problem->items[i].memory;
    }
    return reference_live(problem, slots, memory);
}

static void forced_bounds_count_what_can_go_nowhere_else(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct sample *sample = any_sample(seed, 32);
        const uint64_t *forced = forced_lower_bounds(&sample->problem, &sample->arena);
        struct layout layout = solve(sample, "greedy_by_size").layout;
        for (uint32_t m = 0; m < sample->problem.memory_count; m++) {
            assert_true(forced[m] >= live_that_is_forced(&sample->problem, m));
            assert_true(forced[m] <= layout.used[m]);
        }
        sample_free(sample);
    }
}

/* ---- optimal against all others ---- */

struct outcome {
    uint64_t excess, total;
    const uint64_t *used;
};

static struct outcome outcome_of(const struct scratch_problem *problem, const struct layout *layout)
{
    struct outcome outcome = {.used = layout->used};
    for (size_t m = 0; m < problem->memory_count; m++) {
        uint64_t limit = problem->memories[m].limit;
        outcome.total += layout->used[m];
        outcome.excess += layout->used[m] > limit ? layout->used[m] - limit : 0;
    }
    return outcome;
}

/* Less above the limits, so that what fits comes first; then a lower total; then more of it in the memories that come first. */
static bool is_better(const struct scratch_problem *problem, const struct outcome *a, const struct outcome *b)
{
    if (a->excess != b->excess || a->total != b->total) {
        return a->excess != b->excess ? a->excess < b->excess : a->total < b->total;
    }
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t m = problem->order[k];
        if (a->used[m] != b->used[m]) {
            return a->used[m] > b->used[m];
        }
    }
    return false;
}

static void check_never_worse(struct sample *sample, uint64_t most_work, uint64_t seed)
{
    const struct scratch_problem *problem = &sample->problem;
    const struct planner *optimal = planner_named("optimal");
    const struct planner_options options = default_options(optimal, most_work);
    struct layout best = solve_with(sample, optimal, &options).layout;
    struct outcome found = outcome_of(problem, &best);
    for (size_t p = 0; p < planner_count; p++) {
        struct layout layout = solve(sample, planners[p].name).layout;
        struct outcome other = outcome_of(problem, &layout);
        if (&planners[p] != optimal && is_better(problem, &other, &found)) {
            fail_msg("seed %llu, %llu units of work: %s takes %llu B, %llu of them too much; optimal %llu and %llu",
                     (unsigned long long)seed, (unsigned long long)most_work, planners[p].name, (unsigned long long)other.total,
                     (unsigned long long)other.excess, (unsigned long long)found.total, (unsigned long long)found.excess);
        }
    }
}

static void optimal_is_never_worse_than_any_other(void **state)
{
    (void)state;
    static const uint64_t works[] = {0, 500, TEST_WORK};
    for (uint64_t seed = 0; seed < 420; seed++) {
        struct sample *sample = any_sample(seed, 24);
        check_never_worse(sample, works[seed / 3 % COUNT_OF(works)], seed);
        sample_free(sample);
    }
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sample *sample = wide_sample(seed, 7);
        check_never_worse(sample, UINT64_MAX, seed);
        sample_free(sample);
    }
}

/* ---- the keep rule ---- */

static void hill_climb_keeps_the_keep_rule(void **state)
{
    (void)state;
    size_t searches = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct sample *sample = wide_sample(seed, 32);
        const struct scratch_problem *problem = &sample->problem;
        struct layout greedy = solve(sample, "greedy").layout;
        struct layout by_size = solve(sample, "greedy_by_size").layout;
        struct solved solved = solve(sample, "hill_climb");
        bool is_search = strcmp(solved.report.kept, "search") == 0;
        uint64_t total = layout_total(problem, &solved.layout);
        assert_true(solved.layout.fits || (!greedy.fits && !by_size.fits));
        assert_true(is_search || greedy.fits);
        if (!is_search) {
            assert_same_slots(problem, solved.layout.slots, greedy.slots, seed);
        }
        if (greedy.fits) {
            assert_int_equal(is_search, total < layout_total(problem, &greedy));
            for (size_t m = 0; m < problem->memory_count; m++) {
                assert_true(solved.layout.used[m] <= greedy.used[m]);
            }
        }
        searches += is_search && greedy.fits;
        sample_free(sample);
    }
    assert_true(searches > 50);
}

/* ---- limits ---- */

/* An item that found no room in a larger memory finds none in a smaller one, so first fit goes the same way. */
static void limits_at_what_is_used_change_no_first_fit(void **state)
{
    (void)state;
    static const char *const names[] = {"greedy", "greedy_by_size"};
    size_t fitting = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            struct sample *sample = any_sample(seed, 32);
            struct layout loose = solve(sample, names[n]).layout;
            if (loose.fits) {
                for (size_t m = 0; m < sample->problem.memory_count; m++) {
                    sample->memories[m].limit = loose.used[m];
                }
                struct layout exact = solve(sample, names[n]).layout;
                assert_same_slots(&sample->problem, exact.slots, loose.slots, seed);
                assert_true(exact.fits);
                fitting++;
            }
            sample_free(sample);
        }
    }
    assert_true(fitting > 300);
}

/* ---- the order of the items ---- */

/* The item that was at `from[i]` is at i now. */
static void shuffle_items(struct sample *sample, struct dice *dice, size_t *from)
{
    for (size_t i = 0; i < sample->problem.item_count; i++) {
        from[i] = i;
    }
    for (size_t i = sample->problem.item_count; i > 1; i--) {
        size_t other = throw_dice(dice, i);
        struct scratch_item kept = sample->items[i - 1];
        sample->items[i - 1] = sample->items[other];
        sample->items[other] = kept;
        size_t kept_from = from[i - 1];
        from[i - 1] = from[other];
        from[other] = kept_from;
    }
}

/* No two of a size or of a start: then the index, which is the last tie-break, decides nothing. */
static void make_distinct(struct sample *sample)
{
    for (size_t i = 0; i < sample->problem.item_count; i++) {
        sample->items[i].size = sample->items[i].size / 64 * 64 + i + 1;
        sample->items[i].start = sample->items[i].start * 64 + (uint32_t)i;
        sample->items[i].end = sample->items[i].end * 64 + 63;
    }
    sample->problem.step_count *= 64;
}

static void without_ties_the_order_of_items_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"greedy", "greedy_by_size"};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sample *sample = any_sample(seed, 32);
        const struct scratch_problem *problem = &sample->problem;
        struct dice dice = {seed + 1};
        size_t from[64];
        make_distinct(sample);
        struct layout before[] = {solve(sample, names[0]).layout, solve(sample, names[1]).layout};
        uint64_t bound = total_lower_bound(problem, &sample->arena);
        shuffle_items(sample, &dice, from);
        assert_int_equal(total_lower_bound(problem, &sample->arena), bound);
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            struct layout after = solve(sample, names[n]).layout;
            for (size_t i = 0; i < problem->item_count; i++) {
                assert_int_equal(after.slots[i].memory, before[n].slots[from[i]].memory);
                assert_int_equal(after.slots[i].offset, before[n].slots[from[i]].offset);
            }
        }
        sample_free(sample);
    }
}

static void no_bound_depends_on_the_order_of_items(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sample *sample = any_sample(seed, 32);
        const struct scratch_problem *problem = &sample->problem;
        struct dice dice = {seed + 1};
        size_t from[64];
        uint64_t bound = total_lower_bound(problem, &sample->arena);
        const uint64_t *forced = forced_lower_bounds(problem, &sample->arena);
        shuffle_items(sample, &dice, from);
        assert_int_equal(total_lower_bound(problem, &sample->arena), bound);
        assert_memory_equal(forced_lower_bounds(problem, &sample->arena), forced, problem->memory_count * sizeof *forced);
        sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_sound_and_above_the_bounds),
        cmocka_unit_test(forced_bounds_count_what_can_go_nowhere_else),
        cmocka_unit_test(optimal_is_never_worse_than_any_other),
        cmocka_unit_test(hill_climb_keeps_the_keep_rule),
        cmocka_unit_test(limits_at_what_is_used_change_no_first_fit),
        cmocka_unit_test(without_ties_the_order_of_items_changes_nothing),
        cmocka_unit_test(no_bound_depends_on_the_order_of_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
