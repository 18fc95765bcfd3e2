/* One problem planned by several planners, side by side. Only scratch arenas are listed: the others are the same in all plans. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "report/report.h"

struct columns {
    int planner;
    int memory;
};

static const char *shown_name(const struct planner *planner, struct arena *arena)
{
    return planner->experimental ? arena_format(arena, "%s (experimental)", planner->name) : planner->name;
}

static struct columns measure(const struct memory_plan *const *plans, size_t count, struct arena *arena)
{
    size_t planner = strlen("planner");
    size_t memory = strlen("arena");
    for (size_t i = 0; i < count; i++) {
        planner = size_max(planner, strlen(shown_name(plans[i]->planner, arena)));
        for (size_t m = 0; m < plans[i]->problem->memory_count; m++) {
            memory = size_max(memory, strlen(plans[i]->problem->memories[m].name));
        }
    }
    return (struct columns){(int)planner, (int)memory};
}

static uint64_t scratch_total(const struct memory_plan *plan)
{
    uint64_t total = 0;
    for (size_t i = 0; i < plan->arena_count; i++) {
        total += plan->arenas[i].role == ROLE_SCRATCH ? plan->arenas[i].used : 0;
    }
    return total;
}

static void add_plan(const struct memory_plan *plan, uint64_t microseconds, const struct columns *columns, struct text *out)
{
    const size_t line = out->size;
    const char *kept = plan->report.kept != NULL ? plan->report.kept : "-";
    text_print(out, "  %-*s  %-4s  %14" PRIu64 "  %-6s  %-6s  %6" PRIu64 ".%03" PRIu64 " ms", columns->planner,
               shown_name(plan->planner, out->arena), plan->has_overflow ? "no" : "yes", scratch_total(plan),
               plan->proven_optimal ? "yes" : "no", kept, microseconds / 1000, microseconds % 1000);
    const size_t width = out->size - line;
    bool is_first = true;
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        if (arena->role != ROLE_SCRATCH) {
            continue;
        }
        text_add_repeated(out, ' ', is_first ? 2 : width + 2);
        text_print(out, "%-*s  %10" PRIu64 "  %10" PRIu64 "  %12.1f%%\n", columns->memory,
                   plan->problem->memories[arena->memory].name, arena->used, arena->peak_live,
                   100.0 * arena_fragmentation(arena));
        is_first = false;
    }
    text_add(out, is_first ? "  -\n" : "");
}

void report_plans_table(const struct memory_plan *const *plans, const uint64_t *microseconds, size_t count, struct text *out)
{
    const struct problem *problem = plans[0]->problem;
    const struct columns columns = measure(plans, count, out->arena);
    text_print(out, "Plans for %s, profile %s, engine %s, by each planner; bytes of scratch\n\n",
               text_printable(out->arena, problem->soc->name, strlen(problem->soc->name)),
               text_printable(out->arena, problem->profile->name, strlen(problem->profile->name)), engine_names[problem->engine]);
    text_print(out, "  %-*s  %-4s  %14s  %-6s  %-6s  %13s  %-*s  %10s  %10s  %13s\n", columns.planner, "planner", "fits",
               "used in all", "proven", "kept", "time", columns.memory, "arena", "used", "peak live", "fragmentation");
    for (size_t i = 0; i < count; i++) {
        add_plan(plans[i], microseconds[i], &columns, out);
    }
    text_print(out,
               "\nNo layout takes less than %" PRIu64
               " B in all. 'proven': no layout of these lifetimes takes less than this one.\n"
               "'time' is what planning took here. Bytes say nothing of how long a run takes: measure that on the target.\n",
               plans[0]->lower_bound);
}
