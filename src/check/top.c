/* The largest symbols of each region. */
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "check/facts.h"

struct candidate {
    uint64_t address;
    uint64_t size;
    const char *name;
};

/* Largest first, then by name; at most `limit`. */
struct ranking {
    struct candidate *items;
    size_t count;
    size_t limit;
};

static bool goes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->size != b->size) {
        return a->size > b->size;
    }
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order < 0 : a->address < b->address;
}

/* Several names of one object are one entry, under the name that sorts first. */
static struct candidate *find_same(struct ranking *ranking, const struct candidate *candidate)
{
    for (size_t i = 0; i < ranking->count; i++) {
        if (ranking->items[i].address == candidate->address && ranking->items[i].size == candidate->size) {
            return &ranking->items[i];
        }
    }
    return NULL;
}

static void rank(struct ranking *ranking, struct candidate candidate)
{
    if (ranking->count == ranking->limit && !goes_before(&candidate, &ranking->items[ranking->count - 1])) {
        return;
    }
    struct candidate *same = find_same(ranking, &candidate);
    if (same && !goes_before(&candidate, same)) {
        return;
    }
    if (same) {
        const size_t index = (size_t)(same - ranking->items);
        memmove(same, same + 1, (ranking->count - index - 1) * sizeof *same);
        ranking->count--;
    }
    size_t at = ranking->count < ranking->limit ? ranking->count++ : ranking->count - 1;
    for (; at > 0 && goes_before(&candidate, &ranking->items[at - 1]); at--) {
        ranking->items[at] = ranking->items[at - 1];
    }
    ranking->items[at] = candidate;
}

static bool takes_memory(const struct image *image, const struct image_symbol *symbol)
{
    return symbol->size != 0 && symbol->section != SECTION_NONE && symbol->kind != SYMBOL_TLS &&
           (image->sections[symbol->section].flags & SECTION_ALLOC);
}

static void rank_symbols(const struct check_request *request, const struct check_facts *facts, struct ranking *rankings)
{
    const struct image *image = request->image;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        if (!takes_memory(image, symbol)) {
            continue;
        }
        struct candidate candidate = {.size = symbol->size, .name = symbol->name};
        const uint32_t region = soc_region_at(request->soc, symbol->address, &candidate.address);
        if (region != REGION_NONE && facts->row_of_region[region] != ROW_NONE) {
            rank(&rankings[facts->row_of_region[region]], candidate);
        }
    }
}

void measure_top(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    const size_t limit = (size_t)size_min(request->top, CHECK_TOP_LIMIT);
    if (limit == 0) {
        return;
    }
    struct ranking *rankings = ARENA_ARRAY(arena, struct ranking, result->region_count);
    for (size_t i = 0; i < result->region_count; i++) {
        rankings[i] = (struct ranking){.items = ARENA_ARRAY(arena, struct candidate, limit), .limit = limit};
    }
    rank_symbols(request, result->facts, rankings);
    for (size_t i = 0; i < result->region_count; i++) {
        for (size_t j = 0; j < rankings[i].count; j++) {
            *LIST_ADD(arena, &result->top) = (struct top_symbol){
                .region = result->regions[i].region, .symbol = rankings[i].items[j].name, .size = rankings[i].items[j].size};
        }
    }
}
