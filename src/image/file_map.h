/* A file's bytes without reading them: mapped, so that only the pages that are looked at cost anything. */
#ifndef HELIA_IMAGE_FILE_MAP_H
#define HELIA_IMAGE_FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/file.h"

/* Writable, but a write stays in this process. `data` is NULL for an empty file. */
struct file_map {
    uint8_t *data;
    size_t size;
};

/* Maps a regular file of at most `limit` bytes. */
MUST_CHECK bool file_map_open(struct arena *arena, const char *path, uint64_t limit, struct file_map *map,
                              struct file_error *error);
void file_map_close(struct file_map *map);

#endif
