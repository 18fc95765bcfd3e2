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
