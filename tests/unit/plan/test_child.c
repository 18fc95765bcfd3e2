/* Work in a process of its own: answers come back whole, and no end of the child's is the parent's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/child.h"

#define COUNT 300000 /* numbers: far more than a pipe holds */

static void square(const void *question, void *answer)
{
    const uint64_t *numbers = question;
    uint64_t *squares = answer;
    for (uint64_t i = 0; i < COUNT; i++) {
        squares[i] = numbers[i] * numbers[i];
    }
}

static void answers_come_back_whole(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint64_t *numbers = ARENA_ARRAY(&arena, uint64_t, COUNT);
    uint64_t *squares = ARENA_ARRAY(&arena, uint64_t, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        numbers[i] = i + 1;
    }
    assert_null(child_ask(square, numbers, squares, COUNT * sizeof *squares, &arena));
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(squares[i], (i + 1) * (i + 1));
    }
    arena_free(&arena);
}

static int seen_by_parent = 1;

static void change_what_is_not_the_answer(const void *question, void *answer)
{
    (void)question;
    seen_by_parent = 2;
    *(int *)answer = 3;
}

static void nothing_else_comes_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    int answer = 0;
    assert_null(child_ask(change_what_is_not_the_answer, NULL, &answer, sizeof answer, &arena));
    assert_int_equal(answer, 3);
    assert_int_equal(seen_by_parent, 1);
    arena_free(&arena);
}

static void raise_signal(const void *question, void *answer)
{
    (void)answer;
    raise(*(const int *)question);
}

static void leave(const void *question, void *answer)
{
    (void)answer;
    _exit(*(const int *)question);
}

static void ends_are_told(void **state)
{
    (void)state;
    struct arena arena = {0};
    int answer = 0;
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGKILL};
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        const char *fault = child_ask(raise_signal, &deadly[i], &answer, sizeof answer, &arena);
        assert_non_null(fault);
        char expected[64];
        snprintf(expected, sizeof expected, "ended by signal %d (", deadly[i]);
        assert_memory_equal(fault, expected, strlen(expected));
    }
    for (int code = 0; code < 4; code++) {
        const char *fault = child_ask(leave, &code, &answer, sizeof answer, &arena);
        assert_non_null(fault);
        char expected[64];
        snprintf(expected, sizeof expected, "ended with exit code %d before it had answered", code);
        assert_string_equal(fault, expected);
    }
    arena_free(&arena);
}

static void print_something(const void *question, void *answer)
{
    (void)question;
    *(int *)answer = dprintf(STDOUT_FILENO, "loud");
}

static void what_it_prints_is_no_result(void **state)
{
    (void)state;
    struct arena arena = {0};
    int answer = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int stdout_before = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    const char *fault = child_ask(print_something, NULL, &answer, sizeof answer, &arena);
    assert_true(dup2(stdout_before, STDOUT_FILENO) >= 0);
    assert_null(fault);
    assert_int_equal(answer, 4);
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
    close(stdout_before);
    fclose(file);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_back_whole),
        cmocka_unit_test(nothing_else_comes_back),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(what_it_prints_is_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
