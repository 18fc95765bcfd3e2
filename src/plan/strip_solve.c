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
#define RESTART_WORK 1500u

/* A round tries the bound, and then capacities between the bound and the best layout. A bound that is not met early is met
 * rarely, so that later rounds turn to what lies between. The last row is repeated, doubled each time. */
struct round {
    uint64_t bound_budget;   /* work for the bound */
    uint64_t between_budget; /* for each capacity between */
    uint32_t undecided;      /* so many capacities may be left undecided */
};
static const struct round rounds[] = {
    {4000000, 2000000, 1},
    {16000000, 24000000, 1},
    {44000000, 32000000, 2},
    {24000000, 80000000, 4},
};
#define MOST_DOUBLINGS 24u
#define ROUND_COUNT    (sizeof rounds / sizeof rounds[0])

/* Any number will do. */
#define RANDOM_SEED 3u

#define RANK_SCALE UINT64_C(1000000)

enum rule { RULE_WIDTH, RULE_EQUAL, RULE_TOTAL, RULE_COUNT };
/* How much of a rank is left to chance, in percent. */
static const uint32_t chance[RULE_COUNT] = {30, 100, 30};
/* The rules take turns; the one that is the best on most strips comes twice. */
static const enum rule turns[] = {RULE_TOTAL, RULE_WIDTH, RULE_TOTAL, RULE_EQUAL};
#define TURN_COUNT        (sizeof turns / sizeof turns[0])
#define UNDISTURBED_TRIES 2u

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
        for (uint32_t s = item->first; s <= item->last; s++) {
            highest = size_max(highest, strip->total[s]);
        }
        return highest * 64 + (item->last - item->first);
    default:
        return 1;
    }
}

static uint32_t *rank_by_rule(const struct strip *strip, enum rule rule, struct arena *arena)
{
    uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, strip->item_count);
    uint64_t highest = 1;
    for (size_t i = 0; i < strip->item_count; i++) {
        highest = size_max(highest, rule_value(strip, i, rule));
    }
    /* Values are far below 2^44: heights below 2^30 times 64 and more. */
    for (size_t i = 0; i < strip->item_count; i++) {
        ranks[i] = (uint32_t)(rule_value(strip, i, rule) * RANK_SCALE / highest + 1);
    }
    return ranks;
}

static void make_rank(struct solver *solver)
{
    enum rule rule = turns[solver->tries % TURN_COUNT];
    uint32_t most = solver->tries < UNDISTURBED_TRIES ? 0 : chance[rule];
    for (size_t i = 0; i < solver->strip->item_count; i++) {
        uint64_t percent = 100 + random_below(&solver->random, (uint64_t)most + 1);
        solver->rank[i] = (uint32_t)(solver->ranks[rule][i] * percent / 100);
    }
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...; `index` counts from 1. */
static uint64_t luby(uint64_t index)
{
    for (;;) {
        uint64_t period = 1;
        while (period < index) {
            period = 2 * period + 1;
        }
        if (period == index) {
            return (period + 1) / 2;
        }
        index -= period / 2;
    }
}

/* ---- one capacity ---- */

/* The high-water mark is a whole number of units when all sizes are. */
static uint64_t round_up(const struct strip *strip, uint64_t height)
{
    return strip->is_exact ? (height + strip->unit - 1) / strip->unit * strip->unit : height;
}

static void keep_found(struct solver *solver)
{
    for (size_t i = 0; i < solver->strip->item_count; i++) {
        solver->offsets[i] = solver->found[i];
    }
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
        uint64_t before = *solver->work;
        uint64_t limit = RESTART_WORK * (uint64_t)solver->strip->item_count * luby(index / TURN_COUNT + 1);
        answer = strip_search_run(solver->search, capacity, solver->rank, size_min(limit, end - *solver->work), solver->found,
                                  solver->work);
        strip_tell(solver->strip, *solver->work - before, solver->result.height);
    }
    if (answer == STRIP_FOUND) {
        keep_found(solver);
    }
    if (answer == STRIP_IMPOSSIBLE) {
        solver->result.bound = round_up(solver->strip, capacity + 1);
    }
    return answer;
}

/* ---- all of them ---- */

/* Goes down from the best layout in steps: at most half of the way to the bound, half of the last step after a failure, twice as
 * much after a success. */
static void try_between(struct solver *solver, const struct round *round, uint64_t budget)
{
    uint64_t unit = solver->strip->is_exact ? solver->strip->unit : 1;
    uint64_t step = solver->result.height;
    for (uint32_t undecided = 0; undecided < round->undecided && !is_done(solver);) {
        step = size_min(step, (solver->result.height - solver->result.bound) / 2);
        step = size_max(step / unit * unit, unit);
        uint64_t capacity = solver->result.height - step;
        if (capacity <= solver->result.bound) {
            return;
        }
        enum strip_answer answer = try_capacity(solver, capacity, budget);
        if (answer != STRIP_FOUND && step == unit) {
            return;
        }
        step = answer == STRIP_FOUND ? 2 * step : step / 2;
        undecided += answer == STRIP_UNDECIDED;
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
        .random.state = RANDOM_SEED,
    };
    for (size_t rule = 0; rule < RULE_COUNT; rule++) {
        solver.ranks[rule] = rank_by_rule(strip, (enum rule)rule, arena);
    }
    return solver;
}

struct strip_result strip_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, uint64_t *work,
                                struct arena *arena)
{
    struct strip_result result = {.height = strip_height(strip, offsets), .bound = strip->bound};
    if (!strip->can_be_searched || result.height <= result.bound || *work >= work_limit) {
        return result;
    }
    struct arena_mark mark = arena_mark(arena);
    struct solver solver = solver_new(strip, offsets, arena);
    solver.result = result;
    solver.work = work;
    solver.work_limit = work_limit;
    if (jigsaw_solve(strip, solver.found, work_limit, work, arena)) {
        keep_found(&solver);
    }
    for (size_t k = 0; !is_done(&solver); k++) {
        const struct round *round = &rounds[k < ROUND_COUNT ? k : ROUND_COUNT - 1];
        size_t doubled = k < ROUND_COUNT ? 0 : size_min(k - ROUND_COUNT + 1, MOST_DOUBLINGS);
        try_capacity(&solver, solver.result.bound, round->bound_budget << doubled);
        try_between(&solver, round, round->between_budget << doubled);
    }
    result = solver.result;
    arena_rewind(arena, mark);
    return result;
}
