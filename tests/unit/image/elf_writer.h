/* A small ELF writer for tests: every byte of every header is the test's choice. 32 and 64 bits, both byte orders.
 *
 * Sections are numbered from 1 in the order added. elf_build() appends .symtab, .strtab and .shstrtab behind them, then the
 * program headers and the section headers. A section with `offset` ELF_APPEND gets its place behind all that have one. */
#ifndef HELIA_TESTS_ELF_WRITER_H
#define HELIA_TESTS_ELF_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ELF_APPEND UINT64_MAX

enum { ELF_ALLOC = 2, ELF_WRITE = 1, ELF_EXEC = 4, ELF_TLS = 0x400 };
enum { ELF_PROGBITS = 1, ELF_SYMTAB = 2, ELF_STRTAB = 3, ELF_NOTE = 7, ELF_NOBITS = 8 };
enum { ELF_LOAD = 1 };
enum { ELF_NOTYPE = 0, ELF_OBJECT = 1, ELF_FUNC = 2, ELF_SECTION = 3, ELF_FILE = 4, ELF_TLS_OBJECT = 6 };
enum { ELF_LOCAL = 0, ELF_GLOBAL = 1 };
enum { ELF_UNDEF = 0, ELF_ABS = 0xfff1 };

struct elf_section {
    const char *name;
    uint32_t type;
    uint64_t flags, address, offset, size, alignment, entry_size;
    uint32_t link, info;
    const void *content; /* NULL: zeros */
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, physical_address, file_size, memory_size, alignment;
};

struct elf_symbol {
    const char *name;
    uint64_t value, size;
    unsigned kind, binding;
    uint16_t section;
};

struct elf_file {
    unsigned bits; /* 32, 64 */
    bool big_endian;
    uint16_t type, machine;
    uint64_t entry;
    bool stripped;         /* no .symtab, no .strtab */
    uint64_t minimum_size; /* appended parts start here or later */
    struct elf_section sections[420];
    size_t section_count;
    struct elf_segment segments[1100];
    size_t segment_count;
    struct elf_symbol symbols[400];
    size_t symbol_count;
    /* made by elf_build() */
    uint8_t *bytes;
    size_t size;
    uint64_t section_headers, program_headers; /* offsets */
    size_t header_count;
};

static inline void elf_put(const struct elf_file *file, uint64_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        file->bytes[at + (file->big_endian ? width - 1 - i : i)] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint64_t elf_align(uint64_t value)
{
    return (value + 7) & ~(uint64_t)7;
}

static inline uint32_t elf_add_section(struct elf_file *file, struct elf_section section)
{
    file->sections[file->section_count++] = section;
    return (uint32_t)file->section_count;
}

static inline void elf_add_segment(struct elf_file *file, struct elf_segment segment)
{
    file->segments[file->segment_count++] = segment;
}

static inline void elf_add_symbol(struct elf_file *file, const char *name, uint64_t value, uint64_t size, uint32_t section)
{
    file->symbols[file->symbol_count++] = (struct elf_symbol){
        .name = name, .value = value, .size = size, .kind = ELF_OBJECT, .binding = ELF_GLOBAL, .section = (uint16_t)section};
}

static inline void elf_put_header(const struct elf_file *file)
{
    const unsigned word = file->bits / 8;
    static const uint8_t MAGIC[] = {0x7f, 'E', 'L', 'F'};
    memcpy(file->bytes, MAGIC, sizeof MAGIC);
    file->bytes[4] = file->bits == 32 ? 1 : 2;
    file->bytes[5] = file->big_endian ? 2 : 1;
    file->bytes[6] = 1;
    elf_put(file, 16, 2, file->type);
    elf_put(file, 18, 2, file->machine);
    elf_put(file, 20, 4, 1);
    elf_put(file, 24, word, file->entry);
    elf_put(file, 24 + word, word, file->segment_count != 0 ? file->program_headers : 0);
    elf_put(file, 24 + 2 * word, word, file->section_headers);
    uint64_t at = 24 + 3 * word + 4;
    const unsigned halves[] = {file->bits == 32 ? 52 : 64, file->bits == 32 ? 32 : 56,   (unsigned)file->segment_count,
                               file->bits == 32 ? 40 : 64, (unsigned)file->header_count, (unsigned)file->header_count - 1};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++, at += 2) {
        elf_put(file, at, 2, halves[i]);
    }
}

static inline void elf_put_section(const struct elf_file *file, size_t index, uint32_t name, const struct elf_section *section)
{
    const unsigned word = file->bits / 8;
    uint64_t at = file->section_headers + index * (file->bits == 32 ? 40 : 64);
    elf_put(file, at, 4, name);
    elf_put(file, at + 4, 4, section->type);
    at += 8;
    const uint64_t words[] = {section->flags, section->address, section->offset, section->size};
    for (size_t i = 0; i < 4; i++, at += word) {
        elf_put(file, at, word, words[i]);
    }
    elf_put(file, at, 4, section->link);
    elf_put(file, at + 4, 4, section->info);
    elf_put(file, at + 8, word, section->alignment);
    elf_put(file, at + 8 + word, word, section->entry_size);
}

static inline void elf_put_segment(const struct elf_file *file, size_t index)
{
    const struct elf_segment *segment = &file->segments[index];
    const unsigned word = file->bits / 8;
    uint64_t at = file->program_headers + index * (file->bits == 32 ? 32 : 56);
    elf_put(file, at, 4, segment->type);
    if (file->bits == 64) {
        elf_put(file, at + 4, 4, segment->flags);
    }
    at += file->bits == 64 ? 8 : 4;
    const uint64_t words[] = {segment->offset, segment->address, segment->physical_address, segment->file_size,
                              segment->memory_size};
    for (size_t i = 0; i < 5; i++, at += word) {
        elf_put(file, at, word, words[i]);
    }
    if (file->bits == 32) {
        elf_put(file, at, 4, segment->flags);
        at += 4;
    }
    elf_put(file, at, word, segment->alignment);
}

static inline void elf_put_symbol(const struct elf_file *file, uint64_t at, uint32_t name, const struct elf_symbol *symbol)
{
    elf_put(file, at, 4, name);
    const uint64_t info = (symbol->binding << 4) | symbol->kind;
    if (file->bits == 32) {
        elf_put(file, at + 4, 4, symbol->value);
        elf_put(file, at + 8, 4, symbol->size);
        elf_put(file, at + 12, 1, info);
        elf_put(file, at + 14, 2, symbol->section);
    } else {
        elf_put(file, at + 4, 1, info);
        elf_put(file, at + 6, 2, symbol->section);
        elf_put(file, at + 8, 8, symbol->value);
        elf_put(file, at + 16, 8, symbol->size);
    }
}

/* Offsets of everything; returns the file's size. */
static inline uint64_t elf_lay_out(struct elf_file *file, struct elf_section *tail, uint64_t names_size)
{
    uint64_t end = file->bits == 32 ? 52 : 64;
    end = file->minimum_size > end ? file->minimum_size : end;
    for (size_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (section->offset != ELF_APPEND && section->type != ELF_NOBITS && section->offset + section->size > end) {
            end = section->offset + section->size;
        }
    }
    for (size_t i = 0; i < file->section_count; i++) {
        if (file->sections[i].offset != ELF_APPEND) {
            continue;
        }
        end = elf_align(end);
        file->sections[i].offset = end;
        end += file->sections[i].type == ELF_NOBITS ? 0 : file->sections[i].size;
    }
    uint64_t strings = 1;
    for (size_t i = 0; i < file->symbol_count; i++) {
        strings += strlen(file->symbols[i].name) + 1;
    }
    const uint64_t symbol = file->bits == 32 ? 16 : 24;
    tail[0] = (struct elf_section){.name = ".symtab",
                                   .type = ELF_SYMTAB,
                                   .offset = elf_align(end),
                                   .size = symbol * (file->symbol_count + 1),
                                   .alignment = 8,
                                   .entry_size = symbol,
                                   .link = (uint32_t)file->section_count + 2,
                                   .info = 1};
    tail[1] = (struct elf_section){
        .name = ".strtab", .type = ELF_STRTAB, .offset = tail[0].offset + tail[0].size, .size = strings, .alignment = 1};
    if (file->stripped) {
        tail[0].size = tail[1].size = 0;
    }
    tail[2] = (struct elf_section){
        .name = ".shstrtab", .type = ELF_STRTAB, .offset = tail[1].offset + tail[1].size, .size = names_size, .alignment = 1};
    file->program_headers = elf_align(tail[2].offset + tail[2].size);
    file->section_headers = elf_align(file->program_headers + file->segment_count * (file->bits == 32 ? 32 : 56));
    return file->section_headers + file->header_count * (file->bits == 32 ? 40 : 64);
}

static inline void elf_build(struct elf_file *file)
{
    struct elf_section tail[3];
    const size_t first_tail = file->stripped ? 2 : 0;
    uint64_t names_size = 1 + sizeof ".symtab" + sizeof ".strtab" + sizeof ".shstrtab";
    for (size_t i = 0; i < file->section_count; i++) {
        names_size += strlen(file->sections[i].name) + 1;
    }
    file->header_count = 1 + file->section_count + (3 - first_tail);
    file->size = elf_lay_out(file, tail, names_size);
    file->bytes = calloc(1, file->size);
    if (!file->bytes) {
        abort();
    }
    elf_put_header(file);
    uint64_t name = 1;
    for (size_t i = 0; i < file->section_count + 3; i++) {
        const bool is_tail = i >= file->section_count;
        if (is_tail && i - file->section_count < first_tail) {
            continue;
        }
        const struct elf_section *section = is_tail ? &tail[i - file->section_count] : &file->sections[i];
        const size_t index = is_tail ? i + 1 - first_tail : i + 1;
        memcpy(file->bytes + tail[2].offset + name, section->name, strlen(section->name) + 1);
        elf_put_section(file, index, (uint32_t)name, section);
        name += strlen(section->name) + 1;
        if (section->content) {
            memcpy(file->bytes + section->offset, section->content, section->size);
        }
    }
    uint64_t string = 1;
    for (size_t i = 0; i < file->symbol_count && !file->stripped; i++) {
        const size_t length = strlen(file->symbols[i].name) + 1;
        memcpy(file->bytes + tail[1].offset + string, file->symbols[i].name, length);
        elf_put_symbol(file, tail[0].offset + (i + 1) * tail[0].entry_size, (uint32_t)string, &file->symbols[i]);
        string += length;
    }
    for (size_t i = 0; i < file->segment_count; i++) {
        elf_put_segment(file, i);
    }
}

static inline void elf_free(struct elf_file *file)
{
    free(file->bytes);
    file->bytes = NULL;
}

/* A file of the process's own, overwritten by each write and removed by elf_remove(). */
static inline const char *elf_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "elf_writer_%ld.tmp", (long)getpid());
    return path;
}

static inline const char *elf_write(const void *bytes, size_t size)
{
    FILE *out = fopen(elf_path(), "wb");
    if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
        abort();
    }
    return elf_path();
}

static inline void elf_remove(void)
{
    remove(elf_path());
}

/* xorshift64: reproducible on every host. */
static inline uint64_t elf_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Damages one to four bytes of the file header, a program header, a section header or a symbol. */
static inline void elf_damage(const struct elf_file *file, uint8_t *bytes, uint64_t *random)
{
    static const uint8_t EXTREMES[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe};
    const uint64_t symbols = file->program_headers > 200 ? file->program_headers - 200 : 0;
    const struct {
        uint64_t start, size;
    } parts[] = {{0, 64},
                 {file->program_headers, file->size - file->program_headers},
                 {file->section_headers, file->size - file->section_headers},
                 {symbols, 200}};
    const uint64_t count = 1 + elf_random(random) % 4;
    for (uint64_t i = 0; i < count; i++) {
        const size_t part = elf_random(random) % (sizeof parts / sizeof *parts);
        const uint64_t at = parts[part].start + elf_random(random) % parts[part].size;
        bytes[at] = elf_random(random) % 2 == 0 ? EXTREMES[elf_random(random) % sizeof EXTREMES] : (uint8_t)elf_random(random);
    }
}

#endif
