/* What the tests of check share: a SoC by hand, an image by hand, and the way from both to a result.
 *
 * The SoC is an Apollo510 as far as these tests need it (MEA-017): the DTCM's window of profile sbl ends 16 KiB before the memory
 * does, the MRAM's starts behind a boot loader, the ITCM has no window, PSRAM is external and named by no linker script. */
#ifndef HELIA_TESTS_CHECKING_H
#define HELIA_TESTS_CHECKING_H

#include "../image/elf_writer.h"
#include "check/check.h"

enum { REGION_MRAM, REGION_SRAM, REGION_DTCM, REGION_ITCM, REGION_PSRAM, REGION_TOTAL };

struct checking {
    struct arena arena;
    struct region_alias sram_alias;
    struct region regions[REGION_TOTAL];
    struct window windows[3];
    struct linker_profile profile;
    struct soc soc;
    struct elf_file file;
    struct planned planned;
    struct planned_arena planned_arenas[8];
    const struct planned *embedded[4];
    struct budget budgets[4];
    struct check_request request;
    struct diagnostics diagnostics;
    struct check_result result;
};

static inline void checking_start(struct checking *checking)
{
    memset(checking, 0, sizeof *checking);
    struct region *regions = checking->regions;
    checking->sram_alias = (struct region_alias){.name = "secure", .origin = 0x30080000};
    regions[REGION_MRAM] = (struct region){
        .name = "MRAM", .tier = TIER_NVM, .origin = 0x00400000, .length = 0x400000, .access = 5, .holds_image = true};
    regions[REGION_SRAM] = (struct region){.name = "SRAM",
                                           .tier = TIER_SRAM,
                                           .origin = 0x20080000,
                                           .length = 0x300000,
                                           .access = 7,
                                           .data = true,
                                           .aliases = &checking->sram_alias,
                                           .alias_count = 1};
    regions[REGION_DTCM] =
        (struct region){.name = "DTCM", .tier = TIER_TCM, .origin = 0x20000000, .length = 0x80000, .access = 3, .data = true};
    regions[REGION_ITCM] =
        (struct region){.name = "ITCM", .tier = TIER_TCM, .origin = 0x00000000, .length = 0x40000, .access = 7};
    regions[REGION_PSRAM] = (struct region){.name = "PSRAM",
                                            .tier = TIER_EXTERNAL,
                                            .origin = 0x60000000,
                                            .length = 0x2000000,
                                            .access = 3,
                                            .data = true,
                                            .needs_power = true};
    checking->windows[0] = (struct window){.region = REGION_MRAM, .origin = 0x00410000, .length = 4128768};
    checking->windows[1] = (struct window){.region = REGION_DTCM, .origin = 0x20000000, .length = 507904};
    checking->windows[2] = (struct window){.region = REGION_SRAM, .origin = 0x20080000, .length = 3145728};
    checking->profile = (struct linker_profile){.name = "sbl",
                                                .verified = true,
                                                .windows = checking->windows,
                                                .window_count = 3,
                                                .code_region = REGION_MRAM,
                                                .data_region = REGION_DTCM,
                                                .stack_region = REGION_DTCM,
                                                .image_region = REGION_MRAM};
    checking->soc = (struct soc){.name = "apollo510",
                                 .elf_machine = "arm",
                                 .elf_class = 32,
                                 .minimum_alignment = 16,
                                 .regions = regions,
                                 .region_count = REGION_TOTAL,
                                 .profiles = &checking->profile,
                                 .profile_count = 1};
    checking->file.bits = 32;
    checking->file.type = 2;
    checking->file.machine = 40;
    checking->planned = (struct planned){.plan_hash = "sha256:11",
                                         .soc = "apollo510",
                                         .profile = "sbl",
                                         .prefix = "kws",
                                         .allocate_arenas = true,
                                         .arenas = checking->planned_arenas};
    checking->request = (struct check_request){
        .soc = &checking->soc, .profile = &checking->profile, .embedded = checking->embedded, .budgets = checking->budgets};
}

static inline void checking_end(struct checking *checking)
{
    elf_free(&checking->file);
    elf_remove();
    arena_free(&checking->arena);
}

/* A NOBITS section. */
static inline uint32_t add_zeros(struct checking *checking, const char *name, uint64_t address, uint64_t size)
{
    return elf_add_section(&checking->file, (struct elf_section){.name = name,
                                                                 .type = ELF_NOBITS,
                                                                 .flags = ELF_ALLOC | ELF_WRITE,
                                                                 .address = address,
                                                                 .offset = 0x100,
                                                                 .size = size,
                                                                 .alignment = 4});
}

/* A PROGBITS section in a PT_LOAD of its own. Its file bytes follow those of the ones added before. */
static inline uint32_t add_stored(struct checking *checking, const char *name, uint64_t flags, uint64_t address, uint64_t load,
                                  uint64_t size)
{
    struct elf_file *file = &checking->file;
    uint64_t offset = 0x100;
    for (size_t i = 0; i < file->section_count; i++) {
        {
            if (file->sections[i].type != ELF_NOBITS && file->sections[i].offset != ELF_APPEND &&
                file->sections[i].offset + file->sections[i].size > offset) {
                {
                    offset = file->sections[i].offset + file->sections[i].size;
                }
            }
        }
    }
    elf_add_segment(file, (struct elf_segment){.type = ELF_LOAD,
                                               .flags = 4u | (flags & ELF_WRITE ? 2u : 0u) | (flags & ELF_EXEC ? 1u : 0u),
                                               .offset = offset,
                                               .address = address,
                                               .physical_address = load,
                                               .file_size = size,
                                               .memory_size = size,
                                               .alignment = 4});
    return elf_add_section(file, (struct elf_section){.name = name,
                                                      .type = ELF_PROGBITS,
                                                      .flags = ELF_ALLOC | flags,
                                                      .address = address,
                                                      .offset = offset,
                                                      .size = size,
                                                      .alignment = 4});
}

static inline uint32_t add_comment(struct checking *checking, const char *comment)
{
    return elf_add_section(
        &checking->file,
        (struct elf_section){
            .name = ".comment", .type = ELF_PROGBITS, .offset = ELF_APPEND, .size = strlen(comment) + 1, .content = comment});
}

static inline struct planned_arena *add_planned(struct checking *checking, const char *symbol, const char *role,
                                                const char *memory, uint64_t size)
{
    struct planned_arena *arena = &checking->planned_arenas[checking->planned.arena_count++];
    *arena = (struct planned_arena){
        .symbol = symbol, .role = role, .memory = memory, .size = size, .alignment = 16, .nobits = strcmp(role, "constant") != 0};
    checking->request.planned = &checking->planned;
    return arena;
}

/* Reads the image and checks it. False: check_run() refused the request. */
static inline bool checking_run(struct checking *checking)
{
    checking->diagnostics = diagnostics_start(&checking->arena);
    elf_free(&checking->file);
    elf_build(&checking->file);
    const char *path = elf_write(checking->file.bytes, checking->file.size);
    if (!image_read(&checking->arena, &checking->diagnostics, path, SPAN_NONE, &checking->request.image)) {
        fprintf(stderr, "the test's image is refused: %s\n", checking->diagnostics.list.items[0].message);
        abort();
    }
    return check_run(&checking->arena, &checking->diagnostics, &checking->request, &checking->result);
}

static inline const struct measured_region *region_named(const struct checking *checking, const char *name)
{
    for (size_t i = 0; i < checking->result.region_count; i++) {
        {
            if (strcmp(checking->result.regions[i].name, name) == 0) {
                {
                    return &checking->result.regions[i];
                }
            }
        }
    }
    return NULL;
}

/* Findings of an id: how many; the first in `*first` (may be NULL). */
static inline size_t findings_of(const struct checking *checking, const char *id, const struct check_finding **first)
{
    size_t count = 0;
    for (size_t i = 0; i < checking->result.findings.count; i++) {
        if (strcmp(checking->result.findings.items[i].id, id) != 0) {
            {
                continue;
            }
        }
        if (count++ == 0 && first) {
            {
                *first = &checking->result.findings.items[i];
            }
        }
    }
    return count;
}

/* Ids of all findings in order, "a b c". */
static inline const char *all_findings(struct checking *checking)
{
    struct text out = text_start(&checking->arena);
    for (size_t i = 0; i < checking->result.findings.count; i++) {
        {
            text_print(&out, "%s%s", i == 0 ? "" : " ", checking->result.findings.items[i].id);
        }
    }
    return out.data;
}

#endif
