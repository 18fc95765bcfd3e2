/* Sorting numbers by keys in linear time. */
#ifndef HELIA_PLAN_RADIX_SORT_H
#define HELIA_PLAN_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed_item {
    uint64_t key;
    uint32_t item;
};

/* Sorts by key; equal keys keep their order. `spare` has room for as many. Returns where the sorted ones are: one of the two. */
struct keyed_item *radix_sort(struct keyed_item *items, struct keyed_item *spare, size_t count);

#endif
