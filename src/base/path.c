#include <string.h>

#include "base/file.h"
#include "base/text.h"

const char *path_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return ".";
    }
    while (slash > path && slash[-1] == '/') {
        slash--;
    }
    if (slash == path) {
        return "/";
    }
    return arena_copy(arena, path, (size_t)(slash - path));
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_join(struct arena *arena, const char *folder, const char *path)
{
    if (path[0] == '/' || text_equal(folder, "") || text_equal(folder, ".")) {
        return path;
    }
    return arena_format(arena, "%s%s%s", folder, text_ends_with(folder, "/") ? "" : "/", path);
}

const char *path_with_ending(struct arena *arena, const char *path, const char *ending)
{
    const char *name = path_name(path);
    const char *dot = strrchr(name, '.');
    size_t kept = dot != NULL && dot != name ? (size_t)(dot - path) : strlen(path);
    return arena_format(arena, "%s%s", arena_copy(arena, path, kept), ending);
}
