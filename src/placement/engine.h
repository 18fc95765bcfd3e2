/* The inference engines: what each places as a unit, which keys it reads, what its automatic policy and its PSRAM rule are. */
#ifndef HELIA_PLACEMENT_ENGINE_H
#define HELIA_PLACEMENT_ENGINE_H

#include "placement/placement.h"

/* Config keys that only some engines read; a key that the engine does not read is a warning (ignored-key). */
enum engine_key {
    READS_ARENA_SIZE = 1 << 0,
    READS_BUFFERS = 1 << 1, /* ExecuTorch's buffer sizes and locations, manifest, pmu_layer_records */
    READS_TENSOR_RULES = 1 << 2
};

/* What must hold before anything may be placed in memory that the firmware has to power first. */
enum psram_rule {
    PSRAM_BY_HOST,            /* the host uploads: needs transport rtt; no image bytes (REQ-PLC-042) */
    PSRAM_BY_EXTERNAL_ARENAS, /* the firmware writes its blobs: needs allocate_arenas: false (REQ-PLC-044) */
    PSRAM_NEVER
};

struct engine {
    const char *name;
    const char *placement_units; /* for people */
    unsigned keys;               /* engine_key bits */
    bool weights_follow_policy;  /* automatic weights may go to TCM or SRAM; false: always read in place (RUL-001) */
    bool policy_when_silent;     /* the policy decides even if neither location is set (REQ-PLC-024); false: then the planner's
                                    preferred order does */
    enum psram_rule psram;
    /* Makes the model of units that is placed; NULL: the network's own tensors are. */
    bool (*make_units)(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                       struct problem *problem);
};

extern const struct engine engines[ENGINE_COUNT]; /* by enum engine_kind */

/* Warns of keys that the engine does not read. */
void engine_check_keys(struct diagnostics *diagnostics, const struct config *config);

/* An ExecuTorch program shows nothing to another engine: planned there, it would be a model without tensors that fits anywhere.
 */
MUST_CHECK bool engine_check_model(struct diagnostics *diagnostics, const struct placement_inputs *inputs);

/* ExecuTorch's own location keys: false after region-not-fitted at one that names a memory which the part does not have. */
MUST_CHECK bool engine_check_locations(struct diagnostics *diagnostics, const struct config *config,
                                       const struct problem *problem);

/* Bytes of the arena that the automatic policy reckons with: model.arena_size, its default, or ExecuTorch's five buffers. */
uint64_t engine_arena_bytes(const struct problem *problem, const struct config *config);

/* Bytes of the weights blob: the model file for .tflite and .pte, the constants of a tensor list. */
uint64_t engine_weight_bytes(const struct model *network);

/* The units' own requests: pins of ExecuTorch's buffers. Called for each request of a problem that places units. */
void engine_pin_unit(const struct problem *problem, const struct config *config, struct request *request);

#endif
