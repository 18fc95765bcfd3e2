#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"

/* ---- figures ---- */

enum measure { TIME, RATIO_MEAN, RATIO_WORST, AT_BOUND, MEASURE_COUNT };
static const char *const measure_names[MEASURE_COUNT] = {"time, ms", "mean peak / bound", "worst peak / bound",
                                                         "share at the bound"};

/* Models with so many operators are the ones that can go wrong. */
#define MANY_OPERATORS 10u

/* Figures that others reach: published, measured on one machine with one thread, or goals. `scope`: an instance, a group, or
 * "model10", the models of ten or more operators. */
static const struct yardstick {
    const char *scope;
    enum measure measure;
    const char *planner;
    double value;
    const char *whose;
} yardsticks[] = {
    {"chain2000", TIME, "greedy", 0.5, "goal"},
    {"chain2000", TIME, "greedy", 120, "documented system"},
    {"chain2000", TIME, "greedy", 0.28, "plain C"},
    {"chain2000", TIME, "hill_climb", 2, "goal"},
    {"chain2000", TIME, "hill_climb", 3300, "documented system"},
    {"chain2000", TIME, "hill_climb", 1.2, "plain C"},
    {"chain2000", TIME, "optimal", 5, "goal"},
    {"random_100000", TIME, "greedy", 50, "goal"},
    {"random_100000", TIME, "greedy", 33, "plain C, list of live slots"},
    {"random_100000", TIME, "greedy_by_size", 500, "goal"},
    {"random_100000", TIME, "greedy_by_size", 1200, "plain C, conflict lists"},
    {"hard", RATIO_MEAN, "greedy", 1.571, "first fit by start"},
    {"hard", RATIO_MEAN, "greedy", 1.512, "ExecuTorch"},
    {"hard", RATIO_MEAN, "greedy", 1.952, "TVM"},
    {"hard", RATIO_MEAN, "greedy_by_size", 1.340, "largest first, TFLM"},
    {"hard", RATIO_MEAN, "hill_climb", 1.269, "hill climb as documented"},
    {"hard", RATIO_MEAN, "hill_climb", 1.250, "Vela hill climb"},
    {"hard", RATIO_MEAN, "hill_climb", 1.160, "guided hill climb, up to 10 s"},
    {"hard", RATIO_MEAN, "optimal", 1.070, "no heuristic is below"},
    {"model", AT_BOUND, "greedy", 0.664, "first fit by start, of 247"},
    {"model", AT_BOUND, "greedy", 0.628, "TVM, of 247"},
    {"model", AT_BOUND, "greedy_by_size", 0.903, "largest first, of 247"},
    {"model", AT_BOUND, "greedy_by_size", 0.887, "TFLM, of 247"},
    {"model", AT_BOUND, "hill_climb", 0.984, "hill climb as documented, of 247"},
    {"model", AT_BOUND, "optimal", 1.0, "complete search, of 247"},
    {"model", RATIO_WORST, "greedy", 1.486, "first fit by start"},
    {"model", RATIO_WORST, "greedy_by_size", 1.429, "largest first"},
    {"model", RATIO_WORST, "hill_climb", 1.125, "hill climb as documented"},
    {"model", RATIO_WORST, "optimal", 1.0, "complete search"},
    {"model10", AT_BOUND, "greedy", 0.121, "first fit by start, of 91"},
    {"model10", AT_BOUND, "greedy_by_size", 0.736, "largest first, of 91"},
    {"model10", AT_BOUND, "hill_climb", 0.956, "hill climb as documented, of 91"},
    {"model10", AT_BOUND, "optimal", 1.0, "complete search, of 91"},
};
#define YARDSTICK_COUNT (sizeof yardsticks / sizeof yardsticks[0])

static bool is_in_scope(const struct instance *instance, const char *scope)
{
    if (text_equal(scope, "model10")) {
        return text_equal(instance->group, "model") && instance->operator_count >= MANY_OPERATORS;
    }
    return text_equal(instance->group, scope) || text_equal(instance->name, scope);
}

/* A planner over all instances of a scope. */
struct summary {
    size_t count;
    size_t at_bound;
    double milliseconds; /* of all of them */
    double ratio_sum;
    double ratio_worst;
};

static struct summary summarize(const struct bench *bench, const char *scope, size_t planner)
{
    struct summary summary = {0};
    for (size_t i = 0; i < bench->instances.count; i++) {
        const struct instance *instance = &bench->instances.items[i];
        const struct result *result = &instance->results[planner];
        if (!is_in_scope(instance, scope)) {
            continue;
        }
        summary.count++;
        summary.at_bound += result->total == instance->bound;
        summary.milliseconds += result->milliseconds;
        summary.ratio_sum += result->ratio;
        summary.ratio_worst = result->ratio > summary.ratio_worst ? result->ratio : summary.ratio_worst;
    }
    return summary;
}

static double mean_ratio(const struct summary *summary)
{
    return summary->count == 0 ? 1.0 : summary->ratio_sum / (double)summary->count;
}

static double figure_of(const struct summary *summary, enum measure measure)
{
    switch (measure) {
    case TIME:
        return summary->milliseconds;
    case RATIO_MEAN:
        return mean_ratio(summary);
    case RATIO_WORST:
        return summary->ratio_worst;
    default:
        return summary->count == 0 ? 1.0 : (double)summary->at_bound / (double)summary->count;
    }
}

static size_t shown_planners(void)
{
    return planner_count < PLANNERS_MOST ? planner_count : PLANNERS_MOST;
}

/* The planner's place in planners[], or their number. */
static size_t find_planner(const char *name)
{
    size_t place = 0;
    while (place < shown_planners() && !text_equal(planners[place].name, name)) {
        place++;
    }
    return place;
}

static bool is_measured(const struct bench *bench, const struct yardstick *yardstick)
{
    size_t planner = find_planner(yardstick->planner);
    return planner < shown_planners() && summarize(bench, yardstick->scope, planner).count > 0;
}

/* Each once, in the order in which they were measured; names of groups, and "model10" behind "model". */
static size_t list_scopes(const struct bench *bench, const char *scopes[16])
{
    size_t count = 0;
    for (size_t i = 0; i < bench->instances.count; i++) {
        const char *group = bench->instances.items[i].group;
        bool known = false;
        for (size_t k = 0; k < count; k++) {
            known = known || text_equal(scopes[k], group);
        }
        if (known || count + 2 > 16) {
            continue;
        }
        scopes[count++] = group;
        if (text_equal(group, "model")) {
            scopes[count++] = "model10";
        }
    }
    return count;
}

/* ---- tables ---- */

static void print_heading(const char *first)
{
    printf("\n%-26s %7s", first, "items");
    for (size_t p = 0; p < shown_planners(); p++) {
        printf("  %26s", planners[p].name);
    }
    printf("\n");
}

static void print_instance(const struct instance *instance)
{
    printf("%-26s %7zu", instance->name, instance->item_count);
    for (size_t p = 0; p < shown_planners(); p++) {
        const struct result *result = &instance->results[p];
        double bytes = instance->item_count == 0 ? 0.0 : (double)result->work_bytes / (double)instance->item_count;
        printf("  %9.3f ms %6.4f%c %4.0f B", result->milliseconds, result->ratio, result->proven_optimal ? '*' : ' ', bytes);
        if (result->fault != NULL) {
            printf(" FAULT: %s", result->fault);
        }
    }
    printf("\n");
}

static void print_scope(const struct bench *bench, const char *scope)
{
    struct summary first = summarize(bench, scope, 0);
    printf("%-26s %7zu", scope, first.count);
    for (size_t p = 0; p < shown_planners(); p++) {
        struct summary summary = summarize(bench, scope, p);
        printf("  %4zu %6.4f %6.4f %6.2fx", summary.at_bound, mean_ratio(&summary), summary.ratio_worst,
               first.milliseconds > 0 ? summary.milliseconds / first.milliseconds : 1.0);
    }
    printf("\n");
}

static void print_yardsticks(const struct bench *bench)
{
    printf("\n%-20s %-19s %-15s %10s %10s %8s  whose\n", "yardstick", "figure", "planner", "theirs", "ours", "ours/it");
    for (size_t i = 0; i < YARDSTICK_COUNT; i++) {
        const struct yardstick *yardstick = &yardsticks[i];
        if (!is_measured(bench, yardstick)) {
            continue;
        }
        struct summary summary = summarize(bench, yardstick->scope, find_planner(yardstick->planner));
        double ours = figure_of(&summary, yardstick->measure);
        printf("%-20s %-19s %-15s %10.3f %10.3f %8.3f  %s\n", yardstick->scope, measure_names[yardstick->measure],
               yardstick->planner, yardstick->value, ours, ours / yardstick->value, yardstick->whose);
    }
}

/* Do the names differ in the number behind the last '_' only, and does it grow? */
static bool is_grown(const struct instance *small, const struct instance *large)
{
    const char *end = strrchr(large->name, '_');
    size_t size = end == NULL ? 0 : (size_t)(end - large->name);
    return text_equal(small->group, "made") && text_equal(large->group, "made") && size > 0 &&
           strncmp(small->name, large->name, size + 1) == 0 && large->item_count > small->item_count;
}

static void print_memory(const struct instance *instance, size_t planner)
{
    const struct result *result = &instance->results[planner];
    printf("%-22s %-15s %8zu %12.3f %12" PRIu64 " %8.1f", instance->name, planners[planner].name, instance->item_count,
           result->milliseconds, result->work_bytes, (double)result->work_bytes / (double)instance->item_count);
}

/* Where one kind of instance is made in several sizes: what each planner needs of time and memory in each, and how its memory
 * grows. Growth as the items' is linear. */
static void print_growth(const struct bench *bench)
{
    printf("\n%-22s %-15s %8s %12s %12s %8s  memory grows\n", "peak work memory", "planner", "items", "time, ms", "bytes",
           "an item");
    for (size_t i = 1; i < bench->instances.count; i++) {
        const struct instance *small = &bench->instances.items[i - 1];
        const struct instance *large = &bench->instances.items[i];
        for (size_t p = 0; p < shown_planners() && is_grown(small, large); p++) {
            print_memory(small, p);
            printf("\n");
            print_memory(large, p);
            printf("  %.2fx for %.2fx the items\n", (double)large->results[p].work_bytes / (double)small->results[p].work_bytes,
                   (double)large->item_count / (double)small->item_count);
        }
    }
}

/* Models are too many to be shown one by one. */
void bench_print(const struct bench *bench)
{
    const char *scopes[16];
    size_t scope_count = list_scopes(bench, scopes);
    printf("time, high-water mark / bound (* proven optimal), peak work memory an item\n");
    print_heading("instance");
    for (size_t i = 0; i < bench->instances.count; i++) {
        if (!text_equal(bench->instances.items[i].group, "model")) {
            print_instance(&bench->instances.items[i]);
        }
    }
    printf("\nat the bound, mean and worst high-water mark / bound, time / time of the first planner\n");
    print_heading("group");
    for (size_t i = 0; i < scope_count; i++) {
        print_scope(bench, scopes[i]);
    }
    print_growth(bench);
    print_yardsticks(bench);
}

/* ---- JSON ---- */

static struct json *result_json(const struct result *result)
{
    struct json *object = json_new_object();
    json_set(object, "milliseconds", json_number(result->milliseconds));
    json_set(object, "peak", json_size(result->total));
    json_set(object, "ratio", json_number(result->ratio));
    json_set(object, "proven_optimal", json_bool(result->proven_optimal));
    json_set(object, "work_bytes", json_size(result->work_bytes));
    if (result->fault != NULL) {
        json_set(object, "fault", json_text(result->fault));
    }
    return object;
}

static struct json *instance_json(const struct instance *instance)
{
    struct json *object = json_new_object();
    json_set(object, "name", json_text(instance->name));
    json_set(object, "group", json_text(instance->group));
    json_set(object, "tensors", json_size(instance->item_count));
    json_set(object, "operators", json_size(instance->operator_count));
    json_set(object, "bound", json_size(instance->bound));
    struct json *results = json_new_object();
    for (size_t p = 0; p < shown_planners(); p++) {
        json_set(results, planners[p].name, result_json(&instance->results[p]));
    }
    json_set(object, "planners", results);
    return object;
}

static struct json *scope_json(const struct bench *bench, const char *scope)
{
    struct json *object = json_new_object();
    json_set(object, "group", json_text(scope));
    json_set(object, "instances", json_size(summarize(bench, scope, 0).count));
    struct json *results = json_new_object();
    for (size_t p = 0; p < shown_planners(); p++) {
        struct summary summary = summarize(bench, scope, p);
        struct json *entry = json_new_object();
        json_set(entry, "at_bound", json_size(summary.at_bound));
        json_set(entry, "mean_ratio", json_number(mean_ratio(&summary)));
        json_set(entry, "worst_ratio", json_number(summary.ratio_worst));
        json_set(entry, "milliseconds", json_number(summary.milliseconds));
        json_set(results, planners[p].name, entry);
    }
    json_set(object, "planners", results);
    return object;
}

static struct json *yardstick_json(const struct bench *bench, const struct yardstick *yardstick)
{
    struct summary summary = summarize(bench, yardstick->scope, find_planner(yardstick->planner));
    double ours = figure_of(&summary, yardstick->measure);
    struct json *object = json_new_object();
    json_set(object, "scope", json_text(yardstick->scope));
    json_set(object, "figure", json_text(measure_names[yardstick->measure]));
    json_set(object, "planner", json_text(yardstick->planner));
    json_set(object, "whose", json_text(yardstick->whose));
    json_set(object, "theirs", json_number(yardstick->value));
    json_set(object, "ours", json_number(ours));
    json_set(object, "ours_to_theirs", json_number(ours / yardstick->value));
    return object;
}

void bench_write_json(const struct bench *bench, struct text *out)
{
    struct json *instances = json_new_array();
    for (size_t i = 0; i < bench->instances.count; i++) {
        json_add(instances, instance_json(&bench->instances.items[i]));
    }
    const char *scopes[16];
    size_t scope_count = list_scopes(bench, scopes);
    struct json *groups = json_new_array();
    for (size_t i = 0; i < scope_count; i++) {
        json_add(groups, scope_json(bench, scopes[i]));
    }
    struct json *sticks = json_new_array();
    for (size_t i = 0; i < YARDSTICK_COUNT; i++) {
        if (is_measured(bench, &yardsticks[i])) {
            json_add(sticks, yardstick_json(bench, &yardsticks[i]));
        }
    }
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/bench/1"));
    json_set(root, "instances", instances);
    json_set(root, "groups", groups);
    json_set(root, "yardsticks", sticks);
    json_finish(root, false, out);
}
