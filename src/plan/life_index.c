#include "plan/life_index.h"

#include "base/size.h"
#include "plan/planner_order.h"

/* Ranks in a leaf: short enough to look through, long enough to keep the tree small. */
#define BLOCK 8u

static void build_tree(struct life_index *index, struct arena *arena)
{
    index->leaf_count = 1;
    while (index->leaf_count * BLOCK < index->count) {
        index->leaf_count *= 2;
    }
    index->latest = ARENA_ARRAY(arena, uint32_t, 2 * index->leaf_count);
    for (size_t rank = 0; rank < index->count; rank++) {
        uint32_t *leaf = &index->latest[index->leaf_count + rank / BLOCK];
        *leaf = (uint32_t)size_max(*leaf, index->ends[rank]);
    }
    for (size_t node = index->leaf_count - 1; node > 0; node--) {
        index->latest[node] = (uint32_t)size_max(index->latest[2 * node], index->latest[2 * node + 1]);
    }
}

/* The items of the index, and for each item where it would begin among them. `starts`: all items in start order. */
static void rank_starts(struct life_index *index, const struct scratch_problem *problem, const bool *included,
                        const uint32_t *starts)
{
    uint32_t step_first = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        uint32_t item = starts[i];
        if (i == 0 || problem->items[item].start != problem->items[starts[i - 1]].start) {
            step_first = (uint32_t)index->count;
        }
        index->first[item] = step_first;
        if (included != NULL && !included[item]) {
            continue;
        }
        index->items[index->count] = item;
        index->ends[index->count++] = problem->items[item].end;
    }
}

/* Ends in order meet the starts in order, so one walk over both finds all ranks. */
static void rank_ends(struct life_index *index, const struct scratch_problem *problem, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *ends = order_by_end(problem, arena);
    uint32_t rank = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        while (rank < index->count && problem->items[index->items[rank]].start <= problem->items[ends[i]].end) {
            rank++;
        }
        index->after[ends[i]] = rank;
    }
    arena_rewind(arena, mark);
}

struct life_index life_index_new(const struct scratch_problem *problem, const bool *included, struct arena *arena)
{
    struct life_index index = {
        .items = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .ends = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .first = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .after = ARENA_ARRAY(arena, uint32_t, problem->item_count),
    };
    struct arena_mark mark = arena_mark(arena);
    rank_starts(&index, problem, included, order_by_start(problem, arena));
    arena_rewind(arena, mark);
    rank_ends(&index, problem, arena);
    build_tree(&index, arena);
    return index;
}

/* Those that start by the end of a life, less those that end before it starts. */
uint32_t *count_meetings(const struct scratch_problem *problem, struct arena *arena)
{
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *starts = order_by_start(problem, arena);
    const uint32_t *ends = order_by_end(problem, arena);
    uint32_t started = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        while (started < problem->item_count && problem->items[starts[started]].start <= problem->items[ends[i]].end) {
            started++;
        }
        counts[ends[i]] = started;
    }
    uint32_t ended = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        while (problem->items[ends[ended]].end < problem->items[starts[i]].start) {
            ended++;
        }
        counts[starts[i]] -= ended;
    }
    arena_rewind(arena, mark);
    return counts;
}

/* Items that started before `limit` (a rank) and still live at `step`. */
struct stab {
    const struct life_index *index;
    uint32_t limit;
    uint32_t step;
    uint32_t *found;
    size_t count;
};

static void stab_block(struct stab *stab, size_t first)
{
    size_t last = size_min(first + BLOCK, stab->limit);
    for (size_t rank = first; rank < last; rank++) {
        if (stab->index->ends[rank] >= stab->step) {
            stab->found[stab->count++] = stab->index->items[rank];
        }
    }
}

/* `first`: the first rank below `node`; `width`: how many leaves lie below it. */
static void stab_node(struct stab *stab, size_t node, size_t first, size_t width)
{
    if (first >= stab->limit || stab->index->latest[node] < stab->step) {
        return;
    }
    if (width == 1) {
        stab_block(stab, first);
        return;
    }
    stab_node(stab, 2 * node, first, width / 2);
    stab_node(stab, 2 * node + 1, first + width / 2 * BLOCK, width / 2);
}

size_t life_index_meeting(const struct life_index *index, const struct scratch_problem *problem, uint32_t item, uint32_t *found)
{
    struct stab stab = {.index = index, .limit = index->first[item], .step = problem->items[item].start, .found = found};
    stab_node(&stab, 1, 0, index->leaf_count);
    for (uint32_t rank = index->first[item]; rank < index->after[item]; rank++) {
        found[stab.count++] = index->items[rank];
    }
    return stab.count;
}
