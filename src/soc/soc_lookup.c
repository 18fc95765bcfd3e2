/* Look-ups in a SoC: regions, profiles, windows, and the region that an address belongs to. */
#include "soc/soc.h"

const char *tier_location_key(enum memory_tier tier)
{
    static const char *const keys[TIER_COUNT] = {
        [TIER_TCM] = "tcm", [TIER_SRAM] = "sram", [TIER_NVM] = "mram", [TIER_EXTERNAL] = "psram"};
    return keys[tier];
}

uint32_t soc_find_region(const struct soc *soc, const char *name)
{
    for (size_t i = 0; i < soc->region_count; i++) {
        if (text_equal_nocase(soc->regions[i].name, name)) {
            return (uint32_t)i;
        }
    }
    return REGION_NONE;
}

const struct linker_profile *soc_find_profile(struct diagnostics *diagnostics, const struct soc *soc, const char *name,
                                              struct span span)
{
    if (name == NULL) {
        return &soc->profiles[soc->default_profile];
    }
    for (size_t i = 0; i < soc->profile_count; i++) {
        if (text_equal_nocase(soc->profiles[i].name, name)) {
            return &soc->profiles[i];
        }
    }
    struct arena *arena = diagnostics->arena;
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_PROFILE, span, "%s has no linker profile '%s'",
                                    node_printable(arena, soc->name), node_printable(arena, name));
    const char **known = ARENA_ARRAY(arena, const char *, soc->profile_count);
    for (size_t i = 0; i < soc->profile_count; i++) {
        known[i] = soc->profiles[i].name;
    }
    diag_suggest(diagnostics, diag, name, "profiles", known, soc->profile_count);
    return NULL;
}

const struct window *profile_window(const struct linker_profile *profile, uint32_t region)
{
    for (size_t i = 0; i < profile->window_count; i++) {
        if (profile->windows[i].region == region) {
            return &profile->windows[i];
        }
    }
    return NULL;
}

bool carve_out_applies(const struct carve_out *carve_out, const struct linker_profile *profile)
{
    for (size_t i = 0; i < carve_out->profile_count; i++) {
        if (text_equal_nocase(carve_out->profiles[i], profile->name)) {
            return true;
        }
    }
    return carve_out->profile_count == 0;
}

/* Bytes from `start`, an address of the region, up to the next byte that a carve-out takes. */
static uint64_t free_run(const struct region *region, const struct linker_profile *profile, uint64_t start)
{
    uint64_t run = region->length - (start - region->origin);
    for (size_t i = 0; i < region->carve_out_count; i++) {
        const struct carve_out *taken = &region->carve_outs[i];
        if (!carve_out_applies(taken, profile)) {
            continue;
        }
        if (taken->origin <= start && start - taken->origin < taken->length) {
            return 0;
        }
        if (taken->origin > start && taken->origin - start < run) {
            run = taken->origin - start;
        }
    }
    return run;
}

/* The longest run starts where the region starts or where a carve-out ends. The first of equals wins. */
static uint64_t longest_free_run(const struct region *region, const struct linker_profile *profile, uint64_t *origin)
{
    *origin = region->origin;
    uint64_t longest = free_run(region, profile, region->origin);
    for (size_t i = 0; i < region->carve_out_count; i++) {
        uint64_t start = region->carve_outs[i].origin + region->carve_outs[i].length;
        if (!carve_out_applies(&region->carve_outs[i], profile) || start - region->origin >= region->length) {
            continue;
        }
        uint64_t run = free_run(region, profile, start);
        if (run > longest || (run == longest && start < *origin)) {
            longest = run;
            *origin = start;
        }
    }
    return longest;
}

uint64_t profile_capacity(const struct soc *soc, const struct linker_profile *profile, uint32_t region, uint64_t *origin)
{
    const struct window *window = profile_window(profile, region);
    if (window == NULL) {
        return longest_free_run(&soc->regions[region], profile, origin);
    }
    *origin = window->origin;
    return window->length;
}

/* Folds `address` if it lies in the region as seen at `seen_at`. */
static bool fold(const struct region *region, uint64_t seen_at, uint64_t address, uint64_t *canonical)
{
    if (address < seen_at || address - seen_at >= region->length) {
        return false;
    }
    *canonical = region->origin + (address - seen_at);
    return true;
}

uint32_t soc_region_at(const struct soc *soc, uint64_t address, uint64_t *canonical)
{
    for (size_t i = 0; i < soc->region_count; i++) {
        const struct region *region = &soc->regions[i];
        if (fold(region, region->origin, address, canonical)) {
            return (uint32_t)i;
        }
        for (size_t j = 0; j < region->alias_count; j++) {
            if (fold(region, region->aliases[j].origin, address, canonical)) {
                return (uint32_t)i;
            }
        }
    }
    return REGION_NONE;
}
