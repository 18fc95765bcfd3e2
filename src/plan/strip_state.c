#include "plan/strip_state.h"

#include <string.h>

#include "base/size.h"

#define MOST_UNDO_WORDS ((size_t)1 << 22)

enum undo_kind { UNDO_SECTIONS, UNDO_LOWS, UNDO_PLACED };
#define UNDO_HEADER 3u

/* ---- beginning ---- */

static void mark_starts_and_ends(struct strip_state *state)
{
    const struct strip *strip = state->strip;
    for (size_t i = 0; i < strip->item_count; i++) {
        bits_add(state->started + (strip->items[i].first + (size_t)1) * state->words, i);
        bits_add(state->ended + (strip->items[i].last + (size_t)1) * state->words, i);
    }
    for (size_t k = state->words; k < (strip->section_count + 1) * state->words; k++) {
        state->started[k] |= state->started[k - state->words];
        state->ended[k] |= state->ended[k - state->words];
    }
}

struct strip_state strip_state_new(const struct strip *strip, struct arena *arena)
{
    size_t items = strip->item_count;
    size_t sections = strip->section_count;
    size_t words = bits_words(items);
    struct strip_state state = {
        .strip = strip,
        .items = strip->items,
        .smallest = UINT32_MAX,
        .words = words,
        .waiting = ARENA_ARRAY(arena, uint64_t, words),
        .started = ARENA_ARRAY(arena, uint64_t, words * (sections + 1)),
        .ended = ARENA_ARRAY(arena, uint64_t, words * (sections + 1)),
        .limit = ARENA_ARRAY(arena, uint32_t, sections),
        .low = ARENA_ARRAY(arena, uint32_t, items),
        .highest = ARENA_ARRAY(arena, uint32_t, items),
        .offset = ARENA_ARRAY(arena, uint32_t, items),
        .is_stale = ARENA_ARRAY(arena, uint32_t, sections),
        .is_crowded = ARENA_ARRAY(arena, uint32_t, sections),
        .has_changed = ARENA_ARRAY(arena, uint8_t, sections),
        .sorted = ARENA_ARRAY(arena, uint64_t, items),
        .undo_capacity = (size_t)size_min(items * (STRIP_ROWS * sections + 2 * items + 16) + 4096, MOST_UNDO_WORDS),
    };
    for (size_t row = 0; row < STRIP_ROWS; row++) {
        state.rows[row] = ARENA_ARRAY(arena, uint32_t, sections);
    }
    state.undo = ARENA_ARRAY(arena, uint32_t, state.undo_capacity);
    for (size_t i = 0; i < items; i++) {
        state.smallest = (uint32_t)size_min(state.smallest, strip->items[i].height);
    }
    mark_starts_and_ends(&state);
    return state;
}

static void touch(struct strip_state *state, uint32_t first, uint32_t last)
{
    state->touched_first = first < state->touched_first ? first : state->touched_first;
    state->touched_last = last > state->touched_last ? last : state->touched_last;
}

static void note_change(struct strip_state *state, uint32_t section)
{
    state->has_changed[section] = 1;
    state->changed_first = section < state->changed_first ? section : state->changed_first;
    state->changed_last = section > state->changed_last ? section : state->changed_last;
}

static bool reset_sections(struct strip_state *state, uint64_t capacity)
{
    const struct strip *strip = state->strip;
    state->touched_first = UINT32_MAX;
    state->touched_last = 0;
    state->changed_first = UINT32_MAX;
    state->changed_last = 0;
    for (uint32_t s = 0; s < strip->section_count; s++) {
        uint64_t limit = size_min((capacity + strip->credit[s]) / strip->unit, UINT32_MAX / 2);
        if (strip->total[s] > limit) {
            return false;
        }
        state->limit[s] = (uint32_t)limit;
        state->rows[STRIP_FLOOR][s] = 0;
        state->rows[STRIP_LATEST][s] = (uint32_t)(limit - strip->total[s]);
        state->rows[STRIP_SOLID][s] = 0;
        state->rows[STRIP_OWNER][s] = STRIP_NOBODY;
        state->rows[STRIP_LINKS][s] = 0;
        state->is_stale[s] = 0;
        state->is_crowded[s] = 0;
        note_change(state, s);
    }
    return true;
}

bool strip_state_reset(struct strip_state *state, uint64_t capacity)
{
    const struct strip *strip = state->strip;
    if (!reset_sections(state, capacity)) {
        return false;
    }
    for (size_t i = 0; i < strip->item_count; i++) {
        const struct strip_item *item = &strip->items[i];
        if (item->size > capacity) {
            return false;
        }
        state->low[i] = 0;
        state->highest[i] = (uint32_t)size_min((capacity - item->size) / strip->unit, UINT32_MAX / 2);
        bits_add(state->waiting, i);
        for (uint32_t s = item->first; s < item->last; s++) {
            state->rows[STRIP_LINKS][s]++;
        }
    }
    state->undo_count = 0;
    state->is_full = false;
    return true;
}

/* ---- undoing ---- */

/* Room for a group of so many words, and one without any. */
static bool has_undo_room(struct strip_state *state, size_t words)
{
    state->is_full = state->is_full || state->undo_count + words + 2 * UNDO_HEADER > state->undo_capacity;
    return !state->is_full;
}

static void end_undo_group(struct strip_state *state, enum undo_kind kind, uint32_t first, uint32_t count)
{
    state->undo[state->undo_count++] = first;
    state->undo[state->undo_count++] = count;
    state->undo[state->undo_count++] = kind;
}

bool strip_state_save(struct strip_state *state, uint32_t first, uint32_t last)
{
    uint32_t count = last - first + 1;
    if (!has_undo_room(state, (size_t)STRIP_ROWS * count)) {
        return false;
    }
    for (size_t row = 0; row < STRIP_ROWS; row++) {
        memcpy(state->undo + state->undo_count, state->rows[row] + first, count * sizeof(uint32_t));
        state->undo_count += count;
    }
    end_undo_group(state, UNDO_SECTIONS, first, count);
    return true;
}

static void restore_sections(struct strip_state *state, uint32_t first, uint32_t count)
{
    state->undo_count -= (size_t)STRIP_ROWS * count;
    for (size_t row = 0; row < STRIP_ROWS; row++) {
        memcpy(state->rows[row] + first, state->undo + state->undo_count + row * count, count * sizeof(uint32_t));
    }
}

static void restore_lows(struct strip_state *state, uint32_t count)
{
    state->undo_count -= 2 * (size_t)count;
    const uint32_t *old = state->undo + state->undo_count;
    for (uint32_t k = 0; k < count; k++) {
        state->low[old[2 * k]] = old[2 * k + 1];
    }
}

void strip_state_undo(struct strip_state *state, size_t mark)
{
    while (state->undo_count > mark) {
        state->undo_count -= UNDO_HEADER;
        const uint32_t *header = state->undo + state->undo_count;
        switch ((enum undo_kind)header[2]) {
        case UNDO_SECTIONS:
            restore_sections(state, header[0], header[1]);
            break;
        case UNDO_LOWS:
            restore_lows(state, header[1]);
            break;
        case UNDO_PLACED:
            bits_add(state->waiting, header[0]);
            break;
        }
    }
}

/* ---- lifting what waits above a new floor ---- */

static void mark_sections(struct strip_state *state, const struct strip_item *item, uint32_t old, uint32_t low)
{
    const uint32_t *floor = state->rows[STRIP_FLOOR];
    const uint32_t *latest = state->rows[STRIP_LATEST];
    uint32_t *is_stale = state->is_stale;
    uint32_t *is_crowded = state->is_crowded;
    for (uint32_t s = item->first; s <= item->last; s++) {
        is_stale[s] |= floor[s] == old;
        is_crowded[s] |= low > latest[s];
    }
    state->work += (item->last - item->first) / 8 + 1;
    touch(state, item->first, item->last);
}

/* Nothing that waits in these sections may lie below `floor` any more. */
static bool lift(struct strip_state *state, uint32_t first, uint32_t last, uint32_t floor)
{
    if (!has_undo_room(state, 2 * state->strip->item_count)) {
        return false;
    }
    uint32_t *old = state->undo + state->undo_count;
    uint32_t count = 0;
    bool is_possible = true;
    state->work += state->words;
    for (size_t word = 0; word < state->words; word++) {
        for (uint64_t bits = strip_meeting(state, word, first, last); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            uint32_t low = state->low[index];
            if (low >= floor) {
                continue;
            }
            old[2 * count] = index;
            old[2 * count + 1] = low;
            count++;
            state->low[index] = strip_align(floor, state->items[index].alignment);
            is_possible = is_possible && state->low[index] <= state->highest[index];
            mark_sections(state, &state->items[index], low, state->low[index]);
        }
    }
    state->undo_count += 2 * (size_t)count;
    end_undo_group(state, UNDO_LOWS, 0, count);
    return is_possible;
}

/* ---- what follows for the sections ---- */

/* The lowest `low` in a section, which is known to be at least `least`. */
static uint32_t lowest_waiting(struct strip_state *state, uint32_t section, uint32_t least)
{
    uint32_t lowest = STRIP_NO_FLOOR;
    state->work += state->words;
    for (size_t word = 0; word < state->words; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            uint32_t low = state->low[word * 64 + bits_first(bits)];
            lowest = low < lowest ? low : lowest;
            if (lowest <= least) {
                return lowest;
            }
        }
    }
    return lowest;
}

/* True if a waiting item would fit into what is wasted around a section. Such a partial layout is not needed: from any layout
 * that it leads to, that item could be moved down into the hole. */
static bool has_hole(struct strip_state *state, uint32_t section)
{
    const uint32_t *floor = state->rows[STRIP_FLOOR];
    const uint32_t *solid = state->rows[STRIP_SOLID];
    uint32_t gap = floor[section] - solid[section];
    if (floor[section] == STRIP_NO_FLOOR || gap < state->smallest) {
        return false;
    }
    state->work += state->words;
    for (size_t word = 0; word < state->words; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            const struct strip_item *item = &state->items[word * 64 + bits_first(bits)];
            uint32_t bottom = solid[section];
            uint32_t top = floor[section];
            for (uint32_t s = item->first; s <= item->last && strip_align(bottom, item->alignment) + item->height <= top; s++) {
                bottom = bottom > solid[s] ? bottom : solid[s];
                top = top < floor[s] ? top : floor[s];
            }
            if (strip_align(bottom, item->alignment) + item->height <= top) {
                return true;
            }
        }
    }
    return false;
}

/* Finds the floor again. */
static bool refresh_floor(struct strip_state *state, uint32_t section, bool is_saved)
{
    uint32_t *floor = &state->rows[STRIP_FLOOR][section];
    uint32_t solid = state->rows[STRIP_SOLID][section];
    uint32_t lowest = lowest_waiting(state, section, *floor > solid ? *floor : solid);
    if (lowest == *floor) {
        return true;
    }
    if (!is_saved && !strip_state_save(state, section, section)) {
        return false;
    }
    *floor = lowest;
    note_change(state, section);
    return lowest == STRIP_NO_FLOOR || (lowest <= state->rows[STRIP_LATEST][section] && !has_hole(state, section));
}

/* The waiting items at or above any height must fit between it and the limit, one on the other. Only those above `latest` can
 * show that they do not. */
static bool has_room(struct strip_state *state, uint32_t section)
{
    uint32_t latest = state->rows[STRIP_LATEST][section];
    uint64_t *sorted = state->sorted;
    size_t count = 0;
    uint32_t waiting = 0;
    state->work += state->words;
    for (size_t word = 0; word < state->words; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            waiting += state->items[index].height;
            if (state->low[index] <= latest) {
                continue;
            }
            uint64_t entry = (uint64_t)state->low[index] << 32 | state->items[index].height;
            size_t k = count++;
            for (; k > 0 && sorted[k - 1] < entry; k--) {
                sorted[k] = sorted[k - 1];
            }
            sorted[k] = entry;
        }
    }
    uint32_t height = 0;
    for (size_t k = 0; k < count; k++) {
        height += (uint32_t)sorted[k];
        if ((uint32_t)(sorted[k] >> 32) + height > latest + waiting) {
            return false;
        }
    }
    return true;
}

/* Looks again at the sections that have been touched. */
static bool refresh(struct strip_state *state, bool is_possible)
{
    for (uint32_t s = state->touched_first; s <= state->touched_last; s++) {
        if (state->is_stale[s]) {
            state->is_stale[s] = 0;
            is_possible = is_possible && refresh_floor(state, s, false);
        }
        if (state->is_crowded[s]) {
            state->is_crowded[s] = 0;
            is_possible = is_possible && has_room(state, s);
        }
    }
    state->touched_first = UINT32_MAX;
    state->touched_last = 0;
    return is_possible;
}

/* ---- moves ---- */

static bool is_low_enough(struct strip_state *state, const struct strip_item *item, uint32_t offset)
{
    const uint32_t *latest = state->rows[STRIP_LATEST];
    for (uint32_t s = item->first; s <= item->last; s++) {
        if (offset > latest[s]) {
            return false;
        }
    }
    return true;
}

bool strip_state_place(struct strip_state *state, uint32_t index)
{
    const struct strip_item *item = &state->items[index];
    uint32_t offset = state->low[index];
    uint32_t top = offset + item->height;
    state->work += (item->last - item->first) / 4 + 1;
    if (!is_low_enough(state, item, offset) || !strip_state_save(state, item->first, item->last)) {
        return false;
    }
    end_undo_group(state, UNDO_PLACED, index, 0);
    bits_remove(state->waiting, index);
    state->offset[index] = offset;
    for (uint32_t s = item->first; s <= item->last; s++) {
        state->rows[STRIP_LATEST][s] += item->height;
        state->rows[STRIP_SOLID][s] = top;
        state->rows[STRIP_OWNER][s] = index;
        state->rows[STRIP_LINKS][s] -= s < item->last;
    }
    bool is_possible = lift(state, item->first, item->last, top);
    for (uint32_t s = item->first; s <= item->last; s++) {
        state->is_stale[s] = 0;
        is_possible = is_possible && refresh_floor(state, s, true);
    }
    return refresh(state, is_possible);
}

bool strip_state_raise(struct strip_state *state, uint32_t section, uint32_t floor)
{
    if (floor > state->rows[STRIP_LATEST][section]) {
        return false;
    }
    bool is_possible = lift(state, section, section, floor);
    return refresh(state, is_possible);
}
