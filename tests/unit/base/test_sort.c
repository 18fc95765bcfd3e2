#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

struct item {
    uint32_t key;
    uint32_t arrival;
    char ballast[5]; /* an odd size */
};

static int by_key(const void *a, const void *b, const void *context)
{
    const struct item *left = a;
    const struct item *right = b;
    ++*(*(size_t *const *)context);
    return SORT_BY(left->key, right->key);
}

static size_t ceiling_of_log2(size_t n)
{
    size_t log = 0;
    while (((size_t)1 << log) < n) {
        log++;
    }
    return log;
}

/* Sorted by key, and by arrival where keys are equal: then nothing is lost, doubled or unstable, because the sum of the
 * arrivals is the same as well. */
static void order_is_right_and_stable(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint64_t random = 88172645463325252U;
    for (size_t count = 0; count < 200; count++) {
        struct item *items = ARENA_ARRAY(&arena, struct item, count);
        for (size_t i = 0; i < count; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            items[i] = (struct item){.key = (uint32_t)(random % (count % 9 + 1)), .arrival = (uint32_t)i};
        }
        size_t compares = 0;
        size_t *counter = &compares;
        struct arena_mark before = arena_mark(&arena);
        sort_stable(items, count, sizeof *items, by_key, &counter, &arena);
        struct arena_mark after = arena_mark(&arena);
        assert_ptr_equal(before.block, after.block);
        assert_int_equal(before.used, after.used);
        size_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += items[i].arrival;
            if (i == 0) {
                continue;
            }
            assert_true(items[i - 1].key <= items[i].key);
            if (items[i - 1].key == items[i].key) {
                assert_true(items[i - 1].arrival < items[i].arrival);
            }
        }
        assert_int_equal(sum, count * (count == 0 ? 0 : count - 1) / 2);
        assert_true(compares <= count * (ceiling_of_log2(count) + 1));
    }
    arena_free(&arena);
}

static void nothing_to_sort(void **state)
{
    (void)state;
    struct arena arena = {0};
    size_t compares = 0;
    size_t *counter = &compares;
    struct item one = {.key = 7};
    sort_stable(NULL, 0, sizeof one, by_key, &counter, &arena);
    sort_stable(&one, 1, sizeof one, by_key, &counter, &arena);
    assert_int_equal(compares, 0);
    assert_int_equal(one.key, 7);
    arena_free(&arena);
}

static void numbers_are_compared_without_overflow(void **state)
{
    (void)state;
    uint64_t none = 0;
    uint64_t most = UINT64_MAX;
    int64_t lowest = INT64_MIN;
    int64_t highest = INT64_MAX;
    assert_int_equal(SORT_BY(most, none), 1);
    assert_int_equal(SORT_BY(lowest, highest), -1);
    assert_int_equal(SORT_BY(most, most), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_right_and_stable),
        cmocka_unit_test(nothing_to_sort),
        cmocka_unit_test(numbers_are_compared_without_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
