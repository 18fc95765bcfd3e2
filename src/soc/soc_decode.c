/* A SoC file's tree becomes a struct soc: names become indices, defaults are filled in. What the numbers mean to each other is
 * soc_validate()'s business. */
#include "soc/soc_convert.h"

/* The letters of `access`, each at most once and `r` among them. */
static bool read_access(const char *text, unsigned *access)
{
    static const struct {
        char letter;
        unsigned bit;
    } letters[] = {{'r', ACCESS_READ}, {'w', ACCESS_WRITE}, {'x', ACCESS_EXECUTE}};
    unsigned bits = 0;
    for (const char *c = text; *c != '\0'; c++) {
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
            bit |= letters[i].letter == *c ? letters[i].bit : 0;
        }
        if (bit == 0 || (bits & bit) != 0) {
            return false;
        }
        bits |= bit;
    }
    if ((bits & ACCESS_READ) == 0) {
        return false;
    }
    *access = bits;
    return true;
}

static unsigned convert_access(struct conversion *conversion, const struct text_value *value)
{
    unsigned access = ACCESS_READ;
    if (read_access(value->text, &access)) {
        return access;
    }
    diag_report(conversion->diagnostics, DIAG_BAD_VALUE, value->span, "'access' must be 'r', 'rw', 'rx' or 'rwx', not '%s'",
                node_printable(conversion->arena, value->text));
    conversion->failures++;
    return access;
}

static void convert_aliases(struct conversion *conversion, const struct region_record *record, struct region *region)
{
    if (!conversion_list_fits(conversion, record->aliases.count, record->aliases.span, "aliases")) {
        return;
    }
    const struct alias_record *records = record->aliases.items;
    region->alias_count = record->aliases.count;
    region->aliases = ARENA_ARRAY(conversion->arena, struct region_alias, region->alias_count);
    for (size_t i = 0; i < region->alias_count; i++) {
        region->aliases[i] = (struct region_alias){.name = records[i].name.text,
                                                   .origin = records[i].origin.value,
                                                   .source = conversion_source(conversion, &records[i].source),
                                                   .span = records[i].span};
    }
}

static struct carve_out convert_carve_out(struct conversion *conversion, const struct carve_out_record *record)
{
    struct carve_out carve_out = {.name = record->name.text,
                                  .origin = record->origin.value,
                                  .length = record->length.value,
                                  .source = conversion_source(conversion, &record->source),
                                  .span = record->span};
    if (!conversion_list_fits(conversion, record->profiles.count, record->profiles.span, "profiles")) {
        return carve_out;
    }
    carve_out.profiles = conversion_texts(conversion, &record->profiles);
    carve_out.profile_count = record->profiles.count;
    return carve_out;
}

static void convert_carve_outs(struct conversion *conversion, const struct region_record *record, struct region *region)
{
    if (!conversion_list_fits(conversion, record->carve_outs.count, record->carve_outs.span, "carve_outs")) {
        return;
    }
    const struct carve_out_record *records = record->carve_outs.items;
    region->carve_out_count = record->carve_outs.count;
    region->carve_outs = ARENA_ARRAY(conversion->arena, struct carve_out, region->carve_out_count);
    for (size_t i = 0; i < region->carve_out_count; i++) {
        region->carve_outs[i] = convert_carve_out(conversion, &records[i]);
    }
}

static struct region convert_region(struct conversion *conversion, const struct region_record *record)
{
    struct region region = {
        .name = record->name.text,
        .tier = (enum memory_tier)record->tier.value,
        .origin = record->origin.value,
        .length = record->length.value,
        .access = convert_access(conversion, &record->access),
        .data = !record->data.set || record->data.value,
        .holds_image = record->holds_image.value,
        .needs_power = record->needs_power.value,
        .npu_access = !record->npu_access.set || record->npu_access.value,
        .minimum_alignment = record->minimum_alignment.set ? record->minimum_alignment.value : 1,
        .source = conversion_source(conversion, &record->source),
        .note = record->note.text,
        .conflict = conversion_joined(conversion, &record->conflict, "\n"),
        .span = record->span,
    };
    convert_aliases(conversion, record, &region);
    convert_carve_outs(conversion, record, &region);
    return region;
}

static void convert_regions(struct conversion *conversion, const struct record_list *list, struct soc *soc)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "regions")) {
        return;
    }
    const struct region_record *records = list->items;
    soc->regions = ARENA_ARRAY(conversion->arena, struct region, list->count);
    soc->region_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        soc->regions[i] = convert_region(conversion, &records[i]);
    }
    conversion->regions = soc->regions;
    conversion->region_count = soc->region_count;
}

static void convert_memory_order(struct conversion *conversion, const struct text_list *list, struct soc *soc)
{
    soc->memory_order_span = list->span;
    if (!conversion_list_fits(conversion, list->count, list->span, "memory_order")) {
        return;
    }
    uint32_t *order = ARENA_ARRAY(conversion->arena, uint32_t, list->count);
    for (size_t i = 0; i < list->count; i++) {
        order[i] = conversion_region(conversion, &list->items[i]);
    }
    soc->memory_order = order;
    soc->memory_order_count = list->count;
}

static void convert_windows(struct conversion *conversion, const struct record_list *list, struct linker_profile *profile)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "windows")) {
        return;
    }
    const struct window_record *records = list->items;
    profile->windows = ARENA_ARRAY(conversion->arena, struct window, list->count);
    profile->window_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        profile->windows[i] = (struct window){.region = conversion_region(conversion, &records[i].region),
                                              .origin = records[i].origin.value,
                                              .length = records[i].length.value,
                                              .linker_name = records[i].linker_name.text,
                                              .source = conversion_source(conversion, &records[i].source),
                                              .note = records[i].note.text,
                                              .conflict = conversion_joined(conversion, &records[i].conflict, "\n"),
                                              .span = records[i].span};
    }
}

static void convert_native(struct conversion *conversion, const struct record_list *list, struct linker_profile *profile)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "native")) {
        return;
    }
    const struct native_record *records = list->items;
    profile->native = ARENA_ARRAY(conversion->arena, struct native_sections, list->count);
    profile->native_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        profile->native[i] = (struct native_sections){.region = conversion_region(conversion, &records[i].region),
                                                      .bss = records[i].bss.text,
                                                      .data = records[i].data.text,
                                                      .code = records[i].code.text,
                                                      .rodata = records[i].rodata.text,
                                                      .span = records[i].span};
    }
}

static struct linker_profile convert_profile(struct conversion *conversion, const struct profile_record *record)
{
    struct linker_profile profile = {
        .name = record->name.text,
        .verified = record->verified.value,
        .code_region = conversion_region(conversion, &record->code),
        .data_region = conversion_region(conversion, &record->data),
        .stack_region = conversion_region(conversion, &record->stack),
        .image_region = conversion_region(conversion, &record->image),
        .note = record->note.text,
        .conflict = conversion_joined(conversion, &record->conflict, "\n"),
        .span = record->span,
    };
    convert_windows(conversion, &record->windows, &profile);
    convert_native(conversion, &record->native, &profile);
    return profile;
}

static void convert_profiles(struct conversion *conversion, const struct record_list *list, struct soc *soc)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "profiles")) {
        return;
    }
    const struct profile_record *records = list->items;
    soc->profiles = ARENA_ARRAY(conversion->arena, struct linker_profile, list->count);
    soc->profile_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        soc->profiles[i] = convert_profile(conversion, &records[i]);
    }
}

static void convert_default_profile(struct conversion *conversion, const struct text_value *name, struct soc *soc)
{
    const struct linker_profile *profile = soc_find_profile(conversion->diagnostics, soc, name->text, name->span);
    if (profile == NULL) {
        conversion->failures++;
    } else {
        soc->default_profile = (uint32_t)(profile - soc->profiles);
    }
}

/* The profiles that a carve-out is limited to must exist: a slip of the pen would make the carve-out vanish. */
static void check_carve_out_profiles(struct conversion *conversion, const struct soc *soc, const struct soc_record *record)
{
    const struct region_record *regions = record->regions.items;
    for (size_t i = 0; i < soc->region_count; i++) {
        const struct carve_out_record *carve_outs = regions[i].carve_outs.items;
        for (size_t j = 0; j < soc->regions[i].carve_out_count; j++) {
            const struct text_list *profiles = &carve_outs[j].profiles;
            for (size_t k = 0; k < profiles->count && k < SOC_LIST_LIMIT; k++) {
                const struct text_value *name = &profiles->items[k];
                if (soc_find_profile(conversion->diagnostics, soc, name->text, name->span) == NULL) {
                    conversion->failures++;
                }
            }
        }
    }
}

static struct soc convert_head(const struct conversion *conversion, const struct soc_record *record)
{
    return (struct soc){
        .name = record->name.text,
        .vendor = record->vendor.text,
        .description = record->description.text,
        .core = record->core.text,
        .flags = conversion_texts(conversion, &record->flags),
        .flag_count = record->flags.count,
        .elf_machine = elf_machine_names[record->elf_machine.value],
        .elf_class = record->elf_class.set ? (unsigned)record->elf_class.value : 32,
        .minimum_alignment = record->minimum_alignment.set ? record->minimum_alignment.value : 1,
        .npu = record->npu.text,
        .pmu_max_ops = (uint32_t)record->pmu_max_ops.value,
        .emulator = record->emulator.text,
        .note = record->note.text,
        .span = record->name.span,
    };
}

static bool decode(struct conversion *conversion, const struct schema *schema, const struct node *root, struct soc *result)
{
    struct soc_record record = {0};
    if (!schema_decode(conversion->arena, conversion->diagnostics, schema, root, &record)) {
        return false;
    }
    *result = convert_head(conversion, &record);
    conversion_read_sources(conversion, &record.sources);
    result->source = conversion_source(conversion, &record.source);
    result->psram_clocks_hz = conversion_clocks(conversion, &record.psram_clocks_hz, &result->psram_clock_count);
    convert_regions(conversion, &record.regions, result);
    convert_memory_order(conversion, &record.memory_order, result);
    convert_profiles(conversion, &record.profiles, result);
    convert_default_profile(conversion, &record.default_profile, result);
    check_carve_out_profiles(conversion, result, &record);
    result->sources = conversion->sources;
    result->source_count = conversion->source_count;
    return conversion->failures == 0;
}

bool soc_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *path,
                struct bytes content, struct soc **soc)
{
    struct conversion conversion = {.arena = arena, .diagnostics = diagnostics};
    struct soc *result = ARENA_NEW(arena, struct soc);
    if (!decode(&conversion, &soc_schema, root, result)) {
        return false;
    }
    result->path = path;
    result->content = content;
    *soc = result;
    return true;
}

bool soc_decode_custom(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema, const struct node *root,
                       const char *path, struct soc **soc)
{
    struct conversion conversion = {.arena = arena, .diagnostics = diagnostics, .from_config = true};
    struct soc *result = ARENA_NEW(arena, struct soc);
    if (!decode(&conversion, schema, root, result)) {
        return false;
    }
    result->path = path;
    result->from_config = true;
    *soc = result;
    return true;
}
