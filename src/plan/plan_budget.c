/* What a budget decides: scratch tensors that lie in later memories although there would be room, were it not for max_size.
 *
 * Each is looked at by itself and where the memory ends now, above everything that is there. So what is counted would fit for
 * sure; more might, if all were planned anew. */
#include "base/size.h"
#include "plan/plan_draft.h"

#define NO_RANK SIZE_MAX

/* The place of a memory in the preferred order. */
static size_t rank_of(const struct problem *problem, uint32_t memory)
{
    for (size_t k = 0; k < problem->order_count; k++) {
        if (problem->order[k] == memory) {
            return k;
        }
    }
    return NO_RANK;
}

static const struct arena_usage *find_scratch_arena(const struct memory_plan *plan, uint32_t memory)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == ROLE_SCRATCH && plan->arenas[i].memory == memory) {
            return &plan->arenas[i];
        }
    }
    return NULL;
}

/* Where the region would end with the slot on top of its scratch arena, which is the last of its parts. */
static uint64_t end_with(const struct draft *draft, const struct memory_plan *plan, const struct region_usage *region,
                         const struct draft_slot *slot)
{
    const struct problem_memory *memory = &draft->problem->memories[region->memory];
    const struct arena_usage *arena = find_scratch_arena(plan, region->memory);
    uint64_t base = arena == NULL ? region->used : arena->region_offset;
    uint64_t used = arena == NULL ? 0 : arena->used;
    uint64_t largest = size_max(slot->alignment, draft_arena(draft, ROLE_SCRATCH, region->memory)->slot_alignment);
    uint64_t alignment = base_alignment(memory, largest);
    return size_align(memory->origin + base, alignment) - memory->origin + size_align(used, alignment) + slot->size;
}

/* A root's request speaks for all that share its slot. */
static bool had_the_choice(const struct draft *draft, size_t request, size_t rank)
{
    const struct draft_slot *slot = &draft->slots[request];
    return slot->is_root && slot->binding.role == ROLE_SCRATCH && slot->size > 0 &&
           draft->problem->requests[request].memory == MEMORY_ANY && rank_of(draft->problem, slot->binding.memory) > rank;
}

static void count_kept_out(const struct draft *draft, const struct memory_plan *plan, struct region_usage *region)
{
    const struct problem *problem = draft->problem;
    const struct problem_memory *memory = &problem->memories[region->memory];
    size_t rank = rank_of(problem, region->memory);
    for (size_t r = 0; rank != NO_RANK && r < problem->request_count; r++) {
        if (!had_the_choice(draft, r, rank)) {
            continue;
        }
        uint64_t end = end_with(draft, plan, region, &draft->slots[r]);
        if (end > memory->limit && end <= memory->capacity) {
            region->kept_out += draft->slots[r].size;
            region->kept_out_count++;
        }
    }
}

void draft_budgets(const struct draft *draft, struct memory_plan *plan)
{
    for (size_t i = 0; i < plan->region_count; i++) {
        struct region_usage *region = &plan->regions[i];
        if (draft->problem->memories[region->memory].limit_is_budget) {
            count_kept_out(draft, plan, region);
        }
    }
}
