#include "plan/strip_valley.h"

#include <string.h>

struct strip_valleys strip_valleys_new(struct strip_state *state, struct arena *arena)
{
    size_t sections = state->strip->section_count;
    return (struct strip_valleys){
        .state = state,
        .counts = ARENA_ARRAY(arena, int32_t, sections + 1),
        .blocked = ARENA_ARRAY(arena, uint32_t, sections),
        .floors = ARENA_ARRAY(arena, uint32_t, sections),
    };
}

/* ---- items on the floor ---- */

/* Two items of the same lifetime, one directly on the other, could change places: only one order is needed. With equal sizes that
 * is the order of their indices; with different ones the smaller goes below (the sum of offsets is smaller), provided that
 * nothing is rounded. */
static bool is_needless_order(const struct strip_state *state, uint32_t below, uint32_t above)
{
    const struct strip_item *lower = &state->items[below];
    const struct strip_item *upper = &state->items[above];
    if (lower->first != upper->first || lower->last != upper->last || lower->alignment != upper->alignment) {
        return false;
    }
    if (state->sections[upper->last].owner != below || state->sections[upper->last].solid != state->low[above]) {
        return false;
    }
    if (lower->size == upper->size) {
        return below > above;
    }
    bool is_rounded = ((lower->height | upper->height) & (lower->alignment - 1)) != 0;
    return state->strip->is_exact && !is_rounded && lower->size > upper->size;
}

bool strip_valley_takes(const struct strip_state *state, uint32_t first, uint32_t last, uint32_t index)
{
    const struct strip_item *item = &state->items[index];
    if (item->first < first || item->last > last || state->low[index] != state->floor[first]) {
        return false;
    }
    uint32_t owner = state->sections[item->first].owner;
    return owner == STRIP_NOBODY || !is_needless_order(state, owner, index);
}

/* ---- runs ---- */

static uint32_t run_last(const struct strip_state *state, uint32_t first)
{
    uint32_t last = first;
    while (strip_is_linked(state, last) && state->floor[last + 1] == state->floor[first]) {
        last++;
    }
    return last;
}

static bool is_valley(const struct strip_state *state, uint32_t first, uint32_t last)
{
    return state->floor[first] != STRIP_NO_FLOOR &&
           (first == 0 || !strip_is_linked(state, first - 1) || state->floor[first - 1] > state->floor[first]) &&
           (!strip_is_linked(state, last) || state->floor[last + 1] > state->floor[last]);
}

static void count_ways(struct strip_valleys *valleys, uint32_t first, uint32_t last)
{
    struct strip_state *state = valleys->state;
    int32_t *counts = valleys->counts;
    memset(counts + first, 0, (last - first + 2) * sizeof *counts);
    state->work += state->words;
    for (size_t word = state->first_word[first]; word <= state->last_word[last]; word++) {
        for (uint64_t bits = strip_inside(state, word, first, last); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            if (strip_valley_takes(state, first, last, index)) {
                counts[state->items[index].first]++;
                counts[state->items[index].last + 1]--;
            }
        }
    }
    for (uint32_t s = first + 1; s <= last; s++) {
        counts[s] += counts[s - 1];
    }
}

/* The ways are the items that can lie on the floor, and that none does if that leaves room. */
static void find_best_section(struct strip_valleys *valleys, uint32_t first, uint32_t last)
{
    struct strip_state *state = valleys->state;
    const struct strip_section *sections = state->sections;
    uint32_t floor = state->floor[first];
    uint32_t best = STRIP_NO_SECTION;
    uint32_t best_ways = UINT32_MAX;
    count_ways(valleys, first, last);
    for (uint32_t s = first; s <= last; s++) {
        uint32_t ways = (uint32_t)valleys->counts[s] + (sections[s].latest > floor);
        if (valleys->counts[s] == 0) {
            valleys->blocked[valleys->blocked_count] = s;
            valleys->floors[valleys->blocked_count++] = floor;
        } else if (ways < best_ways || (ways == best_ways && sections[s].latest < sections[best].latest)) {
            best = s;
            best_ways = ways;
        }
    }
    state->sections[first].best = best;
    state->sections[first].ways = best_ways;
}

static bool look_at_run(struct strip_valleys *valleys, uint32_t first, uint32_t last)
{
    struct strip_state *state = valleys->state;
    if (!strip_state_save(state, first, first)) {
        return false;
    }
    state->sections[first].run_last = last;
    state->sections[first].best = STRIP_NO_SECTION;
    if (is_valley(state, first, last)) {
        find_best_section(valleys, first, last);
    }
    return true;
}

/* A run is affected by changes in it and beside it. */
static bool is_affected(const struct strip_state *state, uint32_t first, uint32_t last)
{
    uint32_t from = first > 0 ? first - 1 : first;
    uint32_t to = last + 1 < state->strip->section_count ? last + 1 : last;
    for (uint32_t s = from; s <= to; s++) {
        if (state->has_changed[s]) {
            return true;
        }
    }
    return false;
}

static bool look_at_changes(struct strip_valleys *valleys)
{
    struct strip_state *state = valleys->state;
    uint32_t from = state->changed_first;
    uint32_t to = state->changed_last;
    bool is_logged = true;
    from = from > 0 ? from - 1 : from;
    while (from > 0 && strip_is_linked(state, from - 1) && state->floor[from - 1] == state->floor[from]) {
        from--;
    }
    valleys->blocked_count = 0;
    for (uint32_t s = from; s <= to + 1 && s < state->strip->section_count;) {
        uint32_t last = run_last(state, s);
        if (is_affected(state, s, last)) {
            is_logged = is_logged && look_at_run(valleys, s, last);
        }
        s = last + 1;
    }
    state->work += (to - from) / 8 + 1;
    memset(state->has_changed + state->changed_first, 0, to - state->changed_first + (size_t)1);
    state->changed_first = UINT32_MAX;
    state->changed_last = 0;
    return is_logged;
}

bool strip_valleys_settle(struct strip_valleys *valleys)
{
    struct strip_state *state = valleys->state;
    while (state->changed_first <= state->changed_last) {
        if (!look_at_changes(valleys)) {
            return false;
        }
        for (size_t k = 0; k < valleys->blocked_count; k++) {
            uint32_t section = valleys->blocked[k];
            if (state->floor[section] != valleys->floors[k]) {
                continue;
            }
            uint32_t floor = strip_next_floor(state, section);
            if (floor == STRIP_NO_FLOOR || !strip_state_raise(state, section, floor)) {
                return false;
            }
        }
    }
    return true;
}

uint32_t strip_valley_choose(const struct strip_state *state, uint32_t first, uint32_t last)
{
    const struct strip_section *sections = state->sections;
    uint32_t chosen = STRIP_NO_SECTION;
    for (uint32_t s = first; s <= last; s = state->sections[s].run_last + 1) {
        if (sections[s].best == STRIP_NO_SECTION) {
            continue;
        }
        bool is_better = chosen == STRIP_NO_SECTION || sections[s].ways < sections[chosen].ways;
        if (!is_better && sections[s].ways == sections[chosen].ways) {
            is_better = state->floor[s] != state->floor[chosen]
                            ? state->floor[s] < state->floor[chosen]
                            : sections[sections[s].best].latest < sections[sections[chosen].best].latest;
        }
        chosen = is_better ? s : chosen;
    }
    return chosen;
}

/* ---- above the floor ---- */

/* The lowest offset that an item can have if it is the lowest in `section` and does not lie on the floor: on something that is
 * still to be placed beside the section. */
static uint32_t lowest_support(struct strip_state *state, uint32_t index, uint32_t section)
{
    const struct strip_item *item = &state->items[index];
    uint32_t lowest = STRIP_NO_FLOOR;
    state->work += state->words;
    for (size_t word = state->first_word[item->first]; word <= state->last_word[item->last]; word++) {
        uint64_t bits = strip_meeting(state, word, item->first, item->last) & ~strip_meeting(state, word, section, section);
        for (; bits != 0; bits &= bits - 1) {
            size_t other = word * 64 + bits_first(bits);
            uint32_t top = state->low[other] + state->items[other].height;
            lowest = top < lowest ? top : lowest;
        }
    }
    return lowest == STRIP_NO_FLOOR ? lowest : strip_align(lowest, item->alignment);
}

uint32_t strip_next_floor(struct strip_state *state, uint32_t section)
{
    uint32_t floor = state->floor[section];
    uint32_t lowest = STRIP_NO_FLOOR;
    state->work += state->words;
    for (size_t word = state->first_word[section]; word <= state->last_word[section]; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            uint32_t low = state->low[index];
            uint32_t offset = low <= floor ? lowest_support(state, index, section) : low;
            lowest = offset < lowest ? offset : lowest;
        }
    }
    return lowest;
}
