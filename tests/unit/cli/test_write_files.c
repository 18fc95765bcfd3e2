/* Writing a run's files: a signal that comes in the middle ends the process when all of them are in place, and nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/session.h"

#define FILES 3

static char folder[] = "/tmp/helia-write-XXXXXX";
static int signal_at_rename; /* sent before the first file is put in its place; 0: none */

/* Takes the place of the C library's for the code under test: all files are ready beside their places here, and none is in it. */
int rename(const char *old_path, const char *new_path)
{
    if (signal_at_rename != 0) {
        raise(signal_at_rename);
    }
    return renameat(AT_FDCWD, old_path, AT_FDCWD, new_path);
}

static const char *path_of(struct arena *arena, int file)
{
    return arena_format(arena, "%s/file%d", folder, file);
}

static void write_text(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *content)
{
    char buffer[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(buffer, 1, sizeof buffer - 1, file) > 0);
    fclose(file);
    assert_string_equal(buffer, content);
}

/* What lies in the folder; temporary files, whose names begin with a dot, count. */
static int count_files(void)
{
    int count = 0;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(stream);
    return count;
}

/* In a process of its own, which a signal may end. `extra`: one more output, before the others; or NULL. */
static pid_t begin_to_write(struct arena *arena, const char *extra)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) {
        return child;
    }
    alarm(60); /* should it hang, the test fails instead of hanging too */
    struct session session = {0};
    session.diagnostics = diagnostics_start(&session.arena);
    struct output_list outputs = {0};
    if (extra != NULL) {
        *LIST_ADD(arena, &outputs) = (struct output){extra, "new", 3};
    }
    for (int i = 0; i < FILES; i++) {
        *LIST_ADD(arena, &outputs) = (struct output){path_of(arena, i), "new", 3};
    }
    _exit(session_write_files(&session, &outputs, &(struct path_list){0}) ? 0 : 1);
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int write_new_files(struct arena *arena, const char *extra)
{
    return end_of(begin_to_write(arena, extra));
}

static int start(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (int i = 0; i < FILES; i++) {
        remove(path_of(&arena, i));
    }
    arena_free(&arena);
    return rmdir(folder);
}

static void write_old_files(struct arena *arena)
{
    for (int i = 0; i < FILES; i++) {
        write_text(path_of(arena, i), "old");
    }
}

static void a_signal_waits_for_the_files(void **state)
{
    (void)state;
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    struct arena arena = {0};
    for (size_t k = 0; k < sizeof ending / sizeof ending[0]; k++) {
        write_old_files(&arena);
        signal_at_rename = ending[k];
        int status = write_new_files(&arena, NULL);
        signal_at_rename = 0;
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == ending[k]);
        for (int i = 0; i < FILES; i++) {
            assert_holds(path_of(&arena, i), "new");
        }
        assert_int_equal(count_files(), FILES);
    }
    arena_free(&arena);
}

/* Whoever started us may not want to be ended by a signal: what was held back before stays so. */
static void the_mask_is_as_it_was(void **state)
{
    (void)state;
    struct arena arena = {0};
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    assert_int_equal(sigprocmask(SIG_BLOCK, &held, &before), 0);
    write_old_files(&arena);
    signal_at_rename = SIGINT;
    int status = write_new_files(&arena, NULL);
    signal_at_rename = 0;
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_holds(path_of(&arena, FILES - 1), "new");
    arena_free(&arena);
}

/* What cannot be written keeps all the others from being. */
static void one_failure_leaves_all_as_it_was(void **state)
{
    (void)state;
    struct arena arena = {0};
    write_old_files(&arena);
    int status = write_new_files(&arena, folder);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    for (int i = 0; i < FILES; i++) {
        assert_holds(path_of(&arena, i), "old");
    }
    assert_int_equal(count_files(), FILES);
    arena_free(&arena);
}

/* As on a full disk, but that a signal comes with it. */
static void a_file_larger_than_allowed_is_taken_away(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct rlimit before;
    write_old_files(&arena);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, before.rlim_max}), 0);
    int status = write_new_files(&arena, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    for (int i = 0; i < FILES; i++) {
        assert_holds(path_of(&arena, i), "old");
    }
    assert_int_equal(count_files(), FILES);
    arena_free(&arena);
}

static bool holds_new(const char *path)
{
    char buffer[4] = "";
    FILE *file = fopen(path, "r");
    bool holds = file != NULL && fread(buffer, 1, 3, file) == 3 && strcmp(buffer, "new") == 0;
    if (file != NULL) {
        fclose(file);
    }
    return holds;
}

/* A pipe that nobody reads makes its writer wait. The files are in their places by then, and the signal is heard. */
static void who_waits_for_a_pipe_can_be_ended(void **state)
{
    (void)state;
    struct arena arena = {0};
    const char *pipe_path = arena_format(&arena, "%s/pipe", folder);
    write_old_files(&arena);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    const pid_t child = begin_to_write(&arena, pipe_path);
    siginfo_t ended = {0};
    while (!holds_new(path_of(&arena, FILES - 1)) && waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    kill(child, SIGINT);
    int status = end_of(child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    for (int i = 0; i < FILES; i++) {
        assert_holds(path_of(&arena, i), "new");
    }
    remove(pipe_path);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_waits_for_the_files),      cmocka_unit_test(the_mask_is_as_it_was),
        cmocka_unit_test(one_failure_leaves_all_as_it_was),  cmocka_unit_test(a_file_larger_than_allowed_is_taken_away),
        cmocka_unit_test(who_waits_for_a_pipe_can_be_ended),
    };
    return cmocka_run_group_tests(tests, start, end);
}
