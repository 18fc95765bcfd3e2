/* An explanation for people. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "report/explain.h"

static const char *printable(struct text *out, const char *text)
{
    return text_printable(out->arena, text, strlen(text));
}

static const char *memory_name(const struct explanation *explanation, uint32_t memory)
{
    return explanation->plan->problem->memories[memory].name;
}

/* "7 'conv1'", or the id alone where there is no other name. */
static const char *tensor_text(struct text *out, const struct tensor *tensor)
{
    const char *id = printable(out, tensor->id);
    return tensor->name[0] == '\0' ? id : arena_format(out->arena, "%s '%s'", id, printable(out, tensor->name));
}

static const char *allocation_text(const struct explanation *explanation, uint32_t allocation, struct text *out)
{
    const struct memory_plan *plan = explanation->plan;
    return tensor_text(out, &plan->problem->model->tensors[plan->allocations[allocation].tensor]);
}

/* "3 CONV_2D", or the number alone in models without operators. Operators of the main subgraph come first and are steps. */
static const char *step_text(const struct explanation *explanation, uint32_t step, struct text *out)
{
    const struct model *model = explanation->plan->problem->model;
    const bool known =
        step < model->operator_count && model->operators[step].subgraph == 0 && model->operators[step].index == step;
    return known ? arena_format(out->arena, "%" PRIu32 " %s", step, printable(out, model->operators[step].name))
                 : arena_format(out->arena, "%" PRIu32, step);
}

static const char *life_text(const struct explanation *explanation, uint32_t start_op, uint32_t end_op, struct text *out)
{
    const char *start = step_text(explanation, start_op, out);
    return start_op == end_op ? arena_format(out->arena, "operator %s", start)
                              : arena_format(out->arena, "operators %s to %s", start, step_text(explanation, end_op, out));
}

/* ---- what decided ---- */

static void add_said(struct text *out, const char *attribute, const struct said *said, const char *in_place)
{
    if (said->kind == SAID_NOTHING) {
        return;
    }
    text_print(out, "; %s %s: %s", attribute, said->memory != NULL ? said->memory : in_place, said_names[said->kind]);
    if (said->by != NULL) {
        text_print(out, " by %s", said->by);
    }
}

static void add_decisions(const struct tensor_explanation *explained, struct text *out)
{
    text_add(out, "\nWhat spoke, the strongest first:\n");
    for (size_t i = 0; i < explained->decision_count; i++) {
        const struct decision *decision = &explained->decisions[i];
        text_add(out, "  ");
        if (decision->where[0] != '\0') {
            text_print(out, "%s: ", decision->where);
        } else {
            text_print(out, "%s: ", decision->kind == DECISION_DEFAULT ? "default" : "not written");
        }
        text_add(out, decision->what);
        if (decision->memory.kind == SAID_NOTHING && decision->destination.kind == SAID_NOTHING) {
            text_add(out, "; says nothing");
        }
        add_said(out, "memory", &decision->memory, "-");
        add_said(out, "constant_destination_memory", &decision->destination, "null (in place)");
        text_add_char(out, '\n');
    }
}

/* ---- where it is ---- */

static void add_operators(const struct explanation *explanation, const char *label, const struct operator_list *list,
                          struct text *out)
{
    const struct model *model = explanation->plan->problem->model;
    if (list->count == 0) {
        return;
    }
    text_print(out, "  %-11s", label);
    for (size_t i = 0; i < list->count; i++) {
        const struct model_operator *op = &model->operators[list->items[i]];
        const char *number = op->subgraph == 0 ? arena_format(out->arena, "%" PRIu32, op->index)
                                               : arena_format(out->arena, "%" PRIu32 ":%" PRIu32, op->subgraph, op->index);
        text_print(out, "%s%s %s", i == 0 ? "" : ", ", number, printable(out, op->name));
    }
    if (list->total > list->count) {
        text_print(out, " and %zu more", list->total - list->count);
    }
    text_add_char(out, '\n');
}

static void add_place(const struct explanation *explanation, const struct tensor_explanation *explained, struct text *out)
{
    const struct arena_usage *arena = explained->arena;
    const struct tensor_allocation *allocation = explained->allocation;
    const struct owned_slot *slot = explained->slot;
    text_print(out, "\nWhere it is:\n  %-11s%s, %s arena %" PRIu32 " in %s", "arena", arena->symbol, role_names[arena->role],
               arena->id, memory_name(explanation, arena->memory));
    if (arena_is_staged(arena)) {
        text_print(out, ", copied from %s at start", memory_name(explanation, arena->source_memory));
    }
    text_print(out, "\n  %-11s%" PRIu64 " to %" PRIu64 ", aligned to %" PRIu64 "\n", "bytes", allocation->binding.offset,
               allocation->binding.offset + explained->tensor->size, explained->slot_alignment);
    if (slot->size != explained->tensor->size) {
        text_print(out, "  %-11s%" PRIu64 " B\n", "slot", slot->size);
    }
    if (explanation->plan->problem->places_units) {
        text_print(out, "  %-11sall the time\n", "alive");
        return;
    }
    text_print(out, "  %-11s%s\n", "alive", life_text(explanation, explained->tensor->start_op, explained->tensor->end_op, out));
    if (slot->start_op != explained->tensor->start_op || slot->end_op != explained->tensor->end_op) {
        text_print(out, "  %-11s%s\n", "slot alive", life_text(explanation, slot->start_op, slot->end_op, out));
    }
    add_operators(explanation, "written by", &explained->writers, out);
    add_operators(explanation, "read by", &explained->readers, out);
}

/* ---- who else has the bytes ---- */

static void add_aliases(const struct explanation *explanation, const struct tensor_explanation *explained, struct text *out)
{
    size_t shown = 0;
    if (explained->alias_count < 2) {
        return;
    }
    text_add(out, "\nOne slot with:\n");
    for (size_t i = 0; i < explained->alias_count && shown < EXPLAIN_LIST_LIMIT; i++) {
        if (&explanation->plan->allocations[explained->aliases[i]] != explained->allocation) {
            text_print(out, "  %s\n", allocation_text(explanation, explained->aliases[i], out));
            shown++;
        }
    }
    if (explained->alias_count - 1 > shown) {
        text_print(out, "  and %zu more\n", explained->alias_count - 1 - shown);
    }
}

static void add_sharers(const struct explanation *explanation, const char *label, const struct sharer_list *list,
                        struct text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct sharer *sharer = &list->items[i];
        const struct tensor_allocation *other = &explanation->plan->allocations[sharer->allocation];
        text_print(out, "  %-7s%s, bytes %" PRIu64 " to %" PRIu64 ", %s\n", label,
                   allocation_text(explanation, sharer->allocation, out), sharer->from, sharer->to,
                   life_text(explanation, other->start_op, other->end_op, out));
    }
    if (list->cut) {
        text_print(out, "  %-7sand others\n", label);
    }
}

static void add_sharing(const struct explanation *explanation, const struct tensor_explanation *explained, struct text *out)
{
    if (explained->request->role != ROLE_SCRATCH) {
        return;
    }
    text_add(out, "\nWho else has its bytes:\n");
    if (explained->before.count + explained->after.count == 0) {
        text_add(out, "  nobody, at any time\n");
    }
    add_sharers(explanation, "before", &explained->before, out);
    add_sharers(explanation, "after", &explained->after, out);
}

/* ---- the other memories ---- */

static void add_verdict(const struct explanation *explanation, const struct verdict *verdict, struct text *out)
{
    text_print(out, "  %-7s", memory_name(explanation, verdict->memory));
    if (verdict->must_be_asked_for) {
        text_add(out, "external, must be asked for; ");
    }
    switch (verdict->kind) {
    case VERDICT_FITS:
        text_print(out, "fits, %" PRIu64 " B would be left", verdict->bytes);
        break;
    case VERDICT_OVER:
        text_print(out, "over by %" PRIu64 " B", verdict->bytes);
        break;
    case VERDICT_NOT_WRITABLE:
        text_add(out, "not writable");
        break;
    case VERDICT_FOR_CODE:
        text_add(out, "for code");
        break;
    case VERDICT_OTHER_SOURCE:
        text_print(out, "no: the constants there are copied from %s, and an arena has one source", verdict->source);
        break;
    }
    const bool counts = verdict->kind == VERDICT_FITS || verdict->kind == VERDICT_OVER;
    text_print(out, "%s\n", counts && verdict->is_budget ? " of its budget" : "");
}

static void add_verdicts(const struct explanation *explanation, const struct tensor_explanation *explained, struct text *out)
{
    text_add(out, "\nThe other memories, all else left where it is:\n");
    for (size_t i = 0; i < explained->verdict_count; i++) {
        add_verdict(explanation, &explained->verdicts[i], out);
    }
}

static void add_tensor(const struct explanation *explanation, const struct tensor_explanation *explained, struct text *out)
{
    const struct tensor *tensor = explained->tensor;
    text_print(out, "Tensor %s: %s, %" PRIu64 " B", tensor_text(out, tensor), role_names[tensor->role], tensor->size);
    if (tensor->type != NULL) {
        text_print(out, ", %s", tensor->type->name);
    }
    text_print(out, "%s%s\n", tensor->is_input ? ", model input" : "", tensor->is_output ? ", model output" : "");
    add_decisions(explained, out);
    add_place(explanation, explained, out);
    add_aliases(explanation, explained, out);
    add_sharing(explanation, explained, out);
    add_verdicts(explanation, explained, out);
}

/* ---- arenas and regions ---- */

static void add_arena(const struct explanation *explanation, const struct arena_explanation *explained, struct text *out)
{
    const struct arena_usage *arena = explained->arena;
    text_print(out, "Arena %s: %s arena %" PRIu32 " in %s", arena->symbol, role_names[arena->role], arena->id,
               memory_name(explanation, arena->memory));
    if (arena_is_staged(arena)) {
        text_print(out, ", copied from %s (%s)", memory_name(explanation, arena->source_memory), arena->source_symbol);
    }
    text_print(out, "\n  used %" PRIu64 " B, base aligned to %" PRIu64 ", fragmentation %.1f%%\n", arena->used, arena->alignment,
               100.0 * arena_fragmentation(arena));
    const bool by_life = arena->role == ROLE_SCRATCH && explained->slot_count > 0;
    if (by_life) {
        text_print(out,
                   "  peak at operator %s: %" PRIu64 " B in the slots marked with *; no layout takes less than %" PRIu64 " B\n",
                   step_text(explanation, explained->peak.op, out), explained->peak.bytes, arena->peak_live);
    }
    text_add(out, "\n    offset        end       size    operators  tensor\n");
    for (size_t i = 0; i < explained->slot_count; i++) {
        const struct owned_slot *slot = &explained->slots[i];
        const bool at_peak = by_life && slot->start_op <= explained->peak.op && explained->peak.op <= slot->end_op;
        const size_t members =
            explanation->slots.by_root_first[slot->allocation + 1] - explanation->slots.by_root_first[slot->allocation];
        const char *life = arena_format(out->arena, "%" PRIu32 "..%" PRIu32, slot->start_op, slot->end_op);
        text_print(out, "%s %8" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12s  %s", at_peak ? "*" : " ", slot->offset,
                   slot->offset + slot->size, slot->size, life, allocation_text(explanation, slot->allocation, out));
        text_print(out, "%s\n", members < 2 ? "" : arena_format(out->arena, " and %zu in the same slot", members - 1));
    }
}

static void add_region(const struct region_explanation *explained, struct text *out)
{
    const struct problem_memory *memory = explained->memory;
    const struct region_usage *usage = explained->usage;
    text_print(out, "Region %s: %s tier, from 0x%08" PRIx64 "\n", memory->name, tier_names[memory->tier], memory->origin);
    text_print(out, "  capacity  %10" PRIu64 " B", memory->capacity);
    if (memory->physical > memory->capacity) {
        text_print(out, ", of %" PRIu64 " B that the chip has", memory->physical);
    }
    text_add_char(out, '\n');
    if (memory->limit_is_budget) {
        text_print(out, "  budget    %10" PRIu64 " B (%s)\n", memory->limit, explained->limit_where);
    }
    text_print(out, "  used      %10" PRIu64 " B\n", usage->used);
    if (usage->used > memory->limit) {
        text_print(out, "  over by   %10" PRIu64 " B\n", usage->used - memory->limit);
    } else {
        text_print(out, "  left      %10" PRIu64 " B\n", memory->limit - usage->used);
    }
    text_add(out, usage->consumer_count == 0 ? "\nNothing is planned there.\n" : "\nConsumers:\n");
    for (size_t i = 0; i < usage->consumer_count; i++) {
        text_print(out, "  %10" PRIu64 " B  %-8s %s\n", usage->consumers[i].size, usage->consumers[i].kind,
                   printable(out, usage->consumers[i].name));
    }
}

void report_explanation_text(const struct explanation *explanation, struct text *out)
{
    const size_t start = out->size;
    for (size_t i = 0; i < explanation->tensors.count; i++) {
        text_add(out, out->size > start ? "\n" : "");
        add_tensor(explanation, &explanation->tensors.items[i], out);
    }
    for (size_t i = 0; i < explanation->inner_tensors.count; i++) {
        const struct inner_tensor *inner = &explanation->inner_tensors.items[i];
        text_print(out, "Tensor %s: %s, %" PRIu64 " B; the engine %s places it at run time, inside '%s'\n",
                   tensor_text(out, inner->tensor), role_names[inner->tensor->role], inner->tensor->size,
                   engine_names[explanation->plan->problem->engine], inner->held_by);
    }
    for (size_t i = 0; i < explanation->dead_tensors.count && i < EXPLAIN_LIST_LIMIT; i++) {
        text_print(out, "Tensor %s: no operator, input or output touches it, so that it gets no memory\n",
                   tensor_text(out, explanation->dead_tensors.items[i]));
    }
    if (explanation->unlisted_tensors > 0) {
        text_print(out, "and %zu more tensors of that name\n", explanation->unlisted_tensors);
    }
    for (size_t i = 0; i < explanation->arenas.count; i++) {
        text_add(out, out->size > start ? "\n" : "");
        add_arena(explanation, &explanation->arenas.items[i], out);
    }
    for (size_t i = 0; i < explanation->regions.count; i++) {
        text_add(out, out->size > start ? "\n" : "");
        add_region(&explanation->regions.items[i], out);
    }
}
