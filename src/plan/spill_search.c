#include "plan/spill.h"
bool spill_search(const struct scratch_problem *problem, struct layout *layout, uint64_t work_limit, uint64_t *work,
                  struct arena *arena)
{
    (void)problem;
    (void)layout;
    (void)work_limit;
    (void)work;
    (void)arena;
    return false;
}
