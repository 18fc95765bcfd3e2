/* Judges a layout, whoever made it. Sweeps over the operators with the slots that are alive kept in offset order: as long as they
 * are disjoint, a new one can only meet its two neighbours. */
#include "plan/planner.h"

#include <inttypes.h>

#include "base/size.h"
#include "placement/placement.h"
#include "plan/ordered_set.h"
#include "plan/planner_order.h"

struct referee {
    const struct scratch_problem *problem;
    const struct layout *layout;
    uint32_t *by_rank;       /* items by memory, offset, index */
    uint32_t *rank;          /* by item */
    struct ordered_set live; /* ranks */
};

static bool may_use(const struct scratch_problem *problem, const struct scratch_item *item, uint32_t memory)
{
    if (item->memory != MEMORY_ANY) {
        return item->memory == memory;
    }
    for (size_t i = 0; i < problem->order_count; i++) {
        if (problem->order[i] == memory) {
            return true;
        }
    }
    return false;
}

static const char *judge_slot(const struct scratch_problem *problem, uint32_t index, struct slot slot, struct arena *arena)
{
    const struct scratch_item *item = &problem->items[index];
    if (slot.memory >= problem->memory_count) {
        return arena_format(arena, "item %" PRIu32 " lies in memory %" PRIu32 " of %zu", index, slot.memory,
                            problem->memory_count);
    }
    if (!may_use(problem, item, slot.memory)) {
        return arena_format(arena, "item %" PRIu32 " lies in memory %" PRIu32 ", which it may not use", index, slot.memory);
    }
    uint64_t alignment = slot_alignment(item, &problem->memories[slot.memory]);
    if (alignment > 1 && slot.offset % alignment != 0) {
        return arena_format(arena, "item %" PRIu32 " lies at offset %" PRIu64 ", which is not a multiple of %" PRIu64, index,
                            slot.offset, alignment);
    }
    if (item->size > UINT64_MAX - slot.offset) {
        return arena_format(arena, "item %" PRIu32 " wraps around: offset %" PRIu64 ", size %" PRIu64, index, slot.offset,
                            item->size);
    }
    return NULL;
}

static const char *judge_slots(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    for (uint32_t i = 0; i < problem->item_count; i++) {
        const char *fault = judge_slot(problem, i, layout->slots[i], arena);
        if (fault != NULL) {
            return fault;
        }
    }
    return NULL;
}

static const char *judge_sums(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    bool fits = true;
    uint64_t *high = ARENA_ARRAY(arena, uint64_t, problem->memory_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct slot *slot = &layout->slots[i];
        high[slot->memory] = size_max(high[slot->memory], slot->offset + problem->items[i].size);
    }
    for (size_t m = 0; m < problem->memory_count; m++) {
        if (layout->used[m] != high[m]) {
            return arena_format(arena, "memory %zu is used up to %" PRIu64 ", the layout says %" PRIu64, m, high[m],
                                layout->used[m]);
        }
        fits = fits && high[m] <= problem->memories[m].limit;
    }
    if (layout->fits != fits) {
        return fits ? "the layout fits and says that it does not" : "the layout does not fit and says that it does";
    }
    return NULL;
}

static struct referee referee_new(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    struct referee referee = {
        .problem = problem,
        .layout = layout,
        .by_rank = order_by_place(problem, layout->slots, arena),
        .rank = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .live = ordered_set_new(arena, problem->item_count),
    };
    for (size_t i = 0; i < problem->item_count; i++) {
        referee.rank[referee.by_rank[i]] = (uint32_t)i;
    }
    return referee;
}

/* `lower` comes before `upper` in rank. */
static bool share_bytes(const struct referee *referee, uint32_t lower, uint32_t upper)
{
    const struct slot *low = &referee->layout->slots[lower];
    const struct slot *high = &referee->layout->slots[upper];
    return low->memory == high->memory && low->offset + referee->problem->items[lower].size > high->offset;
}

/* The live item that shares a byte with a new one, or UINT32_MAX. */
static uint32_t find_clash(const struct referee *referee, uint32_t item)
{
    uint32_t below = ordered_set_previous(&referee->live, referee->rank[item]);
    if (below != ORDERED_SET_NONE && share_bytes(referee, referee->by_rank[below], item)) {
        return referee->by_rank[below];
    }
    uint32_t above = ordered_set_next(&referee->live, referee->rank[item]);
    if (above != ORDERED_SET_NONE && share_bytes(referee, item, referee->by_rank[above])) {
        return referee->by_rank[above];
    }
    return UINT32_MAX;
}

static const char *judge_sharing(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    struct referee referee = referee_new(problem, layout, arena);
    const uint32_t *starts = order_by_start(problem, arena);
    const uint32_t *ends = order_by_end(problem, arena);
    for (size_t i = 0, ended = 0; i < problem->item_count; i++) {
        uint32_t item = starts[i];
        for (; problem->items[ends[ended]].end < problem->items[item].start; ended++) {
            ordered_set_remove(&referee.live, referee.rank[ends[ended]]);
        }
        if (problem->items[item].size == 0) {
            continue;
        }
        uint32_t other = find_clash(&referee, item);
        if (other != UINT32_MAX) {
            return arena_format(arena, "items %" PRIu32 " and %" PRIu32 " are alive together and share bytes",
                                other < item ? other : item, other < item ? item : other);
        }
        ordered_set_add(&referee.live, referee.rank[item]);
    }
    return NULL;
}

const char *referee_judge(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    const char *fault = judge_slots(problem, layout, arena);
    if (fault == NULL) {
        fault = judge_sums(problem, layout, arena);
    }
    if (fault == NULL) {
        fault = judge_sharing(problem, layout, arena);
    }
    return fault;
}
