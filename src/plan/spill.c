#include "plan/spill.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/strip.h"
#include "plan/strip_solve.h"

static bool is_free(const struct scratch_problem *problem, size_t item)
{
    return problem->items[item].memory == MEMORY_ANY && problem->items[item].size > 0 && problem->order_count > 1;
}

bool spill_has_choice(const struct scratch_problem *problem)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        if (is_free(problem, i)) {
            return true;
        }
    }
    return false;
}

static uint64_t excess(const struct scratch_problem *problem, const struct layout *layout)
{
    uint64_t sum = 0;
    for (size_t m = 0; m < problem->memory_count; m++) {
        sum += layout->used[m] - size_min(layout->used[m], problem->memories[m].limit);
    }
    return sum;
}

int spill_compare(const struct scratch_problem *problem, const struct layout *a, const struct layout *b)
{
    uint64_t excess_a = excess(problem, a);
    uint64_t excess_b = excess(problem, b);
    if (excess_a != excess_b) {
        return excess_a < excess_b ? -1 : 1;
    }
    uint64_t total_a = layout_total(problem, a);
    uint64_t total_b = layout_total(problem, b);
    if (total_a != total_b) {
        return total_a < total_b ? -1 : 1;
    }
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t m = problem->order[k];
        if (a->used[m] != b->used[m]) {
            return a->used[m] > b->used[m] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- packing with the memories given ---- */

static uint32_t *memories_of(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena)
{
    uint32_t *memory_of = ARENA_ARRAY(arena, uint32_t, problem->item_count);
    for (size_t i = 0; i < problem->item_count; i++) {
        memory_of[i] = layout->slots[i].memory;
    }
    return memory_of;
}

/* What the other memories take, if they fit. */
static uint64_t beside(const struct scratch_problem *problem, const struct layout *layout, uint32_t memory)
{
    uint64_t sum = 0;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        if (m != memory && layout->used[m] > problem->memories[m].limit) {
            return UINT64_MAX;
        }
        sum += m != memory ? layout->used[m] : 0;
    }
    return sum;
}

/* Packs one memory from the offsets that the layout has. Returns true if it is proven that it cannot be lower. */
static bool pack_memory(const struct scratch_problem *problem, const uint32_t *memory_of, uint32_t memory, struct layout *layout,
                        uint64_t work_limit, struct effort *effort, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct strip strip = strip_new(problem, memory_of, memory, arena);
    strip.beside = beside(problem, layout, memory);
    uint64_t *offsets = ARENA_ARRAY(arena, uint64_t, strip.item_count);
    for (size_t i = 0; i < strip.item_count; i++) {
        offsets[i] = layout->slots[strip.sources[i]].offset;
    }
    struct strip_result result = strip_solve(&strip, offsets, work_limit, effort, arena);
    for (size_t i = 0; i < strip.item_count; i++) {
        layout->slots[strip.sources[i]].offset = offsets[i];
    }
    bool is_proven = strip.item_count == 0 || (strip.can_be_searched && result.height <= result.bound);
    arena_rewind(arena, mark);
    return is_proven;
}

bool spill_repack(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, struct effort *effort,
                  struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *memory_of = memories_of(problem, layout, arena);
    bool is_proven = true;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        is_proven = pack_memory(problem, memory_of, m, layout, work_limit, effort, arena) && is_proven;
    }
    layout_measure(problem, layout);
    arena_rewind(arena, mark);
    return is_proven;
}
