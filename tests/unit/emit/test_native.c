/* Section names of the profile's own script. Cases EMT-006 to EMT-009; the names are those of the cases. */
#include "emitting.h"

#include <stdio.h>

/* apollo510: default sections in DTCM and MRAM. */
static struct native_sections like_apollo510[] = {
    {.region = MRAM, .rodata = "", .code = ""},
    {.region = SRAM, .bss = ".sram_bss", .data = ".shared"},
    {.region = DTCM, .bss = "", .data = ""},
    {.region = ITCM, .code = ".itcm_text"},
};

static struct sample *sample_native(void)
{
    struct sample *sample = sample_new();
    sample->request.sections = SECTIONS_NATIVE;
    sample->profile.native = like_apollo510;
    sample->profile.native_count = 4;
    /* Nothing in PSRAM. */
    sample->arenas[5] = sample_arenas[6];
    sample->plan.arena_count = 6;
    sample->plan.allocation_count = EXTERNAL;
    return sample;
}

static void expect_macro(const char *text, const char *name, const char *value)
{
    char line[256];
    snprintf(line, sizeof line, "#ifndef %s\n#define %s%s%s\n#endif\n", name, name, value[0] != '\0' ? " " : "", value);
    assert_has(text, line);
}

static void emt_006_apollo510(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    const char *text = sample_text(sample, emit_header);
    expect_macro(text, "KWS_PUT_IN_DTCM", "");
    expect_macro(text, "KWS_PUT_IN_DTCM_INIT", "");
    expect_macro(text, "KWS_PUT_IN_SRAM", "KWS_HP_SECTION(\".sram_bss\")");
    expect_macro(text, "KWS_PUT_IN_SRAM_INIT", "KWS_HP_SECTION(\".shared\")");
    expect_macro(text, "KWS_PUT_IN_ITCM", "KWS_HP_SECTION(\".itcm_text\")");
    expect_macro(text, "KWS_PUT_IN_ITCM_CODE", "__attribute__((noinline)) KWS_HP_SECTION(\".itcm_text\")");
    expect_macro(text, "KWS_PUT_IN_MRAM", "");
    expect_macro(text, "KWS_PUT_IN_MRAM_CONST", "");
    expect_macro(text, "KWS_MRAM_INIT_QUALIFIER", "const");
    expect_macro(text, "KWS_PUT_IN_SRAM_OR_DEFAULT", "KWS_PUT_IN_SRAM");
    assert_has_not(text, "\".bss.hp");
    sample_free(sample);
}

static void what_the_script_does_not_collect_is_an_error_where_it_is_used(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    const char *text = sample_text(sample, emit_header);
    assert_has(text,
               "#define KWS_PUT_IN_SRAM_CONST KWS_HP_ERROR(\"KWS_PUT_IN_SRAM_CONST: the linker script of profile sbl collects "
               "nothing for it; the memories of testchip are MRAM, SRAM, DTCM, ITCM\")");
    assert_has(text, "#define KWS_PUT_IN_SRAM_NOINIT KWS_HP_ERROR(");
    assert_has(text, "#define KWS_PUT_IN_DTCM_CODE KWS_HP_ERROR(");
    assert_has(text, "#define KWS_PUT_IN_PSRAM KWS_HP_ERROR(\"KWS_PUT_IN_PSRAM: profile sbl has no window there;");
    assert_has(text, "#define KWS_PUT_IN_DRAM KWS_HP_ERROR(");
    sample_free(sample);
}

/* One TCM for code and data; what asks for an ITCM gets it if the script takes code there (EMT-009), else not (EMT-008). */
static void emt_008_and_009_parts_without_itcm(void **state)
{
    (void)state;
    struct native_sections like_apollo3p[] = {
        {.region = MRAM, .rodata = "", .code = ""},
        {.region = SRAM, .bss = "", .data = ""},
        {.region = DTCM, .bss = ".tcm_bss", .data = ".tcm", .code = ".tcm"},
    };
    struct sample *sample = sample_native();
    sample->soc.region_count = ITCM;
    sample->profile.window_count = 3;
    sample->profile.native = like_apollo3p;
    sample->profile.native_count = 3;
    const char *text = sample_text(sample, emit_header);
    expect_macro(text, "KWS_PUT_IN_DTCM", "KWS_HP_SECTION(\".tcm_bss\")");
    expect_macro(text, "KWS_PUT_IN_DTCM_INIT", "KWS_HP_SECTION(\".tcm\")");
    expect_macro(text, "KWS_PUT_IN_SRAM", "");
    expect_macro(text, "KWS_PUT_IN_ITCM", "KWS_HP_SECTION(\".tcm\")");
    expect_macro(text, "KWS_PUT_IN_ITCM_CODE", "__attribute__((noinline)) KWS_HP_SECTION(\".tcm\")");
    like_apollo3p[2] = (struct native_sections){.region = DTCM, .bss = "", .data = ""};
    assert_has(sample_text(sample, emit_header),
               "#define KWS_PUT_IN_ITCM KWS_HP_ERROR(\"KWS_PUT_IN_ITCM: the SoC has no such memory;");
    sample_free(sample);
}

static void arenas(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    const char *text = sample_text(sample, emit_constants_assembly);
    assert_has(text, "    .section .sram_bss,\"aw\",%nobits\n    .balign 16\n    .global kws_arena_scratch_sram\n"
                     "    .type kws_arena_scratch_sram, %object\nkws_arena_scratch_sram:\n    .space 8192\n"
                     "    .size kws_arena_scratch_sram, 8192\n");
    assert_has(text, "    .section .bss.hp_arena.kws.scratch.dtcm,\"aw\",%nobits\n    .balign 32\n");
    assert_has(text, "    .section .rodata.hp_arena.kws.constant.mram,\"a\",%progbits\n");
    assert_has(text, "    .section .rodata.hp_source.kws.dtcm_from_mram,\"a\",%progbits\n");
    const char *source = sample_text(sample, emit_source);
    assert_has_not(source, "section(");
    assert_has_not(source, "__hp_kws");
    assert_has(source, "kws_zero_bytes(kws_arena_persistent_dtcm, KWS_ARENA_PERSISTENT_DTCM_SIZE);");
    assert_has(source, "\"r\"(kws_arena_buffers)");
    sample_free(sample);
}

/* Constants that are read in RAM are initialised data of the script's. */
static void constants_in_ram(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    const char *text = sample_text(sample, emit_constants_assembly);
    assert_has(text, "    .section .shared,\"aw\",%progbits\n    .balign 16\n    .global kws_arena_constant_sram\n");
    sample_free(sample);
}

static void no_script_is_generated(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    struct artifact_list artifacts = {0};
    assert_true(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
    assert_int_equal(sample->diagnostics.list.count, 0);
    for (size_t i = 0; i < artifacts.count; i++) {
        assert_false(text_ends_with(artifacts.items[i].name, ".ld"));
    }
    assert_has(artifact_named(&artifacts, "kws.mk")->data, "HP_METHOD := NATIVE\n");
    assert_has_not(artifact_named(&artifacts, "kws.mk")->data, ".ld");
    assert_has_not(artifact_named(&artifacts, "kws.cmake")->data, "_SCRIPT");
    sample_free(sample);
}

static void an_arena_that_no_section_takes(void **state)
{
    (void)state;
    struct sample *sample = sample_native();
    struct artifact_list artifacts = {0};
    sample->arenas[6] = sample_arenas[5]; /* in PSRAM */
    sample->plan.arena_count = 7;
    assert_false(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
    assert_int_equal(sample->diagnostics.list.count, 1);
    assert_int_equal(sample->diagnostics.list.items[0].id, DIAG_NATIVE_SECTION);
    assert_string_equal(sample->diagnostics.list.items[0].message,
                        "the linker script of profile sbl collects no section in PSRAM that could hold kws_arena_constant_psram");
    /* Lent memory needs no section. */
    sample->problem.allocate_arenas = false;
    assert_true(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emt_006_apollo510),
        cmocka_unit_test(what_the_script_does_not_collect_is_an_error_where_it_is_used),
        cmocka_unit_test(emt_008_and_009_parts_without_itcm),
        cmocka_unit_test(arenas),
        cmocka_unit_test(constants_in_ram),
        cmocka_unit_test(no_script_is_generated),
        cmocka_unit_test(an_arena_that_no_section_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
