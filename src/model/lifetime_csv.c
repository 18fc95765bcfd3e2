/* Lifetime tables: one tensor a line, times half-open, as published inputs of memory planners have them. */
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/size.h"
#include "model/model_build.h"

/* Times are half-open, so the last step is one less. */
#define LARGEST_TIME ((uint64_t)UINT32_MAX - 1)

enum column { COLUMN_ID, COLUMN_LOWER, COLUMN_UPPER, COLUMN_SIZE, COLUMN_ALIGNMENT, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"id", "lower", "upper", "size", "alignment"};
#define REQUIRED_COLUMNS COLUMN_ALIGNMENT

#define FIELDS_LIMIT 16

struct field_text {
    const char *start;
    size_t size;
    uint32_t position; /* column in the line, from 1 */
};

struct table {
    struct arena *arena;
    struct diagnostics *diagnostics;
    uint32_t source;
    uint32_t line;                /* of the text, from 1 */
    size_t columns[FIELDS_LIMIT]; /* enum column of each field of a line */
    size_t column_count;
    size_t errors_before;
    struct map ids;
    struct {
        struct tensor *items;
        size_t count, capacity;
    } tensors;
};

static struct span field_span(const struct table *table, const struct field_text *field)
{
    return (struct span){table->source, table->line, field->position, (uint32_t)field->size};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Spaces around a field do not count, nor does the carriage return of a line from another system. */
static struct field_text trimmed(const char *line, size_t start, size_t end)
{
    while (start < end && is_blank(line[start])) {
        start++;
    }
    while (end > start && is_blank(line[end - 1])) {
        end--;
    }
    return (struct field_text){line + start, end - start, (uint32_t)(start + 1)};
}

/* Fields of a line; more than FIELDS_LIMIT count as one more, which no header allows. */
static size_t split(const char *line, size_t size, struct field_text fields[FIELDS_LIMIT + 1])
{
    size_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= size && count <= FIELDS_LIMIT; i++) {
        if (i < size && line[i] != ',') {
            continue;
        }
        fields[count++] = trimmed(line, start, i);
        start = i + 1;
    }
    return count;
}

static const char *field_printable(const struct table *table, const struct field_text *field)
{
    size_t size = field->size < 80 ? field->size : 80;
    return text_printable(table->diagnostics->arena, field->start, size);
}

static bool add_column(struct table *table, const struct field_text *field, bool seen[COLUMN_COUNT])
{
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        if (field->size != strlen(column_names[c]) || memcmp(field->start, column_names[c], field->size) != 0) {
            continue;
        }
        table->columns[table->column_count++] = c;
        if (!seen[c]) {
            seen[c] = true;
            return true;
        }
        diag_report(table->diagnostics, DIAG_MODEL_CSV, field_span(table, field), "column '%s' stands twice", column_names[c]);
        return false;
    }
    struct diag *diag = diag_report(table->diagnostics, DIAG_MODEL_CSV, field_span(table, field), "'%s' is no known column",
                                    field_printable(table, field));
    diag_suggest(table->diagnostics, diag, field_printable(table, field), "columns", column_names, COLUMN_COUNT);
    return false;
}

/* The first line names the columns, in any order. */
static bool read_header(struct table *table, const char *line, size_t size)
{
    struct field_text fields[FIELDS_LIMIT + 1];
    size_t count = split(line, size, fields);
    bool seen[COLUMN_COUNT] = {false};
    bool ok = true;
    for (size_t i = 0; i < count && i < FIELDS_LIMIT; i++) {
        ok = add_column(table, &fields[i], seen) && ok;
    }
    for (size_t c = 0; ok && c < REQUIRED_COLUMNS; c++) {
        ok = seen[c];
    }
    if (ok && count <= FIELDS_LIMIT) {
        return true;
    }
    struct span span = {table->source, table->line, 1, (uint32_t)size};
    diag_report(table->diagnostics, DIAG_MODEL_CSV, span,
                "the first line must name the columns: id,lower,upper,size and, if wanted, alignment");
    return false;
}

/* A whole number, digits only. */
static bool read_number(struct table *table, const struct field_text *field, enum column column, uint64_t maximum,
                        uint64_t *number)
{
    uint64_t value = 0;
    bool ok = field->size > 0 && field->size <= 20;
    for (size_t i = 0; ok && i < field->size; i++) {
        char c = field->start[i];
        ok = c >= '0' && c <= '9' && size_multiply_checked(value, 10, &value) &&
             size_add_checked(value, (uint64_t)(c - '0'), &value);
    }
    if (ok && value <= maximum) {
        *number = value;
        return true;
    }
    diag_report(table->diagnostics, DIAG_MODEL_CSV, field_span(table, field),
                "'%s' is no %s: a whole number up to %" PRIu64 " is needed", field_printable(table, field), column_names[column],
                maximum);
    return false;
}

struct row {
    struct field_text id;
    uint64_t numbers[COLUMN_COUNT];
};

static bool read_row(struct table *table, const struct field_text *fields, struct row *row)
{
    static const uint64_t maxima[COLUMN_COUNT] = {
        [COLUMN_LOWER] = LARGEST_TIME, [COLUMN_UPPER] = LARGEST_TIME, [COLUMN_SIZE] = SIZE_LIMIT, [COLUMN_ALIGNMENT] = 1u << 20};
    bool ok = true;
    row->numbers[COLUMN_ALIGNMENT] = 1;
    for (size_t i = 0; i < table->column_count; i++) {
        enum column column = (enum column)table->columns[i];
        if (column == COLUMN_ID) {
            row->id = fields[i];
        } else {
            ok = read_number(table, &fields[i], column, maxima[column], &row->numbers[column]) && ok;
        }
    }
    if (row->id.size == 0) {
        diag_report(table->diagnostics, DIAG_MODEL_CSV, field_span(table, &row->id), "the id is empty; each tensor needs one");
        return false;
    }
    return ok;
}

static bool check_row(struct table *table, const struct row *row, struct span line)
{
    uint64_t lower = row->numbers[COLUMN_LOWER];
    uint64_t upper = row->numbers[COLUMN_UPPER];
    uint64_t alignment = row->numbers[COLUMN_ALIGNMENT];
    if (!size_is_power_of_two(alignment)) {
        diag_report(table->diagnostics, DIAG_MODEL_CSV, line, "alignment %" PRIu64 " is no power of two", alignment);
        return false;
    }
    if (lower < upper) {
        return true;
    }
    diag_report(table->diagnostics, DIAG_MODEL_LIFETIME, line,
                "tensor '%s' lives from %" PRIu64 " to before %" PRIu64 ", which is no time at all; upper must be above lower",
                field_printable(table, &row->id), lower, upper);
    return false;
}

static bool check_id(struct table *table, const char *id, struct span span)
{
    uint32_t other;
    if (map_add(&table->ids, id, (uint32_t)table->tensors.count, &other)) {
        return true;
    }
    struct diag *diag = diag_report(table->diagnostics, DIAG_MODEL_DUPLICATE_ID, span, "a second tensor has the id '%s'", id);
    diag_note(table->diagnostics, diag, table->tensors.items[other].span, "the first one is here");
    return false;
}

static void add_tensor(struct table *table, const struct row *row, struct span line)
{
    if (table->tensors.count == MODEL_TENSORS_LIMIT) {
        diag_report(table->diagnostics, DIAG_MODEL_LIMIT, line, "the table has more than %u tensors, the most that are read",
                    MODEL_TENSORS_LIMIT);
        return;
    }
    const char *id = text_printable(table->arena, row->id.start, row->id.size);
    if (!check_id(table, id, field_span(table, &row->id))) {
        return;
    }
    *LIST_ADD(table->arena, &table->tensors) = (struct tensor){.id = id,
                                                               .name = "",
                                                               .size = row->numbers[COLUMN_SIZE],
                                                               .alignment = row->numbers[COLUMN_ALIGNMENT],
                                                               .role = ROLE_SCRATCH,
                                                               .is_live = true,
                                                               .start_op = (uint32_t)row->numbers[COLUMN_LOWER],
                                                               .end_op = (uint32_t)row->numbers[COLUMN_UPPER] - 1,
                                                               .buffer = UINT32_MAX,
                                                               .variable = TENSOR_NONE,
                                                               .span = line};
}

static void read_line(struct table *table, const char *line, size_t size)
{
    struct field_text fields[FIELDS_LIMIT + 1];
    size_t count = split(line, size, fields);
    if (count == 1 && fields[0].size == 0) {
        return;
    }
    struct span span = {table->source, table->line, 1, (uint32_t)size};
    if (count != table->column_count) {
        diag_report(table->diagnostics, DIAG_MODEL_CSV, span, "the line has %zu fields, but the header names %zu", count,
                    table->column_count);
        return;
    }
    struct row row = {0};
    if (read_row(table, fields, &row) && check_row(table, &row, span)) {
        add_tensor(table, &row, span);
    }
}

static bool goes_on(const struct table *table)
{
    return table->diagnostics->dropped == 0 || table->diagnostics->error_count == table->errors_before;
}

/* "a,0,1,1" and the line's end */
#define SHORTEST_LINE 8

/* Room for a tensor a line at once: growing would leave copies behind in the arena. */
static void make_room(struct table *table, struct bytes content)
{
    size_t lines = 1;
    for (size_t i = 0; i < content.size; i++) {
        lines += content.data[i] == '\n';
    }
    size_t most = (size_t)size_min(content.size / SHORTEST_LINE + 1, MODEL_TENSORS_LIMIT);
    table->tensors.capacity = lines < most ? lines : most;
    table->tensors.items = ARENA_ARRAY(table->arena, struct tensor, table->tensors.capacity);
    map_reserve(&table->ids, table->tensors.capacity);
}

/* The byte order mark that spreadsheets put before UTF-8 text. */
#define MARK "\xEF\xBB\xBF"

/* Line by line; NUL bytes are no line ends and make a field that is no number. */
static void read_lines(struct table *table, struct bytes content)
{
    const char *text = (const char *)content.data;
    size_t mark_size = strlen(MARK);
    size_t start = content.size >= mark_size && memcmp(text, MARK, mark_size) == 0 ? mark_size : 0;
    while (start < content.size && goes_on(table)) {
        const char *end = memchr(text + start, '\n', content.size - start);
        size_t size = end != NULL ? (size_t)(end - text) - start : content.size - start;
        table->line++;
        if (table->line > 1) {
            read_line(table, text + start, size);
        } else if (!read_header(table, text + start, size)) {
            return;
        }
        start += size + 1;
    }
    if (table->line == 0) {
        diag_report(table->diagnostics, DIAG_MODEL_CSV, (struct span){.source = table->source},
                    "the table is empty; its first line must be id,lower,upper,size");
    }
}

bool lifetime_csv_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                         uint32_t source, struct model *model)
{
    (void)path;
    struct table table = {.arena = arena,
                          .diagnostics = diagnostics,
                          .source = source,
                          .errors_before = diagnostics->error_count,
                          .ids = map_start(arena)};
    make_room(&table, content);
    read_lines(&table, content);
    if (diagnostics->error_count != table.errors_before) {
        return false;
    }
    model->tensors = table.tensors.items;
    model->tensor_count = table.tensors.count;
    for (size_t i = 0; i < table.tensors.count; i++) {
        if (table.tensors.items[i].end_op >= model->step_count) {
            model->step_count = table.tensors.items[i].end_op + 1;
        }
    }
    model->subgraph_count = 1;
    return model_complete(arena, diagnostics, model);
}
