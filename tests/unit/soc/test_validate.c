/* Every rule of registry files: one change to a good file that breaks it, and one that comes close and does not. */
#include "soc_run.h"

struct change {
    const char *id;   /* the finding that must come, alone; NULL: none may come */
    const char *from; /* what is replaced in the good file */
    const char *to;
    const char *mark; /* stands on the line that the finding must name */
};

static const struct change firing[] = {
    {"region-empty", "length: 0x8000, access", "length: 0, access", "name: RAM"},
    {"region-empty", "length: 0x1000, source: book},", "length: 0, source: book},", "name: boot"},
    {"region-wraps", "0x60000000, length: 0x100000", "0xFFF00000, length: 0x100001", "name: PSRAM"},
    {"region-wraps", "origin: 0x30000000", "origin: 0xFFFFF000", "name: secure"},
    {"region-overlap", "0x60000000, length", "0x20007FFF, length", "name: PSRAM"},
    {"region-overlap", "0x60000000, length", "0x30007FFF, length", "name: PSRAM"},
    {"region-overlap", "origin: 0x30000000", "origin: 0x5FFF8001", "name: PSRAM"},
    {"carve-out-outside-region", "origin: 0xF000, length: 0x1000", "origin: 0xF000, length: 0x1001", "name: tail"},
    {"carve-out-overlap", "origin: 0xF000, length: 0x1000", "origin: 0xFFF, length: 0x1", "name: tail"},
    {"window-outside-region", "length: 0x8000, linker_name", "length: 0x8001, linker_name", "length: 0x8001"},
    {"window-outside-region", "0x20000000, length: 0x7000", "0x30000000, length: 0x7000", "origin: 0x30000000, length: 0x7000"},
    {"window-in-carve-out", "length: 0xE000", "length: 0xE001", "length: 0xE001"},
    {"window-in-carve-out", "origin: 0x1000, length: 0xF000", "origin: 0xFFF, length: 0xF000", "origin: 0xFFF"},
    {"window-overlap", "length: 0x7000, linker_name: RAM, source: book}],",
     "length: 0x7000, linker_name: RAM, source: book},\n"
     "     {region: RAM, origin: 0x20007000, length: 0x1000, linker_name: MORE, source: book}],",
     "linker_name: MORE"},
    {"unsourced-number", "access: rw, needs_power: true, source: book", "access: rw, needs_power: true", "name: PSRAM"},
    {"unsourced-number", "0x1000, source: book}", "0x1000}", "name: boot"},
    {"unsourced-number", "0x30000000, source: book", "0x30000000", "name: secure"},
    {"unsourced-number", "linker_name: ROM, source: book", "linker_name: ROM", "linker_name: ROM"},
    {"unsourced-number", "linker_name: ROM, source: book", "linker_name: ROM, source: []", "source: []"},
    {"unsourced-number", "default_profile: plain", "default_profile: plain\npmu_max_ops: 64", "soc: demo"},
    {"unsourced-number", "default_profile: plain", "default_profile: plain\npsram_clocks_hz: 48000000", "soc: demo"},
    {"unknown-source", "default_profile: plain", "default_profile: plain\nsource: [bok]", "bok"},
    {"unknown-source", "linker_name: ROM, source: book", "linker_name: ROM, source: [book, bok]", "bok]"},
    {"unknown-region", "memory_order: [RAM]", "memory_order: [RAMM]", "RAMM"},
    {"unknown-region", "stack: RAM", "stack: STACK", "stack: STACK"},
    {"unknown-region", "{region: RAM, bss", "{region: RUM, bss", "RUM"},
    {"unknown-profile", "default_profile: plain", "default_profile: plane", "plane"},
    {"unknown-profile", "profiles: [plain]", "profiles: [plane]", "plane"},
    {"role-without-window", "stack: RAM", "stack: PSRAM", "name: plain"},
    {"role-without-window", "{region: RAM, bss", "{region: PSRAM, bss", "region: PSRAM"},
    {"role-unfit", "stack: RAM", "stack: FLASH", "name: plain"},
    {"role-unfit", "image: FLASH", "image: RAM", "name: plain"},
    {"bad-name", "name: PSRAM", "name: psram", "name: psram"},
    {"bad-name", "name: PSRAM", "name: PS-RAM", "name: PS-RAM"},
    {"bad-name", "name: PSRAM", "name: _PSRAM", "name: _PSRAM"},
    {"bad-name", "name: PSRAM", "name: 2RAM", "name: 2RAM"},
    {"bad-name", "soc: demo\n", "soc: ../demo\n", "soc: ../demo"},
    {"bad-name", "core: cortex-m4\n", "core: \"cortex m4\"\n", "soc: demo"},
    {"bad-name", "-mthumb]", "\"-mthumb -o x\"]", "soc: demo"},
    {"bad-name", "-mthumb]", "thumb]", "soc: demo"},
    {"bad-name", "name: whole", "name: wh/ole", "name: wh/ole"},
    {"bad-name", "linker_name: ROM", "linker_name: \"ROM (rx)\"", "linker_name: \"ROM (rx)\""},
    {"bad-name", "linker_name: ROM", "linker_name: 1ROM", "linker_name: 1ROM"},
    {"bad-name", ".fast-data", "\".d*\"", ".d*"},
    {"duplicate-name", "name: PSRAM", "name: RAM", "name: RAM, tier: external"},
    {"duplicate-name", "linker_name: RAM", "linker_name: Rom", "linker_name: Rom"},
    {"duplicate-name", "data: .fast-data}]", "data: .fast-data},\n     {region: RAM, bss: .x}]", "bss: .x"},
    {"bad-memory-order", "memory_order: [RAM]", "memory_order: [RAM, RAM]", "memory_order"},
    {"bad-memory-order", "memory_order: [RAM]", "memory_order: [RAM, FLASH]", "memory_order"},
    {"bad-memory-order", "memory_order: [RAM]", "memory_order: [RAM, PSRAM]", "memory_order"},
    {"bad-memory-order", "access: rwx", "access: rwx, data: false", "memory_order"},
    {"bad-value", "access: rwx", "access: wx", "access: wx"},
    {"bad-value", "access: rwx", "access: rrw", "access: rrw"},
    {"bad-value", "access: rwx", "access: read", "access: read"},
    {"bad-value", "minimum_alignment: 4", "minimum_alignment: 3", "minimum_alignment"},
    {"bad-value", "default_profile: plain", "default_profile: plain\npmu_max_ops: 0", "pmu_max_ops"},
    {"bad-value", "default_profile: plain", "default_profile: plain\npmu_max_ops: 4294967296", "pmu_max_ops"},
    {"bad-value", "default_profile: plain", "default_profile: plain\nsource: book\npsram_clocks_hz: [48000000, 0]",
     "psram_clocks"},
    {"bad-value", "default_profile: plain", "default_profile: plain\nsource: book\npsram_clocks_hz: [-1]", "psram_clocks"},
    {"wrong-kind", "default_profile: plain", "default_profile: plain\nsource: book\npsram_clocks_hz: [48M]", "psram_clocks"},
    {"wrong-kind", "default_profile: plain", "default_profile: plain\nsource: book\npsram_clocks_hz: [true]", "psram_clocks"},
    {"wrong-kind", "access: rwx", "access: rwx, npu_access: 1", "npu_access"},
    {"bad-name", "default_profile: plain", "default_profile: plain\nnpu: \"ethos u\"", "soc: demo"},
    {"region-wraps", "origin: 0x60000000", "origin: 0x220000000", "name: PSRAM"},
    {"unknown-choice", "soc/1", "soc/2", "schema"},
    {"unknown-choice", "tier: sram", "tier: fast", "tier: fast"},
    {"unknown-key", "vendor: Demo", "vendor: Demo\nvendr: Demo", "vendr"},
    {"missing-key", "default_profile: plain\n", "", "schema"},
};

static const struct change quiet[] = {
    {NULL, "demo", "demo", NULL},
    {NULL, "0x60000000, length: 0x100000", "0xFFF00000, length: 0x100000", NULL}, /* up to the very last address */
    {NULL, "0x60000000, length", "0x20008000, length", NULL},                     /* right behind RAM */
    {NULL, "0x60000000, length", "0x30008000, length", NULL},                     /* right behind RAM's alias */
    {NULL, "origin: 0x30000000", "origin: 0x5FFF8000", NULL},                     /* right before PSRAM */
    {NULL, "origin: 0xF000, length: 0x1000", "origin: 0xF000, length: 0x800", NULL},
    {NULL, "minimum_alignment: 4\n", "minimum_alignment: 4\nelf_class: 64\n", NULL},
    {NULL, "default_profile: plain",
     "default_profile: plain\npmu_max_ops: 4294967295\nsource: book\npsram_clocks_hz: 1\nnpu: e-u85", NULL},
    {NULL, "access: rwx", "access: rwx, npu_access: false", NULL},
    {NULL, "default_profile: plain", "default_profile: WHOLE", NULL}, /* case is ignored in look-ups */
    {NULL, "memory_order: [RAM]", "memory_order: [ram]", NULL},
    {NULL, "name: PSRAM", "name: P2_RAM", NULL},
    {NULL, "name: whole", "name: whole.2+x", NULL},
    {NULL, ".fast-data", ".data.$x_1", NULL},
    {NULL, "source: book,\n   aliases", "source: [book, book],\n   aliases", NULL},
};

/* True if the file is answered as the row says; prints what came instead. */
static bool holds(const struct change *change)
{
    struct run run;
    run_start(&run);
    const char *text = with_change(&run, small_soc, change->from, change->to);
    bool accepted = read_soc(&run, text) != NULL;
    const struct diag *found = run.diagnostics.list.items;
    bool ok = accepted == (change->id == NULL) && run.diagnostics.list.count == (change->id == NULL ? 0 : 1);
    if (ok && change->id != NULL) {
        ok = text_equal(diag_row(found->id)->name, change->id) && found->span.line == line_of(text, change->mark);
    }
    if (!ok) {
        print_message("'%s': expected %s, found:\n", change->to, change->id != NULL ? change->id : "nothing");
    }
    for (size_t i = 0; !ok && i < run.diagnostics.list.count; i++) {
        print_message("  line %u: %s [%s]\n", found[i].span.line, found[i].message, diag_row(found[i].id)->name);
    }
    run_end(&run);
    return ok;
}

static void check_changes(const struct change *changes, size_t count)
{
    size_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        failures += !holds(&changes[i]);
    }
    assert_int_equal(failures, 0);
}

static void test_each_broken_rule_is_named_at_its_line(void **state)
{
    (void)state;
    check_changes(firing, sizeof firing / sizeof firing[0]);
}

static void test_what_only_comes_close_is_accepted(void **state)
{
    (void)state;
    check_changes(quiet, sizeof quiet / sizeof quiet[0]);
}

static void test_all_findings_of_a_file_are_reported(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *text = with_change(&run, small_soc, "needs_power: true, source: book", "needs_power: true");
    text = with_change(&run, text, "name: whole", "name: PLAIN");
    text = with_change(&run, text, "length: 0xE000", "length: 0xF000");
    assert_null(read_soc(&run, text));
    assert_int_equal(count_findings(&run, "unsourced-number"), 1);
    assert_int_equal(count_findings(&run, "duplicate-name"), 1);
    assert_true(count_findings(&run, "window-in-carve-out") >= 1);
    run_end(&run);
}

static void test_profiles_that_differ_only_in_case(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *text = with_change(&run, small_soc, "name: whole", "name: Plain");
    text = with_change(&run, text, "length: 0xF000", "length: 0xE000");
    assert_null(read_soc(&run, text));
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_int_equal(count_findings(&run, "duplicate-name"), 1);
    run_end(&run);
}

/* Code in a memory that cannot be executed, for each profile that puts it there. */
static void test_code_must_be_executable(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    assert_null(read_soc(&run, with_change(&run, small_soc, "access: rx", "access: r")));
    assert_int_equal(run.diagnostics.list.count, 2);
    assert_int_equal(count_findings(&run, "role-unfit"), 2);
    run_end(&run);
}

/* Two carve-outs that no profile has at once may share bytes. */
static void test_carve_outs_of_different_profiles_may_overlap(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *text = with_change(&run, small_soc, "profiles: [plain], source: book}",
                                   "profiles: [plain], source: book},\n"
                                   "     {name: other, origin: 0xFFFF, length: 1, profiles: [whole], source: book}");
    text = with_change(&run, text, "length: 0xF000, linker_name", "length: 0xEFFF, linker_name");
    assert_non_null(read_soc(&run, text));
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

/* 64 regions are read; one more is refused before anything compares each with each. */
static void test_lists_are_limited(void **state)
{
    (void)state;
    for (unsigned extra = 61; extra <= 62; extra++) {
        struct run run;
        run_start(&run);
        struct text regions = text_start(&run.arena);
        for (unsigned i = 0; i < extra; i++) {
            text_print(&regions, "- {name: R%u, tier: sram, origin: 0x%x, length: 16, access: rw, source: book}\n", i,
                       0x40000000u + i * 16);
        }
        text_add(&regions, "profiles:\n");
        bool accepted =
            read_soc(&run, with_change(&run, small_soc, "\nprofiles:\n", arena_format(&run.arena, "\n%s", regions.data)));
        assert_int_equal(accepted, extra == 61);
        assert_int_equal(count_findings(&run, "bad-value"), extra == 61 ? 0 : 1);
        run_end(&run);
    }
}

static void test_boards(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        const char *text;
    } boards[] = {
        {NULL, "psram: {length: 8M, source: book}\n"},
        {NULL, "psram: {length: 0, source: book}\n"},
        {NULL, ""},
        {"unsourced-number", "psram: {length: 8M}\n"},
        {"unknown-source", "psram: {length: 8M, source: nook}\n"},
        {"unknown-key", "psramm: {length: 8M, source: book}\n"},
        {"wrong-kind", "psram: 8M\n"},
    };
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct run run;
        run_start(&run);
        const struct board *board = read_board(&run, arena_format(&run.arena,
                                                                  "schema: helia-placement/board/1\nboard: evb\nsoc: demo\n"
                                                                  "sources: {book: {repository: a/b, path: c, commit: d}}\n%s",
                                                                  boards[i].text));
        assert_int_equal(board == NULL, boards[i].id != NULL);
        assert_int_equal(run.diagnostics.list.count, boards[i].id != NULL ? 1 : 0);
        if (boards[i].id != NULL) {
            assert_string_equal(diag_row(run.diagnostics.list.items[0].id)->name, boards[i].id);
        }
        run_end(&run);
    }
}

static void test_board_names_are_file_names(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    assert_null(read_board(&run, "schema: helia-placement/board/1\nboard: a/b\nsoc: demo\n"));
    assert_int_equal(count_findings(&run, "bad-name"), 1);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_broken_rule_is_named_at_its_line),
        cmocka_unit_test(test_what_only_comes_close_is_accepted),
        cmocka_unit_test(test_all_findings_of_a_file_are_reported),
        cmocka_unit_test(test_profiles_that_differ_only_in_case),
        cmocka_unit_test(test_code_must_be_executable),
        cmocka_unit_test(test_carve_outs_of_different_profiles_may_overlap),
        cmocka_unit_test(test_lists_are_limited),
        cmocka_unit_test(test_boards),
        cmocka_unit_test(test_board_names_are_file_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
