/* The plan and the residency report as JSON (contract, section 5). */
#include "plan/plan_json.h"

#include "base/json_write.h"

static const char *memory_name(const struct memory_plan *plan, uint32_t memory)
{
    return plan->problem->memories[memory].name;
}

static const char *tensor_id(const struct memory_plan *plan, const struct tensor_allocation *allocation)
{
    return plan->problem->model->tensors[allocation->tensor].id;
}

static struct json *option_json(const struct planner_option *option, uint64_t value)
{
    if (option->kind == OPTION_BOOL) {
        return json_bool(value != 0);
    }
    return option->nullable && value == UINT64_MAX ? json_nothing() : json_size(value);
}

static struct json *planner_json(const struct memory_plan *plan)
{
    struct json *options = json_new_object();
    for (size_t i = 0; i < plan->planner->option_count; i++) {
        json_set(options, plan->planner->options[i].key, option_json(&plan->planner->options[i], plan->options.values[i]));
    }
    struct json *planner = json_new_object();
    json_set(planner, "name", json_text(plan->planner->name));
    json_set(planner, "options", options);
    json_set(planner, "proven_optimal", json_bool(plan->proven_optimal));
    json_set(planner, "lower_bound", json_size(plan->lower_bound));
    json_set(planner, "gap", json_size(plan_gap(plan)));
    json_set(planner, "nodes", json_size(plan->report.effort.nodes));
    json_set(planner, "work", json_size(plan->report.effort.work));
    if (plan->report.kept != NULL) {
        json_set(planner, "kept", json_text(plan->report.kept));
    }
    if (plan->report.stop != NULL) {
        json_set(planner, "stop", json_text(plan->report.stop));
    }
    json_set(planner, "attempts", json_size(plan->report.attempts));
    json_set(planner, "improvements", json_size(plan->report.improvements));
    return planner;
}

static void add_binding(const struct memory_plan *plan, const struct tensor_binding *binding, struct json_stream *stream)
{
    json_stream_enter_object(stream, "binding");
    json_stream_set_text(stream, "role", role_names[binding->role]);
    json_stream_set_text(stream, "memory", memory_name(plan, binding->memory));
    json_stream_set_text(stream, "source_memory", memory_name(plan, binding->source_memory));
    json_stream_set_size(stream, "offset", binding->offset);
    json_stream_leave(stream);
}

static void add_allocations(const struct memory_plan *plan, struct json_stream *stream)
{
    json_stream_enter_object(stream, "tensor_allocs");
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        json_stream_enter_object(stream, tensor_id(plan, allocation));
        json_stream_set_text(stream, "tensor_id", tensor_id(plan, allocation));
        json_stream_set_text(stream, "memory", memory_name(plan, allocation->binding.memory));
        json_stream_set_size(stream, "offset", allocation->binding.offset);
        json_stream_set_size(stream, "size", allocation->size);
        if (allocation->alias_of != UINT32_MAX) {
            json_stream_set_text(stream, "alias_of", tensor_id(plan, &plan->allocations[allocation->alias_of]));
        }
        add_binding(plan, &allocation->binding, stream);
        json_stream_leave(stream);
    }
    json_stream_leave(stream);
}

static void add_lifetimes(const struct memory_plan *plan, struct json_stream *stream)
{
    json_stream_enter_object(stream, "tensor_lifetimes");
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        json_stream_enter_object(stream, tensor_id(plan, allocation));
        json_stream_set_text(stream, "tensor_id", tensor_id(plan, allocation));
        json_stream_set_size(stream, "start_op", allocation->start_op);
        json_stream_set_size(stream, "end_op", allocation->end_op);
        json_stream_leave(stream);
    }
    json_stream_leave(stream);
}

static struct json *arena_json(const struct memory_plan *plan, const struct arena_usage *arena)
{
    struct json *entry = json_new_object();
    json_set(entry, "id", json_size(arena->id));
    json_set(entry, "memory", json_text(memory_name(plan, arena->memory)));
    json_set(entry, "role", json_text(role_names[arena->role]));
    json_set(entry, "total_size", json_size(arena->total_size));
    json_set(entry, "used", json_size(arena->used));
    json_set(entry, "alignment", json_size(arena->alignment));
    json_set(entry, "source_memory", json_text(memory_name(plan, arena->source_memory)));
    json_set(entry, "is_staged", json_bool(arena_is_staged(arena)));
    json_set(entry, "peak_live", json_size(arena->peak_live));
    if (arena_is_host_uploaded(plan->problem, arena)) {
        json_set(entry, "host_upload", json_bool(true));
    }
    json_set(entry, "symbol", json_text(arena->symbol));
    if (arena->source_symbol != NULL) {
        json_set(entry, "source_symbol", json_text(arena->source_symbol));
    }
    return entry;
}

static struct json *arenas_json(const struct memory_plan *plan, enum tensor_role role)
{
    struct json *object = json_new_object();
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == role) {
            json_set(object, memory_name(plan, plan->arenas[i].memory), arena_json(plan, &plan->arenas[i]));
        }
    }
    return object;
}

static struct json *region_json(const struct memory_plan *plan, const struct region_usage *region)
{
    struct json *consumers = json_new_array();
    for (size_t i = 0; i < region->consumer_count; i++) {
        struct json *consumer = json_new_object();
        json_set(consumer, "name", json_text(region->consumers[i].name));
        json_set(consumer, "size", json_size(region->consumers[i].size));
        json_set(consumer, "kind", json_text(region->consumers[i].kind));
        json_add(consumers, consumer);
    }
    struct json *object = json_new_object();
    json_set(object, "region", json_text(memory_name(plan, region->memory)));
    json_set(object, "capacity", json_size(region->capacity));
    json_set(object, "used", json_size(region->used));
    json_set(object, "free", json_size(region_free(region)));
    json_set(object, "overflow", json_bool(region->overflow));
    json_set(object, "consumers", consumers);
    const struct problem_memory *memory = &plan->problem->memories[region->memory];
    if (memory->limit_is_budget) {
        json_set(object, "budget", json_size(memory->limit));
        json_set(object, "kept_out", json_size(region->kept_out));
    }
    return object;
}

static struct json *memory_plan_json(const struct memory_plan *plan)
{
    struct json *regions = json_new_array();
    for (size_t i = 0; i < plan->region_count; i++) {
        json_add(regions, region_json(plan, &plan->regions[i]));
    }
    struct json *object = json_new_object();
    json_set(object, "engine", json_text(engine_names[plan->problem->engine]));
    json_set(object, "model_weight_bytes", json_size(plan->model_weight_bytes));
    json_set(object, "has_overflow", json_bool(plan->has_overflow));
    json_set(object, "regions", regions);
    return object;
}

/* About what a tensor takes in either document. */
#define BYTES_PER_TENSOR 480

void plan_write_json(const struct memory_plan *plan, struct text *out)
{
    const struct problem *problem = plan->problem;
    text_reserve(out, plan->allocation_count * BYTES_PER_TENSOR);
    struct json_stream root = json_stream_start(out);
    json_stream_set(&root, "schema", json_text("helia-placement/plan/1"));
    json_stream_set(&root, "plan_hash", json_text(plan->hash));
    json_stream_set(&root, "soc", json_text(problem->soc->name));
    json_stream_set(&root, "profile", json_text(problem->profile->name));
    json_stream_set(&root, "engine", json_text(engine_names[problem->engine]));
    json_stream_set(&root, "prefix", json_text(problem->prefix));
    json_stream_set(&root, "allocate_arenas", json_bool(problem->allocate_arenas));
    json_stream_set(&root, "problem_hash", json_text(plan->problem_hash));
    json_stream_set(&root, "planner", planner_json(plan));
    add_allocations(plan, &root);
    add_lifetimes(plan, &root);
    json_stream_set(&root, "arena_usages", arenas_json(plan, ROLE_SCRATCH));
    json_stream_set(&root, "persistent_arenas", arenas_json(plan, ROLE_PERSISTENT));
    json_stream_set(&root, "constant_arenas", arenas_json(plan, ROLE_CONSTANT));
    json_stream_set(&root, "memory_plan", memory_plan_json(plan));
    json_stream_finish(&root);
}

/* ---- residency ---- */

static struct json *residency_arenas_json(const struct memory_plan *plan)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        struct json *entry = json_new_object();
        json_set(entry, "memory", json_text(memory_name(plan, arena->memory)));
        json_set(entry, "role", json_text(role_names[arena->role]));
        json_set(entry, "used", json_size(arena->used));
        json_set(entry, "peak_live", json_size(arena->peak_live));
        json_set(entry, "fragmentation", json_number(arena_fragmentation(arena)));
        json_add(array, entry);
    }
    return array;
}

static void add_residency_tensors(const struct memory_plan *plan, struct json_stream *stream)
{
    json_stream_enter_array(stream, "tensors");
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        json_stream_enter_object(stream, NULL);
        json_stream_set_text(stream, "id", tensor_id(plan, allocation));
        json_stream_set_text(stream, "memory", memory_name(plan, allocation->binding.memory));
        json_stream_set_text(stream, "role", role_names[allocation->binding.role]);
        json_stream_set_text(stream, "source_memory", memory_name(plan, allocation->binding.source_memory));
        json_stream_set_size(stream, "offset", allocation->binding.offset);
        json_stream_set_size(stream, "size", allocation->size);
        json_stream_set_size(stream, "start_op", allocation->start_op);
        json_stream_set_size(stream, "end_op", allocation->end_op);
        json_stream_leave(stream);
    }
    json_stream_leave(stream);
}

/* The members of a residency report. */
static void add_residency(const struct memory_plan *plan, struct json_stream *stream)
{
    json_stream_set(stream, "schema", json_text("helia-placement/residency/1"));
    json_stream_set(stream, "plan_hash", json_text(plan->hash));
    json_stream_set(stream, "planner", json_text(plan->planner->name));
    json_stream_set(stream, "arenas", residency_arenas_json(plan));
    add_residency_tensors(plan, stream);
}

void plan_write_residency(const struct memory_plan *plan, struct text *out)
{
    text_reserve(out, plan->allocation_count * BYTES_PER_TENSOR);
    struct json_stream root = json_stream_start(out);
    add_residency(plan, &root);
    json_stream_finish(&root);
}

/* ---- several planners ---- */

void plan_write_all(const struct memory_plan *const *plans, size_t count, struct text *out)
{
    struct json_stream root = json_stream_start(out);
    json_stream_set(&root, "schema", json_text("helia-placement/plan-all/1"));
    json_stream_enter_array(&root, "planners");
    for (size_t i = 0; i < count; i++) {
        json_stream_enter_object(&root, NULL);
        json_stream_set(&root, "planner", planner_json(plans[i]));
        json_stream_set(&root, "has_overflow", json_bool(plans[i]->has_overflow));
        json_stream_enter_object(&root, "residency");
        add_residency(plans[i], &root);
        json_stream_leave(&root);
        json_stream_leave(&root);
    }
    json_stream_leave(&root);
    json_stream_finish(&root);
}
