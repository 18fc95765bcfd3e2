#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../check/checking.h"
#include "report/report.h"

static struct checking c;
static struct image image;

static int start(void **state)
{
    (void)state;
    checking_start(&c);
    image = (struct image){.path = "app.elf", .linker = LINKER_GNU};
    c.request.image = &image;
    c.request.planned = &c.planned;
    c.result = (struct check_result){.request = &c.request, .view = "measured", .ok = true};
    c.result.regions = ARENA_ARRAY(&c.arena, struct measured_region, 8);
    return 0;
}

static int end(void **state)
{
    (void)state;
    checking_end(&c);
    return 0;
}

static struct measured_region *add_region(const char *name, uint64_t used, uint64_t capacity, uint64_t reserved)
{
    struct measured_region *region = &c.result.regions[c.result.region_count++];
    *region = (struct measured_region){.region = soc_find_region(&c.soc, name),
                                       .name = name,
                                       .used = used,
                                       .capacity = capacity,
                                       .reserved = reserved,
                                       .free = capacity > used ? capacity - used : 0};
    return region;
}

static const char *table(bool verbose)
{
    struct text out = text_start(&c.arena);
    report_check_table(&c.result, verbose, &out);
    return out.data;
}

/* MEA-010, MEA-011: the samples to the byte. */
static void the_samples_are_printed(void **state)
{
    (void)state;
    add_region("DTCM", 16691, 507904, 491213);
    add_region("MRAM", 46080, 4128768, 0);
    add_region("SRAM", 0, 3145728, 0); /* nothing used: left out */
    assert_string_equal(table(false), "Memory (measured) (gnu link):\n"
                                      "  DTCM     16.3 KB   479.7 KB  of 496.0 KB   3%   Reserved 479.7 KB\n"
                                      "  MRAM     45.0 KB   3.9 MB    of 3.9 MB     1%\n"
                                      "check: ok\n");
}

static void each_sample_alone_is_printed_the_same(void **state)
{
    (void)state;
    add_region("MRAM", 46080, 4128768, 0);
    assert_non_null(strstr(table(false), "\n  MRAM     45.0 KB   3.9 MB    of 3.9 MB     1%\n"));
    c.result.region_count = 0;
    add_region("DTCM", 16691, 507904, 491213);
    assert_non_null(strstr(table(false), "\n  DTCM     16.3 KB   479.7 KB  of 496.0 KB   3%   Reserved 479.7 KB\n"));
}

static void wide_cells_widen_their_column(void **state)
{
    (void)state;
    add_region("SHARED_SRAM", 1048473, 1048473, 0); /* 1023.9 KB */
    add_region("DTCM", 1, 507904, 0);
    assert_string_equal(table(false), "Memory (measured) (gnu link):\n"
                                      "  SHARED_SRAM  1023.9 KB  0 B       of 1023.9 KB 100%\n"
                                      "  DTCM         1 B        496.0 KB  of 496.0 KB    0%\n"
                                      "check: ok\n");
}

static void percents_are_whole(void **state)
{
    (void)state;
    static const struct {
        uint64_t used, capacity;
        const char *percent;
    } ROWS[] = {{1, 1000, "  0%"},
                {5, 1000, "  1%"},
                {995, 1000, "100%"},
                {994, 1000, " 99%"},
                {1500, 1000, "150%"},
                {5, 0, "100%"},
                {UINT64_MAX, UINT64_MAX, "100%"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        c.result.region_count = 0;
        add_region("DTCM", ROWS[i].used, ROWS[i].capacity, 0);
        assert_non_null(strstr(table(false), ROWS[i].percent));
    }
}

static void the_heading_names_the_link(void **state)
{
    (void)state;
    static const struct {
        enum image_linker linker;
        const char *heading;
    } ROWS[] = {{LINKER_GNU, "Memory (measured) (gnu link):\n"},
                {LINKER_LLD, "Memory (measured) (lld link):\n"},
                {LINKER_IAR, "Memory (measured) (iar link):\n"},
                {LINKER_ARM, "Memory (measured) (arm link):\n"},
                {LINKER_UNKNOWN, "Memory (measured):\n"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        image.linker = ROWS[i].linker;
        assert_true(text_starts_with(table(false), ROWS[i].heading));
    }
    image.linker = LINKER_ARM;
    c.result.packed = true;
    assert_true(text_starts_with(table(false), "Memory (measured) (arm link, packed):\n"));
    c.result.view = "planned"; /* MEA-013: nothing was measured */
    assert_true(text_starts_with(table(false), "Memory (planned):\n"));
}

static void add_finding(const char *id, enum diag_level level, const char *message)
{
    *LIST_ADD(&c.arena, &c.result.findings) = (struct check_finding){.id = id, .level = level, .message = message};
    c.result.ok = c.result.ok && level != DIAG_ERROR;
}

static void findings_follow_the_table(void **state)
{
    (void)state;
    add_region("DTCM", 16691, 507904, 0);
    add_finding("writable-code", DIAG_WARNING, "segment 0 is writable");
    assert_non_null(strstr(table(false), "\nwarning: [writable-code] segment 0 is writable\ncheck: 0 errors, 1 warning\n"));
    add_finding("arena-wrong-region", DIAG_ERROR, "'a' lies in SRAM");
    add_finding("arena-missing", DIAG_ERROR, "'b' is not in the image");
    assert_true(text_ends_with(table(false), "3%\n"
                                             "warning: [writable-code] segment 0 is writable\n"
                                             "error: [arena-wrong-region] 'a' lies in SRAM\n"
                                             "error: [arena-missing] 'b' is not in the image\n"
                                             "check: 2 errors, 1 warning\n"));
}

/* Without a plan nothing but sizes was looked at, and the verdict says so. */
static void a_verdict_without_a_plan_says_what_it_is(void **state)
{
    (void)state;
    c.request.planned = NULL;
    assert_string_equal(table(false),
                        "Memory (measured) (gnu link):\ncheck: ok (measured only: no plan is known for this image)\n");
    c.embedded[0] = &c.planned; /* the image's own */
    c.request.embedded_count = 1;
    assert_string_equal(table(false), "Memory (measured) (gnu link):\ncheck: ok\n");
}

static void verbose_adds_exact_bytes(void **state)
{
    (void)state;
    struct measured_region *region = add_region("DTCM", 16691, 507904, 491213);
    region->origin = 0x20000000;
    region->data = 691;
    region->bss = 16000;
    region->load_image = 7;
    region->largest_free_block = 491000;
    region->high_water = 16700;
    region->padding = 9;
    assert_string_equal(table(true), "Memory (measured) (gnu link):\n"
                                     "  DTCM     16.3 KB   479.7 KB  of 496.0 KB   3%   Reserved 479.7 KB\n"
                                     "    used 16691  free 491213  capacity 507904  reserved 491213  origin 0x20000000\n"
                                     "    code 0  rodata 0  data 691  bss 16000  load image 7\n"
                                     "    padding 9  largest free block 491000  high-water mark 16700\n"
                                     "check: ok\n");
}

static void the_largest_symbols_are_listed(void **state)
{
    (void)state;
    add_region("DTCM", 16691, 507904, 0);
    *LIST_ADD(&c.arena, &c.result.top) = (struct top_symbol){.region = REGION_DTCM, .symbol = "arena", .size = 16384};
    *LIST_ADD(&c.arena, &c.result.top) =
        (struct top_symbol){.region = REGION_DTCM, .symbol = "table", .size = 300, .source = "main.c:12"};
    assert_non_null(strstr(table(false), "3%\nLargest in DTCM:\n  16.0 KB    arena\n  300 B      table  main.c:12\ncheck: ok\n"));
}

/* Contract, section 5: the keys and their order. */
static const char CONTRACT_JSON[] = "{\n"
                                    "  \"schema\": \"helia-placement/check/1\",\n"
                                    "  \"elf\": \"app.elf\",\n"
                                    "  \"soc\": \"apollo510\",\n"
                                    "  \"profile\": \"sbl\",\n"
                                    "  \"view\": \"measured\",\n"
                                    "  \"ok\": false,\n"
                                    "  \"memory_regions\": [\n"
                                    "    {\n"
                                    "      \"region\": \"DTCM\",\n"
                                    "      \"origin\": \"0x20000000\",\n"
                                    "      \"capacity\": 507904,\n"
                                    "      \"used\": 16691,\n"
                                    "      \"reserved\": 491213,\n"
                                    "      \"free\": 491213,\n"
                                    "      \"percent\": 3,\n"
                                    "      \"code\": 0,\n"
                                    "      \"rodata\": 0,\n"
                                    "      \"data\": 691,\n"
                                    "      \"bss\": 16000,\n"
                                    "      \"load_image\": 0\n"
                                    "    }\n"
                                    "  ],\n"
                                    "  \"outside\": [\n"
                                    "    {\n"
                                    "      \"section\": \".bss\",\n"
                                    "      \"address\": \"0x2007c000\",\n"
                                    "      \"size\": 16\n"
                                    "    }\n"
                                    "  ],\n"
                                    "  \"findings\": [\n"
                                    "    {\n"
                                    "      \"id\": \"outside-window\",\n"
                                    "      \"level\": \"error\",\n"
                                    "      \"region\": null,\n"
                                    "      \"section\": null,\n"
                                    "      \"symbol\": null,\n"
                                    "      \"message\": \"16 bytes\",\n"
                                    "      \"need\": null,\n"
                                    "      \"have\": null\n"
                                    "    },\n"
                                    "    {\n"
                                    "      \"id\": \"arena-wrong-size\",\n"
                                    "      \"level\": \"warning\",\n"
                                    "      \"region\": \"DTCM\",\n"
                                    "      \"section\": \".bss\",\n"
                                    "      \"symbol\": \"a\",\n"
                                    "      \"message\": \"m\",\n"
                                    "      \"need\": 2,\n"
                                    "      \"have\": 1\n"
                                    "    }\n"
                                    "  ],\n"
                                    "  \"top\": [\n"
                                    "    {\n"
                                    "      \"region\": \"DTCM\",\n"
                                    "      \"symbol\": \"arena\",\n"
                                    "      \"size\": 16384,\n"
                                    "      \"source\": null\n"
                                    "    }\n"
                                    "  ]\n"
                                    "}\n";

static void the_json_follows_the_contract(void **state)
{
    (void)state;
    struct measured_region *region = add_region("DTCM", 16691, 507904, 491213);
    region->origin = 0x20000000;
    region->data = 691;
    region->bss = 16000;
    *LIST_ADD(&c.arena, &c.result.outside) = (struct outside_bytes){.section = ".bss", .address = 0x2007c000, .size = 16};
    add_finding("outside-window", DIAG_ERROR, "16 bytes");
    struct check_finding *finding = LIST_ADD(&c.arena, &c.result.findings);
    *finding = (struct check_finding){.id = "arena-wrong-size",
                                      .level = DIAG_WARNING,
                                      .region = "DTCM",
                                      .section = ".bss",
                                      .symbol = "a",
                                      .message = "m",
                                      .need = 2,
                                      .have = 1,
                                      .has_need = true};
    *LIST_ADD(&c.arena, &c.result.top) = (struct top_symbol){.region = REGION_DTCM, .symbol = "arena", .size = 16384};
    struct text out = text_start(&c.arena);
    report_check_json(&c.result, &out);
    assert_string_equal(out.data, CONTRACT_JSON);
}

static void an_empty_regions_row_is_in_the_json_only(void **state)
{
    (void)state;
    add_region("SRAM", 0, 3145728, 0);
    assert_null(strstr(table(true), "SRAM"));
    struct text out = text_start(&c.arena);
    report_check_json(&c.result, &out);
    assert_non_null(strstr(out.data, "\"region\": \"SRAM\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_samples_are_printed),
        TEST(each_sample_alone_is_printed_the_same),
        TEST(wide_cells_widen_their_column),
        TEST(percents_are_whole),
        TEST(the_heading_names_the_link),
        TEST(findings_follow_the_table),
        TEST(a_verdict_without_a_plan_says_what_it_is),
        TEST(verbose_adds_exact_bytes),
        TEST(the_largest_symbols_are_listed),
        TEST(the_json_follows_the_contract),
        TEST(an_empty_regions_row_is_in_the_json_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
