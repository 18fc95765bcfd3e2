/* Map from text to a number (an index into somebody's array). Insertion only; iteration is the array's business, so no
 * output can depend on the map's order. A balanced tree and not a hash table: n insertions and look-ups cost O(n log n) key
 * comparisons whatever the keys are, so hostile names cannot make it slow, and it needs no secret salt. */
#ifndef HELIA_BASE_MAP_H
#define HELIA_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct map_slot;

/* Starts as {0} with `arena` set. Keys are not copied: they must outlive the map. */
struct map {
    struct map_slot *slots; /* slot 0 stands for "none" */
    size_t count;           /* slots, the first included; 0 before the first key */
    size_t capacity;
    uint32_t root;
    struct arena *arena;
};

struct map map_start(struct arena *arena);

/* Room for as many keys, before the first one is put: growing leaves copies behind in the arena. */
void map_reserve(struct map *map, size_t keys);

/* Puts `value` under `key`. If the key is there already, changes nothing, stores the old value in `*existing` (if not
 * NULL) and returns false. */
bool map_add(struct map *map, const char *key, uint32_t value, uint32_t *existing);

/* False if the key is not there; `*value` is then untouched. */
bool map_find(const struct map *map, const char *key, uint32_t *value);

#endif
