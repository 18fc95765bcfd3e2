#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/byte_range.h"
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

static void run_quiet(void)
{
    assert_true(checking_run(&c));
    assert_string_equal(all_findings(&c), "");
    assert_true(c.result.ok);
    assert_string_equal(c.result.view, "measured");
}

static void every_region_of_the_profile_has_a_row(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 64);
    run_quiet();
    assert_int_equal(c.result.region_count, 4); /* the ITCM has no window here */
    static const char *const NAMES[] = {"MRAM", "SRAM", "DTCM", "PSRAM"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(c.result.regions[i].name, NAMES[i]);
    }
    assert_int_equal(region_named(&c, "MRAM")->origin, 0x410000); /* MEA-017 */
    assert_int_equal(region_named(&c, "MRAM")->capacity, 4128768);
    assert_int_equal(region_named(&c, "DTCM")->origin, 0x20000000);
    assert_int_equal(region_named(&c, "DTCM")->capacity, 507904);
    assert_int_equal(region_named(&c, "SRAM")->origin, 0x20080000);
    assert_int_equal(region_named(&c, "SRAM")->capacity, 3145728);
    assert_false(region_named(&c, "PSRAM")->has_window);
    assert_int_equal(region_named(&c, "PSRAM")->origin, 0x60000000);
    assert_int_equal(region_named(&c, "PSRAM")->capacity, 0x2000000);
    assert_int_equal(region_named(&c, "PSRAM")->free, 0x2000000);
}

static void initialised_data_costs_both(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 1000);
    add_stored(&c, ".data", ELF_WRITE, 0x20000000, 0x410400, 4096); /* MEA-014 */
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->used, 4096);
    assert_int_equal(region_named(&c, "DTCM")->data, 4096);
    assert_int_equal(region_named(&c, "DTCM")->load_image, 0);
    assert_int_equal(region_named(&c, "MRAM")->used, 1000 + 4096);
    assert_int_equal(region_named(&c, "MRAM")->code, 1000);
    assert_int_equal(region_named(&c, "MRAM")->data, 0);
    assert_int_equal(region_named(&c, "MRAM")->load_image, 1000 + 4096);
    assert_int_equal(region_named(&c, "MRAM")->free, 4128768 - 5096);
    /* 24 bytes of padding lie before the load image of .data */
    assert_int_equal(region_named(&c, "MRAM")->high_water, 0x400 + 4096);
    assert_int_equal(region_named(&c, "MRAM")->largest_free_block, 4128768 - 0x400 - 4096);
}

static void zeroed_data_costs_only_ram(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 4096); /* MEA-015 */
    /* LLD and GNU ld give NOBITS a load address in flash; it stores nothing there */
    elf_add_segment(&c.file, (struct elf_segment){ELF_LOAD, 6, 0x100, 0x20000000, 0x410000, 0, 4096, 4});
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->used, 4096);
    assert_int_equal(region_named(&c, "DTCM")->bss, 4096);
    assert_int_equal(region_named(&c, "MRAM")->used, 0);
    assert_int_equal(region_named(&c, "MRAM")->load_image, 0);
}

static void code_in_place_counts_once(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 512);
    add_stored(&c, ".rodata", 0, 0x410200, 0x410200, 256);
    run_quiet();
    assert_int_equal(region_named(&c, "MRAM")->used, 768);
    assert_int_equal(region_named(&c, "MRAM")->code, 512);
    assert_int_equal(region_named(&c, "MRAM")->rodata, 256);
    assert_int_equal(region_named(&c, "MRAM")->load_image, 768);
}

static void thread_local_zeros_have_no_bytes(void **state)
{
    (void)state;
    add_stored(&c, ".tdata", ELF_WRITE | ELF_TLS, 0x20000000, 0x410000, 16);
    c.file.sections[add_zeros(&c, ".tbss", 0x20000010, 64) - 1].flags |= ELF_TLS;
    add_zeros(&c, ".bss", 0x20000010, 32); /* starts where .tbss does: no overlap */
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->used, 48);
}

static void heap_filler_is_reserved(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 260); /* MEA-001 */
    add_zeros(&c, ".heap", 0x20000108, 391928);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->bss, 260);
    assert_int_equal(region_named(&c, "DTCM")->used, 260);
    assert_int_equal(region_named(&c, "DTCM")->reserved, 391928);
    assert_int_equal(region_named(&c, "DTCM")->free, 507904 - 260);
    assert_int_equal(region_named(&c, "DTCM")->largest_free_block, 507904 - 260);
    assert_int_equal(region_named(&c, "DTCM")->high_water, 260);
}

static void a_heap_below_the_stack_is_no_padding(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 260);
    add_zeros(&c, ".heap", 0x20000108, 4096);
    add_zeros(&c, ".stack", 0x20001110, 8192);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->high_water, 0x1110 + 8192);
    assert_int_equal(region_named(&c, "DTCM")->padding, 4 + 8); /* before the heap, before the stack */
}

static void a_stored_heap_is_used(void **state)
{
    (void)state;
    add_stored(&c, ".heap", ELF_WRITE, 0x20000000, 0x410000, 8192); /* MEA-002 */
    add_zeros(&c, ".bss", 0x20002000, 65536);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->bss, 65536);
    assert_int_equal(region_named(&c, "DTCM")->data, 8192);
    assert_int_equal(region_named(&c, "DTCM")->reserved, 0);
}

static void a_heap_that_takes_no_memory_is_not_reserved(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 260);
    c.file.sections[add_zeros(&c, ".heap", 0x20000108, 391928) - 1].flags = 0; /* MEA-003: not ALLOC */
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->reserved, 0);
    assert_int_equal(region_named(&c, "DTCM")->used, 260);
}

static void the_stack_is_live_memory(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 260); /* MEA-005, MEA-007 */
    add_zeros(&c, ".stack", 0x20000108, 12288);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->used, 12548);
    assert_int_equal(region_named(&c, "DTCM")->reserved, 0);
}

static void heap_is_a_token_of_the_name(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 352);
    add_zeros(&c, ".ram_heap", 0x20000160, 4000); /* MEA-009 */
    add_zeros(&c, ".tcm_heap", 0x20001100, 4100);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->reserved, 8100);
    assert_int_equal(region_named(&c, "DTCM")->used, 352);
    assert_int_equal(region_named(&c, "DTCM")->bss, 352);
    checking_end(&c);
    checking_start(&c);
    add_zeros(&c, ".heapdump", 0x20000000, 16);
    add_zeros(&c, ".theheap", 0x20000010, 16);
    add_zeros(&c, "HEAP", 0x20000020, 32);
    run_quiet();
    assert_int_equal(region_named(&c, "DTCM")->used, 32);
    assert_int_equal(region_named(&c, "DTCM")->reserved, 32);
}

static void aliases_are_folded(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20080000, 4096);
    add_zeros(&c, ".secure", 0x30081000, 1024);
    run_quiet();
    assert_int_equal(region_named(&c, "SRAM")->used, 5120);
    assert_int_equal(region_named(&c, "SRAM")->high_water, 0x1400);
    assert_int_equal(c.result.outside.count, 0);
}

static void external_memory_needs_no_window(void **state)
{
    (void)state;
    add_zeros(&c, ".bss.psram", 0x60000000, 0x2000000);
    run_quiet();
    assert_int_equal(region_named(&c, "PSRAM")->used, 0x2000000);
    assert_int_equal(region_named(&c, "PSRAM")->free, 0);
    assert_int_equal(region_named(&c, "PSRAM")->largest_free_block, 0);
}

static void shared_bytes_count_once(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x20000000, 4096);
    add_zeros(&c, ".overlay", 0x20000800, 4096);
    add_zeros(&c, ".heap", 0x20001000, 4096); /* 2048 of its bytes are .overlay's */
    assert_true(checking_run(&c));
    assert_int_equal(region_named(&c, "DTCM")->used, 6144);
    assert_int_equal(region_named(&c, "DTCM")->reserved, 2048);
    assert_int_equal(findings_of(&c, "section-overlap", NULL), 2);
}

/* MEA-016: the memory goes on to 0x20080000, the verified window does not. */
static void bytes_past_the_window_are_outside(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x2007C000, 16);
    assert_true(checking_run(&c));
    assert_false(c.result.ok);
    assert_int_equal(c.result.outside.count, 1);
    assert_string_equal(c.result.outside.items[0].section, ".bss");
    assert_int_equal(c.result.outside.items[0].address, 0x2007C000);
    assert_int_equal(c.result.outside.items[0].size, 16);
    const struct check_finding *finding = NULL;
    assert_int_equal(findings_of(&c, "outside-window", &finding), 1);
    assert_string_equal(finding->message, "16 bytes of the section '.bss' at 0x2007c000 lie outside every window: in DTCM, but "
                                          "not in its window [0x20000000, 0x2007c000)");
}

/* 0x2007B000 + 0x10000: 4 KiB in DTCM's window, 16 KiB past it, 44 KiB in SRAM. */
static void a_section_that_passes_the_end_counts_in_both(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0x2007B000, 0x10000);
    assert_true(checking_run(&c));
    assert_int_equal(region_named(&c, "DTCM")->used, 0x10000);
    assert_int_equal(region_named(&c, "DTCM")->high_water, 0x7B000 + 0x10000);
    assert_int_equal(region_named(&c, "SRAM")->used, 0xB000);
    assert_int_equal(c.result.outside.count, 1);
    assert_int_equal(c.result.outside.items[0].address, 0x2007C000);
    assert_int_equal(c.result.outside.items[0].size, 0x4000);
    assert_string_equal(all_findings(&c), "section-straddles-window outside-window");
}

static void the_boot_loaders_part_is_outside(void **state)
{
    (void)state;
    add_stored(&c, ".text", ELF_EXEC, 0x40FF00, 0x40FF00, 0x200); /* half below the window */
    assert_true(checking_run(&c));
    assert_int_equal(region_named(&c, "MRAM")->used, 0x100);
    assert_int_equal(c.result.outside.count, 2); /* as run and as load bytes */
    assert_int_equal(c.result.outside.items[0].size, 0x100);
    assert_false(c.result.outside.items[0].is_load);
    assert_true(c.result.outside.items[1].is_load);
}

static void pieces_at_the_end_of_the_address_space_end(void **state)
{
    (void)state;
    add_zeros(&c, ".bss", 0xFFFFFF00, 0x100);
    assert_true(checking_run(&c));
    assert_int_equal(c.result.outside.count, 1);
    assert_int_equal(c.result.outside.items[0].size, 0x100);
    checking_end(&c);
    checking_start(&c);
    c.file.bits = 64;
    add_zeros(&c, ".bss", 0, UINT64_MAX - 1);
    assert_true(checking_run(&c));
    assert_int_equal(region_named(&c, "SRAM")->used, 3145728);
    assert_int_equal(region_named(&c, "PSRAM")->used, 0x2000000);
}

static void unverified_windows_show_the_plan(void **state)
{
    (void)state;
    c.profile.verified = false;
    add_zeros(&c, ".bss", 0x2007C000, 16); /* would be outside */
    c.planned.regions = arena_alloc(&c.arena, 2, sizeof *c.planned.regions, 8);
    c.planned.regions[0].region = "DTCM";
    c.planned.regions[0].used = 1000;
    c.planned.regions[1].region = "MRAM";
    c.planned.regions[1].used = 4000;
    c.planned.region_count = 2;
    c.request.planned = &c.planned;
    c.embedded[0] = &c.planned;
    c.request.embedded_count = 1;
    assert_true(checking_run(&c));
    assert_string_equal(c.result.view, "planned"); /* MEA-013 */
    assert_string_equal(all_findings(&c), "windows-unverified");
    assert_true(c.result.ok);
    assert_int_equal(region_named(&c, "DTCM")->used, 1000);
    assert_int_equal(region_named(&c, "DTCM")->free, 507904 - 1000);
    assert_int_equal(region_named(&c, "MRAM")->used, 4000);
    assert_int_equal(c.result.outside.count, 0);
}

/* armlink's packed data: 100 bytes in flash, 400 in memory; the symbols and p_memsz tell. */
static void make_packed(uint64_t memory_size, uint64_t last_object)
{
    add_comment(&c, "Component: Arm Compiler for Embedded 6.19 Tool: armlink");
    elf_add_section(&c.file, (struct elf_section){.name = "MCU_MRAM",
                                                  .type = ELF_PROGBITS,
                                                  .flags = ELF_ALLOC | ELF_EXEC,
                                                  .address = 0x410000,
                                                  .offset = 0x100,
                                                  .size = 1000});
    const uint32_t packed = elf_add_section(&c.file, (struct elf_section){.name = "MCU_TCM",
                                                                          .type = ELF_PROGBITS,
                                                                          .flags = ELF_ALLOC | ELF_WRITE,
                                                                          .address = 0x20000000,
                                                                          .offset = 0x100 + 1000,
                                                                          .size = 100});
    add_zeros(&c, "MCU_TCM", 0x20000190, 600);
    elf_add_segment(&c.file, (struct elf_segment){ELF_LOAD, 7, 0x100, 0x410000, 0x410000, 1100, memory_size, 4});
    elf_add_symbol(&c.file, "last", 0x20000190 - last_object, last_object, packed);
}

static void packed_data_is_measured_by_symbols(void **state)
{
    (void)state;
    make_packed(1000 + 400 + 600, 8);
    assert_true(checking_run(&c));
    assert_string_equal(all_findings(&c), "writable-code");
    assert_true(c.result.packed);
    assert_int_equal(region_named(&c, "DTCM")->used, 1000);
    assert_int_equal(region_named(&c, "DTCM")->data, 400);
    assert_int_equal(region_named(&c, "MRAM")->used, 1100);
}

static void packed_data_without_symbols_is_unknown(void **state)
{
    (void)state;
    make_packed(1000 + 400 + 600, 8);
    c.file.symbol_count = 0;
    assert_true(checking_run(&c));
    assert_int_equal(findings_of(&c, "packed-unknown", NULL), 1);
    assert_false(c.result.ok);
    checking_end(&c);
    checking_start(&c);
    make_packed(1000 + 100 + 600, 8); /* not packed: the sum agrees with the sections */
    c.file.symbol_count = 0;
    assert_true(checking_run(&c));
    assert_int_equal(findings_of(&c, "packed-unknown", NULL), 0);
    assert_false(c.result.packed);
}

static void the_largest_symbols_come_first(void **state)
{
    (void)state;
    const uint32_t bss = add_zeros(&c, ".bss", 0x20000000, 4096);
    const uint32_t text = add_stored(&c, ".text", ELF_EXEC, 0x410000, 0x410000, 4096);
    elf_add_symbol(&c.file, "small", 0x20000000, 8, bss);
    elf_add_symbol(&c.file, "zz_same_size", 0x20000010, 64, bss);
    elf_add_symbol(&c.file, "aa_same_size", 0x20000050, 64, bss);
    elf_add_symbol(&c.file, "other_name", 0x20000100, 512, bss);
    elf_add_symbol(&c.file, "large", 0x20000100, 512, bss);
    elf_add_symbol(&c.file, "main", 0x410001, 100, text);
    c.file.symbols[5].kind = ELF_FUNC;
    elf_add_symbol(&c.file, "__limit", 0x20000000, 99999, ELF_ABS); /* no memory of its own */
    c.request.top = 2;
    run_quiet();
    assert_int_equal(c.result.top.count, 3);
    assert_string_equal(c.result.top.items[0].symbol, "main");
    assert_int_equal(c.result.top.items[0].region, REGION_MRAM);
    assert_string_equal(c.result.top.items[1].symbol, "large");
    assert_int_equal(c.result.top.items[1].size, 512);
    assert_string_equal(c.result.top.items[2].symbol, "aa_same_size");
    assert_null(c.result.top.items[2].source);
}

static void ranges_are_merged(void **state)
{
    (void)state;
    struct byte_range items[] = {{30, 40}, {0, 10}, {5, 12}, {12, 15}, {20, 20}, {35, 36}};
    struct byte_ranges ranges = {.items = items, .count = 6, .capacity = 6};
    assert_int_equal(byte_ranges_merge(&ranges, &c.arena), 25);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.items[0].start, 0);
    assert_int_equal(ranges.items[0].end, 15);
    assert_int_equal(ranges.items[1].end, 40);
    assert_int_equal(byte_range_of(UINT64_MAX - 4, 100).end, UINT64_MAX);
    assert_false(byte_range_overlaps((struct byte_range){0, 4}, (struct byte_range){4, 8}));
    assert_true(byte_range_overlaps((struct byte_range){0, 5}, (struct byte_range){4, 8}));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_region_of_the_profile_has_a_row),
        TEST(initialised_data_costs_both),
        TEST(zeroed_data_costs_only_ram),
        TEST(code_in_place_counts_once),
        TEST(thread_local_zeros_have_no_bytes),
        TEST(heap_filler_is_reserved),
        TEST(a_heap_below_the_stack_is_no_padding),
        TEST(a_stored_heap_is_used),
        TEST(a_heap_that_takes_no_memory_is_not_reserved),
        TEST(the_stack_is_live_memory),
        TEST(heap_is_a_token_of_the_name),
        TEST(aliases_are_folded),
        TEST(external_memory_needs_no_window),
        TEST(shared_bytes_count_once),
        TEST(bytes_past_the_window_are_outside),
        TEST(a_section_that_passes_the_end_counts_in_both),
        TEST(the_boot_loaders_part_is_outside),
        TEST(pieces_at_the_end_of_the_address_space_end),
        TEST(unverified_windows_show_the_plan),
        TEST(packed_data_is_measured_by_symbols),
        TEST(packed_data_without_symbols_is_unknown),
        TEST(the_largest_symbols_come_first),
        TEST(ranges_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
