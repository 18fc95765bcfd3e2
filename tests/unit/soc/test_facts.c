/* Every number of the shipped registry against the collected facts, read independently: regions, aliases, reserved parts,
 * windows, boards and sources. Skipped where the collection is not there. */
#include <stdio.h>
#include <stdlib.h>

#include "soc_run.h"

static const char *const shipped_folders[] = {PROJECT_FOLDER "/soc-registry"};
static const struct registry shipped = {.folders = shipped_folders, .folder_count = 1};

struct facts {
    struct run run;
    const struct node *root;
    size_t failures;
};

static void differ(struct facts *facts, const char *where, const char *what, const char *ours, const char *theirs)
{
    print_message("%s: %s is '%s' here and '%s' in the facts\n", where, what, ours, theirs);
    facts->failures++;
}

static void compare_text(struct facts *facts, const char *where, const char *what, const char *ours, const struct node *theirs)
{
    const char *text = theirs != NULL ? theirs->text : "(missing)";
    if (!text_equal(ours, text)) {
        differ(facts, where, what, ours, text);
    }
}

static void compare_number(struct facts *facts, const char *where, const char *what, uint64_t ours, const struct node *theirs)
{
    if (theirs == NULL || strtoull(theirs->text, NULL, 0) != ours) {
        differ(facts, where, what, arena_format(&facts->run.arena, "%llu", (unsigned long long)ours),
               theirs != NULL ? theirs->text : "(missing)");
    }
}

/* The mapping of the list whose `name` is `name`. */
static const struct node *named(const struct node *list, const char *name)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct node *found = node_get(list->items[i], "name");
        if (found != NULL && text_equal(found->text, name)) {
            return list->items[i];
        }
    }
    return NULL;
}

/* The facts of some parts call the DTCM "TCM" and the MRAM "FLASH". */
static const struct node *region_facts(const struct node *soc, const char *region)
{
    const struct node *regions = node_get(soc, "regions");
    const struct node *found = named(regions, region);
    if (found == NULL && text_equal(region, "DTCM")) {
        return named(regions, "TCM");
    }
    if (found == NULL && text_equal(region, "MRAM")) {
        return named(regions, "FLASH");
    }
    return found;
}

static const char *access_text(struct run *run, unsigned access)
{
    return arena_format(&run->arena, "%s%s%s", (access & ACCESS_READ) != 0 ? "r" : "", (access & ACCESS_WRITE) != 0 ? "w" : "",
                        (access & ACCESS_EXECUTE) != 0 ? "x" : "");
}

/* The list as one text, without the source that is an example of a table and nothing that can be looked up. */
static const char *source_text(struct run *run, const struct node *list)
{
    struct text text = text_start(&run->arena);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (!text_equal(list->items[i]->text, "seed-plc")) {
            text_print(&text, "%s%s", i > 0 ? ", " : "", list->items[i]->text);
        }
    }
    return text.data;
}

static void compare_region(struct facts *facts, const struct node *soc, const struct region *region)
{
    const struct node *theirs = region_facts(soc, region->name);
    compare_number(facts, region->name, "origin", region->origin, node_get(theirs, "base"));
    compare_number(facts, region->name, "length", region->length, node_get(theirs, "length"));
    compare_text(facts, region->name, "tier", tier_names[region->tier], node_get(theirs, "kind"));
    compare_text(facts, region->name, "access", access_text(&facts->run, region->access), node_get(theirs, "perms"));
    const char *sources = source_text(&facts->run, node_get(theirs, "src"));
    if (!text_equal(region->source, sources)) {
        differ(facts, region->name, "source", region->source, sources);
    }
    const struct node *secure = node_get(theirs, "secure_alias");
    if (region->alias_count != (secure != NULL ? 1u : 0u)) {
        differ(facts, region->name, "alias", "another number", "of aliases");
    } else if (secure != NULL) {
        compare_number(facts, region->name, "alias", region->aliases[0].origin, secure);
    }
}

/* A reserved part is a carve-out, or lies outside every region. What is reserved on parts that are not made yet is neither. */
static void compare_reserved(struct facts *facts, const struct soc *soc, const struct node *reserved)
{
    if (strstr(node_get(reserved, "name")->text, "future silicon") != NULL) {
        return;
    }
    uint64_t origin = strtoull(node_get(reserved, "base")->text, NULL, 0);
    uint64_t canonical = 0;
    uint32_t region = soc_region_at(soc, origin, &canonical);
    if (region == REGION_NONE) {
        return;
    }
    const struct region *holder = &soc->regions[region];
    for (size_t i = 0; i < holder->carve_out_count; i++) {
        if (holder->carve_outs[i].origin == origin) {
            compare_number(facts, holder->name, "carve-out", holder->carve_outs[i].length, node_get(reserved, "length"));
            return;
        }
    }
    differ(facts, holder->name, "carve-out", "missing", node_get(reserved, "name")->text);
}

/* Decision 19: where the sources disagree with the script, the smaller window is used. */
static bool is_stricter_window(const struct soc *soc, const struct window *window)
{
    static const struct {
        const char *soc;
        const char *linker_name;
        uint64_t length;
    } rows[] = {{"atomiq110", "SHARED_SRAM", 3145728}, {"atomiq110", "MCU_MRAM", 4128768}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (text_equal(rows[i].soc, soc->name) && text_equal(rows[i].linker_name, window->linker_name)) {
            return window->length == rows[i].length && window->conflict != NULL;
        }
    }
    return false;
}

static void compare_window(struct facts *facts, const struct soc *soc, const struct window *window, const struct node *script)
{
    const struct node *theirs = named(node_get(script, "regions"), window->linker_name);
    const char *where = soc->regions[window->region].name;
    compare_number(facts, where, "window origin", window->origin, node_get(theirs, "base"));
    if (!is_stricter_window(soc, window)) {
        compare_number(facts, where, "window length", window->length, node_get(theirs, "length"));
    }
    compare_text(facts, where, "window source", window->source, node_get(script, "src"));
}

/* The facts have no script for a part that only an emulator models: its windows are its regions. */
static void compare_whole_window(struct facts *facts, const struct node *soc_facts, const struct soc *soc,
                                 const struct window *window)
{
    const struct node *theirs = region_facts(soc_facts, soc->regions[window->region].name);
    compare_number(facts, window->linker_name, "window origin", window->origin, node_get(theirs, "base"));
    compare_number(facts, window->linker_name, "window length", window->length, node_get(theirs, "length"));
}

static uint64_t number_of(const struct node *mapping, const char *key)
{
    return strtoull(node_get(mapping, key)->text, NULL, 0);
}

/* True if the script's memory begins in one of the part's regions. */
static bool begins_in_the_part(const struct node *soc_facts, const struct node *memory)
{
    const struct node *regions = node_get(soc_facts, "regions");
    for (size_t i = 0; i < regions->count; i++) {
        uint64_t base = number_of(regions->items[i], "base");
        uint64_t origin = number_of(memory, "base");
        if (origin >= base && origin - base < number_of(regions->items[i], "length")) {
            return true;
        }
    }
    return false;
}

/* The script's memories that the part has: atomiq110's script keeps heap and stack where the other sources have nothing. */
static size_t count_usable_windows(const struct node *soc_facts, const struct node *script)
{
    const struct node *memories = node_get(script, "regions");
    size_t count = 0;
    for (size_t i = 0; i < memories->count; i++) {
        count += begins_in_the_part(soc_facts, memories->items[i]);
    }
    return count;
}

static void compare_profile(struct facts *facts, const struct node *soc_facts, const struct soc *soc,
                            const struct linker_profile *profile)
{
    const struct node *windows = node_get(soc_facts, "windows");
    const struct node *script = node_get(windows, arena_format(&facts->run.arena, "gcc/%s", profile->name));
    if (windows != NULL && script == NULL) {
        differ(facts, soc->name, "profile", profile->name, "(missing)");
    }
    if (script != NULL && count_usable_windows(soc_facts, script) != profile->window_count) {
        differ(facts, soc->name, "windows of", profile->name, "another number");
    }
    for (size_t i = 0; i < profile->window_count; i++) {
        if (script != NULL) {
            compare_window(facts, soc, &profile->windows[i], script);
        } else {
            compare_whole_window(facts, soc_facts, soc, &profile->windows[i]);
        }
    }
}

/* The facts call scripts that were copied from a larger part useless, and so does their ITCM, which the part lacks. */
static bool is_of_another_part(const struct node *soc_facts, const struct node *script)
{
    const struct node *itcm = named(node_get(script, "regions"), "MCU_ITCM");
    return itcm != NULL && !begins_in_the_part(soc_facts, itcm);
}

static size_t count_gcc_profiles(const struct node *soc_facts)
{
    const struct node *windows = node_get(soc_facts, "windows");
    size_t count = 0;
    for (size_t i = 0; windows != NULL && i < windows->count; i++) {
        count += text_starts_with(windows->pairs[i].key->text, "gcc/") && !is_of_another_part(soc_facts, windows->pairs[i].value);
    }
    return windows != NULL ? count : 1;
}

/* Read after the facts were collected: where the clocks stand, whose values the cases have, and a newer revision of a script. */
static bool is_later_source(const char *key)
{
    return text_equal(key, "hpx-config") || text_equal(key, "at110-ld-later");
}

/* The facts put in parentheses what is no repository or was not recorded. */
static void compare_sources(struct facts *facts, const struct soc *soc)
{
    for (size_t i = 0; i < soc->source_count; i++) {
        const struct soc_source *source = &soc->sources[i];
        const struct node *theirs = node_get(node_get(facts->root, "sources"), source->key);
        if (theirs == NULL && is_later_source(source->key)) {
            continue;
        }
        const struct node *repository = node_get(theirs, "repo");
        const struct node *commit = node_get(theirs, "commit");
        compare_text(facts, source->key, "path", source->path, node_get(theirs, "path"));
        if (repository == NULL || repository->text[0] != '(') {
            compare_text(facts, source->key, "repository", source->repository, repository);
        }
        if (commit == NULL || commit->text[0] != '(') {
            compare_text(facts, source->key, "commit", source->commit, commit);
        }
    }
}

/* The clocks are those of case PSR-009, wherever there is PSRAM. */
static void compare_clocks(struct facts *facts, const struct soc *soc)
{
    static const uint64_t megahertz[] = {12, 24, 48, 96, 125, 192, 250};
    size_t expected = soc_find_region(soc, "PSRAM") == REGION_NONE || text_equal(soc->vendor, "Arm") ? 0 : 7;
    if (soc->psram_clock_count != expected) {
        differ(facts, soc->name, "psram_clocks_hz", "another number", "of clocks");
    }
    for (size_t i = 0; i < soc->psram_clock_count && i < expected; i++) {
        if (soc->psram_clocks_hz[i] != megahertz[i] * 1000000) {
            differ(facts, soc->name, "psram_clocks_hz", "another clock", "");
        }
    }
}

static void compare_pmu(struct facts *facts, const struct node *soc_facts, const struct soc *soc)
{
    const struct node *theirs = node_get(node_get(soc_facts, "hpx_registry"), "pmu_max_ops");
    if (theirs != NULL || soc->pmu_max_ops != 0) {
        compare_number(facts, soc->name, "pmu_max_ops", soc->pmu_max_ops, theirs);
    }
}

/* The facts say of one part that an NPU cannot reach the CPU's TCM. */
static void compare_npu(struct facts *facts, const struct node *soc_facts, const struct soc *soc)
{
    const struct node *theirs = node_get(soc_facts, "npu");
    if ((theirs == NULL) != (soc->npu == NULL) || (theirs != NULL && !text_equal(theirs->text, soc->npu))) {
        differ(facts, soc->name, "npu", soc->npu != NULL ? soc->npu : "(none)", theirs != NULL ? theirs->text : "(none)");
    }
    for (size_t i = 0; i < soc->region_count; i++) {
        if (soc->regions[i].npu_access != (theirs == NULL || soc->regions[i].tier != TIER_TCM)) {
            differ(facts, soc->name, "npu_access", soc->regions[i].name, "the contrary");
        }
    }
}

static void compare_soc(struct facts *facts, const char *name)
{
    struct run *run = &facts->run;
    const struct soc *soc = NULL;
    assert_true(registry_load_soc(&run->arena, &run->diagnostics, &shipped, name, SPAN_NONE, &soc));
    const struct node *theirs = named(node_get(facts->root, "socs"), name);
    if (theirs == NULL) {
        differ(facts, name, "SoC", name, "(missing)");
        return;
    }
    compare_text(facts, name, "core", soc->core, node_get(theirs, "core"));
    const char *flags = text_join(&run->arena, soc->flags, soc->flag_count, ", ");
    if (!text_equal(flags, source_text(run, node_get(theirs, "flags")))) {
        differ(facts, name, "flags", flags, source_text(run, node_get(theirs, "flags")));
    }
    if (soc->region_count != node_get(theirs, "regions")->count) {
        differ(facts, name, "regions", "another number", "");
    }
    for (size_t i = 0; i < soc->region_count; i++) {
        compare_region(facts, theirs, &soc->regions[i]);
    }
    compare_clocks(facts, soc);
    compare_pmu(facts, theirs, soc);
    compare_npu(facts, theirs, soc);
    const struct node *reserved = node_get(theirs, "reserved");
    for (size_t i = 0; reserved != NULL && i < reserved->count; i++) {
        compare_reserved(facts, soc, reserved->items[i]);
    }
    if (soc->profile_count != count_gcc_profiles(theirs)) {
        differ(facts, name, "profiles", "another number", "");
    }
    for (size_t i = 0; i < soc->profile_count; i++) {
        compare_profile(facts, theirs, soc, &soc->profiles[i]);
    }
    compare_sources(facts, soc);
}

static void compare_board(struct facts *facts, const char *name)
{
    struct run *run = &facts->run;
    const struct board *board = NULL;
    assert_true(registry_load_board(&run->arena, &run->diagnostics, &shipped, name, SPAN_NONE, &board));
    const struct node *soc = named(node_get(facts->root, "socs"), board->soc);
    const struct node *theirs = node_get(named(node_get(soc, "boards"), name), "psram_kb");
    bool lacks = theirs != NULL && text_equal(theirs->text, "0") && named(node_get(soc, "regions"), "PSRAM") == NULL;
    if (theirs == NULL) {
        differ(facts, name, "board", name, "(missing)");
    } else if (lacks) {
        assert_false(board->has_psram); /* there is nothing to take away */
    } else if (node_is_null(theirs) == board->has_psram) {
        differ(facts, name, "psram", board->has_psram ? "set" : "not set", theirs->text);
    } else if (board->has_psram && board->psram_length != 1024 * strtoull(theirs->text, NULL, 10)) {
        differ(facts, name, "psram", "another length", theirs->text);
    }
}

/* Boards of the parts that ship. */
static size_t count_boards(const struct facts *facts)
{
    const struct node *socs = node_get(facts->root, "socs");
    size_t count = 0;
    for (size_t i = 0; i < socs->count; i++) {
        const struct node *boards = node_get(socs->items[i], "boards");
        bool ships = text_equal(node_get(socs->items[i], "vendor")->text, "Ambiq");
        count += ships && boards != NULL ? boards->count : 0;
    }
    return count;
}

static void test_every_number_agrees_with_the_facts(void **state)
{
    struct facts *facts = *state;
    struct run *run = &facts->run;
    struct registry_names names = {0};
    assert_true(registry_list_socs(&run->arena, &run->diagnostics, &shipped, &names));
    assert_int_equal(names.count, 13); /* all twelve of Ambiq's, and the emulated board */
    for (size_t i = 0; i < names.count; i++) {
        compare_soc(facts, names.items[i]);
    }
    assert_true(registry_list_boards(&run->arena, &run->diagnostics, &shipped, &names));
    assert_int_equal(names.count, count_boards(facts));
    for (size_t i = 0; i < names.count; i++) {
        compare_board(facts, names.items[i]);
    }
    assert_int_equal(facts->failures, 0);
    assert_int_equal(run->diagnostics.list.count, 0);
}

int main(void)
{
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    struct facts facts = {0};
    run_start(&facts.run);
    const char *path = path_join(&facts.run.arena, corpus != NULL ? corpus : PROJECT_FOLDER "/../shared/data", "socs.yaml");
    if (!file_exists(path)) {
        puts("skipped: no socs.yaml; set HELIA_PLACEMENT_CORPUS to its folder");
        run_end(&facts.run);
        return 77;
    }
    if (!doc_read(&facts.run.arena, &facts.run.diagnostics, path, SPAN_NONE, &facts.root)) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_every_number_agrees_with_the_facts, &facts),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    run_end(&facts.run);
    return result;
}
