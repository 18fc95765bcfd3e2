#include "plan/strip_state.h"

#include <string.h>

#include "base/size.h"

#define MOST_UNDO_WORDS ((size_t)1 << 22)
#define SECTION_WORDS   (sizeof(struct section_state) / sizeof(uint32_t))

enum undo_kind { UNDO_SECTIONS, UNDO_LOWS };
#define UNDO_HEADER 3u

struct strip_state strip_state_new(const struct strip *strip, struct arena *arena)
{
    size_t items = strip->item_count;
    size_t sections = strip->section_count;
    struct strip_state state = {
        .strip = strip,
        .items = strip->items,
        .smallest = UINT32_MAX,
        .sections = ARENA_ARRAY(arena, struct section_state, sections),
        .limit = ARENA_ARRAY(arena, uint32_t, sections),
        .heights = ARENA_ARRAY(arena, uint32_t, sections),
        .low = ARENA_ARRAY(arena, uint32_t, items),
        .latest = ARENA_ARRAY(arena, uint32_t, items),
        .offset = ARENA_ARRAY(arena, uint32_t, items),
        .lifted = ARENA_ARRAY(arena, uint32_t, items),
        .list_capacity = items * (items + 2) + 16,
        .undo_capacity = (size_t)size_min(items * (SECTION_WORDS * sections + 2 * items + 16) + 4096, MOST_UNDO_WORDS),
    };
    state.lists = ARENA_ARRAY(arena, uint32_t, state.list_capacity);
    state.undo = ARENA_ARRAY(arena, uint32_t, state.undo_capacity);
    for (size_t i = 0; i < items; i++) {
        state.smallest = (uint32_t)size_min(state.smallest, strip->items[i].height);
    }
    return state;
}

bool strip_state_reset(struct strip_state *state, uint64_t capacity)
{
    const struct strip *strip = state->strip;
    for (size_t s = 0; s < strip->section_count; s++) {
        uint64_t limit = size_min((capacity + strip->credit[s]) / strip->unit, UINT32_MAX / 2);
        if (strip->total[s] > limit) {
            return false;
        }
        state->limit[s] = (uint32_t)limit;
        state->sections[s] = (struct section_state){.slack = (uint32_t)(limit - strip->total[s]), .owner = STRIP_NOBODY};
    }
    for (size_t i = 0; i < strip->item_count; i++) {
        if (strip->items[i].size > capacity) {
            return false;
        }
        state->low[i] = 0;
        state->latest[i] = (uint32_t)size_min((capacity - strip->items[i].size) / strip->unit, UINT32_MAX / 2);
        state->lists[i] = (uint32_t)i;
    }
    state->first_section = 0;
    state->last_section = (uint32_t)strip->section_count - 1;
    state->dirty_first = 0;
    state->dirty_last = state->last_section;
    state->list = 0;
    state->waiting = (uint32_t)strip->item_count;
    state->room = 0;
    state->undo_count = 0;
    state->is_full = false;
    return true;
}

/* ---- undoing ---- */

static void end_undo_group(struct strip_state *state, enum undo_kind kind, uint32_t first, uint32_t count)
{
    state->undo[state->undo_count++] = first;
    state->undo[state->undo_count++] = count;
    state->undo[state->undo_count++] = kind;
}

static bool save_sections(struct strip_state *state, uint32_t first, uint32_t last)
{
    uint32_t count = last - first + 1;
    if (state->undo_count + count * SECTION_WORDS + UNDO_HEADER > state->undo_capacity) {
        state->is_full = true;
        return false;
    }
    memcpy(state->undo + state->undo_count, state->sections + first, count * sizeof *state->sections);
    state->undo_count += count * SECTION_WORDS;
    end_undo_group(state, UNDO_SECTIONS, first, count);
    return true;
}

void strip_state_undo(struct strip_state *state, size_t mark)
{
    while (state->undo_count > mark) {
        const uint32_t *header = state->undo + state->undo_count - UNDO_HEADER;
        uint32_t first = header[0];
        uint32_t count = header[1];
        if (header[2] == UNDO_SECTIONS) {
            const uint32_t *old = header - count * SECTION_WORDS;
            memcpy(state->sections + first, old, count * sizeof *state->sections);
            state->undo_count -= count * SECTION_WORDS + UNDO_HEADER;
            continue;
        }
        const uint32_t *old = header - 2 * (size_t)count;
        for (uint32_t k = 0; k < count; k++) {
            state->low[old[2 * k]] = old[2 * k + 1];
        }
        state->undo_count -= 2 * (size_t)count + UNDO_HEADER;
    }
}

/* ---- lifting what waits above a new floor ---- */

static void mark_dirty(struct strip_state *state, const struct strip_item *item)
{
    if (item->first < state->dirty_first) {
        state->dirty_first = item->first;
    }
    if (item->last > state->dirty_last) {
        state->dirty_last = item->last;
    }
}

/* Different alignments can put the lifted items out of order; equal ones, the normal case, cannot. */
static void sort_lifted(struct strip_state *state, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = state->lifted[i];
        uint32_t k = i;
        for (; k > 0 && state->low[state->lifted[k - 1]] > state->low[moved]; k--) {
            state->lifted[k] = state->lifted[k - 1];
        }
        state->lifted[k] = moved;
    }
}

/* Nothing that waits in these sections may lie below `floor` any more. Makes the new list of waiting items, without `placed`:
 * those that are lifted all move to about the same place, so two sorted runs are merged. The new list may overwrite the old one,
 * as it is never longer than what has been read. */
static bool lift(struct strip_state *state, uint32_t placed, uint32_t first, uint32_t last, uint32_t floor)
{
    uint32_t count = state->waiting;
    state->work += count;
    if (state->room + count > state->list_capacity ||
        state->undo_count + 2 * (size_t)count + UNDO_HEADER > state->undo_capacity) {
        state->is_full = true;
        return false;
    }
    const uint32_t *from = strip_state_list(state);
    uint32_t *to = state->lists + state->room;
    uint32_t *old = state->undo + state->undo_count;
    uint32_t kept = 0, lifted = 0, k = 0;
    bool is_possible = true;
    for (; k < count && state->low[from[k]] < floor; k++) {
        uint32_t index = from[k];
        const struct strip_item *item = &state->items[index];
        if (index == placed) {
            continue;
        }
        if (item->first > last || item->last < first) {
            to[kept++] = index;
            continue;
        }
        old[2 * lifted] = index;
        old[2 * lifted + 1] = state->low[index];
        state->lifted[lifted++] = index;
        state->low[index] = strip_align(floor, item->alignment);
        is_possible = is_possible && state->low[index] <= state->latest[index];
        mark_dirty(state, item);
    }
    state->undo_count += 2 * (size_t)lifted;
    end_undo_group(state, UNDO_LOWS, 0, lifted);
    sort_lifted(state, lifted);
    uint32_t merged = 0;
    for (; k < count; k++) {
        uint32_t index = from[k];
        if (index == placed) {
            continue;
        }
        while (merged < lifted && state->low[state->lifted[merged]] <= state->low[index]) {
            to[kept++] = state->lifted[merged++];
        }
        to[kept++] = index;
    }
    while (merged < lifted) {
        to[kept++] = state->lifted[merged++];
    }
    state->list = state->room;
    state->waiting = kept;
    return is_possible;
}

/* ---- moves ---- */

bool strip_state_place(struct strip_state *state, uint32_t index)
{
    const struct strip_item *item = &state->items[index];
    uint32_t offset = state->low[index];
    uint32_t top = offset + item->height;
    state->work += (item->last - item->first) / 4 + 1;
    if (offset > state->latest[index]) {
        return false;
    }
    for (uint32_t s = item->first; s <= item->last; s++) {
        if (offset - state->sections[s].floor > state->sections[s].slack) {
            return false;
        }
    }
    if (!save_sections(state, item->first, item->last)) {
        return false;
    }
    for (uint32_t s = item->first; s <= item->last; s++) {
        struct section_state *section = &state->sections[s];
        section->slack -= offset - section->floor;
        section->floor = top;
        section->solid = top;
        section->owner = index;
    }
    state->offset[index] = offset;
    mark_dirty(state, item);
    return lift(state, index, item->first, item->last, top);
}

/* True if a waiting item would fit into what raised floors have wasted around a section. Such a partial layout is not needed:
 * from any layout that it leads to, that item could be moved down into the hole. */
static bool has_hole(struct strip_state *state, uint32_t section)
{
    const struct section_state *sections = state->sections;
    uint32_t gap = sections[section].floor - sections[section].solid;
    if (gap < state->smallest) {
        return false;
    }
    const uint32_t *list = strip_state_list(state);
    state->work += state->waiting / 2;
    for (uint32_t k = 0; k < state->waiting; k++) {
        const struct strip_item *item = &state->items[list[k]];
        if (item->first > section || item->last < section || item->height > gap) {
            continue;
        }
        uint32_t bottom = 0;
        uint32_t top = UINT32_MAX;
        for (uint32_t s = item->first; s <= item->last && sections[s].floor > sections[s].solid; s++) {
            bottom = bottom > sections[s].solid ? bottom : sections[s].solid;
            top = top < sections[s].floor ? top : sections[s].floor;
            if (s == item->last && strip_align(bottom, item->alignment) + item->height <= top) {
                return true;
            }
        }
    }
    return false;
}

/* True if some waiting item of the section lies below its floor. The list is in order of low. */
static bool needs_lift(const struct strip_state *state, uint32_t section)
{
    const uint32_t *list = strip_state_list(state);
    uint32_t floor = state->sections[section].floor;
    for (uint32_t k = 0; k < state->waiting && state->low[list[k]] < floor; k++) {
        if (state->items[list[k]].first <= section && state->items[list[k]].last >= section) {
            return true;
        }
    }
    return false;
}

bool strip_state_raise(struct strip_state *state, uint32_t section, uint32_t floor)
{
    struct section_state *raised = &state->sections[section];
    if (floor - raised->floor > raised->slack || !save_sections(state, section, section)) {
        return false;
    }
    raised->slack -= floor - raised->floor;
    raised->floor = floor;
    raised->owner = STRIP_NOBODY;
    if (has_hole(state, section)) {
        return false;
    }
    return !needs_lift(state, section) || lift(state, STRIP_NOBODY, section, section, floor);
}

/* ---- bounds ---- */

/* For one section: of the items that wait at or above some height x, all but what the topmost saves must fit between x and the
 * capacity, one on the other. The list is walked from its end, so that x only falls and the heights only grow. */
bool strip_state_has_room(struct strip_state *state)
{
    uint32_t first = state->dirty_first > state->first_section ? state->dirty_first : state->first_section;
    uint32_t last = state->dirty_last < state->last_section ? state->dirty_last : state->last_section;
    state->dirty_first = UINT32_MAX;
    state->dirty_last = 0;
    if (first > last) {
        return true;
    }
    const uint32_t *list = strip_state_list(state);
    uint32_t *heights = state->heights;
    const uint32_t *limit = state->limit;
    memset(heights + first, 0, (last - first + 1) * sizeof *heights);
    state->work += state->waiting;
    for (uint32_t k = state->waiting; k-- > 0;) {
        const struct strip_item *item = &state->items[list[k]];
        uint32_t from = item->first > first ? item->first : first;
        uint32_t to = item->last < last ? item->last : last;
        uint32_t height = item->height;
        uint32_t low = state->low[list[k]];
        uint32_t too_high = 0;
        for (uint32_t s = from; s <= to; s++) {
            heights[s] += height;
            too_high |= heights[s] + low > limit[s];
        }
        if (from <= to) {
            state->work += (to - from) / 8 + 1;
        }
        if (too_high) {
            return false;
        }
    }
    return true;
}
