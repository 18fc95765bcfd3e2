/* SoCs and boards that the config describes: target.custom_socs and target.custom_boards. */
#include "soc_run.h"

static const char *const shipped_folders[] = {PROJECT_FOLDER "/soc-registry"};

struct custom_run {
    struct run run;
    struct registry registry;
};

static void custom_start(struct custom_run *run)
{
    run_start(&run->run);
    run->registry = (struct registry){.folders = shipped_folders, .folder_count = 1};
}

static void custom_end(struct custom_run *run)
{
    run_end(&run->run);
}

/* Reads a text with the keys custom_socs and custom_boards. */
static bool add(struct custom_run *run, const char *text)
{
    const struct node *root = parse(&run->run, text);
    return registry_add_custom(&run->run.arena, &run->run.diagnostics, node_get(root, "custom_socs"),
                               node_get(root, "custom_boards"), &run->registry);
}

static const struct soc *load(struct custom_run *run, const char *name)
{
    const struct soc *soc = NULL;
    assert_true(registry_load_soc(&run->run.arena, &run->run.diagnostics, &run->registry, name, SPAN_NONE, &soc));
    return soc;
}

static const struct board *load_board(struct custom_run *run, const char *name)
{
    const struct board *board = NULL;
    assert_true(registry_load_board(&run->run.arena, &run->run.diagnostics, &run->registry, name, SPAN_NONE, &board));
    return board;
}

static const struct region *region_of(const struct soc *soc, const char *name)
{
    uint32_t index = soc_find_region(soc, name);
    assert_int_not_equal(index, REGION_NONE);
    return &soc->regions[index];
}

static const struct window *window_of(const struct soc *soc, size_t profile, const char *region)
{
    return profile_window(&soc->profiles[profile], soc_find_region(soc, region));
}

static bool mentions(const struct run *run, const char *words)
{
    for (size_t i = 0; i < run->diagnostics.list.count; i++) {
        const struct diag *diag = &run->diagnostics.list.items[i];
        if (strstr(diag->message, words) != NULL) {
            return true;
        }
        for (size_t j = 0; j < diag->notes.count; j++) {
            if (strstr(diag->notes.items[j].message, words) != NULL) {
                return true;
            }
        }
    }
    return false;
}

static void test_an_entry_takes_over_what_it_does_not_say(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, "custom_socs:\n  mine: {based_on: Apollo510, npu: ethos-u55, pmu_max_ops: 100}\n"));
    const struct soc *soc = load(&run, "MINE");
    const struct soc *base = load(&run, "apollo510");
    assert_string_equal(soc->name, "mine");
    assert_string_equal(soc->vendor, base->vendor);
    assert_string_equal(soc->npu, "ethos-u55");
    assert_int_equal(soc->pmu_max_ops, 100);
    assert_int_equal(soc->region_count, base->region_count);
    assert_int_equal(soc->profile_count, base->profile_count);
    assert_string_equal(region_of(soc, "SRAM")->source, "hal-apollo510, hpx-soc");
    assert_string_equal(soc->path, base->path);
    assert_true(soc->from_config);
    assert_false(base->from_config);
    /* The description is the base's, and the sources spoke of the other limit, too. */
    assert_non_null(base->description);
    assert_null(soc->description);
    assert_null(soc->source);
    assert_null(base->npu);
    assert_int_equal(run.run.diagnostics.list.count, 0);
    custom_end(&run);
}

/* Decision 17. */
static void test_only_the_entry_itself_verifies_a_profile(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, "custom_socs:\n"
                          "  silent: {based_on: apollo510}\n"
                          "  sure: {based_on: silent, profiles: [{name: NBL, verified: true}]}\n"
                          "  heir: {based_on: sure}\n"));
    assert_true(load(&run, "apollo510")->profiles[0].verified);
    for (size_t i = 0; i < 3; i++) {
        assert_false(load(&run, "silent")->profiles[i].verified);
        assert_int_equal(load(&run, "sure")->profiles[i].verified, i == 1);
        assert_false(load(&run, "heir")->profiles[i].verified);
    }
    assert_int_equal(run.run.diagnostics.list.count, 0);
    custom_end(&run);
}

static const char smaller[] =
    "custom_socs:\n"
    "  small:\n"
    "    based_on: apollo510\n"
    "    default_profile: nbl\n"
    "    memory_order: [SRAM]\n"
    "    regions:\n"
    "    - {name: dtcm, length: 256K, npu_access: false}\n"
    "    - {name: DDR, tier: external, origin: 0x80000000, length: 1M, access: rw}\n"
    "    - {name: MRAM, carve_outs: [{name: Secure Boot Loader, length: 32K}]}\n"
    "    profiles:\n"
    "    - {name: sbl, windows: [{region: DTCM, length: 240K}]}\n"
    "    - {name: itcm_sbl, windows: [{region: DTCM, length: 240K, source: [hal-apollo510]}]}\n"
    "    - {name: nbl, windows: [{region: DTCM, length: 240K}], native: [{region: DTCM, data: .fast}]}\n";

static void test_lists_are_merged_by_name(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, smaller));
    const struct soc *soc = load(&run, "small");
    const struct soc *base = load(&run, "apollo510");
    assert_int_equal(soc->region_count, base->region_count + 1);
    for (size_t i = 0; i < base->region_count; i++) {
        assert_string_equal(soc->regions[i].name, base->regions[i].name);
    }
    assert_string_equal(soc->regions[base->region_count].name, "DDR");
    const struct region *dtcm = region_of(soc, "DTCM");
    assert_int_equal(dtcm->length, 256 * 1024);
    assert_int_equal(dtcm->origin, 0x20000000);
    assert_false(dtcm->npu_access);
    assert_null(dtcm->source); /* the old source gave the old length */
    const struct region *mram = region_of(soc, "MRAM");
    assert_int_equal(mram->carve_out_count, 1);
    assert_int_equal(mram->carve_outs[0].origin, 0x00400000);
    assert_int_equal(mram->carve_outs[0].length, 32 * 1024);
    assert_int_equal(mram->carve_outs[0].profile_count, 2);
    assert_non_null(mram->source);
    assert_int_equal(soc->memory_order_count, 1);
    assert_string_equal(soc->profiles[soc->default_profile].name, "nbl");
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(soc->profiles[i].name, base->profiles[i].name);
        assert_int_equal(window_of(soc, i, "DTCM")->length, 240 * 1024);
        assert_string_equal(window_of(soc, i, "DTCM")->linker_name, "MCU_TCM");
        assert_int_equal(window_of(soc, i, "SRAM")->length, 3145728);
    }
    assert_null(window_of(soc, 0, "DTCM")->source);
    assert_null(window_of(soc, 0, "DTCM")->conflict);
    assert_string_equal(window_of(soc, 2, "DTCM")->source, "hal-apollo510");
    assert_int_equal(soc->profiles[1].native_count, 4);
    assert_string_equal(soc->profiles[1].native[2].data, ".fast");
    assert_string_equal(soc->profiles[1].native[2].bss, "");
    assert_string_equal(soc->profiles[0].native[2].data, "");
    assert_int_equal(run.run.diagnostics.list.count, 0);
    custom_end(&run);
}

/* No schema, no name, no sources; but `verified`, as the entry says so itself. */
static const char whole[] = "custom_socs:\n"
                            "  demo:\n"
                            "    vendor: Demo\n"
                            "    core: cortex-m4\n"
                            "    memory_order: [RAM]\n"
                            "    default_profile: plain\n"
                            "    psram_clocks_hz: [48000000]\n"
                            "    regions:\n"
                            "    - {name: FLASH, tier: nvm, origin: 0x0, length: 64K, access: rx, holds_image: true}\n"
                            "    - {name: RAM, tier: sram, origin: 0x20000000, length: 32K, access: rwx}\n"
                            "    profiles:\n"
                            "    - {name: plain, verified: true, code: FLASH, data: RAM, stack: RAM, image: FLASH, windows: [\n"
                            "         {region: FLASH, origin: 0x0, length: 64K, linker_name: ROM},\n"
                            "         {region: RAM, origin: 0x20000000, length: 32K, linker_name: RAM}]}\n";

static void test_an_entry_stands_on_its_own(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, whole));
    const struct soc *soc = load(&run, "demo");
    assert_string_equal(soc->name, "demo");
    assert_true(soc->profiles[0].verified);
    assert_int_equal(soc->psram_clock_count, 1);
    assert_null(soc->path);
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.run.arena, &run.run.diagnostics, &run.registry, &names));
    size_t found = 0;
    for (size_t i = 0; i < names.count; i++) {
        found += text_equal(names.items[i], "demo") && names.paths[i] == NULL;
    }
    assert_int_equal(found, 1);
    assert_int_equal(run.run.diagnostics.list.count, 0);
    const struct soc *missing = NULL;
    assert_false(registry_load_soc(&run.run.arena, &run.run.diagnostics, &run.registry, "dem", SPAN_NONE, &missing));
    assert_true(mentions(&run.run, "did you mean 'demo'?"));
    custom_end(&run);
}

/* The same text in a registry file lacks what a file must have. */
static void test_a_file_still_needs_sources(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    const struct node *root = node_find(parse(&run, whole), "custom_socs.demo");
    struct soc *soc = NULL;
    assert_false(soc_decode(&run.arena, &run.diagnostics, root, "demo.yaml", (struct bytes){0}, &soc));
    assert_int_equal(count_findings(&run, "missing-key"), 2);
    run_end(&run);
}

static void test_an_entry_takes_the_place_of_a_file(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, "custom_socs:\n"
                          "  APOLLO4P: {based_on: apollo4p, vendor: Me}\n"
                          "  late: {based_on: apollo4p, core: cortex-m33}\n"));
    assert_string_equal(load(&run, "apollo4p")->vendor, "Me");
    assert_string_equal(load(&run, "late")->vendor, "Me");
    assert_string_equal(load(&run, "late")->core, "cortex-m33");
    assert_string_equal(load(&run, "apollo510")->vendor, "Ambiq");
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run.run.arena, &run.run.diagnostics, &run.registry, &names));
    for (size_t i = 1; i < names.count; i++) {
        assert_false(text_equal_nocase(names.items[i - 1], names.items[i]));
    }
    custom_end(&run);
}

static void test_boards(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, "custom_socs:\n"
                          "  mine: {based_on: apollo510}\n"
                          "custom_boards:\n"
                          "  plain: {soc: mine}\n"
                          "  fitted: {based_on: apollo3p_evb, soc: mine, psram: {length: 1M}, psram_clocks_hz: [24000000]}\n"
                          "  bare: {based_on: fitted, psram: {length: 0}}\n"
                          "  apollo4p_evb: {based_on: apollo4p_evb, psram: {length: 2M}}\n"));
    const struct soc *soc = load(&run, "mine");
    const struct soc *fitted = NULL;
    assert_true(soc_apply_board(&run.run.arena, &run.run.diagnostics, soc, load_board(&run, "Plain"), &fitted));
    assert_int_equal(region_of(fitted, "PSRAM")->length, 64 << 20);
    assert_int_equal(fitted->psram_clock_count, 7);
    const struct board *board = load_board(&run, "fitted");
    assert_non_null(strstr(board->path, "apollo3p_evb.yaml"));
    assert_null(board->source);
    assert_true(soc_apply_board(&run.run.arena, &run.run.diagnostics, soc, board, &fitted));
    assert_int_equal(region_of(fitted, "PSRAM")->length, 1 << 20);
    assert_int_equal(fitted->psram_clock_count, 1);
    assert_int_equal(fitted->psram_clocks_hz[0], 24000000);
    assert_true(soc_apply_board(&run.run.arena, &run.run.diagnostics, soc, load_board(&run, "bare"), &fitted));
    assert_int_equal(soc_find_region(fitted, "PSRAM"), REGION_NONE);
    const struct board *shadow = load_board(&run, "apollo4p_evb");
    assert_true(soc_apply_board(&run.run.arena, &run.run.diagnostics, load(&run, "apollo4p"), shadow, &fitted));
    assert_int_equal(region_of(fitted, "PSRAM")->length, 2 << 20);
    struct registry_names names = {0};
    assert_true(registry_list_boards(&run.run.arena, &run.run.diagnostics, &run.registry, &names));
    size_t found = 0;
    for (size_t i = 0; i < names.count; i++) {
        found += names.paths[i] == NULL;
    }
    assert_int_equal(found, 4);
    assert_int_equal(run.run.diagnostics.list.count, 0);
    custom_end(&run);
}

static void test_nothing_given_changes_nothing(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(registry_add_custom(&run.run.arena, &run.run.diagnostics, NULL, NULL, &run.registry));
    assert_null(run.registry.custom);
    assert_true(add(&run, "custom_socs:\ncustom_boards: null\n"));
    assert_null(run.registry.custom);
    assert_true(add(&run, "custom_socs: {}\n"));
    assert_string_equal(load(&run, "apollo510")->name, "apollo510");
    assert_string_equal(load_board(&run, "apollo510_evb")->soc, "apollo510");
    custom_end(&run);
}

/* What is wrong with an entry, and words of the message or its notes. REG: the case of that number. */
static const struct refusal {
    const char *id;
    const char *text;
    const char *words;
} refusals[] = {
    {"unknown-key", "custom_socs:\n  m: {based_on: apollo510, dtcm: 256}\n",
     "Unknown key(s) in target.custom_socs."}, /* REG-007 */
    {"unknown-key", "custom_socs:\n  m: {based_on: apollo510, dtcm: 256}\n",
     "Did you mean 'regions: [{name: DTCM, length: 256}]'?"}, /* REG-007 */
    {"unknown-key", "custom_socs:\n  m: {based_on: apollo510, sram_kb: 256}\n",
     "Did you mean 'regions: [{name: SRAM, length: 256K}]'?"},
    {"unknown-key", "custom_socs:\n  m: {basedon: apollo510}\n", "Did you mean 'based_on'?"},
    {"unknown-key", "custom_boards:\n  m: {based_on: apollo510_evb, sock: x}\n", "Did you mean 'soc'?"},
    {"unknown-key", "custom_boards:\n  m: {based_on: apollo510_evb, dtcm: 1}\n", "known keys: schema, board, soc"},
    {"unknown-key", "custom_socs:\n  m: {based_on: apollo510, regions: [{name: DTCM, size: 1}]}\n",
     "unknown key 'target.custom_socs.m.regions[2].size'"},
    {"region-wraps", "custom_socs:\n  m: {based_on: apollo510, regions: [{name: PSRAM, origin: 0x220000000}]}\n",
     "is at 0x220000000, which does not fit in 32 bits (max 0xFFFFFFFF)"}, /* REG-008 */
    {"bad-value", "custom_socs:\n  m: {based_on: apollo510, regions: [{name: PSRAM, origin: -1}]}\n",
     "must not be negative"}, /* REG-011 */
    {"wrong-kind", "custom_socs:\n  m: {based_on: apollo510, regions: [{name: PSRAM, origin: true}]}\n",
     "must be an address such as 0x20000000, not 'true'"}, /* REG-009 */
    {"unknown-soc", "custom_socs:\n  m: {based_on: apolo510}\n", "did you mean 'apollo510'?"},
    {"unknown-soc", "custom_socs:\n  mine: {based_on: apollo510}\n  m: {based_on: mime}\n", "did you mean 'mine'?"},
    {"unknown-soc", "custom_socs:\n  m: {based_on: m}\n", "target.custom_socs.m is based on the unknown SoC 'm'"},
    {"unknown-soc", "custom_boards:\n  m: {soc: apolo510}\n", "did you mean 'apollo510'?"},
    {"unknown-board", "custom_boards:\n  m: {based_on: apollo510}\n", "is based on the unknown board 'apollo510'"},
    {"based-on-circle", "custom_socs:\n  a: {based_on: b}\n  b: {based_on: c}\n  c: {based_on: a}\n", "are based on each other"},
    {"wrong-kind", "custom_socs: [apollo510]\n", "'target.custom_socs' must be a mapping, not a list"},
    {"wrong-kind", "custom_socs:\n  m: apollo510\n", "'target.custom_socs.m' must be a mapping, not text"},
    {"wrong-kind", "custom_socs:\n  m: {based_on: [apollo510]}\n", "'target.custom_socs.m.based_on' must be text, not a list"},
    {"wrong-kind", "custom_socs:\n  m: {based_on: null}\n", "must be text, not null"},
    {"bad-name", "custom_socs:\n  \"a b\": {based_on: apollo510}\n", "the name 'a b' in target.custom_socs"},
    {"bad-name", "custom_socs:\n  ../m: {based_on: apollo510}\n", "the name '../m'"},
    {"duplicate-name", "custom_socs:\n  m: {based_on: apollo510}\n  M: {based_on: apollo4p}\n", "twice"},
    {"registry-name-mismatch", "custom_socs:\n  m: {based_on: apollo510, soc: n}\n", "target.custom_socs.m describes 'n'"},
    {"registry-name-mismatch", "custom_boards:\n  m: {based_on: apollo510_evb, board: n}\n",
     "target.custom_boards.m describes 'n'"},
    {"unknown-choice", "custom_socs:\n  m: {based_on: apollo510, schema: helia-placement/board/1}\n", "schema"},
    {"missing-key", "custom_boards:\n  m: {description: none}\n", "'target.custom_boards.m' lacks the required key 'soc'"},
    {"window-outside-region", "custom_socs:\n  m: {based_on: apollo4p, regions: [{name: DTCM, length: 4K}]}\n",
     "target.custom_socs.m is based on it"},
    {"unknown-source", "custom_socs:\n  m: {based_on: apollo510, source: [bok]}\n", "'sources' has no key 'bok'"},
    {"bad-value", "custom_socs:\n  m: {based_on: apollo510, psram_clocks_hz: [0]}\n", "psram_clocks_hz"},
};

static bool is_refused(const struct refusal *refusal)
{
    struct custom_run run;
    custom_start(&run);
    bool ok = !add(&run, refusal->text) && run.registry.custom == NULL && run.run.diagnostics.list.count == 1 &&
              count_findings(&run.run, refusal->id) == 1 && mentions(&run.run, refusal->words);
    if (!ok) {
        struct text text = text_start(&run.run.arena);
        diag_render_text(&run.run.diagnostics, false, &text);
        print_message("%sexpected %s: %s\nfound:\n%s", refusal->text, refusal->id, refusal->words, text.data);
    }
    custom_end(&run);
    return ok;
}

static void test_what_is_refused(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        failures += !is_refused(&refusals[i]);
    }
    assert_int_equal(failures, 0);
}

/* Case REG-010: the first and the last address of 32 bits. */
static void test_the_outermost_addresses(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, "custom_socs:\n"
                          "  m:\n"
                          "    based_on: apollo510\n"
                          "    regions:\n"
                          "    - {name: PSRAM, origin: 0xFFFFFFFF, length: 1}\n"));
    assert_int_equal(region_of(load(&run, "m"), "PSRAM")->origin, UINT32_MAX);
    assert_int_equal(region_of(load(&run, "m"), "ITCM")->origin, 0);
    assert_int_equal(run.run.diagnostics.list.count, 0);
    custom_end(&run);
}

/* All findings come at once, those of boards too. */
static void test_every_entry_is_checked(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_false(add(&run, "custom_socs:\n"
                           "  a: {based_on: nothing}\n"
                           "  b: {based_on: apollo510, memory_order: [RUM]}\n"
                           "  heir: {based_on: a}\n"
                           "custom_boards:\n"
                           "  c: {soc: nowhere}\n"
                           "  d: {soc: a}\n"));
    assert_int_equal(count_findings(&run.run, "unknown-soc"), 2);
    assert_int_equal(count_findings(&run.run, "unknown-region"), 1);
    assert_int_equal(run.run.diagnostics.list.count, 3);
    assert_null(run.registry.custom);
    custom_end(&run);
}

/* `count` entries, each but the first based on the one after it; the last on a file. */
static const char *long_chain(struct run *run, size_t count)
{
    struct text text = text_start(&run->arena);
    text_add(&text, "custom_socs:\n");
    for (size_t i = 1; i < count; i++) {
        text_print(&text, "  s%zu: {based_on: s%zu}\n", i, i + 1);
    }
    text_print(&text, "  s%zu: {based_on: apollo510}\n", count);
    return text.data;
}

static void test_chains_are_bounded(void **state)
{
    (void)state;
    struct custom_run run;
    custom_start(&run);
    assert_true(add(&run, long_chain(&run.run, SOC_LIST_LIMIT)));
    assert_int_equal(load(&run, "s1")->region_count, 5);
    custom_end(&run);
    custom_start(&run);
    assert_false(add(&run, long_chain(&run.run, SOC_LIST_LIMIT + 1)));
    assert_int_equal(count_findings(&run.run, "bad-value"), 1);
    custom_end(&run);
}

/* A list that is too long is refused after the merge as before it. */
static void test_long_lists_are_refused(void **state)
{
    (void)state;
    static const size_t counts[] = {SOC_LIST_LIMIT - 4, 3 * SOC_LIST_LIMIT};
    for (size_t i = 0; i < 2; i++) {
        struct custom_run run;
        custom_start(&run);
        struct text text = text_start(&run.run.arena);
        text_add(&text, "custom_socs:\n  m:\n    based_on: apollo510\n    regions:\n");
        for (size_t j = 0; j < counts[i]; j++) {
            text_print(&text, "    - {name: R%zu, tier: sram, origin: %zu, length: 16, access: rw}\n", j, 0x90000000 + 16 * j);
        }
        assert_false(add(&run, text.data));
        assert_true(mentions(&run.run, "must have at most 64 entries"));
        custom_end(&run);
    }
}

/* Shapes that no entry has are merged all the same, and refused where they are decoded. */
static void test_odd_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "regions: 5",
        "regions: {DTCM: {length: 4}}",
        "regions: [DTCM, [DTCM], {name: [DTCM]}, {}, null]",
        "regions: [{name: DTCM, carve_outs: {a: b}}]",
        "regions: [{name: MRAM, carve_outs: [{name: {}}, 1]}]",
        "profiles: [sbl]",
        "profiles: {name: sbl}",
        "profiles: [{name: sbl, windows: [{region: null}, DTCM]}]",
        "profiles: [{name: sbl, native: {}}]",
        "sources: [hal-apollo510]",
        "sources: {hal-apollo510: {repository: []}}",
        "memory_order: {DTCM: 1}",
        "source: {a: b}",
        "soc: [m]",
        "schema: {}",
        "flags: null",
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct custom_run run;
        custom_start(&run);
        if (add(&run, arena_format(&run.run.arena, "custom_socs:\n  m:\n    based_on: apollo510\n    %s\n", odd[i]))) {
            fail_msg("'%s' was accepted", odd[i]);
        }
        assert_true(run.run.diagnostics.list.count > 0);
        assert_null(run.registry.custom);
        custom_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_entry_takes_over_what_it_does_not_say),
        cmocka_unit_test(test_only_the_entry_itself_verifies_a_profile),
        cmocka_unit_test(test_lists_are_merged_by_name),
        cmocka_unit_test(test_an_entry_stands_on_its_own),
        cmocka_unit_test(test_a_file_still_needs_sources),
        cmocka_unit_test(test_an_entry_takes_the_place_of_a_file),
        cmocka_unit_test(test_boards),
        cmocka_unit_test(test_nothing_given_changes_nothing),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_the_outermost_addresses),
        cmocka_unit_test(test_every_entry_is_checked),
        cmocka_unit_test(test_chains_are_bounded),
        cmocka_unit_test(test_long_lists_are_refused),
        cmocka_unit_test(test_odd_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
