/* The least totals of tiny problems by trying every order in every memory, and tiny problems to try. The oracle shares nothing
 * with the planners but their structs. */
#ifndef TEST_PLAN_ORACLE_H
#define TEST_PLAN_ORACLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "placement/placement.h"
#include "plan/planner.h"
#include "plan/random.h"

#define MOST_ITEMS    400
#define ORACLE_ITEMS  8
#define MOST_MEMORIES 3
#define NO_LAYOUT     UINT64_MAX

/* A random problem with the storage that it points to. */
struct made_problem {
    struct scratch_problem problem;
    struct scratch_item items[MOST_ITEMS];
    struct scratch_memory memories[MOST_MEMORIES];
    uint32_t order[MOST_MEMORIES];
};

static inline void finish(struct made_problem *made, size_t items, size_t memories)
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

static inline void make_items(struct made_problem *made, struct random *random, size_t count, uint32_t steps, uint64_t most,
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

/* Everything that may vary: one to three memories in any order, or only one of them for what is not pinned; limits that mostly
 * hurt; alignments of items and memories; empty items; pins. */
static inline void make_small(struct made_problem *made, struct random *random)
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
    uint32_t first = random_below(random, memories);
    made->order[0] = first;
    made->order[first] = 0;
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

/* Few lifetimes, so that many items have the same, a few sizes and alignments as large as they: what is decided by rounding. */
static inline void make_knotty(struct made_problem *made, struct random *random)
{
    *made = (struct made_problem){.memories = {{UINT64_C(1) << 50, 1}, {UINT64_C(1) << 50, 1}, {UINT64_C(1) << 50, 1}},
                                  .order = {0, 1, 2}};
    size_t count = 4 + random_below(random, ORACLE_ITEMS - 4);
    make_items(made, random, count, 1 + random_below(random, 5), 3 + random_below(random, 20), 1 + random_below(random, 3));
    uint32_t alignments = 1 + random_below(random, 6);
    for (size_t i = 0; i < count; i++) {
        made->items[i].alignment = UINT64_C(1) << random_below(random, alignments);
    }
    finish(made, count, 1);
}

/* ---- the oracle ---- */

struct oracle {
    const struct scratch_problem *problem;
    uint32_t memory;
    uint64_t offset[ORACLE_ITEMS];
    uint64_t height[1 << ORACLE_ITEMS]; /* by set of items: the least high-water mark */
};

static inline uint64_t oracle_round(const struct oracle *oracle, size_t item, uint64_t offset)
{
    uint64_t own = oracle->problem->items[item].alignment;
    uint64_t floor = oracle->problem->memories[oracle->memory].alignment_floor;
    uint64_t alignment = own > floor ? own : floor;
    return (offset + alignment - 1) / alignment * alignment;
}

static inline bool clash(const struct oracle *oracle, size_t a, size_t b, uint64_t offset)
{
    const struct scratch_item *first = &oracle->problem->items[a];
    const struct scratch_item *second = &oracle->problem->items[b];
    return first->size > 0 && second->size > 0 && first->start <= second->end && second->start <= first->end &&
           offset < oracle->offset[b] + second->size && oracle->offset[b] < offset + first->size;
}

/* Take any layout and place its items again, in the order of their offsets, each as low as those before it allow: none ends
 * higher than it was, as its old place is still free. Do so again until nothing moves: then each lies as low as those before it
 * allow, and none lower than the one before. So all orders with rising offsets reach the least high-water mark of each set. */
static inline void place_all_orders(struct oracle *oracle, uint32_t set, uint64_t lowest, uint64_t height)
{
    const struct scratch_problem *problem = oracle->problem;
    oracle->height[set] = height < oracle->height[set] ? height : oracle->height[set];
    for (size_t i = 0; i < problem->item_count; i++) {
        if (set & (UINT32_C(1) << i)) {
            continue;
        }
        uint64_t offset = 0;
        for (size_t k = 0; k < problem->item_count; k++) {
            if ((set & (UINT32_C(1) << k)) == 0 || !clash(oracle, i, k, offset)) {
                continue;
            }
            offset = oracle_round(oracle, i, oracle->offset[k] + problem->items[k].size);
            k = SIZE_MAX;
        }
        if (offset < lowest) {
            continue;
        }
        oracle->offset[i] = offset;
        uint64_t top = offset + problem->items[i].size;
        place_all_orders(oracle, set | (UINT32_C(1) << i), offset, height > top ? height : top);
    }
}

static inline void oracle_ask(struct oracle *oracle, const struct scratch_problem *problem, uint32_t memory)
{
    assert_in_range(problem->item_count, 0, ORACLE_ITEMS);
    oracle->problem = problem;
    oracle->memory = memory;
    for (size_t set = 0; set < (size_t)1 << ORACLE_ITEMS; set++) {
        oracle->height[set] = NO_LAYOUT;
    }
    place_all_orders(oracle, 0, 0, 0);
}

static inline bool may_go(const struct scratch_problem *problem, size_t item, uint32_t memory)
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

struct least {
    uint64_t total; /* NO_LAYOUT: nothing fits */
    uint64_t used[MOST_MEMORIES];
};

/* Reads `code` as a number with a digit an item: the memory that it goes to. False if some item may not go there. */
static inline bool read_choice(const struct scratch_problem *problem, uint64_t code, uint32_t *sets)
{
    for (size_t m = 0; m < problem->memory_count; m++) {
        sets[m] = 0;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        uint32_t memory = (uint32_t)(code % problem->memory_count);
        if (!may_go(problem, i, memory)) {
            return false;
        }
        sets[memory] |= UINT32_C(1) << i;
        code /= problem->memory_count;
    }
    return code == 0;
}

/* Of two with the same total, more in the memories that are preferred. */
static inline bool is_preferred(const struct scratch_problem *problem, const struct least *a, const struct least *b)
{
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t m = problem->order[k];
        if (a->used[m] != b->used[m]) {
            return a->used[m] > b->used[m];
        }
    }
    return false;
}

/* The least total of all choices of memories, within their limits or as if they had none, and of those that have it the one with
 * most in the memories that are preferred. */
static inline struct least least_total(const struct scratch_problem *problem, bool has_limits)
{
    struct oracle oracles[MOST_MEMORIES];
    uint64_t choices = 1;
    for (size_t i = 0; i < problem->item_count; i++) {
        choices *= problem->memory_count;
    }
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        oracle_ask(&oracles[m], problem, m);
    }
    struct least least = {.total = NO_LAYOUT};
    for (uint64_t code = 0; code < choices; code++) {
        uint32_t sets[MOST_MEMORIES];
        struct least choice = {0};
        bool is_allowed = read_choice(problem, code, sets);
        for (size_t m = 0; is_allowed && m < problem->memory_count; m++) {
            choice.used[m] = oracles[m].height[sets[m]];
            choice.total += choice.used[m];
            is_allowed = !has_limits || choice.used[m] <= problem->memories[m].limit;
        }
        bool is_better = choice.total < least.total || (choice.total == least.total && is_preferred(problem, &choice, &least));
        least = is_allowed && is_better ? choice : least;
    }
    return least;
}

/* No layout is below what is alive at one operator. */
static inline uint64_t most_alive(const struct scratch_problem *problem)
{
    uint64_t most = 0;
    for (uint32_t step = 0; step < problem->step_count; step++) {
        uint64_t alive = 0;
        for (size_t i = 0; i < problem->item_count; i++) {
            alive += problem->items[i].start <= step && step <= problem->items[i].end ? problem->items[i].size : 0;
        }
        most = alive > most ? alive : most;
    }
    return most;
}

#endif
