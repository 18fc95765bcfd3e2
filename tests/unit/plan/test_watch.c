/* What planners tell who watches: work that only grows, a best that only falls, both true; and that it changes no layout. */
#include "planning.h"

#include "plan/live_bound.h"
#include "plan/watch.h"

#define RANDOM_PROBLEMS 16

struct listener {
    const struct planner *planner;
    struct planner_progress last;
    uint64_t times;
    uint64_t longest_silence; /* work between two times */
};

static void listen(void *context, const struct planner_progress *progress)
{
    struct listener *listener = context;
    assert_ptr_equal(progress->planner, listener->planner);
    assert_true(progress->work >= listener->last.work);
    assert_true(progress->best <= listener->last.best);
    assert_true(progress->best >= progress->bound);
    assert_int_equal(progress->bound, listener->last.bound);
    listener->longest_silence = size_max(listener->longest_silence, progress->work - listener->last.work);
    listener->last = *progress;
    listener->times++;
}

/* Solves twice, the second time watched; returns what was heard. */
static struct listener watch_planner(struct sample *sample, const struct planner *planner, const struct planner_options *options,
                                     struct solved *solved)
{
    struct solved alone = solve_with(sample, planner, options);
    const uint64_t bound = total_lower_bound(&sample->problem, &sample->arena);
    struct listener listener = {.planner = planner, .last = {.best = NO_LAYOUT_FITS, .bound = bound}};
    const struct planner_observer observer = {listen, &listener};
    struct watch watch = watch_start(&observer, planner, bound);
    sample->problem.watch = &watch;
    *solved = solve_with(sample, planner, options);
    sample->problem.watch = NULL;
    assert_same_slots(&sample->problem, solved->layout.slots, alone.layout.slots, 0);
    assert_int_equal(solved->report.effort.work, alone.report.effort.work);
    assert_int_equal(solved->report.attempts, alone.report.attempts);
    assert_true(watch.now.work >= solved->report.effort.work);
    return listener;
}

/* Defaults, but for the option that says how long to search, if there is one: hill_climb's and optimal's first. */
static struct planner_options options_of(const struct planner *planner, uint64_t most)
{
    struct planner_options options = {{0}};
    for (size_t i = 0; i < planner->option_count; i++) {
        options.values[i] = i == 0 ? most : planner->options[i].default_value;
    }
    return options;
}

static void check_told(struct sample *sample, const struct planner *planner, uint64_t most)
{
    const struct planner_options options = options_of(planner, most);
    struct solved solved;
    struct listener heard = watch_planner(sample, planner, &options, &solved);
    if (!solved.layout.fits) {
        return;
    }
    /* A layout that fits has been found, and none was missed that is better. hill_climb may have passed by one: it keeps none
     * whose total alone is smaller. */
    assert_true(heard.times > 0);
    uint64_t total = layout_total(&sample->problem, &solved.layout);
    assert_true(strcmp(planner->name, "hill_climb") == 0 && sample->problem.memory_count > 1 ? heard.last.best <= total
                                                                                             : heard.last.best == total);
    assert_true(heard.last.best >= reference_live(&sample->problem, NULL, 0));
}

/* Also where hill_climb makes no attempt at all, and where optimal does not get to its search. */
static void what_is_told_is_true_and_changes_nothing(void **state)
{
    (void)state;
    static const uint64_t most[] = {0, 30000};
    for (uint64_t seed = 1; seed <= RANDOM_PROBLEMS; seed++) {
        for (size_t p = 0; p < planner_count * COUNT_OF(most); p++) {
            struct sample *sample = seed % 4 == 0 ? crowded_sample(seed) : random_sample(seed);
            check_told(sample, &planners[p % planner_count], most[p / planner_count]);
            sample_free(sample);
        }
    }
}

/* Nothing that fits is found where nothing can: the first memory's limit is below the largest item, and it is the only one. */
static void nothing_that_fits_is_no_best(void **state)
{
    (void)state;
    for (size_t p = 0; p < planner_count; p++) {
        struct sample *sample = crowded_sample(3);
        sample->problem.memory_count = 1;
        sample->problem.order_count = 1;
        sample->memories[0].limit = 1;
        for (size_t i = 0; i < sample->problem.item_count; i++) {
            sample->items[i].memory = MEMORY_ANY;
        }
        const struct planner_options options = options_of(&planners[p], 100000);
        struct solved solved;
        struct listener heard = watch_planner(sample, &planners[p], &options, &solved);
        assert_false(solved.layout.fits);
        assert_true(heard.last.best == NO_LAYOUT_FITS);
        sample_free(sample);
    }
}

/* A search that goes on for some million units of work, in one memory and over the choice of two. */
static struct sample *long_sample(uint64_t limit)
{
    struct dice dice = {UINT64_C(88172645463325252)};
    struct row rows[650];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, 200);
        rows[i] = (struct row){1 + throw_dice(&dice, 16000), start, start + 1 + (uint32_t)throw_dice(&dice, 100)};
    }
    struct sample *sample = sample_new(rows, COUNT_OF(rows));
    sample_memory(sample, limit, 1);
    sample_memory(sample, UINT64_C(1) << 40, 1);
    return sample;
}

static void a_long_search_is_heard_of_all_along(void **state)
{
    (void)state;
    static const uint64_t limits[] = {UINT64_C(1) << 40, 400000};
    const struct planner *optimal = planner_named("optimal");
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct sample *sample = long_sample(limits[i]);
        const struct planner_options options = options_of(optimal, 3000000);
        struct solved solved;
        struct listener heard = watch_planner(sample, optimal, &options, &solved);
        assert_true(solved.report.effort.work >= 3000000);
        /* A few million units are some ten milliseconds. */
        assert_in_range(heard.longest_silence, 1, 4000000);
        assert_true(heard.times >= 10);
        sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_is_true_and_changes_nothing),
        cmocka_unit_test(nothing_that_fits_is_no_best),
        cmocka_unit_test(a_long_search_is_heard_of_all_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
