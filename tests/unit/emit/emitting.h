/* A chip, a model and a plan written down by hand, so that what the writers say can be told in advance.
 *
 * DTCM holds a scratch arena of 4096 bytes, a persistent one of 64 and a staged one of 52 that comes from MRAM; SRAM a scratch
 * arena of 8192 and 20 bytes of constants; MRAM 24 bytes of constants read in place; PSRAM, which no script declares and which
 * needs power, a staged arena of 8. */
#ifndef HELIA_TESTS_EMITTING_H
#define HELIA_TESTS_EMITTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emit/emit.h"

enum { MRAM, SRAM, DTCM, PSRAM, ITCM, REGION_COUNT };
#define MEMORY_COUNT 4 /* ITCM takes no data: no memory of the problem */

static const struct region emit_regions[REGION_COUNT] = {
    [MRAM] = {.name = "MRAM",
              .tier = TIER_NVM,
              .origin = 0x400000,
              .length = 4 << 20,
              .access = ACCESS_READ | ACCESS_EXECUTE,
              .data = true,
              .holds_image = true,
              .minimum_alignment = 1},
    [SRAM] = {.name = "SRAM",
              .tier = TIER_SRAM,
              .origin = 0x20080000,
              .length = 3 << 20,
              .access = ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE,
              .data = true,
              .minimum_alignment = 1},
    [DTCM] = {.name = "DTCM",
              .tier = TIER_TCM,
              .origin = 0x20000000,
              .length = 512 << 10,
              .access = ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE,
              .data = true,
              .minimum_alignment = 1},
    [PSRAM] = {.name = "PSRAM",
               .tier = TIER_EXTERNAL,
               .origin = 0x60000000,
               .length = 8 << 20,
               .access = ACCESS_READ | ACCESS_WRITE,
               .data = true,
               .needs_power = true,
               .minimum_alignment = 1},
    [ITCM] = {.name = "ITCM",
              .tier = TIER_TCM,
              .origin = 0,
              .length = 256 << 10,
              .access = ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE,
              .minimum_alignment = 1},
};
static const struct window emit_windows[] = {
    {.region = MRAM, .origin = 0x410000, .length = 4128768, .linker_name = "MCU_MRAM"},
    {.region = SRAM, .origin = 0x20080000, .length = 3145728, .linker_name = "SHARED_SRAM"},
    {.region = DTCM, .origin = 0x20000000, .length = 507904, .linker_name = "MCU_TCM"},
    {.region = ITCM, .origin = 0, .length = 262144, .linker_name = "ITCM"},
};

#define TENSOR_COUNT 9
enum { INPUT, HIDDEN, HIDDEN_VIEW, STATE, WEIGHTS, BIAS, STAGED_A, STAGED_B, EXTERNAL };

struct sample {
    struct arena arena;
    struct diagnostics diagnostics;
    struct region regions[REGION_COUNT];
    struct window windows[4];
    struct soc soc;
    struct linker_profile profile;
    uint8_t content[256];
    struct tensor tensors[TENSOR_COUNT];
    struct model model;
    struct problem_memory memories[MEMORY_COUNT];
    struct request requests[TENSOR_COUNT];
    struct problem problem;
    struct tensor_allocation allocations[TENSOR_COUNT];
    struct arena_usage arenas[7];
    struct memory_plan plan;
    struct emit_request request;
};

struct sample_tensor {
    const char *id, *name;
    enum tensor_role role;
    uint32_t memory, source;
    uint64_t offset, size;
    uint64_t data_offset, data_size;
    uint32_t alias_of;
};

static const struct sample_tensor sample_tensors[TENSOR_COUNT] = {
    [INPUT] = {"0", "input", ROLE_SCRATCH, DTCM, DTCM, 0, 1024, 0, 0, UINT32_MAX},
    [HIDDEN] = {"1", "hidden", ROLE_SCRATCH, SRAM, SRAM, 0, 8192, 0, 0, UINT32_MAX},
    [HIDDEN_VIEW] = {"1:7", "hidden/view", ROLE_SCRATCH, SRAM, SRAM, 0, 8192, 0, 0, HIDDEN},
    [STATE] = {"3", "state", ROLE_PERSISTENT, DTCM, DTCM, 0, 64, 0, 0, UINT32_MAX},
    [WEIGHTS] = {"4", "weights", ROLE_CONSTANT, MRAM, MRAM, 0, 24, 16, 24, UINT32_MAX},
    [BIAS] = {"5", "bias", ROLE_CONSTANT, SRAM, SRAM, 0, 20, 100, 20, UINT32_MAX},
    [STAGED_A] = {"6", "kernel a", ROLE_CONSTANT, DTCM, MRAM, 0, 13, 40, 13, UINT32_MAX},
    [STAGED_B] = {"8", "kernel b", ROLE_CONSTANT, DTCM, MRAM, 32, 20, 60, 20, UINT32_MAX},
    [EXTERNAL] = {"9", "table", ROLE_CONSTANT, PSRAM, MRAM, 0, 8, 90, 8, UINT32_MAX},
};

/* Ids: scratch, persistent, constant; then the memory's name. */
static const struct arena_usage sample_arenas[] = {
    {0, ROLE_SCRATCH, DTCM, DTCM, 4096, 4096, 32, 4096, 0, "kws_arena_scratch_dtcm", NULL},
    {1, ROLE_SCRATCH, SRAM, SRAM, 8192, 8192, 16, 8192, 0, "kws_arena_scratch_sram", NULL},
    {2, ROLE_PERSISTENT, DTCM, DTCM, 64, 64, 16, 64, 0, "kws_arena_persistent_dtcm", NULL},
    {3, ROLE_CONSTANT, DTCM, MRAM, 52, 52, 16, 52, 0, "kws_arena_constant_dtcm", "kws_source_dtcm_from_mram"},
    {4, ROLE_CONSTANT, MRAM, MRAM, 24, 24, 16, 24, 0, "kws_arena_constant_mram", NULL},
    {5, ROLE_CONSTANT, PSRAM, MRAM, 8, 8, 16, 8, 0, "kws_arena_constant_psram", "kws_source_psram_from_mram"},
    {6, ROLE_CONSTANT, SRAM, SRAM, 20, 20, 16, 20, 0, "kws_arena_constant_sram", NULL},
};

static inline void sample_chip(struct sample *sample)
{
    memcpy(sample->regions, emit_regions, sizeof emit_regions);
    memcpy(sample->windows, emit_windows, sizeof emit_windows);
    sample->soc =
        (struct soc){.name = "testchip", .minimum_alignment = 16, .regions = sample->regions, .region_count = REGION_COUNT};
    sample->profile = (struct linker_profile){.name = "sbl",
                                              .verified = true,
                                              .windows = sample->windows,
                                              .window_count = 4,
                                              .code_region = MRAM,
                                              .data_region = DTCM,
                                              .stack_region = DTCM,
                                              .image_region = MRAM};
    for (uint32_t m = 0; m < MEMORY_COUNT; m++) {
        const struct region *region = &sample->regions[m];
        sample->memories[m] = (struct problem_memory){.name = region->name,
                                                      .region = m,
                                                      .tier = region->tier,
                                                      .writable = (region->access & ACCESS_WRITE) != 0,
                                                      .holds_image = region->holds_image,
                                                      .minimum_alignment = 16};
        sample->memories[m].capacity = profile_capacity(&sample->soc, &sample->profile, m, &sample->memories[m].origin);
        sample->memories[m].limit = sample->memories[m].capacity;
    }
}

static inline void sample_tensor(struct sample *sample, size_t index)
{
    const struct sample_tensor *row = &sample_tensors[index];
    sample->tensors[index] = (struct tensor){.id = row->id,
                                             .name = row->name,
                                             .size = row->size,
                                             .alignment = 1,
                                             .role = row->role,
                                             .is_live = true,
                                             .data_offset = row->data_offset,
                                             .data_size = row->data_size,
                                             .buffer = UINT32_MAX};
    sample->requests[index] = (struct request){.tensor = (uint32_t)index,
                                               .alias_of = row->alias_of,
                                               .role = row->role,
                                               .size = row->size,
                                               .alignment = 1,
                                               .memory = row->memory,
                                               .source_memory = row->source};
    sample->allocations[index] = (struct tensor_allocation){.tensor = (uint32_t)index,
                                                            .request = (uint32_t)index,
                                                            .alias_of = row->alias_of,
                                                            .size = row->size,
                                                            .binding = {row->role, row->memory, row->source, row->offset}};
}

static inline void sample_plan(struct sample *sample)
{
    memcpy(sample->arenas, sample_arenas, sizeof sample_arenas);
    sample->problem = (struct problem){.soc = &sample->soc,
                                       .profile = &sample->profile,
                                       .model = &sample->model,
                                       .engine = ENGINE_HELIA_AOT,
                                       .memories = sample->memories,
                                       .memory_count = MEMORY_COUNT,
                                       .requests = sample->requests,
                                       .request_count = TENSOR_COUNT,
                                       .step_count = 1,
                                       .allocate_arenas = true,
                                       .auto_hydrate_constants = true,
                                       .dump_residency = true,
                                       .planner = "greedy",
                                       .prefix = "kws"};
    sample->plan = (struct memory_plan){.problem = &sample->problem,
                                        .planner = &planners[0],
                                        .allocations = sample->allocations,
                                        .allocation_count = TENSOR_COUNT,
                                        .arenas = sample->arenas,
                                        .arena_count = 7,
                                        .hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
}

/* The content of the model file is the numbers 0, 1, 2, ... */
static inline struct sample *sample_new(void)
{
    struct sample *sample = calloc(1, sizeof *sample);
    assert_non_null(sample);
    sample->diagnostics = diagnostics_start(&sample->arena);
    for (size_t i = 0; i < sizeof sample->content; i++) {
        sample->content[i] = (uint8_t)i;
    }
    sample_chip(sample);
    for (size_t i = 0; i < TENSOR_COUNT; i++) {
        sample_tensor(sample, i);
    }
    sample->model = (struct model){.path = "model.yaml",
                                   .name = "model",
                                   .format = "tensor-list",
                                   .content = {sample->content, sizeof sample->content},
                                   .tensors = sample->tensors,
                                   .tensor_count = TENSOR_COUNT,
                                   .step_count = 1,
                                   .subgraph_count = 1};
    sample_plan(sample);
    sample->request = (struct emit_request){.plan = &sample->plan, .diagnostics = &sample->diagnostics, .tool_version = "1.2.3"};
    return sample;
}

static inline void sample_free(struct sample *sample)
{
    arena_free(&sample->arena);
    free(sample);
}

/* As if an interpreter's model were in PSRAM: no staged copy, the host brings the bytes. */
static inline void sample_let_host_upload(struct sample *sample)
{
    sample->problem.host_fills_external = true;
    sample->arenas[5].source_memory = PSRAM;
    sample->arenas[5].source_symbol = NULL;
    sample->allocations[EXTERNAL].binding.source_memory = PSRAM;
}

typedef void sample_writer(const struct emit_request *request, struct text *out);

static inline const char *sample_text(struct sample *sample, sample_writer *write)
{
    struct text out = text_start(&sample->arena);
    write(&sample->request, &out);
    return out.data;
}

/* How often `needle` stands in `text`. */
static inline size_t occurrences(const char *text, const char *needle)
{
    size_t count = 0;
    for (const char *at = strstr(text, needle); at != NULL; at = strstr(at + 1, needle)) {
        count++;
    }
    return count;
}

static inline void assert_has(const char *text, const char *needle)
{
    if (strstr(text, needle) == NULL) {
        fail_msg("'%s' is missing in:\n%s", needle, text);
    }
}

static inline void assert_has_not(const char *text, const char *needle)
{
    if (strstr(text, needle) != NULL) {
        fail_msg("'%s' must not stand in:\n%s", needle, text);
    }
}

static inline const struct artifact *artifact_named(const struct artifact_list *artifacts, const char *name)
{
    for (size_t i = 0; i < artifacts->count; i++) {
        if (text_equal(artifacts->items[i].name, name)) {
            return &artifacts->items[i];
        }
    }
    fail_msg("there is no artifact %s", name);
    return NULL;
}

#endif
