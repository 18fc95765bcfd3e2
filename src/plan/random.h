/* A seeded generator of our own, so that the same seed gives the same numbers on every host and forever: SplitMix64 (Steele, Lea,
 * Flood: "Fast splittable pseudorandom number generators", 2014), which adds an odd constant and mixes the bits. */
#ifndef HELIA_PLAN_RANDOM_H
#define HELIA_PLAN_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* starts as the seed */
};

static inline uint64_t random_next(struct random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* 0 to bound - 1; `bound` is 1 to 2^32. The upper half of the number is scaled, as a remainder would favour small numbers. */
static inline uint32_t random_below(struct random *random, uint64_t bound)
{
    return (uint32_t)(((random_next(random) >> 32) * bound) >> 32);
}

#endif
