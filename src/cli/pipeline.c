#include "cli/pipeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/progress.h"
#include "doc/doc.h"
#include "placement/manifest.h"
#include "plan/plugin.h"

static const struct node *command_line_scalar(struct arena *arena, const char *text, struct span span)
{
    struct node *node = ARENA_NEW(arena, struct node);
    *node = (struct node){.kind = NODE_SCALAR, .span = span, .text = text, .plain = true};
    return node;
}

/* A value from the command line is YAML of its own: lists and mappings are allowed, and errors point into it. */
static bool parse_value(struct session *session, const char *key, const char *value, const struct node **node)
{
    const char *path = arena_format(&session->arena, "<command line>: %s", key);
    uint32_t source = diag_add_source(&session->diagnostics, path, (struct bytes){(const uint8_t *)value, strlen(value)});
    return doc_parse(&session->arena, &session->diagnostics, source, node);
}

/* "KEY=VALUE" of --set and --planner-option. */
static bool apply_assignment(struct session *session, const struct option_use *use, const char *key_prefix,
                             const struct node **root)
{
    const char *equals = strchr(use->value, '=');
    if (equals == NULL || equals == use->value) {
        diag_report(&session->diagnostics, DIAG_USAGE, use->span, "expected %s, not '%s'", use->row->value_name, use->value);
        return false;
    }
    const char *key = arena_copy(&session->arena, use->value, (size_t)(equals - use->value));
    const char *shown = arena_format(&session->arena, "--%s %s", use->row->name, key);
    const struct node *value;
    if (equals[1] == '\0') {
        value = command_line_scalar(&session->arena, "", use->span);
    } else if (!parse_value(session, shown, equals + 1, &value)) {
        return false;
    }
    const char *path = arena_format(&session->arena, "%s%s", key_prefix, key);
    return node_with(&session->arena, &session->diagnostics, *root, path, value, root);
}

static bool has_option_for(const struct session *session, const char *config_key)
{
    for (size_t i = 0; i < session->line.options.count; i++) {
        const char *key = session->line.options.items[i].row->config_key;
        if (key != NULL && text_equal(key, config_key)) {
            return true;
        }
    }
    return false;
}

static bool apply_option(struct session *session, const struct option_use *use, const struct node **root)
{
    struct arena *arena = &session->arena;
    if (use->row->id == OPTION_SET) {
        return apply_assignment(session, use, "", root);
    }
    if (use->row->id == OPTION_PLANNER_OPTION) {
        return apply_assignment(session, use, "memory.planner_options.", root);
    }
    if (use->row->config_key == NULL) {
        return true;
    }
    const struct node *value = command_line_scalar(arena, use->value, use->span);
    /* --soc replaces the file's board as well, and --board its SoC. Both options together must agree. */
    if (use->row->excludes != NULL && !has_option_for(session, use->row->excludes) &&
        node_find(*root, use->row->excludes) != NULL) {
        const struct node *nothing = command_line_scalar(arena, "null", use->span);
        if (!node_with(arena, &session->diagnostics, *root, use->row->excludes, nothing, root)) {
            return false;
        }
    }
    return node_with(arena, &session->diagnostics, *root, use->row->config_key, value, root);
}

static const struct option_use *find_config(struct session *session)
{
    return option_find(&session->line, OPTION_CONFIG);
}

/* A path in the config file is relative to that file; on the command line, to the current folder. */
static void settle_path(struct session *session, const struct node *file_root, struct text_value *path)
{
    const struct option_use *use = find_config(session);
    if (use == NULL || !path->set || path->span.source != file_root->span.source) {
        return;
    }
    path->text = path_join(&session->arena, path_folder(&session->arena, use->value), path->text);
}

bool pipeline_read_config(struct session *session, struct pipeline *pipeline)
{
    struct arena *arena = &session->arena;
    const struct option_use *use = find_config(session);
    struct node *empty = ARENA_NEW(arena, struct node);
    empty->kind = NODE_MAPPING;
    const struct node *file_root = empty;
    if (use != NULL) {
        if (!doc_read(arena, &session->diagnostics, use->value, use->span, &file_root)) {
            return false;
        }
        *LIST_ADD(arena, &pipeline->inputs) = use->value;
        if (file_root->kind != NODE_MAPPING && !node_is_null(file_root)) {
            diag_report(&session->diagnostics, DIAG_WRONG_KIND, file_root->span, "the config file must be a mapping, not %s",
                        node_kind_name(file_root));
            return false;
        }
    }
    const struct node *root = file_root;
    bool good = true;
    for (size_t i = 0; i < session->line.options.count; i++) {
        good = apply_option(session, &session->line.options.items[i], &root) && good;
    }
    if (!good || !config_decode(arena, &session->diagnostics, root, &pipeline->config)) {
        return false;
    }
    pipeline->root = root;
    settle_path(session, file_root, &pipeline->config.model.path);
    settle_path(session, file_root, &pipeline->config.engine.config.manifest);
    return true;
}

/* What the config file describes itself has no file of its own. */
static void add_input(struct session *session, struct pipeline *pipeline, const char *path)
{
    if (path != NULL) {
        *LIST_ADD(&session->arena, &pipeline->inputs) = path;
    }
}

static bool load_board(struct session *session, struct pipeline *pipeline, const char **soc_name, struct span *span)
{
    const struct target_config *target = &pipeline->config.target;
    if (!target->board.set || target->board.text == NULL) {
        return true;
    }
    if (!registry_load_board(&session->arena, &session->diagnostics, &session->registry, target->board.text, target->board.span,
                             &pipeline->board)) {
        return false;
    }
    add_input(session, pipeline, pipeline->board->path);
    if (*soc_name != NULL && !text_equal_nocase(*soc_name, pipeline->board->soc)) {
        struct diag *diag = diag_report(&session->diagnostics, DIAG_TARGET_CONFLICT, target->soc.span,
                                        "the target names the SoC '%s', but board '%s' carries '%s'", *soc_name,
                                        pipeline->board->name, pipeline->board->soc);
        diag_note(&session->diagnostics, diag, target->board.span, "the board is named here");
        return false;
    }
    *soc_name = pipeline->board->soc;
    *span = target->board.span;
    return true;
}

bool pipeline_load_soc(struct session *session, struct pipeline *pipeline, const char *soc_name, const char *profile_name)
{
    const struct target_config *target = &pipeline->config.target;
    struct span span = target->soc.span;
    if (!registry_add_custom(&session->arena, &session->diagnostics, target->custom_socs.set ? target->custom_socs.node : NULL,
                             target->custom_boards.set ? target->custom_boards.node : NULL, &session->registry)) {
        return false;
    }
    const char *name = target->soc.set ? target->soc.text : NULL;
    if (!load_board(session, pipeline, &name, &span)) {
        return false;
    }
    if (name == NULL) {
        name = soc_name;
    }
    if (name == NULL) {
        diag_report(&session->diagnostics, DIAG_MISSING_TARGET, SPAN_NONE,
                    "no target is named: give --soc NAME, --board NAME, or 'target' in the config file");
        return false;
    }
    const struct soc *soc;
    if (!registry_load_soc(&session->arena, &session->diagnostics, &session->registry, name, span, &soc)) {
        return false;
    }
    add_input(session, pipeline, soc->path);
    if (pipeline->board != NULL && !soc_apply_board(&session->arena, &session->diagnostics, soc, pipeline->board, &soc)) {
        return false;
    }
    /* The profile that stands in belongs to the SoC that stands in. */
    const char *standby = soc_name != NULL && text_equal_nocase(soc->name, soc_name) ? profile_name : NULL;
    const char *wanted = target->linker_profile.set ? target->linker_profile.text : standby;
    pipeline->soc = soc;
    pipeline->profile = soc_find_profile(&session->diagnostics, soc, wanted, target->linker_profile.span);
    return pipeline->profile != NULL;
}

/* ExecuTorch's sidecar: the one that is named, else <model>.manifest.json where there is one. */
static bool read_manifest(struct session *session, struct pipeline *pipeline)
{
    struct text_value manifest = pipeline->config.engine.config.manifest;
    const struct text_value *model = &pipeline->config.model.path;
    if (pipeline->config.engine.type.value != ENGINE_EXECUTORCH) {
        return true;
    }
    if (!manifest.set && model->set) {
        manifest.text = path_with_ending(&session->arena, model->text, ".manifest.json");
        manifest.set = file_exists(manifest.text);
    }
    if (!manifest.set) {
        return true;
    }
    *LIST_ADD(&session->arena, &pipeline->inputs) = manifest.text;
    return manifest_apply(&session->arena, &session->diagnostics, manifest.text, manifest.span, &pipeline->config);
}

static bool read_model(struct session *session, struct pipeline *pipeline)
{
    const struct text_value *path = &pipeline->config.model.path;
    if (!path->set) {
        diag_report(&session->diagnostics, DIAG_MISSING_MODEL, SPAN_NONE,
                    "no model is named: give --model FILE, or 'model.path' in the config file");
        return false;
    }
    *LIST_ADD(&session->arena, &pipeline->inputs) = path->text;
    if (!model_read(&session->arena, &session->diagnostics, path->text, path->span, &pipeline->model)) {
        return false;
    }
    for (size_t i = 0; i < pipeline->model->data_files.count; i++) {
        *LIST_ADD(&session->arena, &pipeline->inputs) = pipeline->model->data_files.items[i];
    }
    return true;
}

/* Once a run, however often it plans. A plugin is an input: with another one the plan may be another. */
static bool load_planners(struct session *session, struct pipeline *pipeline)
{
    if (pipeline->planners.count > 0) {
        return true;
    }
    bool good = planners_load(session, &pipeline->planners);
    for (size_t i = 0; i < pipeline->planners.count; i++) {
        const struct plugin *plugin = pipeline->planners.items[i]->plugin;
        add_input(session, pipeline, plugin != NULL ? plugin->path : NULL);
    }
    return good;
}

static bool check_planner(struct session *session, struct pipeline *pipeline)
{
    const struct memory_config *memory = &pipeline->config.memory;
    if (!load_planners(session, pipeline)) {
        return false;
    }
    pipeline->compares = pipeline->compares && comparison_is_wanted(memory);
    if (pipeline->compares) {
        return comparison_check(session, &pipeline->planners, memory, &pipeline->comparison);
    }
    return planner_check(&session->arena, &session->diagnostics, &pipeline->planners, memory);
}

static bool run_planners(struct session *session, struct pipeline *pipeline, const struct planner_observer *observer)
{
    if (!pipeline->compares) {
        return plan_make_from(&session->arena, &session->scratch, &session->diagnostics, &pipeline->planners, &pipeline->problem,
                              observer, &pipeline->plan);
    }
    if (!comparison_make(session, &pipeline->planners, &pipeline->problem, observer, &pipeline->comparison)) {
        return false;
    }
    pipeline->plan = comparison_default(&pipeline->comparison);
    return true;
}

static bool make_plan(struct session *session, struct pipeline *pipeline)
{
    struct progress progress;
    const struct planner_observer *observer = progress_begin(&progress);
    bool good = run_planners(session, pipeline, session->shows_progress ? observer : NULL);
    progress_end(&progress);
    return good;
}

bool pipeline_read(struct session *session, struct pipeline *pipeline)
{
    if (!pipeline_read_config(session, pipeline)) {
        return false;
    }
    /* The config is decoded; nothing in it has been looked up yet. SoC and model are independent: report on both. */
    bool soc_good = pipeline_load_soc(session, pipeline, NULL, NULL);
    bool model_good = read_model(session, pipeline);
    bool manifest_good = read_manifest(session, pipeline);
    return soc_good && model_good && manifest_good;
}

bool pipeline_resolve(struct session *session, struct pipeline *pipeline)
{
    struct diagnostics *diagnostics = &session->diagnostics;
    assert(pipeline->soc != NULL && pipeline->profile != NULL && pipeline->model != NULL);

    struct placement_inputs inputs = {
        .config = &pipeline->config,
        .soc = pipeline->soc,
        .board = pipeline->board,
        .profile = pipeline->profile,
        .model = pipeline->model,
    };
    bool planner_good = check_planner(session, pipeline);
    if (!placement_resolve(&session->arena, diagnostics, &inputs, &pipeline->problem) || !planner_good) {
        return false;
    }
    /* Every live tensor has one request, every name is an index, every pin can be written to. */

    if (!make_plan(session, pipeline)) {
        return false;
    }
    /* The referee has passed the layout; it may still be too large for the windows, which the plan says itself. A warning that
     * was turned into an error stops here. */
    return diagnostics->error_count == 0;
}

bool pipeline_plan(struct session *session, struct pipeline *pipeline)
{
    bool model_good = read_model(session, pipeline);
    return read_manifest(session, pipeline) && model_good && pipeline_resolve(session, pipeline);
}

bool pipeline_run(struct session *session, struct pipeline *pipeline)
{
    return pipeline_read(session, pipeline) && pipeline_resolve(session, pipeline);
}

/* Where the user asked for what is too much: the budget, else the rule or key that put the largest piece there. */
static struct span overflow_place(const struct problem *problem, uint32_t memory)
{
    if (problem->memories[memory].limit_is_budget) {
        return problem->memories[memory].limit_span;
    }
    struct span place = SPAN_NONE;
    uint64_t largest = 0;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct request *request = &problem->requests[r];
        const struct span span = request->memory == memory ? request->memory_span : request->source_span;
        bool is_there = request->memory == memory || request->source_memory == memory;
        if (is_there && span.source != 0 && request->size > largest) {
            largest = request->size;
            place = span;
        }
    }
    return place;
}

/* For machines: one finding a region. The documented text is for people. */
static void report_overflow(struct session *session, const struct memory_plan *plan)
{
    for (size_t i = 0; i < plan->region_count; i++) {
        const struct region_usage *region = &plan->regions[i];
        if (region->overflow) {
            diag_report(&session->diagnostics, DIAG_PLAN_OVERFLOW, overflow_place(plan->problem, region->memory),
                        "%s: %" PRIu64 " B used > %" PRIu64 " B capacity (over by %" PRIu64 " B)",
                        plan->problem->memories[region->memory].name, region->used, region->capacity,
                        region->used - region->capacity);
        }
    }
}

/* Behind the documented text: where the user set the budget that is passed. */
static void add_causes(struct session *session, const struct memory_plan *plan, struct text *out)
{
    for (size_t i = 0; i < plan->region_count; i++) {
        const struct problem_memory *memory = &plan->problem->memories[plan->regions[i].memory];
        if (plan->regions[i].overflow && memory->limit_is_budget) {
            text_print(out, "%s: note: the budget of %s is set here\n",
                       diag_span_text(&session->diagnostics, &session->arena, memory->limit_span), memory->name);
        }
    }
}

void pipeline_print_overflow(struct session *session, const struct memory_plan *plan)
{
    if (session->json_diagnostics) {
        report_overflow(session, plan);
        return;
    }
    struct text out = text_start(&session->arena);
    plan_overflow_text(plan, &out);
    add_causes(session, plan, &out);
    fprintf(stderr, "Error: %s", out.data);
}
