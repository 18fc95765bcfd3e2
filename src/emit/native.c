#include "emit/native.h"

#include "emit/constants.h"
#include "emit/header.h"

const char *native_section(const struct emit_memory *memory, enum section_kind kind)
{
    const struct native_sections *native = memory->native;
    if (native == NULL) {
        return NULL;
    }
    switch (kind) {
    case KIND_BSS:
    case KIND_ARENA:
        return native->bss;
    case KIND_DATA:
        return native->data;
    case KIND_CODE:
        return native->code;
    case KIND_RODATA:
        return native->rodata;
    case KIND_NOINIT: /* a script that zeroes .bss would break the promise silently */
    case KIND_COUNT:
        break;
    }
    return NULL;
}

const struct emit_memory *native_code_tcm(const struct emit_view *view)
{
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        const char *code = native_section(memory, KIND_CODE);
        if (memory->region->tier == TIER_TCM && code != NULL && code[0] != '\0') {
            return memory;
        }
    }
    return NULL;
}

static bool check_place(const struct emit_view *view, struct diagnostics *diagnostics, const struct arena_place *place,
                        const char *symbol)
{
    if (place->section != NULL) {
        return true;
    }
    const struct linker_profile *profile = view->problem->profile;
    struct diag *diag = diag_report(diagnostics, DIAG_NATIVE_SECTION, profile->span,
                                    "the linker script of profile %s collects no section in %s that could hold %s", profile->name,
                                    place->memory->name, symbol);
    diag_note(diagnostics, diag, SPAN_NONE, "put it into another memory, or use --sections own with the generated scripts");
    return false;
}

bool native_check(const struct emit_request *request, struct arena *scratch, struct diagnostics *diagnostics)
{
    struct emit_view view = emit_view_make(request, scratch);
    bool is_good = true;
    for (size_t i = 0; request->sections == SECTIONS_NATIVE && i < view.plan->arena_count; i++) {
        const struct arena_usage *arena = &view.plan->arenas[i];
        if (arena_has_array(&view, arena)) {
            struct arena_place place = arena_place(&view, arena);
            is_good = check_place(&view, diagnostics, &place, arena->symbol) && is_good;
        }
        if (arena_is_staged(arena) && arena_has_blob(arena)) {
            struct arena_place place = arena_source_place(&view, arena);
            is_good = check_place(&view, diagnostics, &place, arena->source_symbol) && is_good;
        }
    }
    return is_good;
}
