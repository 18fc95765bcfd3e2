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

/* ---- support ---- */

static void support_macros(const struct emit_view *view, struct text *out)
{
    const char *u = view->upper;
    text_print(out, "#define %s_HP_TEXT(text) #text\n", u);
    text_print(out, "#define %s_HP_EXPANDED(text) %s_HP_TEXT(text)\n", u, u);
    text_print(out, "#define %s_HP_SECTION(name) __attribute__((section(name)))\n", u);
    text_add(out, "/* A name of its own for every object, as data of different kinds must not share a section. */\n");
    text_print(out, "#define %s_HP_PUT(start) %s_HP_SECTION(start \".\" %s_HP_EXPANDED(__COUNTER__))\n", u, u, u);
    text_add(out, "/* A function in fast memory must not be inlined into its caller in slow memory. */\n");
    text_print(out, "#define %s_HP_PUT_CODE(start) __attribute__((noinline)) %s_HP_PUT(start)\n", u, u);
    text_print(out, "#define %s_HP_ERROR(text) _Pragma(%s_HP_TEXT(GCC error text))\n", u, u);
    text_print(out, "#if defined(__cplusplus)\n#define %s_HP_ASSERT(condition, text) static_assert(condition, text)\n", u);
    text_print(out, "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n");
    text_print(out, "#define %s_HP_ASSERT(condition, text) _Static_assert(condition, text)\n", u);
    text_print(out, "#else\n#define %s_HP_ASSERT(condition, text) extern char %s_hp_assertion[(condition) ? 1 : -1]\n#endif\n\n",
               u, view->prefix);
}

/* ---- section macros ---- */

struct macro_kind {
    const char *suffix;
    const char *ram_start; /* input section without the model's and the memory's name */
    const char *nvm_start; /* in memory that keeps its bytes; NULL: the same */
    bool is_code;
};
static const struct macro_kind macro_kinds[] = {
    {"", ".bss.hp", ".rodata.hp", false},  {"_INIT", ".data.hp", ".rodata.hp", false}, {"_NOINIT", ".bss.hp_noinit", NULL, false},
    {"_CONST", ".rodata.hp", NULL, false}, {"_CODE", ".text.hp", NULL, true},
};
#define MACRO_KIND_COUNT (sizeof macro_kinds / sizeof macro_kinds[0])

static void macro(const struct emit_view *view, const char *memory, const char *suffix, const char *value, struct text *out)
{
    const char *name = arena_format(view->arena, "%s_PUT_IN_%s%s", view->upper, memory, suffix);
    text_print(out, "#ifndef %s\n#define %s%s%s\n#endif\n", name, name, value[0] != '\0' ? " " : "", value);
}

/* Names of the SoC's memories that can be used, for messages. */
static const char *memory_names(const struct emit_view *view)
{
    struct text names = text_start(view->arena);
    for (size_t i = 0; i < view->memory_count; i++) {
        if (view->memories[i].is_linked) {
            text_print(&names, "%s%s", names.size == 0 ? "" : ", ", view->memories[i].name);
        }
    }
    return names.data;
}

static void macro_error(const struct emit_view *view, const char *memory, const char *suffix, const char *reason,
                        struct text *out)
{
    struct text value = text_start(view->arena);
    text_print(&value, "%s_HP_ERROR(", view->upper);
    quote_c_string(&value, arena_format(view->arena, "%s_PUT_IN_%s%s: %s; the memories of %s are %s", view->upper, memory, suffix,
                                        reason, view->problem->soc->name, memory_names(view)));
    text_add(&value, ")");
    macro(view, memory, suffix, value.data, out);
    macro(view, memory, arena_format(view->arena, "%s_OR_DEFAULT", suffix), "", out);
}

/* Why the macro cannot work; NULL if it can. */
static const char *macro_obstacle(const struct emit_view *view, const struct emit_memory *memory, const struct macro_kind *kind)
{
    if (!memory->is_linked) {
        return arena_format(view->arena, "profile %s has no window there", view->problem->profile->name);
    }
    if (kind->is_code && !memory->is_executable) {
        return "code cannot run there";
    }
    bool must_be_written = kind->nvm_start == NULL && !kind->is_code && kind->ram_start[1] == 'b';
    return must_be_written && !memory->is_writable ? "it cannot be written" : NULL;
}

static void memory_macro(const struct emit_view *view, const struct emit_memory *memory, const struct macro_kind *kind,
                         struct text *out)
{
    const char *obstacle = macro_obstacle(view, memory, kind);
    if (obstacle != NULL) {
        macro_error(view, memory->name, kind->suffix, obstacle, out);
        return;
    }
    const char *start = memory->is_writable || kind->nvm_start == NULL ? kind->ram_start : kind->nvm_start;
    macro(view, memory->name, kind->suffix,
          arena_format(view->arena, "%s_HP_PUT%s(\"%s.%s.%s\")", view->upper, kind->is_code ? "_CODE" : "", start, view->prefix,
                       memory->lower),
          out);
    macro(view, memory->name, arena_format(view->arena, "%s_OR_DEFAULT", kind->suffix),
          arena_format(view->arena, "%s_PUT_IN_%s%s", view->upper, memory->name, kind->suffix), out);
}

/* Memories that portable code names whatever the SoC. */
static const char *const well_known[] = {"DTCM", "ITCM", "SRAM", "MRAM", "PSRAM", "DRAM"};

static void missing_memory_macros(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < sizeof well_known / sizeof well_known[0]; i++) {
        if (soc_find_region(view->problem->soc, well_known[i]) != REGION_NONE) {
            continue;
        }
        text_add(out, "\n");
        for (size_t k = 0; k < MACRO_KIND_COUNT; k++) {
            macro_error(view, well_known[i], macro_kinds[k].suffix, "the SoC has no such memory", out);
        }
    }
}

static void section_macros(const struct emit_view *view, struct text *out)
{
    text_add(
        out,
        "/* Section macros, for definitions and not for declarations: none = zeroed, INIT = initialised, NOINIT, CONST, CODE. A\n"
        " * platform may define its own before. In memory that cannot be written, what INIT places must be const: the macro\n"
        " * *_INIT_QUALIFIER is const there. */\n");
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        for (size_t k = 0; k < MACRO_KIND_COUNT; k++) {
            memory_macro(view, memory, &macro_kinds[k], out);
        }
        text_print(out, "#define %s_%s_INIT_QUALIFIER%s\n\n", view->upper, memory->name, memory->is_writable ? "" : " const");
    }
    missing_memory_macros(view, out);
    text_add(out, "\n");
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

bool arena_has_array(const struct emit_view *view, const struct arena_usage *arena)
{
    bool is_cold = arena->role == ROLE_CONSTANT && !arena_is_staged(arena);
    return arena->total_size > 0 && (is_cold || view->problem->allocate_arenas);
}

bool arena_is_const(const struct emit_view *view, const struct arena_usage *arena)
{
    return arena->role == ROLE_CONSTANT && !arena_is_staged(arena) && !view_memory(view, arena->memory)->is_writable;
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

static void function_declarations(const struct emit_view *view, struct text *out)
{
    const char *p = view->prefix;
    text_print(
        out,
        "\n/* Copies and zeroes what the section macros and arenas need. Phase 0: memories that are ready at reset. Phase 1:\n"
        " * those that need power, once they have it. 0: done; -1: no such phase. */\n"
        "int32_t %s_init_memory(int32_t phase);\n",
        p);
    text_print(out,
               "\n/* Fills the arenas whose constants are staged, where the memory is ready. Weak: a definition elsewhere "
               "replaces it%s. */\n"
               "void %s_hydrate_constants(void);\n",
               view->problem->auto_hydrate_constants ? ".\n * Called by init_memory" : "", p);
    if (!view->problem->allocate_arenas) {
        text_print(out,
                   "\n/* Lends a buffer to an arena, before init_memory or a call of hydrate_constants. 0: done; -1: unknown id, "
                   "or an arena\n"
                   " * that has its own bytes; -2: no buffer; -3: too small; -4: not aligned. */\n"
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
    support_macros(&view, out);
    section_macros(&view, out);
    region_constants(&view, out);
    arena_constants(&view, out);
    tensor_constants(&view, out);
    text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    buffer_declarations(&view, out);
    function_declarations(&view, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n");
    assertions(&view, out);
    text_print(out, "\n#endif\n");
}
