#include "placement/coarse.h"

#include <inttypes.h>

#include "base/size.h"
#include "base/text.h"
#include "placement/engine.h"
#include "placement/rules.h"

const char *const location_names[LOCATION_COUNT] = {"tcm", "sram", "mram", "psram"};

/* What a memory is called that a part may lack. */
static const char *const location_regions[LOCATION_COUNT] = {"DTCM", "SRAM", "MRAM", "PSRAM"};

static bool memory_is_at(const struct problem *problem, uint32_t index, enum location location)
{
    static const enum memory_tier tiers[LOCATION_COUNT] = {TIER_TCM, TIER_SRAM, TIER_NVM, TIER_EXTERNAL};
    const struct problem_memory *memory = &problem->memories[index];
    if (location == LOCATION_MRAM) {
        return memory->region == problem->profile->image_region;
    }
    return memory->tier == tiers[location] && problem->soc->regions[memory->region].data;
}

uint32_t location_memory(const struct problem *problem, enum location location)
{
    /* The preferred order first: where a part has two memories of a tier, it says which one is meant. */
    for (size_t i = 0; i < problem->order_count; i++) {
        if (memory_is_at(problem, problem->order[i], location)) {
            return problem->order[i];
        }
    }
    for (uint32_t i = 0; i < problem->memory_count; i++) {
        if (memory_is_at(problem, i, location)) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* ---- the policy ---- */

static bool fits(uint64_t bytes, uint64_t capacity, uint64_t slack, uint64_t limit)
{
    uint64_t sum;
    return bytes <= limit && size_add_checked(bytes, slack, &sum) && sum <= capacity;
}

static enum location weights_beside(const struct policy_question *question, enum location arena)
{
    uint64_t together;
    if (!question->weights_follow_policy || question->weights == 0) {
        return LOCATION_MRAM;
    }
    /* In TCM beside the arena only when both and two slacks fit (decision 7). */
    if (arena == LOCATION_TCM && size_add_checked(question->arena, question->weights, &together) &&
        fits(together, question->tcm, 2 * question->tcm_slack, question->tcm_limit)) {
        return LOCATION_TCM;
    }
    if (arena == LOCATION_TCM && fits(question->weights, question->sram, question->sram_slack, question->sram_limit)) {
        return LOCATION_SRAM;
    }
    return LOCATION_MRAM;
}

struct policy_answer policy_decide(const struct policy_question *question)
{
    struct policy_answer answer = {.arena = LOCATION_SRAM};
    bool tcm_takes_it = question->arena > 0 && question->arena_may_use_tcm &&
                        fits(question->arena, question->tcm, question->tcm_slack, question->tcm_limit);
    if (question->arena_pin != NULL) {
        answer.arena = *question->arena_pin;
    } else if (tcm_takes_it) {
        answer.arena = LOCATION_TCM;
    } else {
        /* The last step is SRAM even without its slack, and even if it overflows: then the plan says so (decision 6). */
        answer.slack_dropped = question->arena <= question->sram && question->arena <= question->sram_limit &&
                               !fits(question->arena, question->sram, question->sram_slack, question->sram_limit);
    }
    answer.weights = weights_beside(question, answer.arena);
    return answer;
}

/* ---- from config to coarse rules ---- */

static uint64_t physical_size(const struct problem *problem, enum location location)
{
    uint32_t memory = location_memory(problem, location);
    return memory != UINT32_MAX ? problem->memories[memory].physical : 0;
}

static uint64_t limit_of(const struct problem *problem, enum location location)
{
    uint32_t memory = location_memory(problem, location);
    return memory != UINT32_MAX ? problem->memories[memory].limit : 0;
}

/* target.slack: {DTCM: 128K}; memories that it does not name keep the default of their tier. */
static bool read_slack(struct diagnostics *diagnostics, const struct node *slack, const struct problem *problem,
                       enum location location, uint64_t *bytes)
{
    uint32_t memory = location_memory(problem, location);
    for (size_t i = 0; slack != NULL && memory != UINT32_MAX && i < slack->count; i++) {
        const struct node_pair *pair = &slack->pairs[i];
        if (!text_equal_nocase(pair->key->text, problem->memories[memory].name)) {
            continue;
        }
        if (pair->value->kind != NODE_SCALAR || !size_parse(pair->value->text, bytes) || *bytes > SIZE_LIMIT) {
            diag_report(diagnostics, DIAG_BAD_VALUE, pair->value->span, "the slack of %s must be a size in bytes such as 128K",
                        problem->memories[memory].name);
            return false;
        }
    }
    return true;
}

static bool check_slack_names(struct diagnostics *diagnostics, const struct node *slack, const struct problem *problem)
{
    bool good = true;
    if (slack == NULL) {
        return true;
    }
    if (slack->kind != NODE_MAPPING) {
        diag_report(diagnostics, DIAG_WRONG_KIND, slack->span, "'target.slack' must be a mapping from memories to sizes, not %s",
                    node_kind_name(slack));
        return false;
    }
    for (size_t i = 0; i < slack->count; i++) {
        struct text_value name = {.text = slack->pairs[i].key->text, .span = slack->pairs[i].key->span};
        good = memory_by_name(diagnostics, problem, &name) != UINT32_MAX && good;
    }
    return good;
}

/* The Ethos-U's commands stand in one custom operator; its arena must be where the NPU can reach it. */
static bool runs_on_npu(const struct problem *problem)
{
    const struct model *network = problem->network;
    for (size_t i = 0; problem->soc->npu != NULL && i < network->operator_count; i++) {
        if (text_equal(network->operators[i].name, "ethos-u")) {
            return true;
        }
    }
    return false;
}

static bool npu_reaches(const struct problem *problem, enum location location)
{
    uint32_t memory = location_memory(problem, location);
    return memory == UINT32_MAX || problem->soc->regions[problem->memories[memory].region].npu_access;
}

bool location_is_fitted(struct diagnostics *diagnostics, const struct problem *problem, const struct choice_value *key,
                        const char *key_name)
{
    enum location location = (enum location)key->value;
    if (!key->set || location_memory(problem, location) != UINT32_MAX) {
        return true;
    }
    const char *what = problem->board != NULL ? "board" : "SoC";
    const char *name = problem->board != NULL ? problem->board->name : problem->soc->name;
    diag_report(diagnostics, DIAG_REGION_NOT_FITTED, key->span, "%s=%s requested, but %s %s has no %s.", key_name,
                location_names[location], what, name, location_regions[location]);
    return false;
}

static bool check_npu(struct diagnostics *diagnostics, const struct problem *problem, const struct choice_value *key)
{
    if (!key->set || !runs_on_npu(problem) || npu_reaches(problem, (enum location)key->value)) {
        return true;
    }
    diag_report(diagnostics, DIAG_NPU_CANNOT_REACH, key->span,
                "model.arena_location=%s requested, but the NPU cannot access the CPU's %s", location_names[key->value],
                key->value == LOCATION_TCM ? "TCM" : location_regions[key->value]);
    return false;
}

static void set_arena(struct problem *problem, enum location location, const struct choice_value *key)
{
    struct coarse_rule rule = {
        .active = true,
        .is_automatic = !key->set,
        .memory = location_memory(problem, location),
        .destination = MEMORY_ANY,
        .location = location,
        .span = key->set ? key->span : SPAN_NONE,
    };
    problem->coarse[ROLE_SCRATCH] = rule;
    problem->coarse[ROLE_PERSISTENT] = rule;
}

/* Weights for fast memory come from the image: staged. */
static void set_weights(struct problem *problem, enum location location, const struct choice_value *key)
{
    struct coarse_rule rule = {
        .active = true,
        .is_automatic = !key->set,
        .memory = location_memory(problem, location == LOCATION_PSRAM ? LOCATION_PSRAM : LOCATION_MRAM),
        .destination = MEMORY_ANY,
        .location = location,
        .span = key->set ? key->span : SPAN_NONE,
    };
    if (location == LOCATION_TCM || location == LOCATION_SRAM) {
        rule.destination = location_memory(problem, location);
    }
    problem->coarse[ROLE_CONSTANT] = rule;
}

bool coarse_resolve(struct diagnostics *diagnostics, const struct placement_inputs *inputs, struct problem *problem)
{
    const struct model_config *model = &inputs->config->model;
    const struct node *slack = inputs->config->target.slack.set ? inputs->config->target.slack.node : NULL;
    enum location arena_pin = (enum location)model->arena_location.value;
    struct policy_question question = {
        .tcm = physical_size(problem, LOCATION_TCM),
        .sram = physical_size(problem, LOCATION_SRAM),
        .tcm_limit = limit_of(problem, LOCATION_TCM),
        .sram_limit = limit_of(problem, LOCATION_SRAM),
        .tcm_slack = DEFAULT_TCM_SLACK,
        .sram_slack = DEFAULT_SRAM_SLACK,
        .arena = engine_arena_bytes(problem, inputs->config),
        .weights = engine_weight_bytes(inputs->model),
        .arena_may_use_tcm = !runs_on_npu(problem) || npu_reaches(problem, LOCATION_TCM),
        .arena_pin = model->arena_location.set ? &arena_pin : NULL,
        .weights_follow_policy = engines[problem->engine].weights_follow_policy,
    };
    bool good = location_is_fitted(diagnostics, problem, &model->arena_location, "model.arena_location");
    good = location_is_fitted(diagnostics, problem, &model->weights_location, "model.weights_location") && good;
    good = engine_check_locations(diagnostics, inputs->config, problem) && good;
    good = check_npu(diagnostics, problem, &model->arena_location) && good;
    if (!check_slack_names(diagnostics, slack, problem) ||
        !read_slack(diagnostics, slack, problem, LOCATION_TCM, &question.tcm_slack) ||
        !read_slack(diagnostics, slack, problem, LOCATION_SRAM, &question.sram_slack) || !good) {
        return false;
    }
    if (!engines[problem->engine].policy_when_silent && !model->arena_location.set && !model->weights_location.set) {
        return true;
    }
    struct policy_answer answer = policy_decide(&question);
    if (answer.slack_dropped) {
        diag_report(diagnostics, DIAG_SLACK_NOT_KEPT, SPAN_NONE,
                    "the arena of %" PRIu64 " B fits SRAM only by taking the %" PRIu64
                    " B that are kept back for stack, heap and bss",
                    question.arena, question.sram_slack);
    }
    set_arena(problem, answer.arena, &model->arena_location);
    set_weights(problem, model->weights_location.set ? (enum location)model->weights_location.value : answer.weights,
                &model->weights_location);
    return true;
}

void coarse_yield_to_rules(struct problem *problem)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        for (size_t i = 0; i < problem->rules->count; i++) {
            const struct rule *rule = &problem->rules->rules[i];
            if (!rule->config->id.set && rule_matches_role(rule, (enum tensor_role)role)) {
                problem->coarse[role].active = false;
            }
        }
    }
}
