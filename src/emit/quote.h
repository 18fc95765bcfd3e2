/* Text from outside in generated files: the quoting rules of each language, in one place.
 *
 * Names come from models, rules and registries and may hold anything. Everything that is written into a generated file and was
 * not made by this program goes through one of these. */
#ifndef HELIA_EMIT_QUOTE_H
#define HELIA_EMIT_QUOTE_H

#include "base/arena.h"
#include "base/text.h"

/* For the inside of a C block comment (C, assembler, linker scripts) and of a '#' comment (Make, CMake): one line, never closes
 * or opens a comment, never continues a line. Characters that steer a terminal become '?'. */
void quote_comment(struct text *out, const char *text);

/* A C string literal, quotes included; also what GNU as reads as a string. Bytes outside printable ASCII become octal. */
void quote_c_string(struct text *out, const char *text);

/* A name in a linker script: as it is if it needs no quotes, else in double quotes (a quote inside becomes '_', as no linker has
 * an escape for it). */
void quote_ld_name(struct text *out, const char *name);

/* A string in a linker script's ASSERT: in double quotes; quotes, backslashes and control characters inside become '\'' or '?'.
 */
void quote_ld_string(struct text *out, const char *text);

/* A file name as target or prerequisite in Make. A line break in it becomes '?': Make cannot express one. */
void quote_make(struct text *out, const char *path);

/* Letters, digits and '_' stay, every other byte becomes '_': the inner part of a C identifier. Different texts may become equal;
 * the caller looks for that. */
const char *quote_identifier_part(struct arena *arena, const char *text);

#endif
