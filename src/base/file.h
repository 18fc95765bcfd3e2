/* Files: read whole, replace only if the bytes change, never half. */
#ifndef HELIA_BASE_FILE_H
#define HELIA_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"

struct bytes {
    const uint8_t *data; /* a NUL follows the last byte */
    size_t size;
};

/* Why a file operation failed, ready for a message: "cannot <operation> '<path>': <reason>". */
struct file_error {
    const char *operation; /* "open", "read", "write", "create", "rename", ... */
    const char *reason;    /* strerror text or "larger than N bytes" or "is a directory"; in the arena */
    bool too_large; /* not the environment but the input is at fault: it passes the limit */
};

/* Reads a regular file (or a pipe) of at most `limit` bytes. */
MUST_CHECK bool file_read(struct arena *arena, const char *path, size_t limit, struct bytes *content, struct file_error *error);

/* Makes `path` hold exactly `size` bytes: writes a temporary file in the same folder, then renames it. If the file
 * holds these bytes already it is left alone, time stamp and all, and `*changed` is false. On failure the old file is
 * untouched and the temporary one is gone. Creates missing parent folders. A path that is a character device or pipe
 * (/dev/stdout) is written to directly. */
MUST_CHECK bool file_replace(struct arena *arena, const char *path, const void *data, size_t size, bool *changed,
                             struct file_error *error);

/* The same in two steps, so that of several files either all are replaced or none: file_stage() does all that is likely to
 * fail, then file_commit() puts the file in its place, or file_discard() takes the temporary file away. The data must stay. */
struct staged_file {
    const char *target;
    const char *temporary; /* NULL: there is none */
    const void *data;
    size_t size;
    bool device;    /* a character device or pipe: written to by the commit */
    bool unchanged; /* it holds these bytes already */
};
MUST_CHECK bool file_stage(struct arena *arena, const char *path, const void *data, size_t size, struct staged_file *staged,
                           struct file_error *error);
/* On failure the temporary file is gone. */
MUST_CHECK bool file_commit(struct arena *arena, const struct staged_file *staged, struct file_error *error);
void file_discard(const struct staged_file *staged);

bool file_exists(const char *path);
/* True if both paths lead to one regular file, by whatever names and links. */
bool file_is_same(const char *a, const char *b);
/* Names (not paths) in a folder that end in `suffix`, sorted by byte value; false if it cannot be read. */
struct file_names {
    const char **items;
    size_t count;
    size_t capacity;
};
MUST_CHECK bool file_list(struct arena *arena, const char *folder, const char *suffix, struct file_names *names,
                          struct file_error *error);

/* "a/b/c.txt" gives "a/b" (or "." without a slash) and "c.txt". */
const char *path_folder(struct arena *arena, const char *path);
const char *path_name(const char *path);
/* The path with its file's ending, if it has one, replaced: "a/b.tflite" and ".csv" give "a/b.csv". */
const char *path_with_ending(struct arena *arena, const char *path, const char *ending);
/* `path` unless it is relative; then `folder`/`path` ("." and "" as folder leave it as it is). */
const char *path_join(struct arena *arena, const char *folder, const char *path);

#endif
