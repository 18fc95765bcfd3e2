/* A local search over the placement orders of greedy_by_size (REQ-PLN-007 to 028).
 *
 * The objective is, in this order: bytes above the limits, the total high-water mark, the high-water mark of each memory in the
 * preferred order. */
#include "plan/planner.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/live_bound.h"
#include "plan/packing.h"
#include "plan/planner_order.h"
#include "plan/random.h"
#include "plan/watch.h"

/* Limits for crowds of tensors that no real model has: where tens of thousands are alive at once, one attempt takes seconds. They
 * count items met and not time, so that a result is the same on any host. A packing of more meetings is not begun; attempts
 * may meet so many items each on average, which is more than 454 buffers all alive together need. */
#define MEETINGS_TO_BEGIN UINT64_C(50000000)
#define WORK_PER_ATTEMPT  UINT64_C(250000)

enum { OPTION_ITERATIONS, OPTION_SEED, OPTION_STALL };

struct score {
    uint64_t excess; /* bytes above the limits */
    uint64_t total;
    uint64_t *used; /* by memory */
};

struct search {
    const struct scratch_problem *problem;
    struct packing packing;
    struct score score; /* of the packing */
    struct score tried; /* of the packing after a move */
    uint64_t *ceilings; /* work: by memory */
    uint32_t *topmost;  /* items that reach the high-water mark of their memory; valid until a move is kept */
    size_t topmost_count;
    uint32_t *pile; /* the pile under its first item; valid until a move is kept */
    size_t pile_count;
    bool *in_pile; /* work: all false between uses */
    struct random random;
};

static void measure(const struct search *search, struct score *score)
{
    const struct scratch_problem *problem = search->problem;
    for (size_t m = 0; m < problem->memory_count; m++) {
        score->used[m] = 0;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct packed_item *item = &search->packing.items[i];
        score->used[item->memory] = size_max(score->used[item->memory], item->top);
    }
    score->total = 0;
    score->excess = 0;
    for (size_t m = 0; m < problem->memory_count; m++) {
        score->total += score->used[m];
        score->excess += score->used[m] - size_min(score->used[m], problem->memories[m].limit);
    }
}

/* < 0 if `a` is better. */
static int compare_scores(const struct scratch_problem *problem, const struct score *a, const struct score *b)
{
    if (a->excess != b->excess) {
        return a->excess < b->excess ? -1 : 1;
    }
    if (a->total != b->total) {
        return a->total < b->total ? -1 : 1;
    }
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t m = problem->order[k];
        if (a->used[m] != b->used[m]) {
            return a->used[m] < b->used[m] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- moves ---- */

static void find_topmost(struct search *search)
{
    search->topmost_count = 0;
    for (uint32_t i = 0; i < search->problem->item_count; i++) {
        const struct packed_item *item = &search->packing.items[i];
        if (item->top == search->score.used[item->memory]) {
            search->topmost[search->topmost_count++] = i;
        }
    }
}

/* True if `below` came first and `above` rests on it: it is what keeps `above` from a lower offset. */
static bool rests_on(const struct packed_item *upper, uint64_t alignment, const struct packed_item *lower)
{
    bool touches = lower->top <= upper->offset && upper->offset - lower->top < alignment;
    return touches && lower->position < upper->position && lower->memory == upper->memory;
}

/* The pile under an item: itself, what it rests on, what that rests on, down to offset 0. Only a change in the pile can lower it.
 */
static void gather_pile(struct search *search, uint32_t top)
{
    size_t count = 0;
    search->pile[count++] = top;
    search->in_pile[top] = true;
    for (size_t k = 0; k < count; k++) {
        const struct packed_item *upper = &search->packing.items[search->pile[k]];
        uint64_t alignment = slot_alignment(&search->problem->items[search->pile[k]], &search->problem->memories[upper->memory]);
        const uint32_t *found = search->packing.found;
        size_t found_count = packing_meeting(&search->packing, search->pile[k]);
        for (size_t i = 0; i < found_count; i++) {
            if (!rests_on(upper, alignment, &search->packing.items[found[i]]) || search->in_pile[found[i]]) {
                continue;
            }
            search->in_pile[found[i]] = true;
            search->pile[count++] = found[i];
        }
    }
    for (size_t k = 0; k < count; k++) {
        search->in_pile[search->pile[k]] = false;
    }
    search->pile_count = count;
}

/* One perturbation of the order: an item of the pile under a high-water mark changes places with any other. Swaps of any two
 * items find the same improvements, but most of them touch nothing that matters. */
static void perturb(struct search *search)
{
    struct packing *packing = &search->packing;
    if (search->topmost_count == 0) {
        find_topmost(search);
    }
    uint32_t top = search->topmost[random_below(&search->random, search->topmost_count)];
    if (search->pile_count == 0 || search->pile[0] != top) {
        gather_pile(search, top);
    }
    uint32_t item = search->pile[random_below(&search->random, search->pile_count)];
    packing_swap(packing, packing->items[item].position, random_below(&search->random, search->problem->item_count));
}

/* ---- the search ---- */

/* What a climb is measured against. */
struct goal {
    const struct layout *greedy;
    uint64_t total_bound;          /* no layout's total is smaller */
    const uint64_t *memory_bounds; /* by memory: nor is its high-water mark */
};

static bool is_within(const struct scratch_problem *problem, const uint64_t *used, const uint64_t *most)
{
    for (size_t m = 0; m < problem->memory_count; m++) {
        if (used[m] > most[m]) {
            return false;
        }
    }
    return true;
}

/* True if this layout fits and may take the place of greedy's. */
static bool may_be_kept(const struct search *search, const struct goal *goal)
{
    if (search->score.excess > 0) {
        return false;
    }
    return !goal->greedy->fits || is_within(search->problem, search->score.used, goal->greedy->used);
}

/* True if no further attempt can find a smaller total and this layout is kept as it is. A total at the bound alone does not say
 * so: as long as a memory holds more than greedy's, another layout of the same total may be kept where this one is not. */
static bool is_finished(const struct search *search, const struct goal *goal)
{
    return search->score.total <= goal->total_bound && may_be_kept(search, goal);
}

/* How high an item may end for the attempt not to be worse already: the total less what the other memories hold at least. While
 * something does not fit, a larger total may still be better. */
static void set_ceilings(struct search *search, const struct goal *goal)
{
    uint64_t forced = 0;
    for (size_t m = 0; m < search->problem->memory_count; m++) {
        forced += goal->memory_bounds[m];
    }
    for (size_t m = 0; m < search->problem->memory_count; m++) {
        search->ceilings[m] = search->score.excess > 0 ? UINT64_MAX : search->score.total - (forced - goal->memory_bounds[m]);
    }
}

/* The packing stays as it is now. */
static void keep(struct search *search)
{
    struct score old = search->score;
    search->score = search->tried;
    search->tried = old;
    search->topmost_count = 0;
    search->pile_count = 0;
    packing_keep(&search->packing);
}

/* One move, kept unless it is worse. Returns < 0 if it was better, 0 if it was as good, > 0 if it was worse. */
static int attempt(struct search *search, const struct goal *goal)
{
    perturb(search);
    set_ceilings(search, goal);
    int order = 1;
    if (packing_settle(&search->packing, search->ceilings)) {
        measure(search, &search->tried);
        order = compare_scores(search->problem, &search->tried, &search->score);
    }
    if (order > 0) {
        packing_take_back(&search->packing);
    } else {
        keep(search);
    }
    return order;
}

/* Items and extents looked at. */
static uint64_t work_done(const struct search *search)
{
    uint64_t work = search->packing.met;
    for (size_t m = 0; search->packing.shelves != NULL && m < search->problem->memory_count; m++) {
        work += search->packing.shelves[m].visited;
    }
    return work;
}

/* Only a layout that would be kept counts as found. */
static void tell(const struct search *search, const struct goal *goal, uint64_t done)
{
    struct watch *watch = search->problem->watch;
    watch_work(watch, done);
    if (may_be_kept(search, goal)) {
        watch_total(watch, search->score.total);
    }
}

static const char *climb(struct search *search, const struct planner_options *options, const struct goal *goal,
                         struct planner_report *report)
{
    uint64_t stalled = 0;
    uint64_t most_work = work_done(search) + options->values[OPTION_ITERATIONS] * WORK_PER_ATTEMPT;
    while (!is_finished(search, goal)) {
        if (report->attempts == options->values[OPTION_ITERATIONS]) {
            return "iterations";
        }
        if (stalled >= options->values[OPTION_STALL]) {
            return "stall";
        }
        if (work_done(search) > most_work) {
            return "work limit";
        }
        report->attempts++;
        uint64_t before = work_done(search);
        int order = attempt(search, goal);
        tell(search, goal, work_done(search) - before);
        report->improvements += order < 0;
        stalled = order < 0 ? 0 : stalled + 1;
    }
    return "bound";
}

/* The search's layout replaces greedy's only if no memory holds more and the total is smaller (REQ-PLN-022, 023); if one of the
 * two does not fit, the other one is kept; if neither does, the search's, whose error is then reported (REQ-PLN-027, 028). */
static bool keeps_search(const struct scratch_problem *problem, const struct layout *search, const struct layout *greedy)
{
    if (!greedy->fits) {
        return true;
    }
    if (!search->fits) {
        return false;
    }
    return is_within(problem, search->used, greedy->used) && layout_total(problem, search) < layout_total(problem, greedy);
}

static struct search search_new(const struct scratch_problem *problem, uint64_t seed, struct arena *arena)
{
    struct search search = {
        .problem = problem,
        .packing = packing_new(problem, order_by_size(problem, arena), arena),
        .score.used = ARENA_ARRAY(arena, uint64_t, problem->memory_count),
        .tried.used = ARENA_ARRAY(arena, uint64_t, problem->memory_count),
        .ceilings = ARENA_ARRAY(arena, uint64_t, problem->memory_count),
        .topmost = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .pile = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .in_pile = ARENA_ARRAY(arena, bool, problem->item_count),
        .random.state = seed,
    };
    packing_allow_moves(&search.packing, arena);
    measure(&search, &search.score);
    return search;
}

/* How many items placing each of them meets, all together. */
static uint64_t sum_meetings(const struct scratch_problem *problem, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *meetings = count_meetings(problem, arena);
    uint64_t sum = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        sum += meetings[i];
    }
    arena_rewind(arena, mark);
    return sum;
}

void hill_climb_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                      struct layout *layout, struct planner_report *report)
{
    struct layout greedy = layout_new(arena, problem);
    greedy_solve(problem, NULL, arena, &greedy, report);
    report->kept = "greedy";
    report->stop = "bound";
    layout_copy(problem, &greedy, layout);
    struct goal goal = {.greedy = &greedy, .total_bound = total_lower_bound(problem, arena)};
    /* Nothing has a smaller total than the bound, so the keep rule would return this layout whatever a search finds. */
    if (greedy.fits && layout_total(problem, &greedy) == goal.total_bound) {
        return;
    }
    if (sum_meetings(problem, arena) > MEETINGS_TO_BEGIN) {
        report->stop = "work limit";
        return;
    }
    goal.memory_bounds = forced_lower_bounds(problem, arena);
    struct search search = search_new(problem, options->values[OPTION_SEED], arena);
    report->stop = climb(&search, options, &goal, report);
    struct layout found = layout_new(arena, problem);
    packing_layout(&search.packing, &found);
    if (keeps_search(problem, &found, &greedy)) {
        report->kept = "search";
        layout_copy(problem, &found, layout);
        watch_layout(problem->watch, problem, layout);
    }
}
