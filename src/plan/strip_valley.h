/* Where a partial layout can go on.
 *
 * A run is a stretch of sections with the same floor that waiting items link. A valley is a run between higher floors, or
 * sections that nothing links it to. What lies on the floor of one of its sections lies in the valley as a whole. */
#ifndef HELIA_PLAN_STRIP_VALLEY_H
#define HELIA_PLAN_STRIP_VALLEY_H

#include "plan/strip_state.h"

#define STRIP_NO_SECTION UINT32_MAX

struct strip_valleys {
    struct strip_state *state;
    int32_t *counts;   /* by section: items that could lie on its floor; work */
    uint32_t *blocked; /* sections of valleys in which nothing can lie on the floor; list */
    uint32_t *floors;  /* of these when they were found */
    size_t blocked_count;
};

struct strip_valleys strip_valleys_new(struct strip_state *state, struct arena *arena);

/* Makes up for all changes since the last time: the rows of runs, and raised floors where nothing can lie. False if that shows
 * that there is no way on. */
bool strip_valleys_settle(struct strip_valleys *valleys);

/* The first section of the valley in whose best section there are the fewest ways to go on; the lowest floor among equals. There
 * is one in every part of a strip in which something waits. */
uint32_t strip_valley_choose(const struct strip_state *state, uint32_t first, uint32_t last);

/* True if the item can lie on the floor of this valley. */
bool strip_valley_takes(const struct strip_state *state, uint32_t first, uint32_t last, uint32_t item);

/* The lowest offset above the floor that the section's lowest item can have, or STRIP_NO_FLOOR. */
uint32_t strip_next_floor(struct strip_state *state, uint32_t section);

#endif
