#include "bench.h"

#include <stdio.h>
#include <time.h>

#include "plan/live_bound.h"

/* A run is repeated until so much time has gone by, and no more often than that. */
#define ENOUGH_MILLISECONDS 100.0
#define ROUNDS_MOST         20

static double now_milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static struct planner_options default_options(const struct planner *planner)
{
    struct planner_options options = {0};
    for (size_t i = 0; i < planner->option_count; i++) {
        options.values[i] = planner->options[i].default_value;
    }
    return options;
}

/* One run, in memory of its own. */
static double run_once(const struct planner *planner, const struct scratch_problem *problem, struct layout *layout,
                       struct planner_report *report, struct result *result)
{
    struct arena work = {0};
    struct planner_options options = default_options(planner);
    *report = (struct planner_report){0};
    double start = now_milliseconds();
    planner->solve(problem, &options, &work, layout, report);
    double took = now_milliseconds() - start;
    result->work_bytes = work.most_reserved;
    arena_free(&work);
    return took;
}

static struct result run_planner(struct arena *arena, const struct planner *planner, const struct scratch_problem *problem,
                                 uint64_t bound)
{
    struct result result = {0};
    struct arena scratch = {0};
    struct layout layout = layout_new(&scratch, problem);
    struct planner_report report;
    double spent = 0;
    for (int round = 0; round < ROUNDS_MOST && spent < ENOUGH_MILLISECONDS; round++) {
        double took = run_once(planner, problem, &layout, &report, &result);
        spent += took;
        if (round == 0 || took < result.milliseconds) {
            result.milliseconds = took;
        }
    }
    const char *fault = referee_judge(problem, &layout, &scratch);
    result.fault = fault == NULL ? NULL : arena_copy_text(arena, fault);
    result.total = layout_total(problem, &layout);
    result.ratio = bound == 0 ? 1.0 : (double)result.total / (double)bound;
    result.proven_optimal = report.proven_optimal || result.total == bound;
    arena_free(&scratch);
    return result;
}

void bench_measure(struct bench *bench, const char *group, const char *name, const struct scratch_item *items, size_t count)
{
    const struct scratch_memory memory = {.limit = UINT64_MAX / 2, .alignment_floor = 16};
    const uint32_t order = 0;
    struct scratch_problem problem = {
        .items = items,
        .item_count = count,
        .memories = &memory,
        .memory_count = 1,
        .order = &order,
        .order_count = 1,
        .step_count = 1,
    };
    for (size_t i = 0; i < count; i++) {
        if (items[i].end >= problem.step_count) {
            problem.step_count = items[i].end + 1;
        }
    }
    struct arena scratch = {0};
    struct instance *instance = LIST_ADD(&bench->arena, &bench->instances);
    instance->group = group;
    instance->name = arena_copy_text(&bench->arena, name);
    instance->item_count = count;
    instance->operator_count = problem.step_count;
    instance->bound = total_lower_bound(&problem, &scratch);
    for (size_t p = 0; p < planner_count && p < PLANNERS_MOST; p++) {
        instance->results[p] = run_planner(&bench->arena, &planners[p], &problem, instance->bound);
    }
    arena_free(&scratch);
    fprintf(stderr, "measured %s\n", name);
}
