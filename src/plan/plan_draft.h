/* A plan in the making: what the steps of plan_make() hand to each other. */
#ifndef HELIA_PLAN_PLAN_DRAFT_H
#define HELIA_PLAN_PLAN_DRAFT_H

#include "base/arena.h"
#include "placement/placement.h"
#include "plan/plan.h"

/* A slot that one request, or several that are aliases of each other, share. Indexed by the root's request. */
struct draft_slot {
    bool is_root;
    uint64_t size;      /* largest of those that share it */
    uint64_t alignment; /* the same, at least 1 */
    uint32_t start_op;  /* all their lives together */
    uint32_t end_op;
    struct tensor_binding binding;
};

/* The arena of a role in a memory. */
struct draft_arena {
    bool exists;
    uint64_t size;
    uint64_t slot_alignment; /* largest in it */
    uint64_t peak_live;      /* scratch: lower bound of what was put there */
    uint32_t source_memory;
};

struct draft {
    const struct problem *problem;
    struct arena *arena;   /* of the result */
    struct arena *scratch; /* of the work */
    uint32_t *root;        /* by request: the request whose slot it uses */
    struct draft_slot *slots;
    struct draft_arena *arenas; /* by role, then memory */
};

static inline struct draft_arena *draft_arena(const struct draft *draft, enum tensor_role role, uint32_t memory)
{
    return &draft->arenas[(size_t)role * draft->problem->memory_count + memory];
}

/* Alignment of an arena's base (decision 3): max(16, memory's floor, arena_alignment, largest slot alignment in it). */
uint64_t base_alignment(const struct problem_memory *memory, uint64_t slot_alignment);

/* plan_slots.c: roots, and the sizes, alignments and lives of shared slots. */
struct draft draft_start(const struct problem *problem, struct arena *arena, struct arena *scratch);

/* plan_bump.c: persistent and constant arenas. */
void draft_bump(struct draft *draft);

/* plan_scratch.c: scratch arenas, by the planner. `observer` may be NULL. False after layout-refused or plugin-failed. */
MUST_CHECK bool draft_solve(struct draft *draft, struct diagnostics *diagnostics, const struct planner_observer *observer,
                            struct memory_plan *plan);

/* plan_regions.c: what lies in a memory, in its order: persistent, constants, load images for others, scratch. */
enum part_kind { PART_ARENA, PART_SOURCE, PART_IMAGE };
struct region_part {
    enum part_kind kind;
    enum tensor_role role;
    uint32_t arena_memory; /* which arena of that role the part belongs to */
    uint64_t size;
    uint64_t offset; /* from the window's origin */
};
struct region_parts {
    struct region_part *items;
    size_t count;
    uint64_t end;     /* bytes from the origin to the end of the last part */
    uint64_t padding; /* of them: gaps before parts */
};
/* `items` has room for region_part_room() parts. */
size_t region_part_room(const struct problem *problem);
struct region_parts region_parts_find(const struct draft *draft, uint32_t memory, struct region_part *items);
/* Fills plan->arenas and plan->regions, and the overflow flags. */
void draft_regions(const struct draft *draft, struct memory_plan *plan);

/* plan_budget.c: what budgets keep out of the regions, which are there. */
void draft_budgets(const struct draft *draft, struct memory_plan *plan);

/* plan_hash.c: plan->problem_hash and plan->hash; all else is there. */
void plan_set_hashes(struct memory_plan *plan, struct arena *arena, struct arena *scratch);

#endif
