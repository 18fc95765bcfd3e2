/* What every memory holds and whether it fits.
 *
 * Within a window the order is: persistent arena, constants that are used there, bytes that stand there for arenas elsewhere
 * (sources of staged constants, load images of initialised RAM), scratch arena last, so that it grows into free room. Each base
 * is aligned as an address; the gaps count as used. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "base/sort.h"
#include "base/text.h"
#include "plan/plan_draft.h"

uint64_t base_alignment(const struct problem_memory *memory, uint64_t slot_alignment)
{
    bool is_stated = memory->arena_alignment != 0;
    uint64_t floor = memory->tier == TIER_EXTERNAL && !is_stated ? EXTERNAL_BASE_ALIGNMENT : ARENA_BASE_ALIGNMENT;
    floor = size_max(floor, size_max(memory->minimum_alignment, memory->arena_alignment));
    return size_max(floor, slot_alignment);
}

/* An own arena for each of three roles, and for each constant arena a source and an image. */
size_t region_part_room(const struct problem *problem)
{
    return ROLE_COUNT + 2 * problem->memory_count;
}

static void add_part(const struct draft *draft, uint32_t memory, struct region_parts *parts, struct region_part part)
{
    const struct problem *problem = draft->problem;
    const struct draft_arena *arena = draft_arena(draft, part.role, part.arena_memory);
    uint64_t alignment = base_alignment(&problem->memories[part.arena_memory], arena->slot_alignment);
    uint64_t origin = problem->memories[memory].origin;
    part.size = arena->size;
    part.offset = parts->end;
    if (part.size > 0) {
        part.offset = size_align(origin + parts->end, alignment) - origin;
    }
    parts->padding += part.offset - parts->end;
    parts->end = part.offset + part.size;
    parts->items[parts->count++] = part;
}

static void add_own_arena(const struct draft *draft, uint32_t memory, enum tensor_role role, struct region_parts *parts)
{
    if (draft_arena(draft, role, memory)->exists) {
        add_part(draft, memory, parts, (struct region_part){.kind = PART_ARENA, .role = role, .arena_memory = memory});
    }
}

/* Bytes that stand in memory which is empty at reset come from a load image, unless the host uploads them (REQ-PLC-042). */
static bool costs_image_bytes(const struct problem *problem, uint32_t source_memory)
{
    const struct problem_memory *memory = &problem->memories[source_memory];
    return !memory->holds_image && !(problem->host_fills_external && memory->tier == TIER_EXTERNAL);
}

static void add_for_others(const struct draft *draft, uint32_t memory, struct region_parts *parts)
{
    const struct problem *problem = draft->problem;
    bool is_image_memory = problem->memories[memory].region == problem->profile->image_region;
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        const struct draft_arena *arena = draft_arena(draft, ROLE_CONSTANT, m);
        struct region_part part = {.role = ROLE_CONSTANT, .arena_memory = m};
        if (!arena->exists) {
            continue;
        }
        part.kind = PART_SOURCE;
        if (arena->source_memory == memory && m != memory) {
            add_part(draft, memory, parts, part);
        }
        part.kind = PART_IMAGE;
        if (is_image_memory && arena->source_memory != memory && costs_image_bytes(problem, arena->source_memory)) {
            add_part(draft, memory, parts, part);
        }
    }
}

struct region_parts region_parts_find(const struct draft *draft, uint32_t memory, struct region_part *items)
{
    struct region_parts parts = {.items = items};
    add_own_arena(draft, memory, ROLE_PERSISTENT, &parts);
    add_own_arena(draft, memory, ROLE_CONSTANT, &parts);
    add_for_others(draft, memory, &parts);
    add_own_arena(draft, memory, ROLE_SCRATCH, &parts);
    return parts;
}

/* ---- the plan's arenas ---- */

static struct arena_usage describe_arena(const struct draft *draft, enum tensor_role role, uint32_t memory)
{
    const struct problem *problem = draft->problem;
    const struct draft_arena *arena = draft_arena(draft, role, memory);
    const char *name = text_lower(draft->arena, problem->memories[memory].name);
    struct arena_usage usage = {
        .role = role,
        .memory = memory,
        .source_memory = arena->source_memory,
        .total_size = arena->size,
        .used = arena->size,
        .alignment = base_alignment(&problem->memories[memory], arena->slot_alignment),
        .peak_live = role == ROLE_SCRATCH ? arena->peak_live : arena->size,
        .symbol = arena_format(draft->arena, "%s_arena_%s_%s", problem->prefix, role_names[role], name),
    };
    if (arena->source_memory != memory) {
        usage.source_symbol = arena_format(draft->arena, "%s_source_%s_from_%s", problem->prefix, name,
                                           text_lower(draft->arena, problem->memories[arena->source_memory].name));
    }
    return usage;
}

static int compare_arenas(const void *a, const void *b, const void *context)
{
    const struct problem *problem = context;
    const struct arena_usage *left = a;
    const struct arena_usage *right = b;
    if (left->role != right->role) {
        return SORT_BY(left->role, right->role);
    }
    return strcmp(problem->memories[left->memory].name, problem->memories[right->memory].name);
}

static void list_arenas(const struct draft *draft, struct memory_plan *plan)
{
    const struct problem *problem = draft->problem;
    plan->arenas = ARENA_ARRAY(draft->arena, struct arena_usage, (size_t)ROLE_COUNT * problem->memory_count);
    for (int role = 0; role < ROLE_COUNT; role++) {
        for (uint32_t m = 0; m < problem->memory_count; m++) {
            if (draft_arena(draft, (enum tensor_role)role, m)->exists) {
                plan->arenas[plan->arena_count++] = describe_arena(draft, (enum tensor_role)role, m);
            }
        }
    }
    sort_stable(plan->arenas, plan->arena_count, sizeof *plan->arenas, compare_arenas, problem, draft->scratch);
    for (size_t i = 0; i < plan->arena_count; i++) {
        plan->arenas[i].id = (uint32_t)i;
    }
}

static struct arena_usage *find_arena(const struct memory_plan *plan, const struct region_part *part)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == part->role && plan->arenas[i].memory == part->arena_memory) {
            return &plan->arenas[i];
        }
    }
    return NULL;
}

/* ---- the plan's regions ---- */

static const char *const part_names[] = {[PART_ARENA] = "arena", [PART_SOURCE] = "source", [PART_IMAGE] = "image"};

static struct region_consumer describe_part(const struct draft *draft, const char *memory_name, const struct region_part *part,
                                            uint32_t arena_id)
{
    return (struct region_consumer){
        .name = arena_format(draft->arena, "%s_%s_%s_%" PRIu32, memory_name, role_names[part->role], part_names[part->kind],
                             arena_id),
        .size = part->size,
        .kind = part->role == ROLE_CONSTANT ? "weights" : "arena",
    };
}

/* An engine's buffers keep their names ("tensor_arena"); gaps between them in one arena are returned, for the padding. */
static uint64_t list_units(const struct draft *draft, struct region_usage *region, const struct region_part *part)
{
    static const char *const endings[] = {[PART_ARENA] = "", [PART_SOURCE] = "_source", [PART_IMAGE] = "_image"};
    const struct problem *problem = draft->problem;
    uint64_t listed = 0;
    for (uint32_t r = 0; r < problem->request_count; r++) {
        const struct draft_slot *slot = &draft->slots[r];
        if (!slot->is_root || slot->binding.role != part->role || slot->binding.memory != part->arena_memory) {
            continue;
        }
        region->consumers[region->consumer_count++] = (struct region_consumer){
            .name =
                arena_format(draft->arena, "%s%s", problem->model->tensors[problem->requests[r].tensor].id, endings[part->kind]),
            .size = slot->size,
            .kind = problem->requests[r].consumer_kind,
        };
        listed += slot->size;
    }
    return part->size - listed;
}

static void list_consumers(const struct draft *draft, struct memory_plan *plan, struct region_usage *region,
                           const struct region_parts *parts)
{
    const struct problem *problem = draft->problem;
    const char *name = text_lower(draft->arena, problem->memories[region->memory].name);
    size_t room = parts->count + 1 + (problem->places_units ? 2 * problem->request_count : 0);
    uint64_t padding = parts->padding;
    region->consumers = ARENA_ARRAY(draft->arena, struct region_consumer, room);
    for (size_t i = 0; i < parts->count; i++) {
        const struct region_part *part = &parts->items[i];
        struct arena_usage *arena = find_arena(plan, part);
        if (part->kind == PART_ARENA) {
            arena->region_offset = part->offset;
        }
        if (problem->places_units) {
            padding += list_units(draft, region, part);
        } else {
            region->consumers[region->consumer_count++] = describe_part(draft, name, part, arena->id);
        }
    }
    if (padding > 0) {
        region->consumers[region->consumer_count++] = (struct region_consumer){"alignment_padding", padding, "other"};
    }
}

/* The capacity shown is the one that is exceeded: the window's, or a budget below it. */
static void judge_region(const struct problem_memory *memory, struct region_usage *region)
{
    region->overflow = region->used > memory->limit;
    bool only_budget = region->overflow && region->used <= memory->capacity;
    region->capacity = only_budget ? memory->limit : memory->capacity;
}

void draft_regions(const struct draft *draft, struct memory_plan *plan)
{
    const struct problem *problem = draft->problem;
    list_arenas(draft, plan);
    plan->regions = ARENA_ARRAY(draft->arena, struct region_usage, problem->memory_count);
    plan->region_count = problem->memory_count;
    struct region_part *items = ARENA_ARRAY(draft->scratch, struct region_part, region_part_room(problem));
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        struct region_usage *region = &plan->regions[m];
        struct region_parts parts = region_parts_find(draft, m, items);
        *region = (struct region_usage){.memory = m, .used = parts.end};
        list_consumers(draft, plan, region, &parts);
        judge_region(&problem->memories[m], region);
        plan->has_overflow = plan->has_overflow || region->overflow;
    }
}
