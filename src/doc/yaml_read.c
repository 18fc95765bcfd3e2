/* Reads YAML by libyaml's events. The tree is built with a stack of open collections of fixed depth, so that no input
 * can exhaust the C stack; libyaml's own tree builder is not used because it has no limits. */
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "doc/doc.h"
#include "doc/duplicate_keys.h"

/* A place in the text. libyaml counts characters, and breaks lines at more characters than an editor does; spans count
 * bytes and line feeds. A cursor walks along with the events and converts. */
struct cursor {
    size_t index; /* characters before it, a byte order mark not counted */
    size_t offset;
    size_t line_start;
    uint32_t line; /* from 1 */
};

/* What an anchor's name stands for at present; a later anchor of the same name replaces it. */
struct anchor {
    const struct node *node;
    size_t expanded; /* nodes in it, aliases expanded */
    unsigned height; /* levels of lists and mappings in it; a scalar has 0 */
};

/* A collection whose end was not seen yet. */
struct frame {
    struct node *node;
    size_t first_child;     /* where its children start in reader.children */
    size_t expanded_before; /* reader.expanded when it was opened */
    size_t anchor;          /* index + 1 in reader.anchors; 0: none */
    unsigned height;        /* of the highest child so far */
};

struct reader {
    struct arena *arena;  /* for the tree */
    struct arena scratch; /* for the work; given back at the end */
    struct diagnostics *diagnostics;
    uint32_t source;
    struct bytes content;
    struct cursor cursor;
    struct frame frames[DOC_DEPTH_LIMIT];
    size_t depth; /* frames in use */
    struct {      /* finished children of all open collections, one stack; of mappings: key, value, key, value */
        const struct node **items;
        size_t count, capacity;
    } children;
    struct {
        struct anchor *items;
        size_t count, capacity;
    } anchors;
    struct map anchor_names; /* to indices of anchors */
    size_t expanded;         /* nodes of the document so far, aliases expanded */
    size_t document_count;
    const struct node *root;
    bool failed; /* something was reported; reading went on to find more */
};

static void cursor_forward(const struct bytes *content, struct cursor *cursor)
{
    if (content->data[cursor->offset] == '\n') {
        cursor->line++;
        cursor->line_start = cursor->offset + 1;
    }
    cursor->offset++;
    while (cursor->offset < content->size && (content->data[cursor->offset] & 0xC0) == 0x80) {
        cursor->offset++;
    }
    cursor->index++;
}

static void cursor_backward(const struct bytes *content, struct cursor *cursor)
{
    cursor->offset--;
    while (cursor->offset > 0 && (content->data[cursor->offset] & 0xC0) == 0x80) {
        cursor->offset--;
    }
    cursor->index--;
    if (content->data[cursor->offset] != '\n') {
        return;
    }
    cursor->line--;
    cursor->line_start = cursor->offset;
    while (cursor->line_start > 0 && content->data[cursor->line_start - 1] != '\n') {
        cursor->line_start--;
    }
}

static void cursor_move(const struct bytes *content, struct cursor *cursor, size_t index)
{
    while (cursor->index > index) {
        cursor_backward(content, cursor);
    }
    while (cursor->index < index && cursor->offset < content->size) {
        cursor_forward(content, cursor);
    }
}

/* From the start mark to the end mark, or to the end of the line on which it starts. */
static struct span span_between(struct reader *reader, const yaml_mark_t *start, const yaml_mark_t *end)
{
    const struct bytes *content = &reader->content;
    cursor_move(content, &reader->cursor, start->index);
    struct cursor last = reader->cursor;
    while (last.index < end->index && last.offset < content->size && content->data[last.offset] != '\n' &&
           content->data[last.offset] != '\r') {
        cursor_forward(content, &last);
    }
    return (struct span){.source = reader->source,
                         .line = reader->cursor.line,
                         .column = (uint32_t)(reader->cursor.offset - reader->cursor.line_start + 1),
                         .length = (uint32_t)(last.offset - reader->cursor.offset)};
}

static struct span span_of(struct reader *reader, const yaml_event_t *event)
{
    return span_between(reader, &event->start_mark, &event->end_mark);
}

static struct span span_at_offset(const struct reader *reader, size_t offset)
{
    struct span span = {.source = reader->source, .line = 1, .column = 1};
    for (size_t i = 0; i < offset && i < reader->content.size; i++) {
        bool line_end = reader->content.data[i] == '\n';
        span.line += line_end;
        span.column = line_end ? 1 : span.column + 1;
    }
    return span;
}

static const char *printable(const struct reader *reader, const char *text)
{
    return node_printable(reader->diagnostics->arena, text);
}

static struct node *new_node(struct reader *reader, enum node_kind kind, struct span span)
{
    struct node *node = ARENA_NEW(reader->arena, struct node);
    node->kind = kind;
    node->span = span;
    return node;
}

/* Counts nodes towards the limit; false, and reported, if it is passed. */
static bool count_nodes(struct reader *reader, size_t nodes, struct span span)
{
    /* Both are at most the limit, so the sum cannot wrap. */
    reader->expanded += nodes;
    if (reader->expanded <= DOC_NODES_LIMIT) {
        return true;
    }
    diag_report(reader->diagnostics, DIAG_YAML_LIMIT, span, "the document has more than %zu values, aliases expanded",
                DOC_NODES_LIMIT);
    return false;
}

/* False, and reported, unless `levels` more levels fit below the collections that are open. */
static bool check_depth(struct reader *reader, size_t levels, struct span span)
{
    if (reader->depth + levels <= DOC_DEPTH_LIMIT) {
        return true;
    }
    diag_report(reader->diagnostics, DIAG_YAML_LIMIT, span, "lists and mappings are nested deeper than %d levels",
                DOC_DEPTH_LIMIT);
    return false;
}

static void check_tag(struct reader *reader, const yaml_char_t *tag, enum node_kind kind, struct span span)
{
    static const struct {
        const char *tag;
        enum node_kind kind;
    } core_tags[] = {{YAML_STR_TAG, NODE_SCALAR},  {YAML_INT_TAG, NODE_SCALAR},   {YAML_BOOL_TAG, NODE_SCALAR},
                     {YAML_NULL_TAG, NODE_SCALAR}, {YAML_FLOAT_TAG, NODE_SCALAR}, {YAML_MAP_TAG, NODE_MAPPING},
                     {YAML_SEQ_TAG, NODE_SEQUENCE}};
    if (tag == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof core_tags / sizeof core_tags[0]; i++) {
        if (core_tags[i].kind == kind && text_equal(core_tags[i].tag, (const char *)tag)) {
            return;
        }
    }
    diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, span, "the tag '%s' is not supported here",
                printable(reader, (const char *)tag));
    reader->failed = true;
}

/* Names the node; returns the anchor's index + 1, or 0 if there is none. */
static size_t define_anchor(struct reader *reader, const yaml_char_t *name, struct anchor anchor)
{
    if (name == NULL) {
        return 0;
    }
    uint32_t index = (uint32_t)reader->anchors.count;
    const char *key = arena_copy_text(&reader->scratch, (const char *)name);
    if (map_add(&reader->anchor_names, key, index, &index)) {
        *LIST_ADD(&reader->scratch, &reader->anchors) = anchor;
    } else {
        reader->anchors.items[index] = anchor;
    }
    return (size_t)index + 1;
}

static bool key_is_next(const struct reader *reader)
{
    if (reader->depth == 0) {
        return false;
    }
    const struct frame *frame = &reader->frames[reader->depth - 1];
    return frame->node->kind == NODE_MAPPING && (reader->children.count - frame->first_child) % 2 == 0;
}

/* A key that can stand in the tree; a stand-in without a text for one that cannot. */
static const struct node *check_key(struct reader *reader, const struct node *key)
{
    if (key->kind != NODE_SCALAR) {
        diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, key->span, "a key must be text, not %s", node_kind_name(key));
        reader->failed = true;
        return new_node(reader, NODE_SCALAR, key->span);
    }
    if (key->plain && text_equal(key->text, "<<")) {
        diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, key->span,
                    "merge keys ('<<') are not supported; write out the keys that are meant");
        reader->failed = true;
        return new_node(reader, NODE_SCALAR, key->span);
    }
    return key;
}

/* Hands a finished node to the collection that is open, or makes it the root. */
static void add_child(struct reader *reader, const struct node *node, unsigned height)
{
    if (reader->depth == 0) {
        reader->root = node;
        return;
    }
    struct frame *frame = &reader->frames[reader->depth - 1];
    if (key_is_next(reader)) {
        node = check_key(reader, node);
    }
    *LIST_ADD(&reader->scratch, &reader->children) = node;
    if (frame->height < height) {
        frame->height = height;
    }
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct span span = span_of(reader, event);
    if (!count_nodes(reader, 1, span)) {
        return false;
    }
    const char *tag = (const char *)event->data.scalar.tag;
    check_tag(reader, event->data.scalar.tag, NODE_SCALAR, span);
    struct node *node = new_node(reader, NODE_SCALAR, span);
    node->text = arena_copy(reader->arena, event->data.scalar.value, event->data.scalar.length);
    node->plain = tag != NULL ? !text_equal(tag, YAML_STR_TAG) : event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (strlen(node->text) != event->data.scalar.length) {
        diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, span, "a text must not hold the character NUL");
        reader->failed = true;
    }
    define_anchor(reader, event->data.scalar.anchor, (struct anchor){.node = node, .expanded = 1});
    add_child(reader, node, 0);
    return true;
}

static bool is_open(const struct reader *reader, const struct node *node)
{
    for (size_t i = 0; i < reader->depth; i++) {
        if (reader->frames[i].node == node) {
            return true;
        }
    }
    return false;
}

/* What the alias stands for; NULL, and reported, if that is nothing or holds the alias itself. */
static const struct anchor *find_anchor(struct reader *reader, const yaml_event_t *event, struct span span)
{
    const char *name = (const char *)event->data.alias.anchor;
    uint32_t index = 0;
    if (!map_find(&reader->anchor_names, name, &index)) {
        diag_report(reader->diagnostics, DIAG_YAML_SYNTAX, span, "the alias '*%s' has no anchor '&%s' before it",
                    printable(reader, name), printable(reader, name));
        return NULL;
    }
    const struct anchor *anchor = &reader->anchors.items[index];
    if (is_open(reader, anchor->node)) {
        diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, span, "the alias '*%s' lies inside what it stands for",
                    printable(reader, name));
        return NULL;
    }
    return anchor;
}

static bool read_alias(struct reader *reader, const yaml_event_t *event)
{
    struct span span = span_of(reader, event);
    const struct anchor *anchor = find_anchor(reader, event, span);
    if (anchor == NULL) {
        struct node *stand_in = new_node(reader, NODE_SCALAR, span);
        reader->failed = true;
        stand_in->text = "";
        add_child(reader, stand_in, 0);
        return count_nodes(reader, 1, span);
    }
    if (!count_nodes(reader, anchor->expanded, span) || !check_depth(reader, anchor->height, span)) {
        return false;
    }
    add_child(reader, anchor->node, anchor->height);
    return true;
}

static bool open_collection(struct reader *reader, const yaml_event_t *event, enum node_kind kind, const yaml_char_t *anchor,
                            const yaml_char_t *tag)
{
    struct span span = span_of(reader, event);
    if (!check_depth(reader, 1, span) || !count_nodes(reader, 1, span)) {
        return false;
    }
    check_tag(reader, tag, kind, span);
    struct node *node = new_node(reader, kind, span);
    reader->frames[reader->depth++] = (struct frame){.node = node,
                                                     .first_child = reader->children.count,
                                                     .expanded_before = reader->expanded - 1,
                                                     .anchor = define_anchor(reader, anchor, (struct anchor){.node = node})};
    return true;
}

static void take_items(struct reader *reader, struct node *sequence, const struct node *const *children, size_t count)
{
    sequence->count = count;
    sequence->items = ARENA_ARRAY(reader->arena, const struct node *, count);
    for (size_t i = 0; i < count; i++) {
        sequence->items[i] = children[i];
    }
}

static void take_pairs(struct reader *reader, struct node *mapping, const struct node *const *children, size_t count)
{
    mapping->count = count / 2;
    mapping->pairs = ARENA_ARRAY(reader->arena, struct node_pair, mapping->count);
    for (size_t i = 0; i < mapping->count; i++) {
        mapping->pairs[i] = (struct node_pair){children[2 * i], children[2 * i + 1]};
    }
    if (!check_duplicate_keys(&reader->scratch, reader->diagnostics, mapping)) {
        reader->failed = true;
    }
}

static void close_collection(struct reader *reader)
{
    const struct frame *frame = &reader->frames[reader->depth - 1];
    struct node *node = frame->node;
    const struct node *const *children = reader->children.items + frame->first_child;
    size_t count = reader->children.count - frame->first_child;
    if (count == 0) {
        node->count = 0;
    } else if (node->kind == NODE_SEQUENCE) {
        take_items(reader, node, children, count);
    } else {
        take_pairs(reader, node, children, count);
    }
    unsigned height = frame->height + 1;
    if (frame->anchor != 0 && reader->anchors.items[frame->anchor - 1].node == node) {
        reader->anchors.items[frame->anchor - 1] = (struct anchor){node, reader->expanded - frame->expanded_before, height};
    }
    reader->children.count = frame->first_child;
    reader->depth--;
    add_child(reader, node, height);
}

static bool start_document(struct reader *reader, const yaml_event_t *event)
{
    if (reader->document_count++ == 0) {
        return true;
    }
    diag_report(reader->diagnostics, DIAG_YAML_UNSUPPORTED, span_of(reader, event),
                "a second document starts here, but a file holds one only");
    return false;
}

/* False, and reported, if reading cannot go on. */
static bool take_event(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(reader, event);
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event);
    case YAML_ALIAS_EVENT:
        return read_alias(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(reader, event, NODE_SEQUENCE, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_collection(reader, event, NODE_MAPPING, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_collection(reader);
        return true;
    default:
        return true;
    }
}

/* Bytes that are no UTF-8, or characters that YAML forbids. */
static void report_reader_error(struct reader *reader, const yaml_parser_t *parser)
{
    size_t skipped = reader->content.size - (size_t)(parser->input.string.end - parser->input.string.start);
    struct span span = span_at_offset(reader, skipped + parser->problem_offset);
    if (parser->problem_value >= 0) {
        diag_report(reader->diagnostics, DIAG_YAML_SYNTAX, span, "%s (0x%02x)", parser->problem, (unsigned)parser->problem_value);
    } else {
        diag_report(reader->diagnostics, DIAG_YAML_SYNTAX, span, "%s", parser->problem);
    }
}

static void report_parser_error(struct reader *reader, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        arena_exhausted(0);
    }
    if (parser->error == YAML_READER_ERROR) {
        report_reader_error(reader, parser);
        return;
    }
    struct span span = span_between(reader, &parser->problem_mark, &parser->problem_mark);
    struct diag *diag = diag_report(reader->diagnostics, DIAG_YAML_SYNTAX, span, "%s",
                                    parser->problem != NULL ? parser->problem : "the text cannot be read");
    if (parser->context != NULL) {
        diag_note(reader->diagnostics, diag, span_between(reader, &parser->context_mark, &parser->context_mark), "%s",
                  parser->context);
    }
}

static bool read_events(struct reader *reader, yaml_parser_t *parser)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            report_parser_error(reader, parser);
            return false;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        bool taken = take_event(reader, &event);
        yaml_event_delete(&event);
        if (!taken) {
            return false;
        }
    }
    return !reader->failed;
}

static bool check_encoding(struct reader *reader)
{
    const uint8_t *data = reader->content.data;
    if (reader->content.size < 2 || !((data[0] == 0xFE && data[1] == 0xFF) || (data[0] == 0xFF && data[1] == 0xFE))) {
        return true;
    }
    diag_report(reader->diagnostics, DIAG_YAML_SYNTAX, span_at_offset(reader, 0), "the text is UTF-16; it must be UTF-8");
    return false;
}

static bool check_size(struct reader *reader)
{
    if (reader->content.size <= DOC_BYTES_LIMIT) {
        return true;
    }
    diag_report(reader->diagnostics, DIAG_YAML_LIMIT, span_at_offset(reader, 0), "the document is larger than %zu bytes",
                DOC_BYTES_LIMIT);
    return false;
}

static bool read_stream(struct reader *reader)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        arena_exhausted(sizeof parser);
    }
    /* libyaml does not count a byte order mark; it must not see it, so that offsets stay in step. */
    size_t skipped = reader->content.size >= 3 && memcmp(reader->content.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    reader->cursor = (struct cursor){.offset = skipped, .line = 1};
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reader->content.data + skipped, reader->content.size - skipped);
    bool ok = read_events(reader, &parser);
    yaml_parser_delete(&parser);
    return ok;
}

/* "Nothing" at the top is a document without keys: an empty file, only comments, a lone "---". */
static const struct node *finish_root(struct reader *reader)
{
    const struct node *root = reader->root;
    if (root != NULL && !(node_is_null(root) && root->text[0] == '\0')) {
        return root;
    }
    return new_node(reader, NODE_MAPPING, span_at_offset(reader, 0));
}

bool doc_parse(struct arena *arena, struct diagnostics *diagnostics, uint32_t source, const struct node **root)
{
    struct reader reader = {
        .arena = arena, .diagnostics = diagnostics, .source = source, .content = diag_source(diagnostics, source)->content};
    reader.anchor_names = map_start(&reader.scratch);
    bool ok = check_size(&reader) && check_encoding(&reader) && read_stream(&reader);
    arena_free(&reader.scratch);
    if (ok) {
        *root = finish_root(&reader);
    }
    return ok;
}

bool doc_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span, const struct node **root)
{
    struct bytes content;
    struct file_error error;
    if (!file_read(arena, path, DOC_BYTES_LIMIT, &content, &error)) {
        diag_report(diagnostics, error.too_large ? DIAG_YAML_LIMIT : DIAG_FILE_UNREADABLE, span, "cannot %s '%s': %s",
                    error.operation, path, error.reason);
        return false;
    }
    return doc_parse(arena, diagnostics, diag_add_source(diagnostics, path, content), root);
}
