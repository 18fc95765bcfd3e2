/* realpath(3) is an XSI function. */
#define _XOPEN_SOURCE 700

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/text.h"

/* First buffer for what does not know its size, such as a pipe. */
#define PIPE_BUFFER ((size_t)64 * 1024)

/* What is compared at once. */
#define PIECE ((size_t)16 * 1024)

/* Names that may be taken by temporary files of killed runs before we give up. */
#define TEMPORARY_ATTEMPTS 1000

static bool failed(struct arena *arena, struct file_error *error, const char *operation, const char *reason)
{
    error->too_large = false;
    error->operation = operation;
    error->reason = arena_copy_text(arena, reason);
    return false;
}

static bool failed_by(struct arena *arena, struct file_error *error, const char *operation, int number)
{
    return failed(arena, error, operation, strerror(number));
}

static bool too_large(struct arena *arena, struct file_error *error, size_t limit)
{
    error->operation = "read";
    error->reason = arena_format(arena, "larger than %zu bytes", limit);
    error->too_large = true;
    return false;
}

/* read(2) that a signal does not cut short. */
static ssize_t read_some(int descriptor, void *buffer, size_t size)
{
    ssize_t got;
    do {
        got = read(descriptor, buffer, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool read_all(struct arena *arena, int descriptor, size_t expected, size_t limit, struct bytes *content,
                     struct file_error *error)
{
    size_t capacity = expected + 1; /* the byte for the NUL also finds the end without growing */
    size_t size = 0;
    uint8_t *data = ARENA_ARRAY(arena, uint8_t, capacity);
    for (;;) {
        ssize_t got = read_some(descriptor, data + size, capacity - size);
        if (got < 0) {
            return failed_by(arena, error, "read", errno);
        }
        if (got == 0) {
            break;
        }
        size += (size_t)got;
        if (size > limit) {
            return too_large(arena, error, limit);
        }
        if (size == capacity) {
            if (capacity > SIZE_MAX / 2) {
                return too_large(arena, error, limit);
            }
            capacity *= 2;
            uint8_t *larger = ARENA_ARRAY(arena, uint8_t, capacity);
            memcpy(larger, data, size);
            data = larger;
        }
    }
    data[size] = '\0';
    *content = (struct bytes){.data = data, .size = size};
    return true;
}

static bool read_open(struct arena *arena, int descriptor, size_t limit, struct bytes *content, struct file_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return failed_by(arena, error, "read", errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return failed(arena, error, "read", "is a directory");
    }
    if (!S_ISREG(status.st_mode)) {
        return read_all(arena, descriptor, PIPE_BUFFER, limit, content, error);
    }
    if (status.st_size < 0 || (uintmax_t)status.st_size > limit) {
        return too_large(arena, error, limit);
    }
    return read_all(arena, descriptor, (size_t)status.st_size, limit, content, error);
}

bool file_read(struct arena *arena, const char *path, size_t limit, struct bytes *content, struct file_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return failed_by(arena, error, "open", errno);
    }
    bool ok = read_open(arena, descriptor, limit, content, error);
    close(descriptor);
    return ok;
}

/* 0 or the errno of the failure. */
static int write_all(int descriptor, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size != 0) {
        ssize_t written = write(descriptor, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return errno;
        }
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Writes and closes. A full disk may show only when the file is closed. */
static int write_and_close(int descriptor, const void *data, size_t size)
{
    int reason = write_all(descriptor, data, size);
    if (close(descriptor) != 0 && reason == 0) {
        reason = errno;
    }
    return reason;
}

static bool write_device(struct arena *arena, const char *path, const void *data, size_t size, struct file_error *error)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        return failed_by(arena, error, "open", errno);
    }
    int reason = write_and_close(descriptor, data, size);
    return reason == 0 || failed_by(arena, error, "write", reason);
}

/* Does the rest of an open file equal the data? Piece by piece, since it may be large. What cannot be read is different. */
static bool reads_as(int descriptor, const uint8_t *data, size_t size)
{
    uint8_t piece[PIECE];
    for (;;) {
        ssize_t got = read_some(descriptor, piece, sizeof piece);
        if (got <= 0) {
            return got == 0 && size == 0;
        }
        if ((size_t)got > size || memcmp(piece, data, (size_t)got) != 0) {
            return false;
        }
        data += got;
        size -= (size_t)got;
    }
}

static bool holds_already(const char *path, off_t old_size, const void *data, size_t size)
{
    if (old_size < 0 || (uintmax_t)old_size != size) {
        return false;
    }
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    bool same = reads_as(descriptor, data, size);
    close(descriptor);
    return same;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool create_folders(struct arena *arena, const char *path, struct file_error *error)
{
    if (path[0] == '\0') {
        return failed_by(arena, error, "create", ENOENT);
    }
    char *part = arena_copy_text(arena, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0) {
            int reason = errno;
            if (!is_folder(part)) {
                return failed_by(arena, error, "create the folder of", reason == EEXIST ? ENOTDIR : reason);
            }
        }
        *slash = '/';
    }
    return true;
}

/* A new file beside the target, so that rename(2) stays on one file system. Its name does not contain the target's, which
 * may be as long as a name can be. The kernel applies the umask to its mode. */
static int create_temporary(struct arena *arena, const char *target, const char **name)
{
    const char *folder = path_folder(arena, target);
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        const char *file = arena_format(arena, ".helia-placement.%ld.%d", (long)getpid(), attempt);
        *name = path_join(arena, folder, file);
        int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/* The file that a symbolic link leads to, so that the link survives. */
static const char *resolve(struct arena *arena, const char *path)
{
    char *resolved = realpath(path, NULL);
    if (!resolved) {
        return path;
    }
    const char *copy = arena_copy_text(arena, resolved);
    free(resolved);
    return copy;
}

/* Writes the temporary file; `old` is NULL for a new file. */
static bool write_temporary(struct arena *arena, const struct stat *old, const void *data, size_t size,
                            struct staged_file *staged, struct file_error *error)
{
    int descriptor = create_temporary(arena, staged->target, &staged->temporary);
    if (descriptor < 0) {
        return failed_by(arena, error, "create", errno);
    }
    int reason = old && fchmod(descriptor, old->st_mode & 07777) != 0 ? errno : 0;
    int write_reason = write_and_close(descriptor, data, size);
    if (reason == 0) {
        reason = write_reason;
    }
    if (reason == 0) {
        return true;
    }
    unlink(staged->temporary);
    return failed_by(arena, error, "write", reason);
}

bool file_stage(struct arena *arena, const char *path, const void *data, size_t size, struct staged_file *staged,
                struct file_error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && (S_ISDIR(old.st_mode) || S_ISBLK(old.st_mode))) {
        return failed(arena, error, "write", S_ISDIR(old.st_mode) ? "is a directory" : "is a block device");
    }
    struct staged_file made = {.target = exists ? resolve(arena, path) : path, .data = data, .size = size};
    if (exists && !S_ISREG(old.st_mode)) {
        made.device = true;
    } else if (exists && holds_already(path, old.st_size, data, size)) {
        made.unchanged = true;
    } else {
        if (!exists && !create_folders(arena, path, error)) {
            return false;
        }
        if (!write_temporary(arena, exists ? &old : NULL, data, size, &made, error)) {
            return false;
        }
    }
    *staged = made;
    return true;
}

bool file_commit(struct arena *arena, const struct staged_file *staged, struct file_error *error)
{
    if (staged->unchanged) {
        return true;
    }
    if (staged->device) {
        return write_device(arena, staged->target, staged->data, staged->size, error);
    }
    if (rename(staged->temporary, staged->target) == 0) {
        return true;
    }
    int reason = errno;
    file_discard(staged);
    return failed_by(arena, error, "rename", reason);
}

void file_discard(const struct staged_file *staged)
{
    if (staged->temporary) {
        unlink(staged->temporary);
    }
}

bool file_replace(struct arena *arena, const char *path, const void *data, size_t size, bool *changed, struct file_error *error)
{
    struct staged_file staged;
    if (!file_stage(arena, path, data, size, &staged, error) || !file_commit(arena, &staged, error)) {
        return false;
    }
    *changed = !staged.unchanged;
    return true;
}

bool file_is_same(const char *a, const char *b)
{
    struct stat left;
    struct stat right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

bool file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static int compare_names(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool file_list(struct arena *arena, const char *folder, const char *suffix, struct file_names *names, struct file_error *error)
{
    DIR *stream = opendir(folder);
    if (!stream) {
        return failed_by(arena, error, "open", errno);
    }
    struct file_names found = {0};
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(stream)); errno = 0) {
        if (text_equal(entry->d_name, ".") || text_equal(entry->d_name, "..") || !text_ends_with(entry->d_name, suffix)) {
            continue;
        }
        const char *name = arena_copy_text(arena, entry->d_name);
        *LIST_ADD(arena, &found) = name;
    }
    int reason = errno;
    closedir(stream);
    if (reason != 0) {
        return failed_by(arena, error, "read", reason);
    }
    sort_stable(found.items, found.count, sizeof *found.items, compare_names, NULL, arena);
    *names = found;
    return true;
}
