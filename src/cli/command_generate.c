/* generate: plan, then write every build artifact. Nothing is written unless everything could be made. */
#include <string.h>

#include "cli/commands.h"
#include "cli/pipeline.h"
#include "emit/emit.h"

static bool read_choices(struct session *session, struct emit_request *request)
{
    static const char *const linkers[] = {"any", "gnu", "lld", NULL};
    static const char *const sections[] = {"own", "native", NULL};
    static const enum linker_choice flavours[] = {FLAGS_FOR_ANY, FLAGS_FOR_GNU, FLAGS_FOR_LLD};
    size_t linker = 0;
    size_t section_names = 0;
    bool good = session_choice(session, OPTION_LINKER, linkers, &linker);
    good = session_choice(session, OPTION_SECTIONS, sections, &section_names) && good;
    request->linker = flavours[linker];
    request->sections = section_names == 0 ? SECTIONS_OWN : SECTIONS_NATIVE;
    return good;
}

/* The kinds of --only, each checked against the artifacts that there are. */
struct kind_filter {
    const char **items;
    size_t count, capacity;
    bool active;
};

static bool kind_exists(const struct artifact_list *artifacts, const char *kind)
{
    for (size_t i = 0; i < artifacts->count; i++) {
        if (text_equal(artifacts->items[i].kind, kind)) {
            return true;
        }
    }
    return false;
}

static void report_unknown_kind(struct session *session, const struct artifact_list *artifacts, const char *kind,
                                struct span span)
{
    struct diag *diag = diag_report(&session->diagnostics, DIAG_USAGE, span, "unknown kind of file '%s'", kind);
    const char *kinds[32];
    size_t count = 0;
    for (size_t i = 0; i < artifacts->count && count < 32; i++) {
        if (count == 0 || !text_equal(kinds[count - 1], artifacts->items[i].kind)) {
            kinds[count++] = artifacts->items[i].kind;
        }
    }
    diag_suggest(&session->diagnostics, diag, kind, "kinds", kinds, count);
}

static bool read_filter(struct session *session, const struct artifact_list *artifacts, struct kind_filter *filter)
{
    const struct option_use *use = option_find(&session->line, OPTION_ONLY);
    bool good = true;
    if (use == NULL) {
        return true;
    }
    filter->active = true;
    for (const char *rest = use->value; rest != NULL;) {
        const char *comma = strchr(rest, ',');
        size_t size = comma != NULL ? (size_t)(comma - rest) : strlen(rest);
        const char *kind = arena_copy(&session->arena, rest, size);
        if (!kind_exists(artifacts, kind)) {
            report_unknown_kind(session, artifacts, kind, use->span);
            good = false;
        }
        *LIST_ADD(&session->arena, filter) = kind;
        rest = comma != NULL ? comma + 1 : NULL;
    }
    return good;
}

static bool filter_passes(const struct kind_filter *filter, const char *kind)
{
    for (size_t i = 0; i < filter->count; i++) {
        if (text_equal(filter->items[i], kind)) {
            return true;
        }
    }
    return !filter->active;
}

static void add_depfile(struct session *session, const struct pipeline *pipeline, const char *folder, struct output_list *outputs)
{
    const char *path = option_value(&session->line, OPTION_DEPFILE);
    if (path == NULL) {
        return;
    }
    const char *target = option_value(&session->line, OPTION_DEPFILE_TARGET);
    if (target == NULL) {
        target = path_join(&session->arena, folder, arena_format(&session->arena, "%s_plan.json", pipeline->problem.prefix));
    }
    struct text out = text_start(&session->arena);
    emit_depfile(target, pipeline->inputs.items, pipeline->inputs.count, &out);
    *LIST_ADD(&session->arena, outputs) = (struct output){path, out.data, out.size};
}

static void add_artifacts(struct session *session, const struct artifact_list *artifacts, const struct kind_filter *filter,
                          const char *folder, struct output_list *outputs)
{
    for (size_t i = 0; i < artifacts->count; i++) {
        const struct artifact *artifact = &artifacts->items[i];
        if (filter_passes(filter, artifact->kind)) {
            const char *path = path_join(&session->arena, folder, artifact->name);
            *LIST_ADD(&session->arena, outputs) = (struct output){path, artifact->data, artifact->size};
        }
    }
}

enum exit_code command_generate(struct session *session)
{
    struct pipeline pipeline = {0};
    struct emit_request request = {.diagnostics = &session->diagnostics, .tool_version = HELIA_VERSION};
    const char *folder = option_value(&session->line, OPTION_FOLDER);
    if (folder == NULL || folder[0] == '\0') {
        diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE, "'generate' needs -d DIR, the folder that the files go to");
        return EXIT_BAD_INPUT;
    }
    if (!read_choices(session, &request) || !pipeline_run(session, &pipeline)) {
        return EXIT_BAD_INPUT;
    }
    if (pipeline.plan->has_overflow) {
        pipeline_print_overflow(session, pipeline.plan);
        return EXIT_ANSWER_NO;
    }
    request.plan = pipeline.plan;
    struct artifact_list artifacts = {0};
    struct kind_filter filter = {0};
    if (!emit_all(&session->arena, &session->diagnostics, &request, &artifacts) || !read_filter(session, &artifacts, &filter)) {
        return EXIT_BAD_INPUT;
    }
    struct output_list outputs = {0};
    add_artifacts(session, &artifacts, &filter, folder, &outputs);
    add_depfile(session, &pipeline, folder, &outputs);
    return session_write_files(session, &outputs, &pipeline.inputs) ? EXIT_DONE : EXIT_ENVIRONMENT;
}
