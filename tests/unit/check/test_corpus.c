/* Headers of 54 real firmware images, rebuilt and measured: the figures must be those that a separate program found in the
 * images.
 *
 * The corpus lies outside the source tree: environment HELIA_PLACEMENT_CORPUS, else ../shared/data beside the source folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/size.h"
#include "check/byte_range.h"
#include "check/ledger.h"
#include "checking.h"
#include "doc/doc.h"

#define IMAGE_COUNT 54

static struct checking c;
static struct arena arena;

static const char *text_of(const struct node *node, const char *key)
{
    const struct node *value = node_get(node, key);
    assert_non_null(value);
    return value->text;
}

static uint64_t number_of(const char *text)
{
    char *end;
    const uint64_t value = strtoull(text, &end, 0);
    assert_true(end != text && *end == '\0');
    return value;
}

static uint64_t number(const struct node *node, const char *key)
{
    return number_of(text_of(node, key));
}

struct name_number {
    const char *name;
    uint32_t number;
};

/* Types that measuring tells apart; every other is as good as PROGBITS. */
static const struct name_number SECTION_TYPES[] = {
    {"SHT_NULL", 0}, {"SHT_STRTAB", 3}, {"SHT_NOTE", 7}, {"SHT_NOBITS", 8}, {NULL, 1}};
static const struct name_number SEGMENT_TYPES[] = {{"PT_LOAD", 1}, {"PT_NOTE", 4}, {"PT_TLS", 7}, {NULL, 6}};
static const struct name_number FILE_TYPES[] = {{"ET_EXEC", 2}, {"ET_DYN", 3}, {"ET_CORE", 4}, {NULL, 0}};
static const struct name_number SYMBOL_KINDS[] = {{"STT_OBJECT", 1}, {"STT_FUNC", 2}, {NULL, 0}};

static uint32_t named(const struct name_number *names, const char *name)
{
    while (names->name && strcmp(names->name, name) != 0) {
        names++;
    }
    return names->number;
}

static void add_sections(const struct node *sections, const char *comment)
{
    for (size_t i = 1; i < sections->count; i++) { /* the writer makes section 0 itself */
        const struct node *node = sections->items[i];
        struct elf_section section = {.name = text_of(node, "name"),
                                      .type = named(SECTION_TYPES, text_of(node, "type")),
                                      .flags = number(node, "flags"),
                                      .address = number(node, "addr"),
                                      .offset = number(node, "offset"),
                                      .size = number(node, "size"),
                                      .alignment = number(node, "align")};
        if (strcmp(section.name, ".comment") == 0) {
            section.offset = ELF_APPEND;
            section.content = comment;
            section.size = strlen(comment);
        }
        elf_add_section(&c.file, section);
    }
}

static void add_segments(const struct node *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        const struct node *node = segments->items[i];
        elf_add_segment(&c.file, (struct elf_segment){.type = named(SEGMENT_TYPES, text_of(node, "type")),
                                                      .flags = (uint32_t)number(node, "flags"),
                                                      .offset = number(node, "offset"),
                                                      .address = number(node, "vaddr"),
                                                      .physical_address = number(node, "paddr"),
                                                      .file_size = number(node, "filesz"),
                                                      .memory_size = number(node, "memsz"),
                                                      .alignment = number(node, "align")});
    }
}

static void add_symbols(const struct node *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const struct node *node = symbols->items[i];
        elf_add_symbol(&c.file, text_of(node, "name"), number(node, "value"), number(node, "size"),
                       (uint32_t)number(node, "section"));
        c.file.symbols[i].kind = named(SYMBOL_KINDS, text_of(node, "type"));
    }
}

/* One memory that is as large as any address. */
static void make_soc(void)
{
    checking_start(&c);
    c.regions[0] = (struct region){.name = "ALL", .length = SIZE_LIMIT, .holds_image = true, .access = 7};
    c.windows[0] = (struct window){.region = 0, .length = SIZE_LIMIT};
    c.profile.window_count = 1;
    c.soc.region_count = 1;
    c.soc.elf_machine = NULL;
    c.soc.elf_class = 0;
}

static void rebuild(const struct node *root)
{
    make_soc();
    c.file.bits = (unsigned)number(root, "cls");
    c.file.big_endian = strcmp(text_of(root, "endian"), "big") == 0;
    c.file.machine = 40;
    c.file.type = (uint16_t)named(FILE_TYPES, text_of(root, "type"));
    c.file.minimum_size = number(root, "file_size");
    add_sections(node_get(root, "sections"), text_of(root, "comment"));
    add_segments(node_get(root, "segments"));
    add_symbols(node_get(root, "symbols"));
}

/* Ranges of one ledger, or of both. */
static struct byte_ranges ledger_ranges(const struct ledger *ledger, bool run, bool load)
{
    struct byte_ranges ranges = {0};
    for (size_t i = 0; i < ledger->entries.count; i++) {
        if (ledger->entries.items[i].is_load ? load : run) {
            *LIST_ADD(&arena, &ranges) = byte_range_of(ledger->entries.items[i].address, ledger->entries.items[i].size);
        }
    }
    return ranges;
}

static bool agrees(const char *name, const char *what, struct byte_ranges ranges, const struct node *view)
{
    const uint64_t total = byte_ranges_merge(&ranges, &arena);
    const struct node *wanted = node_get(view, "ranges");
    bool same = total == number(view, "total") && ranges.count == wanted->count;
    for (size_t i = 0; same && i < ranges.count; i++) {
        same = ranges.items[i].start == number_of(wanted->items[i]->items[0]->text) &&
               ranges.items[i].end == number_of(wanted->items[i]->items[1]->text);
    }
    if (!same) {
        print_error("%s: %s: wanted %s bytes in %zu ranges, measured %llu in %zu\n", name, what, text_of(view, "total"),
                    wanted->count, (unsigned long long)total, ranges.count);
    }
    return same;
}

static bool measures_right(const char *name, const struct node *root)
{
    const struct node *views = node_find(root, "expected.views");
    rebuild(root);
    assert_true(checking_run(&c));
    struct ledger ledger = {0};
    ledger_collect(&arena, c.request.image, &ledger);
    /* Not & but &&-free on purpose: every view that differs is told. */
    bool fine = agrees(name, "run", ledger_ranges(&ledger, true, false), node_get(views, "run_corrected"));
    fine = agrees(name, "load", ledger_ranges(&ledger, false, true), node_get(views, "load_by_sections")) && fine;
    fine = agrees(name, "both", ledger_ranges(&ledger, true, true), node_get(views, "occupied_union_run_and_load")) && fine;

    const bool grew = number(node_get(views, "run_by_sh_size"), "total") != number(node_get(views, "run_corrected"), "total");
    if (c.result.packed != grew || findings_of(&c, "packed-unknown", NULL) != 0) {
        print_error("%s: packed %d, wanted %d\n", name, c.result.packed, grew);
        fine = false;
    }
    const struct measured_region *all = region_named(&c, "ALL");
    if (all->used + all->reserved != number(node_get(views, "occupied_union_run_and_load"), "total") ||
        all->load_image != number(node_get(views, "load_by_sections"), "total")) {
        print_error("%s: the row of the region differs from the ledgers\n", name);
        fine = false;
    }
    checking_end(&c);
    return fine;
}

/* Images in which nothing can be measured: a header with nothing behind it, a core dump, a section table that is not one. */
static bool is_refused(const struct node *root)
{
    make_soc();
    if (node_get(root, "header")) {
        add_zeros(&c, ".bss", 0, 16);
        elf_build(&c.file);
        c.file.size = 64; /* all that is left of it */
    } else {
        c.file.bits = (unsigned)number(root, "cls");
        c.file.type = (uint16_t)named(FILE_TYPES, text_of(root, "type"));
        add_segments(node_get(root, "segments"));
        c.file.minimum_size = number(root, "file_size");
        c.file.stripped = true;
        elf_build(&c.file);
    }
    c.diagnostics = diagnostics_start(&c.arena);
    const struct image *image = NULL;
    const bool done = image_read(&c.arena, &c.diagnostics, elf_write(c.file.bytes, c.file.size), SPAN_NONE, &image);
    checking_end(&c);
    return !done;
}

static void every_image_is_measured_as_its_facts_say(void **state)
{
    (void)state;
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    const char *folder = path_join(&arena, corpus && *corpus ? corpus : PROJECT_FOLDER "/../shared/data", "elf-shapes");
    struct file_names names = {0};
    struct file_error error;
    if (!file_list(&arena, folder, ".json", &names, &error)) {
        print_message("no corpus at %s: skipped\n", folder);
        skip();
    }
    size_t measured = 0, refused = 0, wrong = 0;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    for (size_t i = 0; i < names.count; i++) {
        const struct node *root;
        assert_true(doc_read(&arena, &diagnostics, path_join(&arena, folder, names.items[i]), SPAN_NONE, &root));
        const struct node *sections = node_get(root, "sections");
        if (!sections || sections->count < 2) {
            if (!is_refused(root)) {
                print_error("%s: is not refused\n", names.items[i]);
                wrong++;
            }
            refused++;
        } else {
            wrong += !measures_right(names.items[i], root);
            measured++;
        }
    }
    print_message("%zu images measured, %zu refused\n", measured, refused);
    assert_int_equal(wrong, 0);
    assert_int_equal(measured + refused, IMAGE_COUNT);
    assert_int_equal(refused, 3);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_image_is_measured_as_its_facts_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
