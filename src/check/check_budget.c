/* Budgets, and what fits a region at all. */
#include <inttypes.h>

#include "base/size.h"
#include "base/text.h"
#include "check/facts.h"

static void set_need(struct check_finding *finding, const char *region, uint64_t need, uint64_t have)
{
    finding->region = region;
    finding->need = need;
    finding->have = have;
    finding->has_need = true;
}

void check_region_overflow(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    (void)request;
    for (size_t i = 0; i < result->region_count; i++) {
        const struct measured_region *row = &result->regions[i];
        const uint64_t need = row->used + row->reserved;
        if (need > row->capacity) {
            set_need(finding_add(arena, result, "region-overflow",
                                 "%s: need %" PRIu64 " bytes, have %" PRIu64 ", excess %" PRIu64, row->name, need, row->capacity,
                                 need - row->capacity),
                     row->name, need, row->capacity);
        }
    }
}

bool budget_limit(const struct budget *budget, uint64_t capacity, uint64_t *bytes)
{
    return size_parse(budget->limit_text, bytes) || size_parse_percent(budget->limit_text, capacity, bytes);
}

void check_over_budget(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < request->budget_count; i++) {
        const struct budget *budget = &request->budgets[i];
        for (size_t j = 0; j < result->region_count; j++) {
            const struct measured_region *row = &result->regions[j];
            uint64_t limit;
            if (!text_equal_nocase(budget->region, row->name) || !budget_limit(budget, row->capacity, &limit) ||
                row->used <= limit) {
                continue;
            }
            set_need(finding_add(arena, result, "over-budget",
                                 "%s: need %" PRIu64 " bytes, have %" PRIu64 " (budget %s), excess %" PRIu64, row->name,
                                 row->used, limit, budget->limit_text, row->used - limit),
                     row->name, row->used, limit);
        }
    }
}
