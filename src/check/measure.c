#include "check/facts.h"

#include "base/size.h"
#include "base/text.h"

/* Ranges of one row while it is measured. */
struct row_ranges {
    struct byte_ranges kinds[LEDGER_KIND_COUNT]; /* run bytes */
    struct byte_ranges load;
};

struct measuring {
    const struct check_request *request;
    struct arena *arena;
    struct check_result *result;
    struct check_facts *facts;
    struct row_ranges *rows; /* one a row of the result */
};

static uint64_t row_end(const struct measured_region *row)
{
    return byte_range_of(row->origin, row->capacity).end;
}

bool row_holds(const struct measured_region *row, uint64_t start, uint64_t size)
{
    return start >= row->origin && start - row->origin <= row->capacity && size <= row->capacity - (start - row->origin);
}

const char *place_name(const struct soc *soc, uint32_t region)
{
    return region == REGION_NONE ? "an unmapped region" : soc->regions[region].name;
}

/* A profile's regions: those with a window, and external memory, which linker scripts need not name. */
static void make_rows(struct measuring *measuring)
{
    const struct check_request *request = measuring->request;
    struct check_result *result = measuring->result;
    result->regions = ARENA_ARRAY(measuring->arena, struct measured_region, request->soc->region_count);
    measuring->facts->row_of_region = ARENA_ARRAY(measuring->arena, uint32_t, request->soc->region_count);
    for (size_t i = 0; i < request->soc->region_count; i++) {
        const uint32_t region = (uint32_t)i;
        const bool has_window = profile_window(request->profile, region) != NULL;
        uint64_t origin = 0;
        const uint64_t capacity = profile_capacity(request->soc, request->profile, region, &origin);
        measuring->facts->row_of_region[i] = ROW_NONE;
        if (!has_window && (request->soc->regions[i].tier != TIER_EXTERNAL || capacity == 0)) {
            continue;
        }
        measuring->facts->row_of_region[i] = (uint32_t)result->region_count;
        result->regions[result->region_count++] = (struct measured_region){.region = region,
                                                                           .name = request->soc->regions[i].name,
                                                                           .has_window = has_window,
                                                                           .origin = origin,
                                                                           .capacity = capacity,
                                                                           .free = capacity};
    }
    measuring->rows = ARENA_ARRAY(measuring->arena, struct row_ranges, result->region_count);
}

static void attribute(struct measuring *measuring, const struct ledger_entry *entry, uint32_t row, uint64_t start, uint64_t size)
{
    struct row_ranges *ranges = &measuring->rows[row];
    struct byte_ranges *list = entry->is_load ? &ranges->load : &ranges->kinds[entry->kind];
    *LIST_ADD(measuring->arena, list) = byte_range_of(start, size);
}

static void put_outside(struct measuring *measuring, const struct ledger_entry *entry, uint64_t address, uint64_t size)
{
    if (size == 0) {
        return;
    }
    *LIST_ADD(measuring->arena, &measuring->result->outside) =
        (struct outside_bytes){.section = measuring->request->image->sections[entry->section].name,
                               .address = address,
                               .size = size,
                               .is_load = entry->is_load};
}

/* Bytes from `address` on that lie in one and the same region or in one and the same gap; at most `size`. */
static uint64_t piece_size(const struct soc *soc, uint64_t address, uint64_t size, uint32_t *region, uint64_t *canonical)
{
    *canonical = address;
    *region = soc_region_at(soc, address, canonical);
    if (*region != REGION_NONE) {
        return size_min(size, soc->regions[*region].length - (*canonical - soc->regions[*region].origin));
    }
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < soc->region_count; i++) {
        if (soc->regions[i].origin > address) {
            next = size_min(next, soc->regions[i].origin);
        }
        for (size_t j = 0; j < soc->regions[i].alias_count; j++) {
            if (soc->regions[i].aliases[j].origin > address) {
                next = size_min(next, soc->regions[i].aliases[j].origin);
            }
        }
    }
    return size_min(size, next - address);
}

/* Splits [address, address + size) at the borders of regions; each part goes to the row whose window holds it, or outside. */
static void place_by_address(struct measuring *measuring, const struct ledger_entry *entry, uint64_t address, uint64_t size)
{
    while (size != 0) {
        uint32_t region;
        uint64_t canonical;
        const uint64_t piece = piece_size(measuring->request->soc, address, size, &region, &canonical);
        const uint32_t row = region == REGION_NONE ? ROW_NONE : measuring->facts->row_of_region[region];
        if (row == ROW_NONE) {
            put_outside(measuring, entry, address, piece);
        } else {
            const struct measured_region *window = &measuring->result->regions[row];
            const uint64_t from = size_min(size_max(canonical, window->origin), canonical + piece);
            const uint64_t to = size_max(size_min(canonical + piece, row_end(window)), from);
            put_outside(measuring, entry, address, from - canonical);
            if (to > from) {
                attribute(measuring, entry, row, from, to - from);
            }
            put_outside(measuring, entry, address + (to - canonical), canonical + piece - to);
        }
        address += piece;
        size -= piece;
    }
}

/* What starts in a window, or above it in the same region, belongs there whole, even where it does not fit: only so does the
 * region's need come out. The part that passes the end is besides counted where it really lies. */
static struct placement place_entry(struct measuring *measuring, uint32_t index)
{
    const struct ledger_entry *entry = &measuring->facts->ledger.entries.items[index];
    struct placement placement = {.entry = index, .row = ROW_NONE, .start = entry->address};
    placement.region = soc_region_at(measuring->request->soc, entry->address, &placement.start);
    const uint32_t row = placement.region == REGION_NONE ? ROW_NONE : measuring->facts->row_of_region[placement.region];
    if (row == ROW_NONE || placement.start < measuring->result->regions[row].origin) {
        place_by_address(measuring, entry, entry->address, entry->size);
        return placement;
    }
    const uint64_t end = row_end(&measuring->result->regions[row]);
    const uint64_t inside = placement.start < end ? size_min(entry->size, end - placement.start) : 0;
    placement.row = inside != 0 ? row : ROW_NONE;
    placement.spill = entry->size - inside;
    placement.straddles = inside != 0 && placement.spill != 0;
    attribute(measuring, entry, row, placement.start, entry->size);
    place_by_address(measuring, entry, entry->address + inside, placement.spill);
    return placement;
}

static void add_all(struct arena *arena, struct byte_ranges *to, const struct byte_ranges *from)
{
    for (size_t i = 0; i < from->count; i++) {
        *LIST_ADD(arena, to) = from->items[i];
    }
}

static uint64_t largest_gap(const struct measured_region *row, const struct byte_ranges *used)
{
    uint64_t largest = 0, at = row->origin;
    const uint64_t end = row_end(row);
    for (size_t i = 0; i < used->count && at < end; i++) {
        if (used->items[i].start > at) {
            largest = size_max(largest, size_min(used->items[i].start, end) - at);
        }
        at = size_max(at, used->items[i].end);
    }
    return size_max(largest, at < end ? end - at : 0);
}

/* `all`: used and reserved bytes, merged. */
static uint64_t bytes_between(const struct byte_ranges *all, uint64_t origin, uint64_t high_water)
{
    uint64_t padding = 0;
    uint64_t at = origin;
    for (size_t i = 0; i < all->count && all->items[i].start < origin + high_water; i++) {
        padding += all->items[i].start > at ? all->items[i].start - at : 0;
        at = size_max(at, all->items[i].end);
    }
    return padding;
}

static void sum_row(struct measuring *measuring, size_t index)
{
    struct measured_region *row = &measuring->result->regions[index];
    struct row_ranges *ranges = &measuring->rows[index];
    struct arena *arena = measuring->arena;
    struct byte_ranges used = {0};
    for (size_t kind = 0; kind < LEDGER_KIND_COUNT; kind++) {
        if (kind != LEDGER_RESERVED) {
            add_all(arena, &used, &ranges->kinds[kind]);
        }
    }
    add_all(arena, &used, &ranges->load);
    row->used = byte_ranges_merge(&used, arena);

    struct byte_ranges all = {0};
    add_all(arena, &all, &used);
    add_all(arena, &all, &ranges->kinds[LEDGER_RESERVED]);
    row->reserved = byte_ranges_merge(&all, arena) - row->used;

    row->free = row->capacity > row->used ? row->capacity - row->used : 0;
    row->code = byte_ranges_merge(&ranges->kinds[LEDGER_CODE], arena);
    row->rodata = byte_ranges_merge(&ranges->kinds[LEDGER_RODATA], arena);
    row->data = byte_ranges_merge(&ranges->kinds[LEDGER_DATA], arena);
    row->bss = byte_ranges_merge(&ranges->kinds[LEDGER_BSS], arena);
    row->load_image = byte_ranges_merge(&ranges->load, arena);
    row->largest_free_block = largest_gap(row, &used);
    row->high_water = used.count != 0 ? used.items[used.count - 1].end - row->origin : 0;
    row->padding = bytes_between(&all, row->origin, row->high_water);
}

/* Windows that nobody verified prove nothing: what the plan says stands in for what was measured. */
static void fill_planned_rows(struct measuring *measuring)
{
    struct check_result *result = measuring->result;
    for (size_t i = 0; i < result->region_count; i++) {
        struct measured_region *row = &result->regions[i];
        for (size_t j = 0; j < measuring->facts->plan_count; j++) {
            const struct planned *plan = measuring->facts->plans[j];
            for (size_t k = 0; k < plan->region_count; k++) {
                if (text_equal_nocase(plan->regions[k].region, row->name)) {
                    row->used += plan->regions[k].used;
                }
            }
        }
        row->free = row->capacity > row->used ? row->capacity - row->used : 0;
        row->largest_free_block = row->free;
        row->high_water = row->used;
    }
}

static void place_all(struct measuring *measuring)
{
    struct check_facts *facts = measuring->facts;
    facts->placements = ARENA_ARRAY(measuring->arena, struct placement, facts->ledger.entries.count);
    for (size_t i = 0; i < facts->ledger.entries.count; i++) {
        facts->placements[i] = place_entry(measuring, (uint32_t)i);
    }
}

void measure(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    struct check_facts *facts = ARENA_NEW(arena, struct check_facts);
    struct measuring measuring = {.request = request, .arena = arena, .result = result, .facts = facts};
    result->facts = facts;
    result->view = request->profile->verified ? "measured" : "planned";
    make_rows(&measuring);
    ledger_collect(arena, request->image, &facts->ledger);
    result->packed = facts->ledger.packing == LEDGER_PACKED;
    locate_arenas(request, arena, facts);
    place_all(&measuring);
    if (request->profile->verified) {
        for (size_t i = 0; i < result->region_count; i++) {
            sum_row(&measuring, i);
        }
        measure_top(request, arena, result);
    } else {
        result->outside.count = 0;
        fill_planned_rows(&measuring);
    }
}
