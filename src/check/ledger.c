#include "check/ledger.h"

#include <string.h>

#include "base/size.h"
#include "base/text.h"

/* How far a PT_LOAD's p_memsz may lie above the sum of its execution regions: padding between them. */
#define PACKING_PADDING_PER_SECTION 8

static bool is_heap(const char *token, size_t size)
{
    static const char WORD[] = "heap";
    if (size != sizeof WORD - 1) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if ((token[i] | 0x20) != WORD[i]) {
            return false;
        }
    }
    return true;
}

bool ledger_is_reserved(const struct image_section *section)
{
    if (!section->is_nobits || !(section->flags & SECTION_ALLOC)) {
        return false;
    }
    for (const char *token = section->name; *token != '\0';) {
        const size_t size = strcspn(token, "._");
        if (is_heap(token, size)) {
            return true;
        }
        token += size;
        token += *token != '\0';
    }
    return false;
}

static enum ledger_kind kind_of(const struct image_section *section)
{
    if (ledger_is_reserved(section)) {
        return LEDGER_RESERVED;
    }
    if (section->is_nobits) {
        return LEDGER_BSS;
    }
    if (section->flags & SECTION_EXECUTE) {
        return LEDGER_CODE;
    }
    return section->flags & SECTION_WRITE ? LEDGER_DATA : LEDGER_RODATA;
}

static bool has_run_bytes(const struct image_section *section)
{
    return (section->flags & SECTION_ALLOC) && !(section->is_nobits && (section->flags & SECTION_TLS));
}

/* GNU ld and LLD pack nothing, and their scripts may define sized symbols past a section's end. */
static bool may_be_packed(const struct image *image)
{
    return image->linker != LINKER_GNU && image->linker != LINKER_LLD;
}

static bool may_hold_packed(const struct image_section *section)
{
    return has_run_bytes(section) && !section->is_nobits && (section->flags & SECTION_WRITE) && section->has_load;
}

/* Makes sizes[section] reach the end of the section's last object. Returns whether any grew. */
static bool stretch_to_symbols(const struct image *image, uint64_t *sizes)
{
    const uint64_t last = image_last_address(image);
    bool grew = false;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        if (symbol->section == SECTION_NONE || (symbol->kind != SYMBOL_OBJECT && symbol->kind != SYMBOL_FUNCTION)) {
            continue;
        }
        const struct image_section *section = &image->sections[symbol->section];
        uint64_t end;
        if (!may_hold_packed(section) || symbol->address < section->address ||
            !size_add_checked(symbol->address - section->address, symbol->size, &end) || end <= sizes[symbol->section] ||
            end > last - section->address) {
            continue;
        }
        sizes[symbol->section] = end;
        grew = true;
    }
    return grew;
}

/* The one PT_LOAD of an armlink image states the sum of all execution regions as p_memsz. */
static bool single_load(const struct image *image, uint64_t *memory_size)
{
    size_t count = 0;
    for (size_t i = 0; i < image->segment_count; i++) {
        if (image->segments[i].type != SEGMENT_TYPE_LOAD) {
            continue;
        }
        *memory_size = image->segments[i].memory_size;
        count++;
    }
    return count == 1;
}

static bool sum_agrees(const struct image *image, const uint64_t *sizes)
{
    uint64_t stated, sum = 0, padding = 0;
    if (image->linker != LINKER_ARM || !single_load(image, &stated)) {
        return true; /* nothing to hold it against */
    }
    for (size_t i = 0; i < image->section_count; i++) {
        if (!has_run_bytes(&image->sections[i]) || sizes[i] == 0) {
            continue;
        }
        if (!size_add_checked(sum, sizes[i], &sum)) {
            return false;
        }
        padding += PACKING_PADDING_PER_SECTION;
    }
    return stated >= sum ? stated - sum <= padding : sum - stated <= padding;
}

/* Symbols say that an image is packed, or the sum does; whoever is found so must agree with the other. */
static enum ledger_packing run_sizes(const struct image *image, uint64_t *sizes)
{
    for (size_t i = 0; i < image->section_count; i++) {
        sizes[i] = image->sections[i].size;
    }
    if (!may_be_packed(image)) {
        return LEDGER_NOT_PACKED;
    }
    const bool grew = stretch_to_symbols(image, sizes);
    if (!sum_agrees(image, sizes)) {
        return LEDGER_PACKED_UNKNOWN;
    }
    return grew ? LEDGER_PACKED : LEDGER_NOT_PACKED;
}

void ledger_collect(struct arena *arena, const struct image *image, struct ledger *ledger)
{
    uint64_t *sizes = ARENA_ARRAY(arena, uint64_t, image->section_count);
    ledger->packing = run_sizes(image, sizes);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];
        if (section->size == 0 || section->type == SECTION_TYPE_NULL || !has_run_bytes(section)) {
            continue;
        }
        struct ledger_entry entry = {
            .section = (uint32_t)i, .kind = kind_of(section), .address = section->address, .size = sizes[i]};
        *LIST_ADD(arena, &ledger->entries) = entry;
        if (!section->has_load) {
            continue;
        }
        entry.is_load = true;
        entry.address = section->load_address;
        entry.size = section->size;
        *LIST_ADD(arena, &ledger->entries) = entry;
    }
}
