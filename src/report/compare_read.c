/* Reads a plan, a residency report or a check report back, as far as two of them are compared. */
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/size.h"
#include "report/compare.h"
#include "report/slots.h"

const char *const report_kind_names[REPORT_KIND_COUNT] = {"plan", "residency", "check"};
const char *const report_kind_schemas[REPORT_KIND_COUNT] = {"helia-placement/plan/1", "helia-placement/residency/1",
                                                            "helia-placement/check/1"};

struct reading {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct compared *made;
    bool failed;
};

/* ---- values ---- */

static const struct node *need(struct reading *reading, const struct node *object, const char *key, enum node_kind kind)
{
    static const char *const kinds[] = {[NODE_SCALAR] = "a value", [NODE_SEQUENCE] = "a list", [NODE_MAPPING] = "a mapping"};
    const struct node *node = node_get(object, key);
    if (node != NULL && node->kind == kind && !node_is_null(node)) {
        return node;
    }
    reading->failed = true;
    if (node == NULL) {
        diag_report(reading->diagnostics, DIAG_MISSING_KEY, object->span, "the key '%s' is missing", key);
    } else {
        diag_report(reading->diagnostics, DIAG_WRONG_KIND, node->span, "'%s' must be %s, not %s", key, kinds[kind],
                    node_kind_name(node));
    }
    return NULL;
}

static const char *need_text(struct reading *reading, const struct node *object, const char *key)
{
    const struct node *node = need(reading, object, key, NODE_SCALAR);
    return node != NULL ? node->text : "";
}

static const char *text_or_nothing(const struct node *object, const char *key)
{
    const struct node *node = node_get(object, key);
    return node != NULL && node->kind == NODE_SCALAR && !node_is_null(node) ? node->text : "";
}

static uint64_t need_number(struct reading *reading, const struct node *object, const char *key, uint64_t maximum)
{
    const struct node *node = need(reading, object, key, NODE_SCALAR);
    uint64_t value = 0;
    if (node != NULL && (!size_parse(node->text, &value) || value > maximum)) {
        reading->failed = true;
        diag_report(reading->diagnostics, DIAG_BAD_VALUE, node->span, "'%s' must be a number from 0 to %" PRIu64 ", not '%s'",
                    key, maximum, node_printable(reading->arena, node->text));
        return 0;
    }
    return value;
}

static uint64_t need_size(struct reading *reading, const struct node *object, const char *key)
{
    return need_number(reading, object, key, SIZE_LIMIT);
}

/* ---- tensors ---- */

static void read_life(struct reading *reading, const struct node *object, struct compared_tensor *tensor)
{
    tensor->start_op = (uint32_t)need_number(reading, object, "start_op", UINT32_MAX - 1);
    tensor->end_op = (uint32_t)need_number(reading, object, "end_op", UINT32_MAX - 1);
    if (tensor->end_op < tensor->start_op) {
        reading->failed = true;
        diag_report(reading->diagnostics, DIAG_BAD_VALUE, object->span, "the life ends before it starts");
    }
}

static bool is_mapping(struct reading *reading, const struct node *node)
{
    if (node->kind == NODE_MAPPING) {
        return true;
    }
    reading->failed = true;
    diag_report(reading->diagnostics, DIAG_WRONG_KIND, node->span, "an entry must be a mapping, not %s", node_kind_name(node));
    return false;
}

/* What plans and residency reports both tell of a tensor; a plan keeps some of it under `binding`. */
static void read_place(struct reading *reading, const struct node *object, const struct node *binding,
                       struct compared_tensor *tensor)
{
    tensor->span = object->span;
    tensor->memory = need_text(reading, object, "memory");
    tensor->offset = need_size(reading, object, "offset");
    tensor->size = need_size(reading, object, "size");
    tensor->slot_size = tensor->size;
    tensor->role = need_text(reading, binding, "role");
    tensor->source_memory = need_text(reading, binding, "source_memory");
}

static void read_lives(struct reading *reading, const struct node *root, const struct map *ids)
{
    const struct node *lives = need(reading, root, "tensor_lifetimes", NODE_MAPPING);
    bool *seen = ARENA_ARRAY(reading->arena, bool, reading->made->tensor_count);
    for (size_t i = 0; lives != NULL && i < lives->count; i++) {
        uint32_t tensor;
        if (map_find(ids, lives->pairs[i].key->text, &tensor) && is_mapping(reading, lives->pairs[i].value)) {
            read_life(reading, lives->pairs[i].value, &reading->made->tensors[tensor]);
            seen[tensor] = true;
        }
    }
    for (size_t i = 0; lives != NULL && i < reading->made->tensor_count; i++) {
        if (!seen[i]) {
            reading->failed = true;
            diag_report(reading->diagnostics, DIAG_MISSING_KEY, lives->span, "the life of tensor '%s' is missing",
                        node_printable(reading->arena, reading->made->tensors[i].id));
        }
    }
}

/* An alias has no slot of its own; it may make that of its root larger. */
static void join_alias(struct reading *reading, const struct node *object, const struct map *ids, struct compared_tensor *tensor)
{
    const char *root_id = text_or_nothing(object, "alias_of");
    uint32_t root;
    if (root_id[0] == '\0' || !map_find(ids, root_id, &root)) {
        return;
    }
    reading->made->tensors[root].slot_size = size_max(reading->made->tensors[root].slot_size, tensor->size);
    tensor->slot_size = 0;
}

static void read_plan_tensors(struct reading *reading, const struct node *root)
{
    const struct node *allocations = need(reading, root, "tensor_allocs", NODE_MAPPING);
    struct map ids = map_start(reading->arena);
    if (allocations == NULL) {
        return;
    }
    struct compared *made = reading->made;
    made->tensors = ARENA_ARRAY(reading->arena, struct compared_tensor, allocations->count);
    for (size_t i = 0; i < allocations->count; i++) {
        const struct node *object = allocations->pairs[i].value;
        struct compared_tensor *tensor = &made->tensors[made->tensor_count];
        if (!is_mapping(reading, object)) {
            continue;
        }
        const struct node *binding = need(reading, object, "binding", NODE_MAPPING);
        tensor->id = allocations->pairs[i].key->text;
        read_place(reading, object, binding != NULL ? binding : object, tensor);
        map_add(&ids, tensor->id, (uint32_t)made->tensor_count++, NULL);
    }
    if (reading->failed) {
        return; /* entries are missing, so that what refers to them would only complain */
    }
    read_lives(reading, root, &ids);
    for (size_t i = 0; i < made->tensor_count; i++) {
        join_alias(reading, allocations->pairs[i].value, &ids, &made->tensors[i]);
    }
}

static void read_residency_tensors(struct reading *reading, const struct node *root)
{
    const struct node *list = need(reading, root, "tensors", NODE_SEQUENCE);
    struct map ids = map_start(reading->arena);
    if (list == NULL) {
        return;
    }
    struct compared *made = reading->made;
    made->tensors = ARENA_ARRAY(reading->arena, struct compared_tensor, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct node *object = list->items[i];
        struct compared_tensor *tensor = &made->tensors[made->tensor_count];
        if (!is_mapping(reading, object)) {
            continue;
        }
        tensor->id = need_text(reading, object, "id");
        read_place(reading, object, object, tensor);
        read_life(reading, object, tensor);
        if (!map_add(&ids, tensor->id, (uint32_t)made->tensor_count++, NULL)) {
            reading->failed = true;
            diag_report(reading->diagnostics, DIAG_DUPLICATE_NAME, object->span, "two tensors have the id '%s'",
                        node_printable(reading->arena, tensor->id));
        }
    }
}

/* ---- arenas ---- */

static uint64_t find_peak(struct reading *reading, const struct compared_arena *arena)
{
    const struct compared *made = reading->made;
    struct arena_mark mark = arena_mark(reading->arena);
    struct life *lives = ARENA_ARRAY(reading->arena, struct life, made->tensor_count);
    size_t count = 0;
    for (size_t i = 0; i < made->tensor_count; i++) {
        const struct compared_tensor *tensor = &made->tensors[i];
        if (tensor->slot_size > 0 && text_equal(tensor->role, arena->role) && text_equal(tensor->memory, arena->memory)) {
            lives[count++] = (struct life){tensor->slot_size, tensor->start_op, tensor->end_op};
        }
    }
    const uint64_t peak = live_peak_find(lives, count, reading->arena).bytes;
    arena_rewind(reading->arena, mark);
    return peak;
}

static void read_arena(struct reading *reading, const struct node *object)
{
    struct compared_arena *arena = &reading->made->arenas[reading->made->arena_count];
    if (!is_mapping(reading, object)) {
        return;
    }
    arena->role = need_text(reading, object, "role");
    arena->memory = need_text(reading, object, "memory");
    arena->used = need_size(reading, object, "used");
    arena->peak_live = arena->used;
    if (node_get(object, "peak_live") != NULL || reading->made->kind == REPORT_RESIDENCY) {
        arena->peak_live = need_size(reading, object, "peak_live");
    } else if (text_equal(arena->role, "scratch") && !reading->failed) {
        arena->peak_live = find_peak(reading, arena);
    }
    reading->made->arena_count++;
}

/* No part has so many memories. */
#define ARENAS_MOST 128

static void read_arenas(struct reading *reading, const struct node *const *lists, size_t list_count)
{
    size_t room = 0;
    for (size_t i = 0; i < list_count; i++) {
        room += lists[i] != NULL ? lists[i]->count : 0;
    }
    if (room > ARENAS_MOST) {
        reading->failed = true;
        diag_report(reading->diagnostics, DIAG_PLAN_SCHEMA, lists[0]->span, "more than %d arenas are not read", ARENAS_MOST);
        return;
    }
    reading->made->arenas = ARENA_ARRAY(reading->arena, struct compared_arena, room);
    for (size_t i = 0; i < list_count; i++) {
        for (size_t k = 0; lists[i] != NULL && k < lists[i]->count; k++) {
            read_arena(reading, lists[i]->kind == NODE_MAPPING ? lists[i]->pairs[k].value : lists[i]->items[k]);
        }
    }
}

static void read_plan_arenas(struct reading *reading, const struct node *root)
{
    static const char *const keys[] = {"arena_usages", "persistent_arenas", "constant_arenas"};
    const struct node *lists[3];
    for (size_t i = 0; i < 3; i++) {
        lists[i] = need(reading, root, keys[i], NODE_MAPPING);
    }
    if (lists[0] != NULL) {
        read_arenas(reading, lists, 3);
    }
}

/* ---- regions ---- */

#define REGIONS_MOST 1024

static void read_regions(struct reading *reading, const struct node *list)
{
    struct compared *made = reading->made;
    if (list == NULL) {
        return;
    }
    if (list->count > REGIONS_MOST) {
        reading->failed = true;
        diag_report(reading->diagnostics, DIAG_PLAN_SCHEMA, list->span, "more than %d regions are not read", REGIONS_MOST);
        return;
    }
    made->regions = ARENA_ARRAY(reading->arena, struct compared_region, list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (is_mapping(reading, list->items[i])) {
            made->regions[made->region_count++] = (struct compared_region){
                .name = need_text(reading, list->items[i], "region"),
                .capacity = need_size(reading, list->items[i], "capacity"),
                .used = need_number(reading, list->items[i], "used", INT64_MAX),
            };
        }
    }
}

/* ---- the three kinds ---- */

/* "iterations 300, seed 0" */
static const char *options_text(struct reading *reading, const struct node *options)
{
    struct text text = text_start(reading->arena);
    for (size_t i = 0; options != NULL && options->kind == NODE_MAPPING && i < options->count; i++) {
        const struct node *value = options->pairs[i].value;
        text_print(&text, "%s%s %s", i == 0 ? "" : ", ", options->pairs[i].key->text,
                   value->kind == NODE_SCALAR ? value->text : "?");
    }
    return text.data;
}

static void read_plan(struct reading *reading, const struct node *root)
{
    struct compared *made = reading->made;
    const struct node *planner = need(reading, root, "planner", NODE_MAPPING);
    const struct node *memory_plan = need(reading, root, "memory_plan", NODE_MAPPING);
    made->plan_hash = need_text(reading, root, "plan_hash");
    made->soc = need_text(reading, root, "soc");
    made->profile = need_text(reading, root, "profile");
    if (node_get(root, "problem_hash") != NULL) {
        made->problem_hash = need_text(reading, root, "problem_hash");
    }
    made->engine = need_text(reading, root, "engine");
    if (planner != NULL) {
        made->planner = need_text(reading, planner, "name");
        made->planner_options = options_text(reading, node_get(planner, "options"));
    }
    read_plan_tensors(reading, root);
    read_plan_arenas(reading, root);
    if (memory_plan != NULL) {
        read_regions(reading, need(reading, memory_plan, "regions", NODE_SEQUENCE));
    }
}

static void read_residency(struct reading *reading, const struct node *root)
{
    reading->made->plan_hash = need_text(reading, root, "plan_hash");
    reading->made->planner = need_text(reading, root, "planner");
    read_residency_tensors(reading, root);
    const struct node *arenas = need(reading, root, "arenas", NODE_SEQUENCE);
    if (arenas != NULL) {
        read_arenas(reading, &arenas, 1);
    }
}

static void read_check(struct reading *reading, const struct node *root)
{
    struct compared *made = reading->made;
    const struct node *findings = need(reading, root, "findings", NODE_SEQUENCE);
    made->soc = need_text(reading, root, "soc");
    made->profile = need_text(reading, root, "profile");
    made->view = need_text(reading, root, "view");
    made->elf = need_text(reading, root, "elf");
    made->finding_count = findings != NULL ? findings->count : 0;
    read_regions(reading, need(reading, root, "memory_regions", NODE_SEQUENCE));
}

static enum report_kind find_kind(struct reading *reading, const struct node *root)
{
    const struct node *schema = node_get(root, "schema");
    const bool is_text = schema != NULL && schema->kind == NODE_SCALAR;
    for (int kind = 0; is_text && kind < REPORT_KIND_COUNT; kind++) {
        if (text_equal(schema->text, report_kind_schemas[kind])) {
            return (enum report_kind)kind;
        }
    }
    struct diag *diag = diag_report(
        reading->diagnostics, DIAG_REPORT_KIND, schema != NULL ? schema->span : root->span,
        "%s is no plan, residency report or check report that is read here",
        is_text ? arena_format(reading->arena, "a document of the schema '%s'", node_printable(reading->arena, schema->text))
                : "a document without a schema");
    diag_suggest(reading->diagnostics, diag, is_text ? schema->text : "", "schemas", report_kind_schemas, REPORT_KIND_COUNT);
    return REPORT_KIND_COUNT;
}

double compared_fragmentation(const struct compared_arena *arena)
{
    return arena->used == 0 ? 0.0 : 1.0 - (double)arena->peak_live / (double)arena->used;
}

uint64_t compared_total(const struct compared *report, const char *role)
{
    uint64_t total = 0;
    for (size_t i = 0; i < report->arena_count; i++) {
        total += text_equal(report->arenas[i].role, role) ? report->arenas[i].used : 0;
    }
    return total;
}

bool compared_decode(struct arena *arena, struct diagnostics *diagnostics, const char *path, const struct node *root,
                     struct compared **compared)
{
    static void (*const readers[REPORT_KIND_COUNT])(struct reading *, const struct node *) = {read_plan, read_residency,
                                                                                              read_check};
    struct reading reading = {.arena = arena, .diagnostics = diagnostics, .made = ARENA_NEW(arena, struct compared)};
    *reading.made = (struct compared){.path = path,
                                      .span = root->span,
                                      .plan_hash = "",
                                      .problem_hash = "",
                                      .soc = "",
                                      .profile = "",
                                      .engine = "",
                                      .planner = "",
                                      .planner_options = "",
                                      .view = "",
                                      .elf = ""};
    reading.made->kind = find_kind(&reading, root);
    if (reading.made->kind == REPORT_KIND_COUNT) {
        return false;
    }
    readers[reading.made->kind](&reading, root);
    if (reading.failed) {
        return false;
    }
    *compared = reading.made;
    return true;
}
