/* A comparison for people. All sizes are bytes. */
#include <inttypes.h>
#include <string.h>

#include "report/compare.h"

/* Tensors that moved are listed up to this many, unless all are asked for. */
#define MOVED_LISTED 20

static const char *printable(struct text *out, const char *text)
{
    return text_printable(out->arena, text, strlen(text));
}

/* "+512", "-16", "0" */
static const char *change_text(struct text *out, uint64_t a, uint64_t b)
{
    return a == b ? "0" : arena_format(out->arena, "%s%" PRIu64, b > a ? "+" : "-", b > a ? b - a : a - b);
}

static void add_report(const char *label, const struct compared *report, struct text *out)
{
    const char *const facts[] = {report->soc, report->profile, report->engine, report->planner, report->elf, report->plan_hash};
    text_print(out, "%s  %s: %s", label, printable(out, report->path), report_kind_names[report->kind]);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (facts[i][0] != '\0') {
            text_print(out, ", %s", printable(out, facts[i]));
        }
    }
    text_add_char(out, '\n');
}

static const char *plan_unknowns(const struct compared *a, const struct compared *b)
{
    if (a->problem_hash[0] == '\0' || b->problem_hash[0] == '\0') {
        return "Comparable: same model, part and profile. Rules and budgets are not recorded in both plans and may differ.";
    }
    return text_equal(a->problem_hash, b->problem_hash)
               ? "Comparable: same model, part, profile, rules and budgets."
               : "Comparable with care: same model, part and profile, but rules, pins, budgets or alignments differ.";
}

/* What the files do not tell, and therefore nobody has compared. */
static const char *unknowns(const struct comparison *comparison)
{
    if (comparison->same_placement) {
        return "Same resolved placement: equal hashes.";
    }
    switch (comparison->a->kind) {
    case REPORT_PLAN:
        return plan_unknowns(comparison->a, comparison->b);
    case REPORT_RESIDENCY:
        return "Comparable: same model. Part, profile, rules and budgets are not recorded in residency reports and may differ.";
    case REPORT_CHECK:
    case REPORT_KIND_COUNT:
        break;
    }
    return "Comparable: same part, profile and view. What was linked is not recorded in check reports and may differ.";
}

static const char *value_text(struct text *out, const char *value)
{
    return value[0] == '\0' ? "none" : printable(out, value);
}

static void add_verdict(const struct comparison *comparison, struct text *out)
{
    text_print(out, "\n%s\n", comparison->comparable ? unknowns(comparison) : "Not comparable: what must be equal differs.");
    for (size_t i = 0; i < comparison->unequal.count; i++) {
        const struct unequal *unequal = &comparison->unequal.items[i];
        text_print(out, "  %s: %s in A, %s in B\n", printable(out, unequal->what), value_text(out, unequal->a),
                   value_text(out, unequal->b));
    }
    if (comparison->unlisted > 0) {
        text_print(out, "  and %zu more differences between tensors\n", comparison->unlisted);
    }
}

static void add_arenas(const struct comparison *comparison, struct text *out)
{
    if (comparison->arenas.count == 0) {
        return;
    }
    text_print(out, "\nArenas:\n  %-10s  %-8s  %10s  %10s  %10s  %11s  %11s  %7s  %7s\n", "role", "memory", "used A", "used B",
               "change", "peak live A", "peak live B", "frag. A", "frag. B");
    for (size_t i = 0; i < comparison->arenas.count; i++) {
        const struct compared_arena *a = comparison->arenas.items[i].a;
        const struct compared_arena *b = comparison->arenas.items[i].b;
        const struct compared_arena *any = a != NULL ? a : b;
        const struct compared_arena none = {0};
        a = a != NULL ? a : &none;
        b = b != NULL ? b : &none;
        text_print(out, "  %-10s  %-8s  %10" PRIu64 "  %10" PRIu64 "  %10s  %11" PRIu64 "  %11" PRIu64 "  %6.1f%%  %6.1f%%\n",
                   printable(out, any->role), printable(out, any->memory), a->used, b->used, change_text(out, a->used, b->used),
                   a->peak_live, b->peak_live, 100.0 * compared_fragmentation(a), 100.0 * compared_fragmentation(b));
    }
}

static void add_regions(const struct comparison *comparison, struct text *out)
{
    if (comparison->regions.count == 0) {
        return;
    }
    text_print(out, "\nRegions:\n  %-8s  %10s  %10s  %10s\n", "region", "used A", "used B", "change");
    for (size_t i = 0; i < comparison->regions.count; i++) {
        const struct compared_region *a = comparison->regions.items[i].a;
        const struct compared_region *b = comparison->regions.items[i].b;
        const uint64_t used_a = a != NULL ? a->used : 0;
        const uint64_t used_b = b != NULL ? b->used : 0;
        text_print(out, "  %-8s  %10" PRIu64 "  %10" PRIu64 "  %10s\n", printable(out, a != NULL ? a->name : b->name), used_a,
                   used_b, change_text(out, used_a, used_b));
    }
}

/* "DTCM 128", "SRAM 0 from MRAM" */
static const char *place_text(struct text *out, const struct compared_tensor *tensor)
{
    const char *place = arena_format(out->arena, "%s %" PRIu64, printable(out, tensor->memory), tensor->offset);
    return text_equal(tensor->memory, tensor->source_memory)
               ? place
               : arena_format(out->arena, "%s from %s", place, printable(out, tensor->source_memory));
}

static void add_moved(const struct comparison *comparison, bool verbose, struct text *out)
{
    const size_t count = comparison->moved.count;
    const size_t shown = verbose || count < MOVED_LISTED ? count : MOVED_LISTED;
    if (comparison->a->kind == REPORT_CHECK) {
        return;
    }
    text_print(out, "\nTensors at another place: %zu of %zu%s\n", count, comparison->a->tensor_count,
               count > 0 ? " (memory and offset)" : "");
    for (size_t i = 0; i < shown; i++) {
        const struct tensor_pair *pair = &comparison->moved.items[i];
        text_print(out, "  %s: %s in A, %s in B, %" PRIu64 " B\n", printable(out, pair->a->id), place_text(out, pair->a),
                   place_text(out, pair->b), pair->b->size);
    }
    if (shown < count) {
        text_print(out, "  and %zu more; -v lists all\n", count - shown);
    }
}

static void add_totals(const struct comparison *comparison, struct text *out)
{
    static const char *const roles[] = {"scratch", "persistent", "constant"};
    if (comparison->a->kind == REPORT_CHECK) {
        text_print(out, "\nFindings: %" PRIu64 " in A, %" PRIu64 " in B\n", comparison->a->finding_count,
                   comparison->b->finding_count);
        return;
    }
    text_add(out, "\nTotals:\n");
    for (size_t i = 0; i < 3; i++) {
        const uint64_t a = compared_total(comparison->a, roles[i]);
        const uint64_t b = compared_total(comparison->b, roles[i]);
        text_print(out, "  %-10s  %10" PRIu64 "  %10" PRIu64 "  %10s\n", roles[i], a, b, change_text(out, a, b));
    }
}

void report_comparison_text(const struct comparison *comparison, bool verbose, struct text *out)
{
    add_report("A", comparison->a, out);
    add_report("B", comparison->b, out);
    add_verdict(comparison, out);
    add_arenas(comparison, out);
    add_regions(comparison, out);
    add_moved(comparison, verbose, out);
    add_totals(comparison, out);
}
