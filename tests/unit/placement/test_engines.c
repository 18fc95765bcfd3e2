/* Engines: units, coarse keys, keys that are not read, PSRAM. Case names are those of the corpus. */
#include "resolving.h"

#include <stdio.h>

#include "placement/engine.h"

static void expect_unit(const struct resolving *resolving, const char *unit, uint64_t size, const char *memory)
{
    assert_true(resolving->good);
    for (size_t i = 0; i < resolving->problem.request_count; i++) {
        const struct request *request = &resolving->problem.requests[i];
        if (strcmp(resolving->problem.model->tensors[request->tensor].id, unit) == 0) {
            assert_int_equal(request->size, size);
            assert_string_equal(memory_name(resolving, request->memory), memory);
            return;
        }
    }
    fail_msg("no unit %s", unit);
}

static void expect_no_unit(const struct resolving *resolving, const char *unit)
{
    for (size_t i = 0; i < resolving->problem.request_count; i++) {
        assert_string_not_equal(resolving->problem.model->tensors[resolving->problem.requests[i].tensor].id, unit);
    }
}

static void an_interpreter_has_an_arena_and_a_blob(void **state)
{
    resolve(*state, "engine: {type: tflm}\nmodel: {arena_size: 4K, arena_location: tcm, weights_location: mram}\n");
    expect_unit(*state, "tensor_arena", 4096, "DTCM");
    expect_unit(*state, "model_flatbuffer", 4321, "MRAM");
    assert_int_equal(((struct resolving *)*state)->problem.request_count, 2);
    expect_quiet(*state);
}

static void plc_038_the_default_arena_is_256_kib(void **state)
{
    resolve(*state, "engine: {type: helia-rt}\n");
    expect_unit(*state, "tensor_arena", 262144, "SRAM");
}

static void weights_in_fast_memory_are_staged(void **state)
{
    resolve(*state, "engine: {type: tflm}\nmodel: {arena_size: 4K, weights_location: sram}\n");
    expect_unit(*state, "model_flatbuffer", 4321, "SRAM");
    const struct resolving *resolving = *state;
    assert_string_equal(memory_name(resolving, resolving->problem.requests[1].source_memory), "MRAM");
}

static void ovr_007_arena_location_mram(void **state)
{
    resolve(*state, "model:\n  arena_location: mram\n");
    expect_finding(*state, DIAG_UNKNOWN_CHOICE, 2);
}

static void ovr_013_weights_location_itcm(void **state)
{
    resolve(*state, "model:\n  weights_location: itcm\n");
    expect_finding(*state, DIAG_UNKNOWN_CHOICE, 2);
}

static void ovr_008_no_dtcm(void **state)
{
    struct resolving *resolving = *state;
    test_regions[REGION_DTCM].data = false;
    resolve(resolving, "engine: {type: tflm}\nmodel:\n  arena_location: tcm\n");
    test_regions[REGION_DTCM].data = true;
    expect_finding(resolving, DIAG_REGION_NOT_FITTED, 3);
    assert_string_equal(resolving->diagnostics.list.items[0].message,
                        "model.arena_location=tcm requested, but SoC testchip has no DTCM.");
}

static void a_buffer_for_a_memory_that_the_part_lacks(void **state)
{
    struct resolving *resolving = *state;
    test_regions[REGION_DTCM].data = false;
    resolve(resolving, "engine:\n  type: executorch\n  config:\n    planned_arena_size: 4K\n    input_size: 16\n"
                       "    output_size: 16\n    io_location: tcm\n");
    test_regions[REGION_DTCM].data = true;
    expect_finding(resolving, DIAG_REGION_NOT_FITTED, 7);
    assert_string_equal(resolving->diagnostics.list.items[0].message,
                        "engine.config.io_location=tcm requested, but SoC testchip has no DTCM.");
}

static void a_buffer_key_of_another_engine_is_only_ignored(void **state)
{
    struct resolving *resolving = *state;
    test_regions[REGION_DTCM].data = false;
    resolve(resolving, "engine:\n  type: tflm\n  config:\n    io_location: tcm\n");
    test_regions[REGION_DTCM].data = true;
    assert_true(resolving->good);
    expect_finding(resolving, DIAG_IGNORED_KEY, 4);
}

static void resolve_program_for(struct resolving *resolving, const char *engine)
{
    char text[128];
    struct model plain = test_model;
    test_model.format = "pte";
    snprintf(text, sizeof text, "model:\n  path: net.pte\nengine: {type: %s, config: {input_size: 16, output_size: 16}}\n",
             engine);
    resolve(resolving, text);
    test_model = plain;
}

static void an_executorch_program_needs_executorch(void **state)
{
    struct resolving *resolving = *state;
    static const char *const others[] = {"tflm", "helia-rt", "helia-aot"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        size_t before = resolving->diagnostics.error_count;
        resolve_program_for(resolving, others[i]);
        assert_false(resolving->good);
        assert_int_equal(resolving->diagnostics.error_count, before + 1);
        const struct diag *last = &resolving->diagnostics.list.items[resolving->diagnostics.list.count - 1];
        assert_string_equal(diag_row(last->id)->name, "engine-model");
        assert_int_equal(last->span.line, 2);
    }
}

static void executorch_takes_a_program(void **state)
{
    resolve_program_for(*state, "executorch");
    expect_quiet(*state);
}

static void the_policy_keeps_budgets(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "engine: {type: tflm}\nmodel: {arena_size: 32K}\ntarget: {slack: {DTCM: 0}}\n"
                       "memory: {constraints: [{name: DTCM, max_size: 16K}]}\n");
    expect_unit(resolving, "tensor_arena", 32768, "SRAM");
    /* 62 KiB fit the 64 KiB of DTCM, but not its window of 60. */
    resolve(resolving, "engine: {type: tflm}\nmodel: {arena_size: 62K}\ntarget: {slack: {DTCM: 0}}\n");
    expect_unit(resolving, "tensor_arena", 63488, "SRAM");
    resolve(resolving, "engine: {type: tflm}\nmodel: {arena_size: 60K}\ntarget: {slack: {DTCM: 0}}\n");
    expect_unit(resolving, "tensor_arena", 61440, "DTCM");
}

static void ovr_009_no_psram(void **state)
{
    struct resolving *resolving = *state;
    test_soc.region_count = REGION_PSRAM;
    resolve(resolving, "engine: {type: tflm}\nmodel:\n  weights_location: psram\n");
    test_soc.region_count = REGION_COUNT;
    expect_finding(resolving, DIAG_REGION_NOT_FITTED, 3);
    assert_non_null(strstr(resolving->diagnostics.list.items[0].message, "has no PSRAM."));
}

static void ovr_010_arena_size_must_be_positive(void **state)
{
    resolve(*state, "engine: {type: tflm}\nmodel:\n  arena_size: 0\n");
    expect_finding(*state, DIAG_BAD_VALUE, 3);
}

static void ovr_011_and_012_the_npu_and_tcm(void **state)
{
    struct resolving *resolving = *state;
    static struct model_operator npu_operator = {.name = "ethos-u"};
    struct model plain = test_model;
    test_model.operators = &npu_operator;
    test_model.operator_count = 1;
    test_soc.npu = "ethos-u85";
    test_regions[REGION_DTCM].npu_access = false;
    test_regions[REGION_DTCM].length = 1 << 20;
    resolve(resolving, "engine: {type: tflm}\nmodel: {arena_size: 30K}\n");
    expect_unit(resolving, "tensor_arena", 30720, "SRAM");
    resolve(resolving, "engine: {type: tflm}\nmodel:\n  arena_location: tcm\n");
    test_regions[REGION_DTCM].npu_access = true;
    test_regions[REGION_DTCM].length = 64 << 10;
    test_soc.npu = NULL;
    test_model = plain;
    expect_finding(resolving, DIAG_NPU_CANNOT_REACH, 3);
    assert_non_null(strstr(resolving->diagnostics.list.items[0].message, "NPU cannot access the CPU's TCM"));
}

#define ETX_SIZES                                                                                                                \
    "planned_arena_size: 160K, method_arena_size: 64K, temporary_arena_size: 32K, input_size: 12288, output_size: 40"

static void etx_001_one_location_for_all_five(void **state)
{
    test_soc.pmu_max_ops = 4096;
    resolve(*state, "model: {weights_location: mram, arena_location: tcm}\n"
                    "engine: {type: executorch, config: {" ETX_SIZES "}}\n");
    test_soc.pmu_max_ops = 0;
    expect_unit(*state, "planned_arena", 163840, "DTCM");
    expect_unit(*state, "method_arena", 65536, "DTCM");
    expect_unit(*state, "temporary_arena", 32768, "DTCM");
    expect_unit(*state, "input_buffer", 12288, "DTCM");
    expect_unit(*state, "output_buffer", 40, "DTCM");
    expect_unit(*state, "pmu_layer_records", 131072, "SRAM");
    expect_unit(*state, "pte_program", 4321, "MRAM");
    expect_quiet(*state);
}

static void etx_002_and_009_overrides_move_single_buffers(void **state)
{
    resolve(*state, "model: {weights_location: mram, arena_location: tcm}\n"
                    "engine: {type: executorch, config: {" ETX_SIZES
                    ", method_arena_location: sram, temporary_arena_location: sram, io_location: sram}}\n");
    expect_unit(*state, "planned_arena", 163840, "DTCM");
    expect_unit(*state, "method_arena", 65536, "SRAM");
    expect_unit(*state, "temporary_arena", 32768, "SRAM");
    expect_unit(*state, "input_buffer", 12288, "SRAM");
    expect_unit(*state, "output_buffer", 40, "SRAM");
}

static void etx_004_no_psram_for_executorch(void **state)
{
    resolve(*state, "model:\n  arena_location: psram\nengine: {type: executorch, config: {" ETX_SIZES "}}\n");
    expect_finding(*state, DIAG_PSRAM_UNSUPPORTED, 2);
}

static void etx_005_buffers_only_in_tcm_or_sram(void **state)
{
    resolve(*state, "engine:\n  type: executorch\n  config:\n    method_arena_location: mram\n");
    expect_finding(*state, DIAG_UNKNOWN_CHOICE, 4);
}

static void etx_007_defaults(void **state)
{
    resolve(*state,
            "engine: {type: executorch, config: {planned_arena_size: 4K, method_arena_size: null, temporary_arena_size: null,"
            " input_size: 16, output_size: 16}}\n");
    expect_unit(*state, "method_arena", 65536, "SRAM");
    expect_unit(*state, "temporary_arena", 32768, "SRAM");
    expect_quiet(*state);
}

static void io_buffers_of_unknown_size_are_left_out_aloud(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "engine: {type: executorch, config: {planned_arena_size: 4K}}\n");
    assert_true(resolving->good);
    assert_int_equal(resolving->diagnostics.warning_count, 2);
    assert_string_equal(diag_row(resolving->diagnostics.list.items[0].id)->name, "missing-size");
    expect_no_unit(resolving, "input_buffer");
}

static void psr_001_the_host_fills_psram_over_rtt(void **state)
{
    resolve(*state, "engine: {type: helia-rt}\nmodel: {weights_location: psram, arena_size: 4K}\ntarget: {transport: rtt}\n");
    expect_unit(*state, "model_flatbuffer", 4321, "PSRAM");
    assert_true(((struct resolving *)*state)->problem.host_fills_external);
    expect_quiet(*state);
}

static void psr_002_another_transport_is_refused(void **state)
{
    resolve(*state, "engine: {type: helia-rt}\nmodel: {weights_location: psram, arena_size: 4K}\ntarget:\n  transport: usb\n");
    expect_finding(*state, DIAG_PSRAM_TRANSPORT, 4);
}

static void psr_003_aot_psram_needs_external_arenas(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "model:\n  weights_location: psram\ntarget: {transport: usb}\n");
    expect_finding(resolving, DIAG_PSRAM_ARENAS, 2);
    assert_string_equal(
        resolving->diagnostics.list.items[0].message,
        "PSRAM placement requires engine.config.aot_args.memory.allocate_arenas: false, or the same key in the top-level "
        "memory block");
}

static void psr_004_with_external_arenas_no_transport_is_needed(void **state)
{
    resolve(*state, "model: {weights_location: psram}\ntarget: {transport: usb}\nmemory: {allocate_arenas: false}\n");
    expect_runtime_memory(*state, "w0", "PSRAM");
    expect_quiet(*state);
}

static void psr_005_an_aot_arena_in_psram(void **state)
{
    resolve(*state, "model:\n  arena_location: psram\n");
    expect_finding(*state, DIAG_PSRAM_ARENAS, 2);
}

static void psr_007_to_009_the_clock(void **state)
{
    static const uint64_t clocks[] = {48000000, 125000000};
    struct resolving *resolving = *state;
    test_soc.psram_clocks_hz = clocks;
    test_soc.psram_clock_count = 2;
    resolve(resolving, "target:\n  psram: {clock_hz: 125000000}\n");
    expect_quiet(resolving);
    assert_int_equal(resolving->problem.psram_clock_hz, 125000000);
    resolve(resolving, "");
    assert_int_equal(resolving->problem.psram_clock_hz, 48000000);
    resolve(resolving, "target:\n  psram: {clock_hz: 100000000}\n");
    test_soc.psram_clock_count = 0;
    expect_finding(resolving, DIAG_PSRAM_CLOCK, 2);
}

static void coarse_keys_pin_aot_kinds(void **state)
{
    resolve(*state, "model: {arena_location: sram, weights_location: tcm}\n");
    expect_runtime_memory(*state, "t1", "SRAM");
    expect_runtime_memory(*state, "p0", "SRAM");
    expect_runtime_memory(*state, "w0", "DTCM");
    expect_source(*state, "w0", "MRAM");
}

/* RUL-007: with one key set, the other is automatic: 64 KiB of DTCM cannot take the default arena and its slack. */
static void rul_007_the_other_key_is_automatic(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "model: {weights_location: mram}\n");
    expect_runtime_memory(resolving, "t1", "any");
    assert_string_equal(resolving->problem.memories[resolving->problem.order[0]].name, "SRAM");
    assert_string_equal(resolving->problem.memories[resolving->problem.order[1]].name, "DTCM");
    expect_quiet(resolving);
}

static void rul_001_without_keys_the_preferred_order_decides(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "");
    expect_runtime_memory(resolving, "w0", "MRAM");
    assert_string_equal(resolving->problem.memories[resolving->problem.order[0]].name, "DTCM");
}

static void rul_009_a_type_rule_replaces_the_coarse_rule(void **state)
{
    resolve(*state, "model: {arena_location: tcm, weights_location: sram}\n"
                    "memory:\n  tensors:\n    - {type: constant, attributes: {memory: mram}}\n");
    expect_runtime_memory(*state, "t1", "DTCM");
    expect_runtime_memory(*state, "w0", "MRAM");
}

static void rul_013_an_id_rule_adds_to_the_coarse_rule(void **state)
{
    resolve(*state, "model: {arena_location: tcm, weights_location: sram}\n"
                    "memory:\n  tensors:\n    - {type: scratch, id: t2, attributes: {memory: sram}}\n");
    expect_runtime_memory(*state, "t1", "DTCM");
    expect_runtime_memory(*state, "t2", "SRAM");
    expect_runtime_memory(*state, "w0", "SRAM");
}

static void a_key_that_the_engine_does_not_read_is_a_warning(void **state)
{
    resolve(*state, "model:\n  arena_size: 4K\n");
    expect_finding(*state, DIAG_IGNORED_KEY, 2);
}

static void rules_for_tensors_are_a_warning_for_interpreters(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "engine: {type: tflm}\nmemory:\n  tensors:\n    - {type: scratch, attributes: {memory: sram}}\n");
    assert_true(resolving->good);
    assert_int_equal(resolving->diagnostics.list.count, 1);
    assert_string_equal(diag_row(resolving->diagnostics.list.items[0].id)->name, "ignored-key");
}

static void slack_moves_the_policy(void **state)
{
    resolve(*state, "engine: {type: tflm}\nmodel: {arena_size: 4K}\ntarget: {slack: {dtcm: 16K}}\n");
    expect_unit(*state, "tensor_arena", 4096, "DTCM");
    expect_unit(*state, "model_flatbuffer", 4321, "DTCM");
}

static void slack_that_cannot_be_read(void **state)
{
    resolve(*state, "target:\n  slack:\n    DTCM: lots\n");
    expect_finding(*state, DIAG_BAD_VALUE, 3);
}

static void slack_of_an_unknown_memory(void **state)
{
    resolve(*state, "target:\n  slack:\n    HBM: 4K\n");
    expect_finding(*state, DIAG_UNKNOWN_MEMORY, 3);
}

static void an_arena_that_takes_the_slack_is_a_warning(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "engine: {type: tflm}\nmodel: {arena_size: 500K}\n");
    expect_unit(resolving, "tensor_arena", 512000, "SRAM");
    assert_int_equal(resolving->diagnostics.warning_count, 1);
    assert_string_equal(diag_row(resolving->diagnostics.list.items[0].id)->name, "slack-not-kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESOLVING_TEST(an_interpreter_has_an_arena_and_a_blob),
        RESOLVING_TEST(plc_038_the_default_arena_is_256_kib),
        RESOLVING_TEST(weights_in_fast_memory_are_staged),
        RESOLVING_TEST(ovr_007_arena_location_mram),
        RESOLVING_TEST(ovr_013_weights_location_itcm),
        RESOLVING_TEST(ovr_008_no_dtcm),
        RESOLVING_TEST(a_buffer_for_a_memory_that_the_part_lacks),
        RESOLVING_TEST(a_buffer_key_of_another_engine_is_only_ignored),
        RESOLVING_TEST(an_executorch_program_needs_executorch),
        RESOLVING_TEST(executorch_takes_a_program),
        RESOLVING_TEST(the_policy_keeps_budgets),
        RESOLVING_TEST(ovr_009_no_psram),
        RESOLVING_TEST(ovr_010_arena_size_must_be_positive),
        RESOLVING_TEST(ovr_011_and_012_the_npu_and_tcm),
        RESOLVING_TEST(etx_001_one_location_for_all_five),
        RESOLVING_TEST(etx_002_and_009_overrides_move_single_buffers),
        RESOLVING_TEST(etx_004_no_psram_for_executorch),
        RESOLVING_TEST(etx_005_buffers_only_in_tcm_or_sram),
        RESOLVING_TEST(etx_007_defaults),
        RESOLVING_TEST(io_buffers_of_unknown_size_are_left_out_aloud),
        RESOLVING_TEST(psr_001_the_host_fills_psram_over_rtt),
        RESOLVING_TEST(psr_002_another_transport_is_refused),
        RESOLVING_TEST(psr_003_aot_psram_needs_external_arenas),
        RESOLVING_TEST(psr_004_with_external_arenas_no_transport_is_needed),
        RESOLVING_TEST(psr_005_an_aot_arena_in_psram),
        RESOLVING_TEST(psr_007_to_009_the_clock),
        RESOLVING_TEST(coarse_keys_pin_aot_kinds),
        RESOLVING_TEST(rul_007_the_other_key_is_automatic),
        RESOLVING_TEST(rul_001_without_keys_the_preferred_order_decides),
        RESOLVING_TEST(rul_009_a_type_rule_replaces_the_coarse_rule),
        RESOLVING_TEST(rul_013_an_id_rule_adds_to_the_coarse_rule),
        RESOLVING_TEST(a_key_that_the_engine_does_not_read_is_a_warning),
        RESOLVING_TEST(rules_for_tensors_are_a_warning_for_interpreters),
        RESOLVING_TEST(slack_moves_the_policy),
        RESOLVING_TEST(slack_that_cannot_be_read),
        RESOLVING_TEST(slack_of_an_unknown_memory),
        RESOLVING_TEST(an_arena_that_takes_the_slack_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
