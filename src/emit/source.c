/* <prefix>_arenas.c: the buffers, and the code that fills them at start. */
#include <inttypes.h>

#include "emit/emit.h"
#include "emit/header.h"
#include "emit/templates.h"
#include "emit/view.h"

/* Arrays of cold constants are defined by the assembler file. */
static void array_definition(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    if (!arena_has_array(view, arena) || (arena->role == ROLE_CONSTANT && !arena_is_staged(arena))) {
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
        bool is_own = arena->role == ROLE_CONSTANT && !arena_is_staged(arena);
        if (is_own) {
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
    bool tracks_power = staged.any;
    const struct template_value values[] = {
        {"BANNER", banner(&view)},
        {"PREFIX", view.prefix},
        {"ARRAYS", arrays(&view)},
        {"BUFFERS", buffer_table(&view)},
        {"HYDRATION", hydration(&view, &staged)},
        {"BINDING", binding(&view)},
        {"POWER_OFF", tracks_power ? arena_format(view.arena, "        %s_is_powered = 0u;\n", view.prefix) : ""},
        {"POWER_ON", tracks_power ? arena_format(view.arena, "        %s_is_powered = 1u;\n", view.prefix) : ""},
        {"HYDRATE", hydration_call(&view, &staged)},
        {"ANCHOR", arena_format(view.arena, "0x%.8su", text_starts_with(view.plan->hash, "sha256:") ? view.plan->hash + 7 : "0")},
    };
    template_fill(out, template_arenas_c, values, sizeof values / sizeof values[0]);
}
