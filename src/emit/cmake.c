/* <prefix>.cmake: what a CMake project needs, relative to the folder that the file stands in. */
#include "emit/emit.h"
#include "emit/quote.h"
#include "emit/view.h"

static void files(const char *variable, const char *const *names, size_t count, struct text *out)
{
    text_print(out, "set(%s", variable);
    for (size_t i = 0; i < count; i++) {
        text_print(out, "\n    \"${CMAKE_CURRENT_LIST_DIR}/%s\"", names[i]);
    }
    text_add(out, ")\n");
}

static void files_of_kind(const struct emit_view *view, const char *variable, const struct artifact_list *artifacts,
                          const char *ending, struct text *out)
{
    const char **names = ARENA_ARRAY(view->arena, const char *, artifacts->count);
    size_t count = 0;
    for (size_t i = 0; i < artifacts->count; i++) {
        if (text_ends_with(artifacts->items[i].name, ending)) {
            names[count++] = artifacts->items[i].name;
        }
    }
    files(variable, names, count, out);
}

static void file(const struct emit_view *view, const char *variable, const char *ending, struct text *out)
{
    const char *name = arena_format(view->arena, "%s%s", view->prefix, ending);
    files(variable, &name, 1, out);
}

void emit_cmake(const struct emit_request *request, const struct artifact_list *artifacts, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    text_add(out, "# ");
    emit_banner(&view, out);
    text_add(out, "\n\n");
    text_print(out, "set(HP_PREFIX %s)\nset(HP_PLAN_HASH %s)\n", view.prefix, view.plan->hash);
    text_add(out, "set(HP_INCLUDE_DIRECTORIES \"${CMAKE_CURRENT_LIST_DIR}\")\n");
    text_print(out, "set(HP_LINK_OPTIONS \"%s\")\n", linker_flag(request));
    text_add(out, "set(HP_LINK_DIRECTORIES \"${CMAKE_CURRENT_LIST_DIR}\")\n");
    const char *const sources[] = {
        arena_format(view.arena, "%s_arenas.c", view.prefix),
        arena_format(view.arena, "%s_constants.S", view.prefix),
    };
    files("HP_SOURCES", sources, 2, out);
    file(&view, "HP_HEADERS", "_arenas.h", out);
    files_of_kind(&view, "HP_BLOBS", artifacts, ".bin", out);
    files_of_kind(&view, "HP_LDSCRIPTS", artifacts, ".ld", out);
    if (request->sections == SECTIONS_OWN) {
        file(&view, "HP_MEMORY_SCRIPT", "_memory.ld", out);
        file(&view, "HP_SECTIONS_SCRIPT", "_sections.ld", out);
        file(&view, "HP_CHECKS_SCRIPT", "_checks.ld", out);
        file(&view, "HP_INSERT_SCRIPT", "_insert.ld", out);
        file(&view, "HP_FULL_SCRIPT", "_full.ld", out);
    }
    file(&view, "HP_PLAN", "_plan.json", out);
}
