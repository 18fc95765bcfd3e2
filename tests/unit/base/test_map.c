#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/text.h"

static void first_value_wins(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct map map = map_start(&arena);
    uint32_t value = 99;
    assert_false(map_find(&map, "a", &value));
    assert_int_equal(value, 99);
    assert_true(map_add(&map, "a", 1, NULL));
    assert_true(map_add(&map, "", 2, &value));
    assert_int_equal(value, 99);
    assert_false(map_add(&map, "a", 3, &value));
    assert_int_equal(value, 1);
    assert_false(map_add(&map, "a", 3, NULL));
    assert_true(map_find(&map, "a", &value));
    assert_int_equal(value, 1);
    assert_true(map_find(&map, "", &value));
    assert_int_equal(value, 2);
    assert_false(map_find(&map, "A", &value));
    arena_free(&arena);
}

static void keys_are_compared_by_content(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct map map = {.arena = &arena};
    uint32_t value = 0;
    assert_true(map_add(&map, arena_copy_text(&arena, "tensor\xFF"), 5, NULL));
    assert_true(map_find(&map, arena_copy_text(&arena, "tensor\xFF"), &value));
    assert_int_equal(value, 5);
    arena_free(&arena);
}

/* Keys that agree in their first eight bytes, that end there, and whose bytes are negative as char. */
static void long_keys_with_one_beginning_differ(void **state)
{
    (void)state;
    static const char *const keys[] = {"layer/01",     "layer/01/a",         "layer/01/b", "layer/0",
                                       "layer/01\xC3", "layer/\xC3\xB6\xC3", "layer/01/"};
    enum { COUNT = sizeof keys / sizeof keys[0] };
    struct arena arena = {0};
    struct map map = map_start(&arena);
    map_reserve(&map, 2); /* fewer than come */
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(map_add(&map, keys[i], i, NULL));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value = COUNT;
        assert_true(map_find(&map, keys[i], &value));
        assert_int_equal(value, i);
        assert_false(map_add(&map, arena_copy_text(&arena, keys[i]), COUNT, &value));
        assert_int_equal(value, i);
    }
    assert_false(map_find(&map, "layer/01/c", &(uint32_t){0}));
    assert_false(map_find(&map, "layer/", &(uint32_t){0}));
    arena_free(&arena);
}

/* Against a linear search over the same few hundred names. */
static void equals_a_linear_search(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct map map = map_start(&arena);
    struct {
        const char **items;
        size_t count, capacity;
    } names = {0};
    uint64_t random = 88172645463325252U;
    for (uint32_t round = 0; round < 4000; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const char *name = arena_format(&arena, "t%u", (unsigned)(random >> 20) % 700);
        uint32_t expected = UINT32_MAX;
        for (size_t i = 0; i < names.count; i++) {
            if (text_equal(names.items[i], name)) {
                expected = (uint32_t)i;
            }
        }
        uint32_t found = UINT32_MAX;
        assert_int_equal(map_find(&map, name, &found), expected != UINT32_MAX);
        assert_int_equal(found, expected);
        if (random % 2 == 0) {
            continue;
        }
        assert_int_equal(map_add(&map, name, (uint32_t)names.count, &found), expected == UINT32_MAX);
        assert_int_equal(found, expected);
        if (expected == UINT32_MAX) {
            *LIST_ADD(&arena, &names) = name;
        }
    }
    assert_true(names.count > 500);
    arena_free(&arena);
}

/* Sorted keys are the worst case of a tree that is not balanced: its depth, here the recursion's, would be 200000. */
static void sorted_keys_do_no_harm(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct map map = map_start(&arena);
    enum { COUNT = 200000 };
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(map_add(&map, arena_format(&arena, "%08u", i), i, NULL));
    }
    for (uint32_t i = 0; i < COUNT; i += 997) {
        uint32_t value = 0;
        assert_true(map_find(&map, arena_format(&arena, "%08u", i), &value));
        assert_int_equal(value, i);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_value_wins),
        cmocka_unit_test(keys_are_compared_by_content),
        cmocka_unit_test(long_keys_with_one_beginning_differ),
        cmocka_unit_test(equals_a_linear_search),
        cmocka_unit_test(sorted_keys_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
