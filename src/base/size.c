#include "base/size.h"

#include <inttypes.h>

#include "base/text.h"

bool size_add_checked(uint64_t a, uint64_t b, uint64_t *sum)
{
    if (a > UINT64_MAX - b) {
        return false;
    }
    *sum = a + b;
    return true;
}

bool size_multiply_checked(uint64_t a, uint64_t b, uint64_t *product)
{
    if (b != 0 && a > UINT64_MAX / b) {
        return false;
    }
    *product = a * b;
    return true;
}

bool size_align_checked(uint64_t value, uint64_t alignment, uint64_t *aligned)
{
    if (value > UINT64_MAX - (alignment - 1)) {
        return false;
    }
    *aligned = size_align(value, alignment);
    return true;
}

static const struct {
    const char *spelling;
    uint64_t bytes;
} SUFFIXES[] = {
    {"", 1},
    {"K", UINT64_C(1) << 10},
    {"KB", UINT64_C(1) << 10},
    {"KiB", UINT64_C(1) << 10},
    {"M", UINT64_C(1) << 20},
    {"MB", UINT64_C(1) << 20},
    {"MiB", UINT64_C(1) << 20},
    {"G", UINT64_C(1) << 30},
    {"GB", UINT64_C(1) << 30},
    {"GiB", UINT64_C(1) << 30},
};

/* Reads one digit or more; `*end` is what follows them. */
static bool parse_digits(const char *text, unsigned base, uint64_t *number, const char **end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; text_digit_value(*at) < base; at++) {
        if (!size_multiply_checked(value, base, &value) || !size_add_checked(value, text_digit_value(*at), &value)) {
            return false;
        }
    }
    if (at == text) {
        return false;
    }
    *number = value;
    *end = at;
    return true;
}

bool size_parse(const char *text, uint64_t *bytes)
{
    uint64_t number;
    const char *end;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        if (!parse_digits(text + 2, 16, &number, &end) || *end != '\0') {
            return false;
        }
        *bytes = number;
        return true;
    }
    if (!parse_digits(text, 10, &number, &end)) {
        return false;
    }
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++) {
        if (text_equal_nocase(end, SUFFIXES[i].spelling)) {
            return size_multiply_checked(number, SUFFIXES[i].bytes, bytes);
        }
    }
    return false;
}

#define PERCENT_LIMIT    1000
#define PERCENT_DECIMALS 6

bool size_parse_percent(const char *text, uint64_t whole, uint64_t *bytes)
{
    uint64_t numerator;
    uint64_t denominator = 100;
    const char *at;
    if (!parse_digits(text, 10, &numerator, &at) || numerator > PERCENT_LIMIT) {
        return false;
    }
    if (*at == '.') {
        at++;
        if (text_digit_value(*at) > 9) {
            return false;
        }
        for (int decimals = 0; text_digit_value(*at) <= 9; at++, decimals++) {
            if (decimals == PERCENT_DECIMALS) {
                return false;
            }
            numerator = numerator * 10 + text_digit_value(*at);
            denominator *= 10;
        }
    }
    if (at[0] != '%' || at[1] != '\0') {
        return false;
    }
    if (numerator > PERCENT_LIMIT * (denominator / 100)) {
        return false;
    }
    /* floor(whole * numerator / denominator) without a product of more than 64 bits: the denominator is at most 10^8 and the
     * numerator at most 10^9. */
    uint64_t rest = whole % denominator * numerator / denominator;
    uint64_t result;
    if (!size_multiply_checked(whole / denominator, numerator, &result)) {
        return false;
    }
    return size_add_checked(result, rest, bytes);
}

const char *size_format(struct arena *arena, uint64_t bytes)
{
    static const char *const UNITS[] = {"KB", "MB", "GB"};
    const size_t last = sizeof UNITS / sizeof UNITS[0] - 1;
    if (bytes < 1024) {
        return arena_format(arena, "%" PRIu64 " B", bytes);
    }
    uint64_t unit = 1024;
    for (size_t i = 0;; i++, unit *= 1024) {
        uint64_t tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
        if (tenths < 1024 * 10 || i == last) {
            return arena_format(arena, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, UNITS[i]);
        }
    }
}
