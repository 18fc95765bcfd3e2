/* All files of a plan, in the order of the contract's table. */
#include "emit/constants.h"
#include "emit/emit.h"
#include "emit/header.h"
#include "emit/native.h"
#include "plan/plan_json.h"

static void add(struct arena *arena, struct artifact_list *artifacts, const char *name, const char *kind, const void *data,
                size_t size)
{
    *LIST_ADD(arena, artifacts) = (struct artifact){.name = name, .kind = kind, .data = data, .size = size};
}

static const struct {
    const char *ending;
    const char *kind;
    bool is_script; /* not with the names of the profile's own script */
    void (*write)(const struct emit_request *request, struct text *out);
} text_writers[] = {
    {"_memory.ld", "memory-ld", true, emit_memory_ld}, {"_sections.ld", "sections-ld", true, emit_sections_ld},
    {"_checks.ld", "checks-ld", true, emit_checks_ld}, {"_insert.ld", "insert-ld", true, emit_insert_ld},
    {"_full.ld", "full-ld", true, emit_full_ld},       {"_arenas.h", "header", false, emit_header},
    {"_arenas.c", "source", false, emit_source},       {"_constants.S", "constants", false, emit_constants_assembly},
};

static void add_blobs(const struct emit_request *request, struct arena *arena, struct artifact_list *artifacts)
{
    struct emit_view view = emit_view_make(request, arena);
    for (size_t i = 0; i < request->plan->arena_count; i++) {
        const struct arena_usage *usage = &request->plan->arenas[i];
        if (!arena_has_blob(usage)) {
            continue;
        }
        struct bytes blob = constant_blob_make(&view, usage);
        add(arena, artifacts, arena_blob_name(&view, usage), "constants", blob.data, blob.size);
    }
}

static void add_text(struct arena *arena, struct artifact_list *artifacts, const char *prefix, const char *ending,
                     const char *kind, const struct text *text)
{
    add(arena, artifacts, arena_format(arena, "%s%s", prefix, ending), kind, text->data, text->size);
}

static void add_json(const struct emit_request *request, struct arena *arena, struct artifact_list *artifacts)
{
    const struct memory_plan *plan = request->plan;
    struct text json = text_start(arena);
    plan_write_json(plan, &json);
    add_text(arena, artifacts, plan->problem->prefix, "_plan.json", "plan", &json);
    if (!plan->problem->dump_residency) {
        return;
    }
    struct text residency = text_start(arena);
    plan_write_residency(plan, &residency);
    add_text(arena, artifacts, plan->problem->prefix, "_residency.json", "residency", &residency);
}

bool emit_all(struct arena *arena, struct diagnostics *diagnostics, const struct emit_request *request,
              struct artifact_list *artifacts)
{
    bool has_names = header_check_tensor_names(request, arena, diagnostics);
    bool has_bytes = constants_check(request->plan, diagnostics);
    bool has_sections = native_check(request, arena, diagnostics);
    if (!has_names || !has_bytes || !has_sections) {
        return false;
    }
    struct artifact_list list = {0};
    const char *prefix = request->plan->problem->prefix;
    for (size_t i = 0; i < sizeof text_writers / sizeof text_writers[0]; i++) {
        if (text_writers[i].is_script && request->sections == SECTIONS_NATIVE) {
            continue;
        }
        struct text out = text_start(arena);
        text_writers[i].write(request, &out);
        add_text(arena, &list, prefix, text_writers[i].ending, text_writers[i].kind, &out);
    }
    add_blobs(request, arena, &list);
    add_json(request, arena, &list);
    struct text make = text_start(arena);
    emit_make(request, &list, &make);
    add_text(arena, &list, prefix, ".mk", "make", &make);
    struct text cmake = text_start(arena);
    emit_cmake(request, &list, &cmake);
    add_text(arena, &list, prefix, ".cmake", "cmake", &cmake);
    *artifacts = list;
    return true;
}
