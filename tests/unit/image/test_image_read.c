#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "elf_writer.h"
#include "image/image.h"

static struct arena arena;

static int give_back(void **state)
{
    (void)state;
    arena_free(&arena);
    elf_remove();
    return 0;
}

/* The firmware of all tests here: code in flash, data that is copied to RAM, bss, a comment, a plan.
 *
 *   .text  0x00410000, 64 bytes at offset 0x100, stored where it runs
 *   .data  0x20000000, 16 bytes at offset 0x140, stored at 0x00410040
 *   .bss   0x20000010, 32 bytes, NOBITS */
static void make_firmware(struct elf_file *file, unsigned bits, bool big_endian)
{
    static const char COMMENT[] = "GCC: (test) 12.2\0\0Second entry";
    static const char PLAN[] = "{\"schema\": \"x\"}";
    memset(file, 0, sizeof *file);
    file->bits = bits;
    file->big_endian = big_endian;
    file->type = 2;
    file->machine = 40;
    file->entry = 0x410001;
    elf_add_section(file, (struct elf_section){.name = ".text",
                                               .type = ELF_PROGBITS,
                                               .flags = ELF_ALLOC | ELF_EXEC,
                                               .address = 0x410000,
                                               .offset = 0x100,
                                               .size = 64,
                                               .alignment = 4});
    elf_add_section(file, (struct elf_section){.name = ".data",
                                               .type = ELF_PROGBITS,
                                               .flags = ELF_ALLOC | ELF_WRITE,
                                               .address = 0x20000000,
                                               .offset = 0x140,
                                               .size = 16,
                                               .alignment = 8});
    elf_add_section(file, (struct elf_section){.name = ".bss",
                                               .type = ELF_NOBITS,
                                               .flags = ELF_ALLOC | ELF_WRITE,
                                               .address = 0x20000010,
                                               .offset = 0x150,
                                               .size = 32,
                                               .alignment = 16});
    elf_add_section(
        file, (struct elf_section){
                  .name = ".comment", .type = ELF_PROGBITS, .offset = ELF_APPEND, .size = sizeof COMMENT, .content = COMMENT});
    elf_add_section(file,
                    (struct elf_section){
                        .name = ".helia.plan", .type = ELF_PROGBITS, .offset = ELF_APPEND, .size = sizeof PLAN, .content = PLAN});
    elf_add_segment(file, (struct elf_segment){ELF_LOAD, 5, 0x100, 0x410000, 0x410000, 64, 64, 4});
    elf_add_segment(file, (struct elf_segment){ELF_LOAD, 6, 0x140, 0x20000000, 0x410040, 16, 48, 8});
    elf_add_symbol(file, "main", 0x410001, 20, 1);
    file->symbols[0].kind = ELF_FUNC;
    elf_add_symbol(file, "buffer", 0x20000010, 32, 3);
    elf_add_symbol(file, "__limit", 0x20080000, 0, ELF_ABS);
    file->symbols[2].kind = ELF_NOTYPE;
    elf_add_symbol(file, "missing", 0, 0, ELF_UNDEF);
    elf_add_symbol(file, "$t", 0x410000, 0, 1);
    file->symbols[4].kind = ELF_NOTYPE;
    file->symbols[4].binding = ELF_LOCAL;
    elf_add_symbol(file, "main.c", 0, 0, ELF_ABS);
    file->symbols[5].kind = ELF_FILE;
}

static bool read_bytes(const void *bytes, size_t size, struct diagnostics *diagnostics, const struct image **image)
{
    *diagnostics = diagnostics_start(&arena);
    return image_read(&arena, diagnostics, elf_write(bytes, size), SPAN_NONE, image);
}

static const struct image *read_file(struct elf_file *file)
{
    struct diagnostics diagnostics;
    const struct image *image = NULL;
    elf_build(file);
    assert_true(read_bytes(file->bytes, file->size, &diagnostics, &image));
    assert_int_equal(diagnostics.list.count, 0);
    elf_free(file);
    return image;
}

/* The id of the only finding, or DIAG_ID_COUNT. */
static enum diag_id refusal(struct elf_file *file)
{
    struct diagnostics diagnostics;
    const struct image *image = NULL;
    if (!file->bytes) {
        elf_build(file);
    }
    const bool done = read_bytes(file->bytes, file->size, &diagnostics, &image);
    elf_free(file);
    if (done) {
        return DIAG_ID_COUNT;
    }
    assert_null(image);
    assert_true(diagnostics.error_count != 0);
    assert_int_not_equal(diagnostics.list.items[0].span.source, 0);
    return diagnostics.list.items[0].id;
}

static void check_firmware(const struct image *image, unsigned bits, bool big_endian)
{
    assert_int_equal(image->elf_class, bits);
    assert_int_equal(image->big_endian, big_endian);
    assert_int_equal(image->machine, 40);
    assert_int_equal(image->file_type, 2);
    assert_int_equal(image->entry, 0x410001);
    assert_int_equal(image->linker, LINKER_GNU);
    assert_string_equal(image->comment, "GCC: (test) 12.2; Second entry");

    assert_int_equal(image->section_count, 9);
    const struct image_section *text = &image->sections[1], *data = &image->sections[2], *bss = &image->sections[3];
    assert_string_equal(text->name, ".text");
    assert_int_equal(text->flags, SECTION_ALLOC | SECTION_EXECUTE);
    assert_int_equal(text->segment, 0);
    assert_true(text->has_load);
    assert_int_equal(text->load_address, 0x410000);
    assert_string_equal(data->name, ".data");
    assert_int_equal(data->flags, SECTION_ALLOC | SECTION_WRITE);
    assert_int_equal(data->address, 0x20000000);
    assert_int_equal(data->offset, 0x140);
    assert_int_equal(data->size, 16);
    assert_int_equal(data->alignment, 8);
    assert_int_equal(data->segment, 1);
    assert_int_equal(data->load_address, 0x410040);
    assert_true(bss->is_nobits);
    assert_false(bss->has_load);
    assert_int_equal(bss->segment, UINT32_MAX);

    assert_int_equal(image->segment_count, 2);
    assert_int_equal(image->segments[1].flags, 6);
    assert_int_equal(image->segments[1].physical_address, 0x410040);
    assert_int_equal(image->segments[1].memory_size, 48);
    assert_int_equal(image->segments[1].file_size, 16);
    assert_int_equal(image->segments[1].alignment, 8);

    assert_true(image->has_symbols);
    assert_int_equal(image->symbol_count, 4); /* "$t" and "main.c" are left out */
    assert_string_equal(image->symbols[0].name, "main");
    assert_int_equal(image->symbols[0].kind, ELF_FUNC);
    assert_string_equal(image->symbols[1].name, "buffer");
    assert_int_equal(image->symbols[1].address, 0x20000010);
    assert_int_equal(image->symbols[1].size, 32);
    assert_int_equal(image->symbols[1].section, 3);
    assert_int_equal(image->symbols[1].binding, ELF_GLOBAL);
    assert_true(image->symbols[1].is_defined);
    assert_true(image->symbols[2].is_absolute && image->symbols[2].is_defined);
    assert_int_equal(image->symbols[2].section, SECTION_NONE);
    assert_false(image->symbols[3].is_defined);

    assert_int_equal(image->plan_note.size, 16);
    assert_string_equal((const char *)image->plan_note.data, "{\"schema\": \"x\"}");
    assert_int_equal(image_find_section(image, ".bss"), 3);
    assert_int_equal(image_find_section(image, ".nothing"), SECTION_NONE);
    const struct image_symbol *found = NULL;
    assert_int_equal(image_find_symbol(image, "buffer", &found), 1);
    assert_ptr_equal(found, &image->symbols[1]);
    assert_int_equal(image_find_symbol(image, "missing", &found), 0);
}

static void every_class_and_byte_order_reads_the_same(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        bool big_endian;
    } FORMS[] = {{32, false}, {32, true}, {64, false}, {64, true}};
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        struct elf_file file;
        make_firmware(&file, FORMS[i].bits, FORMS[i].big_endian);
        check_firmware(read_file(&file), FORMS[i].bits, FORMS[i].big_endian);
    }
}

static void a_stripped_image_has_no_symbols(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.stripped = true;
    const struct image *image = read_file(&file);
    assert_false(image->has_symbols);
    assert_int_equal(image->symbol_count, 0);
    assert_int_equal(image->section_count, 7);
}

static void names_that_steer_a_terminal_are_made_harmless(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.sections[0].name = ".te\x1bxt";
    file.symbols[0].name = "Gr\xc3\xb6\xc3\x9f"
                           "e\xff\xc2\x9b[2J"; /* letters, a stray byte, CSI */
    file.symbols[1].name = "buf\x07"
                           "fer";
    const struct image *image = read_file(&file);
    assert_string_equal(image->symbols[0].name, "Gr\xc3\xb6\xc3\x9f"
                                                "e???[2J");
    assert_string_equal(image->sections[1].name, ".te?xt");
    assert_string_equal(image->symbols[1].name, "buf?fer");
}

static void doubled_names_are_told(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.sections[2].name = ".data";
    file.symbols[1].name = "main";
    const struct image *image = read_file(&file);
    const struct image_symbol *found = NULL;
    assert_int_equal(image_find_section(image, ".data"), SECTION_NONE);
    assert_int_equal(image_find_symbol(image, "main", &found), 2);
    assert_ptr_equal(found, &image->symbols[0]);
}

/* Two PT_LOADs hold .data's file bytes: the one in which its run address fits is its own (GNU ld with large pages). */
static void the_covering_segment_is_the_one_whose_address_fits(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.segments[0].file_size = file.segments[0].memory_size = 96; /* now covers .data's bytes too */
    const struct image *image = read_file(&file);
    assert_int_equal(image->sections[2].segment, 1);
    assert_int_equal(image->sections[2].load_address, 0x410040);
}

/* NOBITS filler inside a PT_LOAD, or a foreign p_paddr on a segment without file bytes, stores nothing. */
static void nobits_never_loads(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.sections[2].offset = 0x140;
    elf_add_segment(&file, (struct elf_segment){ELF_LOAD, 6, 0x150, 0x20000010, 0x410050, 0, 32, 4});
    const struct image *image = read_file(&file);
    assert_false(image->sections[3].has_load);
}

static void linkers_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *comment;
        const char *section;
        const char *name;
    } ROWS[] = {
        {"GCC: (GNU) 12", ".comment2", "gnu"},
        {"GCC: (GNU) 12; Linker: LLD 18.1.4", ".x", "lld"},
        {"Linker: Debian LLD 14.0.6; GCC: (GNU) 12", ".x", "lld"}, /* as Debian's writes it */
        {"rustc version 1.79.0; Linker: LLD 18", ".x", "lld"},
        {"clang version 14", ".x", "gnu"},
        {"Component: Arm Compiler for Embedded 6.19 Tool: armlink [5e]", ".x", "arm"},
        {"Component: ARM Compiler 5.06", ".x", "arm"},
        {"", ".iar.rtmodel", "iar"},
        {"IAR ELF Linker V9", ".x", "iar"},
        {"", ".x", ""},
        {"Some other tool", ".x", ""},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct elf_file file;
        make_firmware(&file, 32, false);
        file.sections[3].content = ROWS[i].comment;
        file.sections[3].size = strlen(ROWS[i].comment);
        file.sections[4].name = ROWS[i].section;
        assert_string_equal(linker_names[read_file(&file)->linker], ROWS[i].name);
    }
}

/* ---- refusals ---- */

static void what_is_no_elf_is_refused(void **state)
{
    (void)state;
    struct diagnostics diagnostics;
    const struct image *image = NULL;
    static const char HALF_MAGIC[] = {0x7f, 'E', 'L', 'F', '\0'};
    const char *const TEXTS[] = {"", "\x7f", HALF_MAGIC, "!<arch>\nno, an archive", ":020000040041B9 a hex file"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_false(read_bytes(TEXTS[i], strlen(TEXTS[i]), &diagnostics, &image));
        assert_int_equal(diagnostics.list.items[0].id, DIAG_IMAGE_NOT_ELF);
    }
    diagnostics = diagnostics_start(&arena);
    assert_false(image_read(&arena, &diagnostics, "no/such/file.elf", SPAN_NONE, &image));
    assert_int_equal(diagnostics.list.items[0].id, DIAG_FILE_UNREADABLE);
    assert_false(image_read(&arena, &diagnostics, ".", SPAN_NONE, &image));
    assert_string_equal(diagnostics.list.items[1].message, "cannot read '.': is a directory");
    assert_null(image);
}

static enum diag_id refusal_of_byte(size_t at, uint8_t value)
{
    struct elf_file file;
    make_firmware(&file, 32, false);
    elf_build(&file);
    file.bytes[at] = value;
    return refusal(&file);
}

static void headers_that_are_not_understood_are_refused(void **state)
{
    (void)state;
    assert_int_equal(refusal_of_byte(0, 0x7f), DIAG_ID_COUNT); /* quiet: nothing changed */
    assert_int_equal(refusal_of_byte(4, 3), DIAG_IMAGE_NOT_ELF);
    assert_int_equal(refusal_of_byte(5, 0), DIAG_IMAGE_NOT_ELF);
    assert_int_equal(refusal_of_byte(6, 2), DIAG_IMAGE_NOT_ELF);
    assert_int_equal(refusal_of_byte(16, 1), DIAG_IMAGE_KIND);         /* ET_REL */
    assert_int_equal(refusal_of_byte(16, 4), DIAG_IMAGE_KIND);         /* ET_CORE */
    assert_int_equal(refusal_of_byte(16, 0), DIAG_IMAGE_KIND);         /* ET_NONE */
    assert_int_equal(refusal_of_byte(16, 3), DIAG_ID_COUNT);           /* ET_DYN */
    assert_int_equal(refusal_of_byte(40, 8), DIAG_IMAGE_MALFORMED);    /* e_ehsize */
    assert_int_equal(refusal_of_byte(42, 8), DIAG_IMAGE_MALFORMED);    /* e_phentsize */
    assert_int_equal(refusal_of_byte(46, 8), DIAG_IMAGE_MALFORMED);    /* e_shentsize */
    assert_int_equal(refusal_of_byte(34, 0x7f), DIAG_IMAGE_TRUNCATED); /* e_shoff */
    assert_int_equal(refusal_of_byte(30, 0x7f), DIAG_IMAGE_TRUNCATED); /* e_phoff */
    assert_int_equal(refusal_of_byte(48, 10), DIAG_IMAGE_TRUNCATED);   /* e_shnum, one too many */
    assert_int_equal(refusal_of_byte(45, 0xff), DIAG_IMAGE_TRUNCATED); /* e_phnum */
    assert_int_equal(refusal_of_byte(50, 9), DIAG_IMAGE_MALFORMED);    /* e_shstrndx past the table */
    assert_int_equal(refusal_of_byte(50, 0), DIAG_IMAGE_MALFORMED);    /* e_shstrndx none */
    assert_int_equal(refusal_of_byte(50, 1), DIAG_IMAGE_MALFORMED);    /* e_shstrndx is .text */
}

static void an_image_without_sections_is_refused(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    elf_build(&file);
    memset(file.bytes + 32, 0, 4); /* e_shoff */
    memset(file.bytes + 48, 0, 4); /* e_shnum, e_shstrndx */
    assert_int_equal(refusal(&file), DIAG_IMAGE_NO_SECTIONS);
    make_firmware(&file, 32, false);
    for (size_t i = 0; i < 3; i++) {
        file.sections[i].flags = 0;
    }
    assert_int_equal(refusal(&file), DIAG_IMAGE_NO_SECTIONS);
    make_firmware(&file, 32, false);
    for (size_t i = 0; i < 3; i++) {
        file.sections[i].size = 0;
    }
    assert_int_equal(refusal(&file), DIAG_IMAGE_NO_SECTIONS);
}

static void sections_that_pass_an_end_are_refused(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 2 * 40 + 20, 4, 0x100000); /* .data's sh_size */
    assert_int_equal(refusal(&file), DIAG_IMAGE_TRUNCATED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 2 * 40 + 16, 4, 0xfffffff8); /* .data's sh_offset: the sum wraps in 32 bits */
    assert_int_equal(refusal(&file), DIAG_IMAGE_TRUNCATED);

    make_firmware(&file, 32, false);
    file.sections[2].address = 0xffffffe0; /* 32 bytes: the last one is the last address */
    assert_int_equal(refusal(&file), DIAG_ID_COUNT);
    make_firmware(&file, 32, false);
    file.sections[2].address = 0xffffffe1;
    assert_int_equal(refusal(&file), DIAG_IMAGE_WRAPPED);
    make_firmware(&file, 64, false);
    file.sections[2].address = UINT64_MAX - 8;
    assert_int_equal(refusal(&file), DIAG_IMAGE_WRAPPED);
    make_firmware(&file, 32, false);
    file.sections[2].flags = 0; /* not allocated: its address means nothing */
    file.sections[2].address = 0xffffffe1;
    assert_int_equal(refusal(&file), DIAG_ID_COUNT);
}

static void findings_name_the_section(void **state)
{
    (void)state;
    struct elf_file file;
    struct diagnostics diagnostics;
    const struct image *image = NULL;
    make_firmware(&file, 32, false);
    file.sections[2].address = 0xffffffe1;
    elf_build(&file);
    assert_false(read_bytes(file.bytes, file.size, &diagnostics, &image));
    assert_int_equal(diagnostics.list.count, 1);
    assert_string_equal(diagnostics.list.items[0].place, "section 3 '.bss'");
    assert_string_equal(diagnostics.list.items[0].message,
                        "32 bytes at address 0xffffffe1 pass the end of the 32-bit address space");
    elf_free(&file);
}

static void segments_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.segments[1].file_size = file.segments[1].memory_size = 0x100000;
    assert_int_equal(refusal(&file), DIAG_IMAGE_TRUNCATED);
    make_firmware(&file, 32, false);
    file.segments[1].memory_size = 15;
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    file.segments[1].address = 0xfffffff0;
    assert_int_equal(refusal(&file), DIAG_IMAGE_WRAPPED);
    make_firmware(&file, 32, false);
    file.segments[1].physical_address = 0xfffffff8;
    assert_int_equal(refusal(&file), DIAG_IMAGE_WRAPPED);
    make_firmware(&file, 32, false);
    file.segments[1].type = 7; /* PT_TLS is not computed with */
    file.segments[1].address = 0xfffffff0;
    assert_int_equal(refusal(&file), DIAG_ID_COUNT);
}

static enum diag_id refusal_of_loads(size_t count)
{
    struct elf_file file;
    make_firmware(&file, 32, false);
    while (file.segment_count < count) {
        elf_add_segment(&file, file.segments[0]);
    }
    return refusal(&file);
}

static void more_loadable_segments_than_any_firmware_has_are_refused(void **state)
{
    (void)state;
    assert_int_equal(refusal_of_loads(1024), DIAG_ID_COUNT);
    assert_int_equal(refusal_of_loads(1025), DIAG_IMAGE_LIMIT);
}

static void tables_of_names_and_symbols_are_held_together(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    file.symbols[1].section = 9; /* there are sections 0 to 8 */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 1 * 40, 4, 0x7fff); /* .text's sh_name */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 6 * 40 + 24, 4, 1); /* .symtab's sh_link: .text */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 6 * 40 + 36, 4, 12); /* .symtab's sh_entsize */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 7 * 40 + 20, 4, 5); /* .strtab cut inside a name */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 5 * 40 + 4, 4, ELF_SYMTAB); /* a second .symtab, not even whole */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    char *long_name = arena_copy_text(&arena, arena_format(&arena, "%05000d", 0));
    file.sections[0].name = long_name;
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    elf_build(&file);
    elf_put(&file, file.section_headers + 8 * 40 + 20, 4, 3); /* .shstrtab cut inside a name */
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
    make_firmware(&file, 32, false);
    file.sections[3].name = ".helia.plan";
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED);
}

/* ---- damage ---- */

static void cut_at_every_byte_it_is_refused(void **state)
{
    (void)state;
    static const unsigned BITS[] = {32, 64};
    for (size_t form = 0; form < 2; form++) {
        struct elf_file file;
        make_firmware(&file, BITS[form], form == 1);
        elf_build(&file);
        /* The section headers come last, so no cut can leave a whole image. */
        for (size_t size = 0; size < file.size; size++) {
            struct diagnostics diagnostics;
            const struct image *image = NULL;
            assert_false(read_bytes(file.bytes, size, &diagnostics, &image));
            assert_true(diagnostics.error_count != 0);
            arena_free(&arena);
        }
        elf_free(&file);
    }
}

static void damaged_headers_give_an_error_or_a_result(void **state)
{
    (void)state;
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    size_t refused = 0;
    for (size_t form = 0; form < 4; form++) {
        struct elf_file file;
        make_firmware(&file, form % 2 == 0 ? 32 : 64, form / 2 == 1);
        elf_build(&file);
        uint8_t *bytes = malloc(file.size);
        for (size_t i = 0; i < 5000; i++) {
            struct diagnostics diagnostics;
            const struct image *image = NULL;
            memcpy(bytes, file.bytes, file.size);
            elf_damage(&file, bytes, &random);
            if (!read_bytes(bytes, file.size, &diagnostics, &image)) {
                assert_true(diagnostics.error_count != 0);
                refused++;
            } else {
                assert_int_equal(diagnostics.error_count, 0);
                assert_true(image->section_count >= 2 && image->section_count < file.size);
            }
            arena_free(&arena);
        }
        free(bytes);
        elf_free(&file);
    }
    assert_true(refused > 5000);
}

/* With more sections than 16 bits hold, the counts stand in section 0. */
static void extended_numbers_are_read(void **state)
{
    (void)state;
    struct elf_file file;
    make_firmware(&file, 32, false);
    elf_build(&file);
    const uint64_t first = file.section_headers;
    elf_put(&file, 48, 2, 0);                             /* e_shnum: see sh_size */
    elf_put(&file, first + 20, 4, file.header_count);     /* sh_size */
    elf_put(&file, 50, 2, 0xffff);                        /* e_shstrndx: see sh_link */
    elf_put(&file, first + 24, 4, file.header_count - 1); /* sh_link */
    elf_put(&file, 44, 2, 0xffff);                        /* e_phnum: see sh_info */
    elf_put(&file, first + 28, 4, 2);                     /* sh_info */
    struct diagnostics diagnostics;
    const struct image *image = NULL;
    assert_true(read_bytes(file.bytes, file.size, &diagnostics, &image));
    check_firmware(image, 32, false);
    elf_put(&file, first + 20, 4, 0x7fffffff); /* libelf finds no section then */
    assert_int_equal(refusal(&file), DIAG_IMAGE_NO_SECTIONS);
}

/* Symbol 2, "buffer", says 0xffff and its section stands in .symtab_shndx. */
static void make_extended_symbol(struct elf_file *file, uint64_t size)
{
    static uint8_t indices[28]; /* one a symbol, the null symbol included */
    make_firmware(file, 32, false);
    indices[2 * 4] = 3;
    file->symbols[1].section = 0xffff;
    elf_add_section(file, (struct elf_section){.name = ".symtab_shndx",
                                               .type = 18,
                                               .offset = ELF_APPEND,
                                               .size = size,
                                               .alignment = 4,
                                               .entry_size = 4,
                                               .link = 7, /* .symtab */
                                               .content = indices});
}

static void extended_section_indices_are_read(void **state)
{
    (void)state;
    struct elf_file file;
    make_extended_symbol(&file, 28);
    const struct image *image = read_file(&file);
    assert_int_equal(image->symbols[1].section, 3);
    assert_true(image->symbols[1].is_defined);
    make_extended_symbol(&file, 24);
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED); /* one too few */
    make_firmware(&file, 32, false);
    file.symbols[1].section = 0xffff;
    assert_int_equal(refusal(&file), DIAG_IMAGE_MALFORMED); /* and no table at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_class_and_byte_order_reads_the_same, give_back),
        cmocka_unit_test_teardown(a_stripped_image_has_no_symbols, give_back),
        cmocka_unit_test_teardown(names_that_steer_a_terminal_are_made_harmless, give_back),
        cmocka_unit_test_teardown(doubled_names_are_told, give_back),
        cmocka_unit_test_teardown(the_covering_segment_is_the_one_whose_address_fits, give_back),
        cmocka_unit_test_teardown(nobits_never_loads, give_back),
        cmocka_unit_test_teardown(linkers_are_named, give_back),
        cmocka_unit_test_teardown(what_is_no_elf_is_refused, give_back),
        cmocka_unit_test_teardown(headers_that_are_not_understood_are_refused, give_back),
        cmocka_unit_test_teardown(an_image_without_sections_is_refused, give_back),
        cmocka_unit_test_teardown(sections_that_pass_an_end_are_refused, give_back),
        cmocka_unit_test_teardown(findings_name_the_section, give_back),
        cmocka_unit_test_teardown(segments_that_contradict_themselves_are_refused, give_back),
        cmocka_unit_test_teardown(more_loadable_segments_than_any_firmware_has_are_refused, give_back),
        cmocka_unit_test_teardown(tables_of_names_and_symbols_are_held_together, give_back),
        cmocka_unit_test_teardown(cut_at_every_byte_it_is_refused, give_back),
        cmocka_unit_test_teardown(damaged_headers_give_an_error_or_a_result, give_back),
        cmocka_unit_test_teardown(extended_numbers_are_read, give_back),
        cmocka_unit_test_teardown(extended_section_indices_are_read, give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
