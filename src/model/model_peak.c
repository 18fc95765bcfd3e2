/* The lower bound of every scratch arena. */
#include "base/size.h"
#include "base/sort.h"
#include "model/model.h"

/* A tensor that comes to life, or is dead from here on. */
struct event {
    uint64_t step;
    uint64_t size;
    bool ends;
};

/* At one step what ends comes first: lifetimes include both ends, and the event stands at the step after. */
static int compare_events(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct event *first = a;
    const struct event *second = b;
    if (first->step != second->step) {
        return SORT_BY(first->step, second->step);
    }
    return SORT_BY(second->ends, first->ends);
}

uint64_t model_peak_live(const struct model *model, uint64_t alignment, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    struct event *events = ARENA_ARRAY(scratch, struct event, model->tensor_count * 2);
    size_t count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (!tensor->is_live || tensor->role != ROLE_SCRATCH) {
            continue;
        }
        uint64_t size = size_align(tensor->size, alignment);
        events[count++] = (struct event){tensor->start_op, size, false};
        events[count++] = (struct event){(uint64_t)tensor->end_op + 1, size, true};
    }
    sort_stable(events, count, sizeof *events, compare_events, NULL, scratch);
    uint64_t live = 0;
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        live = events[i].ends ? live - events[i].size : live + events[i].size;
        peak = size_max(peak, live);
    }
    arena_rewind(scratch, mark);
    return peak;
}
