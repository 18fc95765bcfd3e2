/* What the linker itself can prove, and the symbols that say how full each memory is. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/header.h"
#include "emit/ld.h"
#include "emit/quote.h"

static const char *tables_name(const struct emit_view *view)
{
    return arena_format(view->arena, ".hp.%s.tables", view->prefix);
}

/* ASSERT(condition, "heliaplacement: <message> [place]") */
static void check(const struct emit_view *view, const char *condition, const char *message, const char *place, struct text *out)
{
    text_print(out, "ASSERT(%s, ", condition);
    const char *suffix = place[0] != '\0' ? arena_format(view->arena, " [%s]", place) : "";
    quote_ld_string(out, arena_format(view->arena, "heliaplacement: %s%s", message, suffix));
    text_add(out, ")\n");
}

/* ---- symbols ---- */

static void add_size(struct text *sum, const char *section)
{
    text_print(sum, "%sSIZEOF(%s)", sum->size == 0 ? "" : " + ", section);
}

/* Everything that stands in the memory: what runs there, and in the image region the load images of the others. */
static const char *used_sum(const struct emit_view *view, const struct emit_memory *target, bool program)
{
    struct text sum = text_start(view->arena);
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        for (enum section_kind kind = KIND_CODE; kind < KIND_COUNT; kind++) {
            bool is_load_image = target == view->image && section_is_copied(view, memory, kind);
            if (memory_has_section(memory, kind) && (memory == target || is_load_image)) {
                add_size(&sum, output_section_name(view, memory, kind));
            }
        }
    }
    if (target == view->image) {
        add_size(&sum, tables_name(view));
    }
    for (size_t i = 0; program && i < program_section_count; i++) {
        const struct program_section *section = &program_sections[i];
        if (program_memory(view, section->run) == target || program_memory(view, section->load) == target) {
            add_size(&sum, section->name);
        }
    }
    return sum.size == 0 ? "0" : sum.data;
}

void ld_region_symbols(const struct emit_view *view, bool program, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        if (!memory->is_linked) {
            continue;
        }
        const char *m = memory->lower;
        text_print(out, "__hp_%s_start = 0x%08" PRIx64 ";\n", m, memory->origin);
        text_print(out, "__hp_%s_size = %" PRIu64 ";\n", m, memory->length);
        text_print(out, "__hp_%s_used = %s;\n", m, used_sum(view, memory, program));
        text_print(out, "__hp_%s_free = __hp_%s_size - __hp_%s_used;\n", m, m, m);
    }
    text_add(out, "\n");
}

/* ---- checks ---- */

static const char *window_place(const struct emit_view *view, const struct emit_memory *memory)
{
    return span_place(view, memory->window != NULL ? memory->window->span : memory->region->span);
}

void ld_geometry_checks(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        if (!memory->is_linked) {
            continue;
        }
        struct text name = text_start(view->arena);
        quote_ld_name(&name, memory->linker_name);
        const char *place = window_place(view, memory);
        check(view, arena_format(view->arena, "ORIGIN(%s) == 0x%08" PRIx64, name.data, memory->origin),
              arena_format(view->arena, "region origin %s need 0x%08" PRIx64 " have another ORIGIN(%s)", memory->name,
                           memory->origin, memory->linker_name),
              place, out);
        check(view, arena_format(view->arena, "LENGTH(%s) == %" PRIu64, name.data, memory->length),
              arena_format(view->arena, "region length %s need %" PRIu64 " have another LENGTH(%s)", memory->name, memory->length,
                           memory->linker_name),
              place, out);
    }
}

/* An empty section may have been dropped, and then its address means nothing. */
static void check_inside(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind, struct text *out)
{
    const char *section = output_section_name(view, memory, kind);
    uint64_t end = memory->origin + memory->length;
    struct text condition = text_start(view->arena);
    text_print(&condition, "SIZEOF(%s) == 0 || (", section);
    if (memory->origin > 0) {
        text_print(&condition, "ADDR(%s) >= 0x%08" PRIx64 " && ", section, memory->origin);
    }
    text_print(&condition, "ADDR(%s) + SIZEOF(%s) <= 0x%08" PRIx64 ")", section, section, end);
    const char *message =
        arena_format(view->arena, "%s outside %s need an address from 0x%08" PRIx64 " to 0x%08" PRIx64 " have another", section,
                     memory->name, memory->origin, end);
    check(view, condition.data, message, window_place(view, memory), out);
}

static void check_load_address(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind,
                               struct text *out)
{
    const char *section = output_section_name(view, memory, kind);
    check(view, arena_format(view->arena, "SIZEOF(%s) == 0 || LOADADDR(%s) %% 4 == 0", section, section),
          arena_format(view->arena, "load address of %s %s need a multiple of 4 have another", section, memory->name), "", out);
}

struct planned_bytes {
    uint64_t bytes;
    const char *place;
};

static void add_planned(struct planned_bytes *planned, uint64_t bytes, const char *place)
{
    planned->bytes += bytes;
    if (planned->place[0] == '\0') {
        planned->place = place;
    }
}

/* Arena bytes that a section must hold. Buffers of the caller (allocate_arenas: false) are not ours to count. */
static struct planned_bytes planned_in(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind)
{
    struct planned_bytes planned = {0, ""};
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        struct arena_place place = arena_place(view, arena);
        if (arena_has_array(view, arena) && place.memory == memory && place.kind == kind) {
            add_planned(&planned, arena->total_size, arena_rule_place(view, arena));
        }
        if (!arena_is_staged(arena)) {
            continue;
        }
        struct arena_place source = arena_source_place(view, arena);
        if (source.memory == memory && source.kind == kind) {
            add_planned(&planned, arena->total_size, arena_rule_place(view, arena));
        }
    }
    return planned;
}

static void check_planned(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind,
                          bool empty_passes, struct text *out)
{
    struct planned_bytes planned = planned_in(view, memory, kind);
    if (planned.bytes == 0) {
        return;
    }
    const char *section = output_section_name(view, memory, kind);
    const char *escape = empty_passes ? arena_format(view->arena, "SIZEOF(%s) == 0 || ", section) : "";
    check(view, arena_format(view->arena, "%sSIZEOF(%s) >= %" PRIu64, escape, section, planned.bytes),
          arena_format(view->arena, "planned arenas in %s need %" PRIu64 " have fewer bytes in %s (is %s_arenas.c linked?)",
                       memory->name, planned.bytes, section, view->prefix),
          planned.place, out);
}

static const char *budget_place(const struct emit_view *view, const struct emit_memory *memory)
{
    if (memory->problem_memory == UINT32_MAX) {
        return window_place(view, memory);
    }
    const char *place = span_place(view, view->problem->memories[memory->problem_memory].limit_span);
    return place[0] != '\0' ? place : window_place(view, memory);
}

static void check_sum(const struct emit_view *view, const struct emit_memory *memory, struct text *out)
{
    check(view, arena_format(view->arena, "__hp_%s_used <= %" PRIu64, memory->lower, memory->length),
          arena_format(view->arena, "sections in %s need more have %" PRIu64, memory->name, memory->length),
          budget_place(view, memory), out);
}

void ld_section_checks(const struct emit_view *view, bool empty_passes, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        for (enum section_kind kind = KIND_CODE; kind < KIND_COUNT; kind++) {
            if (!memory_has_section(memory, kind)) {
                continue;
            }
            check_inside(view, memory, kind, out);
            if (section_is_copied(view, memory, kind)) {
                check_load_address(view, memory, kind, out);
            }
            check_planned(view, memory, kind, empty_passes, out);
        }
        if (memory->is_linked) {
            check_sum(view, memory, out);
        }
    }
}

void emit_checks_ld(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_print(out, "/* Last: after MEMORY, and after SECTIONS with %s_sections.ld. */\n\n", view.prefix);
    ld_region_symbols(&view, false, out);
    ld_geometry_checks(&view, out);
    ld_section_checks(&view, false, out);
}
