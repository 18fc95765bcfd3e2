/* Each row of the check table: one image in which it fires, and one close to it in which it stays quiet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checking.h"

static struct checking c;

static int start(void **state)
{
    (void)state;
    checking_start(&c);
    return 0;
}

static int end(void **state)
{
    (void)state;
    checking_end(&c);
    return 0;
}

static void again(void)
{
    checking_end(&c);
    checking_start(&c);
}

/* Runs; the findings must be exactly `ids`. Returns the first. */
static const struct check_finding *expect(const char *ids)
{
    assert_true(checking_run(&c));
    assert_string_equal(all_findings(&c), ids);
    for (size_t i = 0; i < c.result.findings.count; i++) {
        if (c.result.findings.items[i].level == DIAG_ERROR) {
            assert_false(c.result.ok);
        }
    }
    return c.result.findings.count != 0 ? &c.result.findings.items[0] : NULL;
}

/* An image that holds what the plan promises: scratch in DTCM, cold constants in MRAM, a staged arena in SRAM with its source. */
static void make_planned_image(void)
{
    c.planned_arenas[0] = (struct planned_arena){"kws_arena_scratch_dtcm", "scratch", "DTCM", 4096, 32, false, true, false};
    c.planned_arenas[1] = (struct planned_arena){"kws_arena_constant_mram", "constant", "MRAM", 512, 16, false, false, false};
    c.planned_arenas[2] = (struct planned_arena){"kws_arena_constant_sram", "constant", "SRAM", 256, 16, false, true, false};
    c.planned_arenas[3] = (struct planned_arena){"kws_source_sram_from_mram", "constant", "MRAM", 256, 1, true, false, false};
    c.planned.arena_count = 4;
    c.request.planned = &c.planned;
    c.embedded[0] = &c.planned;
    c.request.embedded_count = 1;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 0x100);
    const uint32_t rodata = add_stored(&c, ".hp.kws.rodata.mram", 0, 0x410100, 0x410100, 0x300);
    const uint32_t dtcm = add_zeros(&c, ".hp.kws.arena.dtcm", 0x20000000, 4096);
    const uint32_t sram = add_zeros(&c, ".hp.kws.arena.sram", 0x20080000, 256);
    add_zeros(&c, ".bss", 0x20001000, 64);
    elf_add_symbol(&c.file, "kws_arena_scratch_dtcm", 0x20000000, 4096, dtcm);
    elf_add_symbol(&c.file, "kws_arena_constant_mram", 0x410100, 512, rodata);
    elf_add_symbol(&c.file, "kws_arena_constant_sram", 0x20080000, 256, sram);
    elf_add_symbol(&c.file, "kws_source_sram_from_mram", 0x410300, 256, rodata);
    elf_add_symbol(&c.file, "counter", 0x20001000, 4, 5);
}

static void what_the_plan_promises_is_quiet(void **state)
{
    (void)state;
    make_planned_image();
    expect("");
    assert_true(c.result.ok);
}

/* ---- the image as a whole ---- */

static void another_class_or_machine(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.file.bits = 64;
    assert_string_equal(expect("elf-class")->message, "the image is of 64 bits, apollo510 is of 32 bits");
    again();
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.file.machine = 243;
    assert_string_equal(expect("elf-machine")->message, "the image is for riscv, apollo510 is arm");
    again();
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.file.machine = 4711;
    assert_string_equal(expect("elf-machine")->message, "the image is for machine 4711, apollo510 is arm");
    c.soc.elf_machine = "ARM"; /* case is no difference */
    c.file.machine = 40;
    expect("");
}

static void a_model_that_changed_since(void **state)
{
    (void)state;
    make_planned_image();
    c.request.fresh_prefix = "kws";
    c.request.fresh_hash = "sha256:33";
    assert_string_equal(
        expect("plan-stale")->message,
        "the image was built from plan sha256:11, the model and config now give sha256:33: generate and build again");
    c.request.fresh_hash = "sha256:11";
    expect("");
    c.request.fresh_prefix = "other"; /* that is another model's */
    c.request.fresh_hash = "sha256:33";
    expect("");
}

static void a_stripped_image_proves_nothing(void **state)
{
    (void)state;
    make_planned_image();
    c.file.stripped = true;
    assert_non_null(strstr(expect("image-stripped")->message, "4 planned arenas"));
    again();
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.file.stripped = true; /* nothing was promised */
    expect("");
    c.request.planned = &c.planned; /* all arenas are the caller's */
    c.embedded[0] = &c.planned;
    c.request.embedded_count = 1;
    expect("");
}

static void nothing_verified_and_no_plan(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.profile.verified = false;
    expect("windows-unverified plan-unknown");
    assert_false(c.result.ok);
    c.profile.verified = true;
    expect("");
}

static void another_plan(void **state)
{
    (void)state;
    make_planned_image();
    struct planned other = c.planned;
    other.plan_hash = "sha256:22";
    c.embedded[0] = &other;
    const struct check_finding *finding = expect("plan-mismatch");
    assert_string_equal(finding->message,
                        "the image was built from plan sha256:22, the plan given is sha256:11: generate and build again");
    assert_string_equal(finding->section, ".helia.plan");
    c.embedded[0] = &c.planned;
    expect("");
    c.planned.profile = "nbl";
    assert_string_equal(expect("plan-mismatch")->message, "the plan is for linker profile 'nbl', the check for 'sbl'");
    c.planned.profile = "SBL";
    c.planned.soc = "apollo4p";
    assert_string_equal(expect("plan-mismatch")->message, "the plan is for SoC 'apollo4p', the check for 'apollo510'");
}

static void no_plan_in_the_image(void **state)
{
    (void)state;
    make_planned_image();
    c.request.embedded_count = 0;
    const struct check_finding *finding = expect("plan-not-embedded");
    assert_int_equal(finding->level, DIAG_WARNING);
    assert_true(c.result.ok);
    struct planned other = c.planned;
    other.prefix = "vww";
    other.arena_count = 0;
    c.embedded[0] = &other;
    c.request.embedded_count = 1;
    expect("plan-not-embedded"); /* that is another model's */
}

/* Without --plan the embedded plans hold; with it, those of other prefixes hold besides. */
static void every_model_in_the_image_is_held(void **state)
{
    (void)state;
    make_planned_image();
    c.request.planned = NULL;
    expect("");
    struct planned_arena arena = {"vww_arena_scratch_sram", "scratch", "SRAM", 64, 16, false, true, false};
    struct planned other = c.planned;
    other.prefix = "vww";
    other.arenas = &arena;
    other.arena_count = 1;
    c.embedded[1] = &other;
    c.request.embedded_count = 2;
    assert_string_equal(expect("arena-missing")->symbol, "vww_arena_scratch_sram");
    c.request.planned = &c.planned;
    expect("arena-missing");
    c.request.embedded_count = 1;
    expect("");
}

/* ---- regions and sections ---- */

static void more_than_a_region_holds(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 507904);
    expect("");
    add_zeros(&c, ".more", 0x2007C000, 4096);
    const struct check_finding *finding = expect("region-overflow outside-window");
    assert_string_equal(finding->message, "DTCM: need 512000 bytes, have 507904, excess 4096");
    assert_string_equal(finding->region, "DTCM");
    assert_true(finding->has_need);
    assert_int_equal(finding->need, 512000);
    assert_int_equal(finding->have, 507904);
    assert_int_equal(region_named(&c, "DTCM")->free, 0);
}

static void reserved_bytes_overflow_too(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 507904 - 100);
    add_zeros(&c, ".heap", 0x20000000 + 507904 - 100, 200);
    expect("region-overflow section-straddles-window outside-window");
    assert_int_equal(region_named(&c, "DTCM")->reserved, 200);
}

static void a_section_straddles(void **state)
{
    (void)state;
    add_stored(&c, ".data", ELF_WRITE, 0x2007BFF0, 0x410000, 16);
    expect("");
    again();
    add_stored(&c, ".data", ELF_WRITE, 0x2007BFF0, 0x410000, 20);
    const struct check_finding *finding = expect("section-straddles-window outside-window");
    assert_string_equal(finding->message,
                        "section '.data' at 0x2007bff0 passes the end of DTCM at 0x2007c000: need 20 bytes, have "
                        "16, excess 4");
    assert_int_equal(finding->need, 20);
    assert_int_equal(finding->have, 16);
    assert_string_equal(finding->section, ".data");
}

static void a_load_image_straddles(void **state)
{
    (void)state;
    add_stored(&c, ".data", ELF_WRITE, 0x20000000, 0x7FFFF8, 16); /* MRAM ends at 0x800000 */
    const struct check_finding *finding = expect("section-straddles-window outside-window");
    assert_true(text_starts_with(finding->message, "load image of section '.data' at 0x7ffff8 passes the end of MRAM"));
}

static void bytes_outside_every_window(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x10000000, 16);
    assert_string_equal(expect("outside-window")->message,
                        "16 bytes of the section '.bss' at 0x10000000 lie outside every window: in an unmapped region");
    again();
    add_zeros(&c, ".bss", 0x100, 16);
    assert_true(text_ends_with(expect("outside-window")->message, "in ITCM, where profile sbl has no window"));
}

static void sections_overlap(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20080000, 0x100);
    add_zeros(&c, ".noinit", 0x20080100, 0x100);
    expect("");
    add_zeros(&c, ".secure", 0x300800F0, 0x20); /* the same memory at its other address */
    const struct check_finding *finding = expect("section-overlap section-overlap");
    assert_string_equal(finding->message, "sections '.bss' and '.secure' share 16 bytes at 0x200800f0");
    assert_string_equal(finding->region, "SRAM");
    assert_string_equal(c.result.findings.items[1].message, "sections '.secure' and '.noinit' share 16 bytes at 0x20080100");
}

/* A large section is held against every one that it covers, not only against its neighbour. */
static void a_covered_section_between(void **state)
{
    (void)state;
    add_zeros(&c, ".large", 0x20000000, 0x1000);
    add_zeros(&c, ".one", 0x20000010, 0x10);
    add_zeros(&c, ".two", 0x20000100, 0x10);
    expect("section-overlap section-overlap");
}

static void load_images_overlap(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 0x100);
    add_stored(&c, ".data", ELF_WRITE, 0x20000000, 0x410100, 0x10);
    expect("");
    add_stored(&c, ".data2", ELF_WRITE, 0x20000010, 0x410108, 0x10);
    assert_string_equal(expect("load-overlap")->message, "load image of sections '.data' and '.data2' share 8 bytes at 0x410108");
}

/* LLD without AT>: the load address is the run address, and a .bin of it reaches from flash to RAM. */
static void a_load_image_in_ram(void **state)
{
    (void)state;
    add_stored(&c, ".data", ELF_WRITE, 0x20000000, 0x20000000, 16);
    const struct check_finding *finding = expect("load-outside-image");
    assert_string_equal(finding->region, "DTCM");
    assert_non_null(strstr(finding->message, "16 bytes at 0x20000000"));
    c.regions[REGION_DTCM].holds_image = true; /* a loader fills it before the core starts */
    expect("");
}

static void a_load_address_between_words(void **state)
{
    (void)state;
    make_planned_image();
    add_stored(&c, ".hp.kws.data.dtcm", ELF_WRITE, 0x20002000, 0x410402, 16);
    assert_string_equal(expect("load-misaligned")->section, ".hp.kws.data.dtcm");
    c.file.segments[2].physical_address = 0x410404;
    expect("");
    c.file.segments[2].physical_address = 0x410402;
    c.file.sections[5].name = ".data"; /* not ours: its startup may copy bytes */
    expect("");
    again();
    make_planned_image();
    add_stored(&c, ".hp.kws.code.mram", ELF_EXEC, 0x410402, 0x410402, 16); /* stays where it is: nobody copies it */
    expect("");
}

static void a_section_of_ours_elsewhere(void **state)
{
    (void)state;
    make_planned_image();
    add_zeros(&c, ".hp.kws.bss.sram", 0x20002000, 16);
    const struct check_finding *finding = expect("section-wrong-region");
    assert_string_equal(finding->message, "section '.hp.kws.bss.sram' lies in DTCM at 0x20002000, not in SRAM");
    assert_string_equal(finding->region, "SRAM");
    c.file.sections[5].name = ".hp.kws.bss.nvm";
    assert_null(expect("section-wrong-region")->region);
    static const char *const QUIET[] = {".hp.kws.bss.dtcm", ".hp.vww.bss.sram", ".hp.kws.tables", ".hp.kwsx.bss.sram",
                                        ".hp.kws.bss.sram.x"};
    for (size_t i = 0; i < sizeof QUIET / sizeof *QUIET; i++) {
        c.file.sections[5].name = QUIET[i];
        expect("");
    }
    c.file.sections[5].name = ".hp.kws.bss.sram";
    c.file.sections[5].size = 0; /* always emitted, often empty */
    expect("");
}

static void code_that_can_be_overwritten(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 64);
    expect("");
    c.file.segments[0].flags = 7;
    const struct check_finding *finding = expect("writable-code");
    assert_int_equal(finding->level, DIAG_WARNING);
    assert_string_equal(finding->message, "segment 0 is writable and executable and holds code ('.text')");
    assert_true(c.result.ok);
    c.file.sections[0].flags = ELF_ALLOC; /* no code in it */
    expect("");
}

/* ---- planned arenas ---- */

static void an_arena_is_missing(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[0].name = "something_else";
    const struct check_finding *finding = expect("arena-missing");
    assert_string_equal(finding->symbol, "kws_arena_scratch_dtcm");
    assert_string_equal(finding->region, "DTCM");
    c.file.symbols[0].name = "kws_arena_scratch_dtcm";
    c.file.symbols[0].section = ELF_ABS; /* a name for a number is no memory */
    expect("arena-missing");
    c.planned_arenas[0].size = 0; /* nothing to put anywhere */
    expect("");
}

static void the_caller_brings_the_arenas(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[0].name = "something_else";  /* scratch */
    c.file.symbols[2].name = "something_other"; /* staged */
    c.planned.allocate_arenas = false;
    expect("");
    c.file.symbols[3].name = "no_source"; /* is in the image all the same */
    assert_string_equal(expect("arena-missing")->symbol, "kws_source_sram_from_mram");
}

static void an_arena_is_there_twice(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[4].name = "kws_arena_scratch_dtcm";
    assert_string_equal(expect("arena-not-unique")->message, "2 symbols are named 'kws_arena_scratch_dtcm'");
}

static void an_arena_in_another_memory(void **state)
{
    (void)state;
    make_planned_image();
    c.file.sections[2].name = ".bss.arena";
    c.file.sections[2].address = 0x20090000;
    c.file.symbols[0].value = 0x20090000;
    const struct check_finding *finding = expect("arena-wrong-region");
    assert_string_equal(finding->message, "'kws_arena_scratch_dtcm' lies in SRAM at 0x20090000, the plan puts it into DTCM");
    assert_string_equal(finding->section, ".bss.arena");
    c.planned_arenas[0].memory = "SRAM";
    expect("");
    c.planned_arenas[0].memory = "HBM";
    assert_string_equal(expect("arena-wrong-region")->message,
                        "the plan puts 'kws_arena_scratch_dtcm' into HBM, which apollo510 has "
                        "not");
}

/* VER-001 and VER-006: ranges are half open. */
static void an_arena_at_the_end_of_its_memory(void **state)
{
    (void)state;
    c.regions[REGION_SRAM] =
        (struct region){.name = "SRAM", .tier = TIER_SRAM, .origin = 0x10060000, .length = 0x100000, .access = 7, .data = true};
    c.windows[2] = (struct window){.region = REGION_SRAM, .origin = 0x10060000, .length = 0x100000};
    add_planned(&c, "arena", "scratch", "SRAM", 16);
    c.embedded[0] = &c.planned;
    c.request.embedded_count = 1;
    const uint32_t section = add_zeros(&c, ".bss", 0x1006D1F0, 16);
    elf_add_symbol(&c.file, "arena", 0x1006D1F0, 16, section);
    expect("");
    c.file.sections[0].address = c.file.symbols[0].value = 0x1015FFF0;
    expect("");
    c.file.sections[0].address = c.file.symbols[0].value = 0x10160000;
    expect("outside-window arena-wrong-region");
    assert_string_equal(c.result.findings.items[1].message,
                        "'arena' lies in an unmapped region at 0x10160000, the plan puts it into SRAM");
}

static void an_arena_past_its_window(void **state)
{
    (void)state;
    make_planned_image();
    c.file.sections[2].address = c.file.symbols[0].value = 0x2007B800; /* 2 KiB too far */
    expect("section-straddles-window outside-window arena-wrong-region");
    assert_string_equal(c.result.findings.items[2].message,
                        "'kws_arena_scratch_dtcm' (4096 bytes at 0x2007b800) passes the window of DTCM");
}

static void an_arena_of_another_size(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[0].size = 4092;
    const struct check_finding *finding = expect("arena-wrong-size");
    assert_string_equal(finding->message, "'kws_arena_scratch_dtcm': need 4096 bytes, have 4092");
    assert_int_equal(finding->need, 4096);
    assert_int_equal(finding->have, 4092);
}

static void an_arena_between_its_alignment(void **state)
{
    (void)state;
    make_planned_image();
    c.file.sections[2].address = c.file.symbols[0].value = 0x20002010;
    assert_string_equal(expect("arena-misaligned")->message, "'kws_arena_scratch_dtcm' at 0x20002010 is not aligned to 32 bytes");
    c.file.sections[2].address = c.file.symbols[0].value = 0x20002020;
    expect("");
}

/* LLD makes a NOBITS input PROGBITS when a PROGBITS one shares its output section. */
static void an_arena_that_the_image_stores(void **state)
{
    (void)state;
    make_planned_image();
    const uint32_t stored = add_stored(&c, ".data", ELF_WRITE, 0x20002000, 0x410400, 4096);
    c.file.symbols[0].section = (uint16_t)stored;
    c.file.symbols[0].value = 0x20002000;
    const struct check_finding *finding = expect("arena-costs-flash");
    assert_string_equal(finding->message, "'kws_arena_scratch_dtcm' is in section '.data', which the image stores: 4096 bytes of "
                                          "zeros; it should be NOBITS");
}

static void constants_that_the_image_does_not_store(void **state)
{
    (void)state;
    make_planned_image();
    c.planned_arenas[2].nobits = false; /* as if it were cold */
    assert_string_equal(expect("arena-not-loaded")->symbol, "kws_arena_constant_sram");
}

/* Constants that the host writes: no bytes in the image, but the room must be there, also if the caller lends all other arenas.
 */
static void constants_that_the_host_uploads(void **state)
{
    (void)state;
    make_planned_image();
    c.planned_arenas[2].is_host_uploaded = true;
    expect("");
    c.planned.allocate_arenas = false;
    expect("");
    c.planned_arenas[2].symbol = "kws_arena_constant_psram";
    assert_string_equal(expect("arena-missing")->symbol, "kws_arena_constant_psram");
    again();
    make_planned_image();
    c.planned_arenas[1].nobits = true;
    c.planned_arenas[1].is_host_uploaded = true;
    assert_string_equal(expect("arena-costs-flash")->symbol, "kws_arena_constant_mram");
}

static void something_else_in_an_arena(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[4].value = 0x20000FFC; /* "counter", 4 bytes: the arena's last word */
    const struct check_finding *finding = expect("arena-shared");
    assert_string_equal(finding->message, "'counter' (4 bytes at 0x20000ffc) lies inside 'kws_arena_scratch_dtcm'");
    c.file.symbols[4].value = 0x20001000;
    expect("");
    c.file.symbols[4].value = 0x20000000; /* a second name of the whole arena */
    c.file.symbols[4].size = 4096;
    expect("");
    c.file.symbols[4].size = 0; /* a label */
    expect("");
}

static void something_else_at_an_arenas_other_address(void **state)
{
    (void)state;
    make_planned_image();
    c.file.symbols[4].value = 0x30080010;
    assert_string_equal(expect("arena-shared")->message,
                        "'counter' (4 bytes at 0x30080010) lies inside 'kws_arena_constant_sram'");
}

static void a_section_in_an_arena(void **state)
{
    (void)state;
    make_planned_image();
    add_zeros(&c, ".stack", 0x20000800, 64);
    expect("section-overlap arena-shared");
    assert_true(text_starts_with(c.result.findings.items[1].message, "section '.stack' (64 bytes"));
}

/* ---- budgets ---- */

static void budgets_hold_or_not(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 409600);
    c.budgets[0] = (struct budget){.region = "dtcm", .limit_text = "400K"};
    c.budgets[1] = (struct budget){.region = "SRAM", .limit_text = "0"};
    c.request.budget_count = 2;
    expect("");
    c.file.sections[0].size = 409601;
    const struct check_finding *finding = expect("over-budget");
    assert_string_equal(finding->message, "DTCM: need 409601 bytes, have 409600 (budget 400K), excess 1");
    assert_int_equal(finding->have, 409600);
    c.budgets[0].limit_text = "80%"; /* 406323 of 507904 */
    assert_int_equal(expect("over-budget")->have, 406323);
    c.file.sections[0].size = 406323;
    expect("");
}

static void budgets_that_cannot_be_read(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 16);
    c.budgets[0] = (struct budget){.region = "DTMC", .limit_text = "400K"};
    c.budgets[1] = (struct budget){.region = "DTCM", .limit_text = "lots"};
    c.request.budget_count = 2;
    assert_false(checking_run(&c));
    assert_int_equal(c.diagnostics.error_count, 2);
    assert_int_equal(c.diagnostics.list.items[0].id, DIAG_BUDGET_REGION);
    assert_string_equal(c.diagnostics.list.items[0].notes.items[0].message, "did you mean 'DTCM'?");
    assert_int_equal(c.diagnostics.list.items[1].id, DIAG_BUDGET_LIMIT);
}

/* ---- the table itself ---- */

static void rows_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < check_row_count; i++) {
        assert_true(text_ends_with(check_rows[i].title, "."));
        assert_non_null(check_rows[i].run);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(check_rows[i].id, check_rows[j].id);
        }
    }
}

static void too_many_findings_are_counted_out(void **state)
{
    (void)state;
    static char names[60][8];
    for (size_t i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], ".s%zu", i);
        add_zeros(&c, names[i], 0x20000000, 16);
    }
    assert_true(checking_run(&c));
    assert_int_equal(findings_of(&c, "section-overlap", NULL), CHECK_FINDINGS_PER_ID + 1);
    assert_string_equal(c.result.findings.items[CHECK_FINDINGS_PER_ID].message,
                        "there are more findings of this kind; they are not listed");
}

/* What image_read() lets pass must be checkable, whatever it says. */
static void damaged_images_give_a_verdict(void **state)
{
    (void)state;
    make_planned_image();
    elf_build(&c.file);
    uint8_t *bytes = malloc(c.file.size);
    uint64_t random = UINT64_C(0x2545f4914f6cdd1d);
    size_t checked = 0, refused_by_check = 0;
    c.request.top = 3;
    for (size_t i = 0; i < 6000; i++) {
        memcpy(bytes, c.file.bytes, c.file.size);
        elf_damage(&c.file, bytes, &random);
        struct arena arena = {0};
        struct diagnostics diagnostics = diagnostics_start(&arena);
        struct check_result result = {0};
        if (image_read(&arena, &diagnostics, elf_write(bytes, c.file.size), SPAN_NONE, &c.request.image)) {
            assert_true(check_run(&arena, &diagnostics, &c.request, &result));
            checked++;
            refused_by_check += !result.ok;
        }
        arena_free(&arena);
    }
    free(bytes);
    assert_true(checked > 500 && refused_by_check > 100 && refused_by_check < checked);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_plan_promises_is_quiet),
        TEST(another_class_or_machine),
        TEST(a_model_that_changed_since),
        TEST(a_stripped_image_proves_nothing),
        TEST(nothing_verified_and_no_plan),
        TEST(another_plan),
        TEST(no_plan_in_the_image),
        TEST(every_model_in_the_image_is_held),
        TEST(more_than_a_region_holds),
        TEST(reserved_bytes_overflow_too),
        TEST(a_section_straddles),
        TEST(a_load_image_straddles),
        TEST(bytes_outside_every_window),
        TEST(sections_overlap),
        TEST(a_covered_section_between),
        TEST(load_images_overlap),
        TEST(a_load_image_in_ram),
        TEST(a_load_address_between_words),
        TEST(a_section_of_ours_elsewhere),
        TEST(code_that_can_be_overwritten),
        TEST(an_arena_is_missing),
        TEST(the_caller_brings_the_arenas),
        TEST(an_arena_is_there_twice),
        TEST(an_arena_in_another_memory),
        TEST(an_arena_at_the_end_of_its_memory),
        TEST(an_arena_past_its_window),
        TEST(an_arena_of_another_size),
        TEST(an_arena_between_its_alignment),
        TEST(an_arena_that_the_image_stores),
        TEST(constants_that_the_image_does_not_store),
        TEST(constants_that_the_host_uploads),
        TEST(something_else_in_an_arena),
        TEST(something_else_at_an_arenas_other_address),
        TEST(a_section_in_an_arena),
        TEST(budgets_hold_or_not),
        TEST(budgets_that_cannot_be_read),
        TEST(rows_are_complete),
        TEST(too_many_findings_are_counted_out),
        TEST(damaged_images_give_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
