/* What the tests of this room share: a run with its arena and sink, a small SoC file, and changing one place of it. */
#ifndef TESTS_UNIT_SOC_SOC_RUN_H
#define TESTS_UNIT_SOC_SOC_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/soc.h"

struct run {
    struct arena arena;
    struct diagnostics diagnostics;
};

static inline void run_start(struct run *run)
{
    *run = (struct run){0};
    run->diagnostics = diagnostics_start(&run->arena);
}

static inline void run_end(struct run *run)
{
    arena_free(&run->arena);
}

/* A SoC that nothing is to be said against: three memories, an alias, two carve-outs, two profiles. */
static const char small_soc[] =
    "schema: helia-placement/soc/1\n"
    "soc: demo\n"
    "vendor: Demo\n"
    "core: cortex-m4\n"
    "flags: [-mcpu=cortex-m4, -mthumb]\n"
    "minimum_alignment: 4\n"
    "memory_order: [RAM]\n"
    "default_profile: plain\n"
    "sources:\n"
    "  book: {repository: demo/book, path: map.txt, commit: abc}\n"
    "regions:\n"
    "- {name: FLASH, tier: nvm, origin: 0x0, length: 0x10000, access: rx, holds_image: true, source: book,\n"
    "   carve_outs: [\n"
    "     {name: boot, origin: 0x0, length: 0x1000, source: book},\n"
    "     {name: tail, origin: 0xF000, length: 0x1000, profiles: [plain], source: book}]}\n"
    "- {name: RAM, tier: sram, origin: 0x20000000, length: 0x8000, access: rwx, source: book,\n"
    "   aliases: [\n"
    "     {name: secure, origin: 0x30000000, source: book}]}\n"
    "- {name: PSRAM, tier: external, origin: 0x60000000, length: 0x100000, access: rw, needs_power: true, source: book}\n"
    "profiles:\n"
    "- {name: plain, verified: true, code: FLASH, data: RAM, stack: RAM, image: FLASH, windows: [\n"
    "     {region: FLASH, origin: 0x1000, length: 0xE000, linker_name: ROM, source: book},\n"
    "     {region: RAM, origin: 0x20000000, length: 0x7000, linker_name: RAM, source: book}],\n"
    "   native: [\n"
    "     {region: RAM, bss: \"\", data: .fast-data}]}\n"
    "- {name: whole, code: FLASH, data: RAM, stack: RAM, image: FLASH, windows: [\n"
    "     {region: FLASH, origin: 0x1000, length: 0xF000, linker_name: ROM, source: book},\n"
    "     {region: RAM, origin: 0x20000000, length: 0x8000, linker_name: RAM, source: book}]}\n";

/* The text with the first `from` replaced by `to`. */
static inline const char *with_change(struct run *run, const char *text, const char *from, const char *to)
{
    const char *place = strstr(text, from);
    assert_non_null(place);
    return arena_format(&run->arena, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
}

/* The line, from 1, on which `mark` first stands. */
static inline size_t line_of(const char *text, const char *mark)
{
    const char *place = strstr(text, mark);
    assert_non_null(place);
    size_t line = 1;
    for (const char *c = text; c < place; c++) {
        line += *c == '\n';
    }
    return line;
}

static inline const struct node *parse(struct run *run, const char *text)
{
    struct bytes content = {(const uint8_t *)text, strlen(text)};
    uint32_t source = diag_add_source(&run->diagnostics, "demo.yaml", content);
    const struct node *root = NULL;
    assert_true(doc_parse(&run->arena, &run->diagnostics, source, &root));
    return root;
}

/* Decodes and validates; NULL if either refuses. */
static inline struct soc *read_soc(struct run *run, const char *text)
{
    struct soc *soc = NULL;
    struct bytes content = {(const uint8_t *)text, strlen(text)};
    if (!soc_decode(&run->arena, &run->diagnostics, parse(run, text), "demo.yaml", content, &soc)) {
        return NULL;
    }
    return soc_validate(&run->arena, &run->diagnostics, soc) ? soc : NULL;
}

static inline struct soc *read_small_soc(struct run *run)
{
    struct soc *soc = read_soc(run, small_soc);
    assert_non_null(soc);
    assert_int_equal(run->diagnostics.list.count, 0);
    return soc;
}

static inline const struct board *read_board(struct run *run, const char *text)
{
    struct board *board = NULL;
    if (!board_decode(&run->arena, &run->diagnostics, parse(run, text), "board.yaml", &board)) {
        return NULL;
    }
    return board;
}

/* How often a finding of that name was reported. */
static inline size_t count_findings(const struct run *run, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < run->diagnostics.list.count; i++) {
        count += text_equal(diag_row(run->diagnostics.list.items[i].id)->name, name);
    }
    return count;
}

#endif
