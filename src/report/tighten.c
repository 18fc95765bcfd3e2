#include "report/tighten.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "base/size.h"

bool tighten_size(uint64_t allocated, const char *headroom, uint64_t *headroom_bytes, uint64_t *arena_size)
{
    uint64_t extra = 0;
    uint64_t sum = 0;
    const bool read =
        text_ends_with(headroom, "%") ? size_parse_percent(headroom, allocated, &extra) : size_parse(headroom, &extra);
    if (!read || !size_add_checked(allocated, extra, &sum) || !size_align_checked(sum, TIGHTEN_GRANULE, &sum) ||
        sum > SIZE_LIMIT) {
        return false;
    }
    *headroom_bytes = extra;
    *arena_size = sum;
    return true;
}

/* ---- both plans, region by region: the same problem but for one size, so they have the same memories ---- */

static const char *change_text(struct text *out, uint64_t now, uint64_t then)
{
    if (now == then) {
        return "0";
    }
    return now > then ? arena_format(out->arena, "%" PRIu64, now - then) : arena_format(out->arena, "-%" PRIu64, then - now);
}

static void add_regions(const struct tightening *tightening, struct text *out)
{
    text_print(out, "\nMemory (planned), bytes:\n  %-8s  %10s  %10s  %10s\n", "region", "used now", "used then", "freed");
    for (size_t i = 0; i < tightening->now->region_count; i++) {
        const struct region_usage *now = &tightening->now->regions[i];
        const struct region_usage *then = &tightening->then->regions[i];
        text_print(out, "  %-8s  %10" PRIu64 "  %10" PRIu64 "  %10s%s\n", tightening->now->problem->memories[now->memory].name,
                   now->used, then->used, change_text(out, now->used, then->used), then->overflow ? "   OVERFLOW" : "");
    }
}

/* The automatic policy may choose another memory for a smaller arena. */
static bool moves(const struct tightening *tightening, size_t allocation, const char **now, const char **then)
{
    const struct memory_plan *plans[] = {tightening->now, tightening->then};
    const char *names[2];
    for (size_t p = 0; p < 2; p++) {
        names[p] = plans[p]->problem->memories[plans[p]->allocations[allocation].binding.memory].name;
    }
    *now = names[0];
    *then = names[1];
    return !text_equal(names[0], names[1]);
}

static const char *unit_name(const struct tightening *tightening, size_t allocation)
{
    return tightening->now->problem->model->tensors[tightening->now->allocations[allocation].tensor].id;
}

static void add_moves(const struct tightening *tightening, struct text *out)
{
    const char *now;
    const char *then;
    for (size_t i = 0; i < tightening->now->allocation_count; i++) {
        if (moves(tightening, i, &now, &then)) {
            text_print(out, "%s moves from %s to %s.\n", unit_name(tightening, i), now, then);
        }
    }
}

/* The dotted key as YAML: one line a step. */
static void add_line(const struct tightening *tightening, struct text *out)
{
    size_t depth = 0;
    const char *step = tightening->key;
    for (const char *dot = strchr(step, '.'); dot != NULL; dot = strchr(step, '.')) {
        text_print(out, "%*s%.*s:\n", (int)(2 * depth++), "", (int)(dot - step), step);
        step = dot + 1;
    }
    text_print(out, "%*s%s: %" PRIu64 "\n", (int)(2 * depth), "", step, tightening->arena_size);
}

void report_tightening_text(const struct tightening *tightening, struct text *out)
{
    text_print(out, "Reported: %" PRIu64 " B used, of an arena of %" PRIu64 " B (%s)\n", tightening->allocated,
               tightening->present, tightening->present_where);
    text_print(out, "Headroom: %" PRIu64 " B (%s), the sum rounded up to %" PRIu64 " B\n", tightening->headroom,
               tightening->headroom_text, TIGHTEN_GRANULE);
    text_add(out, "Write:\n\n");
    add_line(tightening, out);
    add_regions(tightening, out);
    add_moves(tightening, out);
    if (tightening->allocated > tightening->present) {
        text_print(out, "\nMore was reported than the arena has here: the run had another arena_size.\n");
    }
    if (tightening->allocated < tightening->network_peak) {
        text_print(out,
                   "\n%" PRIu64
                   " B of this model's activations are alive at one operator, more than was reported: was it this model?\n",
                   tightening->network_peak);
    }
    text_add(out, "\nThen run again: the firmware must still allocate its tensors, and each region must hold.\n");
}

static struct json *regions_json(const struct tightening *tightening)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < tightening->now->region_count; i++) {
        const struct region_usage *now = &tightening->now->regions[i];
        const struct region_usage *then = &tightening->then->regions[i];
        struct json *object = json_new_object();
        json_set(object, "region", json_text(tightening->now->problem->memories[now->memory].name));
        json_set(object, "used_now", json_size(now->used));
        json_set(object, "used_then", json_size(then->used));
        json_set(object, "freed", json_signed((int64_t)now->used - (int64_t)then->used));
        json_set(object, "overflow", json_bool(then->overflow));
        json_add(array, object);
    }
    return array;
}

static struct json *moves_json(const struct tightening *tightening)
{
    struct json *array = json_new_array();
    const char *now;
    const char *then;
    for (size_t i = 0; i < tightening->now->allocation_count; i++) {
        if (moves(tightening, i, &now, &then)) {
            struct json *object = json_new_object();
            json_set(object, "name", json_text(unit_name(tightening, i)));
            json_set(object, "from", json_text(now));
            json_set(object, "to", json_text(then));
            json_add(array, object);
        }
    }
    return array;
}

void report_tightening_json(const struct tightening *tightening, struct text *out)
{
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/tighten/1"));
    json_set(root, "engine", json_text(engine_names[tightening->now->problem->engine]));
    json_set(root, "allocated", json_size(tightening->allocated));
    json_set(root, "headroom", json_size(tightening->headroom));
    json_set(root, "key", json_text(tightening->key));
    json_set(root, "arena_size", json_size(tightening->arena_size));
    json_set(root, "present", json_size(tightening->present));
    json_set(root, "present_where", json_text(tightening->present_where));
    json_set(root, "network_peak", json_size(tightening->network_peak));
    json_set(root, "memory_regions", regions_json(tightening));
    json_set(root, "moves", moves_json(tightening));
    json_finish(root, false, out);
}
