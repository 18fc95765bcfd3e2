/* The search fills valleys. A valley is a run of sections with the same floor between higher ones (or the border of the part that
 * is worked on). The lowest item that a section of a valley will get either lies on the floor, and then lies in the valley as a
 * whole, or it lies higher, and then the floor may be raised to the next offset that is possible at all. So one section is taken,
 * and each item that could lie on its floor is tried in turn, and last the raised floor. No two of these lead to the same layout,
 * and none is left out but those from which a layout with a smaller sum of offsets can be made, or one that differs in which of
 * two equal items is the lower; hence an exhausted search is a proof.
 *
 * The section with the fewest choices goes first, the lower one among equals. When nothing that waits links two parts of the
 * strip, each is solved alone: a part that has been completed is never opened again, as nothing later can depend on how it was
 * completed.
 *
 * The canonical layouts and the bounds by section follow MiniMalloc (Moffitt, ASPLOS 2023); the choice by section is that of
 * exact methods for perfect strip packing (Kenmochi and others, 2009). */
#include "plan/strip_search.h"

#include "plan/strip_valley.h"

/* Of all choices that are open at once. The list grows; at 16 MB it ends. Only a few thousand items that are all alive together
 * can pass that. */
#define FIRST_ALTERNATIVES ((size_t)1 << 10)
#define MOST_ALTERNATIVES  ((size_t)1 << 22)

/* A stretch of sections that is solved by itself. */
struct part {
    uint32_t first_section, last_section;
    size_t choice_count; /* when it was split off: what came later belongs to its neighbours */
};

/* A choice that has further alternatives. */
struct choice {
    struct part part;
    uint32_t section;        /* where the choice is */
    uint32_t raised_floor;   /* the last alternative, or STRIP_NO_FLOOR */
    size_t items, items_end; /* the other alternatives, in `items` of the search */
    size_t next;             /* first item not tried yet; items_end: the raised floor */
    size_t undo;
    size_t part_count;
};

struct strip_search {
    struct strip_state state;
    struct strip_valleys valleys;
    const uint32_t *rank;
    struct part part; /* the one that is worked on */
    struct choice *choices;
    size_t choice_count;
    struct part *parts; /* still to be solved */
    size_t part_count;
    uint32_t *items; /* of the choices */
    size_t item_count, item_capacity;
    uint64_t nodes;   /* moves made */
    uint64_t *scores; /* of the items of the last choice, while they are put in order */
};

struct strip_search *strip_search_new(const struct strip *strip, struct arena *arena)
{
    struct strip_search *search = ARENA_NEW(arena, struct strip_search);
    search->state = strip_state_new(strip, arena);
    search->valleys = strip_valleys_new(&search->state, arena);
    search->choices = ARENA_ARRAY(arena, struct choice, strip->item_count + 1);
    search->parts = ARENA_ARRAY(arena, struct part, strip->section_count + 1);
    search->item_capacity = FIRST_ALTERNATIVES;
    search->items = ARENA_ARRAY(arena, uint32_t, search->item_capacity);
    search->scores = ARENA_ARRAY(arena, uint64_t, strip->item_count);
    return search;
}

/* ---- parts ---- */

/* The next piece of linked sections in which something waits, from section `first` on; false if there is none. */
static bool find_piece(const struct strip_state *state, uint32_t first, uint32_t last, struct part *piece)
{
    while (first <= last && state->floor[first] == STRIP_NO_FLOOR) {
        first++;
    }
    piece->first_section = first;
    while (first < last && strip_is_linked(state, first)) {
        first++;
    }
    piece->last_section = first;
    return piece->first_section <= last;
}

static uint32_t part_width(const struct part *part)
{
    return part->last_section - part->first_section;
}

/* Splits the part where nothing waiting links two sections, and goes on with the narrowest piece. False if nothing waits. */
static bool split_part(struct strip_search *search)
{
    struct part current = {.choice_count = search->choice_count};
    if (!find_piece(&search->state, search->part.first_section, search->part.last_section, &current)) {
        return false;
    }
    struct part piece = {.choice_count = search->choice_count};
    for (uint32_t next = current.last_section + 1; find_piece(&search->state, next, search->part.last_section, &piece);) {
        next = piece.last_section + 1;
        bool is_narrower = part_width(&piece) < part_width(&current);
        search->parts[search->part_count++] = is_narrower ? current : piece;
        current = is_narrower ? piece : current;
    }
    search->state.work += part_width(&search->part) / 8 + 1;
    search->part = current;
    return true;
}

/* The current part is complete: the choices made in it are final. False if there is no other. */
static bool next_part(struct strip_search *search)
{
    if (search->part_count == 0) {
        return false;
    }
    search->part = search->parts[--search->part_count];
    search->choice_count = search->part.choice_count;
    search->item_count = search->choice_count == 0 ? 0 : search->choices[search->choice_count - 1].items_end;
    return true;
}

/* ---- choices ---- */

/* The floor beside a valley, if anything links them. */
static uint32_t wall_left(const struct strip_state *state, uint32_t first)
{
    return first > 0 && strip_is_linked(state, first - 1) ? state->floor[first - 1] : STRIP_NO_FLOOR;
}

static uint32_t wall_right(const struct strip_state *state, uint32_t last)
{
    return strip_is_linked(state, last) ? state->floor[last + 1] : STRIP_NO_FLOOR;
}

/* Rank, and how well the item closes the valley: at its left or right border, and as high as what is there. */
static uint64_t score_item(const struct strip_search *search, uint32_t index, uint32_t first, uint32_t last)
{
    const struct strip_state *state = &search->state;
    const struct strip_item *item = &state->items[index];
    uint32_t top = state->low[index] + item->height;
    uint64_t fit = 3;
    if (item->first == first) {
        fit += wall_left(state, first) == top ? 2 : 1;
    }
    if (item->last == last) {
        fit += wall_right(state, last) == top ? 2 : 1;
    }
    return search->rank[index] * fit;
}

static void insert_item(struct strip_search *search, size_t first, uint32_t index, uint64_t score)
{
    uint32_t *items = search->items + first;
    uint64_t *scores = search->scores;
    size_t k = search->item_count++ - first;
    for (; k > 0; k--) {
        uint64_t other = scores[k - 1];
        if (other > score || (other == score && items[k - 1] < index)) {
            break;
        }
        scores[k] = other;
        items[k] = items[k - 1];
    }
    scores[k] = score;
    items[k] = index;
}

static bool has_item_room(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    if (search->item_count == search->item_capacity && search->item_capacity < MOST_ALTERNATIVES) {
        search->items =
            arena_grow(state->arena, search->items, search->item_capacity, &search->item_capacity, sizeof *search->items);
    }
    state->is_full = state->is_full || search->item_count == search->item_capacity;
    return !state->is_full;
}

/* The items that can lie on the floor of a section, best first. */
static void gather_items(struct strip_search *search, uint32_t valley, uint32_t section)
{
    struct strip_state *state = &search->state;
    uint32_t last = state->sections[valley].run_last;
    size_t first_item = search->item_count;
    state->work += state->words;
    for (size_t word = state->first_word[section]; word <= state->last_word[section]; word++) {
        for (uint64_t bits = strip_meeting(state, word, section, section); bits != 0; bits &= bits - 1) {
            uint32_t index = (uint32_t)(word * 64) + bits_first(bits);
            if (!strip_valley_takes(state, valley, last, index)) {
                continue;
            }
            if (!has_item_room(search)) {
                return;
            }
            insert_item(search, first_item, index, score_item(search, index, valley, last));
        }
    }
}

static void push_choice(struct strip_search *search, uint32_t section, uint32_t raised_floor, size_t first_item)
{
    search->choices[search->choice_count++] = (struct choice){
        .part = search->part,
        .section = section,
        .raised_floor = raised_floor,
        .items = first_item,
        .items_end = search->item_count,
        .next = first_item + 1,
        .undo = strip_state_mark(&search->state),
        .part_count = search->part_count,
    };
}

/* Takes the first alternative at the section with the fewest; remembers the others. */
static bool choose(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    uint32_t valley = strip_valley_choose(state, search->part.first_section, search->part.last_section);
    uint32_t section = state->sections[valley].best;
    size_t first_item = search->item_count;
    gather_items(search, valley, section);
    if (state->is_full) {
        return false;
    }
    uint32_t latest = state->sections[section].latest;
    uint32_t floor = latest > state->floor[section] ? strip_next_floor(state, section) : STRIP_NO_FLOOR;
    floor = floor <= latest ? floor : STRIP_NO_FLOOR;
    uint32_t item = search->items[first_item];
    if (search->item_count - first_item + (floor != STRIP_NO_FLOOR) > 1) {
        push_choice(search, section, floor, first_item);
    } else {
        search->item_count = first_item;
    }
    return strip_state_place(state, item);
}

/* Goes back to the last choice and takes its next alternative; with the last one the choice is forgotten. */
static bool retry(struct strip_search *search)
{
    struct strip_state *state = &search->state;
    struct choice *choice = &search->choices[search->choice_count - 1];
    strip_state_undo(state, choice->undo);
    search->part = choice->part;
    search->part_count = choice->part_count;
    search->item_count = choice->items_end;
    uint32_t section = choice->section;
    uint32_t floor = choice->raised_floor;
    uint32_t item = choice->next < choice->items_end ? search->items[choice->next] : STRIP_NOBODY;
    choice->next++;
    if (choice->next >= choice->items_end + (floor != STRIP_NO_FLOOR)) {
        search->item_count = choice->items;
        search->choice_count--;
    }
    return item != STRIP_NOBODY ? strip_state_place(state, item) : strip_state_raise(state, section, floor);
}

static enum strip_answer run(struct strip_search *search, uint64_t failure_limit, uint64_t work_limit)
{
    uint64_t failures = 0;
    struct strip_state *state = &search->state;
    for (bool is_possible = true;;) {
        is_possible = is_possible && strip_valleys_settle(&search->valleys);
        if (!is_possible && !state->is_full && search->choice_count == 0) {
            return STRIP_IMPOSSIBLE;
        }
        if (state->is_full || state->work > work_limit || (!is_possible && failures++ >= failure_limit)) {
            return STRIP_UNDECIDED;
        }
        if (!is_possible) {
            search->nodes++;
            is_possible = retry(search);
        } else if (split_part(search)) {
            search->nodes++;
            is_possible = choose(search);
        } else if (!next_part(search)) {
            return STRIP_FOUND;
        }
    }
}

enum strip_answer strip_search_run(struct strip_search *search, uint64_t capacity, const uint32_t *rank, uint64_t failure_limit,
                                   uint64_t work_limit, uint64_t *offsets, struct effort *effort)
{
    struct strip_state *state = &search->state;
    if (!strip_state_reset(state, capacity)) {
        return STRIP_IMPOSSIBLE;
    }
    search->rank = rank;
    search->part = (struct part){.last_section = (uint32_t)state->strip->section_count - 1};
    search->choice_count = 0;
    search->part_count = 0;
    search->item_count = 0;
    state->work = 0;
    search->nodes = 0;
    enum strip_answer answer = run(search, failure_limit, work_limit);
    effort->work += state->work;
    effort->nodes += search->nodes;
    for (size_t i = 0; i < state->strip->item_count && answer == STRIP_FOUND; i++) {
        offsets[i] = state->offset[i] * state->strip->unit;
    }
    return answer;
}
