#include "base/size.h"
#include "plan/plan_draft.h"

/* Placement names roots; following the chain costs nothing, and its length is bounded whatever it holds. */
static uint32_t find_root(const struct problem *problem, uint32_t request)
{
    for (size_t step = 0; step < problem->request_count && problem->requests[request].alias_of != UINT32_MAX; step++) {
        request = problem->requests[request].alias_of;
    }
    return request;
}

static void share_slot(struct draft_slot *slot, const struct request *request)
{
    if (slot->alignment == 0) {
        *slot = (struct draft_slot){.alignment = 1, .start_op = request->start_op, .end_op = request->end_op};
    }
    slot->size = size_max(slot->size, request->size);
    slot->alignment = size_max(slot->alignment, request->alignment);
    if (request->start_op < slot->start_op) {
        slot->start_op = request->start_op;
    }
    if (request->end_op > slot->end_op) {
        slot->end_op = request->end_op;
    }
}

struct draft draft_start(const struct problem *problem, struct arena *arena, struct arena *scratch)
{
    struct draft draft = {
        .problem = problem,
        .arena = arena,
        .scratch = scratch,
        .root = ARENA_ARRAY(scratch, uint32_t, problem->request_count),
        .slots = ARENA_ARRAY(scratch, struct draft_slot, problem->request_count),
        .arenas = ARENA_ARRAY(scratch, struct draft_arena, (size_t)ROLE_COUNT * problem->memory_count),
    };
    for (uint32_t i = 0; i < problem->request_count; i++) {
        uint32_t root = find_root(problem, i);
        draft.root[i] = root;
        share_slot(&draft.slots[root], &problem->requests[i]);
    }
    for (uint32_t i = 0; i < problem->request_count; i++) {
        struct draft_slot *slot = &draft.slots[draft.root[i]];
        const struct request *root = &problem->requests[draft.root[i]];
        slot->is_root = true;
        slot->binding = (struct tensor_binding){.role = root->role, .memory = root->memory, .source_memory = root->source_memory};
    }
    return draft;
}
