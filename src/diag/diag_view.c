#include "diag/diag_view.h"

#include <string.h>

#include "base/sort.h"

const char *diag_level_name(enum diag_level level)
{
    static const char *const NAMES[] = {[DIAG_NOTE] = "note", [DIAG_WARNING] = "warning", [DIAG_ERROR] = "error"};
    return NAMES[level];
}

static int compare_places(const void *a, const void *b, const void *context)
{
    (void)context;
    struct span left = (*(const struct diag *const *)a)->span;
    struct span right = (*(const struct diag *const *)b)->span;
    if (left.source != right.source) {
        return SORT_BY(left.source, right.source);
    }
    if (left.line != right.line) {
        return SORT_BY(left.line, right.line);
    }
    return SORT_BY(left.column, right.column);
}

const struct diag **diag_in_order(const struct diagnostics *diagnostics)
{
    size_t count = diagnostics->list.count;
    const struct diag **order = ARENA_ARRAY(diagnostics->arena, const struct diag *, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = &diagnostics->list.items[i];
    }
    sort_stable(order, count, sizeof *order, compare_places, NULL, diagnostics->arena);
    return order;
}

/* The start of each line. A text without a last newline has a last line all the same; a text that ends in one has an empty
 * line after it, because readers report "unexpected end" there. */
static void index_lines(struct arena *arena, struct source *source)
{
    const uint8_t *data = source->content.data;
    size_t count = 1;
    for (size_t i = 0; i < source->content.size; i++) {
        count += data[i] == '\n';
    }
    source->lines = ARENA_ARRAY(arena, uint32_t, count);
    source->line_count = 1;
    for (size_t i = 0; i < source->content.size; i++) {
        if (data[i] == '\n') {
            source->lines[source->line_count++] = (uint32_t)(i + 1);
        }
    }
}

bool diag_source_line(struct diagnostics *diagnostics, struct span span, struct bytes *line)
{
    if (span.source == 0 || span.source >= diagnostics->sources.count || span.line == 0) {
        return false;
    }
    struct source *source = &diagnostics->sources.items[span.source];
    if (source->content.size == 0 || source->content.size > UINT32_MAX) {
        return false;
    }
    if (!source->lines) {
        index_lines(diagnostics->arena, source);
    }
    if (span.line > source->line_count) {
        return false;
    }
    size_t start = source->lines[span.line - 1];
    const uint8_t *data = source->content.data + start;
    size_t left = source->content.size - start;
    const uint8_t *newline = left == 0 ? NULL : memchr(data, '\n', left);
    size_t size = newline ? (size_t)(newline - data) : left;
    if (size != 0 && data[size - 1] == '\r') {
        size--;
    }
    *line = (struct bytes){.data = data, .size = size};
    return true;
}
