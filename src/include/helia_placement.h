/* HeliaPlacement for C programs: plan a model, read the plan, write its build artifacts, check a linked image.
 *
 * Link with -lheliaplacement (pkg-config heliaplacement). Sizes, offsets and alignments are bytes; operator indices count from 0
 * and both ends of a lifetime are included. Texts are UTF-8 and NUL-terminated. Everything that a plan or report hands out
 * belongs to it and lives until its _free function; nothing that the caller passes is kept after the call returns. Two plans know
 * nothing of each other and may be used by two threads. Running out of memory ends the process with exit code 3.
 *
 * Calls that can fail return a helia_status, whose values are the command's exit codes; the reasons, with positions in the user's
 * files, are in helia_plan_messages() or helia_report_messages(). */
#ifndef HELIA_PLACEMENT_H
#define HELIA_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HELIA_API __attribute__((visibility("default")))
#else
#define HELIA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum helia_status {
    HELIA_DONE = 0,       /* done, all holds */
    HELIA_ANSWER_NO = 1,  /* the plan does not fit, or a check failed */
    HELIA_BAD_INPUT = 2,  /* an input or option is wrong */
    HELIA_ENVIRONMENT = 3 /* a file cannot be read or written */
};

/* "0.1.0" */
HELIA_API const char *helia_version(void);

/* ---- the data model ---- */

/* What an arena is for. */
enum helia_arena_role {
    HELIA_SCRATCH,    /* activations: slots reused by liveness */
    HELIA_PERSISTENT, /* variables: live all the time, zero-initialised */
    HELIA_CONSTANT    /* weights: read only, cold or staged */
};

enum helia_planner_type { HELIA_GREEDY, HELIA_GREEDY_BY_SIZE, HELIA_HILL_CLIMB };
/* "greedy", "greedy_by_size", "hill_climb"; the default planner is hill_climb. NULL for other numbers. */
HELIA_API const char *helia_planner_name(enum helia_planner_type type);

/* A tensor's slot. Staged constants: source_memory differs from memory, and the bytes are copied before the first run. All
 * others: the two are equal. */
struct helia_tensor_binding {
    enum helia_arena_role role;
    const char *memory;        /* what kernels see: "DTCM" */
    const char *source_memory; /* where the bytes stand in the image */
    uint64_t offset;           /* in the arena; default 0 */
};

struct helia_tensor_lifetime {
    const char *tensor_id;
    uint32_t start_op; /* first operator that defines or uses it */
    uint32_t end_op;   /* last operator that uses it */
};
/* Widens the lifetime to include an operator. */
HELIA_API void helia_tensor_lifetime_add_op(struct helia_tensor_lifetime *lifetime, uint32_t op_index);
/* Widens the lifetime to include another's: for tensors that share a slot. */
HELIA_API void helia_tensor_lifetime_merge(struct helia_tensor_lifetime *lifetime, const struct helia_tensor_lifetime *other);

struct helia_tensor_allocation {
    const char *tensor_id;
    const char *memory;                         /* runtime memory */
    uint64_t offset;                            /* default 0 */
    uint64_t size;                              /* default 0 */
    const struct helia_tensor_binding *binding; /* plans made here always have one; a caller's own may be NULL */
};

struct helia_arena_usage {
    const char *memory;
    uint64_t total_size; /* default 0 */
    uint64_t used;       /* default 0; equals total_size in bump-allocated arenas (persistent, constant) */
    enum helia_arena_role role;
    const char *source_memory; /* NULL: unset, not staged */
    uint64_t alignment;        /* of the base; default 16 */
};
/* An arena with the documented defaults: empty, scratch, no source, aligned to 16. `memory` must outlive it. */
HELIA_API struct helia_arena_usage helia_arena_usage_make(const char *memory);
/* True if the arena has a source memory other than its own; never for scratch and persistent ones of a plan. */
HELIA_API bool helia_arena_usage_is_staged(const struct helia_arena_usage *arena);
/* Takes `size` bytes behind what is taken and returns their offset; UINT64_MAX, nothing taken, if the sum would wrap. */
HELIA_API uint64_t helia_arena_usage_allocate(struct helia_arena_usage *arena, uint64_t size);

#define HELIA_NO_LIMIT UINT64_MAX

struct helia_memory_constraint {
    const char *name;         /* "DTCM" */
    uint64_t max_size;        /* HELIA_NO_LIMIT: the region's capacity is the limit */
    uint64_t arena_alignment; /* 0: none */
};
/* No limit, no alignment. `name` must outlive it. */
HELIA_API struct helia_memory_constraint helia_memory_constraint_make(const char *name);

/* What a placement rule gives a tensor. */
struct helia_tensor_attributes {
    const char *memory;                      /* default "DTCM"; of constants: the source */
    const char *constant_destination_memory; /* NULL (default) or equal to memory: read in place */
};
HELIA_API struct helia_tensor_attributes helia_tensor_attributes_make(void);

/* ---- planning ---- */

/* What is planned. Members may be NULL or 0: what the config file says stands then. */
struct helia_plan_options {
    const char *config; /* YAML file */
    const char *model;  /* .tflite, tensor list, lifetime CSV, .pte */
    const char *soc;    /* or board */
    const char *board;
    const char *profile;
    const char *engine;
    const char *planner;
    const char *prefix;
    const struct helia_memory_constraint *constraints; /* replace the config's */
    size_t constraint_count;
    const char *const *set; /* "memory.planner_options.seed=7": any key of the config file */
    size_t set_count;
    const char *const *registry; /* folders searched before the built-in registry */
    size_t registry_count;
};

struct helia_plan;

/* Makes a plan. `*plan` is set in every case, so that its messages can be read: HELIA_DONE, or HELIA_ANSWER_NO if it was made but
 * does not fit; after another status only helia_plan_messages() and helia_plan_free() may be used. */
HELIA_API enum helia_status helia_plan_make(const struct helia_plan_options *options, struct helia_plan **plan);
HELIA_API void helia_plan_free(struct helia_plan *plan);

/* Findings as the command prints them, an overflow's text included; "" if there are none. */
HELIA_API const char *helia_plan_messages(const struct helia_plan *plan);
/* "sha256:..." over the windows, the problem and the layout: equal hashes prove equal placements. */
HELIA_API const char *helia_plan_hash(const struct helia_plan *plan);
/* The plan and the residency report as JSON. */
HELIA_API const char *helia_plan_json(const struct helia_plan *plan);
HELIA_API const char *helia_plan_residency_json(const struct helia_plan *plan);

/* All tensors, in model order. */
HELIA_API const struct helia_tensor_allocation *helia_plan_allocations(const struct helia_plan *plan, size_t *count);
/* The tensor with this id, or the only one with this name. NULL if there is none; helia_plan_messages() then names the id. */
HELIA_API const struct helia_tensor_allocation *helia_plan_get_allocation(struct helia_plan *plan, const char *tensor_id);
/* Lifetimes, in the order of helia_plan_allocations(). */
HELIA_API const struct helia_tensor_lifetime *helia_plan_lifetimes(const struct helia_plan *plan, size_t *count);
/* All arenas: scratch, persistent, constant, then by memory name; an arena's index is its id in the generated code. */
HELIA_API const struct helia_arena_usage *helia_plan_arenas(const struct helia_plan *plan, size_t *count);

/* Writes every build artifact into `folder`, unchanged files left alone. HELIA_ANSWER_NO, nothing written, if the plan does not
 * fit. */
HELIA_API enum helia_status helia_plan_generate(struct helia_plan *plan, const char *folder);

/* ---- checking ---- */

struct helia_check_options {
    const char *elf;     /* required */
    const char *plan;    /* plan JSON; NULL: the one in the image */
    const char *soc;     /* NULL: the plan's */
    const char *profile; /* NULL: the plan's */
    const char *const *registry;
    size_t registry_count;
};

struct helia_report;

/* Measures a linked image. `*report` is set in every case. HELIA_ANSWER_NO: a finding of level error. */
HELIA_API enum helia_status helia_check(const struct helia_check_options *options, struct helia_report **report);
HELIA_API void helia_report_free(struct helia_report *report);
HELIA_API const char *helia_report_messages(const struct helia_report *report);
/* The measured table, and the check report as JSON; "" if nothing was measured. */
HELIA_API const char *helia_report_table(const struct helia_report *report);
HELIA_API const char *helia_report_json(const struct helia_report *report);

#ifdef __cplusplus
}
#endif

#endif
