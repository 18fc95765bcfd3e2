/* The linker scripts' structure; that they link is the business of tests/scripts/test_emit_link.sh. */
#include "emitting.h"

static sample_writer *const scripts[] = {emit_memory_ld, emit_sections_ld, emit_checks_ld, emit_insert_ld, emit_full_ld};
#define SCRIPT_COUNT (sizeof scripts / sizeof scripts[0])

static void memory_block_and_aliases(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_memory_ld);
    assert_has(text, "MCU_TCM (rwx) : ORIGIN = 0x20000000, LENGTH = 507904 ");
    assert_has(text, "MCU_MRAM (rx) : ORIGIN = 0x00410000, LENGTH = 4128768 ");
    assert_has(text, "PSRAM (rw) : ORIGIN = 0x60000000, LENGTH = 8388608 ");
    assert_has(text, "REGION_ALIAS(\"DTCM\", MCU_TCM)\n");
    assert_has_not(text, "REGION_ALIAS(\"ITCM\""); /* the script calls it ITCM already */
    assert_has_not(text, "REGION_ALIAS(\"PSRAM\"");
    assert_true(strstr(text, "REGION_ALIAS") > strstr(text, "}\n"));
    sample_free(sample);
}

/* Two memories in one linker region: declared once, as LLD refuses a second declaration. */
static void shared_region_is_declared_once(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->windows[3].linker_name = "MCU_TCM";
    assert_int_equal(occurrences(sample_text(sample, emit_memory_ld), "    MCU_TCM ("), 1);
    sample_free(sample);
}

static void banned_constructs(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    static const char *const banned[] = {"ALIGN_WITH_INPUT", "READONLY", "TYPE=", "OVERLAY", "AT(", "PROVIDE", "MEMORY_SIZE"};
    for (size_t i = 0; i < SCRIPT_COUNT; i++) {
        const char *text = sample_text(sample, scripts[i]);
        for (size_t b = 0; b < sizeof banned / sizeof banned[0]; b++) {
            assert_has_not(text, banned[b]);
        }
        for (const char *at = strstr(text, ". = 0x"); at != NULL; at = strstr(at + 1, ". = 0x")) {
            fail_msg("a number is given to the location counter: %.40s", at);
        }
    }
    sample_free(sample);
}

/* Every output section names where it runs and where it is loaded. */
static void every_section_names_both_regions(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_sections_ld);
    size_t closed = occurrences(text, "    } > ");
    assert_int_equal(closed, occurrences(text, " AT> "));
    assert_int_equal(closed, occurrences(text, " : ALIGN(8)\n"));
    /* code: three; MRAM: rodata; SRAM, DTCM, PSRAM, ITCM: five each; tables */
    assert_int_equal(closed, 3 + 1 + 4 * 5 + 1);
    /* bss, noinit, arena of four memories have no bytes */
    assert_int_equal(occurrences(text, "(NOLOAD)"), 4 * 3);
    sample_free(sample);
}

static void load_regions(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_sections_ld);
    assert_has(text, "*(.data.hp.kws.dtcm.*)\n        . = ALIGN(8);\n    } > MCU_TCM AT> MCU_MRAM");
    assert_has(text, "*(.bss.hp.kws.dtcm.*)\n        . = ALIGN(8);\n    } > MCU_TCM AT> MCU_TCM");
    assert_has(text, "*(.rodata.hp.kws.mram.*)\n        . = ALIGN(8);\n    } > MCU_MRAM AT> MCU_MRAM");
    assert_has(text, "*(.text.hp.kws.itcm.*)\n        . = ALIGN(8);\n    } > ITCM AT> MCU_MRAM");
    sample_free(sample);
}

static void arenas_stand_in_plan_order(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_sections_ld);
    const char *persistent = strstr(text, "KEEP(*(.bss.hp_arena.kws.persistent.dtcm))");
    const char *constant = strstr(text, "KEEP(*(.bss.hp_arena.kws.constant.dtcm))");
    const char *scratch = strstr(text, "KEEP(*(.bss.hp_arena.kws.scratch.dtcm))");
    assert_true(persistent != NULL && constant != NULL && scratch != NULL);
    assert_true(persistent < constant && constant < scratch);
    assert_has(text, "KEEP(*(.rodata.hp_source.kws.dtcm_from_mram))");
    assert_has(text, "KEEP(*(.data.hp_arena.kws.constant.sram))");
    assert_has(text, "KEEP(*(.rodata.hp_arena.kws.constant.mram))");
    sample_free(sample);
}

static void tables_by_phase(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_sections_ld);
    const char *phase0 = strstr(text, "__hp_kws_copy_table0_start__ = .;");
    const char *phase1 = strstr(text, "__hp_kws_copy_table1_start__ = .;");
    const char *psram = strstr(text, "LONG(LOADADDR(.hp.kws.data.psram)) LONG(ADDR(.hp.kws.data.psram))");
    const char *dtcm = strstr(text, "LONG(LOADADDR(.hp.kws.data.dtcm)) LONG(ADDR(.hp.kws.data.dtcm)) "
                                    "LONG(SIZEOF(.hp.kws.data.dtcm) / 4)");
    assert_true(phase0 < dtcm && dtcm < phase1 && phase1 < psram);
    assert_has_not(text, "LONG(ADDR(.hp.kws.arena"); /* nobody zeroes scratch */
    assert_has_not(text, "LONG(ADDR(.hp.kws.noinit");
    assert_has_not(text, "LOADADDR(.hp.kws.rodata.mram))"); /* read in place */
    assert_true(strstr(text, "KEEP(*(.rodata.hp_anchor.kws))") < phase0);
    sample_free(sample);
}

/* A memory that no script declares has sections only if the plan needs it. */
static void memory_without_window(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    assert_has(sample_text(sample, emit_sections_ld), "> PSRAM");
    assert_has(sample_text(sample, emit_insert_ld), "MEMORY\n{\n    PSRAM (rw) : ORIGIN = 0x60000000, LENGTH = 8388608");
    sample->plan.arena_count = 5; /* without PSRAM's and SRAM's constants */
    assert_has_not(sample_text(sample, emit_sections_ld), "psram");
    assert_has_not(sample_text(sample, emit_insert_ld), "MEMORY\n");
    assert_has_not(sample_text(sample, emit_checks_ld), "PSRAM");
    assert_has(sample_text(sample, emit_memory_ld), "PSRAM (rw)");
    sample_free(sample);
}

static void checks_hold_literals(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_checks_ld);
    assert_has(text, "ASSERT(LENGTH(MCU_TCM) == 507904, \"heliaplacement: region length DTCM need 507904");
    assert_has(text, "ASSERT(ORIGIN(MCU_MRAM) == 0x00410000, ");
    assert_has(text, "ASSERT(SIZEOF(.hp.kws.arena.dtcm) >= 4148, \"heliaplacement: planned arenas in DTCM need 4148");
    assert_has(text, "ASSERT(SIZEOF(.hp.kws.rodata.mram) >= 84, "); /* 24 in place, sources of 52 and 8 */
    assert_has(text, "__hp_dtcm_free = __hp_dtcm_size - __hp_dtcm_used;");
    sample->problem.allocate_arenas = false;
    text = sample_text(sample, emit_checks_ld);
    assert_has_not(text, "SIZEOF(.hp.kws.arena.dtcm) >= ");
    assert_has(text, "ASSERT(SIZEOF(.hp.kws.rodata.mram) >= 84, ");
    sample_free(sample);
}

/* The insert script is read before any MEMORY block of the base script. */
static void insert_asks_no_region(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_insert_ld);
    assert_has_not(text, "LENGTH(");
    assert_has_not(text, "ORIGIN(");
    assert_has(text, "}\nINSERT AFTER .text;\n");
    sample_free(sample);
}

static void rules_are_named_without_folders(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    uint32_t source = diag_add_source(&sample->diagnostics, "/home/somebody/project/place*/ment.yaml", (struct bytes){0});
    sample->requests[INPUT].memory_span = (struct span){source, 14, 7, 1};
    const char *text = sample_text(sample, emit_sections_ld);
    assert_has(text, "KEEP(*(.bss.hp_arena.kws.scratch.dtcm)) /* 4096 bytes, ment.yaml:14 */");
    assert_has_not(text, "somebody");
    assert_has(sample_text(sample, emit_checks_ld), "[ment.yaml:14]\")");
    sample_free(sample);
}

static void full_script_has_no_placeholder_left(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_full_ld);
    assert_has_not(text, "@");
    assert_has_not(text, "INCLUDE");
    assert_true(strstr(text, "KEEP(*(.isr_vector") < strstr(text, ".hp.kws.code.sram"));
    assert_true(strstr(text, ".hp.kws.arena.itcm") < strstr(text, "*(.text .text.*"));
    static const char *const symbols[] = {"_sidata",
                                          "_sdata",
                                          "_edata",
                                          "_sbss",
                                          "_ebss",
                                          "_estack",
                                          "__StackTop",
                                          "__StackLimit",
                                          "__HeapBase",
                                          "__HeapLimit",
                                          "end",
                                          "_end",
                                          "__end__",
                                          "__etext",
                                          "__exidx_start",
                                          "__exidx_end",
                                          "__preinit_array_start",
                                          "__init_array_end",
                                          "__fini_array_start",
                                          "__copy_table_start__",
                                          "__copy_table_end__",
                                          "__zero_table_start__",
                                          "__zero_table_end__"};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        assert_has(text, arena_format(&sample->arena, " %s = ", symbols[i]));
    }
    sample_free(sample);
}

/* Vectors cannot stand in a memory that is empty at reset. */
static void code_region_without_image(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->profile.code_region = ITCM;
    assert_has(sample_text(sample, emit_full_ld),
               "KEEP(*(.isr_vector .isr_vector.* .vectors))\n        . = ALIGN(8);\n    } > MCU_MRAM");
    sample_free(sample);
}

static void hostile_linker_name(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->windows[2].linker_name = "TCM 1 > X";
    assert_has(sample_text(sample, emit_sections_ld), "} > \"TCM 1 > X\" AT> MCU_MRAM");
    assert_has(sample_text(sample, emit_checks_ld), "LENGTH(\"TCM 1 > X\") == 507904");
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_block_and_aliases),
        cmocka_unit_test(shared_region_is_declared_once),
        cmocka_unit_test(banned_constructs),
        cmocka_unit_test(every_section_names_both_regions),
        cmocka_unit_test(load_regions),
        cmocka_unit_test(arenas_stand_in_plan_order),
        cmocka_unit_test(tables_by_phase),
        cmocka_unit_test(memory_without_window),
        cmocka_unit_test(checks_hold_literals),
        cmocka_unit_test(insert_asks_no_region),
        cmocka_unit_test(rules_are_named_without_folders),
        cmocka_unit_test(full_script_has_no_placeholder_left),
        cmocka_unit_test(code_region_without_image),
        cmocka_unit_test(hostile_linker_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
