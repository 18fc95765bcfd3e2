#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* The well-formed sequences by their first byte: RFC 3629, section 4. Only the second byte has a range of its own; the
 * others are 80 to BF. */
static const struct utf8_form {
    uint8_t first_from, first_to;
    uint8_t second_from, second_to;
    uint8_t size;
} UTF8_FORMS[] = {
    {0x01, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool matches(const struct utf8_form *form, const uint8_t *bytes, size_t size)
{
    if (bytes[0] < form->first_from || bytes[0] > form->first_to || size < form->size) {
        return false;
    }
    if (form->size > 1 && (bytes[1] < form->second_from || bytes[1] > form->second_to)) {
        return false;
    }
    for (size_t i = 2; i < form->size; i++) {
        if (bytes[i] < 0x80 || bytes[i] > 0xBF) {
            return false;
        }
    }
    return true;
}

size_t text_utf8_size(const char *bytes, size_t size)
{
    if (size == 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof UTF8_FORMS / sizeof UTF8_FORMS[0]; i++) {
        if (matches(&UTF8_FORMS[i], (const uint8_t *)bytes, size)) {
            return UTF8_FORMS[i].size;
        }
    }
    return 0;
}

bool text_is_utf8(const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = text_utf8_size(bytes + at, size - at);
        if (step == 0) {
            return false;
        }
        at += step;
    }
    return true;
}

/* Characters that steer a terminal or turn the direction of writing, so that a line reads otherwise than it is. */
static const struct {
    uint32_t from, to;
} UNPRINTABLE[] = {
    {0x0000, 0x001F}, /* C0 */
    {0x007F, 0x009F}, /* DEL, C1 */
    {0x061C, 0x061C}, /* Arabic letter mark */
    {0x200E, 0x200F}, /* direction marks */
    {0x2028, 0x202E}, /* line and paragraph separator, direction embedding and override */
    {0x2066, 0x2069}, /* direction isolates */
};

static uint32_t code_point(const uint8_t *bytes, size_t size)
{
    static const uint8_t FIRST_BITS[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code = bytes[0] & FIRST_BITS[size];
    for (size_t i = 1; i < size; i++) {
        code = code << 6 | (bytes[i] & 0x3F);
    }
    return code;
}

static bool is_printable(const char *bytes, size_t size)
{
    uint32_t code = code_point((const uint8_t *)bytes, size);
    for (size_t i = 0; i < sizeof UNPRINTABLE / sizeof UNPRINTABLE[0]; i++) {
        if (code >= UNPRINTABLE[i].from && code <= UNPRINTABLE[i].to) {
            return false;
        }
    }
    return true;
}

size_t text_add_printable(struct text *text, const char *bytes, size_t size)
{
    size_t step = text_utf8_size(bytes, size);
    if (step != 0 && is_printable(bytes, step)) {
        text_add_bytes(text, bytes, step);
        return step;
    }
    text_add_char(text, '?');
    return step == 0 ? 1 : step;
}

char *text_printable(struct arena *arena, const char *bytes, size_t size)
{
    /* Nothing gets longer, and ids come here by the hundred thousand: no room is taken beyond what they need. */
    struct text printable = {.data = arena_copy(arena, "", 0), .capacity = 1, .arena = arena};
    text_reserve(&printable, size);
    for (size_t at = 0; at < size;) {
        at += text_add_printable(&printable, bytes + at, size - at);
    }
    return printable.data;
}
