/* Decodes a document by a schema's rows. Every finding names the full path of its key, so that it can be understood
 * without the line as well. */
#include <inttypes.h>
#include <stdalign.h>
#include <string.h>

#include "base/size.h"
#include "schema/schema.h"

/* The path to the value that is being decoded: a list that hangs on the C stack, its text made only for a finding.
 * The outermost place has no parent and holds the prefix that the schema's name gives. */
struct place {
    const struct place *parent;
    const char *key; /* NULL: an item of a list */
    size_t index;
};

struct decoder {
    struct arena *arena;
    struct diagnostics *diagnostics;
};

/* False once this decoding has failed and its findings are only counted: what is left would be work for nobody. */
static bool goes_on(const struct decoder *decoder, bool ok)
{
    return ok || decoder->diagnostics->dropped == 0;
}

typedef bool decode_function(const struct decoder *decoder, const struct place *place, const struct field *field,
                             const struct node *node, void *value);

/* One row a field kind, in the order of enum field_kind. */
struct kind_row {
    decode_function *decode;
    const char *noun; /* "'x' must be NOUN" */
};
static const struct kind_row *kind_row(enum field_kind kind);

static void add_place(struct text *text, const struct place *place)
{
    if (place->parent != NULL) {
        add_place(text, place->parent);
    }
    if (place->key == NULL) {
        text_print(text, "[%zu]", place->index);
    } else {
        text_print(text, "%s%s", text->size > 0 ? "." : "", node_printable(text->arena, place->key));
    }
}

/* "memory.constraints[0].max_size". */
static const char *place_text(const struct decoder *decoder, const struct place *place)
{
    struct text text = text_start(decoder->diagnostics->arena);
    add_place(&text, place);
    return text.data;
}

/* How a message begins: "'memory.planner'", or "the document" for the outermost place of a schema without a path. */
static const char *subject(const struct decoder *decoder, const struct place *place)
{
    const char *path = place_text(decoder, place);
    return path[0] == '\0' ? "the document" : arena_format(decoder->diagnostics->arena, "'%s'", path);
}

static bool is_word(const struct node *node, const char *const *words, size_t count)
{
    if (node->kind != NODE_SCALAR || !node->plain) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (text_equal(node->text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool is_true(const struct node *node)
{
    static const char *const words[] = {"true", "True", "TRUE"};
    return is_word(node, words, sizeof words / sizeof words[0]);
}

static bool is_false(const struct node *node)
{
    static const char *const words[] = {"false", "False", "FALSE"};
    return is_word(node, words, sizeof words / sizeof words[0]);
}

/* What a message says that it found: "a list", "null", "'fast'", "the quoted text '5'". */
static const char *found(const struct decoder *decoder, const struct node *node)
{
    struct arena *arena = decoder->diagnostics->arena;
    if (node->kind != NODE_SCALAR || node_is_null(node)) {
        return node_kind_name(node);
    }
    return arena_format(arena, "%s'%s'", node->plain ? "" : "the quoted text ", node_printable(arena, node->text));
}

static bool wrong_kind(const struct decoder *decoder, const struct place *place, const struct field *field,
                       const struct node *node)
{
    diag_report(decoder->diagnostics, DIAG_WRONG_KIND, node->span, "%s must be %s, not %s", subject(decoder, place),
                kind_row(field->kind)->noun, found(decoder, node));
    return false;
}

static bool bad_value(const struct decoder *decoder, const struct place *place, const struct node *node, const char *wanted)
{
    diag_report(decoder->diagnostics, DIAG_BAD_VALUE, node->span, "%s must %s, not %s", subject(decoder, place), wanted,
                found(decoder, node));
    return false;
}

static bool decode_text(const struct decoder *decoder, const struct place *place, const struct field *field,
                        const struct node *node, void *value)
{
    if (node->kind != NODE_SCALAR || node_is_null(node)) {
        return wrong_kind(decoder, place, field, node);
    }
    if (node->text[0] == '\0' && (field->flags & FIELD_MAY_BE_EMPTY) == 0) {
        diag_report(decoder->diagnostics, DIAG_BAD_VALUE, node->span, "%s must not be empty", subject(decoder, place));
        return false;
    }
    *(struct text_value *)value = (struct text_value){.text = node->text, .span = node->span, .set = true};
    return true;
}

static bool decode_bool(const struct decoder *decoder, const struct place *place, const struct field *field,
                        const struct node *node, void *value)
{
    if (!is_true(node) && !is_false(node)) {
        return wrong_kind(decoder, place, field, node);
    }
    *(struct bool_value *)value = (struct bool_value){is_true(node), node->span, true};
    return true;
}

/* How a number reads; anything but NUMBER_READ leaves the number alone. */
enum number_result { NUMBER_READ, NUMBER_NEGATIVE, NUMBER_TOO_LARGE, NUMBER_NONE };

static enum number_result read_digits(const char *digits, unsigned base, uint64_t *number)
{
    uint64_t sum = 0;
    bool fits = true;
    if (digits[0] == '\0') {
        return NUMBER_NONE;
    }
    for (const char *c = digits; *c != '\0'; c++) {
        unsigned digit = text_digit_value(*c);
        if (digit >= base) {
            return NUMBER_NONE;
        }
        fits = fits && size_multiply_checked(sum, base, &sum) && size_add_checked(sum, digit, &sum);
    }
    if (!fits) {
        return NUMBER_TOO_LARGE;
    }
    *number = sum;
    return NUMBER_READ;
}

/* "42" or "0x2A". A leading zero is refused: YAML 1.1 reads 010 as eight, its readers as ten. */
static enum number_result read_number(const char *text, uint64_t *number)
{
    uint64_t ignored = 0;
    if (text[0] == '-') {
        return text[1] != '-' && read_number(text + 1, &ignored) != NUMBER_NONE ? NUMBER_NEGATIVE : NUMBER_NONE;
    }
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        return read_digits(text + 2, 16, number);
    }
    if (text[0] == '0' && text[1] != '\0') {
        return NUMBER_NONE;
    }
    return read_digits(text, 10, number);
}

static enum number_result read_size(const char *text, uint64_t *number)
{
    uint64_t ignored = 0;
    if (size_parse(text, number)) {
        return NUMBER_READ;
    }
    if (text[0] == '-' && size_parse(text + 1, &ignored)) {
        return NUMBER_NEGATIVE;
    }
    return read_number(text, &ignored) == NUMBER_TOO_LARGE ? NUMBER_TOO_LARGE : NUMBER_NONE;
}

/* The largest value that the field takes. */
static uint64_t field_maximum(const struct field *field)
{
    if (field->maximum != 0) {
        return field->maximum;
    }
    return field->kind == FIELD_SIZE ? SIZE_LIMIT : UINT64_MAX;
}

static const char *number_text(const struct decoder *decoder, const struct field *field, uint64_t number)
{
    return field->kind == FIELD_ADDRESS ? arena_format(decoder->diagnostics->arena, "0x%08" PRIx64, number)
                                        : arena_format(decoder->diagnostics->arena, "%" PRIu64, number);
}

static bool out_of_range(const struct decoder *decoder, const struct place *place, const struct field *field,
                         const struct node *node)
{
    struct arena *arena = decoder->diagnostics->arena;
    const char *least = number_text(decoder, field, field->minimum);
    uint64_t maximum = field_maximum(field);
    if (maximum == UINT64_MAX && field->minimum > 0) {
        return bad_value(decoder, place, node, arena_format(arena, "be at least %s", least));
    }
    return bad_value(decoder, place, node, arena_format(arena, "be %s to %s", least, number_text(decoder, field, maximum)));
}

/* Why a scalar is no number that the field takes. */
static bool report_number(const struct decoder *decoder, const struct place *place, const struct field *field,
                          const struct node *node, enum number_result result)
{
    if (result == NUMBER_TOO_LARGE) {
        return out_of_range(decoder, place, field, node);
    }
    if (result == NUMBER_NEGATIVE) {
        return bad_value(decoder, place, node, "not be negative: write 0 or more");
    }
    if (field->kind == FIELD_INTEGER) {
        return wrong_kind(decoder, place, field, node);
    }
    return bad_value(decoder, place, node, arena_format(decoder->diagnostics->arena, "be %s", kind_row(field->kind)->noun));
}

static bool decode_number(const struct decoder *decoder, const struct place *place, const struct field *field,
                          const struct node *node, void *value)
{
    if (node->kind != NODE_SCALAR || node_is_null(node) || is_true(node) || is_false(node) ||
        (field->kind == FIELD_INTEGER && !node->plain)) {
        return wrong_kind(decoder, place, field, node);
    }
    uint64_t number = 0;
    enum number_result result = field->kind == FIELD_SIZE ? read_size(node->text, &number) : read_number(node->text, &number);
    if (result != NUMBER_READ) {
        return report_number(decoder, place, field, node, result);
    }
    if (number < field->minimum || number > field_maximum(field)) {
        return out_of_range(decoder, place, field, node);
    }
    if ((field->flags & FIELD_POWER_OF_TWO) != 0 && !size_is_power_of_two(number)) {
        return bad_value(decoder, place, node, "be a power of two");
    }
    *(struct size_value *)value = (struct size_value){.value = number, .span = node->span, .set = true};
    return true;
}

static size_t choice_count(const struct choice *choices)
{
    size_t count = 0;
    while (choices[count].name != NULL) {
        count++;
    }
    return count;
}

static void suggest_choice(const struct decoder *decoder, struct diag *diag, const struct field *field, const char *wanted)
{
    size_t count = choice_count(field->choices);
    const char **names = ARENA_ARRAY(decoder->diagnostics->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = field->choices[i].name;
    }
    diag_suggest(decoder->diagnostics, diag, wanted, "values", names, count);
}

static bool decode_choice(const struct decoder *decoder, const struct place *place, const struct field *field,
                          const struct node *node, void *value)
{
    if (node->kind != NODE_SCALAR || node_is_null(node)) {
        return wrong_kind(decoder, place, field, node);
    }
    for (const struct choice *choice = field->choices; choice->name != NULL; choice++) {
        if (!text_equal_nocase(choice->name, node->text)) {
            continue;
        }
        *(struct choice_value *)value = (struct choice_value){choice->value, node->span, true};
        return true;
    }
    struct diag *diag = diag_report(decoder->diagnostics, DIAG_UNKNOWN_CHOICE, node->span, "%s does not know the value '%s'",
                                    subject(decoder, place), node_printable(decoder->diagnostics->arena, node->text));
    suggest_choice(decoder, diag, field, node->text);
    return false;
}

static bool decode_text_list(const struct decoder *decoder, const struct place *place, const struct field *field,
                             const struct node *node, void *value)
{
    if (node->kind == NODE_MAPPING || node_is_null(node)) {
        return wrong_kind(decoder, place, field, node);
    }
    bool is_list = node->kind == NODE_SEQUENCE;
    /* An item's findings speak of a text, not of a list of texts. */
    struct field item = *field;
    item.kind = FIELD_TEXT;
    struct text_list list = {.count = is_list ? node->count : 1, .span = node->span, .set = true};
    list.items = ARENA_ARRAY(decoder->arena, struct text_value, list.count);
    bool ok = true;
    for (size_t i = 0; i < list.count && goes_on(decoder, ok); i++) {
        const struct place here = {.parent = place, .index = i};
        ok = decode_text(decoder, is_list ? &here : place, &item, is_list ? node->items[i] : node, &list.items[i]) && ok;
    }
    if (ok) {
        *(struct text_list *)value = list;
    }
    return ok;
}

static bool decode_mapping(const struct decoder *decoder, const struct place *place, const struct schema *schema,
                           const struct node *node, void *target);

static bool decode_record(const struct decoder *decoder, const struct place *place, const struct field *field,
                          const struct node *node, void *value)
{
    if (node->kind != NODE_MAPPING) {
        return wrong_kind(decoder, place, field, node);
    }
    return decode_mapping(decoder, place, field->record, node, value);
}

static struct record_list new_records(const struct decoder *decoder, const struct field *field, const struct node *node)
{
    return (struct record_list){.items = arena_alloc(decoder->arena, node->count, field->record->size, alignof(max_align_t)),
                                .count = node->count,
                                .span = node->span,
                                .set = true};
}

static void *record_at(const struct record_list *list, const struct field *field, size_t index)
{
    return (char *)list->items + index * field->record->size;
}

/* One entry of a record map: its key becomes the first member of the record. */
static bool decode_entry(const struct decoder *decoder, const struct place *place, const struct field *item,
                         const struct node_pair *pair, void *record)
{
    if (pair->key->text[0] == '\0') {
        diag_report(decoder->diagnostics, DIAG_BAD_VALUE, pair->key->span, "a name in %s must not be empty",
                    subject(decoder, place));
        return false;
    }
    const struct place here = {.parent = place, .key = pair->key->text};
    *(struct text_value *)record = (struct text_value){.text = pair->key->text, .span = pair->key->span, .set = true};
    return decode_record(decoder, &here, item, pair->value, record);
}

static bool decode_item(const struct decoder *decoder, const struct place *place, const struct field *item,
                        const struct node *list, size_t index, void *record)
{
    if (list->kind == NODE_MAPPING) {
        return decode_entry(decoder, place, item, &list->pairs[index], record);
    }
    const struct place here = {.parent = place, .index = index};
    return decode_record(decoder, &here, item, list->items[index], record);
}

/* Both kinds that hold records: a list of them, and a mapping whose keys name them. */
static bool decode_records(const struct decoder *decoder, const struct place *place, const struct field *field,
                           const struct node *node, void *value)
{
    if (node->kind != (field->kind == FIELD_RECORD_MAP ? NODE_MAPPING : NODE_SEQUENCE)) {
        return wrong_kind(decoder, place, field, node);
    }
    struct record_list list = new_records(decoder, field, node);
    struct field item = *field;
    item.kind = FIELD_RECORD;
    bool ok = true;
    for (size_t i = 0; i < node->count && goes_on(decoder, ok); i++) {
        ok = decode_item(decoder, place, &item, node, i, record_at(&list, field, i)) && ok;
    }
    if (ok) {
        *(struct record_list *)value = list;
    }
    return ok;
}

static bool decode_node(const struct decoder *decoder, const struct place *place, const struct field *field,
                        const struct node *node, void *value)
{
    (void)decoder, (void)place, (void)field;
    *(struct node_value *)value = (struct node_value){node, node->span, true};
    return true;
}

static const struct kind_row *kind_row(enum field_kind kind)
{
    static const struct kind_row rows[] = {
        [FIELD_TEXT] = {decode_text, "text"},
        [FIELD_BOOL] = {decode_bool, "true or false"},
        [FIELD_INTEGER] = {decode_number, "an integer"},
        [FIELD_SIZE] = {decode_number, "a size such as 65536, 0x10000, 64K or 1M"},
        [FIELD_ADDRESS] = {decode_number, "an address such as 0x20000000"},
        [FIELD_CHOICE] = {decode_choice, "a word"},
        [FIELD_TEXT_LIST] = {decode_text_list, "text or a list of texts"},
        [FIELD_RECORD] = {decode_record, "a mapping"},
        [FIELD_RECORDS] = {decode_records, "a list of mappings"},
        [FIELD_RECORD_MAP] = {decode_records, "a mapping"},
        [FIELD_NODE] = {decode_node, "anything"},
    };
    return &rows[kind];
}

static bool is_number_kind(enum field_kind kind)
{
    return kind == FIELD_INTEGER || kind == FIELD_SIZE || kind == FIELD_ADDRESS;
}

static bool decode_value(const struct decoder *decoder, const struct place *place, const struct field *field,
                         const struct node *node, void *value)
{
    if (!node_is_null(node) || (field->flags & FIELD_NULLABLE) == 0) {
        return kind_row(field->kind)->decode(decoder, place, field, node, value);
    }
    if (is_number_kind(field->kind)) {
        *(struct size_value *)value = (struct size_value){.span = node->span, .set = true, .is_null = true};
    } else if (field->kind == FIELD_TEXT) {
        *(struct text_value *)value = (struct text_value){.span = node->span, .is_null = true};
    }
    return true;
}

static const struct field *find_field(const struct schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        if (text_equal(schema->fields[i].key, key)) {
            return &schema->fields[i];
        }
    }
    return NULL;
}

static bool unknown_key(const struct decoder *decoder, const struct place *here, const struct schema *schema,
                        const struct node *key)
{
    struct diagnostics *diagnostics = decoder->diagnostics;
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_KEY, key->span, "unknown key %s", subject(decoder, here));
    const char **names = ARENA_ARRAY(diagnostics->arena, const char *, schema->field_count);
    for (size_t i = 0; i < schema->field_count; i++) {
        names[i] = schema->fields[i].key;
    }
    diag_suggest(diagnostics, diag, key->text, "keys", names, schema->field_count);
    return false;
}

static bool decode_pair(const struct decoder *decoder, const struct place *place, const struct schema *schema,
                        const struct node_pair *pair, void *target)
{
    const struct place here = {.parent = place, .key = pair->key->text};
    const struct field *field = find_field(schema, pair->key->text);
    if (field == NULL) {
        return unknown_key(decoder, &here, schema, pair->key);
    }
    return decode_value(decoder, &here, field, pair->value, (char *)target + field->offset);
}

static bool check_required(const struct decoder *decoder, const struct place *place, const struct schema *schema,
                           const struct node *node)
{
    bool ok = true;
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct field *field = &schema->fields[i];
        if ((field->flags & FIELD_REQUIRED) == 0 || node_get(node, field->key) != NULL) {
            continue;
        }
        diag_report(decoder->diagnostics, DIAG_MISSING_KEY, node->span, "%s lacks the required key '%s'", subject(decoder, place),
                    field->key);
        ok = false;
    }
    return ok;
}

static bool decode_mapping(const struct decoder *decoder, const struct place *place, const struct schema *schema,
                           const struct node *node, void *target)
{
    if (schema->span_offset != SCHEMA_NO_SPAN) {
        memcpy((char *)target + schema->span_offset, &node->span, sizeof node->span);
    }
    bool ok = check_required(decoder, place, schema, node);
    for (size_t i = 0; i < node->count && goes_on(decoder, ok); i++) {
        ok = decode_pair(decoder, place, schema, &node->pairs[i], target) && ok;
    }
    return ok;
}

/* A name with a space is a title for headings, no path. */
static const char *path_prefix(const struct schema *schema)
{
    return schema->name == NULL || strchr(schema->name, ' ') != NULL ? "" : schema->name;
}

bool schema_decode(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema, const struct node *node,
                   void *target)
{
    const struct decoder decoder = {arena, diagnostics};
    const struct place place = {.key = path_prefix(schema)};
    const struct field whole = {.kind = FIELD_RECORD, .record = schema};
    void *work = arena_alloc(arena, 1, schema->size, alignof(max_align_t));
    memcpy(work, target, schema->size);
    if (!decode_record(&decoder, &place, &whole, node, work)) {
        return false;
    }
    memcpy(target, work, schema->size);
    return true;
}

bool schema_read_scalar(struct arena *arena, struct diagnostics *diagnostics, const struct field *field, const struct node *node,
                        void *value)
{
    const struct decoder decoder = {arena, diagnostics};
    const struct place place = {.key = field->key};
    return decode_value(&decoder, &place, field, node, value);
}
