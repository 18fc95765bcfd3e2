/* From the problem to the plan, step by step. */
#include "plan/plan.h"

#include <inttypes.h>

#include "base/size.h"
#include "plan/plan_draft.h"

static uint64_t largest_alignment(const struct problem *problem)
{
    uint64_t largest = ARENA_BASE_ALIGNMENT;
    for (size_t m = 0; m < problem->memory_count; m++) {
        largest = size_max(largest, size_max(problem->memories[m].minimum_alignment, problem->memories[m].arena_alignment));
    }
    return largest;
}

/* No offset can pass the sum of all sizes, each with its alignment. */
static bool check_sum(struct diagnostics *diagnostics, const struct problem *problem)
{
    uint64_t floor = largest_alignment(problem);
    uint64_t sum = 0;
    for (size_t i = 0; i < problem->request_count; i++) {
        const struct request *request = &problem->requests[i];
        bool within = size_add_checked(sum, request->size, &sum) &&
                      size_add_checked(sum, size_max(request->alignment, floor), &sum) && sum <= PLAN_BYTES_LIMIT;
        if (within) {
            continue;
        }
        diag_report(diagnostics, DIAG_PLAN_LIMIT, problem->model->tensors[request->tensor].span,
                    "with tensor '%s' the sizes add up to more than %" PRIu64 " bytes",
                    problem->model->tensors[request->tensor].id, PLAN_BYTES_LIMIT);
        return false;
    }
    return true;
}

static bool has_memory(const struct problem *problem, const struct request *request)
{
    if (request->memory < problem->memory_count) {
        return request->role != ROLE_CONSTANT || request->source_memory < problem->memory_count;
    }
    return request->memory == MEMORY_ANY && request->role != ROLE_CONSTANT && problem->order_count > 0;
}

static bool check_memories(struct diagnostics *diagnostics, const struct problem *problem)
{
    bool ok = true;
    for (size_t i = 0; i < problem->request_count; i++) {
        const struct request *request = &problem->requests[i];
        if (has_memory(problem, request)) {
            continue;
        }
        diag_report(diagnostics, DIAG_NO_MEMORY, problem->model->tensors[request->tensor].span,
                    "profile '%s' has no memory that %s tensor '%s' could be placed in", problem->profile->name,
                    role_names[request->role], problem->model->tensors[request->tensor].id);
        ok = false;
    }
    return ok;
}

static void list_allocations(const struct draft *draft, struct memory_plan *plan)
{
    const struct problem *problem = draft->problem;
    plan->allocations = ARENA_ARRAY(draft->arena, struct tensor_allocation, problem->request_count);
    plan->allocation_count = problem->request_count;
    for (uint32_t i = 0; i < problem->request_count; i++) {
        const struct draft_slot *slot = &draft->slots[draft->root[i]];
        plan->allocations[i] = (struct tensor_allocation){
            .tensor = problem->requests[i].tensor,
            .request = i,
            .alias_of = draft->root[i] == i ? UINT32_MAX : draft->root[i],
            .size = problem->requests[i].size,
            .binding = slot->binding,
            .start_op = slot->start_op,
            .end_op = slot->end_op,
        };
    }
}

static uint64_t constant_bytes(const struct memory_plan *plan)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == ROLE_CONSTANT) {
            sum += plan->arenas[i].total_size;
        }
    }
    return sum;
}

static bool check_problem(struct diagnostics *diagnostics, const struct problem *problem)
{
    bool ok = check_sum(diagnostics, problem);
    return check_memories(diagnostics, problem) && ok;
}

bool plan_make(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics, const struct problem *problem,
               const struct memory_plan **plan)
{
    const struct planner_set set = planner_set_built_in(arena);
    return plan_make_from(arena, scratch, diagnostics, &set, problem, NULL, plan);
}

bool plan_make_from(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics, const struct planner_set *set,
                    const struct problem *problem, const struct planner_observer *observer, const struct memory_plan **plan)
{
    const char *name = problem->planner != NULL ? problem->planner : default_planner;
    const struct planner *planner = planner_find(diagnostics, set, name, problem->planner_span);
    if (planner == NULL) {
        return false;
    }
    struct planner_options options = {0};
    if (!planner_options_decode(arena, diagnostics, planner, problem->planner_options, &options)) {
        (void)check_problem(diagnostics, problem); /* reported together */
        return false;
    }
    return plan_make_with(arena, scratch, diagnostics, problem, planner, &options, observer, plan);
}

bool plan_make_with(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics, const struct problem *problem,
                    const struct planner *planner, const struct planner_options *options, const struct planner_observer *observer,
                    const struct memory_plan **plan)
{
    if (!check_problem(diagnostics, problem)) {
        return false;
    }
    struct memory_plan *made = ARENA_NEW(arena, struct memory_plan);
    *made = (struct memory_plan){.problem = problem, .planner = planner, .options = *options};
    struct arena_mark mark = arena_mark(scratch);
    struct draft draft = draft_start(problem, arena, scratch);
    draft_bump(&draft);
    bool ok = draft_solve(&draft, diagnostics, observer, made);
    if (ok) {
        draft_regions(&draft, made);
        draft_budgets(&draft, made);
        list_allocations(&draft, made);
        made->model_weight_bytes = constant_bytes(made);
        plan_set_hashes(made, arena, scratch);
        *plan = made;
    }
    arena_rewind(scratch, mark);
    return ok;
}

const struct tensor_allocation *plan_get_allocation(const struct memory_plan *plan, const char *tensor_id)
{
    uint32_t tensor = model_find_tensor(plan->problem->model, tensor_id);
    size_t low = 0;
    size_t high = tensor == TENSOR_NONE ? 0 : plan->allocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->allocations[middle].tensor == tensor) {
            return &plan->allocations[middle];
        }
        if (plan->allocations[middle].tensor < tensor) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

uint64_t plan_gap(const struct memory_plan *plan)
{
    uint64_t total = 0;
    for (size_t i = 0; i < plan->arena_count; i++) {
        total += plan->arenas[i].role == ROLE_SCRATCH ? plan->arenas[i].used : 0;
    }
    return plan->proven_optimal || total < plan->lower_bound ? 0 : total - plan->lower_bound;
}
