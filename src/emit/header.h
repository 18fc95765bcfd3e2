/* What the generated header declares and the generated C file defines. */
#ifndef HELIA_EMIT_HEADER_H
#define HELIA_EMIT_HEADER_H

#include <stdbool.h>

#include "base/arena.h"
#include "emit/emit.h"
#include "emit/view.h"

/* False, with one finding a pair, if two tensors' ids make the same C name. */
MUST_CHECK bool header_check_tensor_names(const struct emit_request *request, struct arena *scratch,
                                          struct diagnostics *diagnostics);

/* The first part of the header: PUT_IN_<MEMORY> and its relatives. */
void emit_section_macros(const struct emit_view *view, struct text *out);

/* With allocate_arenas: false the caller brings the memory of these; the others' bytes have a place of their own. */
bool arena_is_lendable(const struct arena_usage *arena);
/* False: the caller lends the buffer, or the arena is empty. */
bool arena_has_array(const struct emit_view *view, const struct arena_usage *arena);
/* True for constants that are read in place in memory that cannot be written. */
bool arena_is_const(const struct emit_view *view, const struct arena_usage *arena);

/* Arrays that the assembler file defines: constants, what a script collects by names of its own (compilers store an array of
 * zeros byte by byte where the section's name does not start with .bss), and what the host fills (a compiler that sees the whole
 * program would take an array that nothing writes for zeros). */
bool arena_is_in_assembler(const struct emit_view *view, const struct arena_usage *arena);

/* Scratch arenas that hold something: their high-water mark can be taken. */
bool arena_can_be_painted(const struct arena_usage *arena);
bool plan_has_painted_arena(const struct memory_plan *plan);
/* True for interpreters, which allocate from the start and from the end of their arena. */
bool engine_uses_both_ends(const struct problem *problem);

#endif
