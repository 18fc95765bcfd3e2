#include "image/image_layout.h"

#include <inttypes.h>

static bool passes(uint64_t start, uint64_t size, uint64_t last)
{
    return size != 0 && (start > last || size - 1 > last - start);
}

static bool passes_file(uint64_t offset, uint64_t size, uint64_t file_size)
{
    return offset > file_size || size > file_size - offset;
}

static void section_place(struct diagnostics *diagnostics, struct diag *diag, const struct image *image, size_t index)
{
    diag_place(diagnostics, diag, "section %zu '%s'", index, image->sections[index].name);
}

static bool check_section(struct diagnostics *diagnostics, const struct image *image, size_t index, uint64_t file_size)
{
    const struct image_section *section = &image->sections[index];
    const struct span span = {.source = image->source};
    bool fine = true;
    if (!section->is_nobits && passes_file(section->offset, section->size, file_size)) {
        struct diag *diag = diag_report(diagnostics, DIAG_IMAGE_TRUNCATED, span,
                                        "%" PRIu64 " bytes at offset 0x%" PRIx64 " pass the end of the file (%" PRIu64 " bytes)",
                                        section->size, section->offset, file_size);
        section_place(diagnostics, diag, image, index);
        fine = false;
    }
    if ((section->flags & SECTION_ALLOC) && passes(section->address, section->size, image_last_address(image))) {
        struct diag *diag = diag_report(diagnostics, DIAG_IMAGE_WRAPPED, span,
                                        "%" PRIu64 " bytes at address 0x%" PRIx64 " pass the end of the %u-bit address space",
                                        section->size, section->address, image->elf_class);
        section_place(diagnostics, diag, image, index);
        fine = false;
    }
    return fine;
}

static bool check_segment(struct diagnostics *diagnostics, const struct image *image, size_t index, uint64_t file_size)
{
    const struct image_segment *segment = &image->segments[index];
    if (segment->type != SEGMENT_TYPE_LOAD) {
        return true; /* only PT_LOAD is computed with */
    }
    const struct span span = {.source = image->source};
    const uint64_t last = image_last_address(image);
    struct diag *diag = NULL;
    if (segment->file_size != 0 && passes_file(segment->offset, segment->file_size, file_size)) {
        diag = diag_report(diagnostics, DIAG_IMAGE_TRUNCATED, span,
                           "%" PRIu64 " bytes at offset 0x%" PRIx64 " pass the end of the file (%" PRIu64 " bytes)",
                           segment->file_size, segment->offset, file_size);
    } else if (segment->file_size > segment->memory_size) {
        diag = diag_report(diagnostics, DIAG_IMAGE_MALFORMED, span,
                           "holds %" PRIu64 " bytes in the file but only %" PRIu64 " in memory", segment->file_size,
                           segment->memory_size);
    } else if (passes(segment->address, segment->memory_size, last) ||
               passes(segment->physical_address, segment->file_size, last)) {
        diag = diag_report(diagnostics, DIAG_IMAGE_WRAPPED, span,
                           "%" PRIu64 " bytes at address 0x%" PRIx64 ", load address 0x%" PRIx64
                           " pass the end of the %u-bit address space",
                           segment->memory_size, segment->address, segment->physical_address, image->elf_class);
    }
    if (!diag) {
        return true;
    }
    diag_place(diagnostics, diag, "segment %zu", index);
    return false;
}

static bool check_load_count(struct diagnostics *diagnostics, const struct image *image)
{
    size_t loads = 0;
    for (size_t i = 0; i < image->segment_count; i++) {
        loads += image->segments[i].type == SEGMENT_TYPE_LOAD;
    }
    if (loads <= IMAGE_LOADS_LIMIT) {
        return true;
    }
    diag_report(diagnostics, DIAG_IMAGE_LIMIT, (struct span){.source = image->source},
                "there are %zu loadable segments, at most %zu are read", loads, IMAGE_LOADS_LIMIT);
    return false;
}

bool image_layout_check(struct diagnostics *diagnostics, const struct image *image, uint64_t file_size)
{
    bool fine = check_load_count(diagnostics, image);
    bool takes_memory = false;
    for (size_t i = 0; i < image->section_count; i++) {
        if (image->sections[i].type == SECTION_TYPE_NULL) {
            continue;
        }
        fine &= check_section(diagnostics, image, i, file_size);
        takes_memory |= (image->sections[i].flags & SECTION_ALLOC) && image->sections[i].size != 0;
    }
    for (size_t i = 0; i < image->segment_count; i++) {
        fine &= check_segment(diagnostics, image, i, file_size);
    }
    if (fine && !takes_memory) {
        diag_report(diagnostics, DIAG_IMAGE_NO_SECTIONS, (struct span){.source = image->source},
                    "none of the %zu sections takes memory", image->section_count);
        fine = false;
    }
    return fine;
}

static bool covers(const struct image_segment *segment, const struct image_section *section)
{
    return segment->type == SEGMENT_TYPE_LOAD && section->offset >= segment->offset &&
           section->offset - segment->offset <= segment->file_size &&
           section->size <= segment->file_size - (section->offset - segment->offset);
}

static bool agrees(const struct image_segment *segment, const struct image_section *section)
{
    return section->address - segment->address == section->offset - segment->offset;
}

/* Segments may share file bytes (GNU ld puts the ELF header into one when pages are large). The one in which the run address fits
 * too is the section's own; the address alone is never asked. */
static uint32_t covering_segment(const struct image *image, const struct image_section *section)
{
    uint32_t found = SEGMENT_NONE;
    for (size_t i = 0; i < image->segment_count; i++) {
        if (!covers(&image->segments[i], section)) {
            continue;
        }
        if (agrees(&image->segments[i], section)) {
            return (uint32_t)i;
        }
        if (found == SEGMENT_NONE) {
            found = (uint32_t)i;
        }
    }
    return found;
}

bool image_layout_assign_loads(struct diagnostics *diagnostics, struct image *image)
{
    bool fine = true;
    for (size_t i = 0; i < image->section_count; i++) {
        struct image_section *section = &image->sections[i];
        section->segment = SEGMENT_NONE;
        if (section->type == SECTION_TYPE_NULL || section->is_nobits || !(section->flags & SECTION_ALLOC) || section->size == 0) {
            continue;
        }
        section->segment = covering_segment(image, section);
        if (section->segment == SEGMENT_NONE) {
            continue;
        }
        const struct image_segment *segment = &image->segments[section->segment];
        section->load_address = segment->physical_address + (section->offset - segment->offset);
        section->has_load = true;
        if (passes(section->load_address, section->size, image_last_address(image))) {
            struct diag *diag = diag_report(diagnostics, DIAG_IMAGE_WRAPPED, (struct span){.source = image->source},
                                            "load address 0x%" PRIx64 " and %" PRIu64 " bytes pass the end of the address space",
                                            section->load_address, section->size);
            section_place(diagnostics, diag, image, i);
            fine = false;
        }
    }
    return fine;
}
