/* The header's section macros: the names that heliaAOT's modules expect of an attribute header, and a few more. */
#include "base/text.h"
#include "emit/header.h"
#include "emit/native.h"
#include "emit/quote.h"

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

/* ---- what a macro says ---- */

struct macro_kind {
    const char *suffix;
    const char *ram_start; /* input section without the model's and the memory's name */
    const char *nvm_start; /* in memory that keeps its bytes; NULL: the same */
    enum section_kind ram_kind, nvm_kind;
};
static const struct macro_kind macro_kinds[] = {
    {"", ".bss.hp", ".rodata.hp", KIND_BSS, KIND_RODATA},
    {"_INIT", ".data.hp", ".rodata.hp", KIND_DATA, KIND_RODATA},
    {"_NOINIT", ".bss.hp_noinit", NULL, KIND_NOINIT, KIND_NOINIT},
    {"_CONST", ".rodata.hp", NULL, KIND_RODATA, KIND_RODATA},
    {"_CODE", ".text.hp", NULL, KIND_CODE, KIND_CODE},
};
#define MACRO_KIND_COUNT (sizeof macro_kinds / sizeof macro_kinds[0])

static bool is_code(const struct macro_kind *kind)
{
    return kind->ram_kind == KIND_CODE;
}

/* One of the two is NULL. */
struct macro_value {
    const char *text;
    const char *obstacle; /* why the macro cannot work */
};

static struct macro_value obstacle(const char *text)
{
    return (struct macro_value){.obstacle = text};
}

static struct macro_value own_value(const struct emit_view *view, const struct emit_memory *memory, const struct macro_kind *kind)
{
    bool must_be_written = kind->ram_kind == KIND_NOINIT;
    if (is_code(kind) && !memory->is_executable) {
        return obstacle("code cannot run there");
    }
    if (must_be_written && !memory->is_writable) {
        return obstacle("it cannot be written");
    }
    const char *start = memory->is_writable || kind->nvm_start == NULL ? kind->ram_start : kind->nvm_start;
    return (struct macro_value){.text = arena_format(view->arena, "%s_HP_PUT%s(\"%s.%s.%s\")", view->upper,
                                                     is_code(kind) ? "_CODE" : "", start, view->prefix, memory->lower)};
}

static struct macro_value named_value(const struct emit_view *view, const char *section, bool is_function)
{
    const char *start = is_function ? "__attribute__((noinline)) " : "";
    return (struct macro_value){.text = arena_format(view->arena, "%s%s_HP_SECTION(\"%s\")", start, view->upper, section)};
}

/* A memory that the script fills with code alone takes it by the plain macros too, without which a module that puts its kernels
 * there would not compile. */
static struct macro_value native_value(const struct emit_view *view, const struct emit_memory *memory,
                                       const struct macro_kind *kind)
{
    const char *code = native_section(memory, KIND_CODE);
    bool only_code = native_section(memory, KIND_BSS) == NULL && native_section(memory, KIND_DATA) == NULL && code != NULL;
    bool is_plain = kind->ram_kind == KIND_BSS || kind->ram_kind == KIND_DATA;
    const char *section = native_section(memory, memory->is_writable ? kind->ram_kind : kind->nvm_kind);
    if (section == NULL && only_code && is_plain && memory->is_writable) {
        section = code;
    }
    if (section == NULL) {
        return obstacle(
            arena_format(view->arena, "the linker script of profile %s collects nothing for it", view->problem->profile->name));
    }
    return section[0] == '\0' ? (struct macro_value){.text = ""} : named_value(view, section, is_code(kind));
}

static struct macro_value value_of(const struct emit_view *view, const struct emit_memory *memory, const struct macro_kind *kind)
{
    if (!memory->is_linked) {
        return obstacle(arena_format(view->arena, "profile %s has no window there; memory.constraints: [{name: %s}] asks for it",
                                     view->problem->profile->name, memory->name));
    }
    return view->request->sections == SECTIONS_NATIVE ? native_value(view, memory, kind) : own_value(view, memory, kind);
}

/* ---- writing them ---- */

static void guarded(const char *name, const char *value, struct text *out)
{
    text_print(out, "#ifndef %s\n#define %s%s%s\n#endif\n", name, name, value[0] != '\0' ? " " : "", value);
}

static const char *macro_name(const struct emit_view *view, const char *memory, const char *suffix)
{
    return arena_format(view->arena, "%s_PUT_IN_%s%s", view->upper, memory, suffix);
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

/* A compile-time error where it is used, and nothing where a default will do. */
static void macro_error(const struct emit_view *view, const char *memory, const char *suffix, const char *reason,
                        struct text *out)
{
    const char *name = macro_name(view, memory, suffix);
    struct text value = text_start(view->arena);
    text_print(&value, "%s_HP_ERROR(", view->upper);
    quote_c_string(&value, arena_format(view->arena, "%s: %s; the memories of %s are %s", name, reason, view->problem->soc->name,
                                        memory_names(view)));
    text_add(&value, ")");
    guarded(name, value.data, out);
    guarded(arena_format(view->arena, "%s_OR_DEFAULT", name), "", out);
}

static void macro(const struct emit_view *view, const char *memory, const char *suffix, struct macro_value value,
                  struct text *out)
{
    if (value.obstacle != NULL) {
        macro_error(view, memory, suffix, value.obstacle, out);
        return;
    }
    const char *name = macro_name(view, memory, suffix);
    guarded(name, value.text, out);
    guarded(arena_format(view->arena, "%s_OR_DEFAULT", name), name, out);
}

static void qualifier(const struct emit_view *view, const char *memory, bool is_writable, struct text *out)
{
    guarded(arena_format(view->arena, "%s_%s_INIT_QUALIFIER", view->upper, memory), is_writable ? "" : "const", out);
    text_add(out, "\n");
}

/* Memories that portable code names whatever the SoC. */
static const char *const well_known[] = {"DTCM", "ITCM", "SRAM", "MRAM", "PSRAM", "DRAM"};

/* A script with one TCM for code and data serves what asks for an ITCM. */
static struct macro_value missing_value(const struct emit_view *view, const char *name, const struct macro_kind *kind)
{
    const struct emit_memory *tcm = native_code_tcm(view);
    bool wants_code = is_code(kind) || kind->ram_kind == KIND_BSS || kind->ram_kind == KIND_DATA;
    if (view->request->sections == SECTIONS_NATIVE && text_equal(name, "ITCM") && tcm != NULL && wants_code) {
        return named_value(view, native_section(tcm, KIND_CODE), is_code(kind));
    }
    return obstacle("the SoC has no such memory");
}

static void missing_memory_macros(const struct emit_view *view, struct text *out)
{
    for (size_t i = 0; i < sizeof well_known / sizeof well_known[0]; i++) {
        if (soc_find_region(view->problem->soc, well_known[i]) != REGION_NONE) {
            continue;
        }
        for (size_t k = 0; k < MACRO_KIND_COUNT; k++) {
            macro(view, well_known[i], macro_kinds[k].suffix, missing_value(view, well_known[i], &macro_kinds[k]), out);
        }
        qualifier(view, well_known[i], true, out);
    }
}

void emit_section_macros(const struct emit_view *view, struct text *out)
{
    support_macros(view, out);
    text_add(
        out,
        "/* Section macros, for definitions and not for declarations: none = zeroed, INIT = initialised, NOINIT, CONST, CODE. A\n"
        " * platform may define its own before. In memory that cannot be written, what INIT places must be const: the macro\n"
        " * *_INIT_QUALIFIER is const there. */\n");
    for (size_t i = 0; i < view->memory_count; i++) {
        const struct emit_memory *memory = &view->memories[i];
        for (size_t k = 0; k < MACRO_KIND_COUNT; k++) {
            macro(view, memory->name, macro_kinds[k].suffix, value_of(view, memory, &macro_kinds[k]), out);
        }
        qualifier(view, memory->name, memory->is_writable, out);
    }
    missing_memory_macros(view, out);
}
