/* Rules about physical memories: no address belongs to two of them. */
#include <inttypes.h>

#include "base/sort.h"
#include "soc/soc_rules.h"

static const char *region_label(const struct validation *validation, const struct region *region)
{
    return arena_format(validation->scratch, "region %s", validation_shown(validation, region->name));
}

static void validate_region_name(struct validation *validation, size_t index)
{
    const struct region *region = &validation->soc->regions[index];
    if (!is_region_name(region->name)) {
        validation_fail(validation, DIAG_BAD_NAME, region->span,
                        "the region's name '%s' must be made of upper case letters, digits and '_', beginning with a letter",
                        validation_shown(validation, region->name));
    }
    for (size_t i = 0; i < index; i++) {
        const struct region *other = &validation->soc->regions[i];
        if (!text_equal_nocase(region->name, other->name)) {
            continue;
        }
        struct diag *diag = validation_fail(validation, DIAG_DUPLICATE_NAME, region->span, "there are two regions named '%s'",
                                            validation_shown(validation, region->name));
        diag_note(validation->diagnostics, diag, other->span, "the first is here");
        return;
    }
}

/* Two carve-outs may share bytes only if they never apply together. */
static bool may_apply_together(const struct soc *soc, const struct carve_out *a, const struct carve_out *b)
{
    for (size_t i = 0; i < soc->profile_count; i++) {
        if (carve_out_applies(a, &soc->profiles[i]) && carve_out_applies(b, &soc->profiles[i])) {
            return true;
        }
    }
    return false;
}

static void validate_carve_out_overlaps(struct validation *validation, const struct region *region, size_t index)
{
    const struct carve_out *carve_out = &region->carve_outs[index];
    for (size_t i = 0; i < index; i++) {
        const struct carve_out *other = &region->carve_outs[i];
        if (!ranges_share(carve_out->origin, carve_out->length, other->origin, other->length) ||
            !may_apply_together(validation->soc, carve_out, other)) {
            continue;
        }
        struct diag *diag =
            validation_fail(validation, DIAG_CARVE_OUT_OVERLAP, carve_out->span, "the carve-outs '%s' and '%s' of %s share bytes",
                            validation_shown(validation, other->name), validation_shown(validation, carve_out->name),
                            region_label(validation, region));
        diag_note(validation->diagnostics, diag, other->span, "the first is here");
    }
}

static void validate_carve_out(struct validation *validation, const struct region *region, size_t index)
{
    const struct carve_out *carve_out = &region->carve_outs[index];
    const char *label = arena_format(validation->scratch, "the carve-out '%s' of %s",
                                     validation_shown(validation, carve_out->name), region_label(validation, region));
    validate_source(validation, carve_out->source, label, carve_out->span);
    if (!validate_range(validation, carve_out->origin, carve_out->length, label, carve_out->span)) {
        return;
    }
    if (!range_inside(carve_out->origin, carve_out->length, region->origin, region->length)) {
        validation_fail(validation, DIAG_CARVE_OUT_OUTSIDE_REGION, carve_out->span,
                        "%s, %" PRIu64 " bytes from 0x%08" PRIx64 ", is not inside its %" PRIu64 " bytes from 0x%08" PRIx64,
                        label, carve_out->length, carve_out->origin, region->length, region->origin);
        return;
    }
    validate_carve_out_overlaps(validation, region, index);
}

static void validate_region(struct validation *validation, size_t index)
{
    const struct region *region = &validation->soc->regions[index];
    validate_region_name(validation, index);
    validate_source(validation, region->source, region_label(validation, region), region->span);
    for (size_t i = 0; i < region->carve_out_count; i++) {
        validate_carve_out(validation, region, i);
    }
    for (size_t i = 0; i < region->alias_count; i++) {
        const struct region_alias *alias = &region->aliases[i];
        const char *label = arena_format(validation->scratch, "the alias '%s' of %s", validation_shown(validation, alias->name),
                                         region_label(validation, region));
        validate_source(validation, alias->source, label, alias->span);
    }
}

/* Addresses at which a memory is seen: its own or an alias's. */
struct extent {
    uint64_t origin;
    uint64_t length;
    const char *label;
    struct span span;
};
struct extent_list {
    struct extent *items;
    size_t count, capacity;
};

static void add_extent(struct validation *validation, struct extent_list *list, struct extent extent)
{
    if (validate_range(validation, extent.origin, extent.length, extent.label, extent.span)) {
        *LIST_ADD(validation->scratch, list) = extent;
    }
}

static void add_region_extents(struct validation *validation, struct extent_list *list, const struct region *region)
{
    const char *label = region_label(validation, region);
    add_extent(validation, list, (struct extent){region->origin, region->length, label, region->span});
    if (region->length == 0) {
        return; /* said once; its aliases would only repeat it */
    }
    for (size_t i = 0; i < region->alias_count; i++) {
        const struct region_alias *alias = &region->aliases[i];
        const char *alias_label =
            arena_format(validation->scratch, "the alias '%s' of %s", validation_shown(validation, alias->name), label);
        add_extent(validation, list, (struct extent){alias->origin, region->length, alias_label, alias->span});
    }
}

static int compare_extents(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct extent *first = a;
    const struct extent *second = b;
    return SORT_BY(first->origin, second->origin);
}

/* In the order of origins, an extent overlaps an earlier one only if it overlaps the one that reaches furthest. */
static void validate_overlaps(struct validation *validation, struct extent_list *list)
{
    sort_stable(list->items, list->count, sizeof *list->items, compare_extents, NULL, validation->scratch);
    const struct extent *furthest = list->count > 0 ? &list->items[0] : NULL;
    for (size_t i = 1; i < list->count; i++) {
        const struct extent *extent = &list->items[i];
        if (ranges_share(furthest->origin, furthest->length, extent->origin, extent->length)) {
            struct diag *diag =
                validation_fail(validation, DIAG_REGION_OVERLAP, extent->span, "%s and %s both have the address 0x%08" PRIx64,
                                extent->label, furthest->label, extent->origin);
            diag_note(validation->diagnostics, diag, furthest->span, "%s is here", furthest->label);
        }
        if (extent->origin + (extent->length - 1) > furthest->origin + (furthest->length - 1)) {
            furthest = extent;
        }
    }
}

void validate_regions(struct validation *validation)
{
    const struct soc *soc = validation->soc;
    struct extent_list extents = {0};
    for (size_t i = 0; i < soc->region_count; i++) {
        validate_region(validation, i);
        add_region_extents(validation, &extents, &soc->regions[i]);
    }
    validate_overlaps(validation, &extents);
}
