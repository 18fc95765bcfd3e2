/* Blobs byte by byte, and the assembler file. */
#include "emitting.h"

#include "base/sha256.h"

static struct artifact_list emit(struct sample *sample)
{
    struct artifact_list artifacts = {0};
    assert_true(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
    return artifacts;
}

/* The model file is 0, 1, 2, ...: a constant's first byte is its offset there. */
static void blobs(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    struct artifact_list artifacts = emit(sample);
    const struct artifact *staged = artifact_named(&artifacts, "kws_constants_dtcm.bin");
    assert_int_equal(staged->size, 52);
    const uint8_t *bytes = staged->data;
    for (size_t i = 0; i < 52; i++) {
        uint8_t expected = i < 13 ? (uint8_t)(40 + i) : i < 32 ? 0 : (uint8_t)(60 + i - 32);
        assert_int_equal(bytes[i], expected);
    }
    assert_int_equal(artifact_named(&artifacts, "kws_constants_mram.bin")->size, 24);
    assert_int_equal(((const uint8_t *)artifact_named(&artifacts, "kws_constants_mram.bin")->data)[0], 16);
    assert_int_equal(((const uint8_t *)artifact_named(&artifacts, "kws_constants_sram.bin")->data)[19], 119);
    sample_free(sample);
}

/* An alias has its root's slot; its own bytes, if any, are not written. */
static void aliases_are_skipped(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->allocations[STAGED_B].alias_of = STAGED_A;
    sample->allocations[STAGED_B].binding.offset = 0;
    struct artifact_list artifacts = emit(sample);
    const uint8_t *bytes = artifact_named(&artifacts, "kws_constants_dtcm.bin")->data;
    assert_int_equal(bytes[0], 40);
    assert_int_equal(bytes[13], 0);
    sample_free(sample);
}

static void constants_without_bytes_are_zero(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    sample->tensors[WEIGHTS].data_size = 0;
    struct artifact_list artifacts = emit(sample);
    const struct artifact *blob = artifact_named(&artifacts, "kws_constants_mram.bin");
    assert_int_equal(blob->size, 24);
    for (size_t i = 0; i < blob->size; i++) {
        assert_int_equal(((const uint8_t *)blob->data)[i], 0);
    }
    sample_free(sample);
}

static void assembler(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *text = sample_text(sample, emit_constants_assembly);
    assert_has(text,
               "    .section .rodata.hp_source.kws.dtcm_from_mram,\"a\",%progbits\n    .balign 16\n"
               "    .global kws_source_dtcm_from_mram\n    .type kws_source_dtcm_from_mram, %object\n"
               "kws_source_dtcm_from_mram:\n    .incbin \"kws_constants_dtcm.bin\"\n    .size kws_source_dtcm_from_mram, 52\n");
    assert_has(text, "    .section .data.hp_arena.kws.constant.sram,\"aw\",%progbits\n");
    assert_has(text, "    .section .rodata.hp_arena.kws.constant.mram,\"a\",%progbits\n");
    assert_has(text, "    .section .helia.plan,\"\",%progbits\n    .incbin \"kws_plan.json\"\n    .byte 0\n");
    char digest[65];
    sha256_hex(sample->content + 16, 24, digest);
    assert_has(text, digest);
    sample->content[16] ^= 1;
    assert_has_not(sample_text(sample, emit_constants_assembly), digest);
    sample_free(sample);
}

static enum diag_id only_finding(const struct sample *sample)
{
    assert_int_equal(sample->diagnostics.list.count, 1);
    return sample->diagnostics.list.items[0].id;
}

static void bytes_outside_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t data_offset, data_size, offset;
    } bad[] = {
        {250, 24, 0},        /* behind the model's end */
        {UINT64_MAX, 24, 0}, /* the sum wraps around */
        {0, 25, 0},          /* larger than the slot */
        {0, 24, 1},          /* behind the arena's end */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sample *sample = sample_new();
        sample->tensors[WEIGHTS].data_offset = bad[i].data_offset;
        sample->tensors[WEIGHTS].data_size = bad[i].data_size;
        sample->allocations[WEIGHTS].binding.offset = bad[i].offset;
        struct artifact_list artifacts = {0};
        assert_false(emit_all(&sample->arena, &sample->diagnostics, &sample->request, &artifacts));
        assert_int_equal(only_finding(sample), DIAG_CONSTANT_BYTES);
        assert_int_equal(artifacts.count, 0);
        sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs),
        cmocka_unit_test(aliases_are_skipped),
        cmocka_unit_test(constants_without_bytes_are_zero),
        cmocka_unit_test(assembler),
        cmocka_unit_test(bytes_outside_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
