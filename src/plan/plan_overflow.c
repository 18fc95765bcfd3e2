/* The text that a plan which does not fit is answered with (REQ-PLC-049 to 052; OVF-001). */
#include <inttypes.h>

#include "plan/plan.h"

/* What the figure after ">" is, where it is not simply the memory: a budget, or (decision 8) a window between which and the
 * physical size somebody else owns the bytes. */
static void add_reason(const struct memory_plan *plan, const struct region_usage *region, struct text *out)
{
    const struct problem_memory *memory = &plan->problem->memories[region->memory];
    if (memory->limit_is_budget) {
        text_print(out, "    that is the budget 'max_size'; %s offers %" PRIu64 " B\n", memory->name, memory->capacity);
    } else if (region->used <= memory->physical) {
        text_print(out, "    %s has %" PRIu64 " B, of which linker profile '%s' gives the firmware %" PRIu64 " B\n", memory->name,
                   memory->physical, plan->problem->profile->name, memory->capacity);
    }
}

static void add_region(const struct memory_plan *plan, const struct region_usage *region, struct text *out)
{
    const struct problem_memory *memory = &plan->problem->memories[region->memory];
    text_print(out, "  %s: %" PRIu64 " B used > %" PRIu64 " B capacity (over by %" PRIu64 " B)\n", memory->name, region->used,
               region->capacity, region->used - region->capacity);
    add_reason(plan, region, out);
}

void plan_overflow_text(const struct memory_plan *plan, struct text *out)
{
    const char *first = NULL;
    text_add(out, "Memory plan does not fit:\n");
    for (size_t i = 0; i < plan->region_count; i++) {
        const struct region_usage *region = &plan->regions[i];
        if (!region->overflow) {
            continue;
        }
        add_region(plan, region, out);
        if (first == NULL) {
            first = plan->problem->memories[region->memory].name;
        }
    }
    text_print(out, "  Hint: %s is over capacity.  Try one of:\n", first != NULL ? first : "nothing");
    text_add(out, "    * shrink the tensor arena (--arena-size);\n"
                  "    * pick a less-aggressive arena or weights placement;\n"
                  "    * move weights to PSRAM (--weights-location psram) if the\n"
                  "      board has PSRAM;\n"
                  "    * reduce model size (quantise / prune); or\n"
                  "    * pick a larger-memory board.\n");
}
