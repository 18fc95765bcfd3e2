/* The bench of planners: what is measured, where it comes from, how it is shown. */
#ifndef TEST_BENCH_H
#define TEST_BENCH_H

#include "base/arena.h"
#include "base/text.h"
#include "plan/planner.h"

#define PLANNERS_MOST 8

/* What one planner did with one instance. */
struct result {
    double milliseconds; /* the shortest of several runs */
    double ratio;        /* total of the high-water marks / lower bound; 1 if both are 0 */
    uint64_t total;
    uint64_t work_bytes; /* the most memory that the planner held; the problem and the layout are not in it */
    bool proven_optimal; /* by the planner, or because the total is the bound */
    const char *fault;   /* what the referee says; NULL: nothing */
};

struct instance {
    const char *name;
    const char *group; /* "model", "hard", ...: what is averaged together */
    size_t item_count;
    uint32_t operator_count;
    uint64_t bound;
    struct result results[PLANNERS_MOST]; /* in the order of planners[] */
};

struct bench {
    struct arena arena;
    const char *corpus;
    struct {
        struct instance *items;
        size_t count, capacity;
    } instances;
};

/* bench_instances.c: reads or makes instances, measures each (bench_measure.c), and appends it. What is not in the corpus is left
 * out and said. */
void bench_models(struct bench *bench);
void bench_tables(struct bench *bench);
void bench_made(struct bench *bench);

/* bench_measure.c: all planners on one set of items in one memory of slots aligned to 16. */
void bench_measure(struct bench *bench, const char *group, const char *name, const struct scratch_item *items, size_t count);

/* bench_report.c */
void bench_print(const struct bench *bench);
void bench_write_json(const struct bench *bench, struct text *out);

#endif
