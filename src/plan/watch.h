/* What a planner tells while it works. It has no clock: it counts what it does, and tells whoever watches each time that some
 * more has been done or a better layout has been found. When that is worth showing is the watcher's business.
 *
 * Every function takes NULL as "nobody watches". */
#ifndef HELIA_PLAN_WATCH_H
#define HELIA_PLAN_WATCH_H

#include "plan/planner.h"

/* One planner at work on one problem. */
struct watch {
    const struct planner_observer *observer;
    struct planner_progress now;
    uint64_t next; /* work at which it is told again */
};

struct watch watch_start(const struct planner_observer *observer, const struct planner *planner, uint64_t bound);

/* So many units of work more have been done. */
void watch_work(struct watch *watch, uint64_t done);
/* The same for complete search, which has spent so much before and so much now. */
void watch_effort(struct watch *watch, const struct effort *before, const struct effort *now);
/* A layout that fits has been found; `total` in bytes. */
void watch_total(struct watch *watch, uint64_t total);
/* The same for a layout that may fit or not. */
void watch_layout(struct watch *watch, const struct scratch_problem *problem, const struct layout *layout);
/* Nothing is known but that the work goes on. */
void watch_waiting(struct watch *watch);

#endif
