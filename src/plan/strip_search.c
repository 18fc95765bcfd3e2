/* The search fills valleys. A valley is a run of sections with the same floor between higher ones (or the border of the part that
 * is worked on). The lowest item that a section of a valley will get either lies on the floor, and then lies in the valley as a
 * whole, or it lies higher, and then the floor may be raised to the next offset that is possible at all. So one section is taken,
 * and each item that could lie on its floor is tried in turn, and last the raised floor. No two of these lead to the same layout,
 * and none is left out but those from which a layout with a smaller sum of offsets can be made; hence an exhausted search is a
 * proof.
 *
 * The section with the fewest choices goes first, the lower one among equals. When nothing that waits links two parts of the
 * strip, each is solved alone: a part that has been completed is never opened again, as nothing later can depend on how it was
 * completed.
 *
 * The canonical layouts and the bounds by section follow MiniMalloc (Moffitt, ASPLOS 2023); the choice by section is that of
 * exact methods for perfect strip packing (Kenmochi and others, 2009). */
#include "plan/strip_search.h"

#include <string.h>

#include "plan/strip_state.h"

#define NO_VALLEY     UINT32_MAX
#define NO_FLOOR      UINT32_MAX
#define NO_SECTION    UINT32_MAX
#define CHOICE_SLACK  4096u
#define CHOICES_ITEMS 8u

/* A choice that has further alternatives. */
struct choice {
    uint32_t first_section, last_section; /* the part */
    uint32_t section;                     /* where the choice is */
    uint32_t raised_floor;                /* the last alternative, or NO_FLOOR */
    size_t items, items_end;              /* the other alternatives, in `items` of the search */
    size_t next;                          /* first item not tried yet; items_end: the raised floor */
    size_t list, room, undo;
    uint32_t waiting;
    size_t part_count;
};

/* A part that is still to be solved. */
struct part {
    uint32_t first_section, last_section;
    size_t list, room;
    uint32_t waiting;
    size_t choice_count; /* when it was split off: what came later belongs to its neighbours */
};

struct strip_search {
    struct strip_state state;
    const uint32_t *rank;
    uint32_t *valley; /* by section: first section of its valley, or NO_VALLEY */
    int32_t *counts;  /* by section: items that could lie on its floor; also work */
    struct choice *choices;
    size_t choice_count;
    struct part *parts;
    size_t part_count;
    uint32_t *items; /* of the choices */
    uint64_t *scores;
    size_t item_count, item_capacity;
};

struct strip_search *strip_search_new(const struct strip *strip, struct arena *arena)
{
    struct strip_search *search = ARENA_NEW(arena, struct strip_search);
    search->state = strip_state_new(strip, arena);
    search->valley = ARENA_ARRAY(arena, uint32_t, strip->section_count);
    search->counts = ARENA_ARRAY(arena, int32_t, strip->section_count + 1);
    search->choices = ARENA_ARRAY(arena, struct choice, strip->item_count + 1);
    search->parts = ARENA_ARRAY(arena, struct part, strip->section_count + 1);
    search->item_capacity = CHOICES_ITEMS * strip->item_count + CHOICE_SLACK;
    search->items = ARENA_ARRAY(arena, uint32_t, search->item_capacity);
    search->scores = ARENA_ARRAY(arena, uint64_t, search->item_capacity);
    return search;
}

/* ---- valleys ---- */

static void find_valleys(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    uint32_t first = state->first_section;
    uint32_t last = state->last_section;
    state->work += (last - first) / 4 + 1;
    for (uint32_t s = first; s <= last;) {
        uint32_t floor = state->sections[s].floor;
        uint32_t end = s;
        while (end < last && state->sections[end + 1].floor == floor) {
            end++;
        }
        bool is_valley =
            (s == first || state->sections[s - 1].floor > floor) && (end == last || state->sections[end + 1].floor > floor);
        for (uint32_t k = s; k <= end; k++) {
            search->valley[k] = is_valley ? s : NO_VALLEY;
        }
        s = end + 1;
    }
}

/* Two items of the same lifetime, one directly on the other, could change places: only one order is needed. With equal sizes that
 * is the order of their indices; with different ones the smaller goes below (the sum of offsets is smaller), provided that
 * nothing is rounded. */
static bool is_needless_order(const struct strip_search *search, uint32_t below, uint32_t above)
{
    const struct strip_item *lower = &search->state.items[below];
    const struct strip_item *upper = &search->state.items[above];
    if (lower->first != upper->first || lower->last != upper->last || lower->alignment != upper->alignment) {
        return false;
    }
    if (search->state.sections[upper->last].owner != below) {
        return false;
    }
    if (lower->size == upper->size) {
        return below > above;
    }
    bool is_rounded = ((lower->height | upper->height) & (lower->alignment - 1)) != 0;
    return search->state.strip->is_exact && !is_rounded && lower->size > upper->size;
}

/* True if the item can lie on the floor of the valley that it waits above. */
static bool is_candidate(const struct strip_search *search, uint32_t index)
{
    const struct strip_item *item = &search->state.items[index];
    uint32_t valley = search->valley[item->first];
    const struct section_state *section = &search->state.sections[item->first];
    if (valley == NO_VALLEY || valley != search->valley[item->last] || search->state.low[index] != section->floor) {
        return false;
    }
    return section->owner == STRIP_NOBODY || !is_needless_order(search, section->owner, index);
}

static void count_candidates(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    int32_t *counts = search->counts;
    const uint32_t *list = strip_state_list(state);
    memset(counts + state->first_section, 0, (state->last_section - state->first_section + 2) * sizeof *counts);
    state->work += state->waiting;
    for (uint32_t k = 0; k < state->waiting; k++) {
        if (!is_candidate(search, list[k])) {
            continue;
        }
        counts[state->items[list[k]].first]++;
        counts[state->items[list[k]].last + 1]--;
    }
    int32_t count = 0;
    for (uint32_t s = state->first_section; s <= state->last_section; s++) {
        count += counts[s];
        counts[s] = count;
    }
}

/* The lowest offset that an item can have if it is the lowest in `section` and does not lie on the floor: on something that is
 * still to be placed beside the section. */
static uint32_t lowest_support(struct strip_state *state, uint32_t index, uint32_t section)
{
    const struct strip_item *item = &state->items[index];
    const uint32_t *list = strip_state_list(state);
    uint32_t lowest = NO_FLOOR;
    state->work += state->waiting;
    for (uint32_t k = 0; k < state->waiting && state->low[list[k]] < lowest; k++) {
        const struct strip_item *other = &state->items[list[k]];
        if (other->first > item->last || other->last < item->first || (other->first <= section && other->last >= section)) {
            continue;
        }
        uint32_t top = state->low[list[k]] + other->height;
        lowest = top < lowest ? top : lowest;
    }
    return lowest == NO_FLOOR ? NO_FLOOR : strip_align(lowest, item->alignment);
}

/* The lowest offset above the floor that the section's lowest item can have, or NO_FLOOR. */
static uint32_t next_floor(struct strip_state *state, uint32_t section)
{
    const uint32_t *list = strip_state_list(state);
    uint32_t lowest = NO_FLOOR;
    for (uint32_t k = 0; k < state->waiting; k++) {
        uint32_t index = list[k];
        if (state->items[index].first > section || state->items[index].last < section) {
            continue;
        }
        bool is_on_floor = state->low[index] <= state->sections[section].floor;
        uint32_t offset = is_on_floor ? lowest_support(state, index, section) : state->low[index];
        lowest = offset < lowest ? offset : lowest;
        if (!is_on_floor) {
            state->work += k;
            break;
        }
    }
    return lowest;
}

/* Raises floors on which nothing can lie, until there are none. False if that shows that there is no way on. */
static bool settle(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    if (!strip_state_has_room(state)) {
        return false;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        find_valleys(search);
        count_candidates(search);
        for (uint32_t s = state->first_section; s <= state->last_section; s++) {
            if (search->valley[s] == NO_VALLEY || search->counts[s] > 0) {
                continue;
            }
            uint32_t floor = next_floor(state, s);
            if (floor == NO_FLOOR || !strip_state_raise(state, s, floor)) {
                return false;
            }
            has_changed = true;
        }
    }
    return true;
}

/* ---- parts ---- */

static void enter_part(struct strip_search *search, const struct part *part)
{
    struct strip_state *state = &search->state;
    state->first_section = part->first_section;
    state->last_section = part->last_section;
    state->list = part->list;
    state->waiting = part->waiting;
    state->room = part->room;
}

/* Counts for each section of the part the items that go on to the next one. Shrinks the part to what waiting items cover. */
static void count_links(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    const uint32_t *list = strip_state_list(state);
    int32_t *counts = search->counts;
    memset(counts + state->first_section, 0, (state->last_section - state->first_section + 2) * sizeof *counts);
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (uint32_t k = 0; k < state->waiting; k++) {
        const struct strip_item *item = &state->items[list[k]];
        counts[item->first]++;
        counts[item->last]--;
        first = item->first < first ? item->first : first;
        last = item->last > last ? item->last : last;
    }
    state->first_section = first;
    state->last_section = last;
    state->work += state->waiting / 2 + (last - first) / 4;
    for (uint32_t s = first + 1; s <= last; s++) {
        counts[s] += counts[s - 1];
    }
}

/* Copies the waiting items of some sections to the end of the lists. Returns how many. */
static uint32_t copy_part(struct strip_state *state, uint32_t first, uint32_t last, size_t end)
{
    const uint32_t *list = strip_state_list(state);
    uint32_t count = 0;
    state->work += state->waiting;
    for (uint32_t k = 0; k < state->waiting; k++) {
        if (state->items[list[k]].first >= first && state->items[list[k]].last <= last) {
            state->lists[end + count++] = list[k];
        }
    }
    return count;
}

/* Splits the part where nothing waiting links two sections, and goes on with the smallest piece. */
static void split_part(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    count_links(search);
    uint32_t start = state->first_section;
    uint32_t links = 0;
    for (uint32_t s = start; s < state->last_section; s++) {
        links += search->counts[s] > 0;
    }
    if (links == state->last_section - start) {
        return;
    }
    size_t end = state->list + state->waiting > state->room ? state->list + state->waiting : state->room;
    size_t room = end + state->waiting;
    if (room > state->list_capacity) {
        state->is_full = true;
        return;
    }
    size_t old_count = search->part_count;
    for (uint32_t s = start; s <= state->last_section; s++) {
        if (s < state->last_section && search->counts[s] > 0) {
            continue;
        }
        uint32_t waiting = copy_part(state, start, s, end);
        if (waiting > 0) {
            search->parts[search->part_count++] = (struct part){start, s, end, room, waiting, search->choice_count};
        }
        end += waiting;
        start = s + 1;
    }
    struct part *last = &search->parts[search->part_count - 1];
    for (size_t p = old_count; p + 1 < search->part_count; p++) {
        if (search->parts[p].waiting >= last->waiting) {
            continue;
        }
        struct part smaller = search->parts[p];
        search->parts[p] = *last;
        *last = smaller;
    }
    enter_part(search, last);
    search->part_count--;
}

/* The current part is complete: the choices made in it are final. False if there is no other. */
static bool next_part(struct strip_search *search)
{
    if (search->part_count == 0) {
        return false;
    }
    const struct part *part = &search->parts[--search->part_count];
    search->choice_count = part->choice_count;
    search->item_count = search->choice_count == 0 ? 0 : search->choices[search->choice_count - 1].items_end;
    enter_part(search, part);
    return true;
}

/* ---- choices ---- */

static bool is_better_section(const struct strip_search *search, uint32_t section, uint32_t ways, uint32_t best,
                              uint32_t best_ways)
{
    if (best == NO_SECTION || ways != best_ways) {
        return best == NO_SECTION || ways < best_ways;
    }
    const struct section_state *a = &search->state.sections[section];
    const struct section_state *b = &search->state.sections[best];
    return a->floor != b->floor ? a->floor < b->floor : a->slack < b->slack;
}

static uint32_t choose_section(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    uint32_t best = NO_SECTION;
    uint32_t best_ways = 0;
    state->work += (state->last_section - state->first_section) / 4 + 1;
    for (uint32_t s = state->first_section; s <= state->last_section; s++) {
        if (search->valley[s] == NO_VALLEY) {
            continue;
        }
        uint32_t ways = (uint32_t)search->counts[s] + (state->sections[s].slack > 0);
        if (is_better_section(search, s, ways, best, best_ways)) {
            best = s;
            best_ways = ways;
        }
    }
    return best;
}

/* Rank, and how well the item closes the valley: at its left or right border, and as high as what is there. */
static uint64_t score_item(const struct strip_search *search, uint32_t index, uint32_t valley_last)
{
    const struct strip_state *state = &search->state;
    const struct strip_item *item = &state->items[index];
    uint32_t valley_first = search->valley[item->first];
    uint32_t top = state->low[index] + item->height;
    uint64_t fit = 3;
    if (item->first == valley_first) {
        fit += valley_first > state->first_section && state->sections[valley_first - 1].floor == top ? 2 : 1;
    }
    if (item->last == valley_last) {
        fit += valley_last < state->last_section && state->sections[valley_last + 1].floor == top ? 2 : 1;
    }
    return search->rank[index] * fit;
}

static void insert_item(struct strip_search *search, size_t first, uint32_t index, uint64_t score)
{
    size_t k = search->item_count++;
    for (; k > first; k--) {
        uint64_t other = search->scores[k - 1];
        if (other > score || (other == score && search->items[k - 1] < index)) {
            break;
        }
        search->scores[k] = other;
        search->items[k] = search->items[k - 1];
    }
    search->scores[k] = score;
    search->items[k] = index;
}

static void gather_items(struct strip_search *search, uint32_t section)
{
    struct strip_state *state = &search->state;
    const uint32_t *list = strip_state_list(state);
    uint32_t floor = state->sections[section].floor;
    uint32_t valley_last = section;
    while (valley_last < state->last_section && search->valley[valley_last + 1] == search->valley[section]) {
        valley_last++;
    }
    size_t first = search->item_count;
    state->work += state->waiting / 2;
    for (uint32_t k = 0; k < state->waiting && state->low[list[k]] <= floor; k++) {
        const struct strip_item *item = &state->items[list[k]];
        if (item->first > section || item->last < section || !is_candidate(search, list[k])) {
            continue;
        }
        if (search->item_count == search->item_capacity) {
            state->is_full = true;
            return;
        }
        insert_item(search, first, list[k], score_item(search, list[k], valley_last));
    }
}

static void push_choice(struct strip_search *search, uint32_t section, uint32_t raised_floor, size_t first_item)
{
    struct strip_state *state = &search->state;
    search->choices[search->choice_count++] = (struct choice){
        .first_section = state->first_section,
        .last_section = state->last_section,
        .section = section,
        .raised_floor = raised_floor,
        .items = first_item,
        .items_end = search->item_count,
        .next = first_item + 1,
        .list = state->list,
        .room = state->room,
        .undo = state->undo_count,
        .waiting = state->waiting,
        .part_count = search->part_count,
    };
    if (state->room < state->list + state->waiting) {
        state->room = state->list + state->waiting;
    }
}

/* Takes the first alternative at the section with the fewest; remembers the others. */
static bool choose(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    uint32_t section = choose_section(search);
    size_t first_item = search->item_count;
    gather_items(search, section);
    if (state->is_full) {
        return false;
    }
    const struct section_state *chosen = &state->sections[section];
    uint32_t floor = chosen->slack > 0 ? next_floor(state, section) : NO_FLOOR;
    if (floor != NO_FLOOR && floor - chosen->floor > chosen->slack) {
        floor = NO_FLOOR;
    }
    size_t count = search->item_count - first_item;
    uint32_t item = count > 0 ? search->items[first_item] : STRIP_NOBODY;
    if (count + (floor != NO_FLOOR) > 1) {
        push_choice(search, section, floor, first_item);
    } else {
        search->item_count = first_item;
    }
    if (item != STRIP_NOBODY) {
        return strip_state_place(state, item);
    }
    return floor != NO_FLOOR && strip_state_raise(state, section, floor);
}

/* Goes back to the last choice and takes its next alternative; with the last one the choice is forgotten. */
static bool retry(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    struct choice *choice = &search->choices[search->choice_count - 1];
    strip_state_undo(state, choice->undo);
    state->first_section = choice->first_section;
    state->last_section = choice->last_section;
    state->list = choice->list;
    state->waiting = choice->waiting;
    state->room = choice->room > choice->list + choice->waiting ? choice->room : choice->list + choice->waiting;
    state->dirty_first = UINT32_MAX;
    state->dirty_last = 0;
    search->part_count = choice->part_count;
    search->item_count = choice->items_end;
    uint32_t section = choice->section;
    uint32_t floor = choice->raised_floor;
    uint32_t item = choice->next < choice->items_end ? search->items[choice->next] : STRIP_NOBODY;
    choice->next++;
    if (choice->next >= choice->items_end + (floor != NO_FLOOR)) {
        search->item_count = choice->items;
        search->choice_count--;
        state->room = choice->room;
    }
    return item != STRIP_NOBODY ? strip_state_place(state, item) : strip_state_raise(state, section, floor);
}

static enum strip_answer run(struct strip_search *search, uint64_t work_limit)
{
    struct strip_state *state = &search->state;
    for (bool is_possible = true;;) {
        if (state->is_full) {
            return STRIP_UNDECIDED;
        }
        if (!is_possible) {
            if (search->choice_count == 0) {
                return STRIP_IMPOSSIBLE;
            }
            if (state->work > work_limit) {
                return STRIP_UNDECIDED;
            }
            is_possible = retry(search);
            continue;
        }
        if (state->waiting == 0) {
            if (!next_part(search)) {
                return STRIP_FOUND;
            }
            continue;
        }
        split_part(search);
        if (state->waiting == 1) {
            is_possible = strip_state_place(state, strip_state_list(state)[0]);
        } else {
            is_possible = settle(search) && choose(search);
        }
    }
}

enum strip_answer strip_search_run(struct strip_search *search, uint64_t capacity, const uint32_t *rank, uint64_t work_limit,
                                   uint64_t *offsets, uint64_t *work)
{
    struct strip_state *state = &search->state;
    if (!strip_state_reset(state, capacity)) {
        return STRIP_IMPOSSIBLE;
    }
    search->rank = rank;
    search->choice_count = 0;
    search->part_count = 0;
    search->item_count = 0;
    state->work = 0;
    enum strip_answer answer = run(search, work_limit);
    *work += state->work;
    for (size_t i = 0; i < state->strip->item_count && answer == STRIP_FOUND; i++) {
        offsets[i] = state->offset[i] * state->strip->unit;
    }
    return answer;
}
