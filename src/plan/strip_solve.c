/* Which capacities are searched, in which order, with how much work.
 *
 * The work that a search needs varies by orders of magnitude with the order in which items are tried, and a search that has gone
 * wrong early does not recover. So each search is given up after some failures and started again in another order: by one of
 * several rules, disturbed by random numbers, and with limits that follow Luby's sequence (Luby, Sinclair, Zuckerman: "Optimal
 * speedup of Las Vegas algorithms", 1993).
 *
 * Two targets take turns: the bound, as to meet it is to be done, and a capacity between the bound and the best layout. */
#include "plan/strip_solve.h"

#include "base/size.h"
#include "plan/jigsaw.h"
#include "plan/random.h"
#include "plan/strip_search.h"

/* The shortest search fails so often. */
#define RESTART_FAILURES 150u

/* The bound gets a fifth of all work, and seven tenths more up to this much: most that can be met are met by then. What it is
 * raised to is no better than any capacity. */
#define BOUND_FIRST UINT64_C(25000000)

/* A capacity between is tried for this much work and this share of all; then one halfway to the best layout is. */
#define PATIENCE_FIRST   UINT64_C(500000)
#define PATIENCE_PERCENT 20u

/* Any number will do. */
#define RANDOM_SEED 13u

#define RANK_SCALE UINT64_C(1000000)

enum rule { RULE_WIDTH, RULE_EQUAL, RULE_TOTAL, RULE_COUNT };
/* How much of a rank is left to chance, in percent. */
static const uint32_t chance[RULE_COUNT] = {30, 100, 30};
/* The rules take turns; the one that is the best on most strips comes twice. */
static const enum rule turns[] = {RULE_TOTAL, RULE_WIDTH, RULE_TOTAL, RULE_EQUAL};
#define TURN_COUNT        (sizeof turns / sizeof turns[0])
#define UNDISTURBED_TRIES 2u

/* A capacity, and what has been spent on it. */
struct target {
    uint64_t capacity;
    uint64_t tries;
    uint64_t work;
};

struct solver {
    const struct strip *strip;
    struct strip_search *search;
    uint64_t *offsets;           /* the best layout */
    uint64_t *found;             /* the layout of a search */
    uint32_t *ranks[RULE_COUNT]; /* by rule and item, undisturbed: 1 to RANK_SCALE + 1 */
    uint32_t *rank;              /* of the next search */
    struct random random;
    struct strip_result result;
    struct effort *effort;
    uint64_t work_limit;
    uint64_t begin; /* of `work` */
    uint64_t tries;
    struct target bound;
    struct target between;
    uint64_t step; /* from the best layout to the target between */
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
    return solver->result.height <= solver->result.bound || solver->effort->work >= solver->work_limit;
}

/* Searches a layout for a target, once. */
static enum strip_answer search_target(struct solver *solver, struct target *target)
{
    const struct effort before = *solver->effort;
    uint64_t failure_limit = RESTART_FAILURES * luby(target->tries++ / TURN_COUNT + 1);
    make_rank(solver);
    solver->tries++;
    enum strip_answer answer = strip_search_run(solver->search, target->capacity, solver->rank, failure_limit,
                                                solver->work_limit - before.work, solver->found, solver->effort);
    target->work += solver->effort->work - before.work;
    if (answer == STRIP_FOUND) {
        keep_found(solver);
    }
    if (answer == STRIP_IMPOSSIBLE) {
        solver->result.bound = round_up(solver->strip, target->capacity + 1);
    }
    strip_tell(solver->strip, &before, solver->effort, solver->result.height);
    return answer;
}

/* ---- both targets ---- */

static void search_bound(struct solver *solver)
{
    if (solver->bound.capacity != solver->result.bound) {
        solver->bound = (struct target){.capacity = solver->result.bound};
    }
    search_target(solver, &solver->bound);
}

/* At most half of the way from the best layout to the bound. */
static void choose_step(struct solver *solver, uint64_t step)
{
    uint64_t unit = solver->strip->is_exact ? solver->strip->unit : 1;
    step = size_min(step, (solver->result.height - solver->result.bound) / 2);
    solver->step = size_max(step / unit * unit, unit);
    solver->between = (struct target){.capacity = solver->result.height - solver->step};
}

static void search_between(struct solver *solver)
{
    uint64_t spent = solver->effort->work - solver->begin;
    if (solver->between.work > PATIENCE_FIRST + spent / 100 * PATIENCE_PERCENT) {
        choose_step(solver, solver->step / 2);
    }
    enum strip_answer answer = search_target(solver, &solver->between);
    if (answer != STRIP_UNDECIDED) {
        choose_step(solver, answer == STRIP_FOUND ? 2 * solver->step : solver->step);
    }
}

static void search_in_turns(struct solver *solver)
{
    choose_step(solver, solver->result.height);
    while (!is_done(solver)) {
        uint64_t spent = solver->effort->work - solver->begin;
        uint64_t share = spent / 5 + size_min(spent / 10 * 7, BOUND_FIRST);
        bool is_bound = solver->result.bound == solver->strip->bound && solver->bound.work <= share;
        if (is_bound || solver->between.capacity <= solver->result.bound) {
            search_bound(solver);
        } else {
            search_between(solver);
        }
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

struct strip_result strip_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, struct effort *effort,
                                struct arena *arena)
{
    struct strip_result result = {.height = strip_height(strip, offsets), .bound = strip->bound};
    if (!strip->can_be_searched || result.height <= result.bound || effort->work >= work_limit) {
        return result;
    }
    struct arena_mark mark = arena_mark(arena);
    struct solver solver = solver_new(strip, offsets, arena);
    solver.result = result;
    solver.effort = effort;
    solver.work_limit = work_limit;
    if (jigsaw_solve(strip, solver.found, work_limit, effort, arena)) {
        keep_found(&solver);
    }
    solver.begin = effort->work;
    search_in_turns(&solver);
    result = solver.result;
    arena_rewind(arena, mark);
    return result;
}
