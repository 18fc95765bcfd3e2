#include "plan/life_index.h"

#include "base/size.h"
#include "plan/planner_order.h"

/* Ranks in a leaf: short enough to look through, long enough to keep the tree small. */
#define BLOCK 8u

/* The first rank whose start is at least `step`. */
static uint32_t first_rank_from(const struct life_index *index, const struct scratch_problem *problem, uint64_t step)
{
    size_t low = 0;
    size_t high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (problem->items[index->items[middle]].start < step)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void build_tree(struct life_index *index, struct arena *arena)
{
    index->leaf_count = 1;
    while (index->leaf_count * BLOCK < index->count)
        index->leaf_count *= 2;
    index->latest = ARENA_ARRAY(arena, uint32_t, 2 * index->leaf_count);
    for (size_t rank = 0; rank < index->count; rank++) {
        uint32_t *leaf = &index->latest[index->leaf_count + rank / BLOCK];
        *leaf = (uint32_t)size_max(*leaf, index->ends[rank]);
    }
    for (size_t node = index->leaf_count - 1; node > 0; node--)
        index->latest[node] = (uint32_t)size_max(index->latest[2 * node], index->latest[2 * node + 1]);
}

struct life_index life_index_new(const struct scratch_problem *problem, struct arena *arena)
{
    struct life_index index = {
        .count = problem->item_count,
        .items = order_by_start(problem, arena),
        .ends = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .first = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .after = ARENA_ARRAY(arena, uint32_t, problem->item_count),
    };
    for (size_t rank = 0; rank < index.count; rank++)
        index.ends[rank] = problem->items[index.items[rank]].end;
    for (size_t i = 0; i < index.count; i++) {
        index.first[i] = first_rank_from(&index, problem, problem->items[i].start);
        index.after[i] = first_rank_from(&index, problem, (uint64_t)problem->items[i].end + 1);
    }
    build_tree(&index, arena);
    return index;
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
        if (stab->index->ends[rank] >= stab->step)
            stab->found[stab->count++] = stab->index->items[rank];
    }
}

/* `first`: the first rank below `node`; `width`: how many leaves lie below it. */
static void stab_node(struct stab *stab, size_t node, size_t first, size_t width)
{
    if (first >= stab->limit || stab->index->latest[node] < stab->step)
        return;
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
    for (uint32_t rank = index->first[item]; rank < index->after[item]; rank++)
        found[stab.count++] = index->items[rank];
    return stab.count;
}
