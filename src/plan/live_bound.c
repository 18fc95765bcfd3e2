/* Lower bounds from what is alive at one operator.
 *
 * Let all slots of a memory be aligned to at least g. Take the items alive at one operator in order of offset: each but the
 * topmost is followed by another at a multiple of g, so it takes its size rounded up to g; the topmost takes its size alone.
 * Hence high-water mark >= sum of rounded sizes - waste of the topmost >= sum of rounded sizes - largest waste, where waste =
 * rounded size - size. Over k memories there are k topmost items, so for the total the k largest wastes are taken off. Rounding
 * each item to its own alignment would be wrong: above an item aligned to 32 another may follow at 16. */
#include "plan/live_bound.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/planner_order.h"

/* The items that count, and how. */
struct live_subset {
    const struct scratch_problem *problem;
    const bool *included; /* by item */
    uint64_t granule;     /* g */
    size_t memory_count;  /* k */
};

/* The wastes of what is alive, so that the sum of the k largest is at hand: a binary tree over all distinct places in the order
 * of waste, each node with the number and the sum of the live ones below it. */
struct waste_tree {
    uint32_t *leaf; /* by item */
    uint64_t *count;
    uint64_t *sum;
    size_t leaf_count;
};

static uint64_t waste(const struct live_subset *subset, uint32_t item)
{
    uint64_t size = subset->problem->items[item].size;
    return size_align(size, subset->granule) - size;
}

/* Falls as the waste grows. */
static uint64_t thrift(const void *subset, uint32_t item)
{
    return UINT64_MAX - waste(subset, item);
}

static struct waste_tree waste_tree_new(const struct live_subset *subset, struct arena *arena)
{
    size_t count = subset->problem->item_count;
    struct waste_tree tree = {.leaf = ARENA_ARRAY(arena, uint32_t, count), .leaf_count = 1};
    while (tree.leaf_count < count) {
        tree.leaf_count *= 2;
    }
    tree.count = ARENA_ARRAY(arena, uint64_t, 2 * tree.leaf_count);
    tree.sum = ARENA_ARRAY(arena, uint64_t, 2 * tree.leaf_count);
    const uint32_t *order = order_by_key(count, thrift, subset, arena);
    for (size_t i = 0; i < count; i++) {
        tree.leaf[order[i]] = (uint32_t)i;
    }
    return tree;
}

static void waste_tree_set(struct waste_tree *tree, uint32_t item, uint64_t count, uint64_t sum)
{
    size_t node = tree->leaf_count + tree->leaf[item];
    tree->count[node] = count;
    tree->sum[node] = sum;
    for (node /= 2; node > 0; node /= 2) {
        tree->count[node] = tree->count[2 * node] + tree->count[2 * node + 1];
        tree->sum[node] = tree->sum[2 * node] + tree->sum[2 * node + 1];
    }
}

/* The leaves lie largest waste first, so the k largest of the live ones are the first k. */
static uint64_t waste_tree_largest(const struct waste_tree *tree, size_t k)
{
    uint64_t sum = 0;
    size_t node = 1;
    while (node < tree->leaf_count && tree->count[node] > k) {
        node *= 2;
        if (tree->count[node] <= k) {
            k -= tree->count[node];
            sum += tree->sum[node];
            node++;
        }
    }
    return k == 0 ? sum : sum + tree->sum[node];
}

/* Sweeps over starts and ends; an item still lives at its last operator. */
static uint64_t largest_live(const struct live_subset *subset, struct arena *arena)
{
    const struct scratch_problem *problem = subset->problem;
    const uint32_t *starts = order_by_start(problem, arena);
    const uint32_t *ends = order_by_end(problem, arena);
    bool has_waste = false;
    for (uint32_t i = 0; i < problem->item_count; i++) {
        has_waste = has_waste || (subset->included[i] && waste(subset, i) > 0);
    }
    struct waste_tree tree = {0};
    if (has_waste) {
        tree = waste_tree_new(subset, arena);
    }
    uint64_t live = 0;
    uint64_t largest = 0;
    for (size_t i = 0, ended = 0; i < problem->item_count; i++) {
        uint32_t item = starts[i];
        for (; problem->items[ends[ended]].end < problem->items[item].start; ended++) {
            if (!subset->included[ends[ended]]) {
                continue;
            }
            live -= size_align(problem->items[ends[ended]].size, subset->granule);
            if (has_waste) {
                waste_tree_set(&tree, ends[ended], 0, 0);
            }
        }
        if (!subset->included[item]) {
            continue;
        }
        live += size_align(problem->items[item].size, subset->granule);
        if (has_waste) {
            waste_tree_set(&tree, item, 1, waste(subset, item));
        }
        uint64_t topmost = has_waste ? waste_tree_largest(&tree, subset->memory_count) : 0;
        largest = size_max(largest, live - topmost);
    }
    return largest;
}

/* The least alignment that any included item has in any of the memories that it may go to. */
static uint64_t common_alignment(const struct scratch_problem *problem, const bool *included, const bool *allowed)
{
    uint64_t granule = UINT64_MAX;
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct scratch_item *item = &problem->items[i];
        for (size_t m = 0; included[i] && m < problem->memory_count; m++) {
            if (allowed[m] && (item->memory == m || item->memory == MEMORY_ANY)) {
                granule = size_min(granule, slot_alignment(item, &problem->memories[m]));
            }
        }
    }
    return granule == UINT64_MAX ? 1 : granule;
}

/* True for the memories that some item may go to; counts them. */
static size_t mark_allowed(const struct scratch_problem *problem, bool *allowed)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct scratch_item *item = &problem->items[i];
        if (item->memory != MEMORY_ANY) {
            allowed[item->memory] = true;
        }
        for (size_t k = 0; item->memory == MEMORY_ANY && k < problem->order_count; k++) {
            allowed[problem->order[k]] = true;
        }
    }
    size_t count = 0;
    for (size_t m = 0; m < problem->memory_count; m++) {
        count += allowed[m];
    }
    return count;
}

static uint64_t live_in_memory(const struct scratch_problem *problem, const bool *included, uint32_t memory,
                               struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    bool *allowed = ARENA_ARRAY(scratch, bool, problem->memory_count);
    allowed[memory] = true;
    struct live_subset subset = {problem, included, common_alignment(problem, included, allowed), 1};
    uint64_t live = largest_live(&subset, scratch);
    arena_rewind(scratch, mark);
    return live;
}

uint64_t peak_live(const struct scratch_problem *problem, const struct slot *slots, uint32_t memory, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    bool *included = ARENA_ARRAY(scratch, bool, problem->item_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        included[i] = slots == NULL || slots[i].memory == memory;
    }
    struct live_subset subset = {problem, included, UINT64_MAX, 1};
    for (size_t i = 0; i < problem->item_count; i++) {
        if (included[i]) {
            subset.granule = size_min(subset.granule, slot_alignment(&problem->items[i], &problem->memories[memory]));
        }
    }
    uint64_t live = subset.granule == UINT64_MAX ? 0 : largest_live(&subset, scratch);
    arena_rewind(scratch, mark);
    return live;
}

uint64_t *forced_lower_bounds(const struct scratch_problem *problem, struct arena *arena)
{
    uint64_t *bounds = ARENA_ARRAY(arena, uint64_t, problem->memory_count);
    bool *included = ARENA_ARRAY(arena, bool, problem->item_count);
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        bool only_choice = problem->order_count == 1 && problem->order[0] == m;
        bool any = false;
        for (size_t i = 0; i < problem->item_count; i++) {
            included[i] = problem->items[i].memory == m || (problem->items[i].memory == MEMORY_ANY && only_choice);
            any = any || included[i];
        }
        bounds[m] = any ? live_in_memory(problem, included, m, arena) : 0;
    }
    return bounds;
}

uint64_t total_lower_bound(const struct scratch_problem *problem, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    bool *included = ARENA_ARRAY(scratch, bool, problem->item_count);
    bool *allowed = ARENA_ARRAY(scratch, bool, problem->memory_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        included[i] = true;
    }
    struct live_subset subset = {.problem = problem, .included = included, .memory_count = mark_allowed(problem, allowed)};
    subset.granule = common_alignment(problem, included, allowed);
    uint64_t anywhere = largest_live(&subset, scratch);
    /* Pins can make the memories peak at different operators; then the sum of their own bounds says more. */
    const uint64_t *forced = forced_lower_bounds(problem, scratch);
    uint64_t forced_sum = 0;
    for (size_t m = 0; m < problem->memory_count; m++) {
        forced_sum += forced[m];
    }
    arena_rewind(scratch, mark);
    return size_max(anywhere, forced_sum);
}
