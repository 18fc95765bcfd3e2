#include "image/image.h"

#include <inttypes.h>
#include <string.h>

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include "base/text.h"
#include "image/file_map.h"
#include "image/image_layout.h"

/* More of .comment than this is not kept: armlink writes the whole command line of each object there. */
#define COMMENT_LIMIT ((size_t)64 << 10)

/* No section's name is longer, its NUL included. */
#define SECTION_NAME_LIMIT ((size_t)4096)

/* One read in progress. libelf works on the mapped file; whatever the image keeps is copied out of it. */
struct reading {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct span span; /* the file itself */
    struct file_map file;
    Elf *elf;
    GElf_Ehdr header;
    size_t section_names;    /* index of the section that holds the sections' names */
    struct bytes name_table; /* its content, in the file */
    struct image *image;
};

static bool refuse(struct reading *reading, enum diag_id id, const char *what)
{
    diag_report(reading->diagnostics, id, reading->span, "%s", what);
    return false;
}

/* libelf refused something although our own checks passed. */
static bool refuse_by_library(struct reading *reading, const char *what)
{
    const char *reason = elf_errmsg(-1);
    diag_report(reading->diagnostics, DIAG_IMAGE_MALFORMED, reading->span, "%s cannot be read: %s", what,
                reason ? reason : "unknown reason");
    return false;
}

static bool refuse_section(struct reading *reading, size_t index, enum diag_id id, const char *what)
{
    struct diag *diag = diag_report(reading->diagnostics, id, reading->span, "%s", what);
    if (index < reading->image->section_count && reading->image->sections[index].name) {
        diag_place(reading->diagnostics, diag, "section %zu '%s'", index, reading->image->sections[index].name);
    } else {
        diag_place(reading->diagnostics, diag, "section %zu", index);
    }
    return false;
}

/* ---- the file header ---- */

static bool check_identity(struct reading *reading)
{
    const uint8_t *bytes = reading->file.data;
    if (reading->file.size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        return refuse(reading, DIAG_IMAGE_NOT_ELF, "not an ELF file");
    }
    if (bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64) {
        return refuse(reading, DIAG_IMAGE_NOT_ELF, "an ELF file that is neither of 32 nor of 64 bits");
    }
    if (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB) {
        return refuse(reading, DIAG_IMAGE_NOT_ELF, "an ELF file of unknown byte order");
    }
    if (bytes[EI_VERSION] != EV_CURRENT) {
        return refuse(reading, DIAG_IMAGE_NOT_ELF, "an ELF file of unknown version");
    }
    size_t header = bytes[EI_CLASS] == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    if (reading->file.size < header) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the file ends inside the ELF header");
    }
    return true;
}

static bool open_library(struct reading *reading)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return refuse_by_library(reading, "the ELF version");
    }
    reading->elf = elf_memory((char *)reading->file.data, reading->file.size);
    if (!reading->elf || elf_kind(reading->elf) != ELF_K_ELF) {
        return refuse_by_library(reading, "the file");
    }
    if (!gelf_getehdr(reading->elf, &reading->header)) {
        return refuse_by_library(reading, "the ELF header");
    }
    return true;
}

static bool check_kind(struct reading *reading)
{
    switch (reading->header.e_type) {
    case ET_EXEC:
    case ET_DYN:
        return true;
    case ET_REL:
        return refuse(reading, DIAG_IMAGE_KIND, "an object file, not a linked program");
    case ET_CORE:
        return refuse(reading, DIAG_IMAGE_KIND, "a core dump, not a linked program");
    default:
        return refuse(reading, DIAG_IMAGE_KIND, "an ELF file of unknown kind");
    }
}

/* True if `count` entries of `entry_size` bytes at `offset` lie in the file. */
static bool table_fits(const struct reading *reading, uint64_t offset, uint64_t count, uint64_t entry_size)
{
    return offset <= reading->file.size && count <= (reading->file.size - offset) / entry_size;
}

static bool fill_header(struct reading *reading)
{
    const GElf_Ehdr *header = &reading->header;
    struct image *image = reading->image;
    image->elf_class = header->e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    image->big_endian = header->e_ident[EI_DATA] == ELFDATA2MSB;
    image->machine = header->e_machine;
    image->file_type = header->e_type;
    image->entry = header->e_entry;

    const bool narrow = image->elf_class == 32;
    const size_t section_entry = narrow ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    const size_t segment_entry = narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    if (header->e_ehsize < (narrow ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr))) {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the ELF header states a size that is too small");
    }
    if (header->e_shoff == 0) {
        return refuse(reading, DIAG_IMAGE_NO_SECTIONS, "there are no section headers");
    }
    if (header->e_shentsize != section_entry) {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the size of a section header is wrong");
    }
    if (!table_fits(reading, header->e_shoff, header->e_shnum == 0 ? 1 : header->e_shnum, section_entry)) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the section headers pass the end of the file");
    }
    if (header->e_phnum != 0 && header->e_phentsize != segment_entry) {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the size of a program header is wrong");
    }
    if (header->e_phnum != PN_XNUM && !table_fits(reading, header->e_phoff, header->e_phnum, segment_entry)) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the program headers pass the end of the file");
    }
    return true;
}

/* ---- sections ---- */

static bool fill_section(struct reading *reading, size_t index)
{
    Elf_Scn *scn = elf_getscn(reading->elf, index);
    GElf_Shdr header;
    if (!scn || !gelf_getshdr(scn, &header)) {
        return refuse_by_library(reading, "a section header");
    }
    struct image_section *section = &reading->image->sections[index];
    section->name = "";
    section->type = header.sh_type;
    section->flags = (header.sh_flags & SHF_WRITE ? SECTION_WRITE : 0u) | (header.sh_flags & SHF_ALLOC ? SECTION_ALLOC : 0u) |
                     (header.sh_flags & SHF_EXECINSTR ? SECTION_EXECUTE : 0u) | (header.sh_flags & SHF_TLS ? SECTION_TLS : 0u);
    section->is_nobits = header.sh_type == SHT_NOBITS;
    section->address = header.sh_addr;
    section->offset = header.sh_offset;
    section->size = header.sh_size;
    section->alignment = header.sh_addralign;
    section->segment = SEGMENT_NONE;
    if (index == 0) {
        return true; /* holds extended counts and no name */
    }
    if (header.sh_name >= reading->name_table.size) {
        return refuse_section(reading, index, DIAG_IMAGE_MALFORMED, "the name lies outside the string table");
    }
    const char *name = (const char *)reading->name_table.data + header.sh_name;
    const size_t size = strnlen(name, SECTION_NAME_LIMIT);
    if (size == SECTION_NAME_LIMIT) {
        return refuse_section(reading, index, DIAG_IMAGE_MALFORMED, "the name is too long");
    }
    section->name = text_printable(reading->arena, name, size);
    return true;
}

static bool open_name_table(struct reading *reading)
{
    Elf_Scn *scn = elf_getscn(reading->elf, reading->section_names);
    GElf_Shdr header;
    if (reading->section_names == SHN_UNDEF || !scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_STRTAB) {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the table of section names is missing");
    }
    if (header.sh_size == 0 || !table_fits(reading, header.sh_offset, header.sh_size, 1)) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the table of section names passes the end of the file");
    }
    reading->name_table = (struct bytes){.data = reading->file.data + header.sh_offset, .size = (size_t)header.sh_size};
    if (reading->name_table.data[reading->name_table.size - 1] != '\0') {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the table of section names does not end in NUL");
    }
    return true;
}

static bool fill_sections(struct reading *reading)
{
    size_t count = 0;
    if (elf_getshdrnum(reading->elf, &count) != 0) {
        return refuse_by_library(reading, "the number of sections");
    }
    const size_t entry = reading->image->elf_class == 32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    if (!table_fits(reading, reading->header.e_shoff, count, entry) ||
        (reading->header.e_shnum != 0 && count != reading->header.e_shnum)) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the section headers pass the end of the file");
    }
    if (count < 2) {
        return refuse(reading, DIAG_IMAGE_NO_SECTIONS, "there are no sections");
    }
    if (elf_getshdrstrndx(reading->elf, &reading->section_names) != 0 || reading->section_names >= count) {
        return refuse(reading, DIAG_IMAGE_MALFORMED, "the table of section names is missing");
    }
    if (!open_name_table(reading)) {
        return false;
    }
    reading->image->sections = ARENA_ARRAY(reading->arena, struct image_section, count);
    reading->image->section_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!fill_section(reading, i)) {
            return false;
        }
    }
    return true;
}

/* ---- segments ---- */

static bool fill_segments(struct reading *reading)
{
    size_t count = 0;
    if (elf_getphdrnum(reading->elf, &count) != 0) {
        return refuse_by_library(reading, "the number of segments");
    }
    /* libelf lowers a count that passes the end of the file; we want to hear of it. */
    const size_t entry = reading->image->elf_class == 32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    if (reading->header.e_phnum != PN_XNUM && count != reading->header.e_phnum) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the program headers pass the end of the file");
    }
    if (count != 0 && !table_fits(reading, reading->header.e_phoff, count, entry)) {
        return refuse(reading, DIAG_IMAGE_TRUNCATED, "the program headers pass the end of the file");
    }
    reading->image->segments = ARENA_ARRAY(reading->arena, struct image_segment, count);
    reading->image->segment_count = count;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (i > INT32_MAX || !gelf_getphdr(reading->elf, (int)i, &header)) {
            return refuse_by_library(reading, "a program header");
        }
        reading->image->segments[i] = (struct image_segment){.type = header.p_type,
                                                             .flags = header.p_flags,
                                                             .offset = header.p_offset,
                                                             .address = header.p_vaddr,
                                                             .physical_address = header.p_paddr,
                                                             .file_size = header.p_filesz,
                                                             .memory_size = header.p_memsz,
                                                             .alignment = header.p_align};
    }
    return true;
}

/* ---- symbols ---- */

/* Sections as libelf hands them out: in the host's byte order, aligned. Read directly and not symbol by symbol through libelf,
 * because large images hold a million. */
struct symbol_table {
    bool narrow;                /* Elf32_Sym, else Elf64_Sym */
    const void *symbols;        /* `count` of them */
    const Elf32_Word *extended; /* `count` section indices beyond 16 bits; NULL: none */
    const char *names;          /* ends in NUL */
    size_t name_size;
    size_t count;
};

static GElf_Sym symbol_at(const struct symbol_table *table, size_t i)
{
    if (!table->narrow) {
        return ((const Elf64_Sym *)table->symbols)[i];
    }
    const Elf32_Sym *symbol = (const Elf32_Sym *)table->symbols + i;
    return (GElf_Sym){.st_name = symbol->st_name,
                      .st_info = symbol->st_info,
                      .st_other = symbol->st_other,
                      .st_shndx = symbol->st_shndx,
                      .st_value = symbol->st_value,
                      .st_size = symbol->st_size};
}

static bool is_mapping_letter(char letter)
{
    return letter == 'a' || letter == 'd' || letter == 't' || letter == 'x';
}

/* Symbols that only debuggers and disassemblers read; on Arm images two of three are such. */
static bool is_noise(const GElf_Sym *symbol, const char *name)
{
    const unsigned kind = GELF_ST_TYPE(symbol->st_info);
    if (kind == STT_FILE || kind == STT_SECTION || *name == '\0') {
        return true;
    }
    return kind == STT_NOTYPE && name[0] == '$' && is_mapping_letter(name[1]) && (name[2] == '\0' || name[2] == '.');
}

/* The whole content of a section as the file holds it. */
static Elf_Data *section_data(struct reading *reading, size_t index)
{
    Elf_Scn *scn = elf_getscn(reading->elf, index);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    if (!data || (data->d_size != 0 && !data->d_buf)) {
        return NULL;
    }
    return data;
}

static bool find_extended(struct reading *reading, size_t symtab, struct symbol_table *table)
{
    for (size_t i = 1; i < reading->image->section_count; i++) {
        GElf_Shdr header;
        Elf_Scn *scn = elf_getscn(reading->elf, i);
        if (!scn || !gelf_getshdr(scn, &header)) {
            return refuse_by_library(reading, "a section header");
        }
        if (header.sh_type != SHT_SYMTAB_SHNDX || header.sh_link != symtab) {
            continue;
        }
        const Elf_Data *data = section_data(reading, i);
        if (!data || data->d_type != ELF_T_WORD || data->d_size / sizeof(Elf32_Word) < table->count) {
            return refuse_section(reading, i, DIAG_IMAGE_MALFORMED, "holds fewer indices than there are symbols");
        }
        table->extended = data->d_buf;
    }
    return true;
}

static bool open_symbols(struct reading *reading, size_t index, struct symbol_table *table)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(reading->elf, index);
    if (!scn || !gelf_getshdr(scn, &header)) {
        return refuse_by_library(reading, "a section header");
    }
    const size_t entry = reading->image->elf_class == 32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    if (header.sh_entsize != entry || header.sh_size % entry != 0) {
        return refuse_section(reading, index, DIAG_IMAGE_MALFORMED, "the size of a symbol is wrong");
    }
    if (header.sh_link == 0 || header.sh_link >= reading->image->section_count ||
        reading->image->sections[header.sh_link].type != SHT_STRTAB) {
        return refuse_section(reading, index, DIAG_IMAGE_MALFORMED, "the symbols' names are missing");
    }
    const Elf_Data *symbols = section_data(reading, index);
    if (!symbols || symbols->d_type != ELF_T_SYM || symbols->d_size != header.sh_size) {
        return refuse_section(reading, index, DIAG_IMAGE_MALFORMED, "the symbols cannot be read");
    }
    table->narrow = reading->image->elf_class == 32;
    table->symbols = symbols->d_buf;
    table->count = header.sh_size / entry;
    const Elf_Data *names = section_data(reading, header.sh_link);
    if (!names || names->d_size == 0 || ((const char *)names->d_buf)[names->d_size - 1] != '\0') {
        return refuse_section(reading, header.sh_link, DIAG_IMAGE_MALFORMED, "the table of names does not end in NUL");
    }
    table->names = names->d_buf;
    table->name_size = names->d_size;
    return find_extended(reading, index, table);
}

/* Section index of symbol `i`; false if it names a section that does not exist. */
static bool symbol_section(const struct reading *reading, const struct symbol_table *table, size_t i, uint32_t index,
                           uint32_t *section)
{
    *section = SECTION_NONE;
    if (index == SHN_XINDEX && table->extended) {
        index = table->extended[i];
    } else if (index == SHN_UNDEF || index >= SHN_LORESERVE) {
        return index != SHN_XINDEX;
    }
    if (index >= reading->image->section_count) {
        return false;
    }
    *section = index;
    return true;
}

/* Reads symbol `i`; `*name` points into the file. */
static bool read_symbol(struct reading *reading, const struct symbol_table *table, size_t i, struct image_symbol *out,
                        const char **name, bool *kept)
{
    const GElf_Sym symbol = symbol_at(table, i);
    uint32_t section;
    if (symbol.st_name >= table->name_size || !symbol_section(reading, table, i, symbol.st_shndx, &section)) {
        struct diag *diag = diag_report(reading->diagnostics, DIAG_IMAGE_MALFORMED, reading->span,
                                        "a symbol's name or section lies outside its table");
        diag_place(reading->diagnostics, diag, "symbol %zu", i);
        return false;
    }
    *name = table->names + symbol.st_name;
    *kept = !is_noise(&symbol, *name);
    *out = (struct image_symbol){.address = symbol.st_value,
                                 .size = symbol.st_size,
                                 .section = section,
                                 .kind = (uint8_t)GELF_ST_TYPE(symbol.st_info),
                                 .binding = (uint8_t)GELF_ST_BIND(symbol.st_info),
                                 .is_defined = section != SECTION_NONE || symbol.st_shndx == SHN_ABS,
                                 .is_absolute = symbol.st_shndx == SHN_ABS};
    return true;
}

/* True if nothing in a table of names could steer a terminal: all of it is printable ASCII and NUL. */
static bool is_harmless(const char *names, size_t size)
{
    uint8_t odd = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)names[i];
        odd = (uint8_t)(odd | ((uint8_t)(byte - 1) < 0x1f) | (byte > 0x7e));
    }
    return odd == 0;
}

/* A copy of a table of names in which every character stands where it stood, but what text_printable() would change is '?'. One
 * block for all names: they may share bytes, so that one by one they could be far more than the file. */
static const char *copy_names(struct arena *arena, const char *names, size_t size)
{
    char *copy = arena_copy(arena, names, size);
    if (is_harmless(names, size)) {
        return copy;
    }
    struct arena scratch = {0};
    struct text one = text_start(&scratch);
    for (size_t at = 0, step; at < size; at += step) {
        step = 1;
        if (names[at] == '\0' || (names[at] >= ' ' && names[at] <= '~')) {
            continue;
        }
        one.size = 0;
        step = text_add_printable(&one, names + at, size - at);
        if (one.size != step || memcmp(one.data, names + at, step) != 0) {
            memset(copy + at, '?', step);
        }
    }
    arena_free(&scratch);
    return copy;
}

static bool count_kept(struct reading *reading, const struct symbol_table *table, size_t *count)
{
    struct image_symbol symbol;
    const char *name;
    bool kept;
    *count = 0;
    for (size_t i = 1; i < table->count; i++) {
        if (!read_symbol(reading, table, i, &symbol, &name, &kept)) {
            return false;
        }
        *count += kept;
    }
    return true;
}

/* Two passes, so that exactly as much memory is taken as is kept. */
static bool fill_symbols(struct reading *reading, const struct symbol_table *table)
{
    struct image *image = reading->image;
    size_t count;
    if (!count_kept(reading, table, &count)) {
        return false;
    }
    image->symbols = ARENA_ARRAY(reading->arena, struct image_symbol, count);
    const char *names = copy_names(reading->arena, table->names, table->name_size);
    for (size_t i = 1; i < table->count; i++) {
        struct image_symbol symbol;
        const char *name;
        bool kept;
        if (!read_symbol(reading, table, i, &symbol, &name, &kept)) {
            return false;
        }
        if (!kept) {
            continue;
        }
        symbol.name = names + (name - table->names);
        image->symbols[image->symbol_count++] = symbol;
    }
    return true;
}

static bool read_symbols(struct reading *reading)
{
    for (size_t i = 1; i < reading->image->section_count; i++) {
        if (reading->image->sections[i].type != SHT_SYMTAB) {
            continue;
        }
        if (reading->image->has_symbols) {
            return refuse_section(reading, i, DIAG_IMAGE_MALFORMED, "a second symbol table");
        }
        struct symbol_table table = {0};
        if (!open_symbols(reading, i, &table) || !fill_symbols(reading, &table)) {
            return false;
        }
        reading->image->has_symbols = true;
    }
    return true;
}

/* ---- contents ---- */

/* Entries are separated by NULs, sometimes several. */
static void read_comment(struct reading *reading)
{
    struct text comment = text_start(reading->arena);
    const uint32_t index = image_find_section(reading->image, ".comment");
    if (index != SECTION_NONE && !reading->image->sections[index].is_nobits) {
        const struct image_section *section = &reading->image->sections[index];
        const char *bytes = (const char *)reading->file.data + section->offset;
        const size_t size = section->size < COMMENT_LIMIT ? (size_t)section->size : COMMENT_LIMIT;
        for (size_t start = 0, end; start < size; start = end + 1) {
            for (end = start; end < size && bytes[end] != '\0';) {
                end++;
            }
            if (end > start) {
                text_print(&comment, "%s%s", comment.size != 0 ? "; " : "",
                           text_printable(reading->arena, bytes + start, end - start));
            }
        }
    }
    reading->image->comment = comment.data;
}

static bool read_plan_note(struct reading *reading)
{
    for (size_t i = 1; i < reading->image->section_count; i++) {
        const struct image_section *section = &reading->image->sections[i];
        if (!text_equal(section->name, ".helia.plan") || section->is_nobits || section->type == SHT_NULL) {
            continue;
        }
        if (reading->image->plan_note.size != 0) {
            return refuse_section(reading, i, DIAG_IMAGE_MALFORMED, "a second section of this name");
        }
        const char *copy = arena_copy(reading->arena, reading->file.data + section->offset, (size_t)section->size);
        reading->image->plan_note = (struct bytes){.data = (const uint8_t *)copy, .size = (size_t)section->size};
    }
    return true;
}

static bool read_all(struct reading *reading)
{
    if (!check_identity(reading) || !open_library(reading) || !check_kind(reading) || !fill_header(reading)) {
        return false;
    }
    if (!fill_sections(reading) || !fill_segments(reading)) {
        return false;
    }
    if (!image_layout_check(reading->diagnostics, reading->image, reading->file.size) ||
        !image_layout_assign_loads(reading->diagnostics, reading->image)) {
        return false;
    }
    if (!read_symbols(reading)) {
        return false;
    }
    read_comment(reading);
    reading->image->linker = image_identify_linker(reading->image);
    return read_plan_note(reading);
}

bool image_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                const struct image **image)
{
    struct reading reading = {.arena = arena, .diagnostics = diagnostics};
    struct file_error error;
    if (!file_map_open(arena, path, IMAGE_SIZE_LIMIT, &reading.file, &error)) {
        diag_report(diagnostics, DIAG_FILE_UNREADABLE, span, "cannot %s '%s': %s", error.operation, path, error.reason);
        return false;
    }
    reading.image = ARENA_NEW(arena, struct image);
    reading.image->path = arena_copy_text(arena, path);
    reading.image->comment = "";
    reading.image->source = diag_add_source(diagnostics, path, (struct bytes){0});
    reading.span = (struct span){.source = reading.image->source};
    const bool done = read_all(&reading);
    if (reading.elf) {
        elf_end(reading.elf);
    }
    file_map_close(&reading.file);
    if (done) {
        *image = reading.image;
    }
    return done;
}
