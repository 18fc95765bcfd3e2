/* What the tests of planners share: scratch problems written as rows, and random ones from a seed. */
#ifndef TEST_PLAN_PLANNING_H
#define TEST_PLAN_PLANNING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "placement/placement.h"
#include "plan/planner.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Limits and orders live beside the problem. */
struct sample {
    struct arena arena;
    struct scratch_item *items;
    struct scratch_memory memories[8];
    uint32_t order[8];
    struct scratch_problem problem;
};

/* size, start, end; memory any, alignment 1 */
struct row {
    uint64_t size;
    uint32_t start, end;
};

static inline struct sample *sample_new(const struct row *rows, size_t count)
{
    struct sample *sample = calloc(1, sizeof *sample);
    sample->items = ARENA_ARRAY(&sample->arena, struct scratch_item, count);
    uint32_t steps = 1;
    for (size_t i = 0; i < count; i++) {
        sample->items[i] = (struct scratch_item){rows[i].size, rows[i].start, rows[i].end, MEMORY_ANY, 1};
        steps = rows[i].end >= steps ? rows[i].end + 1 : steps;
    }
    sample->problem = (struct scratch_problem){
        .items = sample->items,
        .item_count = count,
        .memories = sample->memories,
        .order = sample->order,
        .step_count = steps,
    };
    return sample;
}

/* Appends a memory, last in the preferred order. */
static inline void sample_memory(struct sample *sample, uint64_t limit, uint64_t alignment)
{
    sample->memories[sample->problem.memory_count] = (struct scratch_memory){limit, alignment};
    sample->order[sample->problem.order_count++] = (uint32_t)sample->problem.memory_count;
    sample->problem.memory_count++;
}

static inline void sample_free(struct sample *sample)
{
    arena_free(&sample->arena);
    free(sample);
}

static inline const struct planner *planner_named(const char *name)
{
    for (size_t i = 0; i < planner_count; i++) {
        if (strcmp(planners[i].name, name) == 0) {
            return &planners[i];
        }
    }
    fail_msg("no planner %s", name);
    return NULL;
}

struct solved {
    struct layout layout;
    struct planner_report report;
};

static inline struct solved solve_with(struct sample *sample, const struct planner *planner,
                                       const struct planner_options *options)
{
    struct solved solved = {.layout = layout_new(&sample->arena, &sample->problem)};
    struct arena work = {0};
    planner->solve(&sample->problem, options, &work, &solved.layout, &solved.report);
    const char *fault = referee_judge(&sample->problem, &solved.layout, &work);
    if (fault != NULL) {
        fail_msg("%s: %s", planner->name, fault);
    }
    arena_free(&work);
    return solved;
}

/* Work of complete search that a random problem gets: its default takes seconds where nothing can be proven. */
#define TEST_WORK 20000

/* The documented defaults of a planner's options, complete search held to `most_work`. */
static inline struct planner_options default_options(const struct planner *planner, uint64_t most_work)
{
    struct planner_options options = {{0}};
    for (size_t i = 0; i < planner->option_count; i++) {
        bool is_work = strcmp(planner->options[i].key, "max_work") == 0;
        options.values[i] = is_work ? size_min(planner->options[i].default_value, most_work) : planner->options[i].default_value;
    }
    return options;
}

static inline struct solved solve(struct sample *sample, const char *name)
{
    const struct planner *planner = planner_named(name);
    const struct planner_options options = default_options(planner, TEST_WORK);
    return solve_with(sample, planner, &options);
}

/* A generator that has nothing to do with the planners' own: Marsaglia's xorshift, 64 bits. */
struct dice {
    uint64_t state;
};
static inline uint64_t throw_dice(struct dice *dice, uint64_t sides)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return dice->state % sides;
}

/* One to four memories, pins, tight and loose limits, alignments of 1 to 64, empty items, short and long lives. */
static inline struct sample *random_sample(uint64_t seed)
{
    struct dice dice = {seed * UINT64_C(0x2545F4914F6CDD1D) + 88172645463325252u};
    for (int i = 0; i < 4; i++) {
        throw_dice(&dice, 2);
    }
    struct row rows[64];
    size_t count = throw_dice(&dice, COUNT_OF(rows));
    uint32_t steps = 1 + (uint32_t)throw_dice(&dice, 40);
    uint64_t sum = 0;
    uint64_t largest = throw_dice(&dice, 2) ? 64 : 4096;
    for (size_t i = 0; i < count; i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, steps);
        uint32_t length = (uint32_t)throw_dice(&dice, throw_dice(&dice, 4) == 0 ? steps : 4);
        uint32_t end = start + length < steps ? start + length : steps - 1;
        rows[i] = (struct row){throw_dice(&dice, 12) == 0 ? 0 : 1 + throw_dice(&dice, largest), start, end};
        sum += rows[i].size;
    }
    struct sample *sample = sample_new(rows, count);
    size_t memories = 1 + throw_dice(&dice, 4);
    for (size_t m = 0; m < memories; m++) {
        uint64_t limit = throw_dice(&dice, 3) == 0 ? UINT64_MAX / 2 : throw_dice(&dice, sum / (1 + throw_dice(&dice, 6)) + 2);
        sample_memory(sample, limit, UINT64_C(1) << throw_dice(&dice, 6));
    }
    /* A memory that only pins can name. */
    if (memories > 1 && throw_dice(&dice, 3) == 0) {
        sample->problem.order_count--;
    }
    for (size_t i = 0; i < count; i++) {
        sample->items[i].alignment = UINT64_C(1) << throw_dice(&dice, 7);
        if (throw_dice(&dice, 5) == 0) {
            sample->items[i].memory = (uint32_t)throw_dice(&dice, memories);
        }
    }
    return sample;
}

/* Up to 300 items: more than a planner looks at one by one. Lives are short, or of any length, or both; one to three memories. */
static inline struct sample *crowded_sample(uint64_t seed)
{
    struct dice dice = {seed * UINT64_C(0x9E3779B97F4A7C15) + 1181783497276652981u};
    for (int i = 0; i < 4; i++) {
        throw_dice(&dice, 2);
    }
    struct row rows[300];
    size_t count = 100 + throw_dice(&dice, COUNT_OF(rows) - 99);
    uint32_t steps = 1 + (uint32_t)throw_dice(&dice, 400);
    uint64_t long_lives = throw_dice(&dice, 3); /* none, one in ten, all */
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_long = long_lives == 2 || (long_lives == 1 && throw_dice(&dice, 10) == 0);
        uint32_t start = (uint32_t)throw_dice(&dice, steps);
        uint32_t end = start + (uint32_t)throw_dice(&dice, is_long ? steps : 5);
        rows[i] = (struct row){throw_dice(&dice, 20) == 0 ? 0 : 1 + throw_dice(&dice, 500), start, end < steps ? end : steps - 1};
        sum += rows[i].size;
    }
    struct sample *sample = sample_new(rows, count);
    size_t memories = 1 + throw_dice(&dice, 3);
    for (size_t m = 0; m < memories; m++) {
        sample_memory(sample, throw_dice(&dice, 2) ? UINT64_MAX / 2 : throw_dice(&dice, sum / 4 + 2), 1u << throw_dice(&dice, 5));
    }
    uint64_t alignments = 1 + throw_dice(&dice, 9);
    for (size_t i = 0; i < count; i++) {
        sample->items[i].alignment = UINT64_C(1) << throw_dice(&dice, alignments);
        if (throw_dice(&dice, 6) == 0) {
            sample->items[i].memory = (uint32_t)throw_dice(&dice, memories);
        }
    }
    return sample;
}

/* Sizes from 0 to 2^40, alignments to 2^20, lives of one operator, twins, pins on none, some or all, and limits from 0 to
 * endless: what no model has, and a planner must take. */
static inline uint64_t wide_size(struct dice *dice)
{
    uint64_t kind = throw_dice(dice, 10);
    return kind == 0 ? 0 : kind == 1 ? UINT64_C(1) << 40 : 1 + throw_dice(dice, UINT64_C(1) << throw_dice(dice, 41));
}

static inline void wide_memories(struct sample *sample, struct dice *dice, uint64_t sum, uint64_t alignments)
{
    size_t memories = 1 + throw_dice(dice, 4);
    for (size_t m = 0; m < memories; m++) {
        const uint64_t limits[] = {0, UINT64_MAX / 2, UINT64_MAX / 2, sum / (1 + throw_dice(dice, 6)), UINT64_C(1) << 40};
        sample_memory(sample, limits[throw_dice(dice, COUNT_OF(limits))], UINT64_C(1) << throw_dice(dice, alignments));
    }
    for (size_t k = memories; k > 1; k--) {
        size_t other = throw_dice(dice, k);
        uint32_t kept = sample->order[k - 1];
        sample->order[k - 1] = sample->order[other];
        sample->order[other] = kept;
    }
    sample->problem.order_count -= throw_dice(dice, 3) == 0 ? throw_dice(dice, memories) : 0;
}

static inline struct sample *wide_sample(uint64_t seed, size_t most_items)
{
    struct dice dice = {seed * UINT64_C(0xD1342543DE82EF95) + 2463534242u};
    for (int i = 0; i < 4; i++) {
        throw_dice(&dice, 2);
    }
    struct row rows[64];
    size_t count = throw_dice(&dice, most_items + 1);
    uint32_t steps = 1 + (uint32_t)throw_dice(&dice, 12);
    bool is_short = throw_dice(&dice, 4) == 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, steps);
        uint32_t end = is_short ? start : start + (uint32_t)throw_dice(&dice, steps - start);
        bool is_twin = i > 0 && throw_dice(&dice, 4) == 0;
        rows[i] = is_twin ? rows[throw_dice(&dice, i)] : (struct row){wide_size(&dice), start, end};
        sum += rows[i].size;
    }
    struct sample *sample = sample_new(rows, count);
    static const uint64_t alignment_choices[] = {1, 7, 21};
    uint64_t alignments = alignment_choices[throw_dice(&dice, COUNT_OF(alignment_choices))];
    wide_memories(sample, &dice, sum, alignments);
    uint64_t pinned = throw_dice(&dice, 3); /* none, some, all */
    for (size_t i = 0; i < count; i++) {
        sample->items[i].alignment = UINT64_C(1) << throw_dice(&dice, alignments);
        if (pinned == 2 || (pinned == 1 && throw_dice(&dice, 3) == 0)) {
            sample->items[i].memory = (uint32_t)throw_dice(&dice, sample->problem.memory_count);
        }
    }
    return sample;
}

/* Groups of a few dozen that live together and apart from the others, in small sizes: no item meets an eighth of all, and what is
 * in its way comes in any order. */
static inline struct sample *clustered_sample(uint64_t seed)
{
    enum { CLUSTERS = 10, MEMBERS = 28 };
    struct dice dice = {seed * UINT64_C(0x9E3779B97F4A7C15) + 7046029254386353131u};
    struct row rows[CLUSTERS * MEMBERS];
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t base = i % CLUSTERS * 100;
        uint32_t start = base + (uint32_t)throw_dice(&dice, 60);
        rows[i] = (struct row){1 + throw_dice(&dice, 9), start, (uint32_t)size_min(start + throw_dice(&dice, 60), base + 99)};
    }
    struct sample *sample = sample_new(rows, COUNT_OF(rows));
    sample_memory(sample, UINT64_MAX / 2, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        sample->items[i].alignment = UINT64_C(1) << throw_dice(&dice, 1 + seed % 3);
    }
    return sample;
}

/* Many of the one kind, and a few of the other, which are large. */
static inline struct sample *wide_or_clustered_sample(uint64_t seed)
{
    return seed < 1480 ? wide_sample(seed, 32) : clustered_sample(seed);
}

/* Loose and strict alignments in turn leave gaps that no lower bound knows of, so that hill_climb never stops by itself. */
static inline struct sample *endless_sample(uint64_t seed)
{
    struct row rows[48];
    struct dice dice = {seed};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, 30);
        rows[i] = (struct row){16 * (1 + throw_dice(&dice, 500)), start, start + (uint32_t)throw_dice(&dice, 10)};
    }
    struct sample *sample = sample_new(rows, COUNT_OF(rows));
    sample_memory(sample, UINT64_MAX / 2, 16);
    for (size_t i = 0; i < COUNT_OF(rows); i += 2) {
        sample->items[i].alignment = 1024;
    }
    return sample;
}

/* ---- first fit the old-fashioned way, to compare with: try 0 and the top of everything in the way, take the lowest that is free
 * ---- */

static inline bool reference_is_free(const struct scratch_problem *problem, const struct slot *slots, const bool *placed,
                                     size_t item, uint32_t memory, uint64_t offset)
{
    for (size_t other = 0; other < problem->item_count; other++) {
        const struct scratch_item *a = &problem->items[item];
        const struct scratch_item *b = &problem->items[other];
        if (!placed[other] || slots[other].memory != memory || a->size == 0 || b->size == 0) {
            continue;
        }
        bool together = a->start <= b->end && b->start <= a->end;
        if (together && offset < slots[other].offset + b->size && slots[other].offset < offset + a->size) {
            return false;
        }
    }
    return true;
}

static inline uint64_t reference_offset(const struct scratch_problem *problem, const struct slot *slots, const bool *placed,
                                        size_t item, uint32_t memory)
{
    uint64_t alignment = size_max(problem->items[item].alignment, problem->memories[memory].alignment_floor);
    uint64_t best = reference_is_free(problem, slots, placed, item, memory, 0) ? 0 : UINT64_MAX;
    for (size_t other = 0; other < problem->item_count; other++) {
        if (!placed[other] || slots[other].memory != memory) {
            continue;
        }
        uint64_t top = slots[other].offset + problem->items[other].size;
        uint64_t offset = (top + alignment - 1) / alignment * alignment;
        if (offset < best && reference_is_free(problem, slots, placed, item, memory, offset)) {
            best = offset;
        }
    }
    return best;
}

/* Places the items in an order; slots are written by item. */
static inline void reference_in_order(const struct scratch_problem *problem, const uint32_t *order, struct slot *slots)
{
    bool *placed = calloc(problem->item_count + 1, sizeof *placed);
    for (size_t position = 0; position < problem->item_count; position++) {
        uint32_t next = order[position];
        const struct scratch_item *item = &problem->items[next];
        size_t choices = item->memory == MEMORY_ANY ? problem->order_count : 1;
        for (size_t k = 0; k < choices; k++) {
            uint32_t memory = item->memory == MEMORY_ANY ? problem->order[k] : item->memory;
            slots[next] = (struct slot){memory, reference_offset(problem, slots, placed, next, memory)};
            if (slots[next].offset + item->size <= problem->memories[memory].limit) {
                break;
            }
        }
        placed[next] = true;
    }
    free(placed);
}

typedef bool comes_before_function(const struct scratch_item *, const struct scratch_item *);

/* Selection of the first, again and again. */
static inline void reference_order(const struct scratch_problem *problem, comes_before_function *comes_before, uint32_t *order)
{
    bool *chosen = calloc(problem->item_count + 1, sizeof *chosen);
    for (size_t position = 0; position < problem->item_count; position++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < problem->item_count; i++) {
            if (!chosen[i] && (next == SIZE_MAX || comes_before(&problem->items[i], &problem->items[next]))) {
                next = i;
            }
        }
        chosen[next] = true;
        order[position] = (uint32_t)next;
    }
    free(chosen);
}

/* Visits items as `comes_before` says. */
static inline void reference_first_fit(const struct scratch_problem *problem, comes_before_function *comes_before,
                                       struct slot *slots)
{
    uint32_t *order = calloc(problem->item_count + 1, sizeof *order);
    reference_order(problem, comes_before, order);
    reference_in_order(problem, order, slots);
    free(order);
}

static inline void assert_same_slots(const struct scratch_problem *problem, const struct slot *actual,
                                     const struct slot *expected, uint64_t seed)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        if (actual[i].memory != expected[i].memory || actual[i].offset != expected[i].offset) {
            fail_msg("seed %llu, item %zu: %u@%llu, expected %u@%llu", (unsigned long long)seed, i, actual[i].memory,
                     (unsigned long long)actual[i].offset, expected[i].memory, (unsigned long long)expected[i].offset);
        }
    }
}

/* First fit as the planner does it, on the problems of the seeds from 0. */
static inline void assert_reference_layouts(const char *planner, comes_before_function *comes_before,
                                            struct sample *(*make)(uint64_t seed), uint64_t seeds)
{
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct sample *sample = make(seed);
        struct slot *expected = ARENA_ARRAY(&sample->arena, struct slot, sample->problem.item_count);
        reference_first_fit(&sample->problem, comes_before, expected);
        assert_same_slots(&sample->problem, solve(sample, planner).layout.slots, expected, seed);
        sample_free(sample);
    }
}

/* All are alive together and come in the planner's order, so that each must stand on the one before. */
static inline void assert_one_pile(const char *planner, const struct row *rows, size_t count)
{
    struct sample *sample = sample_new(rows, count);
    sample_memory(sample, UINT64_MAX / 2, 1);
    struct solved solved = solve(sample, planner);
    uint64_t top = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(solved.layout.slots[i].offset, top);
        top += rows[i].size;
    }
    assert_int_equal(solved.layout.used[0], top);
    sample_free(sample);
}

/* Largest live sum, one operator after the other, sizes as they are: no layout can be below it. */
static inline uint64_t reference_live(const struct scratch_problem *problem, const struct slot *slots, uint32_t memory)
{
    uint64_t largest = 0;
    for (uint32_t step = 0; step < problem->step_count; step++) {
        uint64_t live = 0;
        for (size_t i = 0; i < problem->item_count; i++) {
            const struct scratch_item *item = &problem->items[i];
            if (item->start <= step && step <= item->end && (slots == NULL || slots[i].memory == memory)) {
                live += item->size;
            }
        }
        largest = size_max(largest, live);
    }
    return largest;
}

#endif
