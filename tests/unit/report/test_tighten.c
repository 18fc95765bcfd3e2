/* From what was allocated to an arena_size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/size.h"
#include "report/tighten.h"

static uint64_t size_for(uint64_t allocated, const char *headroom, uint64_t extra)
{
    uint64_t headroom_bytes;
    uint64_t arena_size;
    assert_true(tighten_size(allocated, headroom, &headroom_bytes, &arena_size));
    assert_int_equal(headroom_bytes, extra);
    return arena_size;
}

static void headroom_is_added_and_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(size_for(20544, "15%", 3081), 24576); /* 23625 */
    assert_int_equal(size_for(1024, "0%", 0), 1024);
    assert_int_equal(size_for(1025, "0", 0), 2048);
    assert_int_equal(size_for(1, "4K", 4096), 5120);
    assert_int_equal(size_for(1000, "12.5%", 125), 2048);
}

static void what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    uint64_t headroom_bytes = 7;
    uint64_t arena_size = 7;
    const char *const wrong[] = {"", "%", "-1", "15 %", "many", "1001%", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(tighten_size(1000, wrong[i], &headroom_bytes, &arena_size));
    }
    assert_false(tighten_size(SIZE_LIMIT, "1", &headroom_bytes, &arena_size));
    assert_false(tighten_size(1, "18446744073709551615", &headroom_bytes, &arena_size));
    assert_int_equal(headroom_bytes, 7);
    assert_int_equal(arena_size, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_is_added_and_rounded_up),
        cmocka_unit_test(what_cannot_be_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
