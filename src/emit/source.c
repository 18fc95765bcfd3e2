/* <prefix>_arenas.c: the buffers, and the code that fills them at start. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/header.h"
#include "emit/templates.h"
#include "emit/view.h"

static void array_definition(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    if (!arena_has_array(view, arena) || arena_is_in_assembler(view, arena)) {
        return;
    }
    const char *name = arena_upper_name(view, arena);
    text_print(out, "unsigned char %s[%s_ARENA_%s_SIZE]\n    __attribute__((section(\"%s\"), aligned(%s_ARENA_%s_ALIGNMENT)));\n",
               arena->symbol, view->upper, name, arena_place(view, arena).section, view->upper, name);
    text_print(out, "%s_HP_ASSERT(__alignof__(%s) >= %s_ARENA_%s_ALIGNMENT, \"alignment of %s\");\n\n", view->upper,
               arena->symbol, view->upper, name, arena->symbol);
}

static const char *arrays(const struct emit_view *view)
{
    struct text out = text_start(view->arena);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        array_definition(view, &view->plan->arenas[i], &out);
    }
    return out.data;
}

static const char *buffer_table(const struct emit_view *view)
{
    struct text out = text_start(view->arena);
    if (view->plan->arena_count == 0) {
        return out.data;
    }
    text_print(&out, "unsigned char *%s%s_arena_buffers[%s_ARENA_COUNT] = {\n", view->problem->allocate_arenas ? "const " : "",
               view->prefix, view->upper);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        const char *value = !arena_has_array(view, arena) ? "0" : arena->symbol;
        text_print(&out, "    %s%s,\n", arena_is_const(view, arena) && value[0] != '0' ? "(unsigned char *)" : "", value);
    }
    text_add(&out, "};\n");
    return out.data;
}

static bool needs_power(const struct emit_view *view, const struct arena_usage *arena)
{
    return view_memory(view, arena->memory)->region->needs_power || view_memory(view, arena->source_memory)->region->needs_power;
}

struct staged {
    const char *rows;
    bool any, any_needs_power;
};

static struct staged staged_arenas(const struct emit_view *view)
{
    struct staged staged = {0};
    struct text rows = text_start(view->arena);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        if (!arena_is_staged(arena) || arena->total_size == 0) {
            continue;
        }
        bool powered = needs_power(view, arena);
        const char *name = arena_upper_name(view, arena);
        text_print(&rows, "    {%s_ARENA_%s, %s, %s_ARENA_%s_SIZE, %du},\n", view->upper, name, arena->source_symbol, view->upper,
                   name, powered ? 1 : 0);
        staged.any = true;
        staged.any_needs_power = staged.any_needs_power || powered;
    }
    staged.rows = rows.data;
    return staged;
}

static const char *hydration_call(const struct emit_view *view, const struct staged *staged)
{
    if (!view->problem->auto_hydrate_constants || !staged->any) {
        return "";
    }
    const char *call = arena_format(view->arena, "%s_hydrate_constants();\n", view->prefix);
    return staged->any_needs_power ? arena_format(view->arena, "    %s", call)
                                   : arena_format(view->arena, "    if (phase == 0) {\n        %s    }\n", call);
}

static const char *hydration(const struct emit_view *view, const struct staged *staged)
{
    if (!staged->any) {
        return arena_format(view->arena, "__attribute__((weak)) void %s_hydrate_constants(void)\n{\n}\n", view->prefix);
    }
    const struct template_value values[] = {{"PREFIX", view->prefix}, {"STAGED", staged->rows}};
    struct text out = text_start(view->arena);
    template_fill(&out, template_hydrate_c, values, sizeof values / sizeof values[0]);
    return out.data;
}

/* Size and alignment of each arena that takes a buffer; 0 for those that have their own bytes. */
static const char *bind_rows(const struct emit_view *view)
{
    struct text rows = text_start(view->arena);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        const char *name = arena_upper_name(view, arena);
        if (!arena_is_lendable(arena)) {
            text_add(&rows, "    {0u, 0u},\n");
        } else {
            text_print(&rows, "    {%s_ARENA_%s_SIZE, %s_ARENA_%s_ALIGNMENT},\n", view->upper, name, view->upper, name);
        }
    }
    return rows.data;
}

static const char *binding(const struct emit_view *view)
{
    if (view->problem->allocate_arenas) {
        return "";
    }
    struct text out = text_start(view->arena);
    if (view->plan->arena_count == 0) {
        text_print(&out,
                   "int32_t %s_bind_arena(uint32_t id, void *buffer, size_t size)\n{\n    (void)id;\n    (void)buffer;\n"
                   "    (void)size;\n    return -1;\n}\n",
                   view->prefix);
        return out.data;
    }
    const struct template_value values[] = {{"PREFIX", view->prefix}, {"UPPER", view->upper}, {"ROWS", bind_rows(view)}};
    template_fill(&out, template_bind_c, values, sizeof values / sizeof values[0]);
    return out.data;
}

/* ---- start ---- */

/* Zeroed here whatever the profile's startup does with the section that they stand in. */
static const char *zero_persistent(const struct emit_view *view, bool with_power)
{
    struct text out = text_start(view->arena);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        if (arena->role == ROLE_PERSISTENT && arena_has_array(view, arena) && needs_power(view, arena) == with_power) {
            text_print(&out, "        %s_zero_bytes(%s, %s_ARENA_%s_SIZE);\n", view->prefix, arena->symbol, view->upper,
                       arena_upper_name(view, arena));
        }
    }
    return out.data;
}

struct start {
    const char *functions;
    const char *phases[2];
    const char *end;
};

static struct start own_start(const struct emit_view *view)
{
    const char *p = view->prefix;
    const char *hash = text_starts_with(view->plan->hash, "sha256:") ? view->plan->hash + 7 : "0";
    const struct template_value values[] = {{"PREFIX", p}, {"ANCHOR", arena_format(view->arena, "0x%.8su", hash)}};
    struct text functions = text_start(view->arena);
    template_fill(&functions, template_tables_c, values, sizeof values / sizeof values[0]);
    struct start start = {.functions = functions.data, .end = arena_format(view->arena, "    %s_barrier();\n", p)};
    for (int phase = 0; phase < 2; phase++) {
        start.phases[phase] = arena_format(view->arena,
                                           "        %s_copy(__hp_%s_copy_table%d_start__, __hp_%s_copy_table%d_end__);\n"
                                           "        %s_zero(__hp_%s_zero_table%d_start__, __hp_%s_zero_table%d_end__);\n",
                                           p, p, phase, p, phase, p, p, phase, p, phase);
    }
    return start;
}

/* The profile's script and startup do the rest. */
static struct start native_start(const struct emit_view *view)
{
    struct start start = {.functions = "", .end = ""};
    start.phases[0] = zero_persistent(view, false);
    start.phases[1] = zero_persistent(view, true);
    if (start.phases[0][0] != '\0' || start.phases[1][0] != '\0') {
        start.functions = arena_format(view->arena,
                                       "/* volatile keeps the compiler from making a call of memset out of the loop. */\n"
                                       "static void %s_zero_bytes(volatile unsigned char *bytes, size_t size)\n{\n    size_t i;\n"
                                       "    for (i = 0u; i < size; i++) {\n        bytes[i] = 0u;\n    }\n}\n\n",
                                       view->prefix);
    }
    if (view->plan->arena_count > 0) {
        start.end = arena_format(view->arena,
                                 "    /* Refers to all arenas, so that a linker does not drop those that nothing else does. */\n"
                                 "    __asm__ volatile(\"\" ::\"r\"(%s_arena_buffers) : \"memory\");\n",
                                 view->prefix);
    }
    return start;
}

static const char *phase_body(const struct emit_view *view, const struct start *start, int phase, bool tracks_power)
{
    const char *power = tracks_power ? arena_format(view->arena, "        %s_is_powered = %du;\n", view->prefix, phase) : "";
    return arena_format(view->arena, "%s%s", power, start->phases[phase]);
}

/* ---- high water ---- */

static const char *painted_sizes(const struct emit_view *view)
{
    struct text rows = text_start(view->arena);
    for (size_t i = 0; i < view->plan->arena_count; i++) {
        const struct arena_usage *arena = &view->plan->arenas[i];
        if (arena_can_be_painted(arena)) {
            text_print(&rows, "    %s_ARENA_%s_SIZE,\n", view->upper, arena_upper_name(view, arena));
        } else {
            text_add(&rows, "    0u,\n");
        }
    }
    return rows.data;
}

static const char *high_water(const struct emit_view *view)
{
    if (!plan_has_painted_arena(view->plan)) {
        return "";
    }
    bool both_ends = engine_uses_both_ends(view->problem);
    const struct template_value values[] = {
        {"PREFIX", view->prefix},
        {"UPPER", view->upper},
        {"SIZES", painted_sizes(view)},
        {"GAP", both_ends ? "    size_t longest_gap = 0u;\n" : ""},
        {"WRITTEN",
         both_ends ? "        if (i - gap_start > longest_gap) {\n            longest_gap = i - gap_start;\n        }\n" : ""},
        {"RESULT", both_ends ? "    if (size - gap_start > longest_gap) {\n        longest_gap = size - gap_start;\n    }\n"
                               "    return size - longest_gap;\n"
                             : "    return gap_start;\n"},
    };
    struct text out = text_start(view->arena);
    template_fill(&out, template_high_water_c, values, sizeof values / sizeof values[0]);
    return out.data;
}

static const char *banner(const struct emit_view *view)
{
    struct text out = text_start(view->arena);
    emit_banner_comment(view, &out);
    return out.data;
}

void emit_source(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    struct staged staged = staged_arenas(&view);
    struct start start = request->sections == SECTIONS_OWN ? own_start(&view) : native_start(&view);
    const struct template_value values[] = {
        {"BANNER", banner(&view)},
        {"PREFIX", view.prefix},
        {"ARRAYS", arrays(&view)},
        {"BUFFERS", buffer_table(&view)},
        {"START", start.functions},
        {"HYDRATION", hydration(&view, &staged)},
        {"PHASE0", phase_body(&view, &start, 0, staged.any)},
        {"PHASE1", phase_body(&view, &start, 1, staged.any)},
        {"END", start.end},
        {"HYDRATE", hydration_call(&view, &staged)},
        {"BINDING", binding(&view)},
        {"HIGH_WATER", high_water(&view)},
    };
    template_fill(out, template_arenas_c, values, sizeof values / sizeof values[0]);
}
