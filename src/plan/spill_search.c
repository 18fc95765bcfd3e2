/* Complete search over the choice of memories.
 *
 * Free items are assigned one after the other, the largest first, each to the memories of the preferred order in turn. What is
 * assigned so far gives each memory a lower bound (the largest sum that is alive in a section); a branch is left when a bound
 * passes the memory's limit, or all together reach the best total. When everything is assigned, each memory is packed by itself.
 *
 * Before that, the load is split: items are moved until no memory has more alive at any time than its share, whatever the shares
 * may be, and what comes out is packed. Then single items are moved from memory to memory as long as this helps. For the complete
 * search starts far from the best choice when there are many items, and may not get there. */
#include "plan/spill.h"

#include "base/size.h"
#include "base/sort.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/strip.h"
#include "plan/strip_solve.h"
#include "plan/watch.h"

/* Work of packing one memory when a single item has moved. */
#define MOVE_WORK UINT64_C(100000)
/* Moves get this part of the work that is left. */
#define MOVE_SHARE 2u

struct spill {
    const struct scratch_problem *problem;
    struct arena *arena;
    struct strip all;     /* every item, for its sections */
    uint32_t *index_of;   /* by item: index in `all` */
    uint32_t *free_items; /* largest first */
    size_t free_count;
    size_t *choice;      /* by depth: next position in the preferred order */
    uint32_t *memory_of; /* by item */
    uint64_t *granule;   /* by memory: least slot alignment */
    uint64_t **load;     /* by memory and section: bytes alive, rounded to the granule */
    uint64_t **credit;   /* by memory and section: most that the topmost item may save, as nothing lies above it */
    uint64_t *lower;     /* by memory: lower bound from the load */
    struct layout *best;
    struct layout tried;
    uint64_t work_limit;
    struct effort *effort;
    bool is_complete; /* no packing was left undecided */
    bool is_least;    /* the best total is known to be the least: only ties are looked for */
};

/* ---- assignments and their bounds ---- */

static void add_work(struct spill *spill, uint64_t done)
{
    spill->effort->work += done;
    watch_work(spill->problem->watch, done);
}

static void update_lower(struct spill *spill, uint32_t memory)
{
    uint64_t highest = 0;
    for (size_t s = 0; s < spill->all.section_count; s++) {
        uint64_t load = spill->load[memory][s];
        highest = size_max(highest, load - size_min(load, spill->credit[memory][s]));
    }
    spill->lower[memory] = highest;
    add_work(spill, spill->all.section_count / 4 + 1);
}

static void assign(struct spill *spill, uint32_t item, uint32_t memory)
{
    const struct strip_item *interval = &spill->all.items[spill->index_of[item]];
    uint64_t size = size_align(spill->problem->items[item].size, spill->granule[memory]);
    for (uint32_t s = interval->first; s <= interval->last; s++) {
        spill->load[memory][s] += size;
    }
    spill->memory_of[item] = memory;
    update_lower(spill, memory);
}

static void withdraw(struct spill *spill, uint32_t item)
{
    uint32_t memory = spill->memory_of[item];
    const struct strip_item *interval = &spill->all.items[spill->index_of[item]];
    uint64_t size = size_align(spill->problem->items[item].size, spill->granule[memory]);
    for (uint32_t s = interval->first; s <= interval->last; s++) {
        spill->load[memory][s] -= size;
    }
    update_lower(spill, memory);
}

/* True if a layout with the best total may have more in the memories that are preferred. A memory has at most what the lower
 * bounds of the others leave of the total. */
static bool may_be_preferred(const struct spill *spill, uint64_t sum, uint64_t total)
{
    const struct scratch_problem *problem = spill->problem;
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t m = problem->order[k];
        uint64_t most = size_min(problem->memories[m].limit, spill->lower[m] + (total - sum));
        if (most != spill->best->used[m]) {
            return most > spill->best->used[m];
        }
    }
    return false;
}

/* True if what is assigned so far may lead to a lower total than the best, or to the first layout that fits; or, where no total
 * is lower, to a better split. */
static bool is_promising(const struct spill *spill)
{
    uint64_t sum = 0;
    for (size_t m = 0; m < spill->problem->memory_count; m++) {
        if (spill->lower[m] > spill->problem->memories[m].limit) {
            return false;
        }
        sum += spill->lower[m];
    }
    if (!spill->best->fits) {
        return true;
    }
    uint64_t total = layout_total(spill->problem, spill->best);
    return spill->is_least ? sum <= total && may_be_preferred(spill, sum, total) : sum < total;
}

/* ---- packing an assignment ---- */

static bool meet(const struct strip_item *a, const struct strip_item *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* A layout to start from: each item above all earlier ones that it meets. */
static void pile_up(const struct strip *strip, uint64_t *offsets)
{
    for (size_t i = 0; i < strip->item_count; i++) {
        uint64_t alignment = strip->items[i].alignment * strip->unit;
        offsets[i] = 0;
        for (size_t k = 0; k < i; k++) {
            if (meet(&strip->items[k], &strip->items[i])) {
                offsets[i] = size_max(offsets[i], offsets[k] + strip->items[k].size);
            }
        }
        offsets[i] = (offsets[i] + alignment - 1) / alignment * alignment;
    }
}

/* Returns true if the packing is proven to be as low as can be. */
static bool pack(struct spill *spill, uint32_t memory, uint64_t work_limit)
{
    struct arena_mark mark = arena_mark(spill->arena);
    struct strip strip = strip_new(spill->problem, spill->memory_of, memory, spill->arena);
    uint64_t *offsets = ARENA_ARRAY(spill->arena, uint64_t, strip.item_count);
    pile_up(&strip, offsets);
    struct strip_result result = strip_solve(&strip, offsets, work_limit, spill->effort, spill->arena);
    for (size_t i = 0; i < strip.item_count; i++) {
        spill->tried.slots[strip.sources[i]] = (struct slot){.memory = memory, .offset = offsets[i]};
    }
    add_work(spill, 4 * (strip.item_count + 4)); /* setting up, which is most of it where items are few */
    arena_rewind(spill->arena, mark);
    return strip.item_count == 0 || result.height <= result.bound;
}

/* Packs all memories and keeps the layout if it is better. True if it was. */
static bool try_assignment(struct spill *spill, uint64_t memory_work)
{
    const struct scratch_problem *problem = spill->problem;
    layout_copy(problem, spill->best, &spill->tried);
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        uint64_t end = size_min(spill->work_limit, spill->effort->work + memory_work);
        spill->is_complete = pack(spill, m, end) && spill->is_complete;
    }
    layout_measure(problem, &spill->tried);
    bool is_better = spill_compare(problem, &spill->tried, spill->best) < 0;
    if (is_better) {
        layout_copy(problem, &spill->tried, spill->best);
        watch_layout(problem->watch, problem, spill->best);
    }
    return is_better;
}

static void move_to(struct spill *spill, uint32_t item, uint32_t memory)
{
    withdraw(spill, item);
    assign(spill, item, memory);
}

/* ---- splitting the load ---- */

/* In preferred order, a memory's share is its limit less some percent, as no packing is perfect, and at most what the earlier
 * ones leave of the bound and of some percent more. The narrower the shares, the lower the total, if there is such a split and a
 * packing of it; at the end there is room to spare, so that it fits at all. */
static const struct share {
    uint32_t spared, added; /* percent */
} shares[] = {{2, 2}, {4, 4}, {3, 7}, {8, 15}, {25, 4}, {40, 8}, {5, 100}, {12, 100}};
#define SHARE_COUNT (sizeof shares / sizeof shares[0])
/* Each split gets this part of the work that is left, and as many passes over all items. */
#define SPLIT_SHARE 16u

static uint64_t *find_targets(struct spill *spill, const struct share *share)
{
    const struct scratch_problem *problem = spill->problem;
    uint64_t *targets = ARENA_ARRAY(spill->arena, uint64_t, problem->memory_count);
    uint64_t left = spill->all.bound / 100 * (100 + share->added);
    for (size_t k = 0; k < problem->order_count; k++) {
        uint64_t limit = problem->memories[problem->order[k]].limit;
        bool is_last = k + 1 == problem->order_count;
        uint64_t target = size_min(left, is_last ? limit : limit / 100 * (100 - share->spared));
        targets[problem->order[k]] = target;
        left -= target;
    }
    return targets;
}

static int64_t excess(uint64_t load, uint64_t target)
{
    return load > target ? (int64_t)(load - target) : 0;
}

/* What all sections together have above a target, if an item of a memory is there less what they have if it is not. */
static int64_t excess_with(const struct spill *spill, uint32_t item, uint32_t memory, uint64_t target)
{
    const struct strip_item *interval = &spill->all.items[spill->index_of[item]];
    uint64_t size = size_align(spill->problem->items[item].size, spill->granule[memory]);
    uint64_t there = spill->memory_of[item] == memory ? size : 0;
    int64_t sum = 0;
    for (uint32_t s = interval->first; s <= interval->last; s++) {
        uint64_t without = spill->load[memory][s] - there;
        sum += excess(without + size, target) - excess(without, target);
    }
    return sum;
}

/* One pass; true if an item has moved. */
static bool split_load(struct spill *spill, const uint64_t *targets)
{
    bool has_moved = false;
    for (size_t i = 0; i < spill->free_count; i++) {
        uint32_t item = spill->free_items[i];
        uint32_t best = spill->memory_of[item];
        int64_t least = excess_with(spill, item, best, targets[best]);
        for (size_t k = 0; k < spill->problem->order_count && least > 0; k++) {
            uint32_t memory = spill->problem->order[k];
            int64_t sum = excess_with(spill, item, memory, targets[memory]);
            best = sum < least ? memory : best;
            least = sum < least ? sum : least;
        }
        const struct strip_item *interval = &spill->all.items[spill->index_of[item]];
        add_work(spill, (interval->last - interval->first) / 2 + 1);
        if (best != spill->memory_of[item]) {
            move_to(spill, item, best);
            has_moved = true;
        }
    }
    return has_moved;
}

static void try_splits(struct spill *spill)
{
    uint64_t part = (spill->work_limit - size_min(spill->effort->work, spill->work_limit)) / SPLIT_SHARE;
    for (size_t k = 0; k < SHARE_COUNT && part > 0; k++) {
        struct arena_mark mark = arena_mark(spill->arena);
        const uint64_t *targets = find_targets(spill, &shares[k]);
        for (uint32_t pass = 0; pass < SPLIT_SHARE && split_load(spill, targets); pass++) {
            continue;
        }
        arena_rewind(spill->arena, mark);
        try_assignment(spill, part / spill->problem->memory_count);
    }
    for (size_t i = 0; i < spill->free_count; i++) {
        move_to(spill, spill->free_items[i], spill->best->slots[spill->free_items[i]].memory);
    }
}

/* ---- moving single items ---- */

/* Tries each free item in each other memory once; true if that helped. */
static bool move_once(struct spill *spill, uint64_t work_limit)
{
    bool has_helped = false;
    for (size_t i = 0; i < spill->free_count; i++) {
        uint32_t item = spill->free_items[i];
        for (size_t k = 0; k < spill->problem->order_count && spill->effort->work < work_limit; k++) {
            uint32_t old = spill->memory_of[item];
            if (spill->problem->order[k] == old) {
                continue;
            }
            move_to(spill, item, spill->problem->order[k]);
            if (is_promising(spill) && try_assignment(spill, MOVE_WORK)) {
                has_helped = true;
                continue;
            }
            move_to(spill, item, old);
        }
    }
    return has_helped;
}

/* ---- all assignments ---- */

/* Returns true if all assignments have been looked at. Free items are withdrawn when it starts. */
static bool assign_all(struct spill *spill)
{
    const struct scratch_problem *problem = spill->problem;
    size_t depth = 0;
    spill->choice[0] = 0;
    for (;;) {
        if (spill->effort->work >= spill->work_limit) {
            return false;
        }
        if (depth == spill->free_count) {
            try_assignment(spill, spill->work_limit);
        }
        if (depth == spill->free_count || spill->choice[depth] == problem->order_count) {
            if (depth == 0) {
                return true;
            }
            withdraw(spill, spill->free_items[--depth]);
            continue;
        }
        assign(spill, spill->free_items[depth], problem->order[spill->choice[depth]++]);
        spill->effort->nodes++;
        if (!is_promising(spill)) {
            withdraw(spill, spill->free_items[depth]);
            continue;
        }
        depth++;
        spill->choice[depth] = 0;
    }
}

/* ---- setting up ---- */

static int compare_sizes(const void *a, const void *b, const void *context)
{
    const struct scratch_item *items = context;
    return SORT_BY(items[*(const uint32_t *)b].size, items[*(const uint32_t *)a].size);
}

static bool may_hold(const struct scratch_item *item, uint32_t memory)
{
    return item->size > 0 && (item->memory == memory || item->memory == MEMORY_ANY);
}

static void add_credit(struct spill *spill, uint32_t memory, uint32_t item, uint64_t saved)
{
    const struct strip_item *interval = &spill->all.items[spill->index_of[item]];
    uint64_t *credit = spill->credit[memory];
    for (uint32_t s = interval->first; s <= interval->last; s++) {
        credit[s] = size_max(credit[s], saved);
    }
}

static void measure_memory(struct spill *spill, uint32_t memory)
{
    const struct scratch_problem *problem = spill->problem;
    uint64_t granule = UINT64_MAX;
    for (size_t i = 0; i < problem->item_count; i++) {
        if (may_hold(&problem->items[i], memory)) {
            granule = size_min(granule, size_max(slot_alignment(&problem->items[i], &problem->memories[memory]), 1));
        }
    }
    spill->granule[memory] = granule == UINT64_MAX ? 1 : granule;
    spill->load[memory] = ARENA_ARRAY(spill->arena, uint64_t, spill->all.section_count);
    spill->credit[memory] = ARENA_ARRAY(spill->arena, uint64_t, spill->all.section_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        uint64_t size = problem->items[i].size;
        if (may_hold(&problem->items[i], memory)) {
            add_credit(spill, memory, (uint32_t)i, size_align(size, spill->granule[memory]) - size);
        }
    }
}

/* Work areas for a problem whose layout so far is `layout`. */
static struct spill spill_new(const struct scratch_problem *problem, struct layout *layout, struct arena *arena)
{
    size_t items = problem->item_count;
    size_t memories = problem->memory_count;
    return (struct spill){
        .problem = problem,
        .arena = arena,
        .index_of = ARENA_ARRAY(arena, uint32_t, items),
        .free_items = ARENA_ARRAY(arena, uint32_t, items),
        .choice = ARENA_ARRAY(arena, size_t, items + 1),
        .memory_of = ARENA_ARRAY(arena, uint32_t, items),
        .granule = ARENA_ARRAY(arena, uint64_t, memories),
        .credit = ARENA_ARRAY(arena, uint64_t *, memories),
        .load = ARENA_ARRAY(arena, uint64_t *, memories),
        .lower = ARENA_ARRAY(arena, uint64_t, memories),
        .best = layout,
        .tried = layout_new(arena, problem),
    };
}

/* The sections of all items together. False if they would be too many for a search in some memory; fewer never are. */
static bool find_sections(struct spill *spill)
{
    const struct scratch_problem *problem = spill->problem;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        for (size_t i = 0; i < problem->item_count; i++) {
            spill->memory_of[i] = m;
        }
        spill->all = strip_new(problem, spill->memory_of, m, spill->arena);
        if (!spill->all.can_be_searched) {
            return false;
        }
    }
    for (uint32_t i = 0; i < spill->all.item_count; i++) {
        spill->index_of[spill->all.sources[i]] = i;
    }
    return true;
}

static void assign_as_laid_out(struct spill *spill)
{
    const struct scratch_problem *problem = spill->problem;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        measure_memory(spill, m);
    }
    for (uint32_t i = 0; i < problem->item_count; i++) {
        spill->memory_of[i] = spill->best->slots[i].memory;
        if (problem->items[i].size == 0) {
            continue;
        }
        assign(spill, i, spill->memory_of[i]);
        if (problem->items[i].memory == MEMORY_ANY) {
            spill->free_items[spill->free_count++] = i;
        }
    }
    sort_stable(spill->free_items, spill->free_count, sizeof *spill->free_items, compare_sizes, problem->items, spill->arena);
}

static bool search(struct spill *spill)
{
    try_splits(spill);
    uint64_t left = spill->work_limit - size_min(spill->effort->work, spill->work_limit);
    uint64_t move_limit = spill->effort->work + left / MOVE_SHARE;
    while (spill->effort->work < move_limit && move_once(spill, move_limit)) {
        continue;
    }
    for (size_t i = 0; i < spill->free_count; i++) {
        withdraw(spill, spill->free_items[i]);
    }
    spill->is_complete = true;
    return assign_all(spill) && spill->is_complete && spill->best->fits;
}

static bool search_from(const struct scratch_problem *problem, struct layout *layout, bool is_least, uint64_t work_limit,
                        struct effort *effort, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct spill spill = spill_new(problem, layout, arena);
    spill.effort = effort;
    spill.work_limit = work_limit;
    spill.is_least = is_least;
    bool is_proven = false;
    if (find_sections(&spill)) {
        assign_as_laid_out(&spill);
        is_proven = search(&spill);
    }
    arena_rewind(arena, mark);
    return is_proven;
}

bool spill_search(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena)
{
    return search_from(problem, layout, false, work_limit, effort, arena);
}

void spill_prefer(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena)
{
    (void)search_from(problem, layout, true, work_limit, effort, arena);
}
