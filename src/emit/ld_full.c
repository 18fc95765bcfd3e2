/* One complete flat script: memories, the program's own sections, ours, and the checks. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/ld.h"
#include "emit/quote.h"
#include "emit/templates.h"

/* As in templates/full.ld.in. */
const struct program_section program_sections[] = {
    {".isr_vector", PROGRAM_CODE, PROGRAM_NOWHERE},   {".text", PROGRAM_CODE, PROGRAM_NOWHERE},
    {".rodata", PROGRAM_CODE, PROGRAM_NOWHERE},       {".ARM.extab", PROGRAM_CODE, PROGRAM_NOWHERE},
    {".ARM.exidx", PROGRAM_CODE, PROGRAM_NOWHERE},    {".data", PROGRAM_DATA, PROGRAM_IMAGE},
    {".init_arrays", PROGRAM_IMAGE, PROGRAM_NOWHERE}, {".bss", PROGRAM_DATA, PROGRAM_NOWHERE},
    {".noinit", PROGRAM_DATA, PROGRAM_NOWHERE},       {".heap", PROGRAM_DATA, PROGRAM_NOWHERE},
    {".stack", PROGRAM_STACK, PROGRAM_NOWHERE},
};
const size_t program_section_count = sizeof program_sections / sizeof program_sections[0];

const struct emit_memory *program_memory(const struct emit_view *view, enum program_place place)
{
    switch (place) {
    case PROGRAM_CODE:
        return view->program;
    case PROGRAM_DATA:
        return view->data;
    case PROGRAM_STACK:
        return view->stack;
    case PROGRAM_IMAGE:
        return view->image;
    case PROGRAM_NOWHERE:
        break;
    }
    return NULL;
}

static const char *region_name(const struct emit_view *view, enum program_place place)
{
    struct text name = text_start(view->arena);
    quote_ld_name(&name, program_memory(view, place)->linker_name);
    return name.data;
}

typedef void writer(const struct emit_view *view, struct text *out);

static const char *written(const struct emit_view *view, writer *write)
{
    struct text out = text_start(view->arena);
    write(view, &out);
    return out.data;
}

static void memory_part(const struct emit_view *view, struct text *out)
{
    ld_memory_block(view, false, out);
    ld_memory_aliases(view, out);
}

static void check_part(const struct emit_view *view, struct text *out)
{
    ld_region_symbols(view, true, out);
    ld_geometry_checks(view, out);
    ld_section_checks(view, false, out);
}

/* Some chips keep a small memory for the stack alone. */
static const char *stack_size(const struct emit_view *view)
{
    const uint64_t usual = 0x2000;
    return arena_format(view->arena, "0x%" PRIx64, view->stack->length < usual ? view->stack->length : usual);
}

void emit_full_ld(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    const struct template_value values[] = {
        {"BANNER", written(&view, emit_banner_comment)},
        {"MEMORY", written(&view, memory_part)},
        {"SECTIONS", written(&view, ld_section_body)},
        {"CHECKS", written(&view, check_part)},
        {"CODE", region_name(&view, PROGRAM_CODE)},
        {"DATA", region_name(&view, PROGRAM_DATA)},
        {"STACK", region_name(&view, PROGRAM_STACK)},
        {"IMAGE", region_name(&view, PROGRAM_IMAGE)},
        {"STACK_SIZE", stack_size(&view)},
    };
    template_fill(out, template_full_ld, values, sizeof values / sizeof values[0]);
}
