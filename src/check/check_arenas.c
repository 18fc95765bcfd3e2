/* Rows about the planned arenas: is each one where the plan promises it, as it promises it, and alone? */
#include <inttypes.h>

#include "base/text.h"
#include "check/facts.h"

static const char *symbol_of(const struct located_arena *located)
{
    return located->arena->symbol;
}

static struct check_finding *about(struct check_finding *finding, const struct check_request *request,
                                   const struct located_arena *located)
{
    finding->symbol = symbol_of(located);
    finding->region = located->wanted == REGION_NONE ? located->arena->memory : request->soc->regions[located->wanted].name;
    if (located->symbol) {
        finding->section = request->image->sections[located->symbol->section].name;
    }
    return finding;
}

static const struct image_section *section_of(const struct check_request *request, const struct located_arena *located)
{
    return &request->image->sections[located->symbol->section];
}

void check_arena_missing(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (!request->image->has_symbols) {
        return; /* image-stripped says it once */
    }
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches == 0) {
            about(finding_add(arena, result, "arena-missing",
                              "'%s' (%" PRIu64 " bytes in %s) is not in the image: its object file was not linked, or nothing "
                              "refers to it",
                              symbol_of(located), located->arena->size, located->arena->memory),
                  request, located);
        }
    }
}

void check_arena_not_unique(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches > 1) {
            about(finding_add(arena, result, "arena-not-unique", "%zu symbols are named '%s'", located->matches,
                              symbol_of(located)),
                  request, located);
        }
    }
}

/* Why the arena is not where it should be; NULL: it is. */
static const char *misplacement(const struct check_request *request, struct arena *arena, const struct check_result *result,
                                const struct located_arena *located)
{
    const uint64_t address = located->symbol->address;
    if (located->wanted == REGION_NONE) {
        return arena_format(arena, "the plan puts '%s' into %s, which %s has not", symbol_of(located), located->arena->memory,
                            request->soc->name);
    }
    const char *wanted = request->soc->regions[located->wanted].name;
    if (located->region != located->wanted) {
        return arena_format(arena, "'%s' lies in %s at 0x%" PRIx64 ", the plan puts it into %s", symbol_of(located),
                            place_name(request->soc, located->region), address, wanted);
    }
    const uint32_t row = result->facts->row_of_region[located->wanted];
    if (!request->profile->verified ||
        (row != ROW_NONE && row_holds(&result->regions[row], located->start, located->arena->size))) {
        return NULL;
    }
    return arena_format(arena, "'%s' (%" PRIu64 " bytes at 0x%" PRIx64 ") passes the window of %s", symbol_of(located),
                        located->arena->size, address, wanted);
}

void check_arena_wrong_region(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        const char *why = located->matches == 1 ? misplacement(request, arena, result, located) : NULL;
        if (why) {
            about(finding_add(arena, result, "arena-wrong-region", "%s", why), request, located);
        }
    }
}

void check_arena_wrong_size(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches != 1 || located->symbol->size == located->arena->size) {
            continue;
        }
        struct check_finding *finding =
            about(finding_add(arena, result, "arena-wrong-size", "'%s': need %" PRIu64 " bytes, have %" PRIu64,
                              symbol_of(located), located->arena->size, located->symbol->size),
                  request, located);
        finding->need = located->arena->size;
        finding->have = located->symbol->size;
        finding->has_need = true;
    }
}

void check_arena_misaligned(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches == 1 && located->symbol->address % located->arena->alignment != 0) {
            about(finding_add(arena, result, "arena-misaligned", "'%s' at 0x%" PRIx64 " is not aligned to %" PRIu64 " bytes",
                              symbol_of(located), located->symbol->address, located->arena->alignment),
                  request, located);
        }
    }
}

void check_arena_costs_flash(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches == 1 && located->arena->nobits && !section_of(request, located)->is_nobits) {
            about(finding_add(arena, result, "arena-costs-flash",
                              "'%s' is in section '%s', which the image stores: %" PRIu64 " bytes of zeros; it should be NOBITS",
                              symbol_of(located), section_of(request, located)->name, located->arena->size),
                  request, located);
        }
    }
}

void check_arena_not_loaded(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches == 1 && !located->arena->nobits && section_of(request, located)->is_nobits) {
            about(finding_add(arena, result, "arena-not-loaded",
                              "'%s' holds constants, but section '%s' is NOBITS: the image does not store them",
                              symbol_of(located), section_of(request, located)->name),
                  request, located);
        }
    }
}

/* ---- alone? ---- */

/* An arena's bytes as symbols may name them: in its region and in each alias of it. */
struct view {
    struct byte_range range;
    const struct located_arena *located;
};

struct views {
    struct view *items;
    size_t count, capacity;
};

static void list_views(const struct check_request *request, struct arena *arena, const struct check_result *result,
                       struct views *views)
{
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        const struct located_arena *located = &result->facts->arenas[i];
        if (located->matches != 1) {
            continue;
        }
        *LIST_ADD(arena, views) = (struct view){.range = byte_range_of(located->start, located->arena->size), .located = located};
        if (located->region == REGION_NONE) {
            continue;
        }
        const struct region *region = &request->soc->regions[located->region];
        for (size_t j = 0; j < region->alias_count; j++) {
            *LIST_ADD(arena, views) = (struct view){
                .range = byte_range_of(region->aliases[j].origin + (located->start - region->origin), located->arena->size),
                .located = located};
        }
    }
}

/* The arena itself is no intruder, nor is a second name of the whole of it. */
static bool intrudes(const struct image_symbol *symbol, const struct view *view)
{
    if (symbol->address == view->range.start && symbol->size == view->located->symbol->size) {
        return false;
    }
    return byte_range_overlaps(byte_range_of(symbol->address, symbol->size), view->range);
}

static struct byte_range hull(const struct views *views)
{
    struct byte_range all = {.start = UINT64_MAX, .end = 0};
    for (size_t i = 0; i < views->count; i++) {
        all.start = views->items[i].range.start < all.start ? views->items[i].range.start : all.start;
        all.end = views->items[i].range.end > all.end ? views->items[i].range.end : all.end;
    }
    return all;
}

static void report_symbol(const struct check_request *request, struct arena *arena, struct check_result *result,
                          const struct views *views, const struct image_symbol *symbol)
{
    for (size_t i = 0; i < views->count; i++) {
        const struct located_arena *located = views->items[i].located;
        if (!intrudes(symbol, &views->items[i])) {
            continue;
        }
        about(finding_add(arena, result, "arena-shared", "'%s' (%" PRIu64 " bytes at 0x%" PRIx64 ") lies inside '%s'",
                          symbol->name, symbol->size, symbol->address, symbol_of(located)),
              request, located);
    }
}

static void report_sections(const struct check_request *request, struct arena *arena, struct check_result *result,
                            const struct located_arena *located)
{
    const struct byte_range range = byte_range_of(located->start, located->arena->size);
    for (size_t i = 0; i < result->facts->ledger.entries.count; i++) {
        const struct ledger_entry *entry = &result->facts->ledger.entries.items[i];
        const struct byte_range other = byte_range_of(result->facts->placements[i].start, entry->size);
        if (entry->is_load || entry->section == located->symbol->section || !byte_range_overlaps(range, other)) {
            continue;
        }
        about(finding_add(arena, result, "arena-shared", "section '%s' (%" PRIu64 " bytes at 0x%" PRIx64 ") lies inside '%s'",
                          request->image->sections[entry->section].name, entry->size, entry->address, symbol_of(located)),
              request, located);
    }
}

void check_arena_shared(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    struct views views = {0};
    list_views(request, arena, result, &views);
    const struct byte_range all = hull(&views);
    const struct image *image = request->image;
    for (size_t i = 0; i < image->symbol_count && views.count != 0; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        if (symbol->size == 0 || symbol->section == SECTION_NONE || symbol->kind == SYMBOL_TLS ||
            !(image->sections[symbol->section].flags & SECTION_ALLOC) ||
            !byte_range_overlaps(byte_range_of(symbol->address, symbol->size), all)) {
            continue;
        }
        report_symbol(request, arena, result, &views, symbol);
    }
    for (size_t i = 0; i < result->facts->arena_count; i++) {
        if (result->facts->arenas[i].matches == 1) {
            report_sections(request, arena, result, &result->facts->arenas[i]);
        }
    }
}
