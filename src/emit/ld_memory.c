/* MEMORY and region aliases, for scripts that own no MEMORY block. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/ld.h"
#include "emit/quote.h"

/* Two memories of the SoC may share one linker region; it is declared once. */
static bool is_declared_before(const struct emit_view *view, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (view->memories[i].length > 0 && text_equal(view->memories[i].linker_name, view->memories[index].linker_name)) {
            return true;
        }
    }
    return false;
}

static bool is_region_name(const struct emit_view *view, const char *name)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        if (view->memories[i].length > 0 && text_equal(view->memories[i].linker_name, name)) {
            return true;
        }
    }
    return false;
}

static void memory_line(const struct emit_view *view, const struct emit_memory *memory, struct text *out)
{
    text_add(out, "    ");
    quote_ld_name(out, memory->linker_name);
    text_print(out, " (r%s%s) : ORIGIN = 0x%08" PRIx64 ", LENGTH = %" PRIu64 " /* %s", memory->is_writable ? "w" : "",
               memory->is_executable ? "x" : "", memory->origin, memory->length, memory->name);
    const char *place = span_place(view, memory->window != NULL ? memory->window->span : memory->region->span);
    if (place[0] != '\0') {
        text_add(out, ", ");
        quote_comment(out, place);
    }
    text_add(out, " */\n");
}

void ld_memory_block(const struct emit_view *view, bool only_unnamed, struct text *out)
{
    bool is_open = false;
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        bool wanted = only_unnamed ? memory->is_linked && memory->window == NULL : memory->length > 0;
        if (!wanted || is_declared_before(view, i)) {
            continue;
        }
        if (!is_open) {
            text_add(out, "MEMORY\n{\n");
        }
        is_open = true;
        memory_line(view, memory, out);
    }
    if (is_open) {
        text_add(out, "}\n");
    }
}

void ld_memory_aliases(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        if (memory->length == 0 || is_region_name(view, memory->name)) {
            continue;
        }
        text_print(out, "REGION_ALIAS(\"%s\", ", memory->name);
        quote_ld_name(out, memory->linker_name);
        text_add(out, ")\n");
    }
}

void emit_memory_ld(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_add(out, "/* For scripts without a MEMORY block of their own; a region must not be declared twice. */\n\n");
    ld_memory_block(&view, false, out);
    ld_memory_aliases(&view, out);
}
