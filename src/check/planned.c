/* Plan JSON (schema helia-placement/plan/1) as far as check needs it. Keys that check does not use are passed over, so that a
 * plan of a later version can be read as long as its schema is this one. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "check/check.h"

static const char SCHEMA[] = "helia-placement/plan/1";

/* More plans than this in one image are nobody's firmware. */
#define EMBEDDED_LIMIT 16

struct decoding {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct planned *planned;
    size_t room; /* arenas that planned->arenas has space for */
    bool failed;
};

static const struct node *need(struct decoding *decoding, const struct node *object, const char *key, enum node_kind kind)
{
    static const char *const KINDS[] = {[NODE_SCALAR] = "a value", [NODE_SEQUENCE] = "a list", [NODE_MAPPING] = "a mapping"};
    const struct node *node = node_get(object, key);
    if (node && node->kind == kind && !node_is_null(node)) {
        return node;
    }
    decoding->failed = true;
    if (!node) {
        diag_report(decoding->diagnostics, DIAG_MISSING_KEY, object->span, "the key '%s' is missing", key);
    } else {
        diag_report(decoding->diagnostics, DIAG_WRONG_KIND, node->span, "'%s' is %s, wanted is %s", key, node_kind_name(node),
                    KINDS[kind]);
    }
    return NULL;
}

static const char *need_text(struct decoding *decoding, const struct node *object, const char *key)
{
    const struct node *node = need(decoding, object, key, NODE_SCALAR);
    if (!node) {
        return "";
    }
    if (node->text[0] != '\0') {
        return text_printable(decoding->arena, node->text, strlen(node->text));
    }
    decoding->failed = true;
    diag_report(decoding->diagnostics, DIAG_BAD_VALUE, node->span, "'%s' is empty", key);
    return "";
}

static uint64_t need_size(struct decoding *decoding, const struct node *object, const char *key, uint64_t minimum)
{
    const struct node *node = need(decoding, object, key, NODE_SCALAR);
    uint64_t value;
    if (!node) {
        return minimum;
    }
    if (size_parse(node->text, &value) && value >= minimum && value <= SIZE_LIMIT) {
        return value;
    }
    decoding->failed = true;
    diag_report(decoding->diagnostics, DIAG_BAD_VALUE, node->span, "'%s' is no size from %" PRIu64 " to %" PRIu64, key, minimum,
                SIZE_LIMIT);
    return minimum;
}

static uint64_t need_alignment(struct decoding *decoding, const struct node *object, const char *key)
{
    const uint64_t value = need_size(decoding, object, key, 1);
    if (size_is_power_of_two(value)) {
        return value;
    }
    decoding->failed = true;
    diag_report(decoding->diagnostics, DIAG_BAD_VALUE, node_get(object, key)->span, "'%s' is no power of two", key);
    return 1;
}

static bool need_bool(struct decoding *decoding, const struct node *object, const char *key)
{
    const struct node *node = need(decoding, object, key, NODE_SCALAR);
    if (!node || (node->plain && text_equal(node->text, "true"))) {
        return true;
    }
    if (node->plain && text_equal(node->text, "false")) {
        return false;
    }
    decoding->failed = true;
    diag_report(decoding->diagnostics, DIAG_BAD_VALUE, node->span, "'%s' is neither true nor false", key);
    return true;
}

/* Keys that most arenas do not have. */
static bool is_set(struct decoding *decoding, const struct node *object, const char *key)
{
    return node_get(object, key) != NULL && need_bool(decoding, object, key);
}

static void add_arena(struct decoding *decoding, struct planned_arena arena)
{
    if (decoding->planned->arena_count < decoding->room) {
        decoding->planned->arenas[decoding->planned->arena_count++] = arena;
    }
}

/* A staged arena is two things in the image: the empty arena, and the blob that is copied into it. */
static void decode_arena(struct decoding *decoding, const struct node *node)
{
    if (node->kind != NODE_MAPPING) {
        decoding->failed = true;
        diag_report(decoding->diagnostics, DIAG_WRONG_KIND, node->span, "an arena is %s, wanted is a mapping",
                    node_kind_name(node));
        return;
    }
    const bool is_staged = need_bool(decoding, node, "is_staged");
    struct planned_arena arena = {.symbol = need_text(decoding, node, "symbol"),
                                  .role = need_text(decoding, node, "role"),
                                  .memory = need_text(decoding, node, "memory"),
                                  .size = need_size(decoding, node, "total_size", 0),
                                  .alignment = need_alignment(decoding, node, "alignment")};
    const bool is_cold = !is_staged && text_equal(arena.role, "constant");
    arena.is_host_uploaded = is_cold && is_set(decoding, node, "host_upload");
    arena.nobits = !is_cold || arena.is_host_uploaded;
    add_arena(decoding, arena);
    if (!is_staged) {
        return;
    }
    arena.symbol = need_text(decoding, node, "source_symbol");
    arena.memory = need_text(decoding, node, "source_memory");
    arena.alignment = 1; /* the plan promises only that of the arena */
    arena.is_source = true;
    arena.nobits = false;
    add_arena(decoding, arena);
}

/* False and reported if a list is longer than what is read. */
static bool within_limit(struct decoding *decoding, const struct node *node)
{
    if (node->count <= PLANNED_LIST_LIMIT) {
        return true;
    }
    decoding->failed = true;
    diag_report(decoding->diagnostics, DIAG_PLAN_SCHEMA, node->span, "holds %zu entries, at most %d are read", node->count,
                PLANNED_LIST_LIMIT);
    return false;
}

static void decode_arenas(struct decoding *decoding, const struct node *root)
{
    static const char *const KEYS[] = {"persistent_arenas", "constant_arenas", "arena_usages"};
    const size_t key_count = sizeof KEYS / sizeof *KEYS;
    const struct node *maps[sizeof KEYS / sizeof *KEYS];
    for (size_t i = 0; i < key_count; i++) {
        maps[i] = need(decoding, root, KEYS[i], NODE_MAPPING);
        if (maps[i] && within_limit(decoding, maps[i])) {
            decoding->room += 2 * maps[i]->count;
        } else {
            maps[i] = NULL;
        }
    }
    decoding->planned->arenas = ARENA_ARRAY(decoding->arena, struct planned_arena, decoding->room);
    for (size_t i = 0; i < key_count; i++) {
        for (size_t j = 0; maps[i] && j < maps[i]->count; j++) {
            decode_arena(decoding, maps[i]->pairs[j].value);
        }
    }
}

static void decode_regions(struct decoding *decoding, const struct node *root)
{
    const struct node *memory_plan = need(decoding, root, "memory_plan", NODE_MAPPING);
    const struct node *regions = memory_plan ? need(decoding, memory_plan, "regions", NODE_SEQUENCE) : NULL;
    if (!regions || !within_limit(decoding, regions)) {
        return;
    }
    struct planned *planned = decoding->planned;
    planned->regions = ARENA_ARRAY(decoding->arena, struct planned_region, regions->count);
    for (size_t i = 0; i < regions->count; i++) {
        const struct node *region = regions->items[i];
        if (region->kind != NODE_MAPPING) {
            decoding->failed = true;
            diag_report(decoding->diagnostics, DIAG_WRONG_KIND, region->span, "a region is %s, wanted is a mapping",
                        node_kind_name(region));
            continue;
        }
        planned->regions[i].region = need_text(decoding, region, "region");
        planned->regions[i].capacity = need_size(decoding, region, "capacity", 0);
        planned->regions[i].used = need_size(decoding, region, "used", 0);
        planned->region_count = i + 1;
    }
}

static bool is_schema(struct decoding *decoding, const struct node *root)
{
    if (root->kind != NODE_MAPPING) {
        diag_report(decoding->diagnostics, DIAG_WRONG_KIND, root->span, "a plan is %s, wanted is a mapping",
                    node_kind_name(root));
        return false;
    }
    const struct node *schema = need(decoding, root, "schema", NODE_SCALAR);
    if (!schema) {
        return false;
    }
    if (text_equal(schema->text, SCHEMA)) {
        return true;
    }
    diag_report(decoding->diagnostics, DIAG_PLAN_SCHEMA, schema->span, "the schema is '%s', read is '%s'",
                node_printable(decoding->arena, schema->text), SCHEMA);
    return false;
}

bool planned_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, struct planned **planned)
{
    struct decoding decoding = {.arena = arena, .diagnostics = diagnostics, .planned = ARENA_NEW(arena, struct planned)};
    if (!is_schema(&decoding, root)) {
        return false;
    }
    decoding.planned->plan_hash = need_text(&decoding, root, "plan_hash");
    decoding.planned->soc = need_text(&decoding, root, "soc");
    decoding.planned->profile = need_text(&decoding, root, "profile");
    decoding.planned->prefix = need_text(&decoding, root, "prefix");
    decoding.planned->allocate_arenas = need_bool(&decoding, root, "allocate_arenas");
    decode_arenas(&decoding, root);
    decode_regions(&decoding, root);
    if (decoding.failed) {
        return false;
    }
    *planned = decoding.planned;
    return true;
}

/* ---- plans in an image ---- */

static bool decode_text(struct arena *arena, struct diagnostics *diagnostics, const struct image *image, const char *text,
                        size_t size, struct planned **planned)
{
    const struct bytes content = {.data = (const uint8_t *)arena_copy(arena, text, size), .size = size};
    const uint32_t source = diag_add_source(diagnostics, arena_format(arena, "%s(.helia.plan)", image->path), content);
    const struct node *root;
    return doc_parse(arena, diagnostics, source, &root) && planned_decode(arena, diagnostics, root, planned);
}

bool planned_from_image(struct arena *arena, struct diagnostics *diagnostics, const struct image *image,
                        const struct planned *const **embedded, size_t *count)
{
    const struct planned **found = ARENA_ARRAY(arena, const struct planned *, EMBEDDED_LIMIT);
    size_t found_count = 0;
    bool fine = true;
    const char *bytes = (const char *)image->plan_note.data;
    for (size_t at = 0; at < image->plan_note.size;) {
        const char *end = memchr(bytes + at, '\0', image->plan_note.size - at);
        const size_t size = end ? (size_t)(end - (bytes + at)) : image->plan_note.size - at;
        if (size != 0 && found_count == EMBEDDED_LIMIT) {
            diag_report(diagnostics, DIAG_PLAN_SCHEMA, (struct span){.source = image->source},
                        "the section .helia.plan holds more than %d plans", EMBEDDED_LIMIT);
            return false;
        }
        struct planned *planned;
        if (size != 0 && !decode_text(arena, diagnostics, image, bytes + at, size, &planned)) {
            fine = false;
        } else if (size != 0) {
            found[found_count++] = planned;
        }
        at += size + 1;
    }
    if (!fine) {
        return false;
    }
    *embedded = found;
    *count = found_count;
    return true;
}
