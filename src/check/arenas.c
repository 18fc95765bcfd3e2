/* Where the planned arenas are in the image. */
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "check/facts.h"

/* With allocate_arenas: false the caller brings all memory that is not part of the image. */
static bool is_in_image(const struct planned *plan, const struct planned_arena *arena)
{
    return arena->size != 0 && (plan->allocate_arenas || !arena->nobits || arena->is_host_uploaded);
}

/* The plan that was given stands for the embedded one of its prefix; models of other prefixes hold besides. */
static void choose_plans(const struct check_request *request, struct arena *arena, struct check_facts *facts)
{
    facts->plans = ARENA_ARRAY(arena, const struct planned *, request->embedded_count + 1);
    if (request->planned) {
        facts->plans[facts->plan_count++] = request->planned;
    }
    for (size_t i = 0; i < request->embedded_count; i++) {
        if (!request->planned || !text_equal(request->embedded[i]->prefix, request->planned->prefix)) {
            facts->plans[facts->plan_count++] = request->embedded[i];
        }
    }
}

static void list_arenas(const struct check_request *request, struct arena *arena, struct check_facts *facts)
{
    size_t most = 0;
    for (size_t i = 0; i < facts->plan_count; i++) {
        most += facts->plans[i]->arena_count;
    }
    facts->arenas = ARENA_ARRAY(arena, struct located_arena, most);
    for (size_t i = 0; i < facts->plan_count; i++) {
        const struct planned *plan = facts->plans[i];
        for (size_t j = 0; j < plan->arena_count; j++) {
            if (!is_in_image(plan, &plan->arenas[j])) {
                continue;
            }
            facts->arenas[facts->arena_count++] =
                (struct located_arena){.plan = plan,
                                       .arena = &plan->arenas[j],
                                       .wanted = soc_find_region(request->soc, plan->arenas[j].memory),
                                       .region = REGION_NONE};
        }
    }
}

/* An absolute symbol, or one in a section that takes no memory, is no place for bytes. */
static bool is_place(const struct image *image, const struct image_symbol *symbol)
{
    return symbol->section != SECTION_NONE && (image->sections[symbol->section].flags & SECTION_ALLOC);
}

/* One pass over the symbols, whatever the number of arenas; most symbols are told apart by their first letter. */
static void find_symbols(const struct check_request *request, struct arena *arena, struct check_facts *facts)
{
    bool wanted_first[256] = {false};
    struct map names = map_start(arena);
    uint32_t *first_of = ARENA_ARRAY(arena, uint32_t, facts->arena_count);
    for (size_t i = 0; i < facts->arena_count; i++) {
        const char *name = facts->arenas[i].arena->symbol;
        uint32_t existing = (uint32_t)i;
        map_add(&names, name, (uint32_t)i, &existing);
        first_of[i] = existing;
        wanted_first[(unsigned char)name[0]] = true;
    }
    const struct image *image = request->image;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        uint32_t index;
        if (!wanted_first[(unsigned char)symbol->name[0]] || !is_place(image, symbol) ||
            !map_find(&names, symbol->name, &index)) {
            continue;
        }
        if (facts->arenas[index].matches++ == 0) {
            facts->arenas[index].symbol = symbol;
        }
    }
    for (size_t i = 0; i < facts->arena_count; i++) {
        facts->arenas[i].matches = facts->arenas[first_of[i]].matches;
        facts->arenas[i].symbol = facts->arenas[first_of[i]].symbol;
    }
}

void locate_arenas(const struct check_request *request, struct arena *arena, struct check_facts *facts)
{
    choose_plans(request, arena, facts);
    list_arenas(request, arena, facts);
    if (facts->arena_count == 0) {
        return;
    }
    find_symbols(request, arena, facts);
    for (size_t i = 0; i < facts->arena_count; i++) {
        struct located_arena *located = &facts->arenas[i];
        if (!located->symbol) {
            continue;
        }
        located->start = located->symbol->address;
        located->region = soc_region_at(request->soc, located->symbol->address, &located->start);
    }
}
