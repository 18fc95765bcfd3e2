/* The tree of a document: look-ups, and changed copies. Trees are never changed in place, because aliases share nodes. */
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "doc/doc.h"

static bool key_is(const struct node_pair *pair, const char *key, size_t length)
{
    const char *text = pair->key->text;
    return strncmp(text, key, length) == 0 && text[length] == '\0';
}

static const struct node *get(const struct node *mapping, const char *key, size_t length)
{
    for (size_t i = 0; i < mapping->count; i++) {
        if (key_is(&mapping->pairs[i], key, length)) {
            return mapping->pairs[i].value;
        }
    }
    return NULL;
}

const struct node *node_get(const struct node *node, const char *key)
{
    if (node == NULL || node->kind != NODE_MAPPING) {
        return NULL;
    }
    return get(node, key, strlen(key));
}

/* Reads a step of a path as a position in a list; false if it is no number below `count`. */
static bool read_position(const char *step, size_t length, size_t count, size_t *position)
{
    size_t number = 0;
    for (size_t i = 0; i < length; i++) {
        if (step[i] < '0' || step[i] > '9' || number >= count) {
            return false;
        }
        number = number * 10 + (size_t)(step[i] - '0');
    }
    if (length == 0 || number >= count) {
        return false;
    }
    *position = number;
    return true;
}

static const struct node *follow(const struct node *node, const char *step, size_t length)
{
    size_t position = 0;
    if (node->kind == NODE_MAPPING) {
        return get(node, step, length);
    }
    if (node->kind == NODE_SEQUENCE && read_position(step, length, node->count, &position)) {
        return node->items[position];
    }
    return NULL;
}

const struct node *node_find(const struct node *node, const char *dotted_path)
{
    const char *step = dotted_path;
    while (node != NULL) {
        size_t length = strcspn(step, ".");
        node = follow(node, step, length);
        if (step[length] == '\0') {
            break;
        }
        step += length + 1;
    }
    return node;
}

bool node_is_null(const struct node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != NODE_SCALAR || !node->plain) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (text_equal(node->text, words[i])) {
            return true;
        }
    }
    return false;
}

const char *node_kind_name(const struct node *node)
{
    switch (node->kind) {
    case NODE_MAPPING:
        return "a mapping";
    case NODE_SEQUENCE:
        return "a list";
    case NODE_SCALAR:
        break;
    }
    return node_is_null(node) ? "null" : "text";
}

const char *node_printable(struct arena *arena, const char *text)
{
    enum { SHOWN_BYTES = 80 };
    size_t length = strlen(text);
    if (length <= SHOWN_BYTES) {
        return text_printable(arena, text, length);
    }
    size_t cut = SHOWN_BYTES;
    while (cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80) {
        cut--;
    }
    return arena_format(arena, "%s...", text_printable(arena, text, cut));
}

/* One call of node_with(). */
struct change {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char *path;
    const struct node *value;
};

static bool change_node(const struct change *change, const struct node *node, const char *rest, const struct node **result);

/* What lies behind the step of `length` bytes: the new value if it is the last one, else a changed copy of `child`. */
static bool change_child(const struct change *change, const struct node *child, const char *step, size_t length,
                         const struct node **result)
{
    if (step[length] != '\0') {
        return change_node(change, child, step + length + 1, result);
    }
    *result = change->value;
    return true;
}

static struct node *new_key(const struct change *change, const char *step, size_t length)
{
    struct node *key = ARENA_NEW(change->arena, struct node);
    key->kind = NODE_SCALAR;
    key->span = change->value->span;
    key->text = arena_copy(change->arena, step, length);
    key->plain = true;
    return key;
}

static bool change_mapping(const struct change *change, const struct node *mapping, const char *step, size_t length,
                           const struct node **result)
{
    const struct node *value = NULL;
    if (!change_child(change, get(mapping, step, length), step, length, &value)) {
        return false;
    }
    struct node *copy = ARENA_NEW(change->arena, struct node);
    *copy = *mapping;
    copy->pairs = ARENA_ARRAY(change->arena, struct node_pair, mapping->count + 1);
    bool found = false;
    for (size_t i = 0; i < mapping->count; i++) {
        copy->pairs[i] = mapping->pairs[i];
        if (key_is(&mapping->pairs[i], step, length)) {
            copy->pairs[i].value = value;
            found = true;
        }
    }
    if (!found) {
        copy->pairs[copy->count++] = (struct node_pair){new_key(change, step, length), value};
    }
    *result = copy;
    return true;
}

static bool change_sequence(const struct change *change, const struct node *sequence, const char *step, size_t length,
                            const struct node **result)
{
    size_t position = 0;
    if (!read_position(step, length, sequence->count, &position)) {
        const char *shown = node_printable(change->diagnostics->arena, arena_copy(change->diagnostics->arena, step, length));
        diag_report(change->diagnostics, DIAG_BAD_VALUE, change->value->span,
                    "'%s' is no position in the list of %zu on the way of '%s'", shown, sequence->count,
                    node_printable(change->diagnostics->arena, change->path));
        return false;
    }
    const struct node *value = NULL;
    if (!change_child(change, sequence->items[position], step, length, &value)) {
        return false;
    }
    struct node *copy = ARENA_NEW(change->arena, struct node);
    *copy = *sequence;
    copy->items = ARENA_ARRAY(change->arena, const struct node *, sequence->count);
    for (size_t i = 0; i < sequence->count; i++) {
        copy->items[i] = i == position ? value : sequence->items[i];
    }
    *result = copy;
    return true;
}

static void report_no_mapping(const struct change *change, const struct node *node, const char *rest)
{
    struct arena *arena = change->diagnostics->arena;
    size_t length = rest > change->path ? (size_t)(rest - change->path) - 1 : 0;
    const char *reached = length == 0 ? "the document" : arena_format(arena, "'%s'", arena_copy(arena, change->path, length));
    struct diag *diag =
        diag_report(change->diagnostics, DIAG_WRONG_KIND, change->value->span, "'%s' cannot be set: %s is %s, not a mapping",
                    node_printable(arena, change->path), node_printable(arena, reached), node_kind_name(node));
    diag_note(change->diagnostics, diag, node->span, "it is written here");
}

static bool change_node(const struct change *change, const struct node *node, const char *rest, const struct node **result)
{
    /* "key:" with nothing behind it is a mapping that nobody has filled yet. */
    const struct node empty = {.kind = NODE_MAPPING, .span = change->value->span};
    if (node == NULL || node_is_null(node)) {
        node = &empty;
    }
    size_t length = strcspn(rest, ".");
    if (node->kind == NODE_MAPPING) {
        return change_mapping(change, node, rest, length, result);
    }
    if (node->kind == NODE_SEQUENCE) {
        return change_sequence(change, node, rest, length, result);
    }
    report_no_mapping(change, node, rest);
    return false;
}

/* Every step has a name, and there are not too many of them for a walk by recursion. */
static bool check_path(struct diagnostics *diagnostics, const char *path, struct span span)
{
    const char *shown = node_printable(diagnostics->arena, path);
    size_t steps = 1;
    bool step_is_empty = path[0] == '\0';
    for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        step_is_empty = step_is_empty || dot == path || dot[1] == '.' || dot[1] == '\0';
        steps++;
    }
    if (step_is_empty) {
        diag_report(diagnostics, DIAG_BAD_VALUE, span, "the path '%s' has a step without a name", shown);
        return false;
    }
    if (steps > DOC_DEPTH_LIMIT) {
        diag_report(diagnostics, DIAG_YAML_LIMIT, span, "the path '%s' has more than %d steps", shown, DOC_DEPTH_LIMIT);
        return false;
    }
    return true;
}

bool node_with(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *dotted_path,
               const struct node *value, const struct node **result)
{
    const struct change change = {arena, diagnostics, dotted_path, value};
    const struct node *changed = NULL;
    if (!check_path(diagnostics, dotted_path, value->span) || !change_node(&change, root, dotted_path, &changed)) {
        return false;
    }
    *result = changed;
    return true;
}

const struct node *node_merge(struct arena *arena, const struct node *under, const struct node *over, node_join *join)
{
    struct node *merged = ARENA_NEW(arena, struct node);
    *merged = *over;
    merged->pairs = ARENA_ARRAY(arena, struct node_pair, under->count + over->count);
    struct map positions = map_start(arena);
    for (size_t i = 0; i < under->count; i++) {
        merged->pairs[i] = under->pairs[i];
        map_add(&positions, under->pairs[i].key->text, (uint32_t)i, NULL);
    }
    merged->count = under->count;
    for (size_t i = 0; i < over->count; i++) {
        const struct node_pair *pair = &over->pairs[i];
        uint32_t at = 0;
        if (map_find(&positions, pair->key->text, &at)) {
            const struct node *value = join(arena, pair->key->text, under->pairs[at].value, pair->value);
            merged->pairs[at] = (struct node_pair){pair->key, value};
        } else {
            merged->pairs[merged->count++] = *pair;
        }
    }
    return merged;
}

static const struct node *overlay_values(struct arena *arena, const char *key, const struct node *under, const struct node *over)
{
    (void)key;
    return node_overlay(arena, under, over);
}

const struct node *node_overlay(struct arena *arena, const struct node *under, const struct node *over)
{
    if (under == NULL || over == NULL) {
        return over != NULL ? over : under;
    }
    if (under->kind != NODE_MAPPING || over->kind != NODE_MAPPING) {
        return over;
    }
    return node_merge(arena, under, over, overlay_values);
}
