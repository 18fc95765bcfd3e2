#include "plan/strip.h"

#include "base/size.h"
#include "plan/planner_order.h"
#include "plan/watch.h"

/* Beyond these the search would take more memory or time than it is worth. */
#define MOST_ITEMS    4000u
#define MOST_SECTIONS 4000u
#define MOST_UNITS    (UINT32_C(1) << 30)

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Offsets are sums of sizes, rounded up to alignments. If every alignment divides every size, nothing is ever rounded and the
 * sizes' common divisor is the unit; else it is the least alignment. */
static void choose_unit(struct strip *strip, const struct scratch_problem *problem, const struct scratch_memory *memory)
{
    uint64_t divisor = 0;
    uint64_t least = UINT64_MAX;
    uint64_t most = 1;
    for (size_t i = 0; i < strip->item_count; i++) {
        const struct scratch_item *item = &problem->items[strip->sources[i]];
        uint64_t alignment = size_max(slot_alignment(item, memory), 1);
        divisor = common_divisor(divisor, item->size);
        least = size_min(least, alignment);
        most = size_max(most, alignment);
    }
    strip->is_exact = divisor % most == 0 || (least != UINT64_MAX && divisor % least == 0);
    strip->unit = divisor % most == 0 ? divisor : least;
    strip->has_alignment = divisor % most != 0 && most > least;
    if (strip->item_count == 0) {
        strip->unit = 1;
    }
}

static bool belongs(const struct scratch_problem *problem, const uint32_t *memory_of, uint32_t memory, uint32_t item)
{
    return memory_of[item] == memory && problem->items[item].size > 0;
}

/* Sweeps over starts: a section is complete when a life has ended since the last start. */
static void cut_sections(struct strip *strip, const struct scratch_problem *problem, const uint32_t *index_of,
                         const uint32_t *ends, size_t end_count)
{
    uint32_t section = 0;
    size_t ended = 0;
    for (size_t i = 0; i < strip->item_count; i++) {
        uint32_t start = problem->items[strip->sources[i]].start;
        size_t before = ended;
        for (; ended < end_count && problem->items[ends[ended]].end < start; ended++) {
            strip->items[index_of[ends[ended]]].last = section;
        }
        section += ended > before;
        strip->items[i].size = problem->items[strip->sources[i]].size;
        strip->items[i].first = section;
    }
    for (; ended < end_count; ended++) {
        strip->items[index_of[ends[ended]]].last = section;
    }
    strip->section_count = strip->item_count == 0 ? 0 : section + (size_t)1;
}

static void sum_sections(struct strip *strip, struct arena *arena)
{
    strip->total = ARENA_ARRAY(arena, uint64_t, strip->section_count + 1);
    strip->credit = ARENA_ARRAY(arena, uint64_t, strip->section_count);
    for (size_t i = 0; i < strip->item_count; i++) {
        const struct strip_item *item = &strip->items[i];
        strip->total[item->first] += item->height;
        strip->total[item->last + 1] -= item->height; /* wraps, and is made good by the sum below */
    }
    for (size_t s = 1; s <= strip->section_count; s++) {
        strip->total[s] += strip->total[s - 1];
    }
    for (size_t i = 0; i < strip->item_count && !strip->is_exact; i++) {
        const struct strip_item *item = &strip->items[i];
        for (uint32_t s = item->first; s <= item->last; s++) {
            strip->credit[s] = size_max(strip->credit[s], item->height * strip->unit - item->size);
        }
    }
    for (size_t s = 0; s < strip->section_count; s++) {
        strip->bound = size_max(strip->bound, strip->total[s] * strip->unit - strip->credit[s]);
    }
}

static void measure_items(struct strip *strip, const struct scratch_problem *problem, const struct scratch_memory *memory)
{
    for (size_t i = 0; i < strip->item_count; i++) {
        const struct scratch_item *source = &problem->items[strip->sources[i]];
        struct strip_item *item = &strip->items[i];
        item->height = (uint32_t)((source->size + strip->unit - 1) / strip->unit);
        item->alignment = 1;
        strip->widths[i] = (uint32_t)size_min((uint64_t)source->end - source->start + 1, UINT32_MAX);
        if (strip->has_alignment) {
            item->alignment = (uint32_t)size_min(size_max(slot_alignment(source, memory), 1) / strip->unit, MOST_UNITS);
        }
    }
}

static bool is_small(const struct strip *strip, const struct scratch_problem *problem, const struct scratch_memory *memory)
{
    uint64_t units = 0;
    for (size_t i = 0; i < strip->item_count; i++) {
        const struct scratch_item *item = &problem->items[strip->sources[i]];
        units += (item->size + slot_alignment(item, memory)) / strip->unit + 1;
    }
    return strip->item_count <= MOST_ITEMS && strip->section_count <= MOST_SECTIONS && units <= MOST_UNITS;
}

struct strip strip_new(const struct scratch_problem *problem, const uint32_t *memory_of, uint32_t memory, struct arena *arena)
{
    struct strip strip = {.watch = problem->watch, .limit = problem->memories[memory].limit, .beside = UINT64_MAX};
    const uint32_t *starts = order_by_start(problem, arena);
    uint32_t *ends = order_by_end(problem, arena);
    uint32_t *index_of = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    strip.sources = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    size_t end_count = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        if (belongs(problem, memory_of, memory, ends[i])) {
            ends[end_count++] = ends[i];
        }
        if (!belongs(problem, memory_of, memory, starts[i])) {
            continue;
        }
        index_of[starts[i]] = (uint32_t)strip.item_count;
        strip.sources[strip.item_count++] = starts[i];
    }
    strip.items = ARENA_ARRAY(arena, struct strip_item, strip.item_count);
    strip.widths = ARENA_ARRAY(arena, uint32_t, strip.item_count);
    choose_unit(&strip, problem, &problem->memories[memory]);
    cut_sections(&strip, problem, index_of, ends, end_count);
    strip.can_be_searched = is_small(&strip, problem, &problem->memories[memory]);
    if (!strip.can_be_searched) {
        return strip;
    }
    measure_items(&strip, problem, &problem->memories[memory]);
    sum_sections(&strip, arena);
    return strip;
}

void strip_tell(const struct strip *strip, const struct effort *before, const struct effort *now, uint64_t height)
{
    watch_effort(strip->watch, before, now);
    if (strip->beside != UINT64_MAX && height <= strip->limit) {
        watch_total(strip->watch, strip->beside + height);
    }
}

uint64_t strip_height(const struct strip *strip, const uint64_t *offsets)
{
    uint64_t height = 0;
    for (size_t i = 0; i < strip->item_count; i++) {
        height = size_max(height, offsets[i] + strip->items[i].size);
    }
    return height;
}
