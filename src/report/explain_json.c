/* An explanation for machines (schema helia-placement/explain/1). */
#include "base/json_write.h"
#include "report/explain.h"

static struct json *memory_json(const struct explanation *explanation, uint32_t memory)
{
    return json_text(explanation->plan->problem->memories[memory].name);
}

static const char *allocation_id(const struct explanation *explanation, uint32_t allocation)
{
    const struct memory_plan *plan = explanation->plan;
    return plan->problem->model->tensors[plan->allocations[allocation].tensor].id;
}

static struct json *said_json(const struct said *said)
{
    if (said->kind == SAID_NOTHING) {
        return json_nothing();
    }
    struct json *object = json_new_object();
    json_set(object, "value", json_text(said->memory));
    json_set(object, "result", json_text(said_names[said->kind]));
    json_set(object, "by", json_text(said->by));
    return object;
}

static struct json *decisions_json(const struct tensor_explanation *explained)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < explained->decision_count; i++) {
        const struct decision *decision = &explained->decisions[i];
        struct json *object = json_new_object();
        json_set(object, "kind", json_text(decision_names[decision->kind]));
        json_set(object, "where", json_text(decision->where));
        json_set(object, "what", json_text(decision->what));
        json_set(object, "memory", said_json(&decision->memory));
        json_set(object, "constant_destination_memory", said_json(&decision->destination));
        json_add(array, object);
    }
    return array;
}

static struct json *operators_json(const struct explanation *explanation, const struct operator_list *list)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct model_operator *op = &explanation->plan->problem->model->operators[list->items[i]];
        struct json *object = json_new_object();
        json_set(object, "subgraph", json_size(op->subgraph));
        json_set(object, "index", json_size(op->index));
        json_set(object, "name", json_text(op->name));
        json_add(array, object);
    }
    return array;
}

static struct json *sharers_json(const struct explanation *explanation, const struct sharer_list *list)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct sharer *sharer = &list->items[i];
        const struct tensor_allocation *other = &explanation->plan->allocations[sharer->allocation];
        struct json *object = json_new_object();
        json_set(object, "id", json_text(allocation_id(explanation, sharer->allocation)));
        json_set(object, "from", json_size(sharer->from));
        json_set(object, "to", json_size(sharer->to));
        json_set(object, "start_op", json_size(other->start_op));
        json_set(object, "end_op", json_size(other->end_op));
        json_add(array, object);
    }
    return array;
}

static struct json *aliases_json(const struct explanation *explanation, const struct tensor_explanation *explained)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < explained->alias_count; i++) {
        if (&explanation->plan->allocations[explained->aliases[i]] != explained->allocation) {
            json_add(array, json_text(allocation_id(explanation, explained->aliases[i])));
        }
    }
    return array;
}

static struct json *verdicts_json(const struct explanation *explanation, const struct tensor_explanation *explained)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < explained->verdict_count; i++) {
        const struct verdict *verdict = &explained->verdicts[i];
        const bool counts = verdict->kind == VERDICT_FITS || verdict->kind == VERDICT_OVER;
        struct json *object = json_new_object();
        json_set(object, "memory", memory_json(explanation, verdict->memory));
        json_set(object, "verdict", json_text(verdict_names[verdict->kind]));
        json_set(object, "must_be_asked_for", json_bool(verdict->must_be_asked_for));
        json_set(object, "bytes", counts ? json_size(verdict->bytes) : json_nothing());
        json_set(object, "is_budget", json_bool(verdict->is_budget));
        json_add(array, object);
    }
    return array;
}

static struct json *tensor_json(const struct explanation *explanation, const struct tensor_explanation *explained)
{
    const struct tensor_allocation *allocation = explained->allocation;
    struct json *object = json_new_object();
    json_set(object, "id", json_text(explained->tensor->id));
    json_set(object, "name", json_text(explained->tensor->name));
    json_set(object, "role", json_text(role_names[allocation->binding.role]));
    json_set(object, "size", json_size(explained->tensor->size));
    json_set(object, "memory", memory_json(explanation, allocation->binding.memory));
    json_set(object, "source_memory", memory_json(explanation, allocation->binding.source_memory));
    json_set(object, "arena", json_text(explained->arena->symbol));
    json_set(object, "offset", json_size(allocation->binding.offset));
    json_set(object, "slot_size", json_size(explained->slot->size));
    json_set(object, "alignment", json_size(explained->slot_alignment));
    json_set(object, "start_op", json_size(explained->tensor->start_op));
    json_set(object, "end_op", json_size(explained->tensor->end_op));
    json_set(object, "slot_start_op", json_size(explained->slot->start_op));
    json_set(object, "slot_end_op", json_size(explained->slot->end_op));
    json_set(object, "decisions", decisions_json(explained));
    json_set(object, "written_by", operators_json(explanation, &explained->writers));
    json_set(object, "read_by", operators_json(explanation, &explained->readers));
    json_set(object, "aliases", aliases_json(explanation, explained));
    json_set(object, "before", sharers_json(explanation, &explained->before));
    json_set(object, "after", sharers_json(explanation, &explained->after));
    json_set(object, "other_memories", verdicts_json(explanation, explained));
    return object;
}

static struct json *inner_json(const struct inner_tensor *inner)
{
    struct json *object = json_new_object();
    json_set(object, "id", json_text(inner->tensor->id));
    json_set(object, "name", json_text(inner->tensor->name));
    json_set(object, "role", json_text(role_names[inner->tensor->role]));
    json_set(object, "size", json_size(inner->tensor->size));
    json_set(object, "held_by", json_text(inner->held_by));
    return object;
}

static struct json *arena_json(const struct explanation *explanation, const struct arena_explanation *explained)
{
    const struct arena_usage *arena = explained->arena;
    struct json *slots = json_new_array();
    for (size_t i = 0; i < explained->slot_count; i++) {
        const struct owned_slot *slot = &explained->slots[i];
        struct json *entry = json_new_object();
        json_set(entry, "id", json_text(allocation_id(explanation, slot->allocation)));
        json_set(entry, "offset", json_size(slot->offset));
        json_set(entry, "size", json_size(slot->size));
        json_set(entry, "start_op", json_size(slot->start_op));
        json_set(entry, "end_op", json_size(slot->end_op));
        json_add(slots, entry);
    }
    struct json *object = json_new_object();
    json_set(object, "id", json_size(arena->id));
    json_set(object, "symbol", json_text(arena->symbol));
    json_set(object, "role", json_text(role_names[arena->role]));
    json_set(object, "memory", memory_json(explanation, arena->memory));
    json_set(object, "source_memory", memory_json(explanation, arena->source_memory));
    json_set(object, "used", json_size(arena->used));
    json_set(object, "alignment", json_size(arena->alignment));
    json_set(object, "peak_live", json_size(arena->peak_live));
    json_set(object, "fragmentation", json_number(arena_fragmentation(arena)));
    json_set(object, "peak_op", arena->role == ROLE_SCRATCH ? json_size(explained->peak.op) : json_nothing());
    json_set(object, "peak_op_bytes", arena->role == ROLE_SCRATCH ? json_size(explained->peak.bytes) : json_nothing());
    json_set(object, "slots", slots);
    return object;
}

static struct json *region_json(const struct region_explanation *explained)
{
    const struct problem_memory *memory = explained->memory;
    struct json *consumers = json_new_array();
    for (size_t i = 0; i < explained->usage->consumer_count; i++) {
        const struct region_consumer *consumer = &explained->usage->consumers[i];
        struct json *entry = json_new_object();
        json_set(entry, "name", json_text(consumer->name));
        json_set(entry, "size", json_size(consumer->size));
        json_set(entry, "kind", json_text(consumer->kind));
        json_add(consumers, entry);
    }
    const uint64_t used = explained->usage->used;
    struct json *object = json_new_object();
    json_set(object, "region", json_text(memory->name));
    json_set(object, "origin", json_address(memory->origin));
    json_set(object, "capacity", json_size(memory->capacity));
    json_set(object, "physical", json_size(memory->physical));
    json_set(object, "budget", memory->limit_is_budget ? json_size(memory->limit) : json_nothing());
    json_set(object, "used", json_size(used));
    json_set(object, "left", json_size(used < memory->limit ? memory->limit - used : 0));
    json_set(object, "over", json_size(used > memory->limit ? used - memory->limit : 0));
    json_set(object, "consumers", consumers);
    return object;
}

void report_explanation_json(const struct explanation *explanation, struct text *out)
{
    struct json *tensors = json_new_array();
    struct json *inner_tensors = json_new_array();
    struct json *arenas = json_new_array();
    struct json *regions = json_new_array();
    for (size_t i = 0; i < explanation->tensors.count; i++) {
        json_add(tensors, tensor_json(explanation, &explanation->tensors.items[i]));
    }
    for (size_t i = 0; i < explanation->inner_tensors.count; i++) {
        json_add(inner_tensors, inner_json(&explanation->inner_tensors.items[i]));
    }
    for (size_t i = 0; i < explanation->arenas.count; i++) {
        json_add(arenas, arena_json(explanation, &explanation->arenas.items[i]));
    }
    for (size_t i = 0; i < explanation->regions.count; i++) {
        json_add(regions, region_json(&explanation->regions.items[i]));
    }
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/explain/1"));
    json_set(root, "plan_hash", json_text(explanation->plan->hash));
    json_set(root, "tensors", tensors);
    json_set(root, "inner_tensors", inner_tensors);
    json_set(root, "arenas", arenas);
    json_set(root, "regions", regions);
    json_finish(root, false, out);
}
