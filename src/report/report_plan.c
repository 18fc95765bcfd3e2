/* A plan as a table: regions, arenas, and what is known about the layout. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "report/percent.h"
#include "report/report.h"

static const char *size_text(struct arena *arena, bool verbose, uint64_t bytes)
{
    const char *rounded = size_format(arena, bytes);
    return verbose && bytes >= 1024 ? arena_format(arena, "%s (%" PRIu64 " B)", rounded, bytes) : rounded;
}

static const char *printable(struct text *out, const char *text)
{
    return text_printable(out->arena, text, strlen(text));
}

/* Rounded to whole percent; a region without bytes has none. */
static const char *percent_text(struct arena *arena, uint64_t used, uint64_t capacity)
{
    if (capacity == 0) {
        return "-";
    }
    return arena_format(arena, "%u%%", percent_of(used, capacity));
}

static void add_head(const struct memory_plan *plan, struct text *out)
{
    const struct problem *problem = plan->problem;
    text_print(out, "Plan for %s, profile %s, engine %s, planner %s%s\n", printable(out, problem->soc->name),
               printable(out, problem->profile->name), engine_names[problem->engine], plan->planner->name,
               plan->planner->experimental ? " (experimental)" : "");
    text_print(out, "Hash %s\n", plan->hash);
}

static int name_width(const struct memory_plan *plan)
{
    size_t width = 6;
    for (size_t m = 0; m < plan->problem->memory_count; m++) {
        width = size_max(width, strlen(plan->problem->memories[m].name));
    }
    return (int)width;
}

/* ---- regions ---- */

static void add_consumers(const struct region_usage *region, bool verbose, struct text *out)
{
    for (size_t i = 0; i < region->consumer_count; i++) {
        text_print(out, "%s%s %s", i == 0 ? "   " : ", ", region->consumers[i].name,
                   size_text(out->arena, verbose, region->consumers[i].size));
    }
}

static void add_regions(const struct memory_plan *plan, bool verbose, struct text *out)
{
    int width = name_width(plan);
    int size_width = verbose ? 24 : 9;
    text_print(out, "\nMemory (planned):\n  %-*s  %*s  %*s  %*s  %5s   consumers\n", width, "region", size_width, "used",
               size_width, "free", size_width + 3, "capacity", "");
    for (size_t i = 0; i < plan->region_count; i++) {
        const struct region_usage *region = &plan->regions[i];
        text_print(out, "  %-*s  %*s  %*s  of %*s  %5s", width, plan->problem->memories[region->memory].name, size_width,
                   size_text(out->arena, verbose, region->used), size_width, size_text(out->arena, verbose, region_free(region)),
                   size_width, size_text(out->arena, verbose, region->capacity),
                   percent_text(out->arena, region->used, region->capacity));
        add_consumers(region, verbose, out);
        text_print(out, "%s\n", region->overflow ? "   OVERFLOW" : "");
    }
}

/* ---- arenas ---- */

static void add_arenas(const struct memory_plan *plan, bool verbose, struct text *out)
{
    int width = name_width(plan);
    int size_width = verbose ? 24 : 9;
    if (plan->arena_count == 0) {
        return;
    }
    text_print(out, "\nArenas:\n  %2s  %-10s  %-*s  %-*s  %*s  %*s  %13s  %9s\n", "id", "role", width, "memory", width, "source",
               size_width, "used", size_width, "peak live", "fragmentation", "alignment");
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct arena_usage *arena = &plan->arenas[i];
        const struct problem_memory *memories = plan->problem->memories;
        text_print(out, "  %2" PRIu32 "  %-10s  %-*s  %-*s  %*s  %*s  %12.1f%%  %9" PRIu64 "\n", arena->id,
                   role_names[arena->role], width, memories[arena->memory].name, width,
                   arena_is_staged(arena) ? memories[arena->source_memory].name : "-", size_width,
                   size_text(out->arena, verbose, arena->used), size_width, size_text(out->arena, verbose, arena->peak_live),
                   100.0 * arena_fragmentation(arena), arena->alignment);
    }
}

/* ---- what is known about the layout ---- */

static uint64_t scratch_total(const struct memory_plan *plan)
{
    uint64_t total = 0;
    for (size_t i = 0; i < plan->arena_count; i++) {
        total += plan->arenas[i].role == ROLE_SCRATCH ? plan->arenas[i].used : 0;
    }
    return total;
}

static void add_notes(const struct memory_plan *plan, struct text *out)
{
    uint64_t total = scratch_total(plan);
    if (total == 0) {
        return;
    }
    text_print(out, "\nScratch: %" PRIu64 " B in all; ", total);
    if (plan->proven_optimal) {
        text_add(out, "proven optimal, no layout of these lifetimes takes less.\n");
    } else {
        text_print(out, "no layout takes less than %" PRIu64 " B: a gap of %" PRIu64 " B, %.1f%%.\n", plan->lower_bound,
                   plan_gap(plan), 100.0 * (double)plan_gap(plan) / (double)total);
    }
    if (plan->report.effort.work > 0) {
        text_print(out, "Complete search: %" PRIu64 " nodes, %" PRIu64 " work units.\n", plan->report.effort.nodes,
                   plan->report.effort.work);
    }
    if (plan->report.kept == NULL) {
        return;
    }
    text_print(out, "Layout kept: %s (%" PRIu64 " attempts, %" PRIu64 " improvements, stopped by %s).\n", plan->report.kept,
               plan->report.attempts, plan->report.improvements, plan->report.stop != NULL ? plan->report.stop : "-");
}

/* Where a tensor went is the planner's choice, unless a budget made it. */
static void add_budgets(const struct memory_plan *plan, struct text *out)
{
    const char *gap = "\n";
    for (size_t i = 0; i < plan->region_count; i++) {
        const struct region_usage *region = &plan->regions[i];
        const struct problem_memory *memory = &plan->problem->memories[region->memory];
        if (region->kept_out_count == 0) {
            continue;
        }
        text_print(out,
                   "%sBudget: max_size holds %s to %" PRIu64 " of %" PRIu64 " B; "
                   "scratch tensors in later memories that would each fit on top without it: %" PRIu32 ", %" PRIu64
                   " B in all.\n",
                   gap, memory->name, memory->limit, memory->capacity, region->kept_out_count, region->kept_out);
        gap = "";
    }
}

void report_plan_table(const struct memory_plan *plan, bool verbose, struct text *out)
{
    add_head(plan, out);
    add_regions(plan, verbose, out);
    add_arenas(plan, verbose, out);
    add_notes(plan, out);
    add_budgets(plan, out);
}
