/* A chip with MRAM, SRAM, DTCM and PSRAM, and a problem that tests fill tensor by tensor. */
#ifndef TEST_PLAN_PLAN_FIXTURE_H
#define TEST_PLAN_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/text.h"
#include "plan/plan.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MRAM, SRAM, DTCM, PSRAM, MEMORY_COUNT };
#define TENSORS_MOST 16

struct fixture {
    struct arena arena;
    struct arena scratch;
    struct diagnostics diagnostics;
    struct soc soc;
    struct linker_profile profile;
    struct model model;
    struct tensor tensors[TENSORS_MOST];
    struct problem_memory memories[MEMORY_COUNT];
    uint32_t order[2];
    struct request requests[TENSORS_MOST];
    struct problem problem;
};

static inline void fixture_start(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .soc = {.name = "testchip"},
        .profile = {.name = "sbl", .image_region = MRAM},
        .order = {DTCM, SRAM},
        .memories =
            {
                [MRAM] = {.name = "MRAM",
                          .region = MRAM,
                          .tier = TIER_NVM,
                          .holds_image = true,
                          .origin = 0x410000,
                          .capacity = 4 << 20},
                [SRAM] = {.name = "SRAM",
                          .region = SRAM,
                          .tier = TIER_SRAM,
                          .writable = true,
                          .origin = 0x20080000,
                          .capacity = 3145728},
                [DTCM] = {.name = "DTCM",
                          .region = DTCM,
                          .tier = TIER_TCM,
                          .writable = true,
                          .origin = 0x20000000,
                          .capacity = 524288},
                [PSRAM] = {.name = "PSRAM",
                           .region = PSRAM,
                           .tier = TIER_EXTERNAL,
                           .writable = true,
                           .origin = 0x60000000,
                           .capacity = 32 << 20},
            },
    };
    for (size_t m = 0; m < MEMORY_COUNT; m++) {
        fixture->memories[m].physical = fixture->memories[m].capacity;
        fixture->memories[m].limit = fixture->memories[m].capacity;
        fixture->memories[m].minimum_alignment = 16;
    }
    fixture->diagnostics = diagnostics_start(&fixture->arena);
    fixture->model.tensors = fixture->tensors;
    fixture->problem = (struct problem){
        .soc = &fixture->soc,
        .profile = &fixture->profile,
        .model = &fixture->model,
        .memories = fixture->memories,
        .memory_count = MEMORY_COUNT,
        .order = fixture->order,
        .order_count = 2,
        .requests = fixture->requests,
        .step_count = 1,
        .allocate_arenas = true,
        .planner = "hill_climb",
        .prefix = "kws",
    };
}

static inline void fixture_free(struct fixture *fixture)
{
    arena_free(&fixture->arena);
    arena_free(&fixture->scratch);
}

/* Unpinned, or for constants in MRAM; the caller changes what it likes. */
static inline struct request *fixture_tensor(struct fixture *fixture, const char *id, enum tensor_role role, uint64_t size,
                                             uint32_t start, uint32_t end)
{
    uint32_t index = (uint32_t)fixture->problem.request_count++;
    assert_true(index < TENSORS_MOST);
    fixture->tensors[index] =
        (struct tensor){.id = id, .name = "", .size = size, .role = role, .is_live = true, .start_op = start, .end_op = end};
    fixture->model.tensor_count = fixture->problem.request_count;
    fixture->requests[index] = (struct request){
        .tensor = index,
        .alias_of = UINT32_MAX,
        .role = role,
        .size = size,
        .alignment = 1,
        .start_op = start,
        .end_op = end,
        .memory = role == ROLE_CONSTANT ? MRAM : MEMORY_ANY,
        .source_memory = role == ROLE_CONSTANT ? MRAM : UINT32_MAX,
    };
    if (end >= fixture->problem.step_count) {
        fixture->problem.step_count = end + 1;
    }
    return &fixture->requests[index];
}

/* PLN-002: 5120 bytes used by greedy, 4096 alive at once; a fifth is lost. */
static inline void fixture_start_with_loss(struct fixture *fixture)
{
    fixture_start(fixture);
    fixture->problem.planner = "greedy";
    fixture_tensor(fixture, "A", ROLE_SCRATCH, 1024, 0, 1);
    fixture_tensor(fixture, "B", ROLE_SCRATCH, 2048, 1, 2);
    fixture_tensor(fixture, "C", ROLE_SCRATCH, 2048, 2, 3);
}

static inline const struct memory_plan *fixture_plan(struct fixture *fixture)
{
    const struct memory_plan *plan = NULL;
    if (!plan_make(&fixture->arena, &fixture->scratch, &fixture->diagnostics, &fixture->problem, &plan)) {
        struct text text = text_start(&fixture->arena);
        diag_render_text(&fixture->diagnostics, false, &text);
        fail_msg("%s", text.data);
    }
    return plan;
}

static inline uint64_t offset_of(const struct memory_plan *plan, size_t tensor)
{
    return plan->allocations[tensor].binding.offset;
}

static inline const struct arena_usage *arena_of(const struct memory_plan *plan, enum tensor_role role, uint32_t memory)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == role && plan->arenas[i].memory == memory) {
            return &plan->arenas[i];
        }
    }
    return NULL;
}

/* "name=size kind, ..." of a region. */
static inline const char *consumers_text(struct fixture *fixture, const struct memory_plan *plan, uint32_t memory)
{
    struct text text = text_start(&fixture->arena);
    const struct region_usage *region = &plan->regions[memory];
    for (size_t i = 0; i < region->consumer_count; i++) {
        text_print(&text, "%s%s=%llu %s", i == 0 ? "" : ", ", region->consumers[i].name,
                   (unsigned long long)region->consumers[i].size, region->consumers[i].kind);
    }
    return text.data;
}

/* The only finding of the run. */
static inline const struct diag *only_finding(const struct fixture *fixture)
{
    assert_int_equal(fixture->diagnostics.list.count, 1);
    return &fixture->diagnostics.list.items[0];
}

#endif
