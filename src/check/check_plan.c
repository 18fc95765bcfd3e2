/* Rows about which plan holds for the image. */
#include "base/text.h"
#include "check/facts.h"

void check_plan_unknown(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (!request->profile->verified && result->facts->plan_count == 0) {
        finding_add(arena, result, "plan-unknown", "there is no plan to show either: give one with --plan");
    }
}

static const struct planned *embedded_counterpart(const struct check_request *request)
{
    for (size_t i = 0; i < request->embedded_count; i++) {
        if (text_equal(request->embedded[i]->prefix, request->planned->prefix)) {
            return request->embedded[i];
        }
    }
    return NULL;
}

static void compare_target(struct arena *arena, struct check_result *result, const char *what, const char *planned,
                           const char *actual)
{
    if (!text_equal_nocase(planned, actual)) {
        finding_add(arena, result, "plan-mismatch", "the plan is for %s '%s', the check for '%s'", what, planned, actual);
    }
}

void check_plan_mismatch(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; i < result->facts->plan_count; i++) {
        compare_target(arena, result, "SoC", result->facts->plans[i]->soc, request->soc->name);
        compare_target(arena, result, "linker profile", result->facts->plans[i]->profile, request->profile->name);
    }
    const struct planned *embedded = request->planned ? embedded_counterpart(request) : NULL;
    if (embedded && !text_equal(embedded->plan_hash, request->planned->plan_hash)) {
        finding_add(arena, result, "plan-mismatch",
                    "the image was built from plan %s, the plan given is %s: generate and build again", embedded->plan_hash,
                    request->planned->plan_hash)
            ->section = ".helia.plan";
    }
}

void check_plan_not_embedded(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (request->planned && !embedded_counterpart(request)) {
        finding_add(arena, result, "plan-not-embedded",
                    "the image carries no plan of prefix '%s': whether it was built from the plan given is unknown",
                    request->planned->prefix)
            ->section = ".helia.plan";
    }
}

/* The plans that the image and --plan hold for the prefix must be what the inputs give today. */
void check_plan_stale(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    for (size_t i = 0; request->fresh_hash != NULL && i < result->facts->plan_count; i++) {
        const struct planned *plan = result->facts->plans[i];
        if (text_equal(plan->prefix, request->fresh_prefix) && !text_equal(plan->plan_hash, request->fresh_hash)) {
            finding_add(arena, result, "plan-stale",
                        "the image was built from plan %s, the model and config now give %s: generate and build again",
                        plan->plan_hash, request->fresh_hash)
                ->section = ".helia.plan";
        }
    }
}
