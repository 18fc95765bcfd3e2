#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include "base/size.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KIB             UINT64_C(1024)

static void checked_arithmetic(void **state)
{
    (void)state;
    uint64_t result = 99;
    assert_true(size_add_checked(UINT64_MAX - 1, 1, &result));
    assert_true(result == UINT64_MAX);
    assert_false(size_add_checked(UINT64_MAX, 1, &result));
    assert_true(result == UINT64_MAX);
    assert_true(size_multiply_checked(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &result));
    assert_true(result == 0xFFFFFFFF00000000U);
    assert_false(size_multiply_checked(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
    assert_true(result == 0xFFFFFFFF00000000U);
    assert_true(size_multiply_checked(UINT64_MAX, 0, &result));
    assert_true(result == 0);
    assert_true(size_align_checked(33, 32, &result));
    assert_int_equal(result, 64);
    assert_true(size_align_checked(64, 32, &result));
    assert_int_equal(result, 64);
    assert_true(size_align_checked(0, 4096, &result));
    assert_int_equal(result, 0);
    assert_false(size_align_checked(UINT64_MAX, 2, &result));
    assert_int_equal(result, 0);
    assert_true(size_align_checked(UINT64_MAX, 1, &result));
    assert_true(result == UINT64_MAX);
}

static void small_questions(void **state)
{
    (void)state;
    assert_false(size_is_power_of_two(0));
    assert_true(size_is_power_of_two(1));
    assert_true(size_is_power_of_two(UINT64_C(1) << 63));
    assert_false(size_is_power_of_two(48));
    assert_int_equal(size_max(3, 5), 5);
    assert_int_equal(size_min(3, 5), 3);
    assert_int_equal(size_align(17, 16), 32);
}

static void sizes_that_users_write(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } ROWS[] = {
        {"0", 0},
        {"65536", 65536},
        {"010", 10},
        {"0x10000", 65536},
        {"0XfF", 255},
        {"0x1B", 27},
        {"64K", 64 * KIB},
        {"64kb", 64 * KIB},
        {"64KiB", 64 * KIB},
        {"1M", KIB * KIB},
        {"1mB", KIB * KIB},
        {"1MIB", KIB * KIB},
        {"2G", 2 * KIB * KIB * KIB},
        {"2GiB", 2 * KIB * KIB * KIB},
        {"18446744073709551615", UINT64_MAX},
        {"0xFFFFFFFFFFFFFFFF", UINT64_MAX},
        {"17179869183G", 17179869183U * KIB * KIB * KIB},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        uint64_t bytes = 99;
        assert_true(size_parse(ROWS[i].text, &bytes));
        assert_true(bytes == ROWS[i].bytes);
    }
}

static void what_is_no_size(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",
        " ",
        "K",
        "0x",
        "0xG",
        "0x10K",
        "-1",
        "+1",
        "1.5K",
        "64 K",
        " 64",
        "64 ",
        "64KK",
        "64KBi",
        "64B",
        "64T",
        "1e3",
        "1_000",
        "1,000",
        "18446744073709551616",
        "0x10000000000000000",
        "17179869184G",
        "99999999999999999999999999",
        "\xD9\xA1",
    };
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
        uint64_t bytes = 99;
        assert_false(size_parse(TEXTS[i], &bytes));
        assert_int_equal(bytes, 99);
    }
}

static void percentages(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t whole, bytes;
    } ROWS[] = {
        {"25%", 1000, 250},
        {"12.5%", 1000, 125},
        {"12.5%", 1001, 125}, /* 125.125 */
        {"33.333333%", 300, 99},
        {"0%", UINT64_MAX, 0},
        {"100%", UINT64_MAX, UINT64_MAX},
        {"50%", UINT64_MAX, UINT64_MAX / 2},
        {"99.999999%", 100000000, 99999999},
        {"1000%", 7, 70},
        {"1000.0%", 7, 70},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        uint64_t bytes = 99;
        assert_true(size_parse_percent(ROWS[i].text, ROWS[i].whole, &bytes));
        assert_true(bytes == ROWS[i].bytes);
    }
    static const char *const WRONG[] = {"",
                                        "%",
                                        "25",
                                        ".5%",
                                        "5.%",
                                        "-1%",
                                        "1e1%",
                                        "25 %",
                                        "25%%",
                                        "1001%",
                                        "1000.000001%",
                                        "1.0000001%",
                                        "0x10%",
                                        "1,5%",
                                        "99999999999999999999%"};
    for (size_t i = 0; i < COUNT_OF(WRONG); i++) {
        uint64_t bytes = 99;
        assert_false(size_parse_percent(WRONG[i], 1000, &bytes));
        assert_int_equal(bytes, 99);
    }
    uint64_t bytes = 99;
    assert_false(size_parse_percent("101%", UINT64_MAX, &bytes));
    assert_int_equal(bytes, 99);
}

static void sizes_that_tables_show(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } ROWS[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1.0 KB"},
        {1075, "1.0 KB"}, /* 1.0498 */
        {1076, "1.1 KB"}, /* 1.0508 */
        {1126, "1.1 KB"},
        {1280, "1.3 KB"}, /* 1.25: half goes up */
        {16691, "16.3 KB"},
        {491213, "479.7 KB"},
        {1048524, "1023.9 KB"}, /* 1023.949 */
        {1048525, "1.0 MB"},    /* 1023.950 */
        {1048575, "1.0 MB"},
        {1048576, "1.0 MB"},
        {4128768, "3.9 MB"},
        {1073741823, "1.0 GB"},
        {1073741824, "1.0 GB"},
        {UINT64_C(5368709120), "5.0 GB"},
        {UINT64_C(1) << 40, "1024.0 GB"},
        {UINT64_MAX, "17179869184.0 GB"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        assert_string_equal(size_format(&arena, ROWS[i].bytes), ROWS[i].text);
    }
    arena_free(&arena);
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint64_t random = 2463534242U;
    for (int round = 0; round < 3000; round++) {
        uint64_t value = next_random(&random) >> (next_random(&random) % 64);
        uint64_t bytes;
        assert_true(size_parse(arena_format(&arena, "%" PRIu64, value), &bytes));
        assert_true(bytes == value);
        assert_true(size_parse(arena_format(&arena, "0x%" PRIx64, value), &bytes));
        assert_true(bytes == value);
        bool fits = value < UINT64_C(1) << 54;
        assert_int_equal(size_parse(arena_format(&arena, "%" PRIu64 "KiB", value), &bytes), fits);
        assert_true(!fits || bytes == value * KIB);
        assert_true(size_parse_percent("37.25%", value, &bytes));
        /* whole * 3725 / 10000 in two parts, neither of which can overflow */
        assert_true(bytes == value / 10000 * 3725 + value % 10000 * 3725 / 10000);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checked_arithmetic),
        cmocka_unit_test(small_questions),
        cmocka_unit_test(sizes_that_users_write),
        cmocka_unit_test(what_is_no_size),
        cmocka_unit_test(percentages),
        cmocka_unit_test(sizes_that_tables_show),
        cmocka_unit_test(what_is_printed_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
