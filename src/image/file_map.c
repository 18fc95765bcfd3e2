#include "image/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(struct arena *arena, struct file_error *error, const char *operation, const char *reason)
{
    error->operation = operation;
    error->reason = arena_copy_text(arena, reason);
    return false;
}

static bool map_descriptor(struct arena *arena, int descriptor, uint64_t limit, struct file_map *map, struct file_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return failed(arena, error, "read", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return failed(arena, error, "read", S_ISDIR(status.st_mode) ? "is a directory" : "is no regular file");
    }
    if ((uint64_t)status.st_size > limit) {
        return failed(arena, error, "read", arena_format(arena, "larger than %" PRIu64 " bytes", limit));
    }
    size_t size = (size_t)status.st_size;
    if (size == 0) {
        *map = (struct file_map){0};
        return true;
    }
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
        return failed(arena, error, "map", strerror(errno));
    }
    *map = (struct file_map){.data = data, .size = size};
    return true;
}

bool file_map_open(struct arena *arena, const char *path, uint64_t limit, struct file_map *map, struct file_error *error)
{
    /* O_NONBLOCK: a pipe without a writer must not hold us before fstat() can refuse it. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return failed(arena, error, "open", strerror(errno));
    }
    bool done = map_descriptor(arena, descriptor, limit, map, error);
    close(descriptor);
    return done;
}

void file_map_close(struct file_map *map)
{
    if (map->data) {
        munmap(map->data, map->size);
    }
    *map = (struct file_map){0};
}
