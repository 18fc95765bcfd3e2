/* Why something is where it is: one tensor, arena or region of a plan, first as plain structs, then as text or JSON.
 *
 * Everything is worked out from the problem and the plan; nothing is decided here. Names and positions point into them. */
#ifndef HELIA_REPORT_EXPLAIN_H
#define HELIA_REPORT_EXPLAIN_H

#include "placement/placement.h"
#include "plan/plan.h"
#include "report/slots.h"

/* More entries of one kind than this are counted and not listed: tensors of one name, owners of the same bytes, readers. */
#define EXPLAIN_LIST_LIMIT 16

/* ---- what decided ---- */

enum decision_kind {
    DECISION_RULE,       /* a row of memory.tensors */
    DECISION_ENGINE_KEY, /* a key of engine.config, or the engine's own habit */
    DECISION_KEY,        /* arena_location or weights_location */
    DECISION_AUTOMATIC,  /* the same, chosen by the policy */
    DECISION_DEFAULT     /* what holds where nobody says anything */
};
extern const char *const decision_names[]; /* "rule", "engine-key", "key", "automatic", "default" */

enum said_kind { SAID_NOTHING, SAID_DECIDED, SAID_OVERRIDDEN, SAID_PREFERRED };
extern const char *const said_names[]; /* NULL, "decided", "overridden", "preferred" */

/* What a decision says about one attribute, and what came of it. */
struct said {
    enum said_kind kind;
    const char *memory; /* NULL: read in place */
    const char *by;     /* overridden: where the stronger one stands, ready to print */
};

struct decision {
    enum decision_kind kind;
    const char *where; /* "placement.yaml:14:7", "<command line>: --arena-location", or "" */
    const char *what;  /* "rule {type: constant, id: conv_w}" */
    struct said memory;
    struct said destination; /* constants */
};

/* ---- what the other memories would have said ---- */

enum verdict_kind { VERDICT_FITS, VERDICT_OVER, VERDICT_NOT_WRITABLE, VERDICT_FOR_CODE, VERDICT_OTHER_SOURCE };
extern const char *const verdict_names[]; /* "fits", "over", "not-writable", "for-code", "other-source" */

struct verdict {
    uint32_t memory; /* index into problem.memories */
    enum verdict_kind kind;
    uint64_t bytes;         /* fits: what would be left; over: by how much */
    bool is_budget;         /* the limit is a constraint's */
    bool must_be_asked_for; /* external memory, which nothing but a rule, a key or a constraint opens */
    const char *source;     /* other-source: where the constants that are there come from */
};

/* ---- a tensor ---- */

struct sharer {
    uint32_t allocation; /* root of the slot */
    uint64_t from, to;   /* the bytes that both own, offsets in the arena, `to` excluded */
};
struct sharer_list {
    struct sharer items[EXPLAIN_LIST_LIMIT];
    size_t count;
    bool cut; /* there are more */
};

struct operator_list {
    uint32_t items[EXPLAIN_LIST_LIMIT]; /* indices into model.operators */
    size_t count;
    size_t total;
};

struct tensor_explanation {
    const struct tensor_allocation *allocation;
    const struct tensor *tensor;
    const struct request *request;
    const struct arena_usage *arena;
    const struct owned_slot *slot;
    uint64_t slot_alignment;    /* in its memory */
    struct decision *decisions; /* the strongest first */
    size_t decision_count;
    struct operator_list writers;
    struct operator_list readers;
    struct sharer_list before; /* who owned these bytes last, the latest first */
    struct sharer_list after;  /* who owns them next, the earliest first */
    const uint32_t *aliases;   /* allocations of the same slot, this one included */
    size_t alias_count;
    struct verdict *verdicts; /* every memory but its own, in registry order */
    size_t verdict_count;
};

/* A tensor that the engine places itself at run time, inside one of the buffers that are planned. */
struct inner_tensor {
    const struct tensor *tensor;
    const char *held_by; /* "tensor_arena" */
};

/* ---- an arena, a region ---- */

struct arena_explanation {
    const struct arena_usage *arena;
    const struct owned_slot *slots; /* by offset */
    size_t slot_count;
    struct live_peak peak; /* of slot sizes, without any rounding */
};

struct region_explanation {
    const struct region_usage *usage;
    const struct problem_memory *memory;
    const char *limit_where; /* the budget's place; "" without one */
};

/* ---- all that a name means ---- */

struct explanation {
    const struct memory_plan *plan;
    struct slot_table slots;
    struct {
        struct tensor_explanation *items;
        size_t count, capacity;
    } tensors;
    struct {
        struct inner_tensor *items;
        size_t count, capacity;
    } inner_tensors;
    size_t unlisted_tensors; /* more of that name than are explained */
    struct {
        const struct tensor **items;
        size_t count, capacity;
    } dead_tensors; /* of that name, but nothing touches them, so that they get no memory */
    struct {
        struct arena_explanation *items;
        size_t count, capacity;
    } arenas;
    struct {
        struct region_explanation *items;
        size_t count, capacity;
    } regions;
};

/* Explains whatever is called `name`: a tensor's id, else every tensor of that name; an arena by its symbol, its source's symbol
 * or "scratch DTCM" (case ignored); a region. Nothing of that name: unknown-name at `span`, false. */
MUST_CHECK bool explain_name(struct arena *arena, struct diagnostics *diagnostics, const struct memory_plan *plan,
                             const char *name, struct span span, struct explanation *explanation);

void report_explanation_text(const struct explanation *explanation, struct text *out);
void report_explanation_json(const struct explanation *explanation, struct text *out); /* helia-placement/explain/1 */

/* ---- the parts, each in a file of its own ---- */

/* explain_rules.c: whether arena_location or weights_location is written or chosen by a policy, also where a rule then stands in
 * its place. */
bool coarse_speaks(const struct coarse_rule *coarse);
/* explain_rules.c: fills decisions. */
void explain_decisions(struct arena *arena, const struct diagnostics *diagnostics, const struct memory_plan *plan,
                       struct tensor_explanation *explained);
/* explain_sharing.c: fills before and after. */
void explain_sharing(struct arena *arena, const struct slot_table *slots, struct tensor_explanation *explained);
/* explain_memories.c: fills verdicts. */
void explain_memories(struct arena *arena, const struct memory_plan *plan, const struct slot_table *slots,
                      struct tensor_explanation *explained);

#endif
