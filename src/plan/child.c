#include "plan/child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Bytes that came before the end. */
static size_t read_all(int file, unsigned char *data, size_t size)
{
    size_t got = 0;
    while (got < size) {
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

/* The child's end: no exit handlers and no buffers of the parent's, which would be written twice. */
NORETURN static void child_end(int status)
{
    _exit(status);
}

NORETURN static void child_live(child_work *work, const void *question, void *answer, size_t answer_size, int file)
{
    die_by_signals();
    /* Work that never ends must not outlive a parent that was ended. Best effort: without it, somebody has to end two processes.
     */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool quiet = dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (quiet) {
        work(question, answer);
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

const char *child_ask(child_work *work, const void *question, void *answer, size_t answer_size, struct arena *arena)
{
    int files[2];
    if (pipe(files) != 0) {
        return arena_format(arena, "could not be started: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        close(files[0]);
        child_live(work, question, answer, answer_size, files[1]);
    }
    int error = errno;
    close(files[1]);
    size_t got = child > 0 ? read_all(files[0], answer, answer_size) : 0;
    close(files[0]);
    if (child < 0) {
        return arena_format(arena, "could not be started: %s", strerror(error));
    }
    int status = wait_for(child);
    return got == answer_size ? NULL : describe_end(status, arena);
}
