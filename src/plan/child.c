#include "plan/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two times that who watches is told that the child still works. */
#define WAITING_MILLISECONDS 100

static bool write_all(int file, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* Returns when there is something to read, or nothing any more. */
static void wait_for_bytes(int file, struct watch *watch)
{
    struct pollfd waiting = {.fd = file, .events = POLLIN};
    for (int ready = 0; watch != NULL && ready == 0;) {
        ready = poll(&waiting, 1, WAITING_MILLISECONDS);
        if (ready == 0) {
            watch_waiting(watch);
        } else if (ready < 0 && errno == EINTR) {
            ready = 0;
        }
    }
}

/* Bytes that came before the end. */
static size_t read_all(int file, struct watch *watch, unsigned char *data, size_t size)
{
    size_t got = 0;
    while (got < size) {
        wait_for_bytes(file, watch);
        ssize_t count = read(file, data + got, size - got);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        got += count > 0 ? (size_t)count : 0;
    }
    return got;
}

/* A crash must end the child as one, whatever the parent has in place: a sanitizer's report, or a handler that goes on. */
static void die_by_signals(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE};
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        signal(deadly[i], SIG_DFL);
    }
}

/* The child's end: no exit handlers of the parent's, and none of its buffers but stdout's, which was empty when it began; the
 * others would be written twice. */
NORETURN static void child_end(int status)
{
    _exit(status);
}

/* Work that never ends must not outlive a parent that was ended. One that was ended before this call sends no signal any more,
 * but has left a pipe that nobody reads. Best effort: without it, somebody has to end two processes. */
static void die_with_reader(int file)
{
    struct pollfd pipe_end = {.fd = file};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&pipe_end, 1, 0) > 0 && (pipe_end.revents & POLLERR) != 0) {
        child_end(1);
    }
}

NORETURN static void child_live(child_work *work, const void *question, void *answer, size_t answer_size, int file)
{
    die_by_signals();
    die_with_reader(file);
    bool quiet = dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (quiet) {
        work(question, answer);
        fflush(stdout);
    }
    child_end(quiet && write_all(file, answer, answer_size) ? 0 : 1);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static const char *describe_end(int status, struct arena *arena)
{
    if (WIFSIGNALED(status)) {
        return arena_format(arena, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return arena_format(arena, "ended with exit code %d before it had answered", WEXITSTATUS(status));
}

const char *child_ask(child_work *work, const void *question, void *answer, size_t answer_size, struct watch *watch,
                      struct arena *arena)
{
    int files[2];
    if (pipe(files) != 0) {
        return arena_format(arena, "could not be started: %s", strerror(errno));
    }
    fflush(stdout); /* else the child has a copy of what waits there, and writes it too */
    pid_t child = fork();
    if (child == 0) {
        close(files[0]);
        child_live(work, question, answer, answer_size, files[1]);
    }
    int error = errno;
    close(files[1]);
    size_t got = child > 0 ? read_all(files[0], watch, answer, answer_size) : 0;
    close(files[0]);
    if (child < 0) {
        return arena_format(arena, "could not be started: %s", strerror(error));
    }
    int status = wait_for(child);
    return got == answer_size ? NULL : describe_end(status, arena);
}
