#include "plan/watch.h"

/* Far less than a twentieth of a second on any host, and far more than telling costs. */
#define WORK_BETWEEN UINT64_C(65536)

static void tell(struct watch *watch)
{
    watch->next = watch->now.work + WORK_BETWEEN;
    watch->observer->tell(watch->observer->context, &watch->now);
}

struct watch watch_start(const struct planner_observer *observer, const struct planner *planner, uint64_t bound)
{
    return (struct watch){
        .observer = observer,
        .now = {.planner = planner, .best = NO_LAYOUT_FITS, .bound = bound},
        .next = WORK_BETWEEN,
    };
}

void watch_work(struct watch *watch, uint64_t done)
{
    if (watch == NULL) {
        return;
    }
    watch->now.work += done;
    if (watch->now.work >= watch->next) {
        tell(watch);
    }
}

void watch_effort(struct watch *watch, const struct effort *before, const struct effort *now)
{
    if (watch != NULL) {
        watch->now.nodes += now->nodes - before->nodes;
        watch_work(watch, now->work - before->work);
    }
}

void watch_total(struct watch *watch, uint64_t total)
{
    if (watch != NULL && total < watch->now.best) {
        watch->now.best = total;
        tell(watch);
    }
}

void watch_layout(struct watch *watch, const struct scratch_problem *problem, const struct layout *layout)
{
    if (layout->fits) {
        watch_total(watch, layout_total(problem, layout));
    }
}

void watch_waiting(struct watch *watch)
{
    if (watch != NULL) {
        tell(watch);
    }
}
