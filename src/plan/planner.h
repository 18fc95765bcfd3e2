/* Planners: pure functions from a scratch problem to a layout. One algorithm a file; the built-in ones in the table in
 * planner_table.c, those built outside in a planner_set beside them. */
#ifndef HELIA_PLAN_PLANNER_H
#define HELIA_PLAN_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"

/* One scratch tensor, sizes and times as in placement.h. Items come in canonical order: their index is the last tie-break. */
struct scratch_item {
    uint64_t size;
    uint32_t start;     /* first operator, included */
    uint32_t end;       /* last operator, included */
    uint32_t memory;    /* index into memories, or MEMORY_ANY (UINT32_MAX) */
    uint64_t alignment; /* slot alignment of the item itself; memories may raise it */
};

struct scratch_memory {
    uint64_t limit;           /* bytes that the scratch arena may have */
    uint64_t alignment_floor; /* slots in this memory are aligned to at least this, power of two */
};

struct scratch_problem {
    const struct scratch_item *items;
    size_t item_count;
    const struct scratch_memory *memories;
    size_t memory_count;
    const uint32_t *order; /* preferred order of unpinned items: indices into memories */
    size_t order_count;
    uint32_t step_count; /* operators; all times are below it */
    struct watch *watch; /* who is told how far the planner is (watch.h); NULL: nobody. No layout depends on it */
};

struct slot {
    uint32_t memory;
    uint64_t offset;
};

/* A layout of all items. When an item fits nowhere it is laid where it would go without limits (its pin, or the last memory of
 * the order), `fits` is false, and the caller reports the overflow from the sums. */
struct layout {
    struct slot *slots; /* one an item */
    uint64_t *used;     /* high-water mark, one a memory */
    bool fits;
};

/* What complete search has spent. */
struct effort {
    uint64_t work;  /* units: items and sections looked at, roughly */
    uint64_t nodes; /* partial layouts, and assignments to memories */
};

/* What the planner has to tell besides the layout. All zero is a valid report. */
struct planner_report {
    uint64_t attempts; /* order perturbations tried */
    uint64_t improvements;
    const char *kept; /* hill_climb: "search" or "greedy" */
    const char *stop; /* why the search ended: "bound", "iterations", "stall", "work limit" */
    bool proven_optimal;
    struct effort effort;
};

/* How far a planner is. What a unit of work is, is the planner's own: an item looked at, or what complete search counts in its
 * option max_work. The work of planners that another one asks comes on top. */
struct planner_progress {
    const struct planner *planner;
    uint64_t work;  /* units done; never falls */
    uint64_t nodes; /* of complete search; never falls */
    uint64_t best;  /* least total high-water mark, in bytes, of the layouts found that fit, or NO_LAYOUT_FITS; never rises */
    uint64_t bound; /* no layout's total is lower */
};
#define NO_LAYOUT_FITS UINT64_MAX

/* Somebody who watches a planner work. Is called often; cannot change what comes out. */
struct planner_observer {
    void (*tell)(void *context, const struct planner_progress *progress);
    void *context;
};

enum option_kind { OPTION_INTEGER, OPTION_BOOL };
struct planner_option {
    const char *key;
    enum option_kind kind;
    uint64_t minimum, maximum;
    uint64_t default_value;
    bool nullable; /* null is allowed and reads as UINT64_MAX */
    const char *help;
};
#define PLANNER_OPTIONS_MAXIMUM 8

/* Values in the order of the planner's rows. */
struct planner_options {
    uint64_t values[PLANNER_OPTIONS_MAXIMUM];
};

struct planner {
    const char *name;
    const char *summary; /* one sentence */
    bool experimental;
    const struct planner_option *options;
    size_t option_count;
    const struct plugin *plugin; /* built outside: plugin_solve() takes the place of solve, which is NULL; else NULL */
    /* Fills `layout` (arrays already made). Pure: same arguments, same bytes. `arena` is for work and is rewound by the caller.
     */
    void (*solve)(const struct scratch_problem *problem, const struct planner_options *options, struct arena *arena,
                  struct layout *layout, struct planner_report *report);
};

extern const struct planner planners[]; /* greedy, greedy_by_size, hill_climb, optimal */
extern const size_t planner_count;
extern const char *const default_planner; /* "hill_climb" (decision 1) */

/* The planners of a run, the built-in ones first, in an order that is the order of listings and comparisons. No two have one
 * name. */
struct planner_set {
    const struct planner **items;
    size_t count, capacity;
};
struct planner_set planner_set_built_in(struct arena *arena);

/* In place of a planner's name: each of the set. So no planner has it. */
#define PLANNER_ALL "all"

/* Far above every address space of a chip, and low enough that no sum of a plan leaves 63 bits: no slot ends above. */
#define PLAN_BYTES_LIMIT (UINT64_C(1) << 58)

struct layout layout_new(struct arena *arena, const struct scratch_problem *problem);
uint64_t layout_total(const struct scratch_problem *problem, const struct layout *layout);

/* Alignment of an item's slot in a memory. */
static inline uint64_t slot_alignment(const struct scratch_item *item, const struct scratch_memory *memory)
{
    return item->alignment > memory->alignment_floor ? item->alignment : memory->alignment_floor;
}

/* Largest sum of sizes of items in `memory` alive at one operator, rounded up as far as it stays a lower bound of the high-water
 * mark (live_bound.c). `slots` NULL: of all items, as if all were there. */
uint64_t peak_live(const struct scratch_problem *problem, const struct slot *slots, uint32_t memory, struct arena *scratch);

/* The planners themselves, for those that build on another. */
void greedy_solve(const struct scratch_problem *, const struct planner_options *, struct arena *, struct layout *,
                  struct planner_report *);
void greedy_by_size_solve(const struct scratch_problem *, const struct planner_options *, struct arena *, struct layout *,
                          struct planner_report *);
void hill_climb_solve(const struct scratch_problem *, const struct planner_options *, struct arena *, struct layout *,
                      struct planner_report *);

/* The referee: judges a layout whoever made it. Every item placed in an existing memory (its pin if it has one, else one of the
 * order), aligned, without wrap-around, no two items that are alive together sharing a byte, `used` equal to the high-water mark,
 * `fits` equal to "no memory above its limit". O(n log n). Returns NULL if all holds, else what is wrong, in the arena. */
const char *referee_judge(const struct scratch_problem *problem, const struct layout *layout, struct arena *arena);

#endif
