/* Stable sort with a context, so that order never depends on the library or on addresses. */
#ifndef HELIA_BASE_SORT_H
#define HELIA_BASE_SORT_H

#include <stddef.h>

#include "base/arena.h"

/* < 0, 0, > 0 as qsort(3). */
typedef int sort_compare(const void *a, const void *b, const void *context);

/* Merge sort, O(n log n) compares; equal items keep their order. Work memory (count * item_size) comes from `scratch`
 * and is given back before the return. */
void sort_stable(void *items, size_t count, size_t item_size, sort_compare *compare, const void *context, struct arena *scratch);

/* Compare two numbers for a sort_compare. */
#define SORT_BY(a, b) (((a) > (b)) - ((a) < (b)))

#endif
