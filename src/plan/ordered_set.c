#include "plan/ordered_set.h"

struct ordered_set ordered_set_new(struct arena *arena, size_t bound)
{
    struct ordered_set set = {0};
    size_t words = bound;
    do {
        words = words / 64 + (words % 64 != 0 || words == 0);
        set.levels[set.level_count] = ARENA_ARRAY(arena, uint64_t, words);
        set.words[set.level_count++] = words;
    } while (words > 1);
    return set;
}

static uint64_t bit(uint32_t number)
{
    return UINT64_C(1) << (number % 64);
}

static uint32_t lowest_bit(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

static uint32_t highest_bit(uint64_t word)
{
    return 63u - (uint32_t)__builtin_clzll(word);
}

void ordered_set_add(struct ordered_set *set, uint32_t number)
{
    for (size_t level = 0; level < set->level_count; level++, number /= 64) {
        uint64_t *word = &set->levels[level][number / 64];
        if (*word & bit(number)) {
            return;
        }
        *word |= bit(number);
    }
}

void ordered_set_remove(struct ordered_set *set, uint32_t number)
{
    for (size_t level = 0; level < set->level_count; level++, number /= 64) {
        uint64_t *word = &set->levels[level][number / 64];
        *word &= ~bit(number);
        if (*word != 0) {
            return;
        }
    }
}

/* Word by word: a word is not empty if the level above says so. */
void ordered_set_clear(struct ordered_set *set)
{
    for (uint32_t member = 0; (member = ordered_set_next(set, member)) != ORDERED_SET_NONE;) {
        set->levels[0][member / 64] = bit(member);
        ordered_set_remove(set, member);
    }
}

uint32_t ordered_set_next(const struct ordered_set *set, uint32_t from)
{
    for (size_t level = 0; level < set->level_count; level++) {
        if (from / 64 >= set->words[level]) {
            return ORDERED_SET_NONE;
        }
        uint64_t word = set->levels[level][from / 64] & ~(bit(from) - 1);
        if (word == 0) {
            from = from / 64 + 1;
            continue;
        }
        uint32_t found = from / 64 * 64 + lowest_bit(word);
        while (level-- > 0) {
            found = found * 64 + lowest_bit(set->levels[level][found]);
        }
        return found;
    }
    return ORDERED_SET_NONE;
}

uint32_t ordered_set_previous(const struct ordered_set *set, uint32_t before)
{
    for (size_t level = 0; level < set->level_count; level++) {
        size_t last = set->words[level] - 1;
        uint32_t index = before / 64;
        uint64_t below = bit(before) - 1;
        if (index > last) {
            index = (uint32_t)last;
            below = UINT64_MAX;
        }
        uint64_t word = set->levels[level][index] & below;
        before = index;
        if (word == 0) {
            continue;
        }
        uint32_t found = index * 64 + highest_bit(word);
        while (level-- > 0) {
            found = found * 64 + highest_bit(set->levels[level][found]);
        }
        return found;
    }
    return ORDERED_SET_NONE;
}
