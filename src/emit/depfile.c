#include "emit/emit.h"
#include "emit/quote.h"

void emit_depfile(const char *target, const char *const *dependencies, size_t count, struct text *out)
{
    quote_make(out, target);
    text_add_char(out, ':');
    for (size_t i = 0; i < count; i++) {
        text_add(out, " \\\n  ");
        quote_make(out, dependencies[i]);
    }
    text_add_char(out, '\n');
}
