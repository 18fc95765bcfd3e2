#include "plan/life_index.h"

#include "base/size.h"
#include "plan/planner_order.h"

/* Ranks between checkpoints where little is alive. */
#define STRIDE 32u

/* Before the item of a rank: the ranks below that may be alive when it starts or, for lives that are not in the index, at any
 * step after its predecessor starts. */
struct checkpoint {
    uint32_t rank;
    uint32_t alive_count;
    size_t alive; /* where its list begins */
};

/* ---- checkpoints ---- */

struct sweep {
    struct life_index *index;
    const struct scratch_problem *problem;
    const bool *included;
    const uint32_t *ends; /* all items in the order in which they end */
    size_t end;           /* how many of them have ended */
    uint32_t ended;       /* how many of these are in the index */
    uint32_t count;       /* checkpoints */
};

static uint32_t start_of_rank(const struct sweep *sweep, uint32_t rank)
{
    return sweep->problem->items[sweep->index->items[rank]].start;
}

/* How many of the ranks below one have not ended when the last of them starts. */
static uint32_t count_alive(struct sweep *sweep, uint32_t rank)
{
    uint32_t step = start_of_rank(sweep, rank - 1);
    for (; sweep->problem->items[sweep->ends[sweep->end]].end < step; sweep->end++) {
        sweep->ended += sweep->included == NULL || sweep->included[sweep->ends[sweep->end]];
    }
    return rank - sweep->ended;
}

/* What is alive on the last list, and what has started since. */
static void add_checkpoint(struct sweep *sweep, uint32_t rank)
{
    struct life_index *index = sweep->index;
    const struct checkpoint *last = &index->checkpoints[sweep->count - 1];
    struct checkpoint *added = &index->checkpoints[sweep->count++];
    uint32_t step = start_of_rank(sweep, rank - 1);
    *added = (struct checkpoint){.rank = rank, .alive = last->alive + last->alive_count};
    uint32_t *alive = index->alive + added->alive;
    for (uint32_t i = 0; i < last->alive_count; i++) {
        uint32_t other = index->alive[last->alive + i];
        if (index->ends[other] >= step) {
            alive[added->alive_count++] = other;
        }
    }
    for (uint32_t other = last->rank; other < rank; other++) {
        if (index->ends[other] >= step) {
            alive[added->alive_count++] = other;
        }
    }
}

/* As many ranks lie between two checkpoints as the first one lists, so that all lists together are at most twice as long as the
 * index; and a list of which less than half is left is followed by a new one, which at most doubles that. */
static void build_checkpoints(struct life_index *index, const struct scratch_problem *problem, const bool *included,
                              struct arena *arena)
{
    index->checkpoints = ARENA_ARRAY(arena, struct checkpoint, index->count + 1);
    index->checkpoint = ARENA_ARRAY(arena, uint32_t, index->count + 1);
    index->alive = ARENA_ARRAY(arena, uint32_t, 4 * index->count);
    struct arena_mark mark = arena_mark(arena);
    struct sweep sweep = {index, problem, included, order_by_end(problem, arena), 0, 0, 1};
    for (uint32_t rank = 1; rank <= index->count; rank++) {
        const struct checkpoint *last = &index->checkpoints[sweep.count - 1];
        uint32_t alive = count_alive(&sweep, rank);
        if (rank - last->rank >= size_max(STRIDE, last->alive_count) || last->alive_count > 2 * alive + STRIDE) {
            add_checkpoint(&sweep, rank);
        }
        index->checkpoint[rank] = sweep.count - 1;
    }
    arena_rewind(arena, mark);
}

/* ---- ranks ---- */

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
    build_checkpoints(&index, problem, included, arena);
    return index;
}

/* ---- meetings ---- */

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

size_t life_index_meeting(const struct life_index *index, const struct scratch_problem *problem, uint32_t item, uint32_t *found)
{
    uint32_t step = problem->items[item].start;
    uint32_t first = index->first[item];
    const struct checkpoint *checkpoint = &index->checkpoints[index->checkpoint[first]];
    const uint32_t *alive = index->alive + checkpoint->alive;
    size_t count = 0;
    /* Each is written and those alive are counted, which is faster than to branch on what is as good as random. */
    for (uint32_t i = 0; i < checkpoint->alive_count; i++) {
        found[count] = index->items[alive[i]];
        count += index->ends[alive[i]] >= step;
    }
    for (uint32_t rank = checkpoint->rank; rank < first; rank++) {
        found[count] = index->items[rank];
        count += index->ends[rank] >= step;
    }
    for (uint32_t rank = first; rank < index->after[item]; rank++) {
        found[count++] = index->items[rank];
    }
    return count;
}
