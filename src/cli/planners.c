#include "cli/planners.h"

#include <stdlib.h>

#include "cli/data.h"
#include "cli/progress.h"
#include "plan/plugin.h"

static bool load_named(struct session *session, struct planner_set *set)
{
    bool good = true;
    for (size_t i = 0; i < session->line.options.count; i++) {
        const struct option_use *use = &session->line.options.items[i];
        if (use->row->id == OPTION_PLANNER_PLUGIN) {
            good = plugin_load(&session->arena, &session->diagnostics, use->value, use->span, set) && good;
        }
    }
    return good;
}

static bool load_environment(struct session *session, struct planner_set *set)
{
    struct path_list paths = {0};
    data_split_paths(&session->arena, getenv("HELIA_PLACEMENT_PLANNERS"), &paths);
    if (paths.count == 0) {
        return true;
    }
    struct span span = {.source =
                            diag_add_source(&session->diagnostics, "<environment>: HELIA_PLACEMENT_PLANNERS", (struct bytes){0})};
    bool good = true;
    for (size_t i = 0; i < paths.count; i++) {
        good = plugin_load(&session->arena, &session->diagnostics, paths.items[i], span, set) && good;
    }
    return good;
}

bool planners_load(struct session *session, struct planner_set *set)
{
    struct planner_set loaded = planner_set_built_in(&session->arena);
    bool good = load_named(session, &loaded);
    good = load_environment(session, &loaded) && good;
    *set = loaded;
    return good;
}

bool comparison_is_wanted(const struct memory_config *memory)
{
    return memory->planner.set && memory->planner.text != NULL && text_equal(memory->planner.text, PLANNER_ALL);
}

bool comparison_check(struct session *session, const struct planner_set *set, const struct memory_config *memory,
                      struct planner_comparison *comparison)
{
    comparison->count = set->count;
    comparison->options = ARENA_ARRAY(&session->arena, struct planner_options, set->count);
    return planner_options_decode_all(&session->arena, &session->diagnostics, set,
                                      memory->planner_options.set ? memory->planner_options.node : NULL, comparison->options);
}

bool comparison_make(struct session *session, const struct planner_set *set, const struct problem *problem,
                     const struct planner_observer *observer, struct planner_comparison *comparison)
{
    bool good = true;
    comparison->plans = ARENA_ARRAY(&session->arena, const struct memory_plan *, set->count);
    comparison->microseconds = ARENA_ARRAY(&session->arena, uint64_t, set->count);
    for (size_t i = 0; i < set->count; i++) {
        uint64_t start = clock_microseconds();
        bool made = plan_make_with(&session->arena, &session->scratch, &session->diagnostics, problem, set->items[i],
                                   &comparison->options[i], observer, &comparison->plans[i]);
        comparison->microseconds[i] = clock_microseconds() - start;
        if (!made && set->items[i]->plugin == NULL) {
            return false; /* the problem's fault, then, and the next planner would only say it again */
        }
        good = made && good;
    }
    return good;
}

const struct memory_plan *comparison_default(const struct planner_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (text_equal(comparison->plans[i]->planner->name, default_planner)) {
            return comparison->plans[i];
        }
    }
    return comparison->plans[0];
}
