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

#endif
