/* <prefix>.mk: what a Makefile needs, relative to the folder that the file stands in. */
#include "emit/emit.h"
#include "emit/quote.h"
#include "emit/view.h"

void emit_make(const struct emit_request *request, const struct artifact_list *artifacts, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    const char *p = view.prefix;
    text_add(out, "# ");
    emit_banner(&view, out);
    bool is_native = request->sections == SECTIONS_NATIVE;
    text_add(out, is_native ? "\n# The profile's own linker script collects everything.\n\nHP_METHOD := NATIVE\n"
                            : "\n# HP_METHOD, set before the include: FULL (default), INCLUDE or INSERT.\n\nHP_METHOD ?= FULL\n");
    text_print(out, "%s_DIR := $(patsubst %%/,%%,$(dir $(lastword $(MAKEFILE_LIST))))\n", view.upper);
    const char *d = arena_format(view.arena, "$(%s_DIR)", view.upper);
    text_print(out, "HP_PLAN_HASH := %s\n", view.plan->hash);
    text_print(out, "HP_CPPFLAGS := -I%s\n", d);
    text_print(out, "HP_HEADERS := %s/%s_arenas.h\n", d, p);
    text_print(out, "HP_SOURCES := %s/%s_arenas.c %s/%s_constants.S\n", d, p, d, p);
    text_print(out, "HP_OBJS := %s/%s_arenas.o %s/%s_constants.o\n", d, p, d, p);
    text_add(out, "HP_BLOBS :=");
    for (size_t i = 0; i < artifacts->count; i++) {
        if (text_ends_with(artifacts->items[i].name, ".bin")) {
            text_print(out, " %s/%s", d, artifacts->items[i].name);
        }
    }
    text_print(out, "\nHP_PLAN := %s/%s_plan.json\n", d, p);
    if (is_native) {
        text_print(out, "HP_LDFLAGS := %s\nHP_LDSCRIPTS :=\n", linker_flag(request));
        return;
    }
    text_print(out, "HP_LDFLAGS_FULL := -L%s -T%s/%s_full.ld\n", d, d, p);
    text_print(out, "HP_LDFLAGS_INCLUDE := -L%s\n", d);
    text_print(out, "HP_LDFLAGS_INSERT := -L%s -Wl,-T,%s/%s_insert.ld %s/%s_checks.ld\n", d, d, p, d, p);
    text_print(out, "HP_LDSCRIPTS_FULL := %s/%s_full.ld\n", d, p);
    text_print(out, "HP_LDSCRIPTS_INCLUDE := %s/%s_memory.ld %s/%s_sections.ld %s/%s_checks.ld\n", d, p, d, p, d, p);
    text_print(out, "HP_LDSCRIPTS_INSERT := %s/%s_insert.ld %s/%s_checks.ld\n", d, p, d, p);
    text_print(out, "HP_LDFLAGS := %s$(HP_LDFLAGS_$(HP_METHOD))\n",
               request->linker == FLAGS_FOR_ANY ? "" : arena_format(view.arena, "%s ", linker_flag(request)));
    text_add(out, "HP_LDSCRIPTS := $(HP_LDSCRIPTS_$(HP_METHOD))\n");
}
