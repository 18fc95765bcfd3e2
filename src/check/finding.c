#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "check/facts.h"

static const struct check_row *row_of(const char *id)
{
    for (size_t i = 0; i < check_row_count; i++) {
        if (text_equal(check_rows[i].id, id)) {
            return &check_rows[i];
        }
    }
    return NULL;
}

static size_t count_of(const struct check_result *result, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < result->findings.count; i++) {
        count += text_equal(result->findings.items[i].id, id);
    }
    return count;
}

struct check_finding *finding_add(struct arena *arena, struct check_result *result, const char *id, const char *format, ...)
{
    const struct check_row *row = row_of(id);
    const size_t count = count_of(result, id);
    if (count > CHECK_FINDINGS_PER_ID) {
        return &result->unkept;
    }
    struct check_finding *finding = LIST_ADD(arena, &result->findings);
    finding->id = id;
    finding->level = row ? row->level : DIAG_ERROR;
    if (count == CHECK_FINDINGS_PER_ID) {
        finding->message = "there are more findings of this kind; they are not listed";
        return &result->unkept;
    }
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_format_list(arena, format, arguments);
    va_end(arguments);
    finding->message = text_printable(arena, message, strlen(message));
    return finding;
}
