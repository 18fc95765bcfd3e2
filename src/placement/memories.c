#include "placement/memories.h"

#include "base/size.h"
#include "base/text.h"
#include "placement/rules.h"

static struct problem_memory memory_from_region(const struct problem *problem, uint32_t index)
{
    const struct region *region = &problem->soc->regions[index];
    struct problem_memory memory = {
        .name = region->name,
        .region = index,
        .tier = region->tier,
        .writable = (region->access & ACCESS_WRITE) != 0,
        .holds_image = region->holds_image,
        .physical = region->length,
        .minimum_alignment = size_max(problem->soc->minimum_alignment, region->minimum_alignment),
    };
    memory.capacity = profile_capacity(problem->soc, problem->profile, index, &memory.origin);
    memory.limit = memory.capacity;
    return memory;
}

void memories_from_profile(struct arena *arena, struct problem *problem)
{
    const struct soc *soc = problem->soc;
    problem->memories = ARENA_ARRAY(arena, struct problem_memory, soc->region_count);
    problem->order = ARENA_ARRAY(arena, uint32_t, soc->memory_order_count + soc->region_count);
    uint32_t *by_region = ARENA_ARRAY(arena, uint32_t, soc->region_count);
    for (uint32_t i = 0; i < soc->region_count; i++) {
        struct problem_memory memory = memory_from_region(problem, i);
        by_region[i] = UINT32_MAX;
        if (memory.capacity > 0) {
            by_region[i] = (uint32_t)problem->memory_count;
            problem->memories[problem->memory_count++] = memory;
        }
    }
    for (size_t i = 0; i < soc->memory_order_count; i++) {
        uint32_t memory = by_region[soc->memory_order[i]];
        /* External memory is never chosen, whatever the registry's order says (decision 12). */
        if (memory != UINT32_MAX && problem->memories[memory].tier != TIER_EXTERNAL) {
            problem->order[problem->order_count++] = memory;
        }
    }
}

static bool apply_max_size(struct diagnostics *diagnostics, const struct text_value *max_size, struct problem_memory *memory)
{
    if (!max_size->set || max_size->text == NULL) {
        return true;
    }
    uint64_t bytes;
    bool is_percent = text_ends_with(max_size->text, "%");
    bool good = is_percent ? size_parse_percent(max_size->text, memory->capacity, &bytes) && bytes <= memory->capacity
                           : size_parse(max_size->text, &bytes);
    if (!good || bytes > SIZE_LIMIT) {
        diag_report(diagnostics, DIAG_BAD_VALUE, max_size->span,
                    "'max_size' must be a size in bytes such as 65536, 0x10000, 64K or 80%% (at most 100%%), not '%s'",
                    max_size->text);
        return false;
    }
    if (bytes < memory->limit) {
        memory->limit = bytes;
        memory->limit_is_budget = true;
        memory->limit_span = max_size->span;
    }
    return true;
}

/* A constraint that names an external memory asks for it: unpinned tensors may then spill there, last of all (decision 12). */
static void open_external(struct problem *problem, uint32_t index)
{
    const struct problem_memory *memory = &problem->memories[index];
    if (memory->tier != TIER_EXTERNAL || !memory->writable || !problem->soc->regions[memory->region].data) {
        return;
    }
    for (size_t i = 0; i < problem->order_count; i++) {
        if (problem->order[i] == index) {
            return;
        }
    }
    problem->order[problem->order_count++] = index;
}

bool memories_apply_constraints(struct diagnostics *diagnostics, const struct record_list *constraints, struct problem *problem)
{
    const struct constraint_config *items = constraints->items;
    bool good = true;
    for (size_t i = 0; i < constraints->count; i++) {
        uint32_t index = memory_by_name(diagnostics, problem, &items[i].name);
        if (index == UINT32_MAX) {
            good = false;
            continue;
        }
        for (size_t before = 0; before < i; before++) {
            if (text_equal_nocase(items[before].name.text, items[i].name.text)) {
                struct diag *diag = diag_report(diagnostics, DIAG_DUPLICATE_CONSTRAINT, items[i].name.span,
                                                "%s has two constraints", problem->memories[index].name);
                diag_note(diagnostics, diag, items[before].name.span, "the first is here");
                good = false;
                break;
            }
        }
        open_external(problem, index);
        good &= apply_max_size(diagnostics, &items[i].max_size, &problem->memories[index]);
        if (items[i].arena_alignment.set && !items[i].arena_alignment.is_null) {
            problem->memories[index].arena_alignment = items[i].arena_alignment.value;
        }
    }
    return good;
}
