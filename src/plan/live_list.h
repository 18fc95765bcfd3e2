/* The slots of one memory that are alive at one moment, in the order of offsets: a plain array, which up to some hundreds of slots
 * is searched and changed faster than a shelf (shelf.h). */
#ifndef HELIA_PLAN_LIVE_LIST_H
#define HELIA_PLAN_LIVE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define LIVE_LIST_CAPACITY 512u

/* No two slots share a byte; none is empty. */
struct live_list {
    uint64_t *offsets;
    uint64_t *tops; /* offset + size */
    size_t count;
};

struct live_list live_list_new(struct arena *arena);
/* The lowest multiple of `alignment` at which `size` bytes (above 0) are free. */
uint64_t live_list_gap(const struct live_list *list, uint64_t size, uint64_t alignment);
/* There must be room for it. */
void live_list_add(struct live_list *list, uint64_t offset, uint64_t top);
/* The slot at `offset` is there. */
void live_list_remove(struct live_list *list, uint64_t offset);

#endif
