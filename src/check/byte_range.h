/* Ranges of addresses [start, end), and what several of them cover together. */
#ifndef HELIA_CHECK_BYTE_RANGE_H
#define HELIA_CHECK_BYTE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct byte_range {
    uint64_t start;
    uint64_t end; /* exclusive, at least `start` */
};

struct byte_ranges {
    struct byte_range *items;
    size_t count, capacity;
};

/* The last address as end where start + size would pass it. */
struct byte_range byte_range_of(uint64_t start, uint64_t size);
bool byte_range_overlaps(struct byte_range a, struct byte_range b);

/* Sorts, merges what overlaps or touches, drops what is empty. Returns the bytes that are covered. */
uint64_t byte_ranges_merge(struct byte_ranges *ranges, struct arena *scratch);

#endif
