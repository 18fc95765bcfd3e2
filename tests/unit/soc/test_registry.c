/* The registry that ships, and the search through folders. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "soc_run.h"

static const char *const shipped_folders[] = {PROJECT_FOLDER "/soc-registry"};
static const struct registry shipped = {.folders = shipped_folders, .folder_count = 1};

static const struct soc *load(struct run *run, const struct registry *registry, const char *name)
{
    const struct soc *soc = NULL;
    return registry_load_soc(&run->arena, &run->diagnostics, registry, name, SPAN_NONE, &soc) ? soc : NULL;
}

static const struct board *load_board(struct run *run, const struct registry *registry, const char *name)
{
    const struct board *board = NULL;
    return registry_load_board(&run->arena, &run->diagnostics, registry, name, SPAN_NONE, &board) ? board : NULL;
}

static void test_every_shipped_soc_loads(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.arena, &run.diagnostics, &shipped, &names));
    assert_true(names.count >= 4);
    for (size_t i = 0; i < names.count; i++) {
        const struct soc *soc = load(&run, &shipped, names.items[i]);
        assert_non_null(soc);
        assert_string_equal(soc->name, names.items[i]);
        assert_string_equal(soc->path, names.paths[i]);
        assert_true(soc->content.size > 0);
        if (i > 0) {
            assert_true(strcmp(text_lower(&run.arena, names.items[i - 1]), text_lower(&run.arena, names.items[i])) < 0);
        }
    }
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

static void test_every_shipped_board_fits_its_soc(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct registry_names names = {0};
    assert_true(registry_list_boards(&run.arena, &run.diagnostics, &shipped, &names));
    assert_true(names.count >= 3);
    for (size_t i = 0; i < names.count; i++) {
        const struct board *board = load_board(&run, &shipped, names.items[i]);
        assert_non_null(board);
        const struct soc *soc = load(&run, &shipped, board->soc);
        assert_non_null(soc);
        const struct soc *fitted = NULL;
        assert_true(soc_apply_board(&run.arena, &run.diagnostics, soc, board, &fitted));
    }
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

/* Cases REG-002, REG-005 and PJS-001, and the DTCM window of decision 8. */
static void test_figures_of_the_reference(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    static const struct {
        const char *name;
        uint64_t kilobytes;
    } regions[] = {{"MRAM", 4096}, {"SRAM", 3072}, {"DTCM", 512}, {"ITCM", 256}, {"PSRAM", 65536}};
    const struct soc *soc = load(&run, &shipped, "Apollo510");
    assert_non_null(soc);
    assert_int_equal(soc->region_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(soc->regions[i].name, regions[i].name);
        assert_int_equal(soc->regions[i].length, regions[i].kilobytes * 1024);
    }
    static const struct {
        const char *soc;
        uint64_t application;
    } applications[] = {{"apollo3", 0xC000},   {"apollo3p", 0xC000},    {"apollo4p", 0x18000},
                        {"apollo4l", 0x18000}, {"apollo510", 0x410000}, {"atomiq110", 0x22000000}};
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        const struct soc *part = load(&run, &shipped, applications[i].soc);
        const struct linker_profile *profile = soc_find_profile(&run.diagnostics, part, NULL, SPAN_NONE);
        assert_int_equal(profile_window(profile, profile->code_region)->origin, applications[i].application);
    }
    const struct linker_profile *sbl = soc_find_profile(&run.diagnostics, soc, "sbl", SPAN_NONE);
    uint64_t origin = 0;
    assert_int_equal(profile_capacity(soc, sbl, soc_find_region(soc, "DTCM"), &origin), 496 * 1024);
    run_end(&run);
}

/* Decision 12: external memory is never in the order of automatic choice; ITCM never holds data. */
static void test_automatic_choice_stays_on_chip(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.arena, &run.diagnostics, &shipped, &names));
    for (size_t i = 0; i < names.count; i++) {
        const struct soc *soc = load(&run, &shipped, names.items[i]);
        assert_true(soc->memory_order_count > 0);
        for (size_t j = 0; j < soc->memory_order_count; j++) {
            assert_int_not_equal(soc->regions[soc->memory_order[j]].tier, TIER_EXTERNAL);
        }
        uint32_t itcm = soc_find_region(soc, "ITCM");
        assert_true(itcm == REGION_NONE || !soc->regions[itcm].data);
    }
    run_end(&run);
}

/* One TCM for code and data, called DTCM. Apollo3 itself is one flat memory in the stricter of its sources (decision 19). */
static void test_one_tcm_on_apollo3_and_4(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    static const struct {
        const char *name;
        uint64_t length;
    } parts[] = {{"apollo3p", 65536}, {"apollo4p", 393216}, {"apollo4l", 393216}, {"apollo4b", 393216}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct soc *soc = load(&run, &shipped, parts[i].name);
        size_t tcm_count = 0;
        for (size_t j = 0; j < soc->region_count; j++) {
            tcm_count += soc->regions[j].tier == TIER_TCM;
        }
        uint32_t dtcm = soc_find_region(soc, "DTCM");
        assert_int_equal(tcm_count, 1);
        assert_int_not_equal(dtcm, REGION_NONE);
        assert_true(soc->regions[dtcm].data);
        assert_int_equal(soc->regions[dtcm].length, parts[i].length);
    }
    const struct soc *flat = load(&run, &shipped, "apollo3");
    assert_int_equal(soc_find_region(flat, "DTCM"), REGION_NONE);
    assert_int_equal(flat->regions[soc_find_region(flat, "SRAM")].length, 393216);
    run_end(&run);
}

static void test_unknown_names_get_suggestions(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    assert_null(load(&run, &shipped, "apolo510"));
    assert_int_equal(count_findings(&run, "unknown-soc"), 1);
    assert_non_null(strstr(run.diagnostics.list.items[0].notes.items[0].message, "apollo510"));
    assert_null(load_board(&run, &shipped, "apollo510_ebv"));
    assert_int_equal(count_findings(&run, "unknown-board"), 1);
    assert_null(load(&run, &shipped, "../ambiq/apollo510"));
    assert_int_equal(count_findings(&run, "unknown-soc"), 2);
    run_end(&run);
}

static const char demo_board[] = "schema: helia-placement/board/1\nboard: %s\nsoc: demo\n";

/* A folder that is gone when the test ends. */
static const char *make_folder(struct run *run)
{
    char *folder = arena_copy_text(&run->arena, "helia-registry-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(struct run *run, const char *folder, const char *name, const char *text)
{
    struct file_error error;
    bool changed;
    const char *path = path_join(&run->arena, folder, name);
    assert_true(file_replace(&run->arena, path, text, strlen(text), &changed, &error));
}

static void test_the_first_folder_wins(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *first = make_folder(&run);
    const char *second = make_folder(&run);
    put(&run, first, "mine/demo.yaml", with_change(&run, small_soc, "vendor: Demo", "vendor: First"));
    put(&run, first, "LICENSE", "no folder, and no YAML\n");
    put(&run, first, ".git/demo.yaml", "not looked at");
    put(&run, second, "yours/Demo.yaml", with_change(&run, small_soc, "vendor: Demo", "vendor: Second"));
    put(&run, second, "yours/other.yaml", with_change(&run, small_soc, "soc: demo", "soc: other"));
    put(&run, second, "flat.yaml", with_change(&run, small_soc, "soc: demo", "soc: flat"));
    put(&run, second, "boards/flat_evb.yaml", arena_format(&run.arena, demo_board, "flat_evb"));
    put(&run, second, "yours/boards/evb.yaml", arena_format(&run.arena, demo_board, "evb"));
    const char *const folders[] = {first, second};
    const struct registry registry = {.folders = folders, .folder_count = 2};

    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.arena, &run.diagnostics, &registry, &names));
    assert_int_equal(names.count, 3);
    assert_string_equal(names.items[0], "demo");
    assert_string_equal(names.items[1], "flat");
    assert_string_equal(names.items[2], "other");
    assert_string_equal(load(&run, &registry, "DEMO")->vendor, "First");
    assert_true(registry_list_boards(&run.arena, &run.diagnostics, &registry, &names));
    assert_int_equal(names.count, 2);
    assert_string_equal(names.items[0], "evb");
    assert_string_equal(names.items[1], "flat_evb");
    assert_string_equal(load_board(&run, &registry, "evb")->soc, "demo");
    assert_int_equal(run.diagnostics.list.count, 0);
    remove_folder(first);
    remove_folder(second);
    run_end(&run);
}

static void test_a_file_must_be_called_what_it_describes(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *folder = make_folder(&run);
    put(&run, folder, "v/other.yaml", small_soc);
    put(&run, folder, "v/boards/two.yaml", arena_format(&run.arena, demo_board, "one"));
    put(&run, folder, "v/Demo.yaml", small_soc);
    const struct registry registry = {.folders = &folder, .folder_count = 1};
    assert_null(load(&run, &registry, "other"));
    assert_int_equal(count_findings(&run, "registry-name-mismatch"), 1);
    assert_int_equal(run.diagnostics.list.items[0].span.line, line_of(small_soc, "soc: demo"));
    assert_null(load_board(&run, &registry, "two"));
    assert_int_equal(count_findings(&run, "registry-name-mismatch"), 2);
    assert_non_null(load(&run, &registry, "demo"));
    assert_int_equal(run.diagnostics.list.count, 2);
    remove_folder(folder);
    run_end(&run);
}

static void test_broken_files_and_folders_are_refused(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *folder = make_folder(&run);
    put(&run, folder, "v/empty.yaml", "");
    put(&run, folder, "v/broken.yaml", "regions: [\n");
    put(&run, folder, "v/wrong.yaml", with_change(&run, small_soc, "length: 0xE000", "length: 0xE001"));
    const struct registry registry = {.folders = &folder, .folder_count = 1};
    assert_null(load(&run, &registry, "empty"));
    assert_true(count_findings(&run, "missing-key") > 0);
    assert_null(load(&run, &registry, "broken"));
    assert_int_equal(count_findings(&run, "yaml-syntax"), 1);
    assert_null(load(&run, &registry, "wrong"));
    assert_int_equal(count_findings(&run, "window-in-carve-out"), 1);
    remove_folder(folder);
    struct registry_names names = {0};
    assert_false(registry_list_socs(&run.arena, &run.diagnostics, &registry, &names));
    assert_int_equal(count_findings(&run, "file-unreadable"), 1);
    run_end(&run);
}

/* docs/formats.md shows the very rows that decode, and its example is a file that loads. */
static const char *read_formats(struct run *run)
{
    struct bytes content = {0};
    struct file_error error;
    assert_true(file_read(&run->arena, PROJECT_FOLDER "/docs/formats.md", 1 << 22, &content, &error));
    return (const char *)content.data;
}

static void test_the_documented_keys_are_the_schema(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *formats = read_formats(&run);
    static const struct schema *const schemas[] = {&soc_schema, &board_schema};
    for (size_t i = 0; i < 2; i++) {
        struct text reference = text_start(&run.arena);
        schema_print_reference(schemas[i], 4, &reference);
        if (strstr(formats, reference.data) == NULL) {
            fail_msg("docs/formats.md must hold this text:\n%s", reference.data);
        }
    }
    run_end(&run);
}

/* The text of the first fenced block behind `heading`. */
static const char *example_after(struct run *run, const char *formats, const char *heading)
{
    static const char fence[] = "```yaml\n";
    const char *start = strstr(formats, heading);
    assert_non_null(start);
    start = strstr(start, fence);
    assert_non_null(start);
    start += strlen(fence);
    const char *end = strstr(start, "```\n");
    assert_non_null(end);
    return arena_copy(&run->arena, start, (size_t)(end - start));
}

static void test_the_documented_examples_load(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *formats = read_formats(&run);
    const struct soc *soc = read_soc(&run, example_after(&run, formats, "### A SoC file\n"));
    assert_non_null(soc);
    const struct board *board = read_board(&run, example_after(&run, formats, "### A board file\n"));
    assert_non_null(board);
    const struct soc *fitted = NULL;
    assert_true(soc_apply_board(&run.arena, &run.diagnostics, soc, board, &fitted));
    assert_int_equal(run.diagnostics.list.count, 0);
    run_end(&run);
}

static void test_the_documented_config_entries_load(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const char *formats = read_formats(&run);
    const char *folder = make_folder(&run);
    put(&run, folder, "demo4.yaml", example_after(&run, formats, "### A SoC file\n"));
    const struct node *root = parse(&run, example_after(&run, formats, "### SoCs and boards in the config\n"));
    struct registry registry = {.folders = &folder, .folder_count = 1};
    assert_true(registry_add_custom(&run.arena, &run.diagnostics, node_find(root, "target.custom_socs"),
                                    node_find(root, "target.custom_boards"), &registry));
    const struct board *board = load_board(&run, &registry, node_find(root, "target.board")->text);
    const struct soc *fitted = NULL;
    assert_true(soc_apply_board(&run.arena, &run.diagnostics, load(&run, &registry, board->soc), board, &fitted));
    assert_int_equal(fitted->regions[soc_find_region(fitted, "DTCM")].length, 64 << 10);
    assert_int_equal(fitted->regions[soc_find_region(fitted, "PSRAM")].length, 2 << 20);
    assert_int_equal(run.diagnostics.list.count, 0);
    remove_folder(folder);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shipped_soc_loads),
        cmocka_unit_test(test_every_shipped_board_fits_its_soc),
        cmocka_unit_test(test_figures_of_the_reference),
        cmocka_unit_test(test_automatic_choice_stays_on_chip),
        cmocka_unit_test(test_one_tcm_on_apollo3_and_4),
        cmocka_unit_test(test_unknown_names_get_suggestions),
        cmocka_unit_test(test_the_first_folder_wins),
        cmocka_unit_test(test_a_file_must_be_called_what_it_describes),
        cmocka_unit_test(test_broken_files_and_folders_are_refused),
        cmocka_unit_test(test_the_documented_keys_are_the_schema),
        cmocka_unit_test(test_the_documented_examples_load),
        cmocka_unit_test(test_the_documented_config_entries_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
