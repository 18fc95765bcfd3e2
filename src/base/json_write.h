/* JSON output, by Jansson: a tree that is built, dumped once, and gone. Keys keep the order in which they were set.
 * Running out of memory ends the process, as in the arena. Only this room's json_write.c knows Jansson. */
#ifndef HELIA_BASE_JSON_WRITE_H
#define HELIA_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json; /* an object, an array or a value */

/* Four names step around Jansson's own json_object(), json_array(), json_integer() and json_null(): the linker would
 * take one for the other, even inside Jansson. */
struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_text(const char *utf8); /* bytes that are not UTF-8 become '?'; NULL gives null */
struct json *json_size(uint64_t bytes);   /* at most INT64_MAX */
struct json *json_signed(int64_t value);
struct json *json_bool(bool value);
struct json *json_number(double value);      /* finite; six significant digits */
struct json *json_address(uint64_t address); /* the string "0x20000000": at least eight digits, lower case */
struct json *json_nothing(void);             /* null */

/* Both take over `value`. */
void json_set(struct json *object, const char *key, struct json *value);
void json_add(struct json *array, struct json *value);

/* Appends the tree, indented by two, with a newline at the end; `compact`: on one line. Frees the tree. */
void json_finish(struct json *root, bool compact, struct text *out);

/* A document whose large parts are written member by member, so that no tree of all of it stands in memory. The text is the
 * same as json_finish() gives for the same members. */
#define JSON_STREAM_DEPTH 8
struct json_stream {
    struct text *out;
    char closings[JSON_STREAM_DEPTH]; /* of what is open, outermost first */
    size_t depth;
    bool is_empty; /* nothing stands in the innermost yet */
};

/* Begins the document, an object. */
struct json_stream json_stream_start(struct text *out);
/* Both take over `value`, as the next member of the object or the array that was entered last. */
void json_stream_set(struct json_stream *stream, const char *key, struct json *value);
void json_stream_add(struct json_stream *stream, struct json *value);
/* The same as with json_text() and json_size(), but written at once: for what there are many of. */
void json_stream_set_text(struct json_stream *stream, const char *key, const char *utf8);
void json_stream_set_size(struct json_stream *stream, const char *key, uint64_t bytes);
/* Begin a member that is an object or an array; json_stream_leave() ends it. `key` NULL: the next of an array. */
void json_stream_enter_object(struct json_stream *stream, const char *key);
void json_stream_enter_array(struct json_stream *stream, const char *key);
void json_stream_leave(struct json_stream *stream);
/* Ends the document, with a newline. */
void json_stream_finish(struct json_stream *stream);

#endif
