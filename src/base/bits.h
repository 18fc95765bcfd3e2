/* Sets of small numbers: bit n % 64 of word n / 64. */
#ifndef HELIA_BASE_BITS_H
#define HELIA_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bits_words(size_t count)
{
    return (count + 63) / 64;
}

static inline bool bits_have(const uint64_t *set, size_t number)
{
    return (set[number / 64] >> number % 64 & 1) != 0;
}

static inline void bits_add(uint64_t *set, size_t number)
{
    set[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void bits_remove(uint64_t *set, size_t number)
{
    set[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* The least number in a word that is not 0. */
static inline uint32_t bits_first(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

#endif
