/* The scratch arenas: the requests as a planner's problem, its layout judged and taken over. */
#include "base/size.h"
#include "plan/live_bound.h"
#include "plan/plan_draft.h"
#include "plan/plugin.h"
#include "plan/spill.h"
#include "plan/watch.h"

/* The scratch problem, and which request each item stands for. */
struct scratch_request {
    struct scratch_problem problem;
    struct scratch_item *items;
    struct scratch_memory *memories;
    uint32_t *requests; /* by item */
};

static void add_items(const struct draft *draft, struct scratch_request *request)
{
    for (uint32_t i = 0; i < draft->problem->request_count; i++) {
        const struct draft_slot *slot = &draft->slots[i];
        if (!slot->is_root || slot->binding.role != ROLE_SCRATCH) {
            continue;
        }
        request->requests[request->problem.item_count] = i;
        request->items[request->problem.item_count++] = (struct scratch_item){
            .size = slot->size,
            .start = slot->start_op,
            .end = slot->end_op,
            .memory = slot->binding.memory,
            .alignment = slot->alignment,
        };
    }
}

/* The arena's base is aligned to the largest slot in it. Which slots come here is not known yet, so all that may are counted. */
static uint64_t worst_base_alignment(const struct scratch_request *request, const struct problem_memory *memory, uint32_t index)
{
    uint64_t alignment = 1;
    for (size_t i = 0; i < request->problem.item_count; i++) {
        if (request->items[i].memory == index || request->items[i].memory == MEMORY_ANY) {
            alignment = size_max(alignment, request->items[i].alignment);
        }
    }
    return base_alignment(memory, alignment);
}

/* What everything else in a memory leaves to its scratch arena, which comes last. */
static void add_memories(const struct draft *draft, struct scratch_request *request)
{
    const struct problem *problem = draft->problem;
    struct arena_mark mark = arena_mark(draft->scratch);
    struct region_part *parts = ARENA_ARRAY(draft->scratch, struct region_part, region_part_room(problem));
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        const struct problem_memory *memory = &problem->memories[m];
        uint64_t end = memory->origin + region_parts_find(draft, m, parts).end;
        uint64_t base = size_align(end, worst_base_alignment(request, memory, m)) - memory->origin;
        request->memories[m] = (struct scratch_memory){
            .limit = memory->limit - size_min(base, memory->limit),
            .alignment_floor = size_max(memory->minimum_alignment, memory->arena_alignment),
        };
    }
    arena_rewind(draft->scratch, mark);
}

static struct scratch_request scratch_request_new(const struct draft *draft)
{
    const struct problem *problem = draft->problem;
    struct scratch_request request = {
        .items = ARENA_ARRAY(draft->scratch, struct scratch_item, problem->request_count),
        .memories = ARENA_ARRAY(draft->scratch, struct scratch_memory, problem->memory_count),
        .requests = ARENA_ARRAY(draft->scratch, uint32_t, problem->request_count),
    };
    request.problem = (struct scratch_problem){
        .items = request.items,
        .memories = request.memories,
        .memory_count = problem->memory_count,
        .order = problem->order,
        .order_count = problem->order_count,
        .step_count = problem->step_count,
    };
    add_items(draft, &request);
    add_memories(draft, &request);
    return request;
}

/* A total at the bound says nothing about a layout that does not fit, if another choice of memories may fit with the same total
 * or a larger one. */
static bool is_proven_optimal(const struct scratch_problem *problem, const struct layout *layout, const struct memory_plan *plan)
{
    bool is_at_bound = layout_total(problem, layout) == plan->lower_bound;
    return plan->report.proven_optimal || (is_at_bound && (layout->fits || !spill_has_choice(problem)));
}

static void take_over(struct draft *draft, const struct scratch_request *request, const struct layout *layout)
{
    const struct problem *problem = draft->problem;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        *draft_arena(draft, ROLE_SCRATCH, m) = (struct draft_arena){.size = layout->used[m], .source_memory = m};
    }
    for (size_t i = 0; i < request->problem.item_count; i++) {
        const struct slot *slot = &layout->slots[i];
        struct tensor_binding *binding = &draft->slots[request->requests[i]].binding;
        binding->memory = binding->source_memory = slot->memory;
        binding->offset = slot->offset;
        struct draft_arena *arena = draft_arena(draft, ROLE_SCRATCH, slot->memory);
        arena->exists = true;
        arena->slot_alignment =
            size_max(arena->slot_alignment, slot_alignment(&request->items[i], &request->memories[slot->memory]));
    }
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        draft_arena(draft, ROLE_SCRATCH, m)->peak_live = peak_live(&request->problem, layout->slots, m, draft->scratch);
    }
}

/* A planner that is built in has no way to fail. */
static bool run_planner(const struct scratch_problem *problem, struct diagnostics *diagnostics, struct arena *scratch,
                        struct memory_plan *plan, struct layout *layout)
{
    const struct plugin *plugin = plan->planner->plugin;
    if (plugin == NULL) {
        plan->planner->solve(problem, &plan->options, scratch, layout, &plan->report);
        return true;
    }
    const char *fault = plugin_solve(plugin, problem, &plan->options, scratch, layout, &plan->report);
    if (fault != NULL) {
        diag_report(diagnostics, DIAG_PLUGIN_FAILED, plugin->span, "planner plugin '%s': planner '%s' %s", plugin->path,
                    plan->planner->name, fault);
    }
    return fault == NULL;
}

static void report_refusal(const struct draft *draft, struct diagnostics *diagnostics, const struct planner *planner,
                           const char *fault)
{
    struct span span = planner->plugin != NULL ? planner->plugin->span : draft->problem->planner_span;
    struct diag *diag =
        diag_report(diagnostics, DIAG_LAYOUT_REFUSED, span, "the layout of planner '%s' was refused: %s", planner->name, fault);
    if (planner->plugin != NULL) {
        diag_note(diagnostics, diag, SPAN_NONE, "the planner is the plugin '%s'", planner->plugin->path);
    }
}

bool draft_solve(struct draft *draft, struct diagnostics *diagnostics, const struct planner_observer *observer,
                 struct memory_plan *plan)
{
    struct scratch_request request = scratch_request_new(draft);
    struct layout layout = layout_new(draft->scratch, &request.problem);
    struct arena_mark mark = arena_mark(draft->scratch);
    plan->lower_bound = total_lower_bound(&request.problem, draft->scratch);
    arena_rewind(draft->scratch, mark);
    struct watch watch = watch_start(observer, plan->planner, plan->lower_bound);
    request.problem.watch = observer != NULL ? &watch : NULL;
    bool solved = run_planner(&request.problem, diagnostics, draft->scratch, plan, &layout);
    arena_rewind(draft->scratch, mark);
    if (!solved) {
        return false;
    }
    const char *fault = referee_judge(&request.problem, &layout, draft->scratch);
    if (fault != NULL) {
        report_refusal(draft, diagnostics, plan->planner, fault);
        return false;
    }
    arena_rewind(draft->scratch, mark);
    take_over(draft, &request, &layout);
    plan->proven_optimal = is_proven_optimal(&request.problem, &layout, plan);
    return true;
}
