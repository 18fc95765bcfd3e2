#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY 64

struct text text_start(struct arena *arena)
{
    return (struct text){.data = ARENA_ARRAY(arena, char, FIRST_CAPACITY), .capacity = FIRST_CAPACITY, .arena = arena};
}

static void move_to(struct text *text, size_t capacity)
{
    char *data = ARENA_ARRAY(text->arena, char, capacity);
    memcpy(data, text->data, text->size);
    text->data = data;
    text->capacity = capacity;
}

/* Room for `more` bytes and the NUL. */
static void reserve(struct text *text, size_t more)
{
    if (more < text->capacity - text->size) {
        return;
    }
    if (more > SIZE_MAX / 2 - text->size - 1) {
        arena_exhausted(more);
    }
    move_to(text, (text->size + more + 1) * 2);
}

void text_reserve(struct text *text, size_t more)
{
    if (more >= SIZE_MAX - text->size) {
        arena_exhausted(more);
    }
    if (more >= text->capacity - text->size) {
        move_to(text, text->size + more + 1);
    }
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_add_bytes(struct text *text, const void *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    reserve(text, size);
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_add_repeated(struct text *text, char c, size_t count)
{
    reserve(text, count);
    memset(text->data + text->size, c, count);
    text->size += count;
    text->data[text->size] = '\0';
}

void text_add_decimal(struct text *text, uint64_t number)
{
    char digits[sizeof "18446744073709551615" - 1];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    text_add_bytes(text, digits + first, sizeof digits - first);
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    size_t room = text->capacity - text->size;
    int length = vsnprintf(text->data + text->size, room, format, arguments);
    va_end(arguments);
    if (length < 0) { /* longer than INT_MAX */
        arena_exhausted(0);
    }
    if ((size_t)length >= room) {
        text->data[text->size] = '\0';
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
    }
    va_end(again);
    text->size += (size_t)length;
}

/* <ctype.h> asks the locale; these do not. */
static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool text_equal_nocase(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool text_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text);
    size_t suffix_size = strlen(suffix);
    return suffix_size <= size && memcmp(text + size - suffix_size, suffix, suffix_size) == 0;
}

unsigned text_digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (lower(c) >= 'a' && lower(c) <= 'f') {
        return (unsigned)(lower(c) - 'a') + 10;
    }
    return TEXT_NO_DIGIT;
}

static bool starts_identifier(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

bool text_is_identifier(const char *text)
{
    if (!starts_identifier(text[0])) {
        return false;
    }
    for (const char *c = text; *c != '\0'; c++) {
        if (!starts_identifier(*c) && text_digit_value(*c) >= 10) {
            return false;
        }
    }
    return true;
}

char *text_upper(struct arena *arena, const char *text)
{
    char *copy = arena_copy_text(arena, text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = upper(*c);
    }
    return copy;
}

char *text_lower(struct arena *arena, const char *text)
{
    char *copy = arena_copy_text(arena, text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = lower(*c);
    }
    return copy;
}

const char *text_join(struct arena *arena, const char *const *items, size_t count, const char *separator)
{
    struct text joined = text_start(arena);
    for (size_t i = 0; i < count; i++) {
        if (i != 0) {
            text_add(&joined, separator);
        }
        text_add(&joined, items[i]);
    }
    return joined.data;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each of cost 1, no part edited
 * twice. Row i of the table needs only the two rows before it. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][TEXT_NEAREST_LONGEST + 1];
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *two_before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(least(before[j] + 1, row[j - 1] + 1), before[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = least(row[j], two_before[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

const char *text_nearest(const char *wanted, const char *const *names, size_t count)
{
    size_t size = strlen(wanted);
    if (size == 0 || size > TEXT_NEAREST_LONGEST) {
        return NULL;
    }
    size_t farthest = size < 3 ? 1 : size / 3;
    size_t nearest = farthest + 1; /* to be beaten */
    const char *name = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_size = strlen(names[i]);
        if (name_size > TEXT_NEAREST_LONGEST) {
            continue;
        }
        size_t far = distance(wanted, size, names[i], name_size);
        if (far < nearest) {
            nearest = far;
            name = names[i];
        }
    }
    return name;
}
