/* tighten: an interpreter's reported allocated_arena to an arena_size with headroom, and what that frees. */
#include "base/size.h"
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "placement/engine.h"
#include "report/tighten.h"

static bool read_sizes(struct session *session, struct tightening *tightening)
{
    const struct option_use *allocated = option_find(&session->line, OPTION_ALLOCATED);
    const struct option_use *headroom = option_find(&session->line, OPTION_HEADROOM);
    if (allocated == NULL) {
        diag_report(&session->diagnostics, DIAG_USAGE, SPAN_NONE,
                    "--allocated BYTES is missing: what the interpreter reported as allocated_arena");
        return false;
    }
    if (!size_parse(allocated->value, &tightening->allocated) || tightening->allocated == 0 ||
        tightening->allocated > SIZE_LIMIT) {
        diag_report(&session->diagnostics, DIAG_USAGE, allocated->span, "expected a size in bytes such as 20544, not '%s'",
                    allocated->value);
        return false;
    }
    tightening->headroom_text = headroom != NULL ? headroom->value : TIGHTEN_DEFAULT_HEADROOM;
    if (!tighten_size(tightening->allocated, tightening->headroom_text, &tightening->headroom, &tightening->arena_size)) {
        diag_report(&session->diagnostics, DIAG_USAGE, headroom != NULL ? headroom->span : allocated->span,
                    "expected a headroom such as 15%% or 4K, not '%s'", tightening->headroom_text);
        return false;
    }
    return true;
}

static bool check_engine(struct session *session, const struct config *config)
{
    const struct engine *engine = &engines[config->engine.type.value];
    if ((engine->keys & READS_ARENA_SIZE) != 0) {
        return true;
    }
    diag_report(&session->diagnostics, DIAG_WITHOUT_ARENA_SIZE, config->engine.type.span,
                "the engine %s plans its own arenas: there is no arena_size to tighten", engine->name);
    return false;
}

/* The size that counts: ExecuTorch's own key stands before model.arena_size. */
static struct size_value *find_size(struct config *config, struct tightening *tightening)
{
    struct size_value *planned = &config->engine.config.planned_arena_size;
    if (config->engine.type.value == ENGINE_EXECUTORCH && planned->set && !planned->is_null) {
        tightening->key = "engine.config.planned_arena_size";
        return planned;
    }
    tightening->key = "model.arena_size";
    return &config->model.arena_size;
}

/* Plans twice. What the first plan has to say about the config as it stands is for `plan`; here the second one's findings count.
 */
static bool plan_twice(struct session *session, struct pipeline *pipeline, struct tightening *tightening)
{
    struct size_value *size = find_size(&pipeline->config, tightening);
    const struct diagnostics before = session->diagnostics;
    struct pipeline *now = ARENA_NEW(&session->arena, struct pipeline);
    tightening->present = size->set ? size->value : DEFAULT_ARENA_SIZE;
    tightening->present_where = size->set ? diag_span_text(&session->diagnostics, &session->arena, size->span) : "default";
    *now = *pipeline;
    if (!pipeline_resolve(session, now)) {
        return false;
    }
    session->diagnostics = before;
    *size = (struct size_value){
        .value = tightening->arena_size, .span = option_find(&session->line, OPTION_ALLOCATED)->span, .set = true};
    if (!pipeline_resolve(session, pipeline)) {
        return false;
    }
    tightening->now = now->plan;
    tightening->then = pipeline->plan;
    tightening->network_peak = model_peak_live(pipeline->model, 1, &session->scratch);
    return true;
}

enum exit_code command_tighten(struct session *session)
{
    static const char *const formats[] = {"table", "json", NULL};
    size_t format;
    struct pipeline pipeline = {0};
    struct tightening tightening = {0};
    if (!session_choice(session, OPTION_FORMAT, formats, &format) || !read_sizes(session, &tightening) ||
        !pipeline_read(session, &pipeline) || !check_engine(session, &pipeline.config) ||
        !plan_twice(session, &pipeline, &tightening)) {
        return EXIT_BAD_INPUT;
    }
    struct text out = text_start(&session->arena);
    if (format == 1) {
        report_tightening_json(&tightening, &out);
    } else {
        report_tightening_text(&tightening, &out);
    }
    enum exit_code printed = session_print(session, &out);
    if (printed == EXIT_DONE && tightening.then->has_overflow) {
        pipeline_print_overflow(session, tightening.then);
        return EXIT_ANSWER_NO;
    }
    return printed;
}
