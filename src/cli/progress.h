/* What a planner tells, on one line of the terminal: from the second on that planning takes more than a second, and gone when it
 * is over. The only place that looks at a clock. */
#ifndef HELIA_CLI_PROGRESS_H
#define HELIA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/planner.h"

struct progress {
    struct planner_observer observer;
    bool is_shown;       /* the line stands on the terminal */
    uint64_t begin;      /* microseconds, as clock_microseconds() has them */
    uint64_t next_write; /* not before, so that the line can be read and costs nothing */
};

/* True if the standard error is a terminal on which a line can be written again. */
bool progress_is_possible(void);

/* Returns who is to watch the planners until progress_end(). `progress` stays where it is until then. */
const struct planner_observer *progress_begin(struct progress *progress);
/* Takes the line away. */
void progress_end(struct progress *progress);

/* Of a clock that only goes forward, from some start. For people: no result depends on it. */
uint64_t clock_microseconds(void);

#endif
