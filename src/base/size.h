/* Sizes in bytes: checked arithmetic, the spelling that users write, the spelling that tables show.
 * Every size and address is a uint64_t. The _checked functions return false on overflow and leave the result alone. */
#ifndef HELIA_BASE_SIZE_H
#define HELIA_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"

/* The largest size that any input may state: keeps sums of many of them, and JSON integers, within 63 bits. */
#define SIZE_LIMIT (UINT64_C(1) << 48)

MUST_CHECK bool size_add_checked(uint64_t a, uint64_t b, uint64_t *sum);
MUST_CHECK bool size_multiply_checked(uint64_t a, uint64_t b, uint64_t *product);
/* The smallest multiple of `alignment` (a power of two) that is at least `value`. */
MUST_CHECK bool size_align_checked(uint64_t value, uint64_t alignment, uint64_t *aligned);

/* The same without the check, for values that are known to be far from the end (at most SIZE_LIMIT). */
static inline uint64_t size_align(uint64_t value, uint64_t alignment)
{
    return (value + (alignment - 1)) & ~(alignment - 1);
}

static inline bool size_is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static inline uint64_t size_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t size_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads "65536", "0x10000", "64K", "64KB", "64KiB", "1M", "1MB", "1MiB", "2G" (K = 1024, M = 1024 K, G = 1024 M, any case,
 * no sign, no fraction, nothing else around it). False on anything else or above UINT64_MAX. */
MUST_CHECK bool size_parse(const char *text, uint64_t *bytes);

/* Reads "25%" or "12.5%" of `whole`, rounded down, 0 to 1000 percent, at most six decimals; false on anything
 * else or above UINT64_MAX. */
MUST_CHECK bool size_parse_percent(const char *text, uint64_t whole, uint64_t *bytes);

/* "512 B", "16.3 KB", "3.9 MB": KB are 1024 bytes, one decimal (rounded half up in integer arithmetic), B below 1 KB; what
 * rounds to 1024.0 of a unit moves to the next ("1.0 MB"). */
const char *size_format(struct arena *arena, uint64_t bytes);

#endif
