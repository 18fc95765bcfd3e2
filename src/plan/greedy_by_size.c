/* Largest first, first fit (REQ-PLN-033). */
#include "plan/packing.h"
#include "plan/planner.h"
#include "plan/planner_order.h"
#include "plan/watch.h"

void greedy_by_size_solve(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                          struct layout *layout, struct planner_report *report)
{
    (void)options;
    (void)report;
    struct packing packing = packing_new(problem, order_by_size(problem, arena), arena);
    packing_layout(&packing, layout);
    watch_layout(problem->watch, problem, layout);
}
