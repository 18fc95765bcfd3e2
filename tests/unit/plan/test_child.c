/* Work in a process of its own: answers come back whole, and no end of the child's is the parent's. */
/* syscall(2) is no function of POSIX. */
#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
    assert_null(child_ask(square, numbers, squares, COUNT * sizeof *squares, NULL, &arena));
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
    assert_null(child_ask(change_what_is_not_the_answer, NULL, &answer, sizeof answer, NULL, &arena));
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
        const char *fault = child_ask(raise_signal, &deadly[i], &answer, sizeof answer, NULL, &arena);
        assert_non_null(fault);
        char expected[64];
        snprintf(expected, sizeof expected, "ended by signal %d (", deadly[i]);
        assert_memory_equal(fault, expected, strlen(expected));
    }
    for (int code = 0; code < 4; code++) {
        const char *fault = child_ask(leave, &code, &answer, sizeof answer, NULL, &arena);
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
    const char *fault = child_ask(print_something, NULL, &answer, sizeof answer, NULL, &arena);
    assert_true(dup2(stdout_before, STDOUT_FILENO) >= 0);
    assert_null(fault);
    assert_int_equal(answer, 4);
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
    close(stdout_before);
    fclose(file);
    arena_free(&arena);
}

/* ---- who watches ---- */

struct told_times {
    int pipe;
    int times;
};

/* The child waits for a byte, which comes when it has been told of twice: without being told of, it would wait for ever. */
static void count_and_let_go(void *context, const struct planner_progress *progress)
{
    struct told_times *told = context;
    assert_int_equal(progress->work, 0);
    told->times++;
    if (told->times == 2) {
        assert_int_equal(write(told->pipe, "!", 1), 1);
    }
}

static void wait_for_byte(const void *question, void *answer)
{
    *(ssize_t *)answer = read(*(const int *)question, &(char){0}, 1);
}

static void who_watches_is_told_that_it_lasts(void **state)
{
    (void)state;
    struct arena arena = {0};
    int files[2];
    assert_int_equal(pipe(files), 0);
    struct told_times told = {.pipe = files[1]};
    const struct planner_observer observer = {count_and_let_go, &told};
    struct watch watch = watch_start(&observer, NULL, 0);
    ssize_t answer = 0;
    assert_null(child_ask(wait_for_byte, &files[0], &answer, sizeof answer, &watch, &arena));
    assert_int_equal(answer, 1);
    assert_true(told.times >= 2);
    close(files[0]);
    close(files[1]);
    arena_free(&arena);
}

/* ---- no child outlives its parent ---- */

/* The kernel's, unless a test wants the parent to be gone before the child says that it depends on it. */
static bool parent_ends_first;

int prctl(int option, ...)
{
    if (!parent_ends_first) {
        return (int)syscall(SYS_prctl, option, SIGKILL, 0, 0, 0);
    }
    const pid_t parent = getppid();
    kill(parent, SIGKILL);
    while (getppid() == parent) {
        usleep(1000);
    }
    return 0;
}

/* Never ends by itself. Says that it lives by the byte, and that it does not any more by the pipe's end. */
static void live_for_ever(const void *question, void *answer)
{
    (void)answer;
    if (write(*(const int *)question, "!", 1) == 1) {
        for (;;) {
            pause();
        }
    }
}

/* A process whose child lives for ever; the pipe's end is held by the two of them alone. */
static pid_t start_parent(int *reader)
{
    int files[2];
    assert_int_equal(pipe(files), 0);
    const pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        struct arena arena = {0};
        close(files[0]);
        _exit(child_ask(live_for_ever, &files[1], &(int){0}, sizeof(int), NULL, &arena) != NULL);
    }
    close(files[1]);
    *reader = files[0];
    return parent;
}

static void no_child_outlives_its_parent(void **state)
{
    (void)state;
    int reader;
    const pid_t parent = start_parent(&reader);
    char byte;
    assert_int_equal(read(reader, &byte, 1), 1);
    assert_int_equal(kill(parent, SIGINT), 0);
    int status = 0;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_int_equal(read(reader, &byte, 1), 0);
    close(reader);
}

static void nor_one_that_was_late(void **state)
{
    (void)state;
    int reader;
    parent_ends_first = true;
    const pid_t parent = start_parent(&reader);
    char byte;
    assert_int_equal(read(reader, &byte, 1), 0);
    int status = 0;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    parent_ends_first = false;
    close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_back_whole),
        cmocka_unit_test(nothing_else_comes_back),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(what_it_prints_is_no_result),
        cmocka_unit_test(who_watches_is_told_that_it_lasts),
        cmocka_unit_test(no_child_outlives_its_parent),
        cmocka_unit_test(nor_one_that_was_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
