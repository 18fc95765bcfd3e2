/* The best of the other planners' layouts first; most of the time it meets the bound, and nothing is left to do. Then complete
 * search: memory by memory with the items that are there (strip_solve.c), then over the choice of memories (spill_search.c). At
 * the end, where the least total is known and can be split in several ways, the split that puts most into the first memories.
 * Only counted work ends it, so that the answer is the same on every host. */
#include "plan/optimal.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/life_index.h"
#include "plan/live_bound.h"
#include "plan/packing.h"
#include "plan/planner_order.h"
#include "plan/spill.h"
#include "plan/watch.h"

enum { OPTION_WORK };

/* What is spent on small problems before hill_climb is asked: enough for all models known and some of the hard inputs, and about
 * what hill_climb takes for those. */
#define QUICK_WORK         UINT64_C(2500000)
#define MOST_ITEMS_TO_RUSH 400u

/* What is spent on the best split of a total that is proven, at most: a small part of the default limit, since the total is what
 * was asked for; and with few items it is all that a complete search takes. */
#define PREFERENCE_WORK UINT64_C(2500000)

/* Above so many items a search of one memory would only repeat what the other planners found. */
#define MOST_ITEMS_TO_STACK 20000u

/* The documented defaults: iterations, seed, stall. */
static const struct planner_options climb_options = {.values = {300, 0, 50}};

struct optimum {
    const struct scratch_problem *problem;
    struct layout *best;
    struct layout tried;
    struct planner_report *report;
    struct arena *arena;
    uint64_t bound; /* of the total */
    uint64_t work_limit;
    bool has_choice; /* some item may go to more than one memory */
};

/* Proven by a search, or by meeting the bound. */
static bool is_done(const struct optimum *optimum)
{
    bool is_at_bound = optimum->best->fits && layout_total(optimum->problem, optimum->best) <= optimum->bound;
    return optimum->report->proven_optimal || is_at_bound;
}

/* Done, and no other layout of this total could have more in the memories that are preferred. Without a choice there is none: of
 * two that differ, the better halves of both would be one below the bound. */
static bool is_settled(const struct optimum *optimum)
{
    const struct scratch_problem *problem = optimum->problem;
    if (!is_done(optimum)) {
        return false;
    }
    return !optimum->has_choice || optimum->best->used[problem->order[0]] == layout_total(problem, optimum->best);
}

static void keep_better(struct optimum *optimum)
{
    if (spill_compare(optimum->problem, &optimum->tried, optimum->best) < 0) {
        layout_copy(optimum->problem, &optimum->tried, optimum->best);
        watch_layout(optimum->problem->watch, optimum->problem, optimum->best);
    }
}

typedef void solve_function(const struct scratch_problem *, const struct planner_options *, struct arena *, struct layout *,
                            struct planner_report *);

static void ask(struct optimum *optimum, solve_function *solve, const struct planner_options *options)
{
    struct planner_report ignored = {0};
    struct arena_mark mark = arena_mark(optimum->arena);
    solve(optimum->problem, options, optimum->arena, &optimum->tried, &ignored);
    arena_rewind(optimum->arena, mark);
    keep_better(optimum);
}

/* All in one memory is as good as any split when nothing is rounded and nothing is pinned: the arenas of a split can be put one
 * on the other. */
static bool can_be_stacked(const struct scratch_problem *problem)
{
    uint64_t alignment = 1;
    for (size_t i = 0; i < problem->item_count; i++) {
        for (size_t m = 0; m < problem->memory_count; m++) {
            alignment = size_max(alignment, slot_alignment(&problem->items[i], &problem->memories[m]));
        }
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        if (problem->items[i].memory != MEMORY_ANY || problem->items[i].size % alignment != 0) {
            return false;
        }
    }
    return true;
}

static bool is_in_one_memory(const struct scratch_problem *problem, const struct layout *layout)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        if (problem->items[i].size > 0 && layout->slots[i].memory != problem->order[0]) {
            return false;
        }
    }
    return true;
}

/* Packs each memory lower, its items being what they are. */
static void repack(struct optimum *optimum, uint64_t work_limit)
{
    const struct scratch_problem *problem = optimum->problem;
    layout_copy(problem, optimum->best, &optimum->tried);
    bool is_proven = spill_repack(problem, &optimum->tried, work_limit, &optimum->report->effort, optimum->arena);
    keep_better(optimum);
    if (!is_proven) {
        return;
    }
    bool is_all =
        !optimum->has_choice || (optimum->best->fits && is_in_one_memory(problem, optimum->best) && can_be_stacked(problem));
    optimum->report->proven_optimal = optimum->report->proven_optimal || is_all;
}

/* The same items, those that may choose all put into one memory. */
static struct scratch_problem pinned_to(const struct scratch_problem *problem, uint32_t memory, struct arena *arena)
{
    struct scratch_item *items = ARENA_ARRAY(arena, struct scratch_item, problem->item_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        items[i] = problem->items[i];
        if (items[i].memory == MEMORY_ANY) {
            items[i].memory = memory;
        }
    }
    struct scratch_problem pinned = *problem;
    pinned.items = items;
    return pinned;
}

/* A large memory often takes what a small one has to share, and then no split can need less. */
static void try_one_memory(struct optimum *optimum, uint32_t memory, uint64_t work_limit)
{
    struct arena_mark mark = arena_mark(optimum->arena);
    struct scratch_problem pinned = pinned_to(optimum->problem, memory, optimum->arena);
    const struct planner_options options = {.values = {work_limit}};
    struct planner_report report = {0};
    optimal_solve(&pinned, &options, optimum->arena, &optimum->tried, &report);
    optimum->report->effort.work += report.effort.work;
    optimum->report->effort.nodes += report.effort.nodes;
    bool is_proven = report.proven_optimal && optimum->tried.fits && can_be_stacked(optimum->problem);
    keep_better(optimum);
    optimum->report->proven_optimal = optimum->report->proven_optimal || is_proven;
    arena_rewind(optimum->arena, mark);
}

/* In preferred order; those that cannot hold the largest live sum are not asked. */
static void try_single_memories(struct optimum *optimum, uint64_t work_limit)
{
    const struct scratch_problem *problem = optimum->problem;
    for (size_t k = 0; k < problem->order_count && !is_done(optimum); k++) {
        if (problem->memories[problem->order[k]].limit >= optimum->bound) {
            try_one_memory(optimum, problem->order[k], work_limit);
        }
    }
}

static void lower_total(struct optimum *optimum)
{
    if (optimum->has_choice && optimum->problem->item_count <= MOST_ITEMS_TO_STACK) {
        try_single_memories(optimum, optimum->work_limit);
    }
    if (!is_done(optimum) && optimum->problem->item_count <= MOST_ITEMS_TO_RUSH) {
        repack(optimum, size_min(QUICK_WORK, optimum->work_limit));
    }
    if (is_settled(optimum)) {
        return;
    }
    ask(optimum, hill_climb_solve, &climb_options);
    if (is_done(optimum) || optimum->work_limit == 0) {
        return;
    }
    repack(optimum, optimum->has_choice ? optimum->work_limit / 2 : optimum->work_limit);
    if (is_done(optimum) || !optimum->has_choice) {
        return;
    }
    layout_copy(optimum->problem, optimum->best, &optimum->tried);
    bool is_proven =
        spill_search(optimum->problem, &optimum->tried, optimum->work_limit, &optimum->report->effort, optimum->arena);
    keep_better(optimum);
    optimum->report->proven_optimal = is_proven;
}

/* Of the splits with the least total, one with more in the memories that are preferred. */
static void prefer_first(struct optimum *optimum)
{
    uint64_t limit = size_min(optimum->work_limit, optimum->report->effort.work + PREFERENCE_WORK);
    layout_copy(optimum->problem, optimum->best, &optimum->tried);
    spill_prefer(optimum->problem, &optimum->tried, limit, &optimum->report->effort, optimum->arena);
    keep_better(optimum);
}

static void search(struct optimum *optimum)
{
    lower_total(optimum);
    if (optimum->has_choice && optimum->best->fits && is_done(optimum) && !is_settled(optimum)) {
        prefer_first(optimum);
    }
}

void optimal_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                   struct layout *layout, struct planner_report *report)
{
    struct optimum optimum = {
        .problem = problem,
        .best = layout,
        .tried = layout_new(arena, problem),
        .report = report,
        .arena = arena,
        .bound = total_lower_bound(problem, arena),
        .work_limit = options->values[OPTION_WORK],
        .has_choice = spill_has_choice(problem),
    };
    greedy_solve(problem, NULL, arena, layout, report);
    if (!is_settled(&optimum)) {
        ask(&optimum, greedy_by_size_solve, NULL);
    }
    if (!is_settled(&optimum)) {
        search(&optimum);
    }
    report->proven_optimal = is_done(&optimum);
}
