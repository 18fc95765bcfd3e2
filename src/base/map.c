#include "base/map.h"

#include <string.h>

/* An AA tree: Arne Andersson, "Balanced search trees made simple", WADS 1993. A left child is one level below its parent; a
 * right child is one level below or on the same level, but a right grandchild is always below. */
struct map_slot {
    uint64_t head; /* the key's first bytes: most comparisons end with them, and need not fetch the key */
    const char *key;
    uint32_t value;
    uint32_t level; /* 1 at the leaves, 0 in slot 0 */
    uint32_t left, right;
};

/* The first eight bytes as a number that is ordered as strcmp() orders them; zeros behind the key's end. */
static uint64_t head_of(const char *key)
{
    uint64_t head = 0;
    for (int bits = 56; bits >= 0 && *key != '\0'; bits -= 8) {
        head |= (uint64_t)(unsigned char)*key++ << bits;
    }
    return head;
}

static int compare(const struct map_slot *a, const struct map_slot *b)
{
    if (a->head != b->head) {
        return a->head < b->head ? -1 : 1;
    }
    return (a->head & 0xFF) == 0 ? 0 : strcmp(a->key + sizeof a->head, b->key + sizeof b->head);
}

struct map map_start(struct arena *arena)
{
    return (struct map){.arena = arena};
}

/* The slot of `key`, or 0. */
static uint32_t find_slot(const struct map *map, const char *key)
{
    const struct map_slot wanted = {.head = head_of(key), .key = key};
    uint32_t at = map->root;
    while (at != 0) {
        const struct map_slot *slot = &map->slots[at];
        int order = compare(&wanted, slot);
        if (order == 0) {
            break;
        }
        at = order < 0 ? slot->left : slot->right;
    }
    return at;
}

/* Turns a left child on the parent's level to the right. */
static uint32_t skew(struct map_slot *slots, uint32_t top)
{
    uint32_t left = slots[top].left;
    if (slots[left].level != slots[top].level) {
        return top;
    }
    slots[top].left = slots[left].right;
    slots[left].right = top;
    return left;
}

/* Lifts the middle one of three on a level. */
static uint32_t split(struct map_slot *slots, uint32_t top)
{
    uint32_t right = slots[top].right;
    if (slots[slots[right].right].level != slots[top].level) {
        return top;
    }
    slots[top].right = slots[right].left;
    slots[right].left = top;
    slots[right].level++;
    return right;
}

/* Recursion is as deep as the tree: at most 2 * log2(n + 1). */
static uint32_t insert(struct map_slot *slots, uint32_t top, uint32_t added)
{
    if (top == 0) {
        return added;
    }
    if (compare(&slots[added], &slots[top]) < 0) {
        slots[top].left = insert(slots, slots[top].left, added);
    } else {
        slots[top].right = insert(slots, slots[top].right, added);
    }
    return split(slots, skew(slots, top));
}

static struct map_slot *add_slot(struct map *map)
{
    map->slots = arena_grow(map->arena, map->slots, map->count, &map->capacity, sizeof *map->slots);
    return &map->slots[map->count++];
}

void map_reserve(struct map *map, size_t keys)
{
    if (map->capacity == 0) {
        map->capacity = keys + 2; /* slot 0, and room for one more: a full list grows */
        map->slots = ARENA_ARRAY(map->arena, struct map_slot, map->capacity);
    }
}

bool map_add(struct map *map, const char *key, uint32_t value, uint32_t *existing)
{
    uint32_t found = find_slot(map, key);
    if (found != 0) {
        if (existing) {
            *existing = map->slots[found].value;
        }
        return false;
    }
    if (map->count == 0) {
        add_slot(map);
    }
    if (map->count > UINT32_MAX) {
        arena_exhausted(map->count);
    }
    uint32_t added = (uint32_t)map->count;
    *add_slot(map) = (struct map_slot){.head = head_of(key), .key = key, .value = value, .level = 1};
    map->root = insert(map->slots, map->root, added);
    return true;
}

bool map_find(const struct map *map, const char *key, uint32_t *value)
{
    uint32_t found = find_slot(map, key);
    if (found == 0) {
        return false;
    }
    *value = map->slots[found].value;
    return true;
}
