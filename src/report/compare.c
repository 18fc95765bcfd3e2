/* What two reports have in common, and what not. */
#include "report/compare.h"

#include <inttypes.h>

#include "base/map.h"

/* Differences between the models are listed up to this many; one is enough to say that they are not the same. */
#define UNEQUAL_TENSORS_LISTED 8

struct comparing {
    struct arena *arena;
    struct comparison *made;
    size_t unequal_tensors;
};

static void add_unequal(struct comparing *comparing, const char *what, const char *a, const char *b, bool blocks)
{
    *LIST_ADD(comparing->arena, &comparing->made->unequal) = (struct unequal){what, a, b, blocks};
    comparing->made->comparable = comparing->made->comparable && !blocks;
}

static void compare_texts(struct comparing *comparing, const char *what, const char *a, const char *b, bool blocks)
{
    if (!text_equal(a, b)) {
        add_unequal(comparing, what, a, b, blocks);
    }
}

/* ---- tensors ---- */

static void add_unequal_tensor(struct comparing *comparing, const char *what, const char *id, const char *a, const char *b)
{
    comparing->made->comparable = false;
    if (comparing->unequal_tensors++ < UNEQUAL_TENSORS_LISTED) {
        add_unequal(comparing, arena_format(comparing->arena, "%s of tensor '%s'", what, id), a, b, true);
    } else {
        comparing->made->unlisted++;
    }
}

static const char *number(struct comparing *comparing, uint64_t value)
{
    return arena_format(comparing->arena, "%" PRIu64, value);
}

static const char *life(struct comparing *comparing, const struct compared_tensor *tensor)
{
    return arena_format(comparing->arena, "%" PRIu32 "..%" PRIu32, tensor->start_op, tensor->end_op);
}

static bool is_moved(const struct compared_tensor *a, const struct compared_tensor *b)
{
    return a->offset != b->offset || !text_equal(a->memory, b->memory) || !text_equal(a->source_memory, b->source_memory);
}

static void compare_tensor(struct comparing *comparing, const struct compared_tensor *a, const struct compared_tensor *b)
{
    if (a->size != b->size) {
        add_unequal_tensor(comparing, "size", a->id, number(comparing, a->size), number(comparing, b->size));
    }
    if (!text_equal(a->role, b->role)) {
        add_unequal_tensor(comparing, "role", a->id, a->role, b->role);
    }
    if (a->start_op != b->start_op || a->end_op != b->end_op) {
        add_unequal_tensor(comparing, "lifetime", a->id, life(comparing, a), life(comparing, b));
    }
    if (is_moved(a, b)) {
        *LIST_ADD(comparing->arena, &comparing->made->moved) = (struct tensor_pair){a, b};
    }
}

static struct map index_tensors(struct comparing *comparing, const struct compared *report)
{
    struct map ids = map_start(comparing->arena);
    for (uint32_t i = 0; i < report->tensor_count; i++) {
        map_add(&ids, report->tensors[i].id, i, NULL);
    }
    return ids;
}

static void compare_tensors(struct comparing *comparing)
{
    const struct compared *a = comparing->made->a;
    const struct compared *b = comparing->made->b;
    const struct map ids_of_a = index_tensors(comparing, a);
    const struct map ids_of_b = index_tensors(comparing, b);
    uint32_t other;
    for (size_t i = 0; i < a->tensor_count; i++) {
        if (map_find(&ids_of_b, a->tensors[i].id, &other)) {
            compare_tensor(comparing, &a->tensors[i], &b->tensors[other]);
        } else {
            add_unequal_tensor(comparing, "presence", a->tensors[i].id, "there", "missing");
        }
    }
    for (size_t i = 0; i < b->tensor_count; i++) {
        if (!map_find(&ids_of_a, b->tensors[i].id, &other)) {
            add_unequal_tensor(comparing, "presence", b->tensors[i].id, "missing", "there");
        }
    }
}

/* ---- arenas and regions: few enough to look for each ---- */

static const struct compared_arena *find_arena(const struct compared *report, const struct compared_arena *wanted)
{
    for (size_t i = 0; i < report->arena_count; i++) {
        if (text_equal(report->arenas[i].role, wanted->role) && text_equal(report->arenas[i].memory, wanted->memory)) {
            return &report->arenas[i];
        }
    }
    return NULL;
}

static void pair_arenas(struct comparing *comparing)
{
    const struct compared *a = comparing->made->a;
    const struct compared *b = comparing->made->b;
    for (size_t i = 0; i < a->arena_count; i++) {
        *LIST_ADD(comparing->arena, &comparing->made->arenas) = (struct arena_pair){&a->arenas[i], find_arena(b, &a->arenas[i])};
    }
    for (size_t i = 0; i < b->arena_count; i++) {
        if (find_arena(a, &b->arenas[i]) == NULL) {
            *LIST_ADD(comparing->arena, &comparing->made->arenas) = (struct arena_pair){NULL, &b->arenas[i]};
        }
    }
}

static const struct compared_region *find_region(const struct compared *report, const char *name)
{
    for (size_t i = 0; i < report->region_count; i++) {
        if (text_equal(report->regions[i].name, name)) {
            return &report->regions[i];
        }
    }
    return NULL;
}

static void pair_regions(struct comparing *comparing)
{
    const struct compared *a = comparing->made->a;
    const struct compared *b = comparing->made->b;
    for (size_t i = 0; i < a->region_count; i++) {
        const struct compared_region *other = find_region(b, a->regions[i].name);
        *LIST_ADD(comparing->arena, &comparing->made->regions) = (struct region_pair){&a->regions[i], other};
        if (other != NULL && other->capacity != a->regions[i].capacity) {
            add_unequal(comparing, arena_format(comparing->arena, "capacity of region %s", a->regions[i].name),
                        number(comparing, a->regions[i].capacity), number(comparing, other->capacity), true);
        }
    }
    for (size_t i = 0; i < b->region_count; i++) {
        if (find_region(a, b->regions[i].name) == NULL) {
            *LIST_ADD(comparing->arena, &comparing->made->regions) = (struct region_pair){NULL, &b->regions[i]};
        }
    }
}

/* ---- the whole ---- */

static bool check_kinds(struct diagnostics *diagnostics, const struct compared *a, const struct compared *b)
{
    if (a->kind == b->kind) {
        return true;
    }
    static const char *const nouns[REPORT_KIND_COUNT] = {"plan", "residency report", "check report"};
    struct diag *diag =
        diag_report(diagnostics, DIAG_REPORT_KIND, b->span, "a %s cannot be compared with a %s", nouns[b->kind], nouns[a->kind]);
    diag_note(diagnostics, diag, a->span, "the %s is here", nouns[a->kind]);
    return false;
}

/* The hash stands for part, profile, tensors and layout. */
static bool check_hash(struct diagnostics *diagnostics, const struct comparison *comparison)
{
    if (!comparison->same_placement || (comparison->comparable && comparison->moved.count == 0)) {
        return true;
    }
    struct diag *diag = diag_report(diagnostics, DIAG_HASH_CONTRADICTION, comparison->b->span,
                                    "the plan hashes are equal, but what they stand for differs");
    if (comparison->moved.count > 0) {
        diag_note(diagnostics, diag, comparison->moved.items[0].b->span, "tensor '%s' is elsewhere",
                  comparison->moved.items[0].b->id);
    }
    for (size_t i = 0; i < comparison->unequal.count; i++) {
        if (comparison->unequal.items[i].blocks) {
            diag_note(diagnostics, diag, SPAN_NONE, "%s: '%s' and '%s'", comparison->unequal.items[i].what,
                      comparison->unequal.items[i].a, comparison->unequal.items[i].b);
        }
    }
    return false;
}

bool compare_reports(struct arena *arena, struct diagnostics *diagnostics, const struct compared *a, const struct compared *b,
                     struct comparison *comparison)
{
    if (!check_kinds(diagnostics, a, b)) {
        return false;
    }
    struct comparison made = {.a = a, .b = b, .comparable = true};
    struct comparing comparing = {.arena = arena, .made = &made};
    made.same_placement = a->plan_hash[0] != '\0' && text_equal(a->plan_hash, b->plan_hash);
    compare_texts(&comparing, "soc", a->soc, b->soc, true);
    compare_texts(&comparing, "profile", a->profile, b->profile, true);
    compare_texts(&comparing, "view", a->view, b->view, true);
    compare_tensors(&comparing);
    pair_arenas(&comparing);
    pair_regions(&comparing);
    compare_texts(&comparing, "engine", a->engine, b->engine, false);
    compare_texts(&comparing, "planner", a->planner, b->planner, false);
    compare_texts(&comparing, "planner options", a->planner_options, b->planner_options, false);
    compare_texts(&comparing, "elf", a->elf, b->elf, false);
    if (!check_hash(diagnostics, &made)) {
        return false;
    }
    *comparison = made;
    return true;
}
