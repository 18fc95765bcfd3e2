/* The answer: where every tensor lives, what every arena and region holds, and a hash that names it all. Immutable once made. */
#ifndef HELIA_PLAN_PLAN_H
#define HELIA_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "placement/placement.h"
#include "plan/planner.h"

/* The implementation's floor of an arena base's alignment (REQ-DEF-026). */
#define ARENA_BASE_ALIGNMENT 16u
/* The floor in external memory, unless arena_alignment says otherwise: transfers go by cache lines and bursts, which two arenas
 * must not share (PSR-010). */
#define EXTERNAL_BASE_ALIGNMENT 64u

struct tensor_binding {
    enum tensor_role role;
    uint32_t memory;        /* index into problem.memories: runtime memory */
    uint32_t source_memory; /* equals memory unless staged */
    uint64_t offset;
};

struct tensor_allocation {
    uint32_t tensor; /* index into model.tensors */
    uint32_t request;
    uint32_t alias_of; /* index into plan.allocations; UINT32_MAX: own slot */
    uint64_t size;
    struct tensor_binding binding;
    uint32_t start_op, end_op; /* lifetime used for planning */
};

struct arena_usage {
    uint32_t id; /* position in the documented order: scratch, persistent, constant; then memory name (EMT-001) */
    enum tensor_role role;
    uint32_t memory;
    uint32_t source_memory; /* equals memory unless staged */
    uint64_t total_size;
    uint64_t used;
    uint64_t alignment;        /* of the base symbol */
    uint64_t peak_live;        /* scratch: lower bound of what was put here; others: used */
    uint64_t region_offset;    /* where the base is expected inside the window when nothing else is there; see plan_regions.c */
    const char *symbol;        /* "kws_arena_scratch_dtcm" */
    const char *source_symbol; /* staged: "kws_source_dtcm_from_mram"; else NULL */
};

static inline bool arena_is_staged(const struct arena_usage *arena)
{
    return arena->source_memory != arena->memory;
}

/* True for constants that the host writes into external memory: the image holds no byte of them. */
static inline bool arena_is_host_uploaded(const struct problem *problem, const struct arena_usage *arena)
{
    const struct problem_memory *memory = &problem->memories[arena->memory];
    return problem->host_fills_external && arena->role == ROLE_CONSTANT && !arena_is_staged(arena) &&
           memory->tier == TIER_EXTERNAL && !memory->holds_image;
}

/* 1 - peak_live / used: the share of the arena above what is alive at once; 0 for an empty arena. */
static inline double arena_fragmentation(const struct arena_usage *arena)
{
    return arena->used == 0 ? 0.0 : 1.0 - (double)arena->peak_live / (double)arena->used;
}

struct region_consumer {
    const char *name; /* "dtcm_scratch_arena_0", "mram_constant_source_3", "alignment_padding" */
    uint64_t size;
    const char *kind; /* "arena", "weights", "other" */
};

struct region_usage {
    uint32_t memory;   /* index into problem.memories */
    uint64_t capacity; /* the window's; a budget below it that is exceeded while the window is not */
    uint64_t used;     /* all consumers, gaps between them included */
    bool overflow;     /* used above capacity or above the budget; the same as used > capacity */
    uint64_t kept_out; /* bytes of unpinned scratch tensors in later memories, each of which would fit here without the budget */
    uint32_t kept_out_count;
    struct region_consumer *consumers;
    size_t consumer_count;
};

static inline uint64_t region_free(const struct region_usage *region)
{
    return region->used < region->capacity ? region->capacity - region->used : 0;
}

struct memory_plan {
    const struct problem *problem;
    const struct planner *planner;
    struct planner_options options;
    struct planner_report report;
    struct tensor_allocation *allocations; /* in model order */
    size_t allocation_count;
    struct arena_usage *arenas; /* by id */
    size_t arena_count;
    struct region_usage *regions; /* every memory of the problem, in registry order */
    size_t region_count;
    uint64_t model_weight_bytes; /* constant arenas, each once */
    uint64_t lower_bound;        /* of the scratch total over all memories; what no layout can go below (live_bound.c) */
    bool proven_optimal;         /* scratch fits and its total equals the lower bound, or a planner's proof */
    bool has_overflow;
    const char *hash;         /* "sha256:<hex>" */
    const char *problem_hash; /* of what was asked for, without the layout: equal ones make two planners comparable */
};

/* The planner by name; NULL after unknown-planner at `span`. */
const struct planner *planner_find(struct diagnostics *diagnostics, const struct planner_set *set, const char *name,
                                   struct span span);
/* Options decoded by the planner's rows: unknown keys, wrong kinds, ranges reported. `node` NULL: defaults. */
MUST_CHECK bool planner_options_decode(struct arena *arena, struct diagnostics *diagnostics, const struct planner *planner,
                                       const struct node *node, struct planner_options *options);

/* For PLANNER_ALL: each planner takes those of the options that it knows, one that none knows is reported. `options`: one a
 * planner. */
MUST_CHECK bool planner_options_decode_all(struct arena *arena, struct diagnostics *diagnostics, const struct planner_set *set,
                                           const struct node *node, struct planner_options *options);

/* The planner and its options as the config has them, so that they are reported beside what is wrong with the placement. */
MUST_CHECK bool planner_check(struct arena *arena, struct diagnostics *diagnostics, const struct planner_set *set,
                              const struct memory_config *memory);

/* Plans with the planner of the set that the problem names; `observer` is told how far it is, NULL: nobody is. An overflow is not
 * a failure here: plan->has_overflow says it, the caller prints plan_overflow_text() and exits 1. False: something was reported
 * (unknown planner, bad option, a layout that the referee refused, a plugin that failed). */
MUST_CHECK bool plan_make_from(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics,
                               const struct planner_set *set, const struct problem *problem,
                               const struct planner_observer *observer, const struct memory_plan **plan);
/* The same with the built-in planners alone, which nobody watches. */
MUST_CHECK bool plan_make(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics,
                          const struct problem *problem, const struct memory_plan **plan);
/* The same with a planner that is given, whatever the problem names. */
MUST_CHECK bool plan_make_with(struct arena *arena, struct arena *scratch, struct diagnostics *diagnostics,
                               const struct problem *problem, const struct planner *planner,
                               const struct planner_options *options, const struct planner_observer *observer,
                               const struct memory_plan **plan);

/* "Memory plan does not fit:" and its lines, hint included, exactly as documented (REQ-PLC-049 to 052), without "Error: ". */
void plan_overflow_text(const struct memory_plan *plan, struct text *out);

/* Bytes by which the scratch total may still be above the lowest possible one; 0 if it is proven optimal. */
uint64_t plan_gap(const struct memory_plan *plan);

/* The text behind problem_hash: windows, budgets, and every tensor's size, life, alignment and pins. */
void plan_problem_text(const struct problem *problem, struct text *out);

/* The canonical text that is hashed (decision 14); its first line is the algorithm's version. */
void plan_canonical_text(const struct memory_plan *plan, struct text *out);

/* Allocation of the tensor with this id or name; NULL if there is none. */
const struct tensor_allocation *plan_get_allocation(const struct memory_plan *plan, const char *tensor_id);

#endif
