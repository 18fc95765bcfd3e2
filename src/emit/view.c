#include "emit/view.h"

#include <string.h>

#include "base/file.h"
#include "emit/native.h"
#include "emit/quote.h"

const struct section_kind_row section_kinds[KIND_COUNT] = {
    [KIND_CODE] = {"code", .is_copied = true},        [KIND_BSS] = {"bss", .has_no_bytes = true, .is_zeroed = true},
    [KIND_RODATA] = {"rodata", .is_copied = true},    [KIND_DATA] = {"data", .is_copied = true},
    [KIND_NOINIT] = {"noinit", .has_no_bytes = true}, [KIND_ARENA] = {"arena", .has_no_bytes = true},
};

static uint32_t problem_memory_of_region(const struct problem *problem, uint32_t region)
{
    for (size_t i = 0; i < problem->memory_count; i++) {
        if (problem->memories[i].region == region) {
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

static bool plan_uses(const struct memory_plan *plan, uint32_t memory)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        if (memory != UINT32_MAX && (arena->memory == memory || arena->source_memory == memory)) {
            return true;
        }
    }
    return false;
}

static const struct native_sections *native_of_region(const struct linker_profile *profile, uint32_t region)
{
    for (size_t i = 0; i < profile->native_count; i++) {
        if (profile->native[i].region == region) {
            return &profile->native[i];
        }
    }
    return NULL;
}

/* A memory that no script of the profile names has to be asked for: by what is placed there, or by a constraint, which puts it
 * into the preferred order (decision 12). */
static bool is_asked_for(const struct problem *problem, uint32_t problem_memory)
{
    for (size_t i = 0; i < problem->order_count; i++) {
        if (problem->order[i] == problem_memory) {
            return true;
        }
    }
    return false;
}

static struct emit_memory memory_make(const struct emit_view *view, uint32_t index)
{
    const struct problem *problem = view->problem;
    const struct region *region = &problem->soc->regions[index];
    struct emit_memory memory = {
        .region = region,
        .window = profile_window(problem->profile, index),
        .native = native_of_region(problem->profile, index),
        .name = region->name,
        .lower = text_lower(view->arena, region->name),
        .problem_memory = problem_memory_of_region(problem, index),
        .is_writable = (region->access & ACCESS_WRITE) != 0,
        .is_executable = (region->access & ACCESS_EXECUTE) != 0,
    };
    memory.linker_name = memory.window != NULL ? memory.window->linker_name : region->name;
    memory.length = profile_capacity(problem->soc, problem->profile, index, &memory.origin);
    memory.is_planned = plan_uses(view->plan, memory.problem_memory);
    memory.is_linked =
        memory.length > 0 && (memory.window != NULL || memory.is_planned || is_asked_for(problem, memory.problem_memory));
    return memory;
}

struct emit_view emit_view_make(const struct emit_request *request, struct arena *arena)
{
    const struct problem *problem = request->plan->problem;
    const struct linker_profile *profile = problem->profile;
    struct emit_view view = {
        .request = request,
        .plan = request->plan,
        .problem = problem,
        .arena = arena,
        .prefix = problem->prefix,
        .upper = text_upper(arena, problem->prefix),
        .memories = ARENA_ARRAY(arena, struct emit_memory, problem->soc->region_count),
        .memory_count = problem->soc->region_count,
    };
    for (uint32_t i = 0; i < view.memory_count; i++) {
        view.memories[i] = memory_make(&view, i);
    }
    view.image = &view.memories[profile->image_region];
    view.program = &view.memories[profile->code_region];
    /* A memory that is empty at reset cannot hold the vectors: the flat script then runs from the load image. */
    if (!view.program->region->holds_image) {
        view.program = view.image;
    }
    view.data = &view.memories[profile->data_region];
    view.stack = &view.memories[profile->stack_region];
    return view;
}

bool memory_has_section(const struct emit_memory *memory, enum section_kind kind)
{
    if (!memory->is_linked) {
        return false;
    }
    if (kind == KIND_CODE) {
        return memory->is_writable && memory->is_executable;
    }
    return memory->is_writable || kind == KIND_RODATA;
}

bool section_is_copied(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind)
{
    return memory->is_writable && section_kinds[kind].is_copied && memory != view->image;
}

const char *output_section_name(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind)
{
    return arena_format(view->arena, ".hp.%s.%s.%s", view->prefix, section_kinds[kind].name, memory->lower);
}

const struct emit_memory *view_memory(const struct emit_view *view, uint32_t problem_memory)
{
    return &view->memories[view->problem->memories[problem_memory].region];
}

bool arena_is_cold(const struct emit_view *view, const struct arena_usage *arena)
{
    return arena->role == ROLE_CONSTANT && !arena_is_staged(arena) && !arena_is_host_uploaded(view->problem, arena);
}

/* The profile's script decides by the name alone. Its default sections collect names of any ending, and such an ending is kept,
 * as it lets a linker drop one arena without the others. */
static const char *place_section(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind,
                                 const char *own)
{
    if (view->request->sections == SECTIONS_OWN) {
        return own;
    }
    const char *native = native_section(memory, kind);
    return native != NULL && native[0] == '\0' ? own : native;
}

struct arena_place arena_place(const struct emit_view *view, const struct arena_usage *arena)
{
    const struct emit_memory *memory = view_memory(view, arena->memory);
    bool is_cold = arena_is_cold(view, arena);
    const char *start = !is_cold ? ".bss" : memory->is_writable ? ".data" : ".rodata";
    enum section_kind kind = is_cold ? KIND_RODATA : arena->role == ROLE_PERSISTENT ? KIND_BSS : KIND_ARENA;
    const char *own =
        arena_format(view->arena, "%s.hp_arena.%s.%s.%s", start, view->prefix, role_names[arena->role], memory->lower);
    return (struct arena_place){
        .memory = memory,
        .kind = kind,
        .section = place_section(view, memory, is_cold && memory->is_writable ? KIND_DATA : kind, own),
    };
}

struct arena_place arena_source_place(const struct emit_view *view, const struct arena_usage *arena)
{
    const struct emit_memory *source = view_memory(view, arena->source_memory);
    const char *own = arena_format(view->arena, ".rodata.hp_source.%s.%s_from_%s", view->prefix,
                                   view_memory(view, arena->memory)->lower, source->lower);
    return (struct arena_place){
        .memory = source,
        .kind = KIND_RODATA,
        .section = place_section(view, source, source->is_writable ? KIND_DATA : KIND_RODATA, own),
    };
}

const char *arena_upper_name(const struct emit_view *view, const struct arena_usage *arena)
{
    const struct emit_memory *memory = view_memory(view, arena->memory);
    return text_upper(view->arena, arena_format(view->arena, "%s_%s", role_names[arena->role], memory->name));
}

const char *arena_blob_name(const struct emit_view *view, const struct arena_usage *arena)
{
    return arena_format(view->arena, "%s_constants_%s.bin", view->prefix, view_memory(view, arena->memory)->lower);
}

const struct arena_usage *arena_of_binding(const struct memory_plan *plan, const struct tensor_binding *binding)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == binding->role && plan->arenas[i].memory == binding->memory) {
            return &plan->arenas[i];
        }
    }
    return NULL;
}

const char *span_place(const struct emit_view *view, struct span span)
{
    return path_name(diag_span_text(view->request->diagnostics, view->arena, span));
}

const char *arena_rule_place(const struct emit_view *view, const struct arena_usage *arena)
{
    const struct memory_plan *plan = view->plan;
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        if (allocation->binding.role != arena->role || allocation->binding.memory != arena->memory) {
            continue;
        }
        const char *place = span_place(view, view->problem->requests[allocation->request].memory_span);
        if (place[0] != '\0') {
            return place;
        }
    }
    return "";
}

void emit_banner(const struct emit_view *view, struct text *out)
{
    text_add(out, "Generated by helia-placement ");
    quote_comment(out, view->request->tool_version);
    text_print(out, ", plan %s, for ", view->plan->hash);
    quote_comment(out, view->problem->soc->name);
    text_add(out, "/");
    quote_comment(out, view->problem->profile->name);
    text_add(out, ". Do not edit.");
}

void emit_banner_comment(const struct emit_view *view, struct text *out)
{
    text_add(out, "/* ");
    emit_banner(view, out);
    text_add(out, " */\n");
}

const char *linker_flag(const struct emit_request *request)
{
    static const char *const flags[] = {[FLAGS_FOR_ANY] = "", [FLAGS_FOR_GNU] = "-fuse-ld=bfd", [FLAGS_FOR_LLD] = "-fuse-ld=lld"};
    return flags[request->linker];
}
