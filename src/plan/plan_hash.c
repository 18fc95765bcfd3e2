/* The canonical text of a plan. What is not in it does not change the hash: paths, prefix, the planner's name, where a rule was
 * written. Names from models may hold any character, so each comes with its length in front. */
#include <inttypes.h>
#include <string.h>

#include "base/sha256.h"
#include "plan/plan.h"
#include "plan/plan_draft.h"

/* Where the canonical texts go. They are nearly the same and may be longer than all else that a run holds, so they are written
 * once, and hashed as they come. */
struct canonical {
    struct text *out;
    struct sha256 *problem; /* NULL once the problem is through */
    struct sha256 *whole;   /* NULL: nothing is hashed, all stays in `out` */
};

/* What is written before it is hashed. */
#define PIECE ((size_t)32 * 1024)

static void take_in(struct canonical *canonical, size_t from_size)
{
    struct text *out = canonical->out;
    if (canonical->whole == NULL || out->size < from_size) {
        return;
    }
    if (canonical->problem != NULL) {
        sha256_add(canonical->problem, out->data, out->size);
    }
    sha256_add(canonical->whole, out->data, out->size);
    out->size = 0;
}

static void add_name(struct text *out, const char *name)
{
    size_t size = strlen(name);
    text_add_decimal(out, size);
    text_add_char(out, ':');
    text_add_bytes(out, name, size);
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

static void add_number(struct text *out, const char *before, uint64_t number)
{
    text_add(out, before);
    text_add_decimal(out, number);
}

static void add_memory(const struct problem *problem, uint32_t memory, struct text *out)
{
    if (memory < problem->memory_count) {
        add_name(out, problem->memories[memory].name);
    } else {
        text_add(out, "-");
    }
}

static void add_request(const struct problem *problem, const struct request *request, struct text *out)
{
    text_add(out, "tensor ");
    add_name(out, problem->model->tensors[request->tensor].id);
    text_add_char(out, ' ');
    text_add(out, role_names[request->role]);
    add_number(out, " size ", request->size);
    add_number(out, " alignment ", request->alignment);
    add_number(out, " life ", request->start_op);
    add_number(out, "..", request->end_op);
    text_add(out, " in ");
    add_memory(problem, request->memory, out);
    text_add(out, " from ");
    add_memory(problem, request->source_memory, out);
    if (request->alias_of != UINT32_MAX) {
        add_number(out, " alias ", request->alias_of);
    }
    text_add_char(out, '\n');
}

static void add_requests(const struct problem *problem, struct canonical *canonical)
{
    struct text *out = canonical->out;
    text_add(out, "order");
    for (size_t k = 0; k < problem->order_count; k++) {
        text_add_char(out, ' ');
        add_memory(problem, problem->order[k], out);
    }
    text_print(out, "\nsteps %" PRIu32 "\n", problem->step_count);
    for (size_t i = 0; i < problem->request_count; i++) {
        add_request(problem, &problem->requests[i], out);
        take_in(canonical, PIECE);
    }
}

static void add_layout(const struct memory_plan *plan, struct canonical *canonical)
{
    struct text *out = canonical->out;
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
        add_number(out, " ", allocation->binding.offset);
        text_add_char(out, '\n');
        take_in(canonical, PIECE);
    }
}

#define PROBLEM_VERSION "helia-placement/problem-hash/1\n"
#define PLAN_VERSION    "helia-placement/plan-hash/1\n"

static void add_problem(const struct problem *problem, struct canonical *canonical)
{
    add_windows(problem, canonical->out);
    add_requests(problem, canonical);
}

void plan_problem_text(const struct problem *problem, struct text *out)
{
    text_add(out, PROBLEM_VERSION);
    add_problem(problem, &(struct canonical){.out = out});
}

void plan_canonical_text(const struct memory_plan *plan, struct text *out)
{
    struct canonical canonical = {.out = out};
    text_add(out, PLAN_VERSION);
    add_problem(plan->problem, &canonical);
    add_layout(plan, &canonical);
}

static const char *hash_text(struct sha256 *sum, struct arena *arena)
{
    char digest[65];
    sha256_finish(sum, digest);
    return arena_format(arena, "sha256:%s", digest);
}

void plan_set_hashes(struct memory_plan *plan, struct arena *arena, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    struct text piece = text_start(scratch);
    struct canonical canonical = {.out = &piece, .problem = sha256_start(scratch), .whole = sha256_start(scratch)};
    sha256_add(canonical.problem, PROBLEM_VERSION, strlen(PROBLEM_VERSION));
    sha256_add(canonical.whole, PLAN_VERSION, strlen(PLAN_VERSION));
    add_problem(plan->problem, &canonical);
    take_in(&canonical, 0);
    plan->problem_hash = hash_text(canonical.problem, arena);
    canonical.problem = NULL;
    add_layout(plan, &canonical);
    take_in(&canonical, 0);
    plan->hash = hash_text(canonical.whole, arena);
    arena_rewind(scratch, mark);
}
