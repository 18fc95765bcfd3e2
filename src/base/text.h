/* Text: a growing buffer in an arena, and the few comparisons that the rest needs. All text is UTF-8, NUL-terminated. */
#ifndef HELIA_BASE_TEXT_H
#define HELIA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"

/* A growing buffer. `data` is NUL-terminated at all times once text_start() was called. Owned by the arena. */
struct text {
    char *data;
    size_t size; /* bytes before the NUL */
    size_t capacity;
    struct arena *arena;
};

struct text text_start(struct arena *arena);
/* Room for `more` bytes at once, where it is known that much will come: growing leaves copies behind in the arena. */
void text_reserve(struct text *text, size_t more);
void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t size);
void text_add_char(struct text *text, char c);
void text_add_repeated(struct text *text, char c, size_t count);
/* In decimal digits. */
void text_add_decimal(struct text *text, uint64_t number);
void text_print(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);

bool text_equal(const char *a, const char *b);
/* Equal without regard to the case of ASCII letters; the locale has no say. */
bool text_equal_nocase(const char *a, const char *b);
bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);

/* [A-Za-z_][A-Za-z0-9_]*: what C, C++ and every linker take as a name without quotes. */
bool text_is_identifier(const char *text);

/* The value of a hexadecimal digit of either case, TEXT_NO_DIGIT of any other character. Less than 10: a decimal digit. */
#define TEXT_NO_DIGIT 16u
unsigned text_digit_value(char c);

/* ASCII upper or lower case copy in the arena. */
char *text_upper(struct arena *arena, const char *text);
char *text_lower(struct arena *arena, const char *text);

/* Longer names than this are nobody's slip of the pen: text_nearest() passes over them. */
#define TEXT_NEAREST_LONGEST 64

/* The name among `names` that a writer of `wanted` most likely meant (optimal string alignment distance, case
 * ignored, at most a third of the length and at least 1; the first of equals), or NULL, as for an empty `wanted`. */
const char *text_nearest(const char *wanted, const char *const *names, size_t count);

/* "a, b, c" in the arena. */
const char *text_join(struct arena *arena, const char *const *items, size_t count, const char *separator);

/* True if the bytes are well-formed UTF-8 (RFC 3629) without NUL. */
bool text_is_utf8(const char *bytes, size_t size);

/* Bytes of the well-formed UTF-8 character at `bytes` (1 to 4), or 0 if there is none or it is NUL. */
size_t text_utf8_size(const char *bytes, size_t size);

/* A printable copy: control characters (C0, C1, DEL, and those that turn the direction of writing) and bytes that are
 * not UTF-8 become '?', one for each, so that no input can steer a terminal. */
char *text_printable(struct arena *arena, const char *bytes, size_t size);
/* The same for the one character at `bytes`; `size` is at least 1. Returns the bytes that it took. */
size_t text_add_printable(struct text *text, const char *bytes, size_t size);

#endif
