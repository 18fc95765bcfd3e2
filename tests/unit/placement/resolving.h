/* A small chip and a small model for the tests of placement/, and one call that resolves a config text against them. */
#ifndef HELIA_TESTS_RESOLVING_H
#define HELIA_TESTS_RESOLVING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doc/doc.h"
#include "placement/placement.h"

/* MRAM 1 MiB, SRAM 512 KiB, DTCM 64 KiB (window 60 KiB), ITCM 64 KiB for code, PSRAM 8 MiB without a window. */
enum { REGION_MRAM, REGION_SRAM, REGION_DTCM, REGION_ITCM, REGION_PSRAM, REGION_COUNT };

static struct region test_regions[REGION_COUNT] = {
    {.name = "MRAM",
     .tier = TIER_NVM,
     .origin = 0x400000,
     .length = 1 << 20,
     .access = ACCESS_READ | ACCESS_EXECUTE,
     .data = true,
     .holds_image = true,
     .minimum_alignment = 1,
     .npu_access = true},
    {.name = "SRAM",
     .tier = TIER_SRAM,
     .origin = 0x20080000,
     .length = 512 << 10,
     .access = ACCESS_READ | ACCESS_WRITE,
     .data = true,
     .minimum_alignment = 1,
     .npu_access = true},
    {.name = "DTCM",
     .tier = TIER_TCM,
     .origin = 0x20000000,
     .length = 64 << 10,
     .access = ACCESS_READ | ACCESS_WRITE,
     .data = true,
     .minimum_alignment = 1,
     .npu_access = true},
    {.name = "ITCM",
     .tier = TIER_TCM,
     .origin = 0,
     .length = 64 << 10,
     .access = ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE,
     .minimum_alignment = 1,
     .npu_access = true},
    {.name = "PSRAM",
     .tier = TIER_EXTERNAL,
     .origin = 0x60000000,
     .length = 8 << 20,
     .access = ACCESS_READ | ACCESS_WRITE,
     .data = true,
     .needs_power = true,
     .minimum_alignment = 1,
     .npu_access = true},
};
static struct window test_windows[] = {
    {.region = REGION_MRAM, .origin = 0x410000, .length = (1 << 20) - 0x10000, .linker_name = "MCU_MRAM"},
    {.region = REGION_SRAM, .origin = 0x20080000, .length = 512 << 10, .linker_name = "SHARED_SRAM"},
    {.region = REGION_DTCM, .origin = 0x20000000, .length = 60 << 10, .linker_name = "MCU_TCM"},
    {.region = REGION_ITCM, .origin = 0, .length = 64 << 10, .linker_name = "MCU_ITCM"},
};
static struct linker_profile test_profile = {
    .name = "sbl",
    .verified = true,
    .windows = test_windows,
    .window_count = 4,
    .code_region = REGION_MRAM,
    .data_region = REGION_DTCM,
    .stack_region = REGION_DTCM,
    .image_region = REGION_MRAM,
};
static const uint32_t test_order[] = {REGION_DTCM, REGION_SRAM};
static struct soc test_soc = {
    .name = "testchip",
    .minimum_alignment = 4,
    .regions = test_regions,
    .region_count = REGION_COUNT,
    .memory_order = test_order,
    .memory_order_count = 2,
    .profiles = &test_profile,
    .profile_count = 1,
};

/* Scratch t1 t2 t3, constants w0 w1 (w0's buffer is shared by w0b), persistent p0; dead: never touched. */
static struct tensor test_tensors[] = {
    {.id = "0",
     .name = "t1",
     .size = 100,
     .alignment = 1,
     .role = ROLE_SCRATCH,
     .is_live = true,
     .start_op = 0,
     .end_op = 1,
     .buffer = UINT32_MAX},
    {.id = "1",
     .name = "t2",
     .size = 200,
     .alignment = 4,
     .role = ROLE_SCRATCH,
     .is_live = true,
     .start_op = 1,
     .end_op = 2,
     .buffer = UINT32_MAX},
    {.id = "2",
     .name = "t3",
     .size = 300,
     .alignment = 1,
     .role = ROLE_SCRATCH,
     .is_live = true,
     .start_op = 2,
     .end_op = 2,
     .buffer = UINT32_MAX},
    {.id = "3",
     .name = "w0",
     .size = 64,
     .alignment = 1,
     .role = ROLE_CONSTANT,
     .is_live = true,
     .start_op = 0,
     .end_op = 0,
     .buffer = 5},
    {.id = "4",
     .name = "w1",
     .size = 32,
     .alignment = 4,
     .role = ROLE_CONSTANT,
     .is_live = true,
     .start_op = 1,
     .end_op = 1,
     .buffer = 6},
    {.id = "5",
     .name = "w0b",
     .size = 64,
     .alignment = 4,
     .role = ROLE_CONSTANT,
     .is_live = true,
     .start_op = 2,
     .end_op = 2,
     .buffer = 5},
    {.id = "6",
     .name = "p0",
     .size = 16,
     .alignment = 1,
     .role = ROLE_PERSISTENT,
     .is_live = true,
     .start_op = 0,
     .end_op = 2,
     .buffer = UINT32_MAX},
    {.id = "7", .name = "dead", .size = 16, .alignment = 1, .role = ROLE_SCRATCH, .is_live = false, .buffer = UINT32_MAX},
};
static struct model test_model = {.path = "net.tflite",
                                  .name = "net",
                                  .format = "tflite",
                                  .tensors = test_tensors,
                                  .tensor_count = 8,
                                  .step_count = 3,
                                  .content = {(const uint8_t *)"", 4321}};

struct resolving {
    struct arena arena;
    struct diagnostics diagnostics;
    struct problem problem;
    bool good;
};

static inline int resolving_start(void **state)
{
    struct resolving *resolving = test_calloc(1, sizeof *resolving);
    resolving->diagnostics = diagnostics_start(&resolving->arena);
    *state = resolving;
    return 0;
}

static inline int resolving_end(void **state)
{
    struct resolving *resolving = *state;
    arena_free(&resolving->arena);
    test_free(resolving);
    return 0;
}

/* Resolves a config text; resolving->good says whether it held. */
static inline void resolve(struct resolving *resolving, const char *config_text)
{
    struct diagnostics *diagnostics = &resolving->diagnostics;
    uint32_t source =
        diag_add_source(diagnostics, "test.yaml", (struct bytes){(const uint8_t *)config_text, strlen(config_text)});
    const struct node *root;
    struct config config;
    struct placement_inputs inputs = {.config = &config, .soc = &test_soc, .profile = &test_profile, .model = &test_model};
    resolving->good = doc_parse(&resolving->arena, diagnostics, source, &root) &&
                      config_decode(&resolving->arena, diagnostics, root, &config) &&
                      placement_resolve(&resolving->arena, diagnostics, &inputs, &resolving->problem);
}

static inline const struct request *request_of(const struct resolving *resolving, const char *name)
{
    for (size_t i = 0; i < resolving->problem.request_count; i++) {
        const struct request *request = &resolving->problem.requests[i];
        if (strcmp(test_tensors[request->tensor].name, name) == 0) {
            return request;
        }
    }
    fail_msg("no request for %s", name);
    return NULL;
}

static inline const char *memory_name(const struct resolving *resolving, uint32_t memory)
{
    return memory == MEMORY_ANY ? "any" : resolving->problem.memories[memory].name;
}

static inline void expect_runtime_memory(const struct resolving *resolving, const char *tensor, const char *memory)
{
    assert_true(resolving->good);
    assert_string_equal(memory_name(resolving, request_of(resolving, tensor)->memory), memory);
}

static inline void expect_source(const struct resolving *resolving, const char *tensor, const char *memory)
{
    assert_true(resolving->good);
    assert_string_equal(memory_name(resolving, request_of(resolving, tensor)->source_memory), memory);
}

/* Exactly one finding, with this id on this line. */
static inline void expect_finding(const struct resolving *resolving, enum diag_id id, uint32_t line)
{
    assert_int_equal(resolving->diagnostics.list.count, 1);
    assert_string_equal(diag_row(resolving->diagnostics.list.items[0].id)->name, diag_row(id)->name);
    assert_int_equal(resolving->diagnostics.list.items[0].span.line, line);
}

static inline void expect_quiet(const struct resolving *resolving)
{
    assert_true(resolving->good);
    assert_int_equal(resolving->diagnostics.list.count, 0);
}

#define RESOLVING_TEST(function) cmocka_unit_test_setup_teardown(function, resolving_start, resolving_end)

#endif
