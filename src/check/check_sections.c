/* Rows about sections and segments. */
#include <inttypes.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "check/facts.h"

#define WORD_SIZE 4

static const struct ledger_entry *entry_of(const struct check_result *result, const struct placement *placement)
{
    return &result->facts->ledger.entries.items[placement->entry];
}

static const struct image_section *section_of(const struct check_request *request, const struct ledger_entry *entry)
{
    return &request->image->sections[entry->section];
}

static const char *what_of(const struct ledger_entry *entry)
{
    return entry->is_load ? "load image of section" : "section";
}

void check_section_straddles(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (!request->profile->verified) {
        return;
    }
    for (size_t i = 0; i < result->facts->ledger.entries.count; i++) {
        const struct placement *placement = &result->facts->placements[i];
        if (!placement->straddles) {
            continue;
        }
        const struct ledger_entry *entry = entry_of(result, placement);
        const struct measured_region *row = &result->regions[placement->row];
        const uint64_t have = entry->size - placement->spill;
        struct check_finding *finding = finding_add(arena, result, "section-straddles-window",
                                                    "%s '%s' at 0x%" PRIx64 " passes the end of %s at 0x%" PRIx64
                                                    ": need %" PRIu64 " bytes, have %" PRIu64 ", excess %" PRIu64,
                                                    what_of(entry), section_of(request, entry)->name, entry->address, row->name,
                                                    row->origin + row->capacity, entry->size, have, placement->spill);
        finding->region = row->name;
        finding->section = section_of(request, entry)->name;
        finding->need = entry->size;
        finding->have = have;
        finding->has_need = true;
    }
}

/* "lies in DTCM, but not in its window [0x20000000, 0x2007c000)" */
static const char *where_outside(const struct check_request *request, struct arena *arena, const struct check_result *result,
                                 uint64_t address)
{
    uint64_t canonical;
    const uint32_t region = soc_region_at(request->soc, address, &canonical);
    if (region == REGION_NONE) {
        return arena_format(arena, "in %s", place_name(request->soc, region));
    }
    const uint32_t row = result->facts->row_of_region[region];
    if (row == ROW_NONE) {
        return arena_format(arena, "in %s, where profile %s has no window", place_name(request->soc, region),
                            request->profile->name);
    }
    return arena_format(arena, "in %s, but not in its window [0x%" PRIx64 ", 0x%" PRIx64 ")", place_name(request->soc, region),
                        result->regions[row].origin, result->regions[row].origin + result->regions[row].capacity);
}

void check_outside_window(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->outside.count; i++) {
        const struct outside_bytes *outside = &result->outside.items[i];
        finding_add(arena, result, "outside-window",
                    "%" PRIu64 " bytes of the %s '%s' at 0x%" PRIx64 " lie outside every window: %s", outside->size,
                    outside->is_load ? "load image of section" : "section", outside->section, outside->address,
                    where_outside(request, arena, result, outside->address))
            ->section = outside->section;
    }
}

static int by_start(const void *a, const void *b, const void *context)
{
    const struct placement *const *left = a;
    const struct placement *const *right = b;
    (void)context;
    return SORT_BY((*left)->start, (*right)->start);
}

/* Each section is held against the one that reaches furthest of those that start before it. */
static void report_overlaps(const struct check_request *request, struct arena *arena, struct check_result *result, bool load,
                            const char *id)
{
    const struct check_facts *facts = result->facts;
    const size_t all = facts->ledger.entries.count;
    const struct placement **order = ARENA_ARRAY(arena, const struct placement *, all);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        if (facts->ledger.entries.items[i].is_load == load) {
            order[count++] = &facts->placements[i];
        }
    }
    sort_stable(order, count, sizeof *order, by_start, NULL, arena);
    const struct placement *furthest = NULL;
    uint64_t furthest_end = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = entry_of(result, order[i]);
        const struct byte_range range = byte_range_of(order[i]->start, entry->size);
        if (furthest && range.start < furthest_end) {
            const struct ledger_entry *other = entry_of(result, furthest);
            const uint64_t shared = (range.end < furthest_end ? range.end : furthest_end) - range.start;
            struct check_finding *finding =
                finding_add(arena, result, id, "%ss '%s' and '%s' share %" PRIu64 " bytes at 0x%" PRIx64, what_of(entry),
                            section_of(request, other)->name, section_of(request, entry)->name, shared, range.start);
            finding->section = section_of(request, entry)->name;
            finding->region = order[i]->region == REGION_NONE ? NULL : request->soc->regions[order[i]->region].name;
        }
        if (range.end > furthest_end) {
            furthest = order[i];
            furthest_end = range.end;
        }
    }
}

void check_section_overlap(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    report_overlaps(request, arena, result, false, "section-overlap");
}

void check_load_overlap(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    report_overlaps(request, arena, result, true, "load-overlap");
}

void check_load_outside_image(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->ledger.entries.count; i++) {
        const struct placement *placement = &result->facts->placements[i];
        const struct ledger_entry *entry = entry_of(result, placement);
        if (!entry->is_load || placement->region == REGION_NONE || request->soc->regions[placement->region].holds_image) {
            continue;
        }
        const char *region = request->soc->regions[placement->region].name;
        struct check_finding *finding = finding_add(
            arena, result, "load-outside-image",
            "the load image of section '%s' (%" PRIu64 " bytes at 0x%" PRIx64
            ") is put into %s, which holds nothing at reset: give it a load address in non-volatile memory, or make it NOBITS",
            section_of(request, entry)->name, entry->size, entry->address, region);
        finding->section = section_of(request, entry)->name;
        finding->region = region;
    }
}

/* ---- sections of ours: .hp.<prefix>.<kind>.<memory> ---- */

/* The memory that the section's name states, or NULL if it is none of the plan's. */
static const char *memory_of(const struct planned *plan, const char *name)
{
    static const char START[] = ".hp.";
    const size_t prefix = strlen(plan->prefix);
    if (!text_starts_with(name, START) || strncmp(name + sizeof START - 1, plan->prefix, prefix) != 0) {
        return NULL;
    }
    const char *rest = name + sizeof START - 1 + prefix;
    if (*rest != '.') {
        return NULL;
    }
    const char *memory = strchr(rest + 1, '.');
    return memory && !strchr(memory + 1, '.') ? memory + 1 : NULL;
}

static const char *memory_of_any(const struct check_result *result, const char *name)
{
    for (size_t i = 0; i < result->facts->plan_count; i++) {
        const char *memory = memory_of(result->facts->plans[i], name);
        if (memory) {
            return memory;
        }
    }
    return NULL;
}

void check_load_misaligned(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 1; i < request->image->section_count; i++) {
        const struct image_section *section = &request->image->sections[i];
        if (!section->has_load || section->load_address == section->address || section->load_address % WORD_SIZE == 0 ||
            !memory_of_any(result, section->name)) {
            continue;
        }
        finding_add(arena, result, "load-misaligned",
                    "section '%s' is copied word by word from 0x%" PRIx64 ", which is no multiple of %d", section->name,
                    section->load_address, WORD_SIZE)
            ->section = section->name;
    }
}

void check_section_wrong_region(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->ledger.entries.count; i++) {
        const struct placement *placement = &result->facts->placements[i];
        const struct ledger_entry *entry = entry_of(result, placement);
        const struct image_section *section = section_of(request, entry);
        const char *memory = entry->is_load ? NULL : memory_of_any(result, section->name);
        if (!memory) {
            continue;
        }
        const uint32_t wanted = soc_find_region(request->soc, memory);
        if (wanted == placement->region && wanted != REGION_NONE) {
            continue;
        }
        struct check_finding *finding =
            finding_add(arena, result, "section-wrong-region", "section '%s' lies in %s at 0x%" PRIx64 ", not in %s",
                        section->name, place_name(request->soc, placement->region), entry->address, text_upper(arena, memory));
        finding->section = section->name;
        finding->region = wanted == REGION_NONE ? NULL : request->soc->regions[wanted].name;
    }
}

/* ---- segments ---- */

/* The first section with code of each segment; NULL: none. One pass, as both may be many. */
static const struct image_section **code_of_segments(struct arena *arena, const struct image *image)
{
    const struct image_section **code = ARENA_ARRAY(arena, const struct image_section *, image->segment_count);
    for (size_t i = 1; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];
        if (section->segment != SEGMENT_NONE && (section->flags & SECTION_EXECUTE) && code[section->segment] == NULL) {
            code[section->segment] = section;
        }
    }
    return code;
}

void check_writable_code(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    const unsigned both = SEGMENT_EXECUTE | SEGMENT_WRITE;
    const struct image_section *const *code = code_of_segments(arena, request->image);
    for (size_t i = 0; i < request->image->segment_count; i++) {
        const struct image_segment *segment = &request->image->segments[i];
        if (segment->type != SEGMENT_TYPE_LOAD || (segment->flags & both) != both || code[i] == NULL) {
            continue;
        }
        finding_add(arena, result, "writable-code", "segment %zu is writable and executable and holds code ('%s')", i,
                    code[i]->name)
            ->section = code[i]->name;
    }
}
