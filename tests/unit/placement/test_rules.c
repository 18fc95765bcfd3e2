/* Rules and their precedence. The names are those of the cases in the corpus (area rule_match). */
#include "resolving.h"

static void spc_001_type_beats_wildcard(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: '*', attributes: {memory: sram}}\n"
                    "    - {type: scratch, attributes: {memory: dtcm}}\n"
                    "    - {type: constant, attributes: {memory: mram}}\n");
    expect_runtime_memory(*state, "t1", "DTCM");
    expect_runtime_memory(*state, "p0", "SRAM");
    expect_quiet(*state);
}

static void spc_002_type_and_id_beat_type_in_any_order(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scratch, id: t1, attributes: {memory: sram}}\n"
                    "    - {type: scratch, attributes: {memory: dtcm}}\n");
    expect_runtime_memory(*state, "t1", "SRAM");
    expect_runtime_memory(*state, "t2", "DTCM");
}

static void spc_003_later_of_equals_wins(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scratch, attributes: {memory: dtcm}}\n"
                    "    - {type: scratch, attributes: {memory: sram}}\n");
    expect_runtime_memory(*state, "t1", "SRAM");
}

static void spc_003_later_of_equal_ids_wins(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {id: t1, attributes: {memory: sram}}\n"
                    "    - {id: '0', attributes: {memory: dtcm}}\n");
    expect_runtime_memory(*state, "t1", "DTCM");
}

static void spc_004_rules_merge_field_by_field(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, attributes: {memory: mram}}\n"
                    "    - {type: constant, id: w1, attributes: {constant_destination_memory: dtcm}}\n");
    expect_source(*state, "w1", "MRAM");
    expect_runtime_memory(*state, "w1", "DTCM");
    expect_runtime_memory(*state, "w0", "MRAM");
}

static void spc_005_id_may_be_a_list(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scratch, id: [t1, t3], attributes: {memory: sram}}\n");
    expect_runtime_memory(*state, "t1", "SRAM");
    expect_runtime_memory(*state, "t2", "any");
    expect_runtime_memory(*state, "t3", "SRAM");
}

static void spc_006_id_only_beats_type_only(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {id: w1, attributes: {memory: sram}}\n"
                    "    - {type: constant, attributes: {memory: mram}}\n");
    expect_runtime_memory(*state, "w1", "SRAM");
    expect_runtime_memory(*state, "w0", "MRAM");
}

static void spc_008_case_does_not_matter(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: SCRATCH, attributes: {memory: Sram}}\n");
    expect_runtime_memory(*state, "t1", "SRAM");
}

static void spc_009_destination_equal_to_source_is_cold(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, attributes: {memory: mram, constant_destination_memory: mram}}\n");
    expect_runtime_memory(*state, "w0", "MRAM");
    expect_source(*state, "w0", "MRAM");
    expect_quiet(*state);
}

static void spc_010_destination_must_be_writable(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, attributes: {memory: psram, constant_destination_memory: mram}}\n");
    expect_finding(*state, DIAG_MEMORY_NOT_WRITABLE, 3);
}

static void spc_011_scratch_needs_a_writable_memory(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - type: scratch\n      attributes: {memory: mram}\n");
    expect_finding(*state, DIAG_MEMORY_NOT_WRITABLE, 4);
}

static void spc_011_persistent_by_id_needs_a_writable_memory(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {id: p0, attributes: {memory: mram}}\n");
    expect_finding(*state, DIAG_MEMORY_NOT_WRITABLE, 3);
}

static void spc_012_two_sources_in_one_arena_are_refused(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  allocate_arenas: false\n  tensors:\n"
                       "    - {type: constant, id: [w0, w0b], attributes: {memory: mram, constant_destination_memory: dtcm}}\n"
                       "    - {type: constant, id: w1, attributes: {memory: psram, constant_destination_memory: dtcm}}\n");
    expect_finding(resolving, DIAG_MIXED_SOURCES, 5);
    const struct diag *diag = &resolving->diagnostics.list.items[0];
    assert_non_null(strstr(diag->message, "'3'"));
    assert_non_null(strstr(diag->message, "'4'"));
    assert_non_null(strstr(diag->message, "MRAM"));
    assert_non_null(strstr(diag->message, "PSRAM"));
    assert_int_equal(diag->notes.items[0].span.line, 4);
}

static void spc_013_cold_and_staged_do_not_mix(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, id: [w0, w0b], attributes: {memory: dtcm}}\n"
                    "    - {type: constant, id: w1, attributes: {memory: mram, constant_destination_memory: dtcm}}\n");
    expect_finding(*state, DIAG_MIXED_SOURCES, 4);
}

static void spc_012_two_arenas_may_have_two_sources(void **state)
{
    resolve(*state, "memory:\n  allocate_arenas: false\n  tensors:\n"
                    "    - {type: constant, id: [w0, w0b], attributes: {memory: mram, constant_destination_memory: dtcm}}\n"
                    "    - {type: constant, id: w1, attributes: {memory: psram, constant_destination_memory: sram}}\n");
    expect_quiet(*state);
}

static void spc_014_constant_in_ram_is_cold(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, attributes: {memory: dtcm}}\n");
    expect_runtime_memory(*state, "w0", "DTCM");
    expect_source(*state, "w0", "DTCM");
}

static void spc_015_unknown_memory(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scratch, attributes: {memory: hbm}}\n");
    expect_finding(*state, DIAG_UNKNOWN_MEMORY, 3);
}

static void nearest_memory_is_suggested(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {type: scratch, attributes: {memory: DTMC}}\n");
    expect_finding(resolving, DIAG_UNKNOWN_MEMORY, 3);
    assert_string_equal(resolving->diagnostics.list.items[0].notes.items[0].message, "did you mean 'DTCM'?");
}

static void unknown_tensor_type(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scatch, attributes: {memory: sram}}\n");
    expect_finding(*state, DIAG_UNKNOWN_CHOICE, 3);
}

static void itcm_is_for_code(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: scratch, attributes: {memory: itcm}}\n");
    expect_finding(*state, DIAG_MEMORY_FOR_CODE, 3);
}

static void unmatched_id_is_a_warning(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {id: [t1, conv_w], attributes: {memory: sram}}\n");
    expect_finding(resolving, DIAG_UNMATCHED_RULE, 3);
    expect_runtime_memory(resolving, "t1", "SRAM");
}

static void an_id_of_another_type_is_a_warning(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {type: constant, id: [t1], attributes: {memory: sram}}\n");
    expect_finding(resolving, DIAG_UNMATCHED_RULE, 3);
    expect_runtime_memory(resolving, "t1", "any");
}

static void an_id_of_the_right_type_is_quiet(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {type: scratch, id: [t1], attributes: {memory: sram}}\n");
    assert_int_equal(resolving->diagnostics.list.count, 0);
    expect_runtime_memory(resolving, "t1", "SRAM");
}

static void an_empty_list_of_ids_is_a_warning(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {type: scratch, id: [], attributes: {memory: sram}}\n");
    expect_finding(resolving, DIAG_UNMATCHED_RULE, 3);
    expect_runtime_memory(resolving, "t1", "any");
}

static void id_and_name_of_one_tensor_rank_alike(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {id: t1, attributes: {memory: sram}}\n"
                       "    - {id: \"0\", attributes: {memory: dtcm}}\n"
                       "    - {id: \"1\", attributes: {memory: dtcm}}\n"
                       "    - {id: t2, attributes: {memory: sram}}\n"
                       "    - {type: scratch, id: t3, attributes: {memory: sram}}\n"
                       "    - {id: \"2\", attributes: {memory: dtcm}}\n");
    expect_runtime_memory(resolving, "t1", "DTCM");
    expect_runtime_memory(resolving, "t2", "SRAM");
    expect_runtime_memory(resolving, "t3", "SRAM");
    expect_quiet(resolving);
}

static void destination_of_scratch_is_a_warning(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {type: scratch, attributes: {memory: sram, constant_destination_memory: dtcm}}\n");
    expect_finding(resolving, DIAG_DESTINATION_IGNORED, 3);
    expect_runtime_memory(resolving, "t1", "SRAM");
}

static void a_bad_rule_is_reported_once_and_does_not_hide_the_next(void **state)
{
    struct resolving *resolving = *state;
    resolve(resolving, "memory:\n  tensors:\n"
                       "    - {id: [t1, t2, t3], attributes: {memory: mram}}\n"
                       "    - {id: p0, attributes: {memory: mram}}\n");
    assert_false(resolving->good);
    assert_int_equal(resolving->diagnostics.list.count, 2);
}

static void aot_args_stand_below_the_top_level(void **state)
{
    resolve(*state, "engine:\n  type: helia-aot\n  config:\n    aot_args:\n      memory:\n"
                    "        planner: greedy\n"
                    "        tensors:\n          - {type: scratch, attributes: {memory: sram}}\n"
                    "memory:\n  planner: greedy_by_size\n");
    expect_runtime_memory(*state, "t1", "SRAM");
    assert_string_equal(((struct resolving *)*state)->problem.planner, "greedy_by_size");
}

static void rul_011_aot_memory_must_be_a_mapping(void **state)
{
    resolve(*state, "engine:\n  config:\n    aot_args:\n      memory: invalid\n");
    expect_finding(*state, DIAG_WRONG_KIND, 4);
}

static void rul_012_tensors_must_be_a_list(void **state)
{
    resolve(*state, "engine:\n  config:\n    aot_args:\n      memory:\n        tensors: invalid\n");
    expect_finding(*state, DIAG_WRONG_KIND, 5);
}

/* Null is an answer, not silence: it beats what a weaker rule or the coarse key says. */
static void a_destination_of_null_is_read_in_place(void **state)
{
    resolve(*state, "memory:\n  tensors:\n"
                    "    - {type: constant, attributes: {memory: mram, constant_destination_memory: sram}}\n"
                    "    - {id: w1, attributes: {constant_destination_memory: null}}\n");
    expect_quiet(*state);
    expect_runtime_memory(*state, "w0", "SRAM");
    expect_runtime_memory(*state, "w1", "MRAM");
    expect_source(*state, "w1", "MRAM");
}

static void a_destination_of_null_beats_the_coarse_key(void **state)
{
    resolve(*state, "model: {weights_location: sram}\nmemory:\n  tensors:\n"
                    "    - {id: w1, attributes: {constant_destination_memory: null}}\n"
                    "    - {type: scratch, attributes: {constant_destination_memory: null}}\n");
    expect_quiet(*state);
    expect_runtime_memory(*state, "w0", "SRAM");
    expect_runtime_memory(*state, "w1", "MRAM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESOLVING_TEST(spc_001_type_beats_wildcard),
        RESOLVING_TEST(spc_002_type_and_id_beat_type_in_any_order),
        RESOLVING_TEST(spc_003_later_of_equals_wins),
        RESOLVING_TEST(spc_003_later_of_equal_ids_wins),
        RESOLVING_TEST(spc_004_rules_merge_field_by_field),
        RESOLVING_TEST(spc_005_id_may_be_a_list),
        RESOLVING_TEST(spc_006_id_only_beats_type_only),
        RESOLVING_TEST(spc_008_case_does_not_matter),
        RESOLVING_TEST(spc_009_destination_equal_to_source_is_cold),
        RESOLVING_TEST(spc_010_destination_must_be_writable),
        RESOLVING_TEST(spc_011_scratch_needs_a_writable_memory),
        RESOLVING_TEST(spc_011_persistent_by_id_needs_a_writable_memory),
        RESOLVING_TEST(spc_012_two_sources_in_one_arena_are_refused),
        RESOLVING_TEST(spc_013_cold_and_staged_do_not_mix),
        RESOLVING_TEST(spc_012_two_arenas_may_have_two_sources),
        RESOLVING_TEST(spc_014_constant_in_ram_is_cold),
        RESOLVING_TEST(spc_015_unknown_memory),
        RESOLVING_TEST(nearest_memory_is_suggested),
        RESOLVING_TEST(unknown_tensor_type),
        RESOLVING_TEST(itcm_is_for_code),
        RESOLVING_TEST(unmatched_id_is_a_warning),
        RESOLVING_TEST(an_id_of_another_type_is_a_warning),
        RESOLVING_TEST(an_id_of_the_right_type_is_quiet),
        RESOLVING_TEST(an_empty_list_of_ids_is_a_warning),
        RESOLVING_TEST(id_and_name_of_one_tensor_rank_alike),
        RESOLVING_TEST(destination_of_scratch_is_a_warning),
        RESOLVING_TEST(a_bad_rule_is_reported_once_and_does_not_hide_the_next),
        RESOLVING_TEST(a_destination_of_null_is_read_in_place),
        RESOLVING_TEST(a_destination_of_null_beats_the_coarse_key),
        RESOLVING_TEST(aot_args_stand_below_the_top_level),
        RESOLVING_TEST(rul_011_aot_memory_must_be_a_mapping),
        RESOLVING_TEST(rul_012_tensors_must_be_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
