/* What the project asks for: the config file and command line, decoded; the rules, resolved to one request a tensor.
 *
 * placement_resolve() turns SoC + model + config into a `struct problem`: frozen, in canonical order, the only thing a planner
 * sees. */
#ifndef HELIA_PLACEMENT_PLACEMENT_H
#define HELIA_PLACEMENT_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "doc/doc.h"
#include "model/model.h"
#include "schema/schema.h"
#include "soc/soc.h"

/* The default comes first. */
enum engine_kind { ENGINE_HELIA_AOT, ENGINE_HELIA_RT, ENGINE_TFLM, ENGINE_EXECUTORCH, ENGINE_COUNT };
extern const struct choice engine_choices[];
extern const char *const engine_names[ENGINE_COUNT];

/* The keys arena_location and weights_location; also the speed order of the automatic policy. */
enum location { LOCATION_TCM, LOCATION_SRAM, LOCATION_MRAM, LOCATION_PSRAM, LOCATION_COUNT };
extern const char *const location_names[LOCATION_COUNT]; /* "tcm", ... */

/* How the host talks to the board; only an upload to PSRAM cares. */
enum transport { TRANSPORT_RTT, TRANSPORT_USB, TRANSPORT_UART, TRANSPORT_SWO };

/* An interpreter's arena when no size is given, bytes. */
#define DEFAULT_ARENA_SIZE UINT64_C(262144)

/* ---- the config file ---- */

struct tensor_attributes_config {
    struct text_value memory;
    struct text_value constant_destination_memory;
    struct span span;
};

/* tensors: - {type: constant, id: [a, b], attributes: {...}} */
struct tensor_rule_config {
    struct text_value type; /* scratch, persistent, constant or '*'; absent: any */
    struct text_list id;    /* ids or names; absent: any */
    struct tensor_attributes_config attributes;
    struct span span;
};

struct constraint_config {
    struct text_value name;
    struct text_value max_size; /* bytes, or N% of the window; null and absent: no limit of its own */
    struct size_value arena_alignment;
    struct span span;
};

/* model: */
struct model_config {
    struct text_value path;
    struct size_value arena_size;
    struct choice_value arena_location;   /* enum location */
    struct choice_value weights_location; /* enum location */
};

/* target: */
struct target_config {
    struct text_value board;
    struct text_value soc;
    struct text_value linker_profile;
    struct choice_value transport; /* enum transport */
    struct {
        struct size_value clock_hz;
    } psram;
    struct node_value slack;         /* memory name: bytes */
    struct node_value custom_socs;   /* name: what a registry file holds, or based_on and what differs */
    struct node_value custom_boards; /* likewise */
};

/* engine.config: the engines' own keys. Sizes in bytes. */
struct engine_own_config {
    struct {
        struct node_value memory; /* laid under the top-level memory block before that is decoded */
    } aot_args;
    struct text_value manifest; /* ExecuTorch: the sidecar JSON; absent: <model>.json beside the model, if there is one */
    struct size_value planned_arena_size;
    struct size_value method_arena_size;
    struct size_value temporary_arena_size;
    struct size_value input_size;
    struct size_value output_size;
    struct choice_value planned_arena_location; /* enum location */
    struct choice_value method_arena_location;
    struct choice_value temporary_arena_location;
    struct choice_value io_location;
    struct bool_value pmu_layer_records;
};

/* engine: */
struct engine_config {
    struct choice_value type; /* enum engine_kind */
    struct engine_own_config config;
};

struct output_config {
    struct text_value prefix;
};

/* memory: */
struct memory_config {
    struct text_value planner;
    struct node_value planner_options; /* decoded by the planner's own rows */
    struct bool_value allocate_arenas;
    struct bool_value auto_hydrate_constants;
    struct bool_value dump_residency_json;
    struct bool_value in_place;
    struct record_list constraints; /* struct constraint_config */
    struct record_list tensors;     /* struct tensor_rule_config */
    struct span span;
};

struct config {
    struct model_config model;
    struct target_config target;
    struct engine_config engine;
    struct memory_config memory;
    struct output_config output;
};

extern const struct schema config_schema; /* for docs/config.md */

/* Decodes the tree (already overlaid with --set and options). engine.config.aot_args.memory is laid under memory, key by key:
 * where both hold a key the top level wins. */
MUST_CHECK bool config_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root,
                              struct config *config);

/* ---- the problem ---- */

/* A memory that may hold arenas or constants: one for each region of the SoC with data, in registry order. */
struct problem_memory {
    const char *name;
    uint32_t region; /* index into soc.regions */
    enum memory_tier tier;
    bool writable;
    bool holds_image;
    uint64_t origin;            /* where its window starts */
    uint64_t capacity;          /* window, bytes (decision 8) */
    uint64_t physical;          /* physical region, bytes */
    uint64_t limit;             /* min(capacity, max_size): what the plan must keep */
    bool limit_is_budget;       /* limit comes from max_size */
    struct span limit_span;     /* the constraint's place */
    uint64_t minimum_alignment; /* slots and base: max(platform, region) */
    uint64_t arena_alignment;   /* constraint's floor for base and slots; 0: none */
};

#define MEMORY_ANY UINT32_MAX /* unpinned: first memory of the preferred order that can take it */

/* One tensor's resolved wish. */
struct request {
    uint32_t tensor;   /* index into model.tensors */
    uint32_t alias_of; /* index into problem.requests of the tensor whose slot it shares; UINT32_MAX: its own */
    enum tensor_role role;
    uint64_t size;      /* bytes */
    uint64_t alignment; /* natural or hinted, bytes, power of two; memories add their floors */
    uint32_t start_op;
    uint32_t end_op;
    uint32_t memory;         /* index into problem.memories, or MEMORY_ANY */
    uint32_t source_memory;  /* constants: where the bytes stand in the image; others: UINT32_MAX */
    struct span memory_span; /* the rule or option that decided; SPAN_NONE: default */
    struct span source_span;
    const char *consumer_kind; /* units: "arena", "weights", "other"; NULL: by the role */
};

/* What arena_location and weights_location, written or automatic, have become. Index: enum tensor_role. */
struct coarse_rule {
    bool active;          /* false: a user's type rule stands in its place */
    bool is_automatic;    /* chosen by the policy: a preference, from which helia-aot's scratch may spill */
    uint32_t memory;      /* index into problem.memories; MEMORY_ANY: says nothing */
    uint32_t destination; /* constants: runtime memory; MEMORY_ANY: read in place */
    enum location location;
    struct span span; /* the key; SPAN_NONE: automatic */
};

struct rule_set;
struct engine;

struct problem {
    const struct soc *soc;
    const struct linker_profile *profile;
    const struct board *board;   /* NULL: the SoC was named */
    const struct model *model;   /* what is placed: the network's tensors, or an engine's units */
    const struct model *network; /* what was read from the model file */
    enum engine_kind engine;
    bool places_units;        /* the requests are whole buffers of an engine: consumers carry their names */
    bool host_fills_external; /* constants in external memory are uploaded by the host and cost no image bytes */
    struct coarse_rule coarse[ROLE_COUNT];
    const struct rule_set *rules; /* the user's rules, for explaining */
    uint64_t psram_clock_hz;
    struct problem_memory *memories;
    size_t memory_count;
    uint32_t *order; /* preferred order for unpinned tensors: indices into memories, fastest first, never external */
    size_t order_count;
    struct request *requests; /* canonical order: model order (start of life is the planners' business) */
    size_t request_count;
    uint32_t step_count;
    bool allocate_arenas;
    bool auto_hydrate_constants;
    bool dump_residency;
    bool in_place;
    const char *planner; /* name as asked for; NULL: the default one */
    struct span planner_span;
    const struct node *planner_options; /* NULL: none given */
    const char *prefix;                 /* C identifier */
};

/* Slot alignment of a request in a memory (decision 3): max(natural/hint, memory floor, arena_alignment). */
uint64_t request_slot_alignment(const struct request *request, const struct problem_memory *memory);

/* Makes the problem. Reports everything that is wrong with the rules and constraints; rule ids that match no tensor are warnings.
 */
struct placement_inputs {
    const struct config *config;
    const struct soc *soc;
    const struct board *board; /* NULL: the SoC was named */
    const struct linker_profile *profile;
    const struct model *model;
};
MUST_CHECK bool placement_resolve(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                                  struct problem *problem);

/* Index into problem.memories, or UINT32_MAX; case ignored. */
uint32_t problem_find_memory(const struct problem *problem, const char *name);

#endif
