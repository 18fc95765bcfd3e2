/* The linked ELF as plain structs. Read through libelf; every count, offset and size is checked against the file. */
#ifndef HELIA_IMAGE_IMAGE_H
#define HELIA_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/file.h"
#include "diag/diag.h"

enum section_flag { SECTION_WRITE = 1, SECTION_ALLOC = 2, SECTION_EXECUTE = 4, SECTION_TLS = 8 };

#define SECTION_NONE UINT32_MAX
#define SEGMENT_NONE UINT32_MAX

/* Numbers of the ELF specification (gABI, chapters 4 and 5) that image_section.type, image_segment.type and .flags, and
 * image_symbol.kind are held against. */
enum { SECTION_TYPE_NULL = 0 };
enum { SEGMENT_TYPE_LOAD = 1 };
enum { SEGMENT_EXECUTE = 1, SEGMENT_WRITE = 2 };
enum { SYMBOL_OBJECT = 1, SYMBOL_FUNCTION = 2, SYMBOL_TLS = 6 };

struct image_section {
    const char *name; /* printable */
    uint32_t type;    /* SHT_ number */
    unsigned flags;   /* section_flag bits */
    bool is_nobits;
    uint64_t address; /* run address (sh_addr) */
    uint64_t offset;  /* in the file */
    uint64_t size;
    uint64_t alignment;
    uint32_t segment;      /* PT_LOAD that covers its file bytes; SEGMENT_NONE: none */
    uint64_t load_address; /* p_paddr + sh_offset - p_offset; only if file-backed, allocated and covered */
    bool has_load;
};

struct image_segment {
    uint32_t type;  /* PT_ number */
    uint32_t flags; /* PF_X 1, PF_W 2, PF_R 4 */
    uint64_t offset, address, physical_address, file_size, memory_size, alignment;
};

struct image_symbol {
    const char *name; /* printable */
    uint64_t address;
    uint64_t size;
    uint32_t section; /* index into sections, SECTION_NONE for absolute, common, undefined */
    uint8_t kind;     /* STT_ number */
    uint8_t binding;  /* STB_ number */
    bool is_defined;
    bool is_absolute;
};

enum image_linker { LINKER_UNKNOWN, LINKER_GNU, LINKER_LLD, LINKER_IAR, LINKER_ARM };

struct image {
    const char *path;
    unsigned elf_class; /* 32, 64 */
    bool big_endian;
    uint16_t machine;   /* EM_ number */
    uint16_t file_type; /* ET_ number */
    uint64_t entry;
    enum image_linker linker;
    const char *comment;            /* .comment, printable, entries joined by "; " */
    struct image_section *sections; /* index = ELF section index */
    size_t section_count;
    struct image_segment *segments;
    size_t segment_count;
    /* .symtab in file order, without file, section, mapping ($a, $d, $t, $x) and nameless symbols. */
    struct image_symbol *symbols;
    size_t symbol_count;
    bool has_symbols;       /* false: stripped, there is no .symtab */
    struct bytes plan_note; /* content of the section .helia.plan; size 0: none */
    uint32_t source;        /* in diagnostics */
};

extern const char *const linker_names[]; /* "", "gnu", "lld", "iar", "arm" by enum image_linker */

/* Largest image, in bytes. */
#define IMAGE_SIZE_LIMIT (UINT64_C(4) << 30)
/* Most PT_LOAD segments: each section is held against all of them, and both numbers are the file's choice. */
#define IMAGE_LOADS_LIMIT ((size_t)1024)

/* Reads a linked program (ET_EXEC, ET_DYN). Fails closed: no ELF, no section headers, truncated, wrapped addresses, a count past
 * the end of the file. The image owns copies of all it keeps; the file is closed again. Findings inside the file are located by
 * section, segment or symbol; `span` is where the path was named. */
MUST_CHECK bool image_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                           const struct image **image);

/* Who linked it, by .comment first (every LLD and armlink names itself there), then by sections that only one linker makes. */
enum image_linker image_identify_linker(const struct image *image);

/* The last address that a byte may have. 64-bit images lose the very last one, so that every exclusive end is a number. */
uint64_t image_last_address(const struct image *image);

/* Index of the only section of that name; SECTION_NONE if none or several. */
uint32_t image_find_section(const struct image *image, const char *name);
/* All defined symbols of that name: count, and the first one. */
size_t image_find_symbol(const struct image *image, const char *name, const struct image_symbol **first);

#endif
