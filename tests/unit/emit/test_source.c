/* The generated C file. Cases EMT-010, EMT-012. */
#include "emitting.h"

static void arrays(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_source);
    assert_has(text,
               "unsigned char kws_arena_scratch_dtcm[KWS_ARENA_SCRATCH_DTCM_SIZE]\n"
               "    __attribute__((section(\".bss.hp_arena.kws.scratch.dtcm\"), aligned(KWS_ARENA_SCRATCH_DTCM_ALIGNMENT)));");
    assert_has(text, "section(\".bss.hp_arena.kws.persistent.dtcm\")");
    assert_has(text, "section(\".bss.hp_arena.kws.constant.dtcm\")");
    assert_has_not(text, "unsigned char kws_arena_constant_mram["); /* defined by the assembler */
    assert_has_not(text, "unsigned char kws_arena_constant_sram[");
    assert_has(text, "    (unsigned char *)kws_arena_constant_mram,\n");
    assert_has(text, "kws_plan_anchor = 0x01234567u;");
    assert_has_not(text, "@");
    sample_free(sample);
}

static void hydration(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_source);
    assert_has(text, "__attribute__((weak)) void kws_hydrate_constants(void)");
    assert_has(text, "{KWS_ARENA_CONSTANT_DTCM, kws_source_dtcm_from_mram, KWS_ARENA_CONSTANT_DTCM_SIZE, 0u},");
    assert_has(text, "{KWS_ARENA_CONSTANT_PSRAM, kws_source_psram_from_mram, KWS_ARENA_CONSTANT_PSRAM_SIZE, 1u},");
    assert_has(text, "    kws_hydrate_constants();\n    return 0;");
    sample->problem.auto_hydrate_constants = false;
    assert_int_equal(occurrences(sample_text(sample, emit_source), "kws_hydrate_constants();"), 0);
    sample_free(sample);
}

/* Nothing is staged: the function is there, for those who call it, and does nothing. */
static void nothing_to_hydrate(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->plan.arena_count = 3;
    const char *text = sample_text(sample, emit_source);
    assert_has(text, "__attribute__((weak)) void kws_hydrate_constants(void)\n{\n}\n");
    assert_has_not(text, "is_powered");
    assert_has_not(text, "kws_hydrate_constants();");
    sample_free(sample);
}

/* Phase 1 has nothing to hydrate if only memory on the chip is staged. */
static void hydration_on_chip_only(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->plan.arena_count = 5;
    assert_has(sample_text(sample, emit_source), "    if (phase == 0) {\n        kws_hydrate_constants();\n    }\n");
    sample_free(sample);
}

static void lent_buffers(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->problem.allocate_arenas = false;
    const char *text = sample_text(sample, emit_source);
    assert_has_not(text, ".bss.hp_arena");
    assert_has(text, "unsigned char *kws_arena_buffers[KWS_ARENA_COUNT] = {\n    0,\n    0,\n    0,\n    0,\n"
                     "    (unsigned char *)kws_arena_constant_mram,\n    0,\n    kws_arena_constant_sram,\n};");
    assert_has(text, "    {KWS_ARENA_SCRATCH_DTCM_SIZE, KWS_ARENA_SCRATCH_DTCM_ALIGNMENT},\n");
    assert_has(text,
               "    {0u, 0u},\n    {KWS_ARENA_CONSTANT_PSRAM_SIZE, KWS_ARENA_CONSTANT_PSRAM_ALIGNMENT},\n    {0u, 0u},\n};");
    sample_free(sample);
}

/* Room in memory that is neither stored, nor zeroed, nor copied. */
static void constants_of_the_host(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample_let_host_upload(sample);
    const char *text = sample_text(sample, emit_source);
    assert_has_not(text, "unsigned char kws_arena_constant_psram["); /* nothing that a compiler could take for zeros */
    assert_has_not(text, "{KWS_ARENA_CONSTANT_PSRAM, ");
    const char *script = sample_text(sample, emit_sections_ld);
    const char *section = strstr(script, "    .hp.kws.arena.psram (NOLOAD)");
    assert_non_null(section);
    assert_has(section, "KEEP(*(.bss.hp_arena.kws.constant.psram))");
    assert_has_not(script, "(.data.hp_arena.kws.constant.psram)");
    assert_has(sample_text(sample, emit_checks_ld), "SIZEOF(.hp.kws.arena.psram) >= 8");
    const char *assembler = sample_text(sample, emit_constants_assembly);
    assert_has(assembler,
               "/* kws_constants_psram.bin, which the host writes to kws_arena_constant_psram: */\n/* 8 bytes, sha256:");
    assert_has(assembler, "    .section .bss.hp_arena.kws.constant.psram,\"aw\",%nobits\n    .balign 16\n"
                          "    .global kws_arena_constant_psram\n    .type kws_arena_constant_psram, %object\n"
                          "kws_arena_constant_psram:\n    .space 8\n    .size kws_arena_constant_psram, 8\n");
    assert_has_not(assembler, ".incbin \"kws_constants_psram.bin\"");
    struct artifact_list artifacts = {0};
    assert_true(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
    const struct artifact *blob = artifact_named(&artifacts, "kws_constants_psram.bin");
    assert_int_equal(blob->size, 8);
    assert_memory_equal(blob->data, sample->content + 90, 8);
    sample_free(sample);
}

static void high_water(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    assert_has(sample_text(sample, emit_source),
               "_painted_sizes[KWS_ARENA_COUNT] = {\n    KWS_ARENA_SCRATCH_DTCM_SIZE,\n"
               "    KWS_ARENA_SCRATCH_SRAM_SIZE,\n    0u,\n    0u,\n    0u,\n    0u,\n    0u,\n};");
    sample->arenas[0].total_size = 0;
    sample->arenas[1].total_size = 0;
    assert_has_not(sample_text(sample, emit_source), "HIGH_WATER");
    sample_free(sample);
}

static void empty_plan(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->plan.arena_count = 0;
    assert_has_not(sample_text(sample, emit_source), "arena_buffers");
    sample->problem.allocate_arenas = false;
    const char *text = sample_text(sample, emit_source);
    assert_has(text, "int32_t kws_bind_arena(uint32_t id, void *buffer, size_t size)");
    assert_has_not(text, "kws_bindings");
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),
        cmocka_unit_test(hydration),
        cmocka_unit_test(nothing_to_hydrate),
        cmocka_unit_test(hydration_on_chip_only),
        cmocka_unit_test(lent_buffers),
        cmocka_unit_test(constants_of_the_host),
        cmocka_unit_test(high_water),
        cmocka_unit_test(empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
