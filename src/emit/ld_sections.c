/* The output sections of arenas and section macros, and the tables that say what is copied and zeroed at start.
 *
 * Their order keeps every loadable segment either writable or executable with GNU ld, which joins sections into one segment as
 * long as the distance between run and load address stays the same: the tables, which are never empty and stand in the image
 * region, part the code that is copied from the data that is copied. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/ld.h"
#include "emit/quote.h"

/* ": ALIGN(8)" keeps run and load address whole words, ". = ALIGN(8)" the size. */
#define SECTION_ALIGNMENT 8

static void section_open(const char *name, bool has_no_bytes, struct text *out)
{
    text_print(out, "    %s%s : ALIGN(%d)\n    {\n", name, has_no_bytes ? " (NOLOAD)" : "", SECTION_ALIGNMENT);
}

static void section_close(const struct emit_memory *run, const struct emit_memory *load, struct text *out)
{
    text_print(out, "        . = ALIGN(%d);\n    } > ", SECTION_ALIGNMENT);
    quote_ld_name(out, run->linker_name);
    text_add(out, " AT> ");
    quote_ld_name(out, load->linker_name);
    text_add(out, "\n");
}

static void rule_comment(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    const char *place = arena_rule_place(view, arena);
    text_print(out, " /* %" PRIu64 " bytes", arena->total_size);
    if (place[0] != '\0') {
        text_add(out, ", ");
        quote_comment(out, place);
    }
    text_add(out, " */\n");
}

static void arena_input(const struct emit_view *view, const struct arena_usage *arena, const char *section, struct text *out)
{
    text_print(out, "        KEEP(*(%s))", section);
    rule_comment(view, arena, out);
}

/* Arenas first, so that they stand at the start of their section, scratch last. KEEP: what the plan holds must be in the image.
 */
static void arena_inputs(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind, struct text *out)
{
    const struct memory_plan *plan = view->plan;
    for (size_t i = plan->arena_count; i-- > 0;) {
        struct arena_place place = arena_place(view, &plan->arenas[i]);
        if (place.memory == memory && place.kind == kind) {
            arena_input(view, &plan->arenas[i], place.section, out);
        }
    }
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (!arena_is_staged(&plan->arenas[i])) {
            continue;
        }
        struct arena_place source = arena_source_place(view, &plan->arenas[i]);
        if (source.memory == memory && source.kind == kind) {
            arena_input(view, &plan->arenas[i], source.section, out);
        }
    }
}

/* What the macros of the header put here. */
static void macro_inputs(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind, struct text *out)
{
    static const char *const starts[KIND_COUNT] = {
        [KIND_CODE] = ".text.hp", [KIND_BSS] = ".bss.hp",           [KIND_RODATA] = ".rodata.hp",
        [KIND_DATA] = ".data.hp", [KIND_NOINIT] = ".bss.hp_noinit", [KIND_ARENA] = NULL,
    };
    if (starts[kind] != NULL) {
        text_print(out, "        *(%s.%s.%s.*)\n", starts[kind], view->prefix, memory->lower);
    }
}

static void section_symbols(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind,
                            struct text *out)
{
    const char *section = output_section_name(view, memory, kind);
    const char *symbol = arena_format(view->arena, "__hp_%s_%s_%s", view->prefix, section_kinds[kind].name, memory->lower);
    text_print(out, "    %s_start = ADDR(%s);\n", symbol, section);
    text_print(out, "    %s_end = ADDR(%s) + SIZEOF(%s);\n", symbol, section, section);
    text_print(out, "    %s_load = LOADADDR(%s);\n", symbol, section);
}

static void section(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind, struct text *out)
{
    if (!memory_has_section(memory, kind)) {
        return;
    }
    section_open(output_section_name(view, memory, kind), section_kinds[kind].has_no_bytes && memory->is_writable, out);
    arena_inputs(view, memory, kind, out);
    macro_inputs(view, memory, kind, out);
    section_close(memory, section_is_copied(view, memory, kind) ? view->image : memory, out);
    section_symbols(view, memory, kind, out);
    text_add(out, "\n");
}

static bool is_in_phase(const struct emit_memory *memory, unsigned phase)
{
    return memory->region->needs_power == (phase == 1);
}

static void table_entry(const char *section, bool is_copy, struct text *out)
{
    if (is_copy) {
        text_print(out, "        LONG(LOADADDR(%s)) ", section);
    } else {
        text_add(out, "        ");
    }
    text_print(out, "LONG(ADDR(%s)) LONG(SIZEOF(%s) / 4)\n", section, section);
}

static void table(const struct emit_view *view, unsigned phase, bool is_copy, struct text *out)
{
    const char *symbol = arena_format(view->arena, "__hp_%s_%s_table%u", view->prefix, is_copy ? "copy" : "zero", phase);
    text_print(out, "        %s_start__ = .;\n", symbol);
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        for (enum section_kind kind = KIND_CODE; kind < KIND_COUNT; kind++) {
            bool wanted = is_copy ? section_is_copied(view, memory, kind) : section_kinds[kind].is_zeroed && memory->is_writable;
            if (wanted && is_in_phase(memory, phase) && memory_has_section(memory, kind)) {
                table_entry(output_section_name(view, memory, kind), is_copy, out);
            }
        }
    }
    text_print(out, "        %s_end__ = .;\n", symbol);
}

/* The anchor is a read-only object of the generated C file: without a read-only input, linkers make a section of numbers
 * writable. */
static void tables(const struct emit_view *view, struct text *out)
{
    text_print(out, "    /* {load address, run address, words} to copy, {run address, words} to zero; 1: after power-up. */\n");
    section_open(arena_format(view->arena, ".hp.%s.tables", view->prefix), false, out);
    text_print(out, "        KEEP(*(.rodata.hp_anchor.%s))\n        . = ALIGN(%d);\n", view->prefix, SECTION_ALIGNMENT);
    for (unsigned phase = 0; phase < 2; phase++) {
        table(view, phase, true, out);
        table(view, phase, false, out);
    }
    section_close(view->image, view->image, out);
    text_add(out, "\n");
}

void ld_section_body(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        section(view, &view->memories[i], KIND_CODE, out);
    }
    /* Not loaded. It stands right before the tables because LLD lets an empty section inherit from the one before it that it is
     * not loaded, and the tables are never empty; and not last, because what follows our sections may count on the address. */
    text_add(out, "    .helia.plan 0 : { KEEP(*(.helia.plan)) }\n\n");
    tables(view, out);
    for (size_t i = 0; i < view->memory_count; i++) {
        for (enum section_kind kind = KIND_CODE + 1; kind < KIND_COUNT; kind++) {
            section(view, &view->memories[i], kind, out);
        }
    }
}

static void name_undeclared(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        if (memory->is_linked && memory->window == NULL) {
            text_print(out,
                       "/* No script of this profile knows %s, so yours must: MEMORY { %s (rw) : ORIGIN = 0x%08" PRIx64
                       ", LENGTH = %" PRIu64 " } */\n",
                       memory->name, memory->name, memory->origin, memory->length);
        }
    }
}

void emit_sections_ld(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_print(out,
               "/* INCLUDE %s_sections.ld inside SECTIONS, after the vectors and before *(.text*), *(.data*) and *(.bss*). */\n",
               view.prefix);
    name_undeclared(&view, out);
    text_add(out, "\n");
    ld_section_body(&view, out);
}
