/* From SoC, model and config to the problem that planners solve. */
#include "base/map.h"
#include "base/size.h"
#include "base/text.h"
#include "model/alias.h"
#include "placement/coarse.h"
#include "placement/engine.h"
#include "placement/memories.h"
#include "placement/placement.h"
#include "placement/psram.h"
#include "placement/rules.h"

uint64_t request_slot_alignment(const struct request *request, const struct problem_memory *memory)
{
    return size_max(request->alignment, size_max(memory->minimum_alignment, memory->arena_alignment));
}

uint32_t problem_find_memory(const struct problem *problem, const char *name)
{
    for (uint32_t i = 0; i < problem->memory_count; i++) {
        if (text_equal_nocase(problem->memories[i].name, name)) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* The coarse rule of a role, as long as no user's rule stands in its place. */
static const struct coarse_rule *coarse_for(const struct problem *problem, enum tensor_role role)
{
    return problem->coarse[role].active ? &problem->coarse[role] : NULL;
}

/* What resolving one problem's tensors needs at every step. */
struct resolution {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct rule_set *rules;
    bool *complained; /* one a rule: a bad rule that matches many tensors is reported once */
    bool failed;
};

static bool first_complaint(struct resolution *resolution, const struct rule *rule)
{
    bool *complained = &resolution->complained[rule - resolution->rules->rules];
    bool first = !*complained;
    *complained = true;
    resolution->failed = true;
    return first;
}

static void place_constant(struct resolution *resolution, const struct problem *problem, struct request *request)
{
    struct resolved_attributes attributes = rules_resolve(resolution->rules, problem->model, request->tensor);
    const struct coarse_rule *coarse = coarse_for(problem, ROLE_CONSTANT);
    /* Without any rule constants are read in place where load images stand. */
    request->source_memory = location_memory(problem, LOCATION_MRAM);
    if (attributes.memory != NULL) {
        request->source_memory = attributes.memory->memory;
        request->source_span = attributes.memory->config->attributes.memory.span;
    } else if (coarse != NULL) {
        request->source_memory = coarse->memory;
        request->source_span = coarse->span;
    }
    request->memory = request->source_memory;
    request->memory_span = request->source_span;
    const struct rule *destination = attributes.destination_memory;
    if (destination == NULL) {
        if (coarse != NULL && coarse->destination != MEMORY_ANY) {
            request->memory = coarse->destination;
        }
        return;
    }
    if (destination->destination_memory == MEMORY_SOURCE || destination->destination_memory == request->source_memory) {
        return;
    }
    request->memory = destination->destination_memory;
    request->memory_span = destination->config->attributes.constant_destination_memory.span;
    if (!problem->memories[request->memory].writable && first_complaint(resolution, destination)) {
        struct diag *diag = diag_report(resolution->diagnostics, DIAG_MEMORY_NOT_WRITABLE, request->memory_span,
                                        "constants can only be copied into a writable memory, and %s is not one",
                                        problem->memories[request->memory].name);
        diag_note(resolution->diagnostics, diag, request->source_span, "tensor '%s' would be copied from %s",
                  problem->model->tensors[request->tensor].id, problem->memories[request->source_memory].name);
    }
}

static void place_writable(struct resolution *resolution, const struct problem *problem, struct request *request)
{
    struct resolved_attributes attributes = rules_resolve(resolution->rules, problem->model, request->tensor);
    const struct coarse_rule *coarse = coarse_for(problem, request->role);
    request->memory = MEMORY_ANY;
    request->source_memory = UINT32_MAX;
    if (attributes.memory == NULL) {
        /* An automatic choice is a preference, from which tensors may spill; whole buffers of an engine cannot. */
        if (coarse != NULL && (!coarse->is_automatic || problem->places_units)) {
            request->memory = coarse->memory;
            request->memory_span = coarse->span;
        }
        return;
    }
    request->memory = attributes.memory->memory;
    request->memory_span = attributes.memory->config->attributes.memory.span;
    if (!problem->memories[request->memory].writable && first_complaint(resolution, attributes.memory)) {
        diag_report(resolution->diagnostics, DIAG_MEMORY_NOT_WRITABLE, request->memory_span,
                    "%s tensor '%s' needs a writable memory, and %s is not one", role_names[request->role],
                    problem->model->tensors[request->tensor].id, problem->memories[request->memory].name);
    }
}

static bool make_requests(struct arena *arena, struct diagnostics *diagnostics, const struct config *config,
                          struct problem *problem)
{
    const struct model *model = problem->model;
    struct resolution resolution = {
        .arena = arena,
        .diagnostics = diagnostics,
        .rules = problem->rules,
        .complained = ARENA_ARRAY(arena, bool, problem->rules->count),
    };
    problem->requests = ARENA_ARRAY(arena, struct request, model->tensor_count);
    for (uint32_t t = 0; t < model->tensor_count; t++) {
        const struct tensor *tensor = &model->tensors[t];
        if (!tensor->is_live) {
            continue;
        }
        struct request request = {
            .tensor = t,
            .alias_of = UINT32_MAX,
            .role = tensor->role,
            .size = tensor->size,
            .alignment = tensor->alignment,
            .start_op = tensor->start_op,
            .end_op = tensor->end_op,
        };
        if (tensor->role == ROLE_CONSTANT) {
            place_constant(&resolution, problem, &request);
        } else {
            place_writable(&resolution, problem, &request);
        }
        if (problem->places_units) {
            engine_pin_unit(problem, config, &request);
        }
        problem->requests[problem->request_count++] = request;
    }
    return !resolution.failed;
}

/* Constants that share a buffer of the model share its bytes, so they share a slot where the rules put them in the same place. */
static void share_buffers(struct arena *arena, struct problem *problem)
{
    struct map owners = map_start(arena);
    for (uint32_t r = 0; r < problem->request_count; r++) {
        struct request *request = &problem->requests[r];
        const struct tensor *tensor = &problem->model->tensors[request->tensor];
        if (request->role != ROLE_CONSTANT || tensor->buffer == UINT32_MAX) {
            continue;
        }
        const char *key = arena_format(arena, "%u/%u/%u", tensor->buffer, request->memory, request->source_memory);
        uint32_t owner;
        if (map_add(&owners, key, r, &owner)) {
            continue;
        }
        struct request *root = &problem->requests[owner];
        if (root->size == request->size) {
            request->alias_of = owner;
            root->alignment = size_max(root->alignment, request->alignment);
            root->start_op = root->start_op < request->start_op ? root->start_op : request->start_op;
            root->end_op = root->end_op > request->end_op ? root->end_op : request->end_op;
        }
    }
}

/* Requests by tensor; UINT32_MAX for tensors without one. */
static uint32_t *index_requests(struct arena *arena, const struct problem *problem)
{
    uint32_t *requests = ARENA_ARRAY(arena, uint32_t, problem->model->tensor_count);
    for (size_t t = 0; t < problem->model->tensor_count; t++) {
        requests[t] = UINT32_MAX;
    }
    for (uint32_t r = 0; r < problem->request_count; r++) {
        requests[problem->requests[r].tensor] = r;
    }
    return requests;
}

/* A rule that wants a tensor elsewhere than the one whose slot it would share keeps the two apart. */
static void separate_by_rules(const struct problem *problem, const uint32_t *requests, struct alias_list *aliases)
{
    for (size_t t = 0; t < aliases->count; t++) {
        uint32_t parent = aliases->items[t].parent;
        if (parent == TENSOR_NONE || requests[t] == UINT32_MAX || requests[parent] == UINT32_MAX ||
            problem->requests[requests[t]].memory != problem->requests[requests[parent]].memory) {
            aliases->items[t].parent = TENSOR_NONE;
        }
    }
}

/* Views, and with in_place operators that overwrite a dying input, share the slot of their root (decision 18). */
static void share_slots(struct arena *arena, struct problem *problem)
{
    struct alias_list aliases;
    struct alias_slot *slots;
    uint32_t *requests = index_requests(arena, problem);
    model_find_aliases(problem->model, problem->in_place, arena, &aliases);
    separate_by_rules(problem, requests, &aliases);
    aliases_merge_lifetimes(problem->model, &aliases, arena, &slots);
    for (uint32_t t = 0; t < problem->model->tensor_count; t++) {
        if (requests[t] == UINT32_MAX || problem->requests[requests[t]].role != ROLE_SCRATCH) {
            continue;
        }
        struct request *request = &problem->requests[requests[t]];
        request->start_op = slots[t].start_op;
        request->end_op = slots[t].end_op;
        if (slots[t].root != t) {
            request->alias_of = requests[slots[t].root];
        } else {
            request->size = slots[t].size;
            request->alignment = slots[t].alignment;
        }
    }
}

static const char *constant_manner(const struct problem *problem, const struct request *request, struct arena *arena)
{
    const char *source = problem->memories[request->source_memory].name;
    return request->source_memory == request->memory ? arena_format(arena, "is read in place")
                                                     : arena_format(arena, "is copied from %s", source);
}

/* A constant arena is one contiguous blob: all of it from one source (decisions 10 and 11). */
static bool check_single_source(struct arena *arena, struct diagnostics *diagnostics, const struct problem *problem)
{
    const struct request **first = ARENA_ARRAY(arena, const struct request *, problem->memory_count);
    bool *reported = ARENA_ARRAY(arena, bool, problem->memory_count);
    bool good = true;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct request *request = &problem->requests[r];
        if (request->role != ROLE_CONSTANT) {
            continue;
        }
        const struct request *other = first[request->memory];
        if (other == NULL) {
            first[request->memory] = request;
            continue;
        }
        if (other->source_memory == request->source_memory || reported[request->memory]) {
            continue;
        }
        struct diag *diag = diag_report(diagnostics, DIAG_MIXED_SOURCES, request->memory_span,
                                        "the constant arena in %s would have two sources: tensor '%s' %s, tensor '%s' %s",
                                        problem->memories[request->memory].name, problem->model->tensors[other->tensor].id,
                                        constant_manner(problem, other, arena), problem->model->tensors[request->tensor].id,
                                        constant_manner(problem, request, arena));
        diag_note(diagnostics, diag, other->memory_span, "tensor '%s' is placed here", problem->model->tensors[other->tensor].id);
        reported[request->memory] = true;
        good = false;
    }
    return good;
}

/* A C identifier that reads like the name: what cannot stand in one becomes '_'. */
static const char *identifier_from(struct arena *arena, const char *name)
{
    struct text made = text_start(arena);
    for (const char *p = name; *p != '\0'; p++) {
        const char letter[] = {'_', *p, '\0'};
        text_add_char(&made, text_is_identifier(letter) ? *p : '_');
    }
    return text_is_identifier(made.data) ? made.data : arena_format(arena, "model_%s", made.data);
}

#define PREFIX_LENGTH_LIMIT 64

static bool resolve_prefix(struct arena *arena, struct diagnostics *diagnostics, const struct text_value *wanted,
                           struct problem *problem)
{
    if (!wanted->set) {
        problem->prefix = identifier_from(arena, problem->model->name);
        return true;
    }
    struct text prefix = text_start(arena);
    text_add(&prefix, wanted->text);
    if (!text_is_identifier(wanted->text) || prefix.size > PREFIX_LENGTH_LIMIT) {
        diag_report(diagnostics, DIAG_BAD_VALUE, wanted->span,
                    "the prefix must be a C identifier of at most %d characters, not '%s'", PREFIX_LENGTH_LIMIT, wanted->text);
        return false;
    }
    problem->prefix = wanted->text;
    return true;
}

static void take_planner(const struct memory_config *memory, struct problem *problem)
{
    problem->planner = memory->planner.set ? memory->planner.text : NULL;
    problem->planner_span = memory->planner.span;
    problem->planner_options = memory->planner_options.set ? memory->planner_options.node : NULL;
}

/* The memory that the automatic policy chose comes first; the rest keep the SoC's order behind it. */
static void prefer_memory(struct problem *problem)
{
    const struct coarse_rule *coarse = coarse_for(problem, ROLE_SCRATCH);
    if (coarse == NULL || !coarse->is_automatic) {
        return;
    }
    for (size_t i = 1; i < problem->order_count; i++) {
        if (problem->order[i] == coarse->memory) {
            for (size_t later = i; later > 0; later--) {
                problem->order[later] = problem->order[later - 1];
            }
            problem->order[0] = coarse->memory;
            return;
        }
    }
}

/* The memories, the engine's units and what the coarse keys have become: all that the rules then stand on. */
static bool settle_ground(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                          struct problem *problem)
{
    const struct engine *engine = &engines[problem->engine];
    memories_from_profile(arena, problem);
    engine_check_keys(diagnostics, inputs->config);
    bool good = engine_check_model(diagnostics, inputs);
    good = memories_apply_constraints(diagnostics, &inputs->config->memory.constraints, problem) && good;
    good = psram_check_clock(arena, diagnostics, inputs, problem) && good;
    good = resolve_prefix(arena, diagnostics, &inputs->config->output.prefix, problem) && good;
    if (engine->make_units != NULL) {
        problem->places_units = true;
        problem->host_fills_external = engine->psram == PSRAM_BY_HOST;
        good = engine->make_units(arena, diagnostics, inputs, problem) && good;
    }
    return coarse_resolve(diagnostics, inputs, problem) && good;
}

static bool prepare_rules(struct arena *arena, struct diagnostics *diagnostics, const struct config *config,
                          struct problem *problem)
{
    static const struct record_list none = {0};
    bool reads_rules = (engines[problem->engine].keys & READS_TENSOR_RULES) != 0;
    struct rule_set *rules = ARENA_NEW(arena, struct rule_set);
    problem->rules = rules;
    if (!rules_prepare(arena, diagnostics, reads_rules ? &config->memory.tensors : &none, problem, rules)) {
        return false;
    }
    coarse_yield_to_rules(problem);
    return true;
}

bool placement_resolve(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                       struct problem *problem)
{
    const struct config *config = inputs->config;
    struct problem made = {
        .soc = inputs->soc,
        .profile = inputs->profile,
        .board = inputs->board,
        .model = inputs->model,
        .network = inputs->model,
        .engine = (enum engine_kind)config->engine.type.value,
        .allocate_arenas = config->memory.allocate_arenas.value,
        .auto_hydrate_constants = config->memory.auto_hydrate_constants.value,
        .dump_residency = config->memory.dump_residency_json.value,
        .in_place = config->memory.in_place.value,
    };
    take_planner(&config->memory, &made);
    bool good = settle_ground(arena, diagnostics, inputs, &made);
    good = prepare_rules(arena, diagnostics, config, &made) && good;
    if (!good) {
        return false;
    }
    made.step_count = made.model->step_count;
    prefer_memory(&made);
    if (!make_requests(arena, diagnostics, config, &made)) {
        return false;
    }
    share_buffers(arena, &made);
    if (!made.places_units) {
        share_slots(arena, &made);
    }
    good = check_single_source(arena, diagnostics, &made);
    if (!psram_check_use(diagnostics, inputs, &made) || !good) {
        return false;
    }
    *problem = made;
    return true;
}
