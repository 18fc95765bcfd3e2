/* The same sections for a script that cannot be edited. The linker reads this file before that script, so nothing here may ask
 * for the origin or length of a region. */
#include "emit/emit.h"
#include "emit/ld.h"

void emit_insert_ld(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_print(
        out,
        "/* The first -T, before that of the script it adds to: -Wl,-T,%s_insert.ld. GNU ld then warns that regions are not\n"
        " * declared and declared again, which is harmless; with --fatal-warnings use %s_sections.ld instead. */\n\n",
        view.prefix, view.prefix);
    ld_memory_block(&view, true, out);
    text_add(out, "SECTIONS\n{\n");
    ld_section_body(&view, out);
    text_add(out, "}\nINSERT AFTER .text;\n\n");
    ld_region_symbols(&view, false, out);
    ld_section_checks(&view, true, out);
}
