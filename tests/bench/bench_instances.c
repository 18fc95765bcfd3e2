#include "bench.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/sort.h"
#include "model/model.h"
#include "placement/placement.h"

/* ---- files ---- */

static bool is_planned(const struct tensor *tensor)
{
    return tensor->role == ROLE_SCRATCH && tensor->is_live && tensor->subgraph == 0 && tensor->size > 0;
}

/* The scratch tensors of the main subgraph, sizes rounded to 16 as the yardsticks have them. */
static void measure_file(struct bench *bench, const char *group, const char *name, const char *path)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = diagnostics_start(&arena);
    const struct model *model = NULL;
    if (!model_read(&arena, &diagnostics, path, SPAN_NONE, &model)) {
        fprintf(stderr, "left out %s: it cannot be read\n", name);
        arena_free(&arena);
        return;
    }
    struct scratch_item *items = ARENA_ARRAY(&arena, struct scratch_item, model->tensor_count);
    size_t count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (is_planned(tensor)) {
            items[count++] = (struct scratch_item){size_align(tensor->size, 16), tensor->start_op, tensor->end_op, MEMORY_ANY, 1};
        }
    }
    bench_measure(bench, group, name, items, count);
    arena_free(&arena);
}

static int compare_names(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t list_folder(struct arena *arena, const char *folder, const char *ending, const char ***names)
{
    struct {
        const char **items;
        size_t count, capacity;
    } found = {0};
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (text_ends_with(entry->d_name, ending)) {
            *LIST_ADD(arena, &found) = arena_copy_text(arena, entry->d_name);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    sort_stable(found.items, found.count, sizeof *found.items, compare_names, NULL, arena);
    *names = found.items;
    return found.count;
}

static const char *group_of(const char *name)
{
    static const char *const groups[] = {"chain", "hard", "planted", "rand"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (text_starts_with(name, groups[i])) {
            return groups[i];
        }
    }
    return "other";
}

static void measure_folder(struct bench *bench, const char *folder, const char *ending, const char *group)
{
    const char **names;
    const char *path = arena_format(&bench->arena, "%s/%s", bench->corpus, folder);
    size_t count = list_folder(&bench->arena, path, ending, &names);
    if (count == 0) {
        fprintf(stderr, "left out %s: the corpus has none\n", folder);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = arena_copy(&bench->arena, names[i], strlen(names[i]) - strlen(ending));
        measure_file(bench, group != NULL ? group : group_of(name), name, arena_format(&bench->arena, "%s/%s", path, names[i]));
    }
}

void bench_models(struct bench *bench)
{
    measure_folder(bench, "models", ".tflite", "model");
}

void bench_tables(struct bench *bench)
{
    measure_folder(bench, "instances", ".csv", NULL);
}

/* ---- made here ---- */

/* Knuth's multiplier for a linear congruence; the upper bits are the good ones. */
static uint64_t draw(uint64_t *state, uint64_t sides)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % sides;
}

/* How lives are spread; `i` of `count` items. */
typedef void spread_function(uint64_t *state, size_t i, size_t count, struct scratch_item *item);

/* As in a long network: up to 40 operators each. */
static void live_shortly(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)i;
    item->start = (uint32_t)draw(state, count);
    item->end = item->start + (uint32_t)draw(state, 40);
}

/* Short lives and long ones, up to a thousand operators, each length as likely as its double. */
static void live_randomly(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)i;
    uint64_t length = UINT64_C(1) << draw(state, 10);
    item->start = (uint32_t)draw(state, count);
    item->end = item->start + (uint32_t)(length - 1 + draw(state, length));
}

static void live_at_once(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)state, (void)i, (void)count;
    item->start = 0;
    item->end = 1;
}

static void live_nested(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)state;
    item->start = (uint32_t)i;
    item->end = (uint32_t)(2 * count - i);
}

/* Half of the others or so are alive with each. */
static void live_widely(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)i;
    item->start = (uint32_t)draw(state, count);
    item->end = item->start + (uint32_t)draw(state, count);
}

static void live_anyhow(uint64_t *state, size_t i, size_t count, struct scratch_item *item)
{
    (void)i;
    uint32_t a = (uint32_t)draw(state, count);
    uint32_t b = (uint32_t)draw(state, count);
    item->start = a < b ? a : b;
    item->end = a < b ? b : a;
}

static const struct {
    const char *name;
    size_t count;
    spread_function *spread;
} made[] = {
    {"short_lived_100000", 100000, live_shortly}, {"short_lived_1000000", 1000000, live_shortly},
    {"random_100000", 100000, live_randomly},     {"at_once_200000", 200000, live_at_once},
    {"nested_20000", 20000, live_nested},         {"anyhow_6000", 6000, live_anyhow},
    {"wide_20000", 20000, live_widely},           {"wide_40000", 40000, live_widely},
};

void bench_made(struct bench *bench)
{
    for (size_t k = 0; k < sizeof made / sizeof made[0]; k++) {
        struct arena arena = {0};
        struct scratch_item *items = ARENA_ARRAY(&arena, struct scratch_item, made[k].count);
        uint64_t state = 1;
        for (size_t i = 0; i < made[k].count; i++) {
            items[i] = (struct scratch_item){.size = 16 + 16 * draw(&state, 4096), .memory = MEMORY_ANY, .alignment = 1};
            made[k].spread(&state, i, made[k].count, &items[i]);
        }
        bench_measure(bench, "made", made[k].name, items, made[k].count);
        arena_free(&arena);
    }
}
