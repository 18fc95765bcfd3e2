#include "plan/strip_state.h"

#include <string.h>

#include "base/size.h"

/* The log grows as it is needed: most searches are small, and what an arena takes back it wipes. 32 MB at most: only thousands of
 * items that live for hundreds of sections pass that; their searches then end undecided. */
#define FIRST_UNDO_WORDS ((size_t)1 << 12)
#define MOST_UNDO_WORDS  ((size_t)1 << 23)
/* No layout that is searched for is as high, and sums with it stay within 32 bits. */
#define MOST_OFFSET (UINT32_MAX / 2)

enum undo_kind { UNDO_SECTIONS, UNDO_LOWS, UNDO_PLACED };
#define UNDO_HEADER 3u
/* Of a section: floor, grounded, and its row. */
#define SECTION_WORDS (2 + sizeof(struct strip_section) / sizeof(uint32_t))
/* Marks an item that was not in the set of raised ones before. */
#define NEWLY_RAISED (UINT32_C(1) << 31)

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

static void find_words(struct strip_state *state)
{
    const struct strip *strip = state->strip;
    uint32_t word = 0;
    for (size_t i = 0; i < strip->item_count; i++) {
        state->last_word[strip->items[i].first] = (uint32_t)(i / 64);
    }
    for (size_t s = 0; s < strip->section_count; s++) {
        word = state->last_word[s] > word ? state->last_word[s] : word;
        state->last_word[s] = word;
        state->first_word[s] = UINT32_MAX;
    }
    for (size_t i = strip->item_count; i-- > 0;) {
        state->first_word[strip->items[i].last] = (uint32_t)(i / 64);
    }
    for (size_t s = strip->section_count; s-- > 0;) {
        word = state->first_word[s] < word ? state->first_word[s] : word;
        state->first_word[s] = word;
    }
}

struct strip_state strip_state_new(const struct strip *strip, struct arena *arena)
{
    size_t items = strip->item_count;
    size_t sections = strip->section_count;
    size_t words = bits_words(items);
    struct strip_state state = {
        .arena = arena,
        .strip = strip,
        .items = strip->items,
        .smallest = UINT32_MAX,
        .words = words,
        .waiting = ARENA_ARRAY(arena, uint64_t, words),
        .started = ARENA_ARRAY(arena, uint64_t, words * (sections + 1)),
        .ended = ARENA_ARRAY(arena, uint64_t, words * (sections + 1)),
        .floor = ARENA_ARRAY(arena, uint32_t, sections),
        .grounded = ARENA_ARRAY(arena, uint32_t, sections),
        .first_word = ARENA_ARRAY(arena, uint32_t, sections),
        .last_word = ARENA_ARRAY(arena, uint32_t, sections),
        .limit = ARENA_ARRAY(arena, uint32_t, sections),
        .sections = ARENA_ARRAY(arena, struct strip_section, sections),
        .height = ARENA_ARRAY(arena, uint32_t, items),
        .low = ARENA_ARRAY(arena, uint32_t, items),
        .highest = ARENA_ARRAY(arena, uint32_t, items),
        .offset = ARENA_ARRAY(arena, uint32_t, items),
        .raised = ARENA_ARRAY(arena, uint64_t, words),
        .is_touched = ARENA_ARRAY(arena, uint8_t, sections),
        .saved_in = ARENA_ARRAY(arena, uint64_t, sections),
        .has_changed = ARENA_ARRAY(arena, uint8_t, sections),
        .high = ARENA_ARRAY(arena, uint64_t, items),
        .undo = ARENA_ARRAY(arena, uint32_t, FIRST_UNDO_WORDS),
        .undo_capacity = FIRST_UNDO_WORDS,
    };
    for (size_t i = 0; i < items; i++) {
        state.height[i] = strip->items[i].height;
        state.smallest = (uint32_t)size_min(state.smallest, strip->items[i].height);
    }
    mark_starts_and_ends(&state);
    find_words(&state);
    return state;
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
    state->lifted_to = 0;
    for (uint32_t s = 0; s < strip->section_count; s++) {
        uint64_t limit = size_min((capacity + strip->credit[s]) / strip->unit, MOST_OFFSET);
        if (strip->total[s] > limit) {
            return false;
        }
        state->sections[s] = (struct strip_section){
            .latest = (uint32_t)(limit - strip->total[s]),
            .owner = STRIP_NOBODY,
        };
        state->limit[s] = (uint32_t)limit;
        state->floor[s] = 0;
        state->grounded[s] = (uint32_t)strip->total[s];
        state->is_touched[s] = 0;
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
        state->highest[i] = (uint32_t)size_min((capacity - item->size) / strip->unit, MOST_OFFSET);
        bits_add(state->waiting, i);
        bits_remove(state->raised, i);
        for (uint32_t s = item->first; s < item->last; s++) {
            state->sections[s].links++;
        }
    }
    state->undo_count = 0;
    state->era++;
    state->is_full = false;
    return true;
}

/* ---- undoing ---- */

/* Room for a group of so many words, and one without any. */
static bool has_undo_room(struct strip_state *state, size_t words)
{
    size_t needed = state->undo_count + words + 2 * UNDO_HEADER;
    while (needed > state->undo_capacity && state->undo_capacity < MOST_UNDO_WORDS) {
        state->undo = arena_grow(state->arena, state->undo, state->undo_capacity, &state->undo_capacity, sizeof *state->undo);
    }
    state->is_full = state->is_full || needed > state->undo_capacity;
    return !state->is_full;
}

static void end_undo_group(struct strip_state *state, enum undo_kind kind, uint32_t first, uint32_t count)
{
    state->undo[state->undo_count++] = first;
    state->undo[state->undo_count++] = count;
    state->undo[state->undo_count++] = kind;
}

size_t strip_state_mark(struct strip_state *state)
{
    state->era++;
    return state->undo_count;
}

static bool is_saved(struct strip_state *state, uint32_t first, uint32_t last)
{
    bool is_all = true;
    for (uint32_t s = first; s <= last; s++) {
        is_all = is_all && state->saved_in[s] == state->era;
        state->saved_in[s] = state->era;
    }
    return is_all;
}

bool strip_state_save(struct strip_state *state, uint32_t first, uint32_t last)
{
    uint32_t count = last - first + 1;
    if (is_saved(state, first, last)) {
        return true;
    }
    if (!has_undo_room(state, SECTION_WORDS * count)) {
        return false;
    }
    uint32_t *old = state->undo + state->undo_count;
    memcpy(old, state->floor + first, count * sizeof *old);
    memcpy(old + count, state->grounded + first, count * sizeof *old);
    memcpy(old + 2 * (size_t)count, state->sections + first, count * sizeof *state->sections);
    state->undo_count += SECTION_WORDS * count;
    end_undo_group(state, UNDO_SECTIONS, first, count);
    return true;
}

static void restore_sections(struct strip_state *state, uint32_t first, uint32_t count)
{
    state->undo_count -= SECTION_WORDS * count;
    const uint32_t *old = state->undo + state->undo_count;
    memcpy(state->floor + first, old, count * sizeof *old);
    memcpy(state->grounded + first, old + count, count * sizeof *old);
    memcpy(state->sections + first, old + 2 * (size_t)count, count * sizeof *state->sections);
}

/* Sections that have been saved before the lift are restored after this, so it does no harm that it also counts there. */
static void put_back(struct strip_state *state, uint32_t index, uint32_t low)
{
    const struct strip_item *item = &state->items[index];
    const uint32_t *restrict floor = state->floor;
    uint32_t *restrict grounded = state->grounded;
    state->low[index] = low;
    for (uint32_t s = item->first; s <= item->last; s++) {
        grounded[s] += floor[s] == low ? item->height : 0;
    }
}

static void restore_lows(struct strip_state *state, uint32_t count)
{
    state->undo_count -= 2 * (size_t)count;
    const uint32_t *old = state->undo + state->undo_count;
    for (uint32_t k = 0; k < count; k++) {
        put_back(state, old[2 * k] & ~NEWLY_RAISED, old[2 * k + 1]);
        if (old[2 * k] & NEWLY_RAISED) {
            bits_remove(state->raised, old[2 * k] & ~NEWLY_RAISED);
        }
    }
}

void strip_state_undo(struct strip_state *state, size_t mark)
{
    state->era++;
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

static void touch(struct strip_state *state, uint32_t first, uint32_t last)
{
    memset(state->is_touched + first, 1, last - first + (size_t)1);
    state->touched_first = first < state->touched_first ? first : state->touched_first;
    state->touched_last = last > state->touched_last ? last : state->touched_last;
    state->work += (last - first) / 8 + 1;
}

static void lift_item(struct strip_state *state, uint32_t index, uint32_t low, bool is_raised)
{
    const struct strip_item *item = &state->items[index];
    const uint32_t *restrict floor = state->floor;
    uint32_t *restrict grounded = state->grounded;
    uint32_t old = state->low[index];
    bool is_newly_raised = is_raised && !bits_have(state->raised, index);
    state->undo[state->undo_count++] = index | (is_newly_raised ? NEWLY_RAISED : 0);
    state->undo[state->undo_count++] = old;
    if (is_newly_raised) {
        bits_add(state->raised, index);
    }
    state->low[index] = low;
    state->lifted_to = low > state->lifted_to ? low : state->lifted_to;
    for (uint32_t s = item->first; s <= item->last; s++) {
        grounded[s] -= floor[s] == old ? item->height : 0;
    }
    touch(state, item->first, item->last);
}

/* Nothing that waits in these sections may lie below `floor` any more. */
static bool lift(struct strip_state *state, uint32_t first, uint32_t last, uint32_t floor, bool is_raised)
{
    if (!has_undo_room(state, 2 * state->strip->item_count)) {
        return false;
    }
    size_t begin = state->undo_count;
    bool is_possible = true;
    state->work += state->words;
    for (size_t word = state->first_word[first]; word <= state->last_word[last]; word++) {
        for (uint64_t bits = strip_meeting(state, word, first, last); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            if (state->low[index] < floor) {
                uint32_t low = strip_align(floor, state->items[index].alignment);
                lift_item(state, index, low, is_raised);
                is_possible = is_possible && low <= state->highest[index];
            }
        }
    }
    end_undo_group(state, UNDO_LOWS, 0, (uint32_t)(state->undo_count - begin) / 2);
    return is_possible;
}

/* ---- what follows for the sections ---- */

/* Finds the lowest `low` in a section, and the heights of all that has it. */
static void find_floor(struct strip_state *state, uint32_t section)
{
    uint32_t floor = STRIP_NO_FLOOR;
    uint32_t grounded = 0;
    state->work += state->words;
    for (size_t word = state->first_word[section]; word <= state->last_word[section]; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            size_t item = word * 64 + bits_first(bits);
            uint32_t low = state->low[item];
            grounded = (low < floor ? 0 : grounded) + (low <= floor ? state->height[item] : 0);
            floor = low < floor ? low : floor;
            state->work++;
        }
    }
    state->floor[section] = floor;
    state->grounded[section] = grounded;
}

/* The same for all sections of an item that has been placed, its neighbours taken one after the other. */
static void find_floors(struct strip_state *state, uint32_t first, uint32_t last)
{
    uint32_t *restrict floor = state->floor;
    uint32_t *restrict grounded = state->grounded;
    for (size_t word = state->first_word[first]; word <= state->last_word[last]; word++) {
        for (uint64_t bits = strip_meeting(state, word, first, last); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            uint32_t from = state->items[index].first > first ? state->items[index].first : first;
            uint32_t to = state->items[index].last < last ? state->items[index].last : last;
            uint32_t low = state->low[index];
            uint32_t height = state->height[index];
            for (uint32_t s = from; s <= to; s++) {
                grounded[s] = (low < floor[s] ? 0 : grounded[s]) + (low <= floor[s] ? height : 0);
                floor[s] = low < floor[s] ? low : floor[s];
            }
            state->work += (to - from) / 8 + 1;
        }
    }
}

/* True if an item would fit into what is wasted below the floors of its sections, `section` being one of them. */
static bool fits_in_hole(const struct strip_state *state, const struct strip_item *item, uint32_t section)
{
    uint32_t bottom = state->sections[section].solid;
    uint32_t top = state->floor[section];
    for (uint32_t s = item->first; s <= item->last && strip_align(bottom, item->alignment) + item->height <= top; s++) {
        bottom = bottom > state->sections[s].solid ? bottom : state->sections[s].solid;
        top = top < state->floor[s] ? top : state->floor[s];
    }
    return strip_align(bottom, item->alignment) + item->height <= top;
}

/* True if a waiting item would fit into what is wasted around a section. Such a partial layout is not needed: from any layout
 * that it leads to, that item could be moved down into the hole. Only what has been lifted because a floor was raised can be
 * above a hole of its size. */
static bool has_hole(struct strip_state *state, uint32_t section)
{
    if (state->floor[section] - state->sections[section].solid < state->smallest) {
        return false;
    }
    state->work += state->words;
    for (size_t word = state->first_word[section]; word <= state->last_word[section]; word++) {
        uint64_t bits = strip_meeting(state, word, section, section) & state->raised[word];
        for (; bits != 0; bits &= bits - 1) {
            if (fits_in_hole(state, &state->items[word * 64 + bits_first(bits)], section)) {
                return true;
            }
        }
    }
    return false;
}

/* Of the waiting items of a section those above `latest`, as low << 32 | height, in no order. Returns how many. */
static size_t gather_high(struct strip_state *state, uint32_t section, uint32_t latest)
{
    size_t count = 0;
    state->work += state->words;
    for (size_t word = state->first_word[section]; word <= state->last_word[section]; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            size_t index = word * 64 + bits_first(bits);
            state->high[count] = (uint64_t)state->low[index] << 32 | state->height[index];
            count += state->low[index] > latest;
            state->work++;
        }
    }
    return count;
}

static void sort_high(uint64_t *high, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t moved = high[i];
        size_t k = i;
        for (; k > 0 && high[k - 1] < moved; k--) {
            high[k] = high[k - 1];
        }
        high[k] = moved;
    }
}

/* The waiting items at or above any height must fit between it and the limit, one on the other. Only those above `latest` can
 * show that they do not. */
static bool has_room(struct strip_state *state, uint32_t section)
{
    uint64_t *high = state->high;
    uint32_t limit = state->limit[section];
    size_t count = gather_high(state, section, state->sections[section].latest);
    uint32_t height = 0;
    for (size_t k = 0; k < count; k++) {
        height += (uint32_t)high[k];
    }
    if (state->lifted_to + height <= limit) {
        return true;
    }
    sort_high(high, count);
    state->work += count;
    height = 0;
    for (size_t k = 0; k < count; k++) {
        height += (uint32_t)high[k];
        if ((uint32_t)(high[k] >> 32) + height > limit) {
            return false;
        }
    }
    return true;
}

/* Looks at a section again over which something has been lifted. What has been lifted no higher than the latest floor and what
 * waits on the floor has room. */
static bool refresh_section(struct strip_state *state, uint32_t index)
{
    struct strip_section *section = &state->sections[index];
    if (state->grounded[index] == 0 && state->floor[index] != STRIP_NO_FLOOR) {
        if (!strip_state_save(state, index, index)) {
            return false;
        }
        find_floor(state, index);
        note_change(state, index);
    }
    if (state->floor[index] == STRIP_NO_FLOOR) {
        return true;
    }
    if (state->floor[index] > section->latest || (state->floor[index] > section->solid && has_hole(state, index))) {
        return false;
    }
    return state->lifted_to <= section->latest + state->grounded[index] || has_room(state, index);
}

static bool refresh(struct strip_state *state, bool is_possible)
{
    state->work += (state->touched_last - state->touched_first) / 8 + 1;
    for (uint32_t s = state->touched_first; s <= state->touched_last; s++) {
        if (state->is_touched[s]) {
            state->is_touched[s] = 0;
            is_possible = is_possible && refresh_section(state, s);
        }
    }
    state->touched_first = UINT32_MAX;
    state->touched_last = 0;
    state->lifted_to = 0;
    return is_possible;
}

/* ---- moves ---- */

static bool is_low_enough(struct strip_state *state, const struct strip_item *item, uint32_t offset)
{
    for (uint32_t s = item->first; s <= item->last; s++) {
        if (offset > state->sections[s].latest) {
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
    if (!is_low_enough(state, item, offset) || !strip_state_save(state, item->first, item->last) || !has_undo_room(state, 0)) {
        return false;
    }
    end_undo_group(state, UNDO_PLACED, index, 0);
    bits_remove(state->waiting, index);
    state->offset[index] = offset;
    bool is_possible = lift(state, item->first, item->last, top, false);
    touch(state, item->first, item->last);
    for (uint32_t s = item->first; s <= item->last; s++) {
        struct strip_section *section = &state->sections[s];
        state->floor[s] = STRIP_NO_FLOOR;
        state->grounded[s] = 0;
        section->latest += item->height;
        section->solid = top;
        section->owner = index;
        section->links -= s < item->last;
        note_change(state, s);
    }
    find_floors(state, item->first, item->last);
    return refresh(state, is_possible);
}

bool strip_state_raise(struct strip_state *state, uint32_t section, uint32_t floor)
{
    if (floor > state->sections[section].latest) {
        return false;
    }
    bool is_possible = lift(state, section, section, floor, true);
    return refresh(state, is_possible);
}
