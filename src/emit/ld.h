/* Parts of linker scripts that several files share. The constructs are those that GNU ld 2.40 and LLD 14 read alike: no
 * ALIGN_WITH_INPUT, READONLY, TYPE=, OVERLAY, AT(address); no '.' in ASSERT; no ". = number" in an output section. */
#ifndef HELIA_EMIT_LD_H
#define HELIA_EMIT_LD_H

#include <stdbool.h>

#include "base/text.h"
#include "emit/view.h"

/* MEMORY { ... } of all memories that can be linked into; `only_unnamed`: of those alone that no script of the profile declares.
 * Writes nothing if there are none. */
void ld_memory_block(const struct emit_view *view, bool only_unnamed, struct text *out);
/* REGION_ALIAS lines; they must follow the MEMORY block. */
void ld_memory_aliases(const struct emit_view *view, struct text *out);
/* The inside of SECTIONS: sections, tables and the symbols around them. */
void ld_section_body(const struct emit_view *view, struct text *out);
/* __hp_<memory>_{start,size,used,free}. `program_sections`: a flat script's own sections count too. */
void ld_region_symbols(const struct emit_view *view, bool program_sections, struct text *out);
/* ASSERTs about addresses and sizes, with literal numbers only. `empty_passes`: a section that should hold arenas may be empty;
 * for a place where LLD looks at an ASSERT before it has laid out the sections, and again after. */
void ld_section_checks(const struct emit_view *view, bool empty_passes, struct text *out);
/* ASSERTs that the script's regions are the registry's windows; needs the MEMORY block before it. */
void ld_geometry_checks(const struct emit_view *view, struct text *out);

/* Sections of a flat script that are not ours, and where they run and are loaded from. */
enum program_place { PROGRAM_CODE, PROGRAM_DATA, PROGRAM_STACK, PROGRAM_IMAGE, PROGRAM_NOWHERE };
struct program_section {
    const char *name;
    enum program_place run;
    enum program_place load; /* PROGRAM_NOWHERE: no load image of its own */
};
extern const struct program_section program_sections[];
extern const size_t program_section_count;
const struct emit_memory *program_memory(const struct emit_view *view, enum program_place place);

#endif
