/* An entry of the config on top of the entry or file that it is based on. Works on trees, before anything is decoded, so that
 * every value keeps the place where it was written. */
#include "soc/registry_custom.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* Lists whose items are merged by a name of theirs, which stands under `identity`. */
static const struct list_row {
    const char *key;
    const char *identity;
} named_lists[] = {
    {"regions", "name"},  {"profiles", "name"}, {"windows", "region"},
    {"native", "region"}, {"aliases", "name"},  {"carve_outs", "name"},
};

/* Keys that say something of the entry in which they stand and of no other one. */
static const char *const own_keys[] = {"description"};

/* Keys whose numbers `source` and `conflict` speak of. */
static const char *const number_keys[] = {"origin", "length", "pmu_max_ops", "psram_clocks_hz"};
static const char *const provenance_keys[] = {"source", "conflict"};
static const char *const verified_keys[] = {"verified"};

static const struct node *merge(struct arena *arena, const char *key, const struct node *under, const struct node *over);

static bool is_among(const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_equal(key, keys[i])) {
            return true;
        }
    }
    return false;
}

static const struct node *without(struct arena *arena, const struct node *mapping, const char *const *keys, size_t count)
{
    if (mapping->kind != NODE_MAPPING) {
        return mapping;
    }
    struct node *copy = ARENA_NEW(arena, struct node);
    *copy = *mapping;
    copy->pairs = ARENA_ARRAY(arena, struct node_pair, mapping->count);
    copy->count = 0;
    for (size_t i = 0; i < mapping->count; i++) {
        if (!is_among(mapping->pairs[i].key->text, keys, count)) {
            copy->pairs[copy->count++] = mapping->pairs[i];
        }
    }
    return copy;
}

/* A number that is replaced takes its source along: what the old source says is not what now stands there. */
static const struct node *without_stale_source(struct arena *arena, const struct node *under, const struct node *over)
{
    for (size_t i = 0; i < COUNT(number_keys); i++) {
        if (node_get(over, number_keys[i]) != NULL) {
            return without(arena, under, provenance_keys, COUNT(provenance_keys));
        }
    }
    return under;
}

static const struct node *merge_mappings(struct arena *arena, const struct node *under, const struct node *over)
{
    return node_merge(arena, without_stale_source(arena, under, over), over, merge);
}

/* NULL if the item has no such name. */
static const char *item_name(const struct node *item, const char *identity)
{
    const struct node *name = node_get(item, identity);
    return name != NULL && name->kind == NODE_SCALAR ? name->text : NULL;
}

/* Position of the item that has the name of `wanted`; list->count if there is none. */
static size_t find_item(const struct node *list, const char *identity, const struct node *wanted)
{
    const char *name = item_name(wanted, identity);
    for (size_t i = 0; name != NULL && i < list->count; i++) {
        const char *other = item_name(list->items[i], identity);
        if (other != NULL && text_equal_nocase(other, name)) {
            return i;
        }
    }
    return list->count;
}

/* Items of `under` in their order, then those that only `over` has. Two items of one name in `over` stay two, for the validation
 * to refuse. */
static const struct node *merge_lists(struct arena *arena, const char *identity, const struct node *under,
                                      const struct node *over)
{
    struct node *merged = ARENA_NEW(arena, struct node);
    *merged = *over;
    merged->items = ARENA_ARRAY(arena, const struct node *, under->count + over->count);
    merged->count = under->count;
    bool *taken = ARENA_ARRAY(arena, bool, under->count);
    for (size_t i = 0; i < under->count; i++) {
        merged->items[i] = under->items[i];
    }
    for (size_t i = 0; i < over->count; i++) {
        size_t at = find_item(under, identity, over->items[i]);
        if (at == under->count || taken[at]) {
            merged->items[merged->count++] = over->items[i];
            continue;
        }
        /* The name stays as `under` spells it: the two may differ in case. */
        merged->items[at] = merge_mappings(arena, under->items[at], without(arena, over->items[i], &identity, 1));
        taken[at] = true;
    }
    return merged;
}

/* What the items of a list named `key` are told apart by; NULL: they are not. */
static const char *identity_of(const char *key)
{
    for (size_t i = 0; i < COUNT(named_lists); i++) {
        if (text_equal(named_lists[i].key, key)) {
            return named_lists[i].identity;
        }
    }
    return NULL;
}

static const struct node *merge(struct arena *arena, const char *key, const struct node *under, const struct node *over)
{
    /* What is longer is refused when it is decoded; merging it would only keep the user waiting for that. */
    if (under->kind != over->kind || under->count > SOC_LIST_LIMIT || over->count > SOC_LIST_LIMIT) {
        return over;
    }
    if (under->kind == NODE_MAPPING) {
        return merge_mappings(arena, under, over);
    }
    const char *identity = identity_of(key);
    return under->kind == NODE_SEQUENCE && identity != NULL ? merge_lists(arena, identity, under, over) : over;
}

/* The mapping with no profile that calls itself verified. */
static const struct node *without_verified(struct arena *arena, const struct node *mapping)
{
    struct node *copy = ARENA_NEW(arena, struct node);
    *copy = *mapping;
    copy->pairs = ARENA_ARRAY(arena, struct node_pair, mapping->count);
    for (size_t i = 0; i < mapping->count; i++) {
        copy->pairs[i] = mapping->pairs[i];
        const struct node *list = mapping->pairs[i].value;
        if (!text_equal(mapping->pairs[i].key->text, "profiles") || list->kind != NODE_SEQUENCE) {
            continue;
        }
        struct node *profiles = ARENA_NEW(arena, struct node);
        *profiles = *list;
        profiles->items = ARENA_ARRAY(arena, const struct node *, list->count);
        for (size_t j = 0; j < list->count; j++) {
            profiles->items[j] = without(arena, list->items[j], verified_keys, COUNT(verified_keys));
        }
        copy->pairs[i].value = profiles;
    }
    return copy;
}

const struct node *registry_merge(struct arena *arena, const struct node *under, const struct node *over)
{
    const struct node *base = without(arena, under, own_keys, COUNT(own_keys));
    return merge_mappings(arena, without_verified(arena, base), over);
}
