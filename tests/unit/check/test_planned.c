#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checking.h"

static struct arena arena;
static struct diagnostics diagnostics;

static int start(void **state)
{
    (void)state;
    diagnostics = diagnostics_start(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    elf_remove();
    return 0;
}

/* A plan as the contract writes it: scratch in DTCM, cold constants in MRAM, constants staged from MRAM into SRAM. */
static const char PLAN[] =
    "{\"schema\": \"helia-placement/plan/1\", \"plan_hash\": \"sha256:0a\", \"soc\": \"apollo510\", \"profile\": \"sbl\",\n"
    " \"engine\": \"helia-aot\", \"prefix\": \"kws\", \"allocate_arenas\": true, \"planner\": {\"name\": \"greedy\"},\n"
    " \"tensor_allocs\": {\"0\": {\"size\": 12}}, \"tensor_lifetimes\": {}, \"a_key_of_later\": [1, 2],\n"
    " \"arena_usages\": {\"DTCM\": {\"id\": 0, \"memory\": \"DTCM\", \"role\": \"scratch\", \"total_size\": 4096, \"used\": "
    "4000,\n"
    "   \"alignment\": 32, \"source_memory\": \"DTCM\", \"is_staged\": false, \"symbol\": \"kws_arena_scratch_dtcm\"}},\n"
    " \"persistent_arenas\": {},\n"
    " \"constant_arenas\": {\"MRAM\": {\"id\": 1, \"memory\": \"MRAM\", \"role\": \"constant\", \"total_size\": 512, \"used\": "
    "512,\n"
    "   \"alignment\": 16, \"source_memory\": \"MRAM\", \"is_staged\": false, \"symbol\": \"kws_arena_constant_mram\"},\n"
    "  \"SRAM\": {\"id\": 2, \"memory\": \"SRAM\", \"role\": \"constant\", \"total_size\": 256, \"used\": 256,\n"
    "   \"alignment\": 16, \"source_memory\": \"MRAM\", \"is_staged\": true, \"symbol\": \"kws_arena_constant_sram\",\n"
    "   \"source_symbol\": \"kws_source_sram_from_mram\"}},\n"
    " \"memory_plan\": {\"engine\": \"helia-aot\", \"model_weight_bytes\": 768, \"has_overflow\": false, \"regions\": [\n"
    "  {\"region\": \"MRAM\", \"capacity\": 4128768, \"used\": 768, \"free\": 4128000, \"overflow\": false, \"consumers\": []},\n"
    "  {\"region\": \"DTCM\", \"capacity\": 507904, \"used\": 4096, \"free\": 503808, \"overflow\": false, \"consumers\": []}]}}";

static bool decode(const char *text, struct planned **planned)
{
    const struct bytes content = {.data = (const uint8_t *)text, .size = strlen(text)};
    const struct node *root;
    const uint32_t source = diag_add_source(&diagnostics, "kws_plan.json", content);
    return doc_parse(&arena, &diagnostics, source, &root) && planned_decode(&arena, &diagnostics, root, planned);
}

static void check_plan(const struct planned *planned)
{
    assert_string_equal(planned->plan_hash, "sha256:0a");
    assert_string_equal(planned->soc, "apollo510");
    assert_string_equal(planned->profile, "sbl");
    assert_string_equal(planned->prefix, "kws");
    assert_true(planned->allocate_arenas);
    static const struct planned_arena WANTED[] = {
        {"kws_arena_constant_mram", "constant", "MRAM", 512, 16, false, false, false},
        {"kws_arena_constant_sram", "constant", "SRAM", 256, 16, false, true, false},
        {"kws_source_sram_from_mram", "constant", "MRAM", 256, 1, true, false, false},
        {"kws_arena_scratch_dtcm", "scratch", "DTCM", 4096, 32, false, true, false},
    };
    assert_int_equal(planned->arena_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(planned->arenas[i].symbol, WANTED[i].symbol);
        assert_string_equal(planned->arenas[i].role, WANTED[i].role);
        assert_string_equal(planned->arenas[i].memory, WANTED[i].memory);
        assert_int_equal(planned->arenas[i].size, WANTED[i].size);
        assert_int_equal(planned->arenas[i].alignment, WANTED[i].alignment);
        assert_int_equal(planned->arenas[i].is_source, WANTED[i].is_source);
        assert_int_equal(planned->arenas[i].nobits, WANTED[i].nobits);
        assert_int_equal(planned->arenas[i].is_host_uploaded, WANTED[i].is_host_uploaded);
    }
    assert_int_equal(planned->region_count, 2);
    assert_string_equal(planned->regions[1].region, "DTCM");
    assert_int_equal(planned->regions[1].capacity, 507904);
    assert_int_equal(planned->regions[1].used, 4096);
}

static void a_plan_is_read(void **state)
{
    (void)state;
    struct planned *planned = NULL;
    assert_true(decode(PLAN, &planned));
    assert_int_equal(diagnostics.list.count, 0);
    check_plan(planned);
}

/* PLAN with the first `from` replaced by `to`. */
static const char *changed(const char *from, const char *to)
{
    const char *at = strstr(PLAN, from);
    assert_non_null(at);
    return arena_format(&arena, "%.*s%s%s", (int)(at - PLAN), PLAN, to, at + strlen(from));
}

/* Constants that the host writes take no bytes of the image. The key means nothing for what is no cold constant. */
static void constants_of_the_host(void **state)
{
    (void)state;
    struct planned *planned = NULL;
    assert_true(decode(
        changed("\"symbol\": \"kws_arena_constant_mram\"", "\"host_upload\": true, \"symbol\": \"kws_arena_constant_mram\""),
        &planned));
    assert_true(planned->arenas[0].is_host_uploaded);
    assert_true(planned->arenas[0].nobits);
    assert_true(decode(
        changed("\"symbol\": \"kws_arena_constant_mram\"", "\"host_upload\": false, \"symbol\": \"kws_arena_constant_mram\""),
        &planned));
    assert_false(planned->arenas[0].is_host_uploaded);
    assert_false(planned->arenas[0].nobits);
    assert_true(
        decode(changed("\"symbol\": \"kws_arena_scratch_dtcm\"", "\"host_upload\": true, \"symbol\": \"kws_arena_scratch_dtcm\""),
               &planned));
    assert_false(planned->arenas[3].is_host_uploaded);
    assert_false(
        decode(changed("\"symbol\": \"kws_arena_constant_mram\"", "\"host_upload\": 1, \"symbol\": \"kws_arena_constant_mram\""),
               &planned));
}

static void a_plan_that_is_not_understood_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        enum diag_id id;
        unsigned line;
    } ROWS[] = {
        {"plan/1", "plan/2", DIAG_PLAN_SCHEMA, 1},
        {"\"schema\"", "\"scheme\"", DIAG_MISSING_KEY, 1},
        {"\"plan_hash\"", "\"hash\"", DIAG_MISSING_KEY, 1},
        {"\"soc\": \"apollo510\"", "\"soc\": \"\"", DIAG_BAD_VALUE, 1},
        {"\"soc\": \"apollo510\"", "\"soc\": []", DIAG_WRONG_KIND, 1},
        {"\"profile\": \"sbl\"", "\"profile\": null", DIAG_WRONG_KIND, 1},
        {"\"allocate_arenas\": true", "\"allocate_arenas\": \"yes\"", DIAG_BAD_VALUE, 2},
        {"\"total_size\": 4096", "\"total_size\": -1", DIAG_BAD_VALUE, 4},
        {"\"total_size\": 4096", "\"total_size\": 281474976710657", DIAG_BAD_VALUE, 4}, /* SIZE_LIMIT + 1 */
        {"\"alignment\": 32", "\"alignment\": 0", DIAG_BAD_VALUE, 5},
        {"\"alignment\": 32", "\"alignment\": 24", DIAG_BAD_VALUE, 5},
        {"\"symbol\": \"kws_arena_scratch_dtcm\"", "\"name\": 1", DIAG_MISSING_KEY, 4},
        {"\"source_symbol\"", "\"source_name\"", DIAG_MISSING_KEY, 9},
        {"\"persistent_arenas\": {}", "\"persistent_arenas\": []", DIAG_WRONG_KIND, 6},
        {"\"persistent_arenas\": {}", "\"persistent_arenas\": {\"DTCM\": 7}", DIAG_WRONG_KIND, 6},
        {"\"regions\": [", "\"regions\": [5,", DIAG_WRONG_KIND, 12},
        {"\"memory_plan\"", "\"memory\"", DIAG_MISSING_KEY, 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct planned *planned = NULL;
        diagnostics = diagnostics_start(&arena);
        assert_false(decode(changed(ROWS[i].from, ROWS[i].to), &planned));
        assert_null(planned);
        assert_int_equal(diagnostics.list.items[0].id, ROWS[i].id);
        assert_int_equal(diagnostics.list.items[0].span.line, ROWS[i].line);
    }
    struct planned *planned = NULL;
    assert_false(decode("[1]", &planned));
}

static void all_that_is_wrong_is_told(void **state)
{
    (void)state;
    struct planned *planned = NULL;
    assert_false(decode("{\"schema\": \"helia-placement/plan/1\"}", &planned));
    /* plan_hash, soc, profile, prefix, allocate_arenas, three maps of arenas, memory_plan */
    assert_int_equal(diagnostics.error_count, 9);
}

static void lists_are_bounded(void **state)
{
    (void)state;
    struct text many = text_start(&arena);
    text_add(&many, "\"regions\": [");
    for (size_t i = 0; i < PLANNED_LIST_LIMIT - 1; i++) {
        text_add(&many, "{\"region\": \"X\", \"capacity\": 1, \"used\": 1},");
    }
    struct planned *planned = NULL;
    assert_false(decode(changed("\"regions\": [", many.data), &planned)); /* two more follow */
    assert_int_equal(diagnostics.list.items[0].id, DIAG_PLAN_SCHEMA);
}

static bool read_note(const void *note, size_t size, const struct planned *const **embedded, size_t *count)
{
    struct elf_file *file = calloc(1, sizeof *file);
    *file = (struct elf_file){.bits = 32, .type = 2, .machine = 40};
    elf_add_section(file, (struct elf_section){.name = ".bss", .type = ELF_NOBITS, .flags = ELF_ALLOC, .size = 16});
    elf_add_section(file, (struct elf_section){
                              .name = ".helia.plan", .type = ELF_PROGBITS, .offset = ELF_APPEND, .size = size, .content = note});
    elf_build(file);
    const struct image *image = NULL;
    assert_true(image_read(&arena, &diagnostics, elf_write(file->bytes, file->size), SPAN_NONE, &image));
    elf_free(file);
    free(file);
    return planned_from_image(&arena, &diagnostics, image, embedded, count);
}

static void the_images_own_plans_are_read(void **state)
{
    (void)state;
    const char *other = changed("\"prefix\": \"kws\"", "\"prefix\": \"vww\"");
    struct text note = text_start(&arena);
    text_add_bytes(&note, PLAN, sizeof PLAN); /* with its NUL */
    text_add_bytes(&note, "\0\0", 3);         /* padding of the linker */
    text_add(&note, other);                   /* whose NUL was lost */
    const struct planned *const *embedded = NULL;
    size_t count = 0;
    assert_true(read_note(note.data, note.size, &embedded, &count));
    assert_int_equal(count, 2);
    check_plan(embedded[0]);
    assert_string_equal(embedded[1]->prefix, "vww");
}

static void an_image_without_a_plan_has_none(void **state)
{
    (void)state;
    const struct planned *const *embedded = NULL;
    size_t count = 7;
    assert_true(read_note("", 0, &embedded, &count));
    assert_int_equal(count, 0);
    assert_true(read_note("\0\0\0", 4, &embedded, &count));
    assert_int_equal(count, 0);
}

static void a_damaged_plan_in_the_image_is_refused(void **state)
{
    (void)state;
    const struct planned *const *embedded = NULL;
    size_t count = 7;
    assert_false(read_note(PLAN, sizeof PLAN / 2, &embedded, &count));
    assert_true(diagnostics.error_count != 0);
    assert_true(text_ends_with(diag_source(&diagnostics, diagnostics.list.items[0].span.source)->path, "(.helia.plan)"));
    assert_false(read_note("\xff\xfe{", 3, &embedded, &count));
    assert_int_equal(count, 7);
}

static void plans_in_an_image_are_bounded(void **state)
{
    (void)state;
    struct text note = text_start(&arena);
    for (size_t i = 0; i < 16; i++) {
        text_add_bytes(&note, PLAN, sizeof PLAN);
    }
    const struct planned *const *embedded = NULL;
    size_t count = 0;
    assert_true(read_note(note.data, note.size, &embedded, &count));
    assert_int_equal(count, 16);
    text_add_bytes(&note, PLAN, sizeof PLAN);
    assert_false(read_note(note.data, note.size, &embedded, &count));
    assert_int_equal(diagnostics.list.items[0].id, DIAG_PLAN_SCHEMA);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_plan_is_read),
        TEST(constants_of_the_host),
        TEST(a_plan_that_is_not_understood_is_refused),
        TEST(all_that_is_wrong_is_told),
        TEST(lists_are_bounded),
        TEST(the_images_own_plans_are_read),
        TEST(an_image_without_a_plan_has_none),
        TEST(a_damaged_plan_in_the_image_is_refused),
        TEST(plans_in_an_image_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
