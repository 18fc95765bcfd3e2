/* hill_climb against the same search without anything that makes it fast: each attempt places all items anew, and nothing is
 * remembered from one to the next but the order. */
#include "planning.h"

#include "plan/live_bound.h"
#include "plan/random.h"

#define MOST 64

struct climb {
    const struct scratch_problem *problem;
    const struct layout *greedy;
    uint64_t bound;
    uint32_t order[MOST]; /* item at each position */
    struct slot slots[MOST];
    struct random random;
    struct planner_report report;
};

static bool is_larger(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->size > b->size || (a->size == b->size && a->start < b->start);
}

static bool starts_before(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->start < b->start;
}

static uint64_t top_of(const struct climb *climb, size_t item)
{
    return climb->slots[item].offset + climb->problem->items[item].size;
}

/* Bytes above the limits, the total, then each memory of the order: the first that differs decides. */
#define SCORE_PARTS 10
static void score(const struct climb *climb, uint64_t *parts, uint64_t *used)
{
    const struct scratch_problem *problem = climb->problem;
    memset(parts, 0, SCORE_PARTS * sizeof *parts);
    memset(used, 0, 8 * sizeof *used);
    for (size_t i = 0; i < problem->item_count; i++) {
        used[climb->slots[i].memory] = size_max(used[climb->slots[i].memory], top_of(climb, i));
    }
    for (size_t m = 0; m < problem->memory_count; m++) {
        uint64_t limit = problem->memories[m].limit;
        parts[0] += used[m] > limit ? used[m] - limit : 0;
        parts[1] += used[m];
    }
    for (size_t k = 0; k < problem->order_count; k++) {
        parts[2 + k] = used[problem->order[k]];
    }
}

static int compare(const uint64_t *a, const uint64_t *b)
{
    for (size_t k = 0; k < SCORE_PARTS; k++) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static uint32_t position_of(const struct climb *climb, uint32_t item)
{
    uint32_t position = 0;
    while (climb->order[position] != item) {
        position++;
    }
    return position;
}

/* What was placed earlier and keeps the upper one from a lower offset. */
static bool carries(const struct climb *climb, uint32_t lower, uint32_t upper)
{
    const struct scratch_problem *problem = climb->problem;
    const struct scratch_item *a = &problem->items[lower];
    const struct scratch_item *b = &problem->items[upper];
    uint32_t memory = climb->slots[upper].memory;
    uint64_t step = size_max(b->alignment, problem->memories[memory].alignment_floor);
    bool together = a->start <= b->end && b->start <= a->end && climb->slots[lower].memory == memory;
    return together && position_of(climb, lower) < position_of(climb, upper) &&
           top_of(climb, lower) <= climb->slots[upper].offset && climb->slots[upper].offset - top_of(climb, lower) < step;
}

/* The pile under an item, from the top down, what starts earlier first. Returns how many there are. */
static size_t gather(const struct climb *climb, uint32_t top, const uint32_t *by_start, uint32_t *pile)
{
    bool is_in[MOST] = {false};
    size_t count = 0;
    pile[count++] = top;
    is_in[top] = true;
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < climb->problem->item_count; i++) {
            if (!is_in[by_start[i]] && carries(climb, by_start[i], pile[k])) {
                is_in[by_start[i]] = true;
                pile[count++] = by_start[i];
            }
        }
    }
    return count;
}

/* One item of the pile under a high-water mark changes places with any other. */
static void move(struct climb *climb, const uint64_t *used, const uint32_t *by_start)
{
    uint32_t topmost[MOST];
    size_t topmost_count = 0;
    for (uint32_t i = 0; i < climb->problem->item_count; i++) {
        if (top_of(climb, i) == used[climb->slots[i].memory]) {
            topmost[topmost_count++] = i;
        }
    }
    uint32_t pile[MOST];
    size_t pile_count = gather(climb, topmost[random_below(&climb->random, topmost_count)], by_start, pile);
    uint32_t a = position_of(climb, pile[random_below(&climb->random, pile_count)]);
    uint32_t b = random_below(&climb->random, climb->problem->item_count);
    uint32_t item = climb->order[a];
    climb->order[a] = climb->order[b];
    climb->order[b] = item;
    reference_in_order(climb->problem, climb->order, climb->slots);
}

/* Nothing can be smaller, and the keep rule would take it. */
static bool is_finished(const struct climb *climb, const uint64_t *parts, const uint64_t *used)
{
    bool is_within = true;
    for (size_t m = 0; m < climb->problem->memory_count; m++) {
        is_within = is_within && used[m] <= climb->greedy->used[m];
    }
    return parts[0] == 0 && parts[1] <= climb->bound && (!climb->greedy->fits || is_within);
}

static void search(struct climb *climb, uint64_t iterations, uint64_t most_stalled)
{
    uint32_t by_start[MOST];
    uint64_t best[SCORE_PARTS];
    uint64_t used[8];
    reference_order(climb->problem, starts_before, by_start);
    reference_order(climb->problem, is_larger, climb->order);
    reference_in_order(climb->problem, climb->order, climb->slots);
    score(climb, best, used);
    uint64_t stalled = 0;
    climb->report.stop = "bound";
    while (!is_finished(climb, best, used)) {
        if (climb->report.attempts == iterations || stalled >= most_stalled) {
            climb->report.stop = climb->report.attempts == iterations ? "iterations" : "stall";
            return;
        }
        struct climb before = *climb;
        uint64_t tried[SCORE_PARTS];
        uint64_t tried_used[8];
        move(climb, used, by_start);
        score(climb, tried, tried_used);
        int order = compare(tried, best);
        if (order > 0) {
            memcpy(climb->order, before.order, sizeof climb->order);
            memcpy(climb->slots, before.slots, sizeof climb->slots);
        } else {
            memcpy(best, tried, sizeof best);
            memcpy(used, tried_used, sizeof used);
        }
        stalled = order < 0 ? 0 : stalled + 1;
        climb->report.attempts++;
        climb->report.improvements += order < 0;
    }
}

static bool keeps(const struct climb *climb, uint64_t total, uint64_t greedy_total, const uint64_t *parts, const uint64_t *used)
{
    if (!climb->greedy->fits || parts[0] > 0) {
        return !climb->greedy->fits;
    }
    for (size_t m = 0; m < climb->problem->memory_count; m++) {
        if (used[m] > climb->greedy->used[m]) {
            return false;
        }
    }
    return total < greedy_total;
}

/* True if the search went on for a while. */
static bool check(struct sample *sample, const struct planner_options *options, uint64_t seed)
{
    const struct scratch_problem *problem = &sample->problem;
    struct layout greedy = solve(sample, "greedy").layout;
    struct solved solved = solve_with(sample, planner_named("hill_climb"), options);
    uint64_t bound = total_lower_bound(problem, &sample->arena);
    if (greedy.fits && layout_total(problem, &greedy) == bound) {
        assert_same_slots(problem, solved.layout.slots, greedy.slots, seed);
        return false;
    }
    struct climb climb = {.problem = problem, .greedy = &greedy, .bound = bound, .random.state = options->values[1]};
    search(&climb, options->values[0], options->values[2]);
    uint64_t parts[SCORE_PARTS];
    uint64_t used[8];
    score(&climb, parts, used);
    bool is_kept = keeps(&climb, parts[1], layout_total(problem, &greedy), parts, used);
    assert_string_equal(solved.report.kept, is_kept ? "search" : "greedy");
    assert_string_equal(solved.report.stop, climb.report.stop);
    assert_int_equal(solved.report.attempts, climb.report.attempts);
    assert_int_equal(solved.report.improvements, climb.report.improvements);
    assert_same_slots(problem, solved.layout.slots, is_kept ? climb.slots : greedy.slots, seed);
    return climb.report.attempts > 10;
}

static void it_climbs_as_the_plain_search_does(void **state)
{
    (void)state;
    size_t climbed = 0;
    for (uint64_t seed = 0; seed < 260; seed++) {
        struct sample *sample = seed % 4 == 0 ? random_sample(seed) : wide_sample(seed, 20);
        const struct planner_options options = {{seed % 4 == 0 ? 15 : 60, seed, seed % 5 == 0 ? UINT64_MAX : 25}};
        climbed += check(sample, &options, seed);
        sample_free(sample);
    }
    assert_true(climbed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_climbs_as_the_plain_search_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
