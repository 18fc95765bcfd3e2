#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct arena arena;

static int give_back(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void buffers_grow(void **state)
{
    (void)state;
    struct text text = text_start(&arena);
    assert_string_equal(text.data, "");
    text_add(&text, "size ");
    text_print(&text, "%d,", 42);
    text_add_char(&text, 'x');
    text_add_repeated(&text, '-', 3);
    text_add_repeated(&text, '-', 0);
    text_add_bytes(&text, "\0z", 2);
    assert_int_equal(text.size, 14);
    assert_memory_equal(text.data, "size 42,x---\0z", 15);
    struct text large = text_start(&arena);
    for (int i = 0; i < 10000; i++) {
        text_print(&large, "%04d", i);
    }
    assert_int_equal(large.size, 40000);
    assert_memory_equal(large.data + 4 * 9876, "98769877", 8);
    assert_int_equal(large.data[40000], '\0');
}

/* Lengths around every border of the buffer, against a plain array. */
static void buffers_hold_what_was_added(void **state)
{
    (void)state;
    struct text text = text_start(&arena);
    static char expected[20000];
    size_t size = 0;
    for (size_t step = 0; step < 190; step++) {
        char c = (char)('a' + step % 26);
        text_add_repeated(&text, c, step);
        memset(expected + size, c, step);
        size += step;
        assert_int_equal(text.size, size);
        assert_int_equal(text.data[size], '\0');
    }
    assert_memory_equal(text.data, expected, size);
}

static void comparisons(void **state)
{
    (void)state;
    assert_true(text_equal("DTCM", "DTCM"));
    assert_false(text_equal("DTCM", "dtcm"));
    assert_true(text_equal_nocase("Itcm_SBL", "iTCM_sbl"));
    assert_false(text_equal_nocase("a", "ab"));
    assert_false(text_equal_nocase("ab", "a"));
    assert_false(text_equal_nocase("@", "`")); /* differ in the case bit, but are no letters */
    assert_false(text_equal_nocase("[", "{"));
    assert_false(text_equal_nocase("\xC3\x84", "\xC3\xA4")); /* letters beyond ASCII have no case here */
    assert_true(text_starts_with("kws_arena", "kws"));
    assert_true(text_starts_with("kws", ""));
    assert_false(text_starts_with("kw", "kws"));
    assert_true(text_ends_with("a.yaml", ".yaml"));
    assert_true(text_ends_with("a", ""));
    assert_false(text_ends_with("yaml", ".yaml"));
    assert_false(text_ends_with("a.yml", ".yaml"));
    assert_string_equal(text_upper(&arena, "az{AZ_9\xC3\xA4"), "AZ{AZ_9\xC3\xA4");
    assert_string_equal(text_lower(&arena, "az[AZ_9\xC3\x84"), "az[az_9\xC3\x84");
}

static void identifiers(void **state)
{
    (void)state;
    const char *const NAMES[] = {"a", "_", "_a9", "Zz_09", "M_CU"};
    const char *const OTHERS[] = {"",   "9a", "a-b", "a.b", " a", "a ", "\xc3\xa9", "a\xc3\xa9",
                                  "a$", "`",  "{",   "@",   "[",  "/",  ":"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        assert_true(text_is_identifier(NAMES[i]));
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_false(text_is_identifier(OTHERS[i]));
    }
}

static void digits(void **state)
{
    (void)state;
    const char DIGITS[] = "0123456789abcdef";
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(text_digit_value(DIGITS[i]), i);
    }
    assert_int_equal(text_digit_value('A'), 10);
    assert_int_equal(text_digit_value('F'), 15);
    for (const char *c = "gG/:@`\x7f \xff"; *c != '\0'; c++) {
        assert_int_equal(text_digit_value(*c), TEXT_NO_DIGIT);
    }
    assert_int_equal(text_digit_value('\0'), TEXT_NO_DIGIT);
}

static void the_nearest_name(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"ITCM", "DTCM", "SRAM", "MRAM", "PSRAM", "linker_profile"};
    static const struct {
        const char *wanted, *nearest;
    } ROWS[] = {
        {"DTMC", "DTCM"},                    /* two neighbours swapped */
        {"dtcm", "DTCM"},                    /* case alone */
        {"SRA", "SRAM"},                     /* one missing */
        {"SRAMM", "SRAM"},                   /* one too many */
        {"TCM", "ITCM"},                     /* DTCM is as near: the first wins */
        {"linkr_porfile", "linker_profile"}, /* two edits in thirteen bytes */
        {"XXXX", NULL},                      /* nothing is near */
        {"RTC", NULL},                       /* two edits in three bytes are too many */
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const char *nearest = text_nearest(ROWS[i].wanted, NAMES, COUNT_OF(NAMES));
        if (ROWS[i].nearest) {
            assert_non_null(nearest);
            assert_string_equal(nearest, ROWS[i].nearest);
        } else {
            assert_null(nearest);
        }
    }
    assert_null(text_nearest("DTCM", NAMES, 0));
}

static void endless_names_are_passed_over(void **state)
{
    (void)state;
    char endless[100000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    const char *names[] = {endless, "aaaa"};
    assert_string_equal(text_nearest("aaab", names, 2), "aaaa");
    assert_null(text_nearest(endless, names, 2));
    endless[TEXT_NEAREST_LONGEST] = '\0';
    assert_ptr_equal(text_nearest(endless, names, 2), endless);
}

static void joining(void **state)
{
    (void)state;
    static const char *const ITEMS[] = {"a", "b", "c"};
    assert_string_equal(text_join(&arena, ITEMS, 3, ", "), "a, b, c");
    assert_string_equal(text_join(&arena, ITEMS, 1, ", "), "a");
    assert_string_equal(text_join(&arena, ITEMS, 0, ", "), "");
}

/* RFC 3629, section 3 (ranges) and section 10 (overlong forms). */
static void well_formed_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        bool well_formed;
    } ROWS[] = {
        {"", 0, true},
        {"plain", 5, true},
        {"\xC2\x80", 2, true},
        {"\xE0\xA0\x80", 3, true},
        {"\xED\x9F\xBF", 3, true},
        {"\xEF\xBF\xBF", 3, true},
        {"\xF0\x90\x80\x80", 4, true},
        {"\xF4\x8F\xBF\xBF", 4, true},
        {"a\0b", 3, false},
        {"\x80", 1, false},
        {"\xC0\x80", 2, false},         /* overlong NUL */
        {"\xC1\xBF", 2, false},         /* overlong */
        {"\xE0\x9F\xBF", 3, false},     /* overlong */
        {"\xF0\x8F\xBF\xBF", 4, false}, /* overlong */
        {"\xED\xA0\x80", 3, false},     /* surrogate */
        {"\xF4\x90\x80\x80", 4, false}, /* above U+10FFFF */
        {"\xF5\x80\x80\x80", 4, false},
        {"\xC3", 1, false}, /* cut short */
        {"\xE2\x82", 2, false},
        {"\xF0\x9F\x98", 3, false},
        {"\xC3(", 2, false},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_int_equal(text_is_utf8(ROWS[i].bytes, ROWS[i].size), ROWS[i].well_formed);
    }
}

static void printable_copies(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *printable;
    } ROWS[] = {
        {"plain", "plain"},
        {"\x1B[31mred\x07", "?[31mred?"},
        {"tab\tline\nreturn\r", "tab?line?return?"},
        {"del\x7F", "del?"},
        {"csi\xC2\x9B"
         "2J",
         "csi?2J"}, /* U+009B, the one-character escape sequence start */
        {"\xE2\x80\xAE"
         "gnp.exe",
         "?gnp.exe"}, /* U+202E, right-to-left override */
        {"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"},
        {"bad\xFF\xC3", "bad??"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_string_equal(text_printable(&arena, ROWS[i].bytes, strlen(ROWS[i].bytes)), ROWS[i].printable);
    }
    assert_string_equal(text_printable(&arena, "a\0b", 3), "a?b");
}

/* Whatever the bytes are, the copy is UTF-8 without a control character. */
static void any_bytes_become_printable(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < 2000; round++) {
        char bytes[32];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            bytes[i] = (char)(random >> 32);
        }
        const char *printable = text_printable(&arena, bytes, sizeof bytes);
        assert_true(text_is_utf8(printable, strlen(printable)));
        for (const char *c = printable; *c != '\0'; c++) {
            assert_true((unsigned char)*c >= 0x20 && *c != 0x7F);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers_grow, give_back),
        cmocka_unit_test_teardown(buffers_hold_what_was_added, give_back),
        cmocka_unit_test_teardown(comparisons, give_back),
        cmocka_unit_test_teardown(identifiers, give_back),
        cmocka_unit_test_teardown(digits, give_back),
        cmocka_unit_test_teardown(the_nearest_name, give_back),
        cmocka_unit_test_teardown(endless_names_are_passed_over, give_back),
        cmocka_unit_test_teardown(joining, give_back),
        cmocka_unit_test_teardown(well_formed_utf8, give_back),
        cmocka_unit_test_teardown(printable_copies, give_back),
        cmocka_unit_test_teardown(any_bytes_become_printable, give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
