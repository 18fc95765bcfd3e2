#include "base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

/* `struct json` is never defined: a pointer to one is a pointer to Jansson's json_t under a name that hides the library. */
static struct json *own(json_t *value)
{
    if (!value) {
        arena_exhausted(0);
    }
    return (struct json *)value;
}

static json_t *theirs(struct json *value)
{
    return (json_t *)value;
}

/* Jansson refuses text that is not UTF-8; an input's odd bytes must not cost the whole report. */
static char *repaired(struct arena *arena, const char *text)
{
    struct text out = text_start(arena);
    for (size_t left = strlen(text); left != 0;) {
        size_t step = text_utf8_size(text, left);
        text_add_bytes(&out, step == 0 ? "?" : text, step == 0 ? 1 : step);
        step = step == 0 ? 1 : step;
        text += step;
        left -= step;
    }
    return out.data;
}

struct json *json_new_object(void)
{
    return own(json_object());
}

struct json *json_new_array(void)
{
    return own(json_array());
}

struct json *json_text(const char *utf8)
{
    if (!utf8) {
        return json_nothing();
    }
    if (text_is_utf8(utf8, strlen(utf8))) {
        return own(json_string(utf8));
    }
    struct arena scratch = {0};
    json_t *value = json_string(repaired(&scratch, utf8));
    arena_free(&scratch);
    return own(value);
}

struct json *json_size(uint64_t bytes)
{
    return own(json_integer(bytes > INT64_MAX ? INT64_MAX : (json_int_t)bytes));
}

struct json *json_signed(int64_t value)
{
    return own(json_integer(value));
}

struct json *json_bool(bool value)
{
    return own(json_boolean(value));
}

struct json *json_number(double value)
{
    return isfinite(value) ? own(json_real(value)) : json_nothing();
}

struct json *json_address(uint64_t address)
{
    return own(json_sprintf("0x%08" PRIx64, address));
}

struct json *json_nothing(void)
{
    return own(json_null());
}

void json_set(struct json *object, const char *key, struct json *value)
{
    struct arena scratch = {0};
    const char *name = text_is_utf8(key, strlen(key)) ? key : repaired(&scratch, key);
    if (json_object_set_new(theirs(object), name, theirs(value)) != 0) {
        arena_exhausted(0);
    }
    arena_free(&scratch);
}

void json_add(struct json *array, struct json *value)
{
    if (json_array_append_new(theirs(array), theirs(value)) != 0) {
        arena_exhausted(0);
    }
}

static int add_to_text(const char *bytes, size_t size, void *out)
{
    text_add_bytes(out, bytes, size);
    return 0;
}

void json_finish(struct json *root, bool compact, struct text *out)
{
    size_t flags = JSON_REAL_PRECISION(6) | (compact ? 0 : JSON_INDENT(2));
    if (json_dump_callback(theirs(root), add_to_text, out, flags) != 0) {
        arena_exhausted(0);
    }
    text_add_char(out, '\n');
    json_decref(theirs(root));
}

/* ---- member by member ---- */

#define INDENT 2

static void start_line(struct json_stream *stream)
{
    text_add_char(stream->out, '\n');
    text_add_repeated(stream->out, ' ', INDENT * stream->depth);
}

/* Jansson indents from the left margin; no string holds a bare newline, so each one begins a line. */
static int add_indented(const char *bytes, size_t size, void *context)
{
    struct json_stream *stream = context;
    while (size != 0) {
        const char *newline = memchr(bytes, '\n', size);
        size_t length = newline != NULL ? (size_t)(newline - bytes) : size;
        text_add_bytes(stream->out, bytes, length);
        if (newline != NULL) {
            start_line(stream);
            length++;
        }
        bytes += length;
        size -= length;
    }
    return 0;
}

static void write_value(struct json_stream *stream, struct json *value)
{
    size_t flags = JSON_REAL_PRECISION(6) | JSON_INDENT(INDENT) | JSON_ENCODE_ANY;
    if (json_dump_callback(theirs(value), add_indented, stream, flags) != 0) {
        arena_exhausted(0);
    }
    json_decref(theirs(value));
}

/* Text that JSON holds as it is. All other text is Jansson's to escape. */
static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') {
            return false;
        }
    }
    return true;
}

static void write_text(struct json_stream *stream, const char *utf8)
{
    if (utf8 == NULL || !is_plain(utf8)) {
        write_value(stream, json_text(utf8));
        return;
    }
    text_add_char(stream->out, '"');
    text_add(stream->out, utf8);
    text_add_char(stream->out, '"');
}

static void start_member(struct json_stream *stream, const char *key)
{
    if (!stream->is_empty) {
        text_add_char(stream->out, ',');
    }
    stream->is_empty = false;
    start_line(stream);
    if (key != NULL) {
        write_text(stream, key);
        text_add(stream->out, ": ");
    }
}

static void enter(struct json_stream *stream, char opening, char closing)
{
    text_add_char(stream->out, opening);
    stream->closings[stream->depth++] = closing;
    stream->is_empty = true;
}

struct json_stream json_stream_start(struct text *out)
{
    struct json_stream stream = {.out = out};
    enter(&stream, '{', '}');
    return stream;
}

void json_stream_set(struct json_stream *stream, const char *key, struct json *value)
{
    start_member(stream, key);
    write_value(stream, value);
}

void json_stream_add(struct json_stream *stream, struct json *value)
{
    json_stream_set(stream, NULL, value);
}

void json_stream_set_text(struct json_stream *stream, const char *key, const char *utf8)
{
    start_member(stream, key);
    write_text(stream, utf8);
}

void json_stream_set_size(struct json_stream *stream, const char *key, uint64_t bytes)
{
    start_member(stream, key);
    text_add_decimal(stream->out, bytes > INT64_MAX ? INT64_MAX : bytes);
}

void json_stream_enter_object(struct json_stream *stream, const char *key)
{
    start_member(stream, key);
    enter(stream, '{', '}');
}

void json_stream_enter_array(struct json_stream *stream, const char *key)
{
    start_member(stream, key);
    enter(stream, '[', ']');
}

void json_stream_leave(struct json_stream *stream)
{
    stream->depth--;
    if (!stream->is_empty) {
        start_line(stream);
    }
    stream->is_empty = false;
    text_add_char(stream->out, stream->closings[stream->depth]);
}

void json_stream_finish(struct json_stream *stream)
{
    json_stream_leave(stream);
    text_add_char(stream->out, '\n');
}
