#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        arena_alloc(&arena, 1, 1, 1);
        unsigned char *memory = arena_alloc(&arena, 3, 100, alignment);
        assert_int_equal((uintptr_t)memory % alignment, 0);
        for (size_t i = 0; i < 300; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 0xA5, 300);
    }
    arena_free(&arena);
}

static void nothing_is_a_valid_pointer(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_non_null(arena_alloc(&arena, 0, 8, 8));
    assert_non_null(arena_alloc(&arena, 8, 0, 8));
    arena_free(&arena);
}

static void pieces_do_not_overlap(void **state)
{
    (void)state;
    struct arena arena = {0};
    enum { COUNT = 3000 };
    unsigned char *pieces[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = arena_alloc(&arena, i % 300, 1, 1);
        memset(pieces[i], (int)(i & 0xFF), i % 300);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < i % 300; j++) {
            assert_int_equal(pieces[i][j], i & 0xFF);
        }
    }
    arena_free(&arena);
}

static void rewound_memory_is_zero_again(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *kept = arena_copy_text(&arena, "kept");
    struct arena_mark mark = arena_mark(&arena);
    size_t reserved = arena.reserved;
    char *first = ARENA_ARRAY(&arena, char, 1000);
    memset(first, 'x', 1000);
    memset(ARENA_ARRAY(&arena, char, 1000000), 'y', 1000000);
    assert_true(arena.reserved > reserved);
    arena_rewind(&arena, mark);
    assert_int_equal(arena.reserved, reserved);
    char *again = ARENA_ARRAY(&arena, char, 1000);
    assert_ptr_equal(again, first);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(again[i], 0);
    }
    assert_string_equal(kept, "kept");
    arena_free(&arena);
}

static void rewinding_to_an_empty_arena_frees_all(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct arena_mark mark = arena_mark(&arena);
    arena_copy_text(&arena, "gone");
    arena_rewind(&arena, mark);
    assert_null(arena.newest);
    assert_int_equal(arena.reserved, 0);
    assert_string_equal(arena_copy_text(&arena, "usable"), "usable");
    arena_free(&arena);
}

static void text_is_formatted(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(arena_format(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(arena_format(&arena, "%s", ""), "");
    char *long_text = arena_format(&arena, "%100000d", 5);
    assert_int_equal(strlen(long_text), 100000);
    assert_int_equal(long_text[99999], '5');
    char *copy = arena_copy(&arena, "a\0b", 3);
    assert_memory_equal(copy, "a\0b", 4);
    arena_free(&arena);
}

static void lists_grow_and_keep_their_items(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct {
        uint64_t *items;
        size_t count, capacity;
    } list = {0};
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t *item = LIST_ADD(&arena, &list);
        assert_int_equal(*item, 0);
        *item = i * i;
    }
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(list.items[i], i * i);
    }
    list.count = 10;
    assert_int_equal(*LIST_ADD(&arena, &list), 0);
    arena_free(&arena);
}

/* Runs `action` in a process of its own; its exit code, and what it wrote to stderr. */
static int exit_code_of(void (*action)(struct arena *), struct arena *arena, char *output, size_t size)
{
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        action(arena);
        _exit(0);
    }
    close(pipe_ends[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(pipe_ends[0], output + used, size - 1 - used)) > 0;) {
        used += (size_t)got;
    }
    output[used] = '\0';
    close(pipe_ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void take_a_kilobyte(struct arena *arena)
{
    arena_alloc(arena, 1, 1024, 8);
}

static void take_a_hundred_kilobytes(struct arena *arena)
{
    for (int i = 0; i < 100; i++) {
        arena_alloc(arena, 1, 1024, 8);
    }
}

static void multiply_beyond_the_end(struct arena *arena)
{
    arena_alloc(arena, SIZE_MAX / 2, 3, 1);
}

static void take_everything(struct arena *arena)
{
    arena_alloc(arena, SIZE_MAX - 1, 1, 4096);
}

static void running_out_exits_with_3(void **state)
{
    (void)state;
    static const char MESSAGE[] = "helia-placement: out of memory";
    char output[4096];
    struct arena small = {.limit = 8192};
    assert_int_equal(exit_code_of(take_a_kilobyte, &small, output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_int_equal(exit_code_of(take_a_hundred_kilobytes, &small, output, sizeof output), 3);
    assert_memory_equal(output, MESSAGE, strlen(MESSAGE));
    struct arena unlimited = {0};
    assert_int_equal(exit_code_of(multiply_beyond_the_end, &unlimited, output, sizeof output), 3);
    assert_memory_equal(output, MESSAGE, strlen(MESSAGE));
    assert_int_equal(exit_code_of(take_everything, &unlimited, output, sizeof output), 3);
}

static void the_limit_counts_what_is_reserved(void **state)
{
    (void)state;
    struct arena arena = {.limit = 10000};
    take_a_kilobyte(&arena);
    assert_true(arena.reserved <= 10000);
    arena_free(&arena);
    assert_int_equal(arena.limit, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(nothing_is_a_valid_pointer),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(rewound_memory_is_zero_again),
        cmocka_unit_test(rewinding_to_an_empty_arena_frees_all),
        cmocka_unit_test(text_is_formatted),
        cmocka_unit_test(lists_grow_and_keep_their_items),
        cmocka_unit_test(running_out_exits_with_3),
        cmocka_unit_test(the_limit_counts_what_is_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
