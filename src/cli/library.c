/* The C library: the same corridor as the command's, without printing and exiting.
 *
 * A caller's options become the words that the command would be given and take the same way through the tables, so that the two
 * cannot differ; messages therefore name options as "<command line>: --soc". */
#include "helia_placement.h"

#include <inttypes.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/pipeline.h"
#include "cli/session.h"
#include "emit/emit.h"
#include "plan/plan_json.h"
#include "report/report.h"

const char *helia_version(void)
{
    return HELIA_VERSION;
}

/* ---- the data model ---- */

const char *helia_planner_name(enum helia_planner_type type)
{
    static const char *const names[] = {"greedy", "greedy_by_size", "hill_climb"};
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : NULL;
}

void helia_tensor_lifetime_add_op(struct helia_tensor_lifetime *lifetime, uint32_t op_index)
{
    lifetime->start_op = op_index < lifetime->start_op ? op_index : lifetime->start_op;
    lifetime->end_op = op_index > lifetime->end_op ? op_index : lifetime->end_op;
}

void helia_tensor_lifetime_merge(struct helia_tensor_lifetime *lifetime, const struct helia_tensor_lifetime *other)
{
    helia_tensor_lifetime_add_op(lifetime, other->start_op);
    helia_tensor_lifetime_add_op(lifetime, other->end_op);
}

struct helia_arena_usage helia_arena_usage_make(const char *memory)
{
    return (struct helia_arena_usage){.memory = memory, .role = HELIA_SCRATCH, .alignment = ARENA_BASE_ALIGNMENT};
}

bool helia_arena_usage_is_staged(const struct helia_arena_usage *arena)
{
    return arena->source_memory != NULL && !text_equal(arena->source_memory, arena->memory);
}

uint64_t helia_arena_usage_allocate(struct helia_arena_usage *arena, uint64_t size)
{
    uint64_t offset = arena->used;
    if (size > UINT64_MAX - offset || offset + size == UINT64_MAX) {
        return UINT64_MAX;
    }
    arena->used = offset + size;
    arena->total_size = arena->used > arena->total_size ? arena->used : arena->total_size;
    return offset;
}

struct helia_memory_constraint helia_memory_constraint_make(const char *name)
{
    return (struct helia_memory_constraint){.name = name, .max_size = HELIA_NO_LIMIT};
}

struct helia_tensor_attributes helia_tensor_attributes_make(void)
{
    return (struct helia_tensor_attributes){.memory = "DTCM"};
}

/* ---- options as words ---- */

struct words {
    struct arena *arena;
    char **items;
    size_t count, capacity;
};

static void add_word(struct words *words, const char *word)
{
    *LIST_ADD(words->arena, words) = arena_copy_text(words->arena, word);
}

/* The value is attached, so that one that starts with a dash is no option. */
static void add_option(struct words *words, const char *name, const char *value)
{
    if (value != NULL) {
        add_word(words, arena_format(words->arena, "--%s=%s", name, value));
    }
}

static void add_each(struct words *words, const char *name, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_option(words, name, values[i]);
    }
}

/* Names are quoted as JSON strings, which YAML reads as well: a name cannot break out of its place. */
static void add_constraint(struct text *list, const struct helia_memory_constraint *constraint)
{
    text_add(list, list->size > 1 ? ", {name: \"" : "{name: \"");
    for (const char *letter = constraint->name; *letter != '\0'; letter++) {
        if (*letter == '"' || *letter == '\\') {
            text_add_char(list, '\\');
        }
        text_add_char(list, *letter);
    }
    text_add_char(list, '"');
    if (constraint->max_size != HELIA_NO_LIMIT) {
        text_print(list, ", max_size: %" PRIu64, constraint->max_size);
    }
    if (constraint->arena_alignment != 0) {
        text_print(list, ", arena_alignment: %" PRIu64, constraint->arena_alignment);
    }
    text_add_char(list, '}');
}

static void add_constraints(struct words *words, const struct helia_memory_constraint *constraints, size_t count)
{
    if (count == 0) {
        return;
    }
    struct text list = text_start(words->arena);
    text_add_char(&list, '[');
    for (size_t i = 0; i < count; i++) {
        add_constraint(&list, &constraints[i]);
    }
    text_add_char(&list, ']');
    add_option(words, "set", arena_format(words->arena, "memory.constraints=%s", list.data));
}

static struct words start_words(struct arena *arena, const char *command)
{
    struct words words = {.arena = arena};
    add_word(&words, "helia-placement");
    add_word(&words, command);
    return words;
}

static bool read_words(struct session *session, const struct words *words)
{
    return command_line_parse(&session->arena, &session->diagnostics, (int)words->count, words->items, &session->line) &&
           session_configure(session);
}

/* ---- plans ---- */

struct helia_plan {
    struct session session;
    struct pipeline pipeline;
    struct text messages;
    const char *json;
    const char *residency;
    struct helia_tensor_allocation *allocations;
    struct helia_tensor_lifetime *lifetimes;
    struct helia_arena_usage *arenas;
};

static const char *memory_name(const struct memory_plan *plan, uint32_t memory)
{
    return plan->problem->memories[memory].name;
}

static enum helia_arena_role public_role(enum tensor_role role)
{
    static const enum helia_arena_role roles[] = {
        [ROLE_SCRATCH] = HELIA_SCRATCH, [ROLE_PERSISTENT] = HELIA_PERSISTENT, [ROLE_CONSTANT] = HELIA_CONSTANT};
    return roles[role];
}

static void publish_tensor(struct helia_plan *made, const struct memory_plan *plan, size_t i,
                           struct helia_tensor_binding *binding)
{
    const struct tensor_allocation *allocation = &plan->allocations[i];
    const char *id = plan->problem->model->tensors[allocation->tensor].id;
    *binding = (struct helia_tensor_binding){
        .role = public_role(allocation->binding.role),
        .memory = memory_name(plan, allocation->binding.memory),
        .source_memory = memory_name(plan, allocation->binding.source_memory),
        .offset = allocation->binding.offset,
    };
    made->allocations[i] = (struct helia_tensor_allocation){
        .tensor_id = id,
        .memory = binding->memory,
        .offset = binding->offset,
        .size = allocation->size,
        .binding = binding,
    };
    made->lifetimes[i] =
        (struct helia_tensor_lifetime){.tensor_id = id, .start_op = allocation->start_op, .end_op = allocation->end_op};
}

static void publish(struct helia_plan *made)
{
    struct arena *arena = &made->session.arena;
    const struct memory_plan *plan = made->pipeline.plan;
    struct helia_tensor_binding *bindings = ARENA_ARRAY(arena, struct helia_tensor_binding, plan->allocation_count);
    made->allocations = ARENA_ARRAY(arena, struct helia_tensor_allocation, plan->allocation_count);
    made->lifetimes = ARENA_ARRAY(arena, struct helia_tensor_lifetime, plan->allocation_count);
    for (size_t i = 0; i < plan->allocation_count; i++) {
        publish_tensor(made, plan, i, &bindings[i]);
    }
    made->arenas = ARENA_ARRAY(arena, struct helia_arena_usage, plan->arena_count);
    for (size_t i = 0; i < plan->arena_count; i++) {
        made->arenas[i] = (struct helia_arena_usage){
            .memory = memory_name(plan, plan->arenas[i].memory),
            .total_size = plan->arenas[i].total_size,
            .used = plan->arenas[i].used,
            .role = public_role(plan->arenas[i].role),
            .source_memory = memory_name(plan, plan->arenas[i].source_memory),
            .alignment = plan->arenas[i].alignment,
        };
    }
    struct text json = text_start(arena);
    struct text residency = text_start(arena);
    plan_write_json(plan, &json);
    plan_write_residency(plan, &residency);
    made->json = json.data;
    made->residency = residency.data;
}

/* Renders the findings that came since the last call, behind what was there. */
static void collect_messages(struct session *session, struct text *messages)
{
    struct text rendered = text_start(&session->arena);
    diag_render_text(&session->diagnostics, false, &rendered);
    *messages = rendered;
}

static bool make_plan(struct helia_plan *plan, const struct helia_plan_options *options)
{
    struct words words = start_words(&plan->session.arena, "plan");
    add_option(&words, "config", options->config);
    add_option(&words, "model", options->model);
    add_option(&words, "soc", options->soc);
    add_option(&words, "board", options->board);
    add_option(&words, "profile", options->profile);
    add_option(&words, "engine", options->engine);
    add_option(&words, "planner", options->planner);
    add_option(&words, "prefix", options->prefix);
    add_constraints(&words, options->constraints, options->constraint_count);
    add_each(&words, "set", options->set, options->set_count);
    add_each(&words, "registry", options->registry, options->registry_count);
    return read_words(&plan->session, &words) && pipeline_run(&plan->session, &plan->pipeline);
}

enum helia_status helia_plan_make(const struct helia_plan_options *options, struct helia_plan **plan)
{
    /* The plan stands in its own arena: one call gives all of it back. */
    struct arena arena = {0};
    struct helia_plan *made = ARENA_NEW(&arena, struct helia_plan);
    made->session.arena = arena;
    made->session.diagnostics = diagnostics_start(&made->session.arena);
    *plan = made;
    bool good = make_plan(made, options);
    collect_messages(&made->session, &made->messages);
    if (!good) {
        return (enum helia_status)session_exit_code(&made->session, EXIT_BAD_INPUT);
    }
    publish(made);
    if (made->pipeline.plan->has_overflow) {
        text_add(&made->messages, "Error: ");
        plan_overflow_text(made->pipeline.plan, &made->messages);
        return HELIA_ANSWER_NO;
    }
    return HELIA_DONE;
}

void helia_plan_free(struct helia_plan *plan)
{
    if (plan != NULL) {
        struct arena arena = plan->session.arena;
        arena_free(&plan->session.scratch);
        arena_free(&arena);
    }
}

const char *helia_plan_messages(const struct helia_plan *plan)
{
    return plan->messages.data;
}

const char *helia_plan_hash(const struct helia_plan *plan)
{
    return plan->pipeline.plan->hash;
}

const char *helia_plan_json(const struct helia_plan *plan)
{
    return plan->json;
}

const char *helia_plan_residency_json(const struct helia_plan *plan)
{
    return plan->residency;
}

const struct helia_tensor_allocation *helia_plan_allocations(const struct helia_plan *plan, size_t *count)
{
    *count = plan->pipeline.plan->allocation_count;
    return plan->allocations;
}

const struct helia_tensor_lifetime *helia_plan_lifetimes(const struct helia_plan *plan, size_t *count)
{
    *count = plan->pipeline.plan->allocation_count;
    return plan->lifetimes;
}

const struct helia_arena_usage *helia_plan_arenas(const struct helia_plan *plan, size_t *count)
{
    *count = plan->pipeline.plan->arena_count;
    return plan->arenas;
}

const struct helia_tensor_allocation *helia_plan_get_allocation(struct helia_plan *plan, const char *tensor_id)
{
    const struct memory_plan *made = plan->pipeline.plan;
    const struct tensor_allocation *found = plan_get_allocation(made, tensor_id);
    if (found == NULL) {
        text_print(&plan->messages, "helia-placement: error: the plan has no tensor '%s'\n",
                   text_printable(&plan->session.arena, tensor_id, strlen(tensor_id)));
        return NULL;
    }
    return &plan->allocations[found - made->allocations];
}

enum helia_status helia_plan_generate(struct helia_plan *plan, const char *folder)
{
    struct session *session = &plan->session;
    struct emit_request request = {
        .plan = plan->pipeline.plan, .diagnostics = &session->diagnostics, .tool_version = HELIA_VERSION};
    struct artifact_list artifacts = {0};
    struct output_list outputs = {0};
    if (plan->pipeline.plan->has_overflow) {
        return HELIA_ANSWER_NO;
    }
    bool good = emit_all(&session->arena, &session->diagnostics, &request, &artifacts);
    for (size_t i = 0; good && i < artifacts.count; i++) {
        const char *path = path_join(&session->arena, folder, artifacts.items[i].name);
        *LIST_ADD(&session->arena, &outputs) = (struct output){path, artifacts.items[i].data, artifacts.items[i].size};
    }
    good = good && session_write_files(session, &outputs, &plan->pipeline.inputs);
    collect_messages(session, &plan->messages);
    /* Findings of an earlier call do not speak against this one. */
    return good ? HELIA_DONE : (enum helia_status)session_exit_code(session, EXIT_BAD_INPUT);
}

/* ---- reports ---- */

struct helia_report {
    struct session session;
    struct pipeline pipeline;
    struct check_request request;
    struct check_result result;
    struct text messages;
    struct text table;
    struct text json;
};

static bool measure(struct helia_report *report, const struct helia_check_options *options)
{
    struct words words = start_words(&report->session.arena, "check");
    add_option(&words, "plan", options->plan);
    add_option(&words, "soc", options->soc);
    add_option(&words, "profile", options->profile);
    add_each(&words, "registry", options->registry, options->registry_count);
    add_word(&words, "--");
    if (options->elf != NULL) { /* without it the words are incomplete, as a command's would be */
        add_word(&words, options->elf);
    }
    return read_words(&report->session, &words) &&
           check_measure(&report->session, &report->pipeline, &report->request, &report->result);
}

enum helia_status helia_check(const struct helia_check_options *options, struct helia_report **report)
{
    struct arena arena = {0};
    struct helia_report *made = ARENA_NEW(&arena, struct helia_report);
    made->session.arena = arena;
    made->session.diagnostics = diagnostics_start(&made->session.arena);
    made->table = text_start(&made->session.arena);
    made->json = text_start(&made->session.arena);
    *report = made;
    bool good = measure(made, options);
    collect_messages(&made->session, &made->messages);
    if (!good) {
        return (enum helia_status)session_exit_code(&made->session, EXIT_BAD_INPUT);
    }
    report_check_table(&made->result, false, &made->table);
    report_check_json(&made->result, &made->json);
    return made->result.ok ? HELIA_DONE : HELIA_ANSWER_NO;
}

void helia_report_free(struct helia_report *report)
{
    if (report != NULL) {
        struct arena arena = report->session.arena;
        arena_free(&report->session.scratch);
        arena_free(&arena);
    }
}

const char *helia_report_messages(const struct helia_report *report)
{
    return report->messages.data;
}

const char *helia_report_table(const struct helia_report *report)
{
    return report->table.data;
}

const char *helia_report_json(const struct helia_report *report)
{
    return report->json.data;
}
