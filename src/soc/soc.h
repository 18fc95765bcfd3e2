/* What the chip is: its memories, what each linker profile may use of them, and where every number comes from.
 *
 * A registry is a list of folders; soc-registry/<vendor>/<soc>.yaml describes a SoC, soc-registry/<vendor>/boards/<board>.yaml a
 * board. docs/formats.md describes both files; the schema tables in soc_schema.c are the authority. */
#ifndef HELIA_SOC_SOC_H
#define HELIA_SOC_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "doc/doc.h"
#include "schema/schema.h"

/* Speed order of the tiers is the order of the enumerators (REQ-PLC-070). */
enum memory_tier {
    TIER_TCM,      /* tightly coupled, single cycle */
    TIER_SRAM,     /* on chip, a few cycles */
    TIER_NVM,      /* MRAM, flash: read in place */
    TIER_EXTERNAL, /* PSRAM, DDR: never chosen without being asked for */
    TIER_COUNT
};
extern const char *const tier_names[TIER_COUNT]; /* "tcm", "sram", "nvm", "external" */

/* The keys arena_location and weights_location ("tcm", "sram", "mram", "psram") name tiers. */
const char *tier_location_key(enum memory_tier tier);

enum region_access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_EXECUTE = 4 };

#define REGION_NONE UINT32_MAX

/* [origin, origin + length) seen at another address (secure, uncached, bus alias). */
struct region_alias {
    const char *name;
    uint64_t origin;
    const char *source; /* source keys, "a, b"; NULL: none given */
    struct span span;
};

/* Bytes of the physical region that are somebody else's (boot loader, another core). */
struct carve_out {
    const char *name;
    uint64_t origin;
    uint64_t length;
    const char *const *profiles; /* the linker profiles under which it is there */
    size_t profile_count;        /* 0: under every profile */
    const char *source;
    struct span span;
};

/* A physical memory. Its name is what rules, macros and reports call it: DTCM, ITCM, SRAM, MRAM, PSRAM, ... (upper case). */
struct region {
    const char *name;
    enum memory_tier tier;
    uint64_t origin;
    uint64_t length;  /* physical bytes */
    unsigned access;  /* region_access bits */
    bool data;        /* may hold arenas and data; false for ITCM-like memories that are for code */
    bool holds_image; /* load images may stand here at reset: non-volatile, or filled by the loader before the core starts */
    bool needs_power; /* usable only after <prefix>_init_memory(1), that is after external memory was set up */
    bool npu_access;  /* the SoC's NPU can reach it; true as well where there is no NPU */
    uint64_t minimum_alignment; /* bytes, power of two, at least 1 */
    struct region_alias *aliases;
    size_t alias_count;
    struct carve_out *carve_outs;
    size_t carve_out_count;
    const char *source;   /* source keys, "a, b"; NULL: none given (soc_validate refuses that) */
    const char *note;     /* NULL: none */
    const char *conflict; /* what sources disagree about and which value is used, one a line; NULL: nothing known */
    struct span span;
};

/* The part of a region that a linker profile may use: [origin, origin + length) inside the region. */
struct window {
    uint32_t region; /* index into soc.regions */
    uint64_t origin;
    uint64_t length;
    const char *linker_name; /* what the profile's own script calls it: "MCU_TCM" */
    const char *source;
    const char *note;
    const char *conflict;
    struct span span;
};

/* Names that the profile's own linker script collects, for --sections native. NULL: this kind has no section there; "": the
 * default section (.bss, .data), no attribute needed. */
struct native_sections {
    uint32_t region;
    const char *bss;
    const char *data;
    const char *code;
    const char *rodata;
    struct span span;
};

struct linker_profile {
    const char *name; /* "sbl" */
    bool verified;    /* windows were read from the linker script that ships; false: planned view only */
    struct window *windows;
    size_t window_count;
    uint32_t code_region; /* vectors, code, read-only data of a flat script; index into soc.regions */
    uint32_t data_region; /* .data, .bss, heap */
    uint32_t stack_region;
    uint32_t image_region; /* load images of initialised RAM (AT>): non-volatile */
    struct native_sections *native;
    size_t native_count;
    const char *note;
    const char *conflict;
    struct span span;
};

/* Where a number was read: a row of the file's `sources:`. */
struct soc_source {
    const char *key; /* what `source:` lists name */
    const char *repository;
    const char *path; /* inside the repository */
    const char *commit;
    const char *note; /* NULL: none */
    struct span span;
};

struct soc {
    const char *name; /* "apollo510" */
    const char *vendor;
    const char *description;
    const char *core;         /* "cortex-m55" */
    const char *const *flags; /* compiler flags for the core */
    size_t flag_count;
    const char *elf_machine;    /* "arm" (EM_ARM), "riscv", "xtensa"; what check expects */
    unsigned elf_class;         /* 32 or 64 */
    uint64_t minimum_alignment; /* platform floor of slot alignment, bytes (REQ-PLN-047) */
    struct region *regions;     /* in the registry's order: MRAM, SRAM, DTCM, ITCM, PSRAM on Ambiq parts (PJS-001) */
    size_t region_count;
    const uint32_t *memory_order; /* preferred order of writable data memories, fastest first: region indices */
    size_t memory_order_count;
    struct span memory_order_span;
    struct linker_profile *profiles;
    size_t profile_count;
    uint32_t default_profile;        /* index */
    const char *npu;                 /* "ethos-u85"; NULL: none */
    uint32_t pmu_max_ops;            /* operators whose counters one profiling run can hold; 0: no limit is known */
    const uint64_t *psram_clocks_hz; /* clocks that external memory may be given, in Hz, in the file's order */
    size_t psram_clock_count;        /* 0: none is known, so none can be refused */
    const char *source;              /* of pmu_max_ops and psram_clocks_hz; NULL: neither is set */
    const char *emulator;            /* "qemu-system-arm -M mps3-an547" or NULL */
    const char *note;                /* NULL: none */
    struct soc_source *sources;      /* in the file's order */
    size_t source_count;
    const char *path;     /* of the registry file, as found, for depfiles; NULL: the config file alone describes it */
    struct bytes content; /* the file's bytes, for the provenance hash; empty if from_config */
    bool from_config;     /* an entry of target.custom_socs: its numbers need no source */
    struct span span;
};

struct board {
    const char *name;
    const char *soc;
    struct span soc_span;
    const char *description; /* NULL: none */
    struct span psram_span;
    const char *source;              /* of psram_length; NULL if has_psram is false */
    bool has_psram;                  /* false: the board overrides nothing */
    uint64_t psram_length;           /* 0: none fitted */
    const uint64_t *psram_clocks_hz; /* replace the SoC's; Hz */
    size_t psram_clock_count;        /* 0: the SoC's stay */
    const char *clocks_source;       /* of psram_clocks_hz; NULL: none are set */
    const char *path;                /* of the registry file; NULL: the config alone describes it */
    bool from_config;                /* an entry of target.custom_boards */
    struct span span;
};

/* The two files' keys, for the reference in docs/formats.md. */
extern const struct schema soc_schema;
extern const struct schema board_schema;

/* Longest list in a registry file, so that checks of each entry against each other stay cheap whatever the file holds. */
#define SOC_LIST_LIMIT 64

/* Where registry files are looked for, first hit wins. The cli fills it: --registry, HELIA_PLACEMENT_REGISTRY, built-in.
 * A folder holds <vendor>/<soc>.yaml and <vendor>/boards/<board>.yaml; <soc>.yaml and boards/<board>.yaml right in it are found
 * too. A folder that cannot be read is file-unreadable: list only folders that exist. */
struct registry {
    const char *const *folders;
    size_t folder_count;
    const struct registry_custom *custom; /* SoCs and boards of the config, found before any file; NULL: none */
};

/* Reads target.custom_socs and target.custom_boards (either may be NULL or null) and puts their entries in front of the folders.
 * Each entry has the keys of a registry file, or `based_on: NAME` and only what differs from that entry or file: mappings are
 * merged key by key, regions, profiles, windows, native sections, aliases and carve-outs by their names; other lists are
 * replaced. The keys `schema` and `soc` or `board` follow from the entry's name. Profiles are verified only where the entry
 * itself says so; sources are not asked for. All entries are decoded and validated, also those that nothing uses. */
MUST_CHECK bool registry_add_custom(struct arena *arena, struct diagnostics *diagnostics, const struct node *custom_socs,
                                    const struct node *custom_boards, struct registry *registry);

/* Names of the config and as found in all folders, sorted, without doubles. */
struct registry_names {
    const char **items;
    const char **paths; /* NULL for a name of the config */
    size_t count;
};
MUST_CHECK bool registry_list_socs(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                                   struct registry_names *names);
MUST_CHECK bool registry_list_boards(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                                     struct registry_names *names);

/* Loads a SoC by name (case ignored). Unknown: unknown-soc at `span` with the nearest name. Validates (soc_validate). */
MUST_CHECK bool registry_load_soc(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                                  const char *name, struct span span, const struct soc **soc);
MUST_CHECK bool registry_load_board(struct arena *arena, struct diagnostics *diagnostics, const struct registry *registry,
                                    const char *name, struct span span, const struct board **board);

/* The SoC with the board's overrides applied (a copy), validated again. A board whose psram is 0 has a SoC without that
 * region. A board of another SoC is board-of-other-soc, one with a PSRAM that the SoC cannot have is board-without-psram. */
MUST_CHECK bool soc_apply_board(struct arena *arena, struct diagnostics *diagnostics, const struct soc *soc,
                                const struct board *board, const struct soc **result);

/* Decodes one SoC or board file's tree (which of the two says its key `soc:` or `board:`). */
MUST_CHECK bool soc_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *path,
                           struct bytes content, struct soc **soc);
MUST_CHECK bool board_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *path,
                             struct board **board);

/* Whether the carve-out is there under the profile. */
bool carve_out_applies(const struct carve_out *carve_out, const struct linker_profile *profile);

/* Regions that overlap or wrap around the address space, windows outside physical memory or inside a carve-out, numbers without a
 * source, profiles without windows, names that are no C identifiers, a memory order with a memory that cannot be written. */
MUST_CHECK bool soc_validate(struct arena *scratch, struct diagnostics *diagnostics, const struct soc *soc);

/* Index or REGION_NONE; case ignored. */
uint32_t soc_find_region(const struct soc *soc, const char *name);
/* NULL: unknown (unknown-profile reported at `span`). `name` NULL: the default. */
const struct linker_profile *soc_find_profile(struct diagnostics *diagnostics, const struct soc *soc, const char *name,
                                              struct span span);
/* The window of a region in a profile; NULL if the profile gives none. */
const struct window *profile_window(const struct linker_profile *profile, uint32_t region);
/* What a plan may use of the region: the window's length, else (memory that no linker script names) the longest physical run of
 * bytes between the profile's carve-outs. `*origin` is where it starts. 0: nothing is left. */
uint64_t profile_capacity(const struct soc *soc, const struct linker_profile *profile, uint32_t region, uint64_t *origin);
/* The region that an address belongs to once aliases are folded: index or REGION_NONE; `*canonical` gets the folded address. */
uint32_t soc_region_at(const struct soc *soc, uint64_t address, uint64_t *canonical);

#endif
