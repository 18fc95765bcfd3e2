/* Two reports of the same kind side by side: plans, residency reports or check reports, as their JSON tells them.
 *
 * First whether they can be compared at all, then what differs. Nothing here says which is better: a smaller footprint is no
 * faster one. */
#ifndef HELIA_REPORT_COMPARE_H
#define HELIA_REPORT_COMPARE_H

#include "base/text.h"
#include "diag/diag.h"
#include "doc/doc.h"

enum report_kind { REPORT_PLAN, REPORT_RESIDENCY, REPORT_CHECK, REPORT_KIND_COUNT };
extern const char *const report_kind_names[REPORT_KIND_COUNT];   /* "plan", "residency", "check" */
extern const char *const report_kind_schemas[REPORT_KIND_COUNT]; /* "helia-placement/plan/1", ... */

/* ---- one report, as far as it is compared ---- */

struct compared_tensor {
    const char *id;
    const char *memory;
    const char *source_memory;
    const char *role;
    uint64_t offset, size;
    uint64_t slot_size;        /* of all that share its slot, where this one is the root; 0 for the others */
    uint32_t start_op, end_op; /* both included */
    struct span span;
};

struct compared_arena {
    const char *role;
    const char *memory;
    uint64_t used;
    uint64_t peak_live; /* plans that do not tell it: the largest sum of slots that are alive at one operator */
};

struct compared_region {
    const char *name;
    uint64_t capacity, used;
};

struct compared {
    enum report_kind kind;
    const char *path;
    struct span span;         /* where its document starts */
    const char *plan_hash;    /* "" where the report has none; likewise below */
    const char *problem_hash; /* plans: of rules, pins, budgets, windows and tensors */
    const char *soc, *profile, *engine, *planner, *planner_options, *view, *elf;
    struct compared_tensor *tensors;
    size_t tensor_count;
    struct compared_arena *arenas;
    size_t arena_count;
    struct compared_region *regions;
    size_t region_count;
    uint64_t finding_count; /* check */
};

/* Decodes one report. Reports everything that is missing or wrong in it. */
MUST_CHECK bool compared_decode(struct arena *arena, struct diagnostics *diagnostics, const char *path, const struct node *root,
                                struct compared **compared);

/* 1 - peak_live / used; 0 for an empty arena. */
double compared_fragmentation(const struct compared_arena *arena);
/* Bytes of all arenas of a role. */
uint64_t compared_total(const struct compared *report, const char *role);

/* ---- two reports ---- */

/* Something besides the layout that is not the same. */
struct unequal {
    const char *what; /* "soc", "lifetime of tensor 'x'" */
    const char *a, *b;
    bool blocks; /* so that the two cannot be compared */
};

struct arena_pair {
    const struct compared_arena *a, *b; /* one of them may be NULL */
};
struct region_pair {
    const struct compared_region *a, *b; /* likewise */
};
struct tensor_pair {
    const struct compared_tensor *a, *b; /* both there, at different places */
};

struct comparison {
    const struct compared *a, *b;
    bool comparable;
    bool same_placement; /* equal hashes: a proof */
    struct {
        struct unequal *items;
        size_t count, capacity;
    } unequal;
    size_t unlisted; /* more that is unequal about tensors than is listed */
    struct {
        struct arena_pair *items;
        size_t count, capacity;
    } arenas;
    struct {
        struct region_pair *items;
        size_t count, capacity;
    } regions;
    struct {
        struct tensor_pair *items;
        size_t count, capacity;
    } moved;
};

/* False: the two are of different kinds (report-kind), or carry the same hash although what it stands for differs
 * (hash-contradiction). */
MUST_CHECK bool compare_reports(struct arena *arena, struct diagnostics *diagnostics, const struct compared *a,
                                const struct compared *b, struct comparison *comparison);

/* `verbose`: every tensor that moved, not only the first ones. */
void report_comparison_text(const struct comparison *comparison, bool verbose, struct text *out);
void report_comparison_json(const struct comparison *comparison, struct text *out); /* helia-placement/compare/1 */

#endif
