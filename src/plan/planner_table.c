/* The planners that are built in. */
#include "plan/optimal.h"
#include "plan/planner.h"

static const struct planner_option hill_climb_options[] = {
    {.key = "iterations",
     .kind = OPTION_INTEGER,
     .minimum = 0,
     .maximum = 1000000,
     .default_value = 300,
     .help = "Most order perturbations that are tried; 0 compares the greedy_by_size layout with greedy's."},
    {.key = "seed",
     .kind = OPTION_INTEGER,
     .minimum = 0,
     .maximum = UINT32_MAX,
     .default_value = 0,
     .help = "Start of the random numbers; the same seed gives the same layout on any host."},
    {.key = "max_stall_iterations",
     .kind = OPTION_INTEGER,
     .minimum = 1,
     .maximum = UINT32_MAX,
     .default_value = 50,
     .nullable = true,
     .help = "Stop after this many attempts in a row without improvement; null runs all iterations."},
};

static const struct planner_option optimal_options[] = {
    {.key = "max_work",
     .kind = OPTION_INTEGER,
     .minimum = 0,
     .maximum = UINT64_C(1) << 50,
     .default_value = 200000000,
     .help = "Most work units of complete search, some 100 million a second; 0 returns the best layout of the other planners."},
};

const struct planner planners[] = {
    {.name = "greedy",
     .summary = "First fit in the order in which lives start; gaps left by tensors whose life has ended are reused.",
     .solve = greedy_solve},
    {.name = "greedy_by_size",
     .summary = "First fit, largest tensor first.",
     .experimental = true,
     .solve = greedy_by_size_solve},
    {.name = "hill_climb",
     .summary = "Local search over greedy_by_size orders; greedy's layout is kept unless the search's is smaller in total and no "
                "larger in any memory.",
     .options = hill_climb_options,
     .option_count = sizeof hill_climb_options / sizeof hill_climb_options[0],
     .solve = hill_climb_solve},
    {.name = "optimal",
     .summary = "Lowest total of all memories by complete search from the best layout of the others; says when it is proven.",
     .options = optimal_options,
     .option_count = sizeof optimal_options / sizeof optimal_options[0],
     .solve = optimal_solve},
};
const size_t planner_count = sizeof planners / sizeof planners[0];
const char *const default_planner = "hill_climb";

struct planner_set planner_set_built_in(struct arena *arena)
{
    struct planner_set set = {0};
    for (size_t i = 0; i < planner_count; i++) {
        *LIST_ADD(arena, &set) = &planners[i];
    }
    return set;
}
