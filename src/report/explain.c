/* Finds what a name means and gathers what is known about it. */
#include "report/explain.h"

#include <string.h>

#include "base/text.h"
#include "placement/rules.h"

struct gathering {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct memory_plan *plan;
    const char *name;
    struct explanation *explanation;
};

/* ---- tensors ---- */

static void add_operator(struct operator_list *list, uint32_t index)
{
    list->total++;
    if (list->count < EXPLAIN_LIST_LIMIT) {
        list->items[list->count++] = index;
    }
}

static bool names_tensor(const struct operator_io *io, uint32_t tensor)
{
    for (size_t i = 0; i < io->count; i++) {
        if (io->tensors[i] == tensor) {
            return true;
        }
    }
    return false;
}

static void find_operators(const struct model *model, uint32_t tensor, struct tensor_explanation *explained)
{
    for (uint32_t i = 0; i < model->operator_count; i++) {
        if (names_tensor(&model->operators[i].outputs, tensor)) {
            add_operator(&explained->writers, i);
        }
        if (names_tensor(&model->operators[i].inputs, tensor)) {
            add_operator(&explained->readers, i);
        }
    }
}

static const struct owned_slot *find_slot(const struct slot_table *slots, uint32_t arena_id, uint32_t root)
{
    for (size_t i = slots->first[arena_id]; i < slots->first[arena_id + 1]; i++) {
        if (slots->items[i].allocation == root) {
            return &slots->items[i];
        }
    }
    return NULL;
}

/* Allocations come in model order, and only tensors that live have one. */
static uint32_t find_allocation(const struct memory_plan *plan, uint32_t tensor)
{
    for (uint32_t i = 0; i < plan->allocation_count; i++) {
        if (plan->allocations[i].tensor == tensor) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void explain_tensor(struct gathering *gathering, uint32_t tensor)
{
    const struct memory_plan *plan = gathering->plan;
    const struct model *model = plan->problem->model;
    const struct slot_table *slots = &gathering->explanation->slots;
    const uint32_t index = find_allocation(plan, tensor);
    if (index == UINT32_MAX || slots->arena[index] == UINT32_MAX) {
        *LIST_ADD(gathering->arena, &gathering->explanation->dead_tensors) = &model->tensors[tensor];
        return;
    }
    if (gathering->explanation->tensors.count == EXPLAIN_LIST_LIMIT) {
        gathering->explanation->unlisted_tensors++;
        return;
    }
    const uint32_t root = slots->root[index];
    struct tensor_explanation *explained = LIST_ADD(gathering->arena, &gathering->explanation->tensors);
    explained->allocation = &plan->allocations[index];
    explained->tensor = &model->tensors[tensor];
    explained->request = &plan->problem->requests[explained->allocation->request];
    explained->arena = &plan->arenas[slots->arena[index]];
    explained->slot = find_slot(slots, slots->arena[index], root);
    const struct request slot_request = {.alignment = explained->slot->alignment};
    explained->slot_alignment =
        request_slot_alignment(&slot_request, &plan->problem->memories[explained->allocation->binding.memory]);
    explained->aliases = &slots->by_root[slots->by_root_first[root]];
    explained->alias_count = slots->by_root_first[root + 1] - slots->by_root_first[root];
    find_operators(model, tensor, explained);
    explain_decisions(gathering->arena, gathering->diagnostics, plan, explained);
    explain_sharing(gathering->arena, slots, explained);
    explain_memories(gathering->arena, plan, slots, explained);
}

static bool is_called(const struct tensor *tensor, const char *name, bool by_id)
{
    /* Tensors without a name have the empty one; who asks for "" asks for none of them. */
    return name[0] != '\0' && text_equal(by_id ? tensor->id : tensor->name, name);
}

/* By id, else by name; calls `found` for each. */
static void each_tensor(struct gathering *gathering, const struct model *model,
                        void (*found)(struct gathering *gathering, uint32_t tensor))
{
    size_t count = 0;
    for (int by_id = 1; by_id >= 0 && count == 0; by_id--) {
        for (uint32_t t = 0; t < model->tensor_count; t++) {
            if (is_called(&model->tensors[t], gathering->name, by_id == 1)) {
                found(gathering, t);
                count++;
            }
        }
    }
}

/* Interpreters plan the network's tensors themselves: constants are in the weights, all else is in the first scratch buffer. */
static void add_inner_tensor(struct gathering *gathering, uint32_t tensor)
{
    const struct problem *problem = gathering->plan->problem;
    const struct tensor *inner = &problem->network->tensors[tensor];
    const enum tensor_role role = inner->role == ROLE_CONSTANT ? ROLE_CONSTANT : ROLE_SCRATCH;
    if (gathering->explanation->inner_tensors.count == EXPLAIN_LIST_LIMIT) {
        gathering->explanation->unlisted_tensors++;
        return;
    }
    for (size_t i = 0; i < problem->request_count; i++) {
        if (problem->requests[i].role == role) {
            *LIST_ADD(gathering->arena, &gathering->explanation->inner_tensors) =
                (struct inner_tensor){inner, problem->model->tensors[problem->requests[i].tensor].id};
            return;
        }
    }
}

/* ---- arenas and regions ---- */

static bool arena_is_called(const struct gathering *gathering, const struct arena_usage *arena)
{
    const char *words =
        arena_format(gathering->arena, "%s %s", role_names[arena->role], gathering->plan->problem->memories[arena->memory].name);
    return text_equal(arena->symbol, gathering->name) || text_equal_nocase(words, gathering->name) ||
           (arena->source_symbol != NULL && text_equal(arena->source_symbol, gathering->name));
}

static void explain_arena(struct gathering *gathering, const struct arena_usage *arena)
{
    const struct slot_table *slots = &gathering->explanation->slots;
    struct arena_explanation *explained = LIST_ADD(gathering->arena, &gathering->explanation->arenas);
    explained->arena = arena;
    explained->slots = &slots->items[slots->first[arena->id]];
    explained->slot_count = slots->first[arena->id + 1] - slots->first[arena->id];
    struct life *lives = ARENA_ARRAY(gathering->arena, struct life, explained->slot_count);
    for (size_t i = 0; i < explained->slot_count; i++) {
        const struct owned_slot *slot = &explained->slots[i];
        lives[i] = (struct life){slot->size, slot->start_op, slot->end_op};
    }
    explained->peak = live_peak_find(lives, explained->slot_count, gathering->arena);
}

static void explain_region(struct gathering *gathering, const struct region_usage *usage)
{
    const struct problem_memory *memory = &gathering->plan->problem->memories[usage->memory];
    *LIST_ADD(gathering->arena, &gathering->explanation->regions) = (struct region_explanation){
        .usage = usage,
        .memory = memory,
        .limit_where =
            memory->limit_is_budget ? diag_span_text(gathering->diagnostics, gathering->arena, memory->limit_span) : "",
    };
}

/* ---- all of it ---- */

static bool found_nothing(const struct explanation *explanation)
{
    return explanation->tensors.count + explanation->inner_tensors.count + explanation->dead_tensors.count +
               explanation->arenas.count + explanation->regions.count ==
           0;
}

static void report_unknown(const struct gathering *gathering, struct span span)
{
    const struct problem *problem = gathering->plan->problem;
    const struct model *model = problem->model;
    const size_t room = 2 * model->tensor_count + gathering->plan->arena_count + problem->memory_count;
    const char **names = ARENA_ARRAY(gathering->arena, const char *, room);
    size_t count = 0;
    for (size_t i = 0; i < problem->memory_count; i++) {
        names[count++] = problem->memories[i].name;
    }
    for (size_t i = 0; i < gathering->plan->arena_count; i++) {
        names[count++] = gathering->plan->arenas[i].symbol;
    }
    for (size_t i = 0; i < model->tensor_count; i++) {
        names[count++] = model->tensors[i].id;
        names[count++] = model->tensors[i].name;
    }
    struct diag *diag = diag_report(gathering->diagnostics, DIAG_UNKNOWN_NAME, span, "no tensor, arena or region is called '%s'",
                                    node_printable(gathering->arena, gathering->name));
    const char *near = text_nearest(gathering->name, names, count);
    if (near != NULL) {
        diag_note(gathering->diagnostics, diag, SPAN_NONE, "did you mean '%s'?", near);
    }
}

bool explain_name(struct arena *arena, struct diagnostics *diagnostics, const struct memory_plan *plan, const char *name,
                  struct span span, struct explanation *explanation)
{
    struct explanation made = {.plan = plan, .slots = slots_of_plan(plan, arena)};
    struct gathering gathering = {arena, diagnostics, plan, name, &made};
    each_tensor(&gathering, plan->problem->model, explain_tensor);
    if (plan->problem->places_units) {
        each_tensor(&gathering, plan->problem->network, add_inner_tensor);
    }
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (arena_is_called(&gathering, &plan->arenas[i])) {
            explain_arena(&gathering, &plan->arenas[i]);
        }
    }
    for (size_t i = 0; i < plan->region_count; i++) {
        if (text_equal_nocase(plan->problem->memories[plan->regions[i].memory].name, name)) {
            explain_region(&gathering, &plan->regions[i]);
        }
    }
    if (found_nothing(&made)) {
        report_unknown(&gathering, span);
        return false;
    }
    *explanation = made;
    return true;
}
