/* The canonical text of a plan. What is not in it does not change the hash: paths, prefix, the planner's name, where a rule was
 * written. Names from models may hold any character, so each comes with its length in front. */
#include <inttypes.h>
#include <string.h>

#include "plan/plan.h"

static void add_name(struct text *out, const char *name)
{
    text_print(out, "%zu:%s", strlen(name), name);
}

static void add_windows(const struct problem *problem, struct text *out)
{
    text_add(out, "soc ");
    add_name(out, problem->soc->name);
    text_add(out, " profile ");
    add_name(out, problem->profile->name);
    text_add_char(out, '\n');
    for (size_t m = 0; m < problem->memory_count; m++) {
        const struct problem_memory *memory = &problem->memories[m];
        text_add(out, "memory ");
        add_name(out, memory->name);
        text_print(out,
                   " origin %" PRIu64 " capacity %" PRIu64 " limit %" PRIu64 " alignment %" PRIu64 " arena_alignment %" PRIu64,
                   memory->origin, memory->capacity, memory->limit, memory->minimum_alignment, memory->arena_alignment);
        text_add_char(out, '\n');
    }
}

static void add_memory(const struct problem *problem, uint32_t memory, struct text *out)
{
    if (memory < problem->memory_count) {
        add_name(out, problem->memories[memory].name);
    } else {
        text_add(out, "-");
    }
}

static void add_requests(const struct problem *problem, struct text *out)
{
    text_add(out, "order");
    for (size_t k = 0; k < problem->order_count; k++) {
        text_add_char(out, ' ');
        add_memory(problem, problem->order[k], out);
    }
    text_print(out, "\nsteps %" PRIu32 "\n", problem->step_count);
    for (size_t i = 0; i < problem->request_count; i++) {
        const struct request *request = &problem->requests[i];
        text_add(out, "tensor ");
        add_name(out, problem->model->tensors[request->tensor].id);
        text_print(out, " %s size %" PRIu64 " alignment %" PRIu64 " life %" PRIu32 "..%" PRIu32 " in ", role_names[request->role],
                   request->size, request->alignment, request->start_op, request->end_op);
        add_memory(problem, request->memory, out);
        text_add(out, " from ");
        add_memory(problem, request->source_memory, out);
        if (request->alias_of != UINT32_MAX) {
            text_print(out, " alias %" PRIu32, request->alias_of);
        }
        text_add_char(out, '\n');
    }
}

static void add_layout(const struct memory_plan *plan, struct text *out)
{
    const struct problem *problem = plan->problem;
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        text_print(out, "arena %" PRIu32 " %s ", arena->id, role_names[arena->role]);
        add_memory(problem, arena->memory, out);
        text_add(out, " from ");
        add_memory(problem, arena->source_memory, out);
        text_print(out, " size %" PRIu64 " alignment %" PRIu64 "\n", arena->total_size, arena->alignment);
    }
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        text_add(out, "slot ");
        add_memory(problem, allocation->binding.memory, out);
        text_print(out, " %" PRIu64 "\n", allocation->binding.offset);
    }
}

void plan_problem_text(const struct problem *problem, struct text *out)
{
    text_add(out, "helia-placement/problem-hash/1\n");
    add_windows(problem, out);
    add_requests(problem, out);
}

void plan_canonical_text(const struct memory_plan *plan, struct text *out)
{
    text_add(out, "helia-placement/plan-hash/1\n");
    add_windows(plan->problem, out);
    add_requests(plan->problem, out);
    add_layout(plan, out);
}
