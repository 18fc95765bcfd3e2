/* <prefix>_arenas.h: section macros, arena ids, sizes, tensor offsets, buffers and functions. */
#include "emit/header.h"

#include <inttypes.h>

#include "base/map.h"
#include "base/text.h"
#include "emit/emit.h"
#include "emit/quote.h"
#include "emit/view.h"

/* A number that the preprocessor and every dialect of C and C++ read alike. */
static const char *number(const struct emit_view *view, uint64_t value)
{
    return arena_format(view->arena, "%" PRIu64 "%s", value, value > UINT32_MAX ? "ull" : "u");
}

static void define(const struct emit_view *view, const char *name, const char *value, struct text *out)
{
    text_print(out, "#define %s_%s %s\n", view->upper, name, value);
}

/* ---- memories, arenas, tensors ---- */

static void region_constants(const struct emit_view *view, struct text *out)
{
    text_add(out, "/* What the plan may use of each memory, bytes. */\n");
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        if (memory->length == 0) {
            continue;
        }
        define(view, arena_format(view->arena, "REGION_%s_BASE", memory->name), number(view, memory->origin), out);
        define(view, arena_format(view->arena, "REGION_%s_SIZE", memory->name), number(view, memory->length), out);
    }
    text_add(out, "\n");
}

static void arena_constants(const struct emit_view *view, struct text *out)
{
    const struct memory_plan *plan = view->plan;
    text_add(out, "/* Arenas: id, size and alignment in bytes. */\nenum {\n");
    for (size_t i = 0; i < plan->arena_count; i++) {
        text_print(out, "    %s_ARENA_%s = %" PRIu32 ",\n", view->upper, arena_upper_name(view, &plan->arenas[i]),
                   plan->arenas[i].id);
    }
    text_print(out, "    %s_ARENA_COUNT = %zu\n};\n", view->upper, plan->arena_count);
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        const char *name = arena_upper_name(view, arena);
        define(view, arena_format(view->arena, "ARENA_%s_SIZE", name), number(view, arena->total_size), out);
        define(view, arena_format(view->arena, "ARENA_%s_ALIGNMENT", name), number(view, arena->alignment), out);
    }
    text_add(out, "\n");
}

static void tensor_constants(const struct emit_view *view, struct text *out)
{
    const struct memory_plan *plan = view->plan;
    text_add(out, "/* Tensors: arena, offset in it and size in bytes. */\n");
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        const struct tensor *tensor = &view->problem->model->tensors[allocation->tensor];
        const struct arena_usage *arena = arena_of_binding(plan, &allocation->binding);
        if (arena == NULL) {
            continue;
        }
        const char *u = view->upper;
        const char *id = quote_identifier_part(view->arena, tensor->id);
        text_print(out, "#define %s_TENSOR_%s_ARENA %s_ARENA_%s /* ", u, id, u, arena_upper_name(view, arena));
        quote_comment(out, tensor->name[0] != '\0' ? tensor->name : tensor->id);
        text_add(out, " */\n");
        text_print(out, "#define %s_TENSOR_%s_OFFSET %s\n", u, id, number(view, allocation->binding.offset));
        text_print(out, "#define %s_TENSOR_%s_SIZE %s\n", u, id, number(view, allocation->size));
    }
    text_add(out, "\n");
}

bool header_check_tensor_names(const struct emit_request *request, struct arena *scratch, struct diagnostics *diagnostics)
{
    const struct memory_plan *plan = request->plan;
    const struct model *model = plan->problem->model;
    struct map names = map_start(scratch);
    bool is_unique = true;
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor *tensor = &model->tensors[plan->allocations[i].tensor];
        const char *name = quote_identifier_part(scratch, tensor->id);
        uint32_t other = 0;
        if (map_add(&names, name, plan->allocations[i].tensor, &other) || other == plan->allocations[i].tensor) {
            continue;
        }
        struct diag *diag =
            diag_report(diagnostics, DIAG_TENSOR_NAME_CLASH, tensor->span, "tensors '%s' and '%s' would both be named %s in C",
                        model->tensors[other].id, tensor->id, name);
        diag_note(diagnostics, diag, model->tensors[other].span, "the first one is here");
        is_unique = false;
    }
    return is_unique;
}

/* ---- buffers and functions ---- */

bool arena_is_lendable(const struct arena_usage *arena)
{
    return arena->role != ROLE_CONSTANT || arena_is_staged(arena);
}

bool arena_has_array(const struct emit_view *view, const struct arena_usage *arena)
{
    return arena->total_size > 0 && (view->problem->allocate_arenas || !arena_is_lendable(arena));
}

bool arena_is_const(const struct emit_view *view, const struct arena_usage *arena)
{
    return arena_is_cold(view, arena) && !view_memory(view, arena->memory)->is_writable;
}

bool arena_is_in_assembler(const struct emit_view *view, const struct arena_usage *arena)
{
    return !arena_is_lendable(arena) || view->request->sections == SECTIONS_NATIVE;
}

bool arena_can_be_painted(const struct arena_usage *arena)
{
    return arena->role == ROLE_SCRATCH && arena->total_size > 0;
}

bool engine_uses_both_ends(const struct problem *problem)
{
    return problem->engine == ENGINE_TFLM || problem->engine == ENGINE_HELIA_RT;
}

bool plan_has_painted_arena(const struct memory_plan *plan)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (arena_can_be_painted(&plan->arenas[i])) {
            return true;
        }
    }
    return false;
}

static void buffer_declarations(const struct emit_view *view, struct text *out)
{
    const struct memory_plan *plan = view->plan;
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        const char *name = arena_upper_name(view, arena);
        if (arena_has_array(view, arena)) {
            text_print(out, "extern %sunsigned char %s[%s_ARENA_%s_SIZE];\n", arena_is_const(view, arena) ? "const " : "",
                       arena->symbol, view->upper, name);
        }
        if (arena_is_staged(arena) && arena->total_size > 0) {
            text_print(out, "extern const unsigned char %s[%s_ARENA_%s_SIZE];\n", arena->source_symbol, view->upper, name);
        }
    }
    if (plan->arena_count > 0) {
        text_print(out, "extern unsigned char *%s%s_arena_buffers[%s_ARENA_COUNT];\n",
                   view->problem->allocate_arenas ? "const " : "", view->prefix, view->upper);
    }
}

/* What a host needs to write the constants that the image does not bring. */
static void host_uploads(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        if (!arena_is_host_uploaded(view->problem, arena) || !arena_has_array(view, arena)) {
            continue;
        }
        const char *name = view_memory(view, arena->memory)->name;
        const char *u = view->upper;
        text_print(out,
                   "\n/* The image holds no byte of %s, and nothing here zeroes or copies it: once the memory has power, the\n"
                   " * host writes the file to the address, before the model runs. */\n",
                   arena->symbol);
        text_print(out, "#define %s_HOST_UPLOAD_%s_ADDRESS ((uintptr_t)%s)\n", u, name, arena->symbol);
        text_print(out, "#define %s_HOST_UPLOAD_%s_SIZE %s_ARENA_%s_SIZE\n", u, name, u, arena_upper_name(view, arena));
        text_print(out, "#define %s_HOST_UPLOAD_%s_FILE \"%s\"\n", u, name, arena_blob_name(view, arena));
    }
}

/* An interpreter allocates from both ends, so what it leaves is a gap; others leave the end of the arena. */
static void high_water_declarations(const struct emit_view *view, struct text *out)
{
    const char *p = view->prefix;
    const char *u = view->upper;
    if (!plan_has_painted_arena(view->plan)) {
        return;
    }
    text_print(out,
               "\n/* How much of a scratch arena a run really takes. With -D%s_ARENA_HIGH_WATER=1, for %s_arenas.c as well:\n"
               " * paint_arena fills it with a pattern (0: done; -1: no scratch arena, or no buffer yet), and after the run\n"
               " * arena_high_water tells the bytes that were written, in steps of 4: %s.\n"
               " * 0: nothing was, or paint_arena would have said -1. */\n",
               u, p,
               engine_uses_both_ends(view->problem) ? "all but the longest stretch that was not"
                                                    : "from the start of the arena to the last one");
    text_print(out, "#ifndef %s_ARENA_HIGH_WATER\n#define %s_ARENA_HIGH_WATER 0\n#endif\n#if %s_ARENA_HIGH_WATER\n", u, u, u);
    text_print(out, "int32_t %s_paint_arena(uint32_t id);\nsize_t %s_arena_high_water(uint32_t id);\n#endif\n", p, p);
}

static const char *init_contract(const struct emit_view *view)
{
    if (view->request->sections == SECTIONS_OWN) {
        return "Copies and zeroes what the section macros and arenas need.";
    }
    return "Zeroes persistent arenas; the profile's linker script and its startup see to all else, and must have set up\n"
           " * .data and .bss before. Call it in any case: a linker that drops unused sections keeps the arenas for its sake.\n"
           " *";
}

static void function_declarations(const struct emit_view *view, struct text *out)
{
    const char *p = view->prefix;
    text_print(out,
               "\n/* %s Phase 0: memories that are ready at reset.\n"
               " * Phase 1: those that need power, once they have it. 0: done; -1: no such phase. */\n"
               "int32_t %s_init_memory(int32_t phase);\n",
               init_contract(view), p);
    text_print(out,
               "\n/* Fills the arenas whose constants are staged, where the memory is ready. Weak: a definition elsewhere "
               "replaces it%s. */\n"
               "void %s_hydrate_constants(void);\n",
               view->problem->auto_hydrate_constants ? ".\n * Called by init_memory" : "", p);
    if (!view->problem->allocate_arenas) {
        text_print(
            out,
            "\n/* Lends a buffer to an arena, before init_memory or a call of hydrate_constants. 0: done; -1: unknown id, "
            "or an arena\n"
            " * that has its own bytes; -2: no buffer; -3: too small; -4: not aligned. What a persistent arena is lent must\n"
            " * be zero before the first run. */\n"
            "int32_t %s_bind_arena(uint32_t id, void *buffer, size_t size);\n",
            p);
    }
}

static void assertions(const struct emit_view *view, struct text *out)
{
    const struct memory_plan *plan = view->plan;
    text_add(out, "\n");
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        const char *name = arena_upper_name(view, arena);
        const char *u = view->upper;
        if (arena_has_array(view, arena)) {
            text_print(out, "%s_HP_ASSERT(sizeof(%s) == %s_ARENA_%s_SIZE, \"size of %s\");\n", u, arena->symbol, u, name,
                       arena->symbol);
        }
        text_print(out, "%s_HP_ASSERT((%s_ARENA_%s_ALIGNMENT & (%s_ARENA_%s_ALIGNMENT - 1u)) == 0u, \"alignment of %s\");\n", u,
                   u, name, u, name, arena->symbol);
    }
}

void emit_header(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_print(out, "#ifndef %s_ARENAS_H\n#define %s_ARENAS_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n", view.upper,
               view.upper);
    text_print(out, "#define %s_PLAN_HASH \"%s\"\n\n", view.upper, view.plan->hash);
    emit_section_macros(&view, out);
    region_constants(&view, out);
    arena_constants(&view, out);
    tensor_constants(&view, out);
    text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    buffer_declarations(&view, out);
    host_uploads(&view, out);
    function_declarations(&view, out);
    high_water_declarations(&view, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n");
    assertions(&view, out);
    text_print(out, "\n#endif\n");
}
