/* Prints a schema as Markdown, from the rows that decode it, so that the reference cannot lag behind. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "schema/schema.h"

/* Schemas that were printed or wait for it; each is printed once, in the order in which it was met. */
struct schema_list {
    const struct schema **items;
    size_t count, capacity;
};

static const char *kind_text(enum field_kind kind)
{
    static const char *const texts[] = {
        [FIELD_TEXT] = "text",
        [FIELD_BOOL] = "`true` or `false`",
        [FIELD_INTEGER] = "integer",
        [FIELD_SIZE] = "size",
        [FIELD_ADDRESS] = "address",
        [FIELD_CHOICE] = "",
        [FIELD_TEXT_LIST] = "text or list of texts",
        [FIELD_RECORD] = "mapping",
        [FIELD_RECORDS] = "list of mappings",
        [FIELD_RECORD_MAP] = "mapping from names to mappings",
        [FIELD_NODE] = "any value",
    };
    return texts[kind];
}

/* A bar would end the cell. */
static void add_cell_text(struct text *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '|') {
            text_add_char(out, '\\');
        }
        text_add_char(out, *c == '\n' ? ' ' : *c);
    }
}

static void add_choices(const struct choice *choices, struct text *out)
{
    for (const struct choice *choice = choices; choice->name != NULL; choice++) {
        if (choice != choices) {
            text_add(out, choice[1].name == NULL ? " or " : ", ");
        }
        text_add_char(out, '`');
        add_cell_text(out, choice->name);
        text_add_char(out, '`');
    }
}

static void add_number(const struct field *field, uint64_t number, struct text *out)
{
    if (field->kind == FIELD_ADDRESS) {
        text_print(out, "0x%08" PRIx64, number);
    } else {
        text_print(out, "%" PRIu64, number);
    }
}

static void add_range(const struct field *field, struct text *out)
{
    if (field->minimum == 0 && field->maximum == 0) {
        return;
    }
    text_add(out, field->maximum == 0 ? ", at least " : ", ");
    add_number(field, field->minimum, out);
    if (field->maximum == 0) {
        return;
    }
    text_add(out, " to ");
    add_number(field, field->maximum, out);
}

static void add_value_cell(const struct field *field, struct text *out)
{
    text_add(out, kind_text(field->kind));
    if (field->kind == FIELD_CHOICE) {
        add_choices(field->choices, out);
    }
    if (field->kind == FIELD_INTEGER || field->kind == FIELD_SIZE || field->kind == FIELD_ADDRESS) {
        add_range(field, out);
    }
    if ((field->flags & FIELD_POWER_OF_TWO) != 0) {
        text_add(out, ", a power of two");
    }
    if (field->record != NULL) {
        text_print(out, ", see `%s`", field->record->name);
    }
    if ((field->flags & FIELD_NULLABLE) != 0) {
        text_add(out, ", or `null`");
    }
}

static void add_default_cell(const struct field *field, struct text *out)
{
    if ((field->flags & FIELD_REQUIRED) != 0) {
        text_add(out, "required");
    } else if (field->default_text != NULL) {
        text_add_char(out, '`');
        add_cell_text(out, field->default_text);
        text_add_char(out, '`');
    }
}

static void add_row(const struct field *field, struct text *out)
{
    text_print(out, "| `%s` | ", field->key);
    add_value_cell(field, out);
    text_add(out, " | ");
    add_default_cell(field, out);
    text_add(out, " | ");
    add_cell_text(out, field->help != NULL ? field->help : "");
    text_add(out, " |\n");
}

/* A name with a space is a title, others are paths. */
static void add_heading(const struct schema *schema, unsigned level, struct text *out)
{
    const char *name = schema->name != NULL && schema->name[0] != '\0' ? schema->name : "The document";
    const char *quote = strchr(name, ' ') != NULL ? "" : "`";
    text_add_repeated(out, '#', level);
    text_print(out, " %s%s%s\n\n", quote, name, quote);
}

static void print_schema(const struct schema *schema, unsigned heading_level, struct text *out)
{
    add_heading(schema, heading_level, out);
    if (schema->help != NULL) {
        text_print(out, "%s\n\n", schema->help);
    }
    text_add(out, "| key | value | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < schema->field_count; i++) {
        add_row(&schema->fields[i], out);
    }
}

static void enlist(struct schema_list *list, const struct schema *schema, struct arena *arena)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == schema) {
            return;
        }
    }
    *LIST_ADD(arena, list) = schema;
}

void schema_print_reference(const struct schema *schema, unsigned heading_level, struct text *out)
{
    struct schema_list list = {0};
    enlist(&list, schema, out->arena);
    for (size_t i = 0; i < list.count; i++) {
        const struct schema *current = list.items[i];
        if (i > 0) {
            text_add_char(out, '\n');
        }
        print_schema(current, i == 0 ? heading_level : heading_level + 1, out);
        for (size_t j = 0; j < current->field_count; j++) {
            if (current->fields[j].record != NULL) {
                enlist(&list, current->fields[j].record, out->arena);
            }
        }
    }
}
