/* A partial layout of a strip, and its undoing.
 *
 * A layout grows from below. Each section has a floor: nothing that is still to be placed may lie below it in that section. An
 * item that waits therefore cannot lie lower than the highest floor of its sections, rounded up to its alignment (`low`), and
 * when it is placed, it is placed there. What lies between a floor and the slot placed above it is wasted, and so is what a floor
 * is raised by; no section can waste more than its slack: capacity - floor - what still waits there. */
#ifndef HELIA_PLAN_STRIP_STATE_H
#define HELIA_PLAN_STRIP_STATE_H

#include "plan/strip.h"

#define STRIP_NOBODY UINT32_MAX

/* All in units. */
struct section_state {
    uint32_t floor;
    uint32_t slack;
    uint32_t solid; /* top of the topmost item; the floor is higher where it was raised */
    uint32_t owner; /* the item whose top is the floor, or STRIP_NOBODY */
};

struct strip_state {
    const struct strip *strip;
    const struct strip_item *items;
    uint32_t smallest; /* least height of an item */

    /* by section */
    struct section_state *sections;
    uint32_t *limit;   /* most that floor + waiting heights may be */
    uint32_t *heights; /* work of fits_with_releases() */

    /* by item */
    uint32_t *low;
    uint32_t *latest; /* highest offset within the capacity */
    uint32_t *offset; /* of placed items */
    uint32_t *lifted; /* work of lift() */

    /* The part that is worked on: sections, and the waiting items in order of low. Lists that may be needed again lie below
     * `room`, where the next list goes. */
    uint32_t first_section;
    uint32_t last_section;
    uint32_t *lists;
    size_t list_capacity;
    size_t list;
    uint32_t waiting;
    size_t room;

    /* Sections in which a waiting item's low has changed since the last check. */
    uint32_t dirty_first;
    uint32_t dirty_last;

    uint32_t *undo; /* old values, each group followed by three words that say what they are */
    size_t undo_count;
    size_t undo_capacity;

    uint64_t work; /* items and sections looked at, roughly */
    bool is_full;  /* a fixed work area has run out */
};

struct strip_state strip_state_new(const struct strip *strip, struct arena *arena);
/* Nothing placed, `capacity` bytes. False if some section or item alone is too large for it. */
bool strip_state_reset(struct strip_state *state, uint64_t capacity);
void strip_state_undo(struct strip_state *state, size_t mark);

/* Both return false if the partial layout cannot be completed within the capacity, or leads to none that is needed. */
bool strip_state_place(struct strip_state *state, uint32_t item);
bool strip_state_raise(struct strip_state *state, uint32_t section, uint32_t floor);

/* False if in some dirty section the waiting items above some height are too high together. Nothing is dirty afterwards. */
bool strip_state_has_room(struct strip_state *state);

static inline const uint32_t *strip_state_list(const struct strip_state *state)
{
    return state->lists + state->list;
}

static inline uint32_t strip_align(uint32_t offset, uint32_t alignment)
{
    return (offset + (alignment - 1)) & ~(alignment - 1);
}

#endif
