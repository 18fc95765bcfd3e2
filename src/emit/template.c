#include <stdbool.h>
#include <string.h>

#include "emit/templates.h"

/* The value whose "NAME@" starts at `text`; NULL if none does. */
static const struct template_value *value_at(const char *text, const struct template_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(values[i].name);
        if (strncmp(text, values[i].name, length) == 0 && text[length] == '@') {
            return &values[i];
        }
    }
    return NULL;
}

void template_fill(struct text *out, const char *pattern, const struct template_value *values, size_t count)
{
    const char *rest = pattern;
    for (const char *mark = strchr(rest, '@'); mark != NULL; mark = strchr(mark, '@')) {
        const struct template_value *value = value_at(mark + 1, values, count);
        if (value == NULL) {
            mark++;
            continue;
        }
        text_add_bytes(out, rest, (size_t)(mark - rest));
        text_add(out, value->value);
        mark += strlen(value->name) + 2;
        rest = mark;
    }
    text_add(out, rest);
}
