/* Which capacities are searched, in which order, with how much work.
 *
 * The work that a search needs varies by orders of magnitude with the order in which items are tried, and a search that has gone
 * wrong early does not recover. So each search is cut off after little work and started again in another order: by one of three
 * rules, disturbed by random numbers, and with limits that follow Luby's sequence (Luby, Sinclair, Zuckerman: "Optimal speedup of
 * Las Vegas algorithms", 1993). One capacity gets a budget; the bound is tried most, as to meet it is to be done. */
#include "plan/strip_solve.h"

#include "base/size.h"
#include "plan/jigsaw.h"
#include "plan/random.h"
#include "plan/strip_search.h"

/* Work of the shortest search, by item. */
#define RESTART_WORK 1000u

/* A round tries the bound and then a few capacities between the bound and the best layout; rounds grow. */
#define FIRST_BUDGET      UINT64_C(2000000)
#define BUDGET_GROWTH     2u
#define BOUND_SHARE       4u
#define TARGETS_PER_ROUND 3u

#define RANK_SCALE UINT64_C(1000000)

enum rule { RULE_WIDTH, RULE_EQUAL, RULE_TOTAL, RULE_COUNT };
/* How much of a rank is left to chance, in percent. */
static const uint32_t chance[RULE_COUNT] = {30, 100, 30};

struct solver {
    const struct strip *strip;
    struct strip_search *search;
    uint64_t *offsets;           /* the best layout */
    uint64_t *found;             /* the layout of a search */
    uint32_t *ranks[RULE_COUNT]; /* by rule and item, undisturbed: 1 to RANK_SCALE */
    uint32_t *rank;              /* of the next search */
    struct random random;
    struct strip_result result;
    uint64_t *work;
    uint64_t work_limit;
    uint64_t tries;
};

/* ---- orders ---- */

static uint64_t rule_value(const struct strip *strip, size_t index, enum rule rule)
{
    const struct strip_item *item = &strip->items[index];
    uint64_t highest = 0;
    switch (rule) {
    case RULE_WIDTH:
        return strip->widths[index];
    case RULE_TOTAL:
        for (uint32_t s = item->first; s <= item->last; s++)
            highest = size_max(highest, strip->total[s]);
        return highest * 64 + (item->last - item->first);
    default:
        return 1;
    }
}

static uint32_t *rank_by_rule(const struct strip *strip, enum rule rule, struct arena *arena)
{
    uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, strip->item_count);
    uint64_t highest = 1;
    for (size_t i = 0; i < strip->item_count; i++)
        highest = size_max(highest, rule_value(strip, i, rule));
    /* Values are far below 2^44: heights below 2^30 times 64 and more. */
    for (size_t i = 0; i < strip->item_count; i++)
        ranks[i] = (uint32_t)(rule_value(strip, i, rule) * RANK_SCALE / highest + 1);
    return ranks;
}

/* Each rule goes undisturbed once. */
static void make_rank(struct solver *solver)
{
    enum rule rule = (enum rule)(solver->tries % RULE_COUNT);
    bool is_first = solver->tries < RULE_COUNT;
    for (size_t i = 0; i < solver->strip->item_count; i++) {
        uint64_t percent = 100 + (is_first ? 0 : random_below(&solver->random, chance[rule] + 1));
        solver->rank[i] = (uint32_t)(solver->ranks[rule][i] * percent / 100);
    }
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...; `index` counts from 1. */
static uint64_t luby(uint64_t index)
{
    for (;;) {
        uint64_t period = 1;
        while (period < index)
            period = 2 * period + 1;
        if (period == index)
            return (period + 1) / 2;
        index -= period / 2;
    }
}

/* ---- one capacity ---- */

static void keep_found(struct solver *solver)
{
    for (size_t i = 0; i < solver->strip->item_count; i++)
        solver->offsets[i] = solver->found[i];
    solver->result.height = strip_height(solver->strip, solver->offsets);
}

static bool is_done(const struct solver *solver)
{
    return solver->result.height <= solver->result.bound || *solver->work >= solver->work_limit;
}

/* Searches a layout within `capacity` until the budget is used up. */
static enum strip_answer try_capacity(struct solver *solver, uint64_t capacity, uint64_t budget)
{
    uint64_t end = size_min(*solver->work + budget, solver->work_limit);
    enum strip_answer answer = STRIP_UNDECIDED;
    for (uint64_t index = 0; answer == STRIP_UNDECIDED && *solver->work < end; index++) {
        make_rank(solver);
        solver->tries++;
        uint64_t limit = RESTART_WORK * (uint64_t)solver->strip->item_count * luby(index / RULE_COUNT + 1);
        answer = strip_search_run(solver->search, capacity, solver->rank, size_min(limit, end - *solver->work), solver->found,
                                  solver->work);
    }
    if (answer == STRIP_FOUND)
        keep_found(solver);
    if (answer == STRIP_IMPOSSIBLE)
        solver->result.bound = capacity + 1;
    return answer;
}

/* ---- all of them ---- */

/* High-water marks between two layouts' that can occur are whole units when all sizes are. */
static uint64_t round_capacity(const struct strip *strip, uint64_t capacity)
{
    return strip->is_exact ? capacity / strip->unit * strip->unit : capacity;
}

static uint64_t round_bound(const struct strip *strip, uint64_t bound)
{
    return strip->is_exact ? (bound + strip->unit - 1) / strip->unit * strip->unit : bound;
}

/* Halves the way from the bound, or from the last capacity that could not be decided, to the best layout. */
static void try_between(struct solver *solver, uint64_t budget)
{
    uint64_t low = solver->result.bound;
    for (uint32_t undecided = 0; undecided < TARGETS_PER_ROUND && !is_done(solver);) {
        uint64_t capacity = round_capacity(solver->strip, low + (solver->result.height - low) / 2);
        if (capacity < low || capacity >= solver->result.height || capacity == solver->result.bound)
            return;
        enum strip_answer answer = try_capacity(solver, capacity, budget);
        solver->result.bound = round_bound(solver->strip, solver->result.bound);
        if (answer == STRIP_UNDECIDED)
            undecided++;
        if (answer != STRIP_FOUND)
            low = capacity + 1;
    }
}

static struct solver solver_new(const struct strip *strip, uint64_t *offsets, struct arena *arena)
{
    struct solver solver = {
        .strip = strip,
        .search = strip_search_new(strip, arena),
        .offsets = offsets,
        .found = ARENA_ARRAY(arena, uint64_t, strip->item_count),
        .rank = ARENA_ARRAY(arena, uint32_t, strip->item_count),
    };
    for (size_t rule = 0; rule < RULE_COUNT; rule++)
        solver.ranks[rule] = rank_by_rule(strip, (enum rule)rule, arena);
    return solver;
}

struct strip_result strip_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, uint64_t *work,
                                struct arena *arena)
{
    struct strip_result result = {.height = strip_height(strip, offsets), .bound = strip->bound};
    if (!strip->can_be_searched || result.height <= result.bound || *work >= work_limit)
        return result;
    struct arena_mark mark = arena_mark(arena);
    struct solver solver = solver_new(strip, offsets, arena);
    solver.result = result;
    solver.work = work;
    solver.work_limit = work_limit;
    if (jigsaw_solve(strip, solver.found, work_limit, work, arena))
        keep_found(&solver);
    for (uint64_t budget = FIRST_BUDGET; !is_done(&solver); budget *= BUDGET_GROWTH) {
        try_capacity(&solver, solver.result.bound, BOUND_SHARE * budget);
        solver.result.bound = round_bound(strip, solver.result.bound);
        try_between(&solver, budget);
    }
    result = solver.result;
    arena_rewind(arena, mark);
    return result;
}
