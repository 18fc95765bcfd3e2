/* A SoC as a table and as JSON: its memories, what each linker profile may use of them, and where every number was read. */
#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/size.h"
#include "report/report.h"

/* Names are at most 64 bytes in a validated SoC; wider columns than this would not help a reader. */
#define WIDEST_COLUMN 24

static int widest(int width, const char *text)
{
    size_t size = strlen(text);
    return size <= (size_t)width ? width : size < WIDEST_COLUMN ? (int)size : WIDEST_COLUMN;
}

/* "rwx", "rx": the letters that apply. */
static const char *access_text(struct arena *arena, unsigned access)
{
    return arena_format(arena, "%s%s%s", (access & ACCESS_READ) != 0 ? "r" : "", (access & ACCESS_WRITE) != 0 ? "w" : "",
                        (access & ACCESS_EXECUTE) != 0 ? "x" : "");
}

static const char *region_name(const struct soc *soc, uint32_t region)
{
    return soc->regions[region].name;
}

/* Takes the first item of a list written as one text; `*rest` is what follows its separator, or NULL. */
static const char *take_item(struct arena *arena, const char **rest, const char *separator)
{
    const char *item = *rest;
    const char *end = strstr(item, separator);
    *rest = end != NULL ? end + strlen(separator) : NULL;
    return arena_copy(arena, item, end != NULL ? (size_t)(end - item) : strlen(item));
}

/* ---- table ---- */

/* Free text of the file, which may hold anything, as a terminal may see it. */
static const char *printable(struct text *out, const char *text)
{
    return text_printable(out->arena, text, strlen(text));
}

/* "    note      three banks", each line of the text with the label; nothing if there is no such text. */
static void add_remark(struct text *out, const char *label, const char *text)
{
    while (text != NULL) {
        const char *line = take_item(out->arena, &text, "\n");
        text_print(out, "    %-10s%s\n", label, printable(out, line));
    }
}

static void add_head_line(struct text *out, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        text_print(out, "%-18s%s\n", label, printable(out, text));
}

static const char *order_text(const struct soc *soc, struct arena *arena)
{
    struct text text = text_start(arena);
    for (size_t i = 0; i < soc->memory_order_count; i++)
        text_print(&text, "%s%s", i > 0 ? ", " : "", region_name(soc, soc->memory_order[i]));
    return text.data;
}

/* "12000000, 24000000 Hz"; "" if there are none. */
static const char *clocks_text(const struct soc *soc, struct arena *arena)
{
    struct text text = text_start(arena);
    for (size_t i = 0; i < soc->psram_clock_count; i++)
        text_print(&text, "%s%" PRIu64, i > 0 ? ", " : "", soc->psram_clocks_hz[i]);
    text_add(&text, soc->psram_clock_count > 0 ? " Hz" : "");
    return text.data;
}

static void add_head(const struct soc *soc, struct text *out)
{
    struct arena *arena = out->arena;
    add_head_line(out, "soc", soc->name);
    add_head_line(out, "vendor", soc->vendor);
    add_head_line(out, "description", soc->description);
    add_head_line(out, "core", soc->core);
    add_head_line(out, "compiler flags", text_join(arena, soc->flags, soc->flag_count, " "));
    add_head_line(out, "elf", arena_format(arena, "%s, %u-bit", soc->elf_machine, soc->elf_class));
    add_head_line(out, "minimum alignment", arena_format(arena, "%" PRIu64 " B", soc->minimum_alignment));
    add_head_line(out, "memory order", order_text(soc, arena));
    add_head_line(out, "npu", soc->npu);
    if (soc->pmu_max_ops > 0)
        add_head_line(out, "pmu operators", arena_format(arena, "%" PRIu32, soc->pmu_max_ops));
    add_head_line(out, "psram clocks", clocks_text(soc, arena));
    add_head_line(out, "source", soc->source);
    add_head_line(out, "emulator", soc->emulator);
    add_head_line(out, "note", soc->note);
}

/* What the region is for, beside its access. */
static const char *use_text(const struct region *region, struct arena *arena)
{
    struct text text = text_start(arena);
    text_add(&text, region->data ? "data" : "no data");
    if (region->holds_image)
        text_add(&text, ", load images");
    if (region->needs_power)
        text_add(&text, ", needs power");
    if (!region->npu_access)
        text_add(&text, ", not for the NPU");
    if (region->minimum_alignment > 1)
        text_print(&text, ", aligned to %" PRIu64, region->minimum_alignment);
    return text.data;
}

static void add_carve_out(const struct carve_out *carve_out, struct text *out)
{
    const char *profiles = carve_out->profile_count == 0
                               ? "every profile"
                               : text_join(out->arena, carve_out->profiles, carve_out->profile_count, ", ");
    text_print(out, "    %-10s0x%08" PRIx64 "  %" PRIu64 " B  %s; %s", "carve-out", carve_out->origin, carve_out->length,
               printable(out, carve_out->name), printable(out, profiles));
    text_print(out, " [%s]\n", carve_out->source != NULL ? printable(out, carve_out->source) : "no source");
}

static void add_region_details(const struct region *region, struct text *out)
{
    for (size_t i = 0; i < region->alias_count; i++) {
        const struct region_alias *alias = &region->aliases[i];
        text_print(out, "    %-10s0x%08" PRIx64 "  %s [%s]\n", "alias", alias->origin, printable(out, alias->name),
                   alias->source != NULL ? printable(out, alias->source) : "no source");
    }
    for (size_t i = 0; i < region->carve_out_count; i++)
        add_carve_out(&region->carve_outs[i], out);
    add_remark(out, "source", region->source);
    add_remark(out, "note", region->note);
    add_remark(out, "conflict", region->conflict);
}

static int region_width(const struct soc *soc)
{
    int width = widest(0, "region");
    for (size_t i = 0; i < soc->region_count; i++)
        width = widest(width, soc->regions[i].name);
    return width;
}

static void add_regions(const struct soc *soc, struct text *out)
{
    int width = region_width(soc);
    text_print(out, "\n%-*s  %-8s  %-10s  %12s  %9s  %-6s  use\n", width, "region", "tier", "origin", "bytes", "size", "access");
    for (size_t i = 0; i < soc->region_count; i++) {
        const struct region *region = &soc->regions[i];
        text_print(out, "%-*s  %-8s  0x%08" PRIx64 "  %12" PRIu64 "  %9s  %-6s  %s\n", width, region->name,
                   tier_names[region->tier], region->origin, region->length, size_format(out->arena, region->length),
                   access_text(out->arena, region->access), use_text(region, out->arena));
        add_region_details(region, out);
    }
}

static void add_native(const struct native_sections *native, const char *region, struct text *out)
{
    const struct {
        const char *kind;
        const char *section;
        const char *usual; /* what "" stands for */
    } rows[] = {
        {"bss", native->bss, ".bss"},
        {"data", native->data, ".data"},
        {"code", native->code, ".text"},
        {"rodata", native->rodata, ".rodata"},
    };
    text_print(out, "    %-10s%s:", "sections", region);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].section != NULL)
            text_print(out, " %s %s", rows[i].kind, rows[i].section[0] != '\0' ? rows[i].section : rows[i].usual);
    }
    text_add_char(out, '\n');
}

static void add_window(const struct soc *soc, const struct window *window, int width, struct text *out)
{
    const struct region *region = &soc->regions[window->region];
    text_print(out, "  %-*s  0x%08" PRIx64 "  %12" PRIu64 "  %9s  of %9s  %s\n", width, region->name, window->origin,
               window->length, size_format(out->arena, window->length), size_format(out->arena, region->length),
               window->linker_name);
    add_remark(out, "source", window->source);
    add_remark(out, "note", window->note);
    add_remark(out, "conflict", window->conflict);
}

static void add_profile(const struct soc *soc, size_t index, struct text *out)
{
    const struct linker_profile *profile = &soc->profiles[index];
    text_print(out, "\nprofile %s (%s%s)\n", profile->name, index == soc->default_profile ? "default, " : "",
               profile->verified ? "verified" : "not verified");
    text_print(out, "  code %s, data %s, stack %s, load images %s\n", region_name(soc, profile->code_region),
               region_name(soc, profile->data_region), region_name(soc, profile->stack_region),
               region_name(soc, profile->image_region));
    for (size_t i = 0; i < profile->window_count; i++)
        add_window(soc, &profile->windows[i], region_width(soc), out);
    for (size_t i = 0; i < profile->native_count; i++)
        add_native(&profile->native[i], region_name(soc, profile->native[i].region), out);
    add_remark(out, "note", profile->note);
    add_remark(out, "conflict", profile->conflict);
}

static void add_sources(const struct soc *soc, struct text *out)
{
    if (soc->source_count > 0)
        text_add(out, "\nsources\n");
    for (size_t i = 0; i < soc->source_count; i++) {
        const struct soc_source *source = &soc->sources[i];
        text_print(out, "  %s\n", printable(out, source->key));
        text_print(out, "    %s, %s\n", printable(out, source->repository), printable(out, source->path));
        add_remark(out, "commit", source->commit);
        add_remark(out, "note", source->note);
    }
}

void report_soc_table(const struct soc *soc, struct text *out)
{
    add_head(soc, out);
    add_regions(soc, out);
    for (size_t i = 0; i < soc->profile_count; i++)
        add_profile(soc, i, out);
    add_sources(soc, out);
}

/* ---- JSON: the registry file again, which the registry reads ---- */

/* A key whose text is absent in the file is absent here. */
static void set_text(struct json *object, const char *key, const char *text)
{
    if (text != NULL)
        json_set(object, key, json_text(text));
}

static struct json *texts_json(const char *const *items, size_t count)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < count; i++)
        json_add(array, json_text(items[i]));
    return array;
}

/* A list written as one text; empty for NULL. */
static struct json *list_json(struct arena *arena, const char *text, const char *separator)
{
    struct json *array = json_new_array();
    while (text != NULL)
        json_add(array, json_text(take_item(arena, &text, separator)));
    return array;
}

static struct json *source_json(struct arena *arena, const char *source)
{
    return list_json(arena, source, ", ");
}

static struct json *aliases_json(struct arena *arena, const struct region *region)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < region->alias_count; i++) {
        struct json *row = json_new_object();
        json_set(row, "name", json_text(region->aliases[i].name));
        json_set(row, "origin", json_address(region->aliases[i].origin));
        json_set(row, "source", source_json(arena, region->aliases[i].source));
        json_add(array, row);
    }
    return array;
}

static struct json *carve_outs_json(struct arena *arena, const struct region *region)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < region->carve_out_count; i++) {
        const struct carve_out *carve_out = &region->carve_outs[i];
        struct json *row = json_new_object();
        json_set(row, "name", json_text(carve_out->name));
        json_set(row, "origin", json_address(carve_out->origin));
        json_set(row, "length", json_size(carve_out->length));
        if (carve_out->profile_count > 0)
            json_set(row, "profiles", texts_json(carve_out->profiles, carve_out->profile_count));
        json_set(row, "source", source_json(arena, carve_out->source));
        json_add(array, row);
    }
    return array;
}

static struct json *regions_json(struct arena *arena, const struct soc *soc)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < soc->region_count; i++) {
        const struct region *region = &soc->regions[i];
        struct json *row = json_new_object();
        json_set(row, "name", json_text(region->name));
        json_set(row, "tier", json_text(tier_names[region->tier]));
        json_set(row, "origin", json_address(region->origin));
        json_set(row, "length", json_size(region->length));
        json_set(row, "access", json_text(access_text(arena, region->access)));
        json_set(row, "data", json_bool(region->data));
        json_set(row, "holds_image", json_bool(region->holds_image));
        json_set(row, "needs_power", json_bool(region->needs_power));
        json_set(row, "npu_access", json_bool(region->npu_access));
        json_set(row, "minimum_alignment", json_size(region->minimum_alignment));
        json_set(row, "aliases", aliases_json(arena, region));
        json_set(row, "carve_outs", carve_outs_json(arena, region));
        json_set(row, "source", source_json(arena, region->source));
        set_text(row, "note", region->note);
        json_set(row, "conflict", list_json(arena, region->conflict, "\n"));
        json_add(array, row);
    }
    return array;
}

static struct json *windows_json(struct arena *arena, const struct soc *soc, const struct linker_profile *profile)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < profile->window_count; i++) {
        const struct window *window = &profile->windows[i];
        struct json *row = json_new_object();
        json_set(row, "region", json_text(region_name(soc, window->region)));
        json_set(row, "origin", json_address(window->origin));
        json_set(row, "length", json_size(window->length));
        json_set(row, "linker_name", json_text(window->linker_name));
        json_set(row, "source", source_json(arena, window->source));
        set_text(row, "note", window->note);
        json_set(row, "conflict", list_json(arena, window->conflict, "\n"));
        json_add(array, row);
    }
    return array;
}

static struct json *native_json(const struct soc *soc, const struct linker_profile *profile)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < profile->native_count; i++) {
        const struct native_sections *native = &profile->native[i];
        struct json *row = json_new_object();
        json_set(row, "region", json_text(region_name(soc, native->region)));
        set_text(row, "bss", native->bss);
        set_text(row, "data", native->data);
        set_text(row, "code", native->code);
        set_text(row, "rodata", native->rodata);
        json_add(array, row);
    }
    return array;
}

static struct json *profiles_json(struct arena *arena, const struct soc *soc)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < soc->profile_count; i++) {
        const struct linker_profile *profile = &soc->profiles[i];
        struct json *row = json_new_object();
        json_set(row, "name", json_text(profile->name));
        json_set(row, "verified", json_bool(profile->verified));
        json_set(row, "code", json_text(region_name(soc, profile->code_region)));
        json_set(row, "data", json_text(region_name(soc, profile->data_region)));
        json_set(row, "stack", json_text(region_name(soc, profile->stack_region)));
        json_set(row, "image", json_text(region_name(soc, profile->image_region)));
        json_set(row, "windows", windows_json(arena, soc, profile));
        json_set(row, "native", native_json(soc, profile));
        set_text(row, "note", profile->note);
        json_set(row, "conflict", list_json(arena, profile->conflict, "\n"));
        json_add(array, row);
    }
    return array;
}

static struct json *sources_json(const struct soc *soc)
{
    struct json *object = json_new_object();
    for (size_t i = 0; i < soc->source_count; i++) {
        const struct soc_source *source = &soc->sources[i];
        struct json *row = json_new_object();
        json_set(row, "repository", json_text(source->repository));
        json_set(row, "path", json_text(source->path));
        json_set(row, "commit", json_text(source->commit));
        set_text(row, "note", source->note);
        json_set(object, source->key, row);
    }
    return object;
}

static struct json *order_json(const struct soc *soc)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < soc->memory_order_count; i++)
        json_add(array, json_text(region_name(soc, soc->memory_order[i])));
    return array;
}

static struct json *clocks_json(const struct soc *soc)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < soc->psram_clock_count; i++)
        json_add(array, json_size(soc->psram_clocks_hz[i]));
    return array;
}

void report_soc_json(const struct soc *soc, struct text *out)
{
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/soc/1"));
    json_set(root, "soc", json_text(soc->name));
    json_set(root, "vendor", json_text(soc->vendor));
    set_text(root, "description", soc->description);
    json_set(root, "core", json_text(soc->core));
    json_set(root, "flags", texts_json(soc->flags, soc->flag_count));
    json_set(root, "elf_machine", json_text(soc->elf_machine));
    json_set(root, "elf_class", json_size(soc->elf_class));
    json_set(root, "minimum_alignment", json_size(soc->minimum_alignment));
    set_text(root, "npu", soc->npu);
    if (soc->pmu_max_ops > 0)
        json_set(root, "pmu_max_ops", json_size(soc->pmu_max_ops));
    if (soc->psram_clock_count > 0)
        json_set(root, "psram_clocks_hz", clocks_json(soc));
    if (soc->source != NULL)
        json_set(root, "source", source_json(out->arena, soc->source));
    set_text(root, "emulator", soc->emulator);
    set_text(root, "note", soc->note);
    json_set(root, "memory_order", order_json(soc));
    json_set(root, "default_profile", json_text(soc->profiles[soc->default_profile].name));
    json_set(root, "regions", regions_json(out->arena, soc));
    json_set(root, "profiles", profiles_json(out->arena, soc));
    json_set(root, "sources", sources_json(soc));
    json_finish(root, false, out);
}
