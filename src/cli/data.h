/* Where the tool's own data stands: the SoC registry and the snippets for build systems. */
#ifndef HELIA_CLI_DATA_H
#define HELIA_CLI_DATA_H

#include "base/arena.h"
#include "cli/options.h"
#include "cli/session.h"
#include "soc/soc.h"

/* The folder that holds soc-registry/: share/helia-placement beside the executable's bin/, else the source tree of a build tree.
 */
const char *data_folder_find(struct arena *arena);

/* The paths of a list that an environment variable holds, separated by ':' (NULL: none), added to `paths`. */
void data_split_paths(struct arena *arena, const char *list, struct path_list *paths);

/* Folders in search order: --registry, HELIA_PLACEMENT_REGISTRY (separated by ':'), the built-in one. */
struct registry data_registry(struct arena *arena, const char *data_folder, const struct command_line *line);

#endif
