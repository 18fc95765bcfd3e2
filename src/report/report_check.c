/* The table and the JSON of a check. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/size.h"
#include "report/percent.h"

/* Least widths of the columns, so that tables of different images look alike; what is wider widens its column. */
enum { NAME_WIDTH = 7, USED_WIDTH = 8, FREE_WIDTH = 8, CAPACITY_WIDTH = 8 };

struct cells {
    const char *name, *used, *free, *capacity, *reserved; /* reserved NULL: none */
    unsigned percent;
};

struct widths {
    int name, used, free, capacity;
};

static bool is_shown(const struct measured_region *region)
{
    return region->used != 0 || region->reserved != 0;
}

static struct cells cells_of(struct arena *arena, const struct measured_region *region)
{
    return (struct cells){.name = region->name,
                          .used = size_format(arena, region->used),
                          .free = size_format(arena, region->free),
                          .capacity = size_format(arena, region->capacity),
                          .reserved = region->reserved != 0 ? size_format(arena, region->reserved) : NULL,
                          .percent = percent_of(region->used, region->capacity)};
}

static void widen(int *width, const char *text)
{
    const size_t size = strlen(text);
    if (size > (size_t)*width && size < 1000) {
        *width = (int)size;
    }
}

static struct widths widths_of(const struct cells *rows, size_t count)
{
    struct widths widths = {.name = NAME_WIDTH, .used = USED_WIDTH, .free = FREE_WIDTH, .capacity = CAPACITY_WIDTH};
    for (size_t i = 0; i < count; i++) {
        widen(&widths.name, rows[i].name);
        widen(&widths.used, rows[i].used);
        widen(&widths.free, rows[i].free);
        widen(&widths.capacity, rows[i].capacity);
    }
    return widths;
}

static void add_row(const struct cells *cells, const struct widths *widths, struct text *out)
{
    text_print(out, "  %-*s  %-*s  %-*s  of %-*s %3u%%", widths->name, cells->name, widths->used, cells->used, widths->free,
               cells->free, widths->capacity, cells->capacity, cells->percent);
    if (cells->reserved) {
        text_print(out, "   Reserved %s", cells->reserved);
    }
    text_add_char(out, '\n');
}

static void add_detail(const struct measured_region *region, struct text *out)
{
    text_print(out,
               "    used %" PRIu64 "  free %" PRIu64 "  capacity %" PRIu64 "  reserved %" PRIu64 "  origin 0x%08" PRIx64 "\n"
               "    code %" PRIu64 "  rodata %" PRIu64 "  data %" PRIu64 "  bss %" PRIu64 "  load image %" PRIu64 "\n"
               "    padding %" PRIu64 "  largest free block %" PRIu64 "  high-water mark %" PRIu64 "\n",
               region->used, region->free, region->capacity, region->reserved, region->origin, region->code, region->rodata,
               region->data, region->bss, region->load_image, region->padding, region->largest_free_block, region->high_water);
}

static void add_heading(const struct check_result *result, struct text *out)
{
    const char *linker = linker_names[result->request->image->linker];
    text_print(out, "Memory (%s)", result->view);
    if (text_equal(result->view, "measured") && *linker != '\0') {
        text_print(out, " (%s link%s)", linker, result->packed ? ", packed" : "");
    }
    text_add(out, ":\n");
}

static void add_regions(const struct check_result *result, bool verbose, struct text *out)
{
    struct cells *rows = ARENA_ARRAY(out->arena, struct cells, result->region_count);
    size_t count = 0;
    for (size_t i = 0; i < result->region_count; i++) {
        if (is_shown(&result->regions[i])) {
            rows[count++] = cells_of(out->arena, &result->regions[i]);
        }
    }
    const struct widths widths = widths_of(rows, count);
    size_t row = 0;
    for (size_t i = 0; i < result->region_count; i++) {
        if (!is_shown(&result->regions[i])) {
            continue;
        }
        add_row(&rows[row++], &widths, out);
        if (verbose) {
            add_detail(&result->regions[i], out);
        }
    }
}

static const char *region_name(const struct check_result *result, uint32_t region)
{
    return region < result->request->soc->region_count ? result->request->soc->regions[region].name : "";
}

static void add_top(const struct check_result *result, struct text *out)
{
    for (size_t i = 0; i < result->top.count; i++) {
        const struct top_symbol *top = &result->top.items[i];
        if (i == 0 || result->top.items[i - 1].region != top->region) {
            text_print(out, "Largest in %s:\n", region_name(result, top->region));
        }
        text_print(out, "  %-10s %s", size_format(out->arena, top->size), top->symbol);
        if (top->source) {
            text_print(out, "  %s", top->source);
        }
        text_add_char(out, '\n');
    }
}

static size_t count_level(const struct check_result *result, enum diag_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < result->findings.count; i++) {
        count += result->findings.items[i].level == level;
    }
    return count;
}

static void add_verdict(const struct check_result *result, struct text *out)
{
    const size_t errors = count_level(result, DIAG_ERROR);
    const size_t warnings = count_level(result, DIAG_WARNING);
    if (errors == 0 && warnings == 0) {
        bool has_plan = result->request->planned != NULL || result->request->embedded_count > 0;
        text_print(out, "check: ok%s\n", has_plan ? "" : " (measured only: no plan is known for this image)");
    } else {
        text_print(out, "check: %zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
                   warnings == 1 ? "" : "s");
    }
}

void report_check_table(const struct check_result *result, bool verbose, struct text *out)
{
    add_heading(result, out);
    add_regions(result, verbose, out);
    add_top(result, out);
    for (size_t i = 0; i < result->findings.count; i++) {
        text_print(out, "%s: [%s] %s\n", diag_level_name(result->findings.items[i].level), result->findings.items[i].id,
                   result->findings.items[i].message);
    }
    add_verdict(result, out);
}

/* ---- JSON ---- */

static struct json *region_json(const struct measured_region *region)
{
    struct json *object = json_new_object();
    json_set(object, "region", json_text(region->name));
    json_set(object, "origin", json_address(region->origin));
    json_set(object, "capacity", json_size(region->capacity));
    json_set(object, "used", json_size(region->used));
    json_set(object, "reserved", json_size(region->reserved));
    json_set(object, "free", json_size(region->free));
    json_set(object, "percent", json_size(percent_of(region->used, region->capacity)));
    json_set(object, "code", json_size(region->code));
    json_set(object, "rodata", json_size(region->rodata));
    json_set(object, "data", json_size(region->data));
    json_set(object, "bss", json_size(region->bss));
    json_set(object, "load_image", json_size(region->load_image));
    return object;
}

static struct json *regions_json(const struct check_result *result)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < result->region_count; i++) {
        json_add(array, region_json(&result->regions[i]));
    }
    return array;
}

static struct json *outside_json(const struct check_result *result)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < result->outside.count; i++) {
        struct json *object = json_new_object();
        json_set(object, "section", json_text(result->outside.items[i].section));
        json_set(object, "address", json_address(result->outside.items[i].address));
        json_set(object, "size", json_size(result->outside.items[i].size));
        json_add(array, object);
    }
    return array;
}

static struct json *finding_json(const struct check_finding *finding)
{
    struct json *object = json_new_object();
    json_set(object, "id", json_text(finding->id));
    json_set(object, "level", json_text(diag_level_name(finding->level)));
    json_set(object, "region", json_text(finding->region));
    json_set(object, "section", json_text(finding->section));
    json_set(object, "symbol", json_text(finding->symbol));
    json_set(object, "message", json_text(finding->message));
    json_set(object, "need", finding->has_need ? json_size(finding->need) : json_nothing());
    json_set(object, "have", finding->has_need ? json_size(finding->have) : json_nothing());
    return object;
}

static struct json *findings_json(const struct check_result *result)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < result->findings.count; i++) {
        json_add(array, finding_json(&result->findings.items[i]));
    }
    return array;
}

static struct json *top_json(const struct check_result *result)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < result->top.count; i++) {
        const struct top_symbol *top = &result->top.items[i];
        struct json *object = json_new_object();
        json_set(object, "region", json_text(region_name(result, top->region)));
        json_set(object, "symbol", json_text(top->symbol));
        json_set(object, "size", json_size(top->size));
        json_set(object, "source", json_text(top->source));
        json_add(array, object);
    }
    return array;
}

void report_check_json(const struct check_result *result, struct text *out)
{
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/check/1"));
    json_set(root, "elf", json_text(result->request->image->path));
    json_set(root, "soc", json_text(result->request->soc->name));
    json_set(root, "profile", json_text(result->request->profile->name));
    json_set(root, "view", json_text(result->view));
    json_set(root, "ok", json_bool(result->ok));
    json_set(root, "memory_regions", regions_json(result));
    json_set(root, "outside", outside_json(result));
    json_set(root, "findings", findings_json(result));
    json_set(root, "top", top_json(result));
    json_finish(root, false, out);
}
