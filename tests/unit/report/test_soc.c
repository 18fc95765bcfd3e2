/* A SoC as a table and as JSON: every fact of the registry file is in both, and the JSON is a registry file again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

static const char *const shipped_folders[] = {PROJECT_FOLDER "/soc-registry"};
static const struct registry shipped = {.folders = shipped_folders, .folder_count = 1};

struct run {
    struct arena arena;
    struct diagnostics diagnostics;
};

static void run_start(struct run *run)
{
    *run = (struct run){0};
    run->diagnostics = diagnostics_start(&run->arena);
}

static const struct soc *load(struct run *run, const char *name)
{
    const struct soc *soc = NULL;
    assert_true(registry_load_soc(&run->arena, &run->diagnostics, &shipped, name, SPAN_NONE, &soc));
    return soc;
}

static const struct soc *read(struct run *run, const char *text)
{
    struct bytes content = {(const uint8_t *)text, strlen(text)};
    const struct node *root = NULL;
    struct soc *soc = NULL;
    assert_true(doc_parse(&run->arena, &run->diagnostics, diag_add_source(&run->diagnostics, "soc.json", content), &root));
    assert_true(soc_decode(&run->arena, &run->diagnostics, root, "soc.json", content, &soc));
    assert_true(soc_validate(&run->arena, &run->diagnostics, soc));
    return soc;
}

static const char *json_of(struct run *run, const struct soc *soc)
{
    struct text text = text_start(&run->arena);
    report_soc_json(soc, &text);
    return text.data;
}

static const char *table_of(struct run *run, const struct soc *soc)
{
    struct text text = text_start(&run->arena);
    report_soc_table(soc, &text);
    return text.data;
}

static void test_the_json_is_the_registry_file_again(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.arena, &run.diagnostics, &shipped, &names));
    assert_true(names.count > 0);
    for (size_t i = 0; i < names.count; i++) {
        const struct soc *soc = load(&run, names.items[i]);
        const char *json = json_of(&run, soc);
        const struct soc *again = read(&run, json);
        assert_string_equal(json_of(&run, again), json);
        assert_string_equal(table_of(&run, again), table_of(&run, soc));
    }
    assert_int_equal(run.diagnostics.list.count, 0);
    arena_free(&run.arena);
}

static void require_value(const struct node *root, const char *path, const char *value)
{
    const struct node *node = node_find(root, path);
    assert_non_null(node);
    assert_string_equal(node->text, value);
}

/* Addresses are texts, sizes are integers. */
static void test_json_values(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *json = json_of(&run, load(&run, "apollo510"));
    assert_non_null(strstr(json, "\"origin\": \"0x00400000\",\n      \"length\": 4194304,"));
    struct bytes content = {(const uint8_t *)json, strlen(json)};
    const struct node *root = NULL;
    assert_true(doc_parse(&run.arena, &run.diagnostics, diag_add_source(&run.diagnostics, "json", content), &root));
    require_value(root, "schema", "helia-placement/soc/1");
    require_value(root, "soc", "apollo510");
    require_value(root, "memory_order.0", "DTCM");
    require_value(root, "regions.0.name", "MRAM");
    require_value(root, "regions.0.carve_outs.0.profiles.1", "itcm_sbl");
    require_value(root, "regions.1.source.1", "hpx-soc");
    require_value(root, "regions.3.data", "false");
    require_value(root, "regions.3.npu_access", "true");
    require_value(root, "pmu_max_ops", "4096");
    require_value(root, "psram_clocks_hz.6", "250000000");
    require_value(root, "source.1", "hpx-config");
    assert_null(node_find(root, "npu"));
    require_value(root, "profiles.0.verified", "true");
    require_value(root, "profiles.0.windows.2.region", "DTCM");
    require_value(root, "profiles.0.windows.2.length", "507904");
    require_value(root, "profiles.0.native.1.bss", ".sram_bss");
    require_value(root, "sources.hal-apollo510.commit", "310966f140336709c5797f1e035b1ce987a671eb");
    assert_null(node_find(root, "regions.3.note"));
    assert_null(node_find(root, "profiles.0.native.1.code"));
    arena_free(&run.arena);
}

static void test_the_table_shows_every_fact(void **state)
{
    (void)state;
    static const struct {
        const char *soc;
        const char *shown;
    } rows[] = {
        {"apollo510", "\nMRAM    nvm       0x00400000       4194304     4.0 MB  rx      data, load images\n"},
        {"apollo510", "\nITCM    tcm       0x00000000        262144   256.0 KB  rwx     no data\n"},
        {"apollo510", "\n    carve-out 0x00400000  65536 B  secure boot loader; sbl, itcm_sbl [ld-apollo510-gcc-sbl, hpx-cap]\n"},
        {"apollo510", "\n    source    hal-apollo510, hpx-soc\n    note      three banks of 1 MiB, SSRAM0 to SSRAM2\n"},
        {"apollo510", "\n    conflict  hal-apollo510 has the execute-in-place base 0x04000000 and"},
        {"apollo510", "\nprofile sbl (default, verified)\n  code MRAM, data DTCM, stack DTCM, load images MRAM\n"},
        {"apollo510", "\n  DTCM    0x20000000        507904   496.0 KB  of  512.0 KB  MCU_TCM\n"},
        {"apollo510", "\n    sections  DTCM: bss .bss data .data\n    sections  ITCM: code .itcm_text\n"},
        {"apollo510", "\n  hal-apollo510\n    AmbiqAI/nsx-ambiq-sdk, modules/nsx-ambiqsuite-r5/sdk/mcu/apollo510/regs/"},
        {"apollo510", "\nmemory order      DTCM, SRAM\npmu operators     4096\npsram clocks      12000000, 24000000, 48000000, "
                      "96000000, 125000000, 192000000, 250000000 Hz\nsource            hpx-soc, hpx-config\n"},
        {"apollo510", "\nelf               arm, 32-bit\nminimum alignment 16 B\n"},
        {"apollo4p", "\n    carve-out 0x00000000  98304 B  boot loader; every profile [ld-apollo4p-gcc-default, hpx-cap]\n"},
        {"apollo4p", "\nprofile default (default, verified)\n"},
        {"mps3-an547", "\n    alias     0x31000000  secure [qemu-local, qemu-src]\n"},
        {"mps3-an547", "\nemulator          qemu-system-arm -M mps3-an547\n"},
    };
    struct run run;
    run_start(&run);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *table = table_of(&run, load(&run, rows[i].soc));
        if (strstr(table, rows[i].shown) == NULL) {
            fail_msg("'%s' is not in the table of %s:\n%s", rows[i].shown, rows[i].soc, table);
        }
    }
    arena_free(&run.arena);
}

/* What no shipped part has: an NPU, and a memory that it does not reach. */
static void test_an_npu_is_shown(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct soc soc = *load(&run, "apollo4p");
    soc.npu = "ethos-u55";
    soc.regions[2].npu_access = false;
    assert_non_null(strstr(table_of(&run, &soc), "\nnpu               ethos-u55\n"));
    assert_non_null(strstr(table_of(&run, &soc), "  data, not for the NPU\n"));
    const struct soc *again = read(&run, json_of(&run, &soc));
    assert_string_equal(again->npu, "ethos-u55");
    assert_false(again->regions[2].npu_access);
    assert_true(again->regions[1].npu_access);
    arena_free(&run.arena);
}

/* Free text of a registry file must not steer the reader's terminal. */
static void test_the_table_steers_no_terminal(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct soc soc = *load(&run, "apollo4p");
    soc.vendor = "\033[31mred";
    soc.note = "one\rtwo";
    soc.regions[0].note = "bell\a";
    soc.regions[0].carve_outs[0].name = "esc\033";
    const char *table = table_of(&run, &soc);
    for (const char *c = table; *c != '\0'; c++) {
        assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    }
    assert_non_null(strstr(table, "?[31mred"));
    arena_free(&run.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_json_is_the_registry_file_again), cmocka_unit_test(test_json_values),
        cmocka_unit_test(test_the_table_shows_every_fact),          cmocka_unit_test(test_an_npu_is_shown),
        cmocka_unit_test(test_the_table_steers_no_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
