/* Look-ups: regions by name and address, capacities, and the SoC as a board fits it. */
#include "soc_run.h"

static void test_names_ignore_case(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    assert_int_equal(soc_find_region(soc, "ram"), 1);
    assert_int_equal(soc_find_region(soc, "PsRam"), 2);
    assert_int_equal(soc_find_region(soc, "RA"), REGION_NONE);
    assert_int_equal(soc_find_region(soc, ""), REGION_NONE);
    assert_ptr_equal(soc_find_profile(&run.diagnostics, soc, "WHOLE", SPAN_NONE), &soc->profiles[1]);
    assert_ptr_equal(soc_find_profile(&run.diagnostics, soc, NULL, SPAN_NONE), &soc->profiles[0]);
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

static void test_an_unknown_profile_is_named_where_it_stands(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    struct span span = {.source = 1, .line = 7, .column = 3};
    assert_null(soc_find_profile(&run.diagnostics, soc, "plian", span));
    assert_int_equal(count_findings(&run, "unknown-profile"), 1);
    const struct diag *diag = &run.diagnostics.list.items[0];
    assert_int_equal(diag->span.line, 7);
    assert_non_null(strstr(diag->message, "'plian'"));
    assert_non_null(strstr(diag->notes.items[0].message, "'plain'"));
    run_end(&run);
}

static void test_decoded_values(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    const struct region *flash = &soc->regions[0];
    const struct region *ram = &soc->regions[1];
    assert_string_equal(soc->elf_machine, "arm");
    assert_int_equal(soc->elf_class, 32);
    assert_int_equal(soc->minimum_alignment, 4);
    assert_int_equal(flash->access, ACCESS_READ | ACCESS_EXECUTE);
    assert_int_equal(flash->tier, TIER_NVM);
    assert_true(flash->holds_image && flash->data && !flash->needs_power);
    assert_int_equal(flash->minimum_alignment, 1);
    assert_string_equal(flash->source, "book");
    assert_true(!ram->holds_image && ram->data);
    assert_int_equal(ram->span.line, line_of(small_soc, "name: RAM"));
    assert_true(soc->regions[2].needs_power);
    assert_true(soc->profiles[0].verified);
    assert_false(soc->profiles[1].verified);
    assert_string_equal(soc->profiles[0].native[0].bss, "");
    assert_string_equal(soc->profiles[0].native[0].data, ".fast-data");
    assert_null(soc->profiles[0].native[0].code);
    assert_string_equal(soc->sources[0].key, "book");
    assert_string_equal(soc->sources[0].commit, "abc");
    run_end(&run);
}

static void test_tiers_have_the_names_of_the_location_keys(void **state)
{
    (void)state;
    assert_string_equal(tier_location_key(TIER_TCM), "tcm");
    assert_string_equal(tier_location_key(TIER_SRAM), "sram");
    assert_string_equal(tier_location_key(TIER_NVM), "mram");
    assert_string_equal(tier_location_key(TIER_EXTERNAL), "psram");
}

static void expect_capacity(const struct soc *soc, size_t profile, uint32_t region, uint64_t origin, uint64_t length)
{
    uint64_t found = UINT64_MAX;
    assert_int_equal(profile_capacity(soc, &soc->profiles[profile], region, &found), length);
    assert_int_equal(found, origin);
}

static void test_the_window_is_the_capacity(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    expect_capacity(soc, 0, 0, 0x1000, 0xE000);
    expect_capacity(soc, 0, 1, 0x20000000, 0x7000);
    expect_capacity(soc, 1, 1, 0x20000000, 0x8000);
    assert_null(profile_window(&soc->profiles[0], 2));
    run_end(&run);
}

/* PSRAM, 0x60000000 to 0x60100000, has no window: what carve-outs leave of it counts. */
static void test_without_a_window_the_longest_free_run_is_the_capacity(void **state)
{
    (void)state;
    static const struct {
        const char *carve_outs;
        uint64_t origin[2]; /* under the profiles plain and whole */
        uint64_t length[2];
    } rows[] = {
        {"", {0x60000000, 0x60000000}, {0x100000, 0x100000}},
        {"{name: a, origin: 0x60000000, length: 0x100, source: book}", {0x60000100, 0x60000100}, {0xFFF00, 0xFFF00}},
        {"{name: a, origin: 0x600FFF00, length: 0x100, source: book}", {0x60000000, 0x60000000}, {0xFFF00, 0xFFF00}},
        {"{name: a, origin: 0x60000000, length: 0x100, profiles: [plain], source: book}",
         {0x60000100, 0x60000000},
         {0xFFF00, 0x100000}},
        {"{name: a, origin: 0x60040000, length: 0x40000, source: book}", {0x60080000, 0x60080000}, {0x80000, 0x80000}},
        {"{name: a, origin: 0x600C0000, length: 0x100, source: book}, {name: b, origin: 0x60020000, length: 0x100, source: book}",
         {0x60020100, 0x60020100},
         {0x9FF00, 0x9FF00}},
        {"{name: a, origin: 0x60040000, length: 0x80000, source: book}", {0x60000000, 0x60000000}, {0x40000, 0x40000}},
        {"{name: a, origin: 0x60000000, length: 0x100000, source: book}", {0x60000000, 0x60000000}, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        run_start(&run);
        const char *with = arena_format(&run.arena, "needs_power: true, carve_outs: [%s],", rows[i].carve_outs);
        const struct soc *soc = read_soc(&run, with_change(&run, small_soc, "needs_power: true,", with));
        assert_non_null(soc);
        expect_capacity(soc, 0, 2, rows[i].origin[0], rows[i].length[0]);
        expect_capacity(soc, 1, 2, rows[i].origin[1], rows[i].length[1]);
        run_end(&run);
    }
}

static void test_addresses_find_their_region_through_aliases(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        uint32_t region;
        uint64_t canonical;
    } rows[] = {
        {0x0, 0, 0x0},
        {0xFFFF, 0, 0xFFFF},
        {0x10000, REGION_NONE, 7},
        {0x1FFFFFFF, REGION_NONE, 7},
        {0x20000000, 1, 0x20000000},
        {0x20007FFF, 1, 0x20007FFF},
        {0x20008000, REGION_NONE, 7},
        {0x30000000, 1, 0x20000000},
        {0x30001234, 1, 0x20001234},
        {0x30007FFF, 1, 0x20007FFF},
        {0x30008000, REGION_NONE, 7},
        {0x60000000, 2, 0x60000000},
        {UINT64_MAX, REGION_NONE, 7},
    };
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t canonical = 7; /* stays when there is no region */
        assert_int_equal(soc_region_at(soc, rows[i].address, &canonical), rows[i].region);
        assert_int_equal(canonical, rows[i].canonical);
    }
    run_end(&run);
}

static const struct board *board_with(struct run *run, const char *psram)
{
    const char *text = arena_format(&run->arena,
                                    "schema: helia-placement/board/1\nboard: evb\nsoc: Demo\n"
                                    "sources: {book: {repository: a/b, path: c, commit: d}}\n%s",
                                    psram);
    const struct board *board = read_board(run, text);
    assert_non_null(board);
    return board;
}

static const struct soc *apply(struct run *run, const struct soc *soc, const char *psram)
{
    const struct soc *result = NULL;
    const struct board *board = board_with(run, psram);
    return soc_apply_board(&run->arena, &run->diagnostics, soc, board, &result) ? result : NULL;
}

static void test_a_board_overrides_the_psram(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    const struct soc *fitted = apply(&run, soc, "psram: {length: 4M, source: book}\n");
    assert_non_null(fitted);
    assert_int_equal(fitted->regions[2].length, 4 << 20);
    assert_int_equal(soc->regions[2].length, 0x100000);
    const struct soc *unchanged = apply(&run, soc, "");
    assert_int_equal(unchanged->regions[2].length, 0x100000);
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

/* Here PSRAM is the first region, so that every index behind it moves. */
static void test_a_board_without_psram_has_a_soc_without_it(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    static const char psram_line[] =
        "- {name: PSRAM, tier: external, origin: 0x60000000, length: 0x100000, access: rw, needs_power: true, source: book}\n";
    const char *text = with_change(&run, small_soc, psram_line, "");
    text = with_change(&run, text, "regions:\n", arena_format(&run.arena, "regions:\n%s", psram_line));
    text = with_change(&run, text, "windows: [\n",
                       "windows: [\n     {region: PSRAM, origin: 0x60000000, length: 64K, linker_name: EXT, source: book},\n");
    text = with_change(&run, text, "native: [\n", "native: [\n     {region: PSRAM, bss: .ext},\n");
    const struct soc *soc = read_soc(&run, text);
    assert_non_null(soc);
    const struct soc *bare = apply(&run, soc, "psram: {length: 0, source: book}\n");
    assert_non_null(bare);
    assert_int_equal(run.diagnostics.list.count, 0);
    assert_int_equal(bare->region_count, 2);
    assert_int_equal(soc_find_region(bare, "PSRAM"), REGION_NONE);
    assert_int_equal(bare->memory_order_count, 1);
    assert_int_equal(bare->memory_order[0], soc_find_region(bare, "RAM"));
    const struct linker_profile *plain = &bare->profiles[0];
    assert_int_equal(plain->window_count, 2);
    assert_int_equal(profile_window(plain, soc_find_region(bare, "RAM"))->length, 0x7000);
    assert_int_equal(profile_window(plain, soc_find_region(bare, "FLASH"))->length, 0xE000);
    assert_int_equal(plain->native_count, 1);
    assert_int_equal(plain->native[0].region, soc_find_region(bare, "RAM"));
    assert_int_equal(plain->code_region, soc_find_region(bare, "FLASH"));
    assert_int_equal(plain->data_region, soc_find_region(bare, "RAM"));
    assert_int_equal(plain->stack_region, soc_find_region(bare, "RAM"));
    assert_int_equal(plain->image_region, soc_find_region(bare, "FLASH"));
    assert_int_equal(soc->region_count, 3);
    assert_int_equal(soc->profiles[0].window_count, 3);
    run_end(&run);
}

static void test_a_psram_that_reaches_into_other_memory_is_refused(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    assert_null(apply(&run, soc, "psram: {length: 4G, source: book}\n"));
    assert_int_equal(count_findings(&run, "region-wraps"), 1);
    run_end(&run);
}

static void test_a_role_in_psram_needs_psram(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *text = with_change(&run, small_soc, "stack: RAM", "stack: PSRAM");
    text = with_change(&run, text, "windows: [\n",
                       "windows: [\n     {region: PSRAM, origin: 0x60000000, length: 64K, linker_name: EXT, source: book},\n");
    const struct soc *soc = read_soc(&run, text);
    assert_non_null(soc);
    assert_null(apply(&run, soc, "psram: {length: 0, source: book}\n"));
    assert_int_equal(count_findings(&run, "role-without-window"), 1);
    run_end(&run);
}

static void test_a_board_must_fit_the_soc(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct soc *soc = read_small_soc(&run);
    struct board board = *board_with(&run, "psram: {length: 4M, source: book}\n");
    const struct soc *result = NULL;
    board.soc = "other";
    assert_false(soc_apply_board(&run.arena, &run.diagnostics, soc, &board, &result));
    assert_int_equal(count_findings(&run, "board-of-other-soc"), 1);
    assert_null(result);

    struct soc *bare = read_soc(&run, with_change(&run, small_soc, "name: PSRAM", "name: DDR"));
    assert_null(apply(&run, bare, "psram: {length: 4M, source: book}\n"));
    assert_int_equal(count_findings(&run, "board-without-psram"), 1);
    assert_non_null(apply(&run, bare, "psram: {length: 0, source: book}\n"));
    assert_int_equal(run.diagnostics.list.count, 2);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_ignore_case),
        cmocka_unit_test(test_an_unknown_profile_is_named_where_it_stands),
        cmocka_unit_test(test_decoded_values),
        cmocka_unit_test(test_tiers_have_the_names_of_the_location_keys),
        cmocka_unit_test(test_the_window_is_the_capacity),
        cmocka_unit_test(test_without_a_window_the_longest_free_run_is_the_capacity),
        cmocka_unit_test(test_addresses_find_their_region_through_aliases),
        cmocka_unit_test(test_a_board_overrides_the_psram),
        cmocka_unit_test(test_a_board_without_psram_has_a_soc_without_it),
        cmocka_unit_test(test_a_psram_that_reaches_into_other_memory_is_refused),
        cmocka_unit_test(test_a_role_in_psram_needs_psram),
        cmocka_unit_test(test_a_board_must_fit_the_soc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
