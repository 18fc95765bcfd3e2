/* Fixed text of generated files. It stands in templates/ at the top of the project and is built into the program. */
#ifndef HELIA_EMIT_TEMPLATES_H
#define HELIA_EMIT_TEMPLATES_H

#include <stddef.h>

#include "base/text.h"

/* NUL-terminated; made by src/emit/embed_templates.cmake from templates/<name>.in. */
extern const char template_full_ld[];
extern const char template_arenas_c[];
extern const char template_bind_c[];
extern const char template_hydrate_c[];
extern const char template_tables_c[];
extern const char template_high_water_c[];

/* @NAME@ becomes the value. */
struct template_value {
    const char *name;
    const char *value;
};

/* Appends the template with its placeholders filled; an '@' that starts no known placeholder stays. */
void template_fill(struct text *out, const char *pattern, const struct template_value *values, size_t count);

#endif
