/* Times of the planners and how near their layouts come to the lower bound, beside figures published or measured elsewhere.
 * Reads the lifetime tables of HELIA_PLACEMENT_CORPUS/instances; without the corpus, only the instances that are made here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/placement.h"
#include "plan/live_bound.h"
#include "plan/planner.h"

#define ROWS_MOST 100000u
#define ROUNDS    3

struct instance {
    const char *name;
    const char *yardstick;
};

/* Milliseconds of others: the documented system; plain C written for comparison; goals. Ratios: largest first, documented climb.
 */
static const struct instance instances[] = {
    {"chain2000", "goal greedy 0.5 ms, hill_climb 2 ms; documented system 120 and 3300 ms"},
    {"chain2000_skip", ""},
    {"rand_log_1000_0", ""},
    {"rand_wide_1000_0", ""},
    {"rand_log_10000_0", ""},
    {"hard_A", "hard set, mean of eleven: greedy 1.571, by size 1.340, documented climb 1.269, guided climb of 10 s 1.160"},
    {"hard_B", ""},
    {"hard_D", ""},
    {"hard_F", ""},
    {"hard_H", ""},
    {"hard_J", ""},
    {"planted_100_0", "planted: the bound is reachable"},
    {"planted_400_0", ""},
    {"planted_1000_0", ""},
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static size_t read_rows(const char *path, struct scratch_item *items)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    char line[256];
    size_t count = 0;
    while (count < ROWS_MOST && fgets(line, sizeof line, file) != NULL) {
        uint32_t lower;
        uint32_t upper;
        uint64_t size;
        if (sscanf(line, "%*[^,],%" SCNu32 ",%" SCNu32 ",%" SCNu64, &lower, &upper, &size) == 3 && upper > lower) {
            items[count++] = (struct scratch_item){size, lower, upper - 1, MEMORY_ANY, 1};
        }
    }
    fclose(file);
    return count;
}

/* Short lives, as in a long network: 1 to about 40 operators, sizes of 16 bytes to 64 KiB. */
static size_t make_short_lived(struct scratch_item *items)
{
    uint64_t state = 1;
    for (size_t i = 0; i < ROWS_MOST; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t start = (uint32_t)((state >> 33) % ROWS_MOST);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t length = (uint32_t)((state >> 33) % 40);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        items[i] = (struct scratch_item){16 + (state >> 33) % 4096 * 16, start, start + length, MEMORY_ANY, 1};
    }
    return ROWS_MOST;
}

static void run(const char *name, const char *yardstick, const struct scratch_item *items, size_t count)
{
    struct arena arena = {0};
    const struct scratch_memory memory = {.limit = UINT64_MAX / 2, .alignment_floor = 16};
    const uint32_t order = 0;
    uint32_t steps = 1;
    for (size_t i = 0; i < count; i++) {
        steps = items[i].end >= steps ? items[i].end + 1 : steps;
    }
    const struct scratch_problem problem = {items, count, &memory, 1, &order, 1, steps};
    uint64_t bound = total_lower_bound(&problem, &arena);
    printf("%-18s %6zu", name, count);
    for (size_t p = 0; p < planner_count; p++) {
        struct planner_options options = {0};
        for (size_t k = 0; k < planners[p].option_count; k++) {
            options.values[k] = planners[p].options[k].default_value;
        }
        struct layout layout = layout_new(&arena, &problem);
        double best = 0;
        for (int round = 0; round < ROUNDS; round++) {
            struct arena_mark mark = arena_mark(&arena);
            struct planner_report report = {0};
            double start = now_ms();
            planners[p].solve(&problem, &options, &arena, &layout, &report);
            double took = now_ms() - start;
            best = round == 0 || took < best ? took : best;
            arena_rewind(&arena, mark);
        }
        const char *fault = referee_judge(&problem, &layout, &arena);
        if (fault != NULL) {
            printf("  FAULT %s", fault);
        }
        printf("  %9.2f ms %6.4f", best, bound == 0 ? 1.0 : (double)layout.used[0] / (double)bound);
    }
    printf("  %s\n", yardstick);
    arena_free(&arena);
}

int main(void)
{
    struct arena arena = {0};
    struct scratch_item *items = ARENA_ARRAY(&arena, struct scratch_item, ROWS_MOST);
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    printf("%-18s %6s", "instance", "items");
    for (size_t p = 0; p < planner_count; p++) {
        printf("  %19s", planners[p].name);
    }
    printf("  (time, high-water mark / bound)\n");
    for (size_t i = 0; i < sizeof instances / sizeof instances[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/instances/%s.csv", corpus != NULL ? corpus : "../shared/data", instances[i].name);
        size_t count = read_rows(path, items);
        if (count > 0) {
            run(instances[i].name, instances[i].yardstick, items, count);
        } else {
            printf("%-18s skipped: not in the corpus\n", instances[i].name);
        }
    }
    run("short_lived_100000", "goal greedy 50 ms, greedy_by_size 500 ms", items, make_short_lived(items));
    arena_free(&arena);
    return 0;
}
