/* Best fit: each item goes into the smallest gap that holds it, in the first memory of the order that has one below its limit.
 *
 * A planner for HeliaPlacement, built outside its source tree: it includes the installed header and is linked with nothing.
 * docs/planners.md says what a planner may rely on. */
#include <helia_placement/planner.h>

#include <stdbool.h>
#include <stdlib.h>

enum { LARGEST_FIRST }; /* option numbers */

/* The work: which items lie in a memory so far, by offset. */
struct work {
    const struct helia_planner_problem *problem;
    struct helia_planner_slot *slots;
    uint32_t *placed; /* items, sorted by offset; those of all memories together */
    uint32_t placed_count;
};

struct ranked {
    uint64_t size;
    uint32_t start;
    uint32_t item;
    bool largest_first;
};

/* Total: the item's index is the last word, so that every sort gives the same order. */
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->largest_first && a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return a->item < b->item ? -1 : 1;
}

static uint64_t align_up(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

static uint64_t slot_alignment(const struct work *work, uint32_t item, uint32_t memory)
{
    uint64_t own = work->problem->items[item].alignment;
    uint64_t floor = work->problem->memories[memory].alignment;
    return own > floor ? own : floor;
}

static bool meet(const struct helia_planner_item *a, const struct helia_planner_item *b)
{
    return a->start <= b->end && b->start <= a->end;
}

/* The offset of the smallest gap that holds the item; above all others if there is none. */
static uint64_t best_offset(const struct work *work, uint32_t item, uint32_t memory)
{
    const struct helia_planner_item *items = work->problem->items;
    const uint64_t alignment = slot_alignment(work, item, memory);
    uint64_t top = 0; /* of those that were passed */
    uint64_t best = 0;
    uint64_t best_gap = UINT64_MAX;
    for (uint32_t i = 0; i < work->placed_count; i++) {
        const uint32_t other = work->placed[i];
        if (work->slots[other].memory != memory || items[other].size == 0 || !meet(&items[item], &items[other])) {
            continue;
        }
        const uint64_t start = align_up(top, alignment);
        const uint64_t end = work->slots[other].offset;
        if (end >= start && end - start >= items[item].size && end - top < best_gap) {
            best = start;
            best_gap = end - top;
        }
        if (end + items[other].size > top) {
            top = end + items[other].size;
        }
    }
    return best_gap != UINT64_MAX ? best : align_up(top, alignment);
}

static void place(struct work *work, uint32_t item, uint32_t memory, uint64_t offset)
{
    uint32_t position = work->placed_count++;
    work->slots[item] = (struct helia_planner_slot){.offset = offset, .memory = memory};
    for (; position > 0 && work->slots[work->placed[position - 1]].offset > offset; position--) {
        work->placed[position] = work->placed[position - 1];
    }
    work->placed[position] = item;
}

/* What fits nowhere lies where it would without limits: in its own memory, or in the last of the order. */
static void place_anywhere(struct work *work, uint32_t item)
{
    const struct helia_planner_problem *problem = work->problem;
    const uint32_t pinned = problem->items[item].memory;
    const bool is_free = pinned == HELIA_PLANNER_ANY_MEMORY;
    const uint32_t count = is_free ? problem->order_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t memory = is_free ? problem->order[i] : pinned;
        const uint64_t offset = best_offset(work, item, memory);
        if (i + 1 == count || offset + problem->items[item].size <= problem->memories[memory].limit) {
            place(work, item, memory, offset);
            return;
        }
    }
}

static int32_t solve(const struct helia_planner_host *host, const struct helia_planner_problem *problem, const uint64_t *options,
                     struct helia_planner_result *result)
{
    struct work work = {
        .problem = problem,
        .slots = result->slots,
        .placed = host->allocate(host, problem->item_count * sizeof(uint32_t)),
    };
    struct ranked *ranked = host->allocate(host, problem->item_count * sizeof *ranked);
    if (work.placed == NULL || ranked == NULL) {
        return HELIA_PLANNER_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < problem->item_count; i++) {
        ranked[i] = (struct ranked){problem->items[i].size, problem->items[i].start, i, options[LARGEST_FIRST] != 0};
    }
    qsort(ranked, problem->item_count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < problem->item_count; i++) {
        place_anywhere(&work, ranked[i].item);
    }
    return HELIA_PLANNER_DONE;
}

static const struct helia_planner_option best_fit_options[] = {
    [LARGEST_FIRST] =
        {
            .key = "largest_first",
            .help = "Place the largest tensor first, not the one whose life starts first.",
            .kind = HELIA_PLANNER_OPTION_BOOL,
        },
};

static const struct helia_planner best_fit = {
    .abi_version = HELIA_PLANNER_ABI_VERSION,
    .struct_size = sizeof(struct helia_planner),
    .name = "best_fit",
    .summary = "The smallest gap that holds the tensor, in the order in which lives start.",
    .options = best_fit_options,
    .option_count = sizeof best_fit_options / sizeof best_fit_options[0],
    .solve = solve,
};

const struct helia_planner *helia_placement_planner(uint32_t abi_version)
{
    return abi_version == HELIA_PLANNER_ABI_VERSION ? &best_fit : NULL;
}
