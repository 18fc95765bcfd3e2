#include "plan/layout.h"

#include "base/size.h"

struct layout layout_new(struct arena *arena, const struct scratch_problem *problem)
{
    return (struct layout){
        .slots = ARENA_ARRAY(arena, struct slot, problem->item_count),
        .used = ARENA_ARRAY(arena, uint64_t, problem->memory_count),
        .fits = true,
    };
}

uint64_t layout_total(const struct scratch_problem *problem, const struct layout *layout)
{
    uint64_t total = 0;
    for (size_t i = 0; i < problem->memory_count; i++) {
        total += layout->used[i];
    }
    return total;
}

void layout_measure(const struct scratch_problem *problem, struct layout *layout)
{
    for (size_t i = 0; i < problem->memory_count; i++) {
        layout->used[i] = 0;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct slot *slot = &layout->slots[i];
        layout->used[slot->memory] = size_max(layout->used[slot->memory], slot->offset + problem->items[i].size);
    }
    layout->fits = true;
    for (size_t i = 0; i < problem->memory_count; i++) {
        layout->fits = layout->fits && layout->used[i] <= problem->memories[i].limit;
    }
}

void layout_copy(const struct scratch_problem *problem, const struct layout *from, struct layout *to)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        to->slots[i] = from->slots[i];
    }
    for (size_t i = 0; i < problem->memory_count; i++) {
        to->used[i] = from->used[i];
    }
    to->fits = from->fits;
}
