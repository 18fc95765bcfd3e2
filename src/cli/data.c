#include "cli/data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define EXECUTABLE_PATH_LIMIT 4096

const char *data_folder_find(struct arena *arena)
{
    char *path = ARENA_ARRAY(arena, char, EXECUTABLE_PATH_LIMIT);
    ssize_t size = readlink("/proc/self/exe", path, EXECUTABLE_PATH_LIMIT - 1);
    if (size > 0) {
        const char *prefix = path_folder(arena, path_folder(arena, path));
        const char *installed = path_join(arena, prefix, "share/helia-placement");
        if (file_exists(path_join(arena, installed, "soc-registry"))) {
            return installed;
        }
    }
    return file_exists(HELIA_SOURCE_DATA "/soc-registry") ? HELIA_SOURCE_DATA : HELIA_INSTALL_DATA;
}

void data_split_paths(struct arena *arena, const char *list, struct path_list *paths)
{
    while (list != NULL && *list != '\0') {
        const char *colon = strchr(list, ':');
        size_t size = colon != NULL ? (size_t)(colon - list) : strlen(list);
        if (size > 0) {
            *LIST_ADD(arena, paths) = arena_copy(arena, list, size);
        }
        list = colon != NULL ? colon + 1 : NULL;
    }
}

struct registry data_registry(struct arena *arena, const char *data_folder, const struct command_line *line)
{
    struct path_list folders = {0};
    for (size_t i = 0; i < line->options.count; i++) {
        if (line->options.items[i].row->id == OPTION_REGISTRY) {
            *LIST_ADD(arena, &folders) = line->options.items[i].value;
        }
    }
    data_split_paths(arena, getenv("HELIA_PLACEMENT_REGISTRY"), &folders);
    *LIST_ADD(arena, &folders) = path_join(arena, data_folder, "soc-registry");
    return (struct registry){.folders = folders.items, .folder_count = folders.count};
}
