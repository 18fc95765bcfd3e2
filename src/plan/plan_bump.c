/* Persistent and constant arenas: one slot behind the other in the order of the requests, never reclaimed (REQ-PLN-045). */
#include "base/size.h"
#include "plan/plan_draft.h"

/* Adds a slot to the arena's end; returns its offset. */
static uint64_t bump(struct draft_arena *arena, const struct problem_memory *memory, const struct draft_slot *slot)
{
    uint64_t floor = size_max(memory->minimum_alignment, memory->arena_alignment);
    uint64_t alignment = size_max(slot->alignment, floor);
    uint64_t offset = size_align(arena->size, alignment);
    arena->exists = true;
    arena->size = offset + slot->size;
    arena->slot_alignment = size_max(arena->slot_alignment, alignment);
    return offset;
}

static void bump_role(struct draft *draft, enum tensor_role role)
{
    const struct problem *problem = draft->problem;
    for (size_t m = 0; m < problem->memory_count; m++) {
        *draft_arena(draft, role, (uint32_t)m) = (struct draft_arena){.source_memory = (uint32_t)m};
    }
    for (uint32_t i = 0; i < problem->request_count; i++) {
        struct draft_slot *slot = &draft->slots[i];
        if (!slot->is_root || slot->binding.role != role || slot->binding.memory == MEMORY_ANY) {
            continue;
        }
        struct draft_arena *arena = draft_arena(draft, role, slot->binding.memory);
        if (role != ROLE_CONSTANT || slot->binding.source_memory == UINT32_MAX) {
            slot->binding.source_memory = slot->binding.memory;
        }
        slot->binding.offset = bump(arena, &problem->memories[slot->binding.memory], slot);
        arena->source_memory = slot->binding.source_memory;
    }
}

/* The first memory of the preferred order that keeps its limit with the slot in it; the last one if none does. */
static uint32_t first_with_room(struct draft *draft, const struct draft_slot *slot, struct region_part *parts)
{
    const struct problem *problem = draft->problem;
    for (size_t k = 0; k < problem->order_count; k++) {
        uint32_t memory = problem->order[k];
        struct draft_arena *arena = draft_arena(draft, ROLE_PERSISTENT, memory);
        struct draft_arena before = *arena;
        (void)bump(arena, &problem->memories[memory], slot);
        if (region_parts_find(draft, memory, parts).end <= problem->memories[memory].limit) {
            return memory;
        }
        *arena = before;
    }
    uint32_t last = problem->order[problem->order_count - 1];
    (void)bump(draft_arena(draft, ROLE_PERSISTENT, last), &problem->memories[last], slot);
    return last;
}

void draft_bump(struct draft *draft)
{
    const struct problem *problem = draft->problem;
    bump_role(draft, ROLE_CONSTANT);
    /* Pinned tensors first: what may go anywhere takes the room that they leave. */
    bump_role(draft, ROLE_PERSISTENT);
    struct arena_mark mark = arena_mark(draft->scratch);
    struct region_part *parts = ARENA_ARRAY(draft->scratch, struct region_part, region_part_room(problem));
    for (uint32_t i = 0; i < problem->request_count; i++) {
        struct draft_slot *slot = &draft->slots[i];
        if (slot->is_root && slot->binding.role == ROLE_PERSISTENT && slot->binding.memory == MEMORY_ANY) {
            slot->binding.memory = first_with_room(draft, slot, parts);
        }
    }
    arena_rewind(draft->scratch, mark);
    /* Now that all memories are known, the offsets in the order of the requests. */
    bump_role(draft, ROLE_PERSISTENT);
}
