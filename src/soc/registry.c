/* Finds and loads registry files. The name that a user writes is only ever compared with names that were listed, so it cannot
 * lead out of the registry's folders. */
#include <string.h>

#include "base/sort.h"
#include "soc/registry_custom.h"

/* Registry files of one kind as they are found. */
struct found_file {
    const char *name; /* without ".yaml" */
    const char *path;
    const char *lower; /* what names are compared by */
};
struct found_list {
    struct found_file *items;
    size_t count, capacity;
};

struct search {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char *subfolder; /* of a vendor's folder: "boards" or "" */
    struct found_list found;
};

static const char file_suffix[] = ".yaml";
static const char boards_folder[] = "boards";

static bool list_folder(const struct search *search, const char *folder, const char *suffix, struct file_names *names)
{
    struct file_error error = {0};
    if (file_list(search->arena, folder, suffix, names, &error)) {
        return true;
    }
    diag_report(search->diagnostics, DIAG_FILE_UNREADABLE, SPAN_NONE, "cannot %s '%s': %s", error.operation, folder,
                error.reason);
    return false;
}

static bool is_folder(const struct search *search, const char *path)
{
    return file_exists(arena_format(search->arena, "%s/.", path));
}

/* Files right in `vendor`/subfolder; none if the subfolder is missing. */
static bool search_vendor(struct search *search, const char *vendor)
{
    const char *folder = search->subfolder[0] == '\0' ? vendor : path_join(search->arena, vendor, search->subfolder);
    struct file_names names = {0};
    if (!is_folder(search, folder)) {
        return true;
    }
    if (!list_folder(search, folder, file_suffix, &names)) {
        return false;
    }
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]) - strlen(file_suffix);
        if (length == 0) {
            continue;
        }
        const char *name = arena_copy(search->arena, names.items[i], length);
        *LIST_ADD(search->arena, &search->found) = (struct found_file){
            .name = name, .path = path_join(search->arena, folder, names.items[i]), .lower = text_lower(search->arena, name)};
    }
    return true;
}

static bool search_folder(struct search *search, const char *folder)
{
    struct file_names entries = {0};
    if (!list_folder(search, folder, "", &entries) || !search_vendor(search, folder)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < entries.count; i++) {
        const char *vendor = path_join(search->arena, folder, entries.items[i]);
        if (entries.items[i][0] != '.' && !text_equal(entries.items[i], boards_folder) && is_folder(search, vendor)) {
            ok = search_vendor(search, vendor) && ok;
        }
    }
    return ok;
}

static int compare_found(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp(((const struct found_file *)a)->lower, ((const struct found_file *)b)->lower);
}

/* Sorted by name; of equal names only the first that was found. */
static struct registry_names names_of(struct arena *arena, struct found_list *found)
{
    sort_stable(found->items, found->count, sizeof *found->items, compare_found, NULL, arena);
    struct registry_names names = {.items = ARENA_ARRAY(arena, const char *, found->count),
                                   .paths = ARENA_ARRAY(arena, const char *, found->count)};
    for (size_t i = 0; i < found->count; i++) {
        if (i > 0 && text_equal(found->items[i].lower, found->items[i - 1].lower)) {
            continue;
        }
        names.items[names.count] = found->items[i].name;
        names.paths[names.count++] = found->items[i].path;
    }
    return names;
}

/* `custom` are names of the config: they come first, so that they win over files. */
static bool list_names(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                       const char *subfolder, const struct custom_names *custom, struct registry_names *names)
{
    struct search search = {.arena = arena, .diagnostics = diagnostics, .subfolder = subfolder};
    bool ok = true;
    for (size_t i = 0; custom != NULL && i < custom->count; i++) {
        *LIST_ADD(arena, &search.found) =
            (struct found_file){.name = custom->items[i], .lower = text_lower(arena, custom->items[i])};
    }
    for (size_t i = 0; i < registry->folder_count; i++) {
        ok = search_folder(&search, registry->folders[i]) && ok;
    }
    if (ok) {
        *names = names_of(arena, &search.found);
    }
    return ok;
}

bool registry_list_socs(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                        struct registry_names *names)
{
    const struct custom_names *custom = registry->custom != NULL ? &registry->custom->soc_names : NULL;
    return list_names(arena, diagnostics, registry, "", custom, names);
}

bool registry_list_boards(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                          struct registry_names *names)
{
    const struct custom_names *custom = registry->custom != NULL ? &registry->custom->board_names : NULL;
    return list_names(arena, diagnostics, registry, boards_folder, custom, names);
}

/* One kind of entry, as messages speak of it. */
struct entry_kind {
    const char *noun;
    const char *plural;
    enum diag_id unknown;
};
static const struct entry_kind soc_kind = {"SoC", "SoCs", DIAG_UNKNOWN_SOC};
static const struct entry_kind board_kind = {"board", "boards", DIAG_UNKNOWN_BOARD};

const char *registry_path(const struct registry_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (text_equal_nocase(names->items[i], name)) {
            return names->paths[i];
        }
    }
    return NULL;
}

/* Position of the name; `count` if it is not there. */
static size_t custom_position(const struct custom_names *names, const char *name)
{
    size_t position = 0;
    while (position < names->count && !text_equal_nocase(names->items[position], name)) {
        position++;
    }
    return position;
}

/* Reads the file of the entry `name`; `*path` is the one among `names`. */
static bool read_entry(struct arena *arena, struct diagnostics *diagnostics, const struct entry_kind *kind,
                       const struct registry_names *names, const char *name, struct span span, const char **path,
                       const struct node **root)
{
    const char *found = registry_path(names, name);
    if (found != NULL) {
        *path = found;
        return doc_read(arena, diagnostics, found, span, root);
    }
    struct diag *diag = diag_report(diagnostics, kind->unknown, span, "unknown %s '%s'", kind->noun, node_printable(arena, name));
    diag_suggest(diagnostics, diag, name, kind->plural, names->items, names->count);
    return false;
}

/* `inside` is the name in the file, which must be the file's own: lists show the one, messages and plans the other. */
static bool check_file_name(struct arena *arena, struct diagnostics *diagnostics, const char *path, const char *inside,
                            struct span span)
{
    const char *file = path_name(path);
    const char *stem = arena_copy(arena, file, strlen(file) - strlen(file_suffix));
    if (text_equal_nocase(stem, inside)) {
        return true;
    }
    diag_report(diagnostics, DIAG_REGISTRY_NAME_MISMATCH, span, "the file '%s' describes '%s'", file,
                node_printable(arena, inside));
    return false;
}

static struct bytes content_of(const struct diagnostics *diagnostics, const struct node *root)
{
    const struct source *source = diag_source(diagnostics, root->span.source);
    return source != NULL ? source->content : (struct bytes){0};
}

bool registry_load_soc(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry, const char *name,
                       struct span span, const struct soc **soc)
{
    const struct registry_custom *custom = registry->custom;
    size_t position = custom != NULL ? custom_position(&custom->soc_names, name) : 0;
    if (custom != NULL && position < custom->soc_names.count) {
        *soc = custom->socs[position];
        return true;
    }
    struct registry_names names = {0};
    const char *path = NULL;
    const struct node *root = NULL;
    struct soc *result = NULL;
    if (!registry_list_socs(arena, diagnostics, registry, &names) ||
        !read_entry(arena, diagnostics, &soc_kind, &names, name, span, &path, &root) ||
        !soc_decode(arena, diagnostics, root, path, content_of(diagnostics, root), &result)) {
        return false;
    }
    bool named = check_file_name(arena, diagnostics, path, result->name, result->span);
    if (!soc_validate(arena, diagnostics, result) || !named) {
        return false;
    }
    *soc = result;
    return true;
}

bool registry_load_board(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry, const char *name,
                         struct span span, const struct board **board)
{
    const struct registry_custom *custom = registry->custom;
    size_t position = custom != NULL ? custom_position(&custom->board_names, name) : 0;
    if (custom != NULL && position < custom->board_names.count) {
        *board = custom->boards[position];
        return true;
    }
    struct registry_names names = {0};
    const char *path = NULL;
    const struct node *root = NULL;
    struct board *result = NULL;
    if (!registry_list_boards(arena, diagnostics, registry, &names) ||
        !read_entry(arena, diagnostics, &board_kind, &names, name, span, &path, &root) ||
        !board_decode(arena, diagnostics, root, path, &result) ||
        !check_file_name(arena, diagnostics, path, result->name, result->span)) {
        return false;
    }
    *board = result;
    return true;
}
