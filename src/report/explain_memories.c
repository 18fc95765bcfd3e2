/* What each other memory would have said to a tensor, with everything else left where it is.
 *
 * A plan with the tensor there might look different, since a planner would rearrange the rest; this is the answer for the plan
 * that is there. Where the growth of an arena moves the ones behind it, it is rounded up to the largest base alignment in the
 * memory, so that "fits" is never said wrongly. */
#include "base/size.h"
#include "base/sort.h"
#include "plan/plan.h"
#include "report/explain.h"

const char *const verdict_names[] = {
    [VERDICT_FITS] = "fits",
    [VERDICT_OVER] = "over",
    [VERDICT_NOT_WRITABLE] = "not-writable",
    [VERDICT_FOR_CODE] = "for-code",
    [VERDICT_OTHER_SOURCE] = "other-source",
};

struct question {
    const struct memory_plan *plan;
    const struct slot_table *slots;
    const struct tensor_explanation *explained;
    uint32_t memory;
    uint64_t alignment; /* of the slot there */
};

/* The lowest place among the slots of the arena that are alive at the same time; they come by offset. */
static uint64_t first_fit(const struct question *question, uint32_t arena_id)
{
    const struct owned_slot *slot = question->explained->slot;
    uint64_t offset = 0;
    for (size_t i = question->slots->first[arena_id]; i < question->slots->first[arena_id + 1]; i++) {
        const struct owned_slot *other = &question->slots->items[i];
        if (other->end_op < slot->start_op || other->start_op > slot->end_op) {
            continue;
        }
        if (offset + slot->size <= other->offset) {
            break;
        }
        offset = size_max(offset, size_align(other->offset + other->size, question->alignment));
    }
    return offset;
}

/* Scratch arenas come last in a memory: nothing behind them moves. */
static uint64_t used_with_scratch(const struct question *question, uint32_t arena_id)
{
    const struct memory_plan *plan = question->plan;
    const uint64_t origin = plan->problem->memories[question->memory].origin;
    const uint64_t base_alignment = size_max(question->alignment, ARENA_BASE_ALIGNMENT);
    uint64_t high = question->explained->slot->size;
    uint64_t base = plan->regions[question->memory].used;
    if (arena_id != UINT32_MAX) {
        const struct arena_usage *arena = &plan->arenas[arena_id];
        high = size_max(arena->used, first_fit(question, arena_id) + high);
        base = arena->region_offset;
    }
    return size_align(origin + base, base_alignment) - origin + high;
}

static uint64_t largest_base_alignment(const struct question *question)
{
    uint64_t largest = size_max(question->alignment, ARENA_BASE_ALIGNMENT);
    for (size_t i = 0; i < question->plan->arena_count; i++) {
        const struct arena_usage *arena = &question->plan->arenas[i];
        if (arena->memory == question->memory || arena->source_memory == question->memory) {
            largest = size_max(largest, arena->alignment);
        }
    }
    return largest;
}

static uint64_t used_with_bumped(const struct question *question, uint32_t arena_id)
{
    const uint64_t size = question->explained->slot->size;
    uint64_t growth = size;
    if (arena_id != UINT32_MAX) {
        const uint64_t used = question->plan->arenas[arena_id].used;
        growth = size_align(used, question->alignment) + size - used;
    }
    return question->plan->regions[question->memory].used + size_align(growth, largest_base_alignment(question));
}

static struct verdict judge_room(const struct question *question, struct verdict verdict)
{
    const struct problem_memory *memory = &question->plan->problem->memories[question->memory];
    const enum tensor_role role = question->explained->request->role;
    const uint32_t arena_id = plan_find_arena(question->plan, role, question->memory);
    const uint64_t used = role == ROLE_SCRATCH ? used_with_scratch(question, arena_id) : used_with_bumped(question, arena_id);
    verdict.kind = used <= memory->limit ? VERDICT_FITS : VERDICT_OVER;
    verdict.bytes = used <= memory->limit ? memory->limit - used : used - memory->limit;
    verdict.is_budget = memory->limit_is_budget;
    return verdict;
}

/* Constants could be read in place there or be copied there; an arena that is there already has settled which. */
static bool has_other_source(const struct question *question, const char **source)
{
    const uint32_t arena_id = plan_find_arena(question->plan, ROLE_CONSTANT, question->memory);
    if (question->explained->request->role != ROLE_CONSTANT || arena_id == UINT32_MAX) {
        return false;
    }
    const uint32_t theirs = question->plan->arenas[arena_id].source_memory;
    *source = question->plan->problem->memories[theirs].name;
    return theirs != question->memory && theirs != question->explained->allocation->binding.source_memory;
}

static bool is_open(const struct problem *problem, uint32_t memory)
{
    for (size_t i = 0; i < problem->order_count; i++) {
        if (problem->order[i] == memory) {
            return true;
        }
    }
    return problem->memories[memory].tier != TIER_EXTERNAL;
}

static struct verdict judge(const struct question *question)
{
    const struct problem *problem = question->plan->problem;
    const struct problem_memory *memory = &problem->memories[question->memory];
    const struct region *region = &problem->soc->regions[memory->region];
    struct verdict verdict = {.memory = question->memory, .must_be_asked_for = !is_open(problem, question->memory)};
    if (!region->data && !region->holds_image) {
        verdict.kind = VERDICT_FOR_CODE;
        return verdict;
    }
    /* Constants can stand in memory that holds load images; anything else is written at run time. */
    if (!memory->writable && !(question->explained->request->role == ROLE_CONSTANT && memory->holds_image)) {
        verdict.kind = VERDICT_NOT_WRITABLE;
        return verdict;
    }
    if (has_other_source(question, &verdict.source)) {
        verdict.kind = VERDICT_OTHER_SOURCE;
        return verdict;
    }
    return judge_room(question, verdict);
}

void explain_memories(struct arena *arena, const struct memory_plan *plan, const struct slot_table *slots,
                      struct tensor_explanation *explained)
{
    const struct problem *problem = plan->problem;
    explained->verdicts = ARENA_ARRAY(arena, struct verdict, problem->memory_count);
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        if (m == explained->allocation->binding.memory) {
            continue;
        }
        const struct problem_memory *memory = &problem->memories[m];
        const uint64_t floor = size_max(memory->minimum_alignment, memory->arena_alignment);
        const struct question question = {plan, slots, explained, m, size_max(explained->slot->alignment, floor)};
        explained->verdicts[explained->verdict_count++] = judge(&question);
    }
}
