/* The generated header. Cases EMT-001, EMT-002, EMT-003, EMT-004, EMT-005. */
#include "emitting.h"

static void ids_and_sizes(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "KWS_ARENA_SCRATCH_DTCM = 0,\n    KWS_ARENA_SCRATCH_SRAM = 1,\n    KWS_ARENA_PERSISTENT_DTCM = 2,\n"
                     "    KWS_ARENA_CONSTANT_DTCM = 3,\n");
    assert_has(text, "KWS_ARENA_COUNT = 7\n");
    assert_has(text, "#define KWS_ARENA_SCRATCH_DTCM_SIZE 4096u\n");
    assert_has(text, "#define KWS_ARENA_SCRATCH_DTCM_ALIGNMENT 32u\n");
    assert_has(text, "#define KWS_REGION_MRAM_BASE 4259840u\n"); /* 0x410000 */
    assert_has(text, "#define KWS_PLAN_HASH \"sha256:0123");
    assert_has(text, "extern const unsigned char kws_arena_constant_mram[KWS_ARENA_CONSTANT_MRAM_SIZE];");
    assert_has(text, "extern unsigned char kws_arena_constant_sram[");
    assert_has(text, "extern const unsigned char kws_source_dtcm_from_mram[KWS_ARENA_CONSTANT_DTCM_SIZE];");
    assert_has(text, "extern unsigned char *const kws_arena_buffers[KWS_ARENA_COUNT];");
    assert_has_not(text, "bind_arena");
    sample_free(sample);
}

static void tensors(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "#define KWS_TENSOR_8_ARENA KWS_ARENA_CONSTANT_DTCM /* kernel b */\n#define KWS_TENSOR_8_OFFSET 32u\n"
                     "#define KWS_TENSOR_8_SIZE 20u\n");
    assert_has(text, "#define KWS_TENSOR_1_7_ARENA KWS_ARENA_SCRATCH_SRAM /* hidden/view */\n");
    sample_free(sample);
}

static void macros_of_present_memories(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "#ifndef KWS_PUT_IN_SRAM_INIT\n#define KWS_PUT_IN_SRAM_INIT KWS_HP_PUT(\".data.hp.kws.sram\")\n#endif");
    assert_has(text, "#define KWS_PUT_IN_DTCM KWS_HP_PUT(\".bss.hp.kws.dtcm\")");
    assert_has(text, "#define KWS_PUT_IN_DTCM_NOINIT KWS_HP_PUT(\".bss.hp_noinit.kws.dtcm\")");
    assert_has(text, "#define KWS_PUT_IN_DTCM_CONST KWS_HP_PUT(\".rodata.hp.kws.dtcm\")");
    assert_has(text, "#define KWS_PUT_IN_ITCM_CODE KWS_HP_PUT_CODE(\".text.hp.kws.itcm\")");
    assert_has(text, "#define KWS_PUT_IN_MRAM_INIT KWS_HP_PUT(\".rodata.hp.kws.mram\")");
    assert_has(text, "#define KWS_PUT_IN_PSRAM KWS_HP_PUT(\".bss.hp.kws.psram\")");
    assert_has(text, "#define KWS_MRAM_INIT_QUALIFIER const\n");
    assert_has(text, "#define KWS_DTCM_INIT_QUALIFIER\n");
    assert_has(text, "#define KWS_PUT_IN_DTCM_OR_DEFAULT KWS_PUT_IN_DTCM\n");
    sample_free(sample);
}

static void macros_that_cannot_work(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_header);
    assert_has(text,
               "#define KWS_PUT_IN_DRAM_INIT KWS_HP_ERROR(\"KWS_PUT_IN_DRAM_INIT: the SoC has no such memory; the memories of "
               "testchip are MRAM, SRAM, DTCM, PSRAM, ITCM\")");
    assert_has(text, "#define KWS_PUT_IN_DRAM_INIT_OR_DEFAULT\n");
    assert_has(text, "#define KWS_PUT_IN_PSRAM_CODE KWS_HP_ERROR(\"KWS_PUT_IN_PSRAM_CODE: code cannot run there;");
    assert_has(text, "#define KWS_PUT_IN_MRAM_NOINIT KWS_HP_ERROR(\"KWS_PUT_IN_MRAM_NOINIT: it cannot be written;");
    sample->plan.arena_count = 5; /* nothing in PSRAM, and no script declares it */
    assert_has(sample_text(sample, emit_header), "KWS_PUT_IN_PSRAM: profile sbl has no window there; memory.constraints: [{name: "
                                                 "PSRAM}] asks for it; the memories of testchip are "
                                                 "MRAM, SRAM, DTCM, ITCM\")");
    sample_free(sample);
}

static void lent_buffers(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->problem.allocate_arenas = false;
    const char *text = sample_text(sample, emit_header);
    assert_has_not(text, "extern unsigned char kws_arena_scratch_dtcm");
    assert_has_not(text, "extern unsigned char kws_arena_constant_dtcm");
    assert_has(text, "extern unsigned char kws_arena_constant_sram[");
    assert_has(text, "extern unsigned char *kws_arena_buffers[KWS_ARENA_COUNT];");
    assert_has(text, "int32_t kws_bind_arena(uint32_t id, void *buffer, size_t size);");
    sample_free(sample);
}

static void hostile_names(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->tensors[INPUT].name = "*/ int evil; /*\n#error \\";
    sample->tensors[HIDDEN].name = "\"quoted\" $HOME \xe2\x82\xac \xff";
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "#define KWS_TENSOR_0_ARENA KWS_ARENA_SCRATCH_DTCM /* *_ int evil; /_?#error _ */\n");
    assert_has(text, "/* \"quoted\" $HOME \xe2\x82\xac ? */\n");
    assert_has_not(text, "\n#error");
    sample_free(sample);
}

/* heliaAOT's attribute header: each name may be the platform's own, and only memory that cannot be written makes things const. */
static void an_attribute_header(void **state)
{
    (void)state;
    static const char *const memories[] = {"DTCM", "ITCM", "SRAM", "MRAM", "PSRAM", "DRAM"};
    struct sample *sample = sample_new();
    sample->problem.prefix = "aot";
    const char *text = sample_text(sample, emit_header);
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 2; k++) {
            const char *name = arena_format(&sample->arena, "AOT_PUT_IN_%s%s", memories[i], k == 0 ? "" : "_INIT");
            assert_has(text, arena_format(&sample->arena, "#ifndef %s\n#define %s", name, name));
            assert_int_equal(occurrences(text, arena_format(&sample->arena, "#define %s ", name)), 1);
        }
        const char *value = strcmp(memories[i], "MRAM") == 0 ? " const" : "";
        assert_has(text, arena_format(&sample->arena, "#define AOT_%s_INIT_QUALIFIER%s\n#endif", memories[i], value));
    }
    sample_free(sample);
}

static void constants_of_the_host(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    assert_has_not(sample_text(sample, emit_header), "HOST_UPLOAD");
    sample_let_host_upload(sample);
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "extern unsigned char kws_arena_constant_psram[KWS_ARENA_CONSTANT_PSRAM_SIZE];");
    assert_has(text, "#define KWS_HOST_UPLOAD_PSRAM_ADDRESS ((uintptr_t)kws_arena_constant_psram)\n"
                     "#define KWS_HOST_UPLOAD_PSRAM_SIZE KWS_ARENA_CONSTANT_PSRAM_SIZE\n"
                     "#define KWS_HOST_UPLOAD_PSRAM_FILE \"kws_constants_psram.bin\"\n");
    sample->problem.allocate_arenas = false; /* their place stays ours: the host must know it from the image */
    assert_has(sample_text(sample, emit_header), "KWS_HOST_UPLOAD_PSRAM_ADDRESS");
    sample_free(sample);
}

static void high_water(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "#if KWS_ARENA_HIGH_WATER\nint32_t kws_paint_arena(uint32_t id);\n"
                     "size_t kws_arena_high_water(uint32_t id);\n#endif\n");
    assert_has(text, "from the start of the arena to the last one");
    sample->problem.engine = ENGINE_TFLM;
    assert_has(sample_text(sample, emit_header), "all but the longest stretch that was not");
    sample->arenas[0].total_size = 0;
    sample->arenas[1].total_size = 0;
    assert_has_not(sample_text(sample, emit_header), "paint_arena");
    sample_free(sample);
}

/* C has no arrays of nothing. */
static void arenas_without_bytes(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    for (size_t i = 0; i < 7; i++) {
        sample->arenas[i].total_size = 0;
    }
    const char *text = sample_text(sample, emit_header);
    assert_has_not(text, "extern unsigned char kws_");
    assert_has_not(text, "extern const unsigned char kws_");
    assert_has(text, "#define KWS_ARENA_SCRATCH_DTCM_SIZE 0u\n");
    const char *source = sample_text(sample, emit_source);
    assert_has_not(source, "\nunsigned char kws_");
    assert_has(source, "kws_arena_buffers[KWS_ARENA_COUNT] = {\n    0,\n    0,\n    0,\n    0,\n    0,\n    0,\n    0,\n};");
    const char *assembler = sample_text(sample, emit_constants_assembly);
    assert_has_not(assembler, ".global");
    sample_free(sample);
}

static void empty_plan(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->plan.arena_count = 0;
    sample->plan.allocation_count = 0;
    const char *text = sample_text(sample, emit_header);
    assert_has(text, "KWS_ARENA_COUNT = 0\n");
    assert_has_not(text, "arena_buffers"); /* C has no arrays of nothing */
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_sizes),
        cmocka_unit_test(tensors),
        cmocka_unit_test(macros_of_present_memories),
        cmocka_unit_test(macros_that_cannot_work),
        cmocka_unit_test(lent_buffers),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(an_attribute_header),
        cmocka_unit_test(constants_of_the_host),
        cmocka_unit_test(high_water),
        cmocka_unit_test(arenas_without_bytes),
        cmocka_unit_test(empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
