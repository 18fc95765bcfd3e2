/* Rules about linker profiles: each window is physical memory that nobody else uses, and each role has a window that fits it. */
#include <inttypes.h>

#include "soc/soc_rules.h"

static const char *window_label(const struct validation *validation, const struct linker_profile *profile,
                                const struct window *window)
{
    return arena_format(validation->scratch, "the window of %s in profile '%s'",
                        validation_shown(validation, validation->soc->regions[window->region].name),
                        validation_shown(validation, profile->name));
}

static void validate_profile_name(struct validation *validation, size_t index)
{
    const struct linker_profile *profile = &validation->soc->profiles[index];
    if (!is_file_name(profile->name)) {
        validation_fail(validation, DIAG_BAD_NAME, profile->span,
                        "the profile's name '%s' must be made of letters, digits, '-', '_', '.' and '+'",
                        validation_shown(validation, profile->name));
    }
    for (size_t i = 0; i < index; i++) {
        const struct linker_profile *other = &validation->soc->profiles[i];
        if (!text_equal_nocase(profile->name, other->name)) {
            continue;
        }
        struct diag *diag = validation_fail(validation, DIAG_DUPLICATE_NAME, profile->span, "there are two profiles named '%s'",
                                            validation_shown(validation, profile->name));
        diag_note(validation->diagnostics, diag, other->span, "the first is here");
        return;
    }
}

static void validate_linker_name(struct validation *validation, const struct linker_profile *profile, size_t index)
{
    const struct window *window = &profile->windows[index];
    if (!is_identifier(window->linker_name)) {
        validation_fail(validation, DIAG_BAD_NAME, window->span,
                        "the linker name '%s' must be made of letters, digits and '_', not beginning with a digit",
                        validation_shown(validation, window->linker_name));
    }
    for (size_t i = 0; i < index; i++) {
        if (text_equal_nocase(window->linker_name, profile->windows[i].linker_name)) {
            validation_fail(validation, DIAG_DUPLICATE_NAME, window->span,
                            "profile '%s' has two windows with the linker name '%s'", validation_shown(validation, profile->name),
                            validation_shown(validation, window->linker_name));
            return;
        }
    }
}

/* The bytes of the window are there and are not somebody else's. */
static void validate_window_bytes(struct validation *validation, const struct linker_profile *profile,
                                  const struct window *window, const char *label)
{
    const struct region *region = &validation->soc->regions[window->region];
    if (!validate_range(validation, window->origin, window->length, label, window->span) || region->length == 0) {
        return; /* a region without bytes was reported, and no window could be inside it */
    }
    if (!range_inside(window->origin, window->length, region->origin, region->length)) {
        validation_fail(validation, DIAG_WINDOW_OUTSIDE_REGION, window->span,
                        "%s, %" PRIu64 " bytes from 0x%08" PRIx64 ", is not inside the region's %" PRIu64
                        " bytes from 0x%08" PRIx64,
                        label, window->length, window->origin, region->length, region->origin);
        return;
    }
    for (size_t i = 0; i < region->carve_out_count; i++) {
        const struct carve_out *taken = &region->carve_outs[i];
        if (!carve_out_applies(taken, profile) || !ranges_share(window->origin, window->length, taken->origin, taken->length)) {
            continue;
        }
        struct diag *diag =
            validation_fail(validation, DIAG_WINDOW_IN_CARVE_OUT, window->span, "%s takes bytes of the carve-out '%s'", label,
                            validation_shown(validation, taken->name));
        diag_note(validation->diagnostics, diag, taken->span, "the carve-out is here");
    }
}

static void validate_window_overlaps(struct validation *validation, const struct linker_profile *profile, size_t index,
                                     const char *label)
{
    const struct window *window = &profile->windows[index];
    for (size_t i = 0; i < index; i++) {
        const struct window *other = &profile->windows[i];
        if (window->region != other->region && !ranges_share(window->origin, window->length, other->origin, other->length)) {
            continue;
        }
        struct diag *diag = validation_fail(validation, DIAG_WINDOW_OVERLAP, window->span, "%s %s", label,
                                            window->region == other->region ? "is the second one of that region"
                                                                            : "shares addresses with another window");
        diag_note(validation->diagnostics, diag, other->span, "the other window is here");
        return;
    }
}

static void validate_windows(struct validation *validation, const struct linker_profile *profile)
{
    for (size_t i = 0; i < profile->window_count; i++) {
        const struct window *window = &profile->windows[i];
        const char *label = window_label(validation, profile, window);
        validate_source(validation, window->source, label, window->span);
        validate_linker_name(validation, profile, i);
        validate_window_bytes(validation, profile, window, label);
        validate_window_overlaps(validation, profile, i, label);
    }
}

struct role {
    const char *name; /* the file's key */
    uint32_t region;
    unsigned access; /* what it takes, besides load images */
    bool image;
};

static void validate_role(struct validation *validation, const struct linker_profile *profile, const struct role *role)
{
    const struct region *region = &validation->soc->regions[role->region];
    const char *profile_name = validation_shown(validation, profile->name);
    const char *region_name = validation_shown(validation, region->name);
    if (profile_window(profile, role->region) == NULL) {
        validation_fail(validation, DIAG_ROLE_WITHOUT_WINDOW, profile->span,
                        "profile '%s' has '%s: %s' but no window of that region", profile_name, role->name, region_name);
    }
    if (role->image && !region->holds_image) {
        validation_fail(validation, DIAG_ROLE_UNFIT, profile->span,
                        "profile '%s' has '%s: %s', but no load image can stand there at reset", profile_name, role->name,
                        region_name);
    }
    if ((region->access & role->access) != role->access) {
        validation_fail(validation, DIAG_ROLE_UNFIT, profile->span, "profile '%s' has '%s: %s', which cannot be %s", profile_name,
                        role->name, region_name, (role->access & ACCESS_EXECUTE) != 0 ? "executed" : "written");
    }
}

static void validate_roles(struct validation *validation, const struct linker_profile *profile)
{
    const struct role roles[] = {
        {"code", profile->code_region, ACCESS_EXECUTE, true},
        {"data", profile->data_region, ACCESS_WRITE, false},
        {"stack", profile->stack_region, ACCESS_WRITE, false},
        {"image", profile->image_region, ACCESS_READ, true},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        validate_role(validation, profile, &roles[i]);
    }
}

static void validate_section_name(struct validation *validation, const struct native_sections *native, const char *name)
{
    if (name != NULL && !is_section_name(name)) {
        validation_fail(validation, DIAG_BAD_NAME, native->span,
                        "the section name '%s' must be made of letters, digits, '.', '_', '-' and '$'",
                        validation_shown(validation, name));
    }
}

static void validate_native(struct validation *validation, const struct linker_profile *profile)
{
    for (size_t i = 0; i < profile->native_count; i++) {
        const struct native_sections *native = &profile->native[i];
        const char *region_name = validation_shown(validation, validation->soc->regions[native->region].name);
        validate_section_name(validation, native, native->bss);
        validate_section_name(validation, native, native->data);
        validate_section_name(validation, native, native->code);
        validate_section_name(validation, native, native->rodata);
        if (profile_window(profile, native->region) == NULL) {
            validation_fail(validation, DIAG_ROLE_WITHOUT_WINDOW, native->span,
                            "profile '%s' has native sections for %s but no window of that region",
                            validation_shown(validation, profile->name), region_name);
        }
        for (size_t j = 0; j < i; j++) {
            if (profile->native[j].region == native->region) {
                validation_fail(validation, DIAG_DUPLICATE_NAME, native->span, "profile '%s' has native sections for %s twice",
                                validation_shown(validation, profile->name), region_name);
            }
        }
    }
}

void validate_profiles(struct validation *validation)
{
    const struct soc *soc = validation->soc;
    for (size_t i = 0; i < soc->profile_count; i++) {
        validate_profile_name(validation, i);
        validate_windows(validation, &soc->profiles[i]);
        validate_roles(validation, &soc->profiles[i]);
        validate_native(validation, &soc->profiles[i]);
    }
}
