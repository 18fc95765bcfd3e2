/* A partial layout of a strip, and its undoing.
 *
 * A layout grows from below. An item that waits cannot lie lower than what is already placed in its sections (`low`), and when it
 * is placed, it is placed there. The floor of a section is the lowest `low` of what waits there. What lies between a floor and
 * the slot below is wasted; a floor may rise to `latest`, which leaves just enough room for what waits. */
#ifndef HELIA_PLAN_STRIP_STATE_H
#define HELIA_PLAN_STRIP_STATE_H

#include "base/bits.h"
#include "plan/strip.h"

#define STRIP_NOBODY   UINT32_MAX
#define STRIP_NO_FLOOR UINT32_MAX

/* Offsets and heights in units. */
struct strip_section {
    uint32_t latest; /* highest floor that leaves room for what waits */
    uint32_t solid;  /* top of the topmost item */
    uint32_t owner;  /* the topmost item, or STRIP_NOBODY */
    uint32_t links;  /* waiting items that go on to the next section */
    /* Of the run of equal floors that begins here (strip_valley.h). */
    uint32_t run_last;
    uint32_t best; /* if it is a valley: the section with the fewest ways to go on; else STRIP_NO_SECTION */
    uint32_t ways; /* in that section */
};

struct strip_state {
    struct arena *arena; /* of the log; not rewound while the state is in use */
    const struct strip *strip;
    const struct strip_item *items;
    uint32_t smallest; /* least height of an item */

    size_t words;      /* of a set of items */
    uint64_t *waiting; /* set */
    uint64_t *started; /* by section, and one more: set of the items whose first section lies before it */
    uint64_t *ended;   /* the same of their last section */
    /* By section: the words of all items that are alive in it lie between. Items come in order of their first section. */
    uint32_t *first_word, *last_word;

    /* by section */
    uint32_t *limit;    /* most that floor + waiting heights may be */
    uint32_t *floor;    /* STRIP_NO_FLOOR where nothing waits */
    uint32_t *grounded; /* heights of what waits on the floor */
    struct strip_section *sections;

    /* by item */
    uint32_t *height; /* as in `items`, but close together: no other is read so often */
    uint32_t *low;
    uint32_t *highest; /* highest offset within the capacity */
    uint32_t *offset;  /* of placed items */
    uint64_t *raised;  /* set: lifted because a floor was raised */

    /* Sections over which something has been lifted in this move, and how high at most. */
    uint8_t *is_touched;
    uint32_t touched_first, touched_last;
    uint32_t lifted_to;
    /* Sections whose floor has changed, until the valleys have been looked at again. */
    uint8_t *has_changed;
    uint32_t changed_first, changed_last;

    uint64_t *high; /* work of has_room() */

    uint32_t *undo; /* old values, each group followed by three words that say what they are */
    size_t undo_count;
    size_t undo_capacity;
    uint64_t era;       /* counts marks and what has been undone */
    uint64_t *saved_in; /* by section: the last era in which it was saved; once in an era is enough */

    uint64_t work; /* items and sections looked at, roughly */
    bool is_full;  /* the log has run out */
};

struct strip_state strip_state_new(const struct strip *strip, struct arena *arena);
/* Nothing placed, `capacity` bytes. False if some section or item alone is too large for it. */
bool strip_state_reset(struct strip_state *state, uint64_t capacity);
/* A place in the log to undo to. */
size_t strip_state_mark(struct strip_state *state);
void strip_state_undo(struct strip_state *state, size_t mark);
/* Remembers some sections for strip_state_undo(). False if the log is full. */
bool strip_state_save(struct strip_state *state, uint32_t first, uint32_t last);

/* Both return false if the partial layout cannot be completed within the capacity, or leads to none that is needed. */
bool strip_state_place(struct strip_state *state, uint32_t item);
/* Nothing that waits in the section may lie below `floor`. */
bool strip_state_raise(struct strip_state *state, uint32_t section, uint32_t floor);

static inline uint32_t strip_align(uint32_t offset, uint32_t alignment)
{
    return (offset + (alignment - 1)) & ~(alignment - 1);
}

/* True if something waiting goes on to the next section. */
static inline bool strip_is_linked(const struct strip_state *state, uint32_t section)
{
    return state->sections[section].links > 0;
}

/* Of the waiting items of a word: those that are alive in some section from first to last ... */
static inline uint64_t strip_meeting(const struct strip_state *state, size_t word, uint32_t first, uint32_t last)
{
    return state->waiting[word] & state->started[(last + (size_t)1) * state->words + word] &
           ~state->ended[first * state->words + word];
}

/* ... and those that are alive in none but these. */
static inline uint64_t strip_inside(const struct strip_state *state, size_t word, uint32_t first, uint32_t last)
{
    return state->waiting[word] & state->ended[(last + (size_t)1) * state->words + word] &
           ~state->started[first * state->words + word];
}

#endif
