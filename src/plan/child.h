/* Work that is done in a process of its own, so that what crashes there takes nothing along. */
#ifndef HELIA_PLAN_CHILD_H
#define HELIA_PLAN_CHILD_H

#include <stddef.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "plan/watch.h"

/* Fills the answer from the question. Everything else that it writes to is lost with its process; what it prints goes to the
 * standard error. */
typedef void child_work(const void *question, void *answer);

/* Runs `work` on copies of both; then `answer` holds what it left in its copy. NULL, or why there is no answer, in the arena:
 * "ended by signal 11 (Segmentation fault)". The answer must hold no pointers into what the work made. While it lasts, `watch`
 * (may be NULL) is told several times a second that it does. The work ends with this process, however that ends. For a process
 * with one thread. */
MUST_CHECK const char *child_ask(child_work *work, const void *question, void *answer, size_t answer_size, struct watch *watch,
                                 struct arena *arena);

#endif
