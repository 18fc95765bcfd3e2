#include "cli/commands.h"

const struct command commands[] = {
    {"plan", FOR_PLAN, "[options]", "resolve the placement, run the planner, print the plan", 0, 0, command_plan},
    {"generate", FOR_GENERATE, "-d DIR [options]", "plan, then write every build artifact into DIR", 0, 0, command_generate},
    {"check", FOR_CHECK, "ELF [options]", "measure the linked image against the SoC's windows and the plan", 1, 1, command_check},
    {"explain", FOR_EXPLAIN, "NAME [options]", "why a tensor, arena or region is where it is, and what it shares", 1, 2,
     command_explain},
    {"compare", FOR_COMPARE, "A B [options]", "two plans, residency reports or check reports side by side", 2, 2,
     command_compare},
    {"tighten", FOR_TIGHTEN, "--allocated BYTES [options]", "an interpreter's reported arena use to an arena_size with headroom",
     0, 0, command_tighten},
    {"model", FOR_MODEL, "FILE [options]", "list a model's operators, tensors, lifetimes and totals", 1, 1, command_model},
    {"soc", FOR_SOC, "list | show NAME | validate FILE...", "the SoC registry", 1, 1000, command_soc},
    {"planners", FOR_PLANNERS, "[options]", "list the memory planners and their options", 0, 0, command_planners},
};
const size_t command_count = sizeof commands / sizeof commands[0];
