/* Which rules, keys and defaults spoke about a tensor, the strongest first, and which of them were heard. */
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "placement/coarse.h"
#include "placement/rules.h"
#include "report/explain.h"

const char *const decision_names[] = {
    [DECISION_RULE] = "rule",           [DECISION_ENGINE_KEY] = "engine-key", [DECISION_KEY] = "key",
    [DECISION_AUTOMATIC] = "automatic", [DECISION_DEFAULT] = "default",
};
const char *const said_names[] = {
    [SAID_NOTHING] = NULL, [SAID_DECIDED] = "decided", [SAID_OVERRIDDEN] = "overridden", [SAID_PREFERRED] = "preferred"};

/* Everything that one tensor's decisions are made from. */
struct weighing {
    struct arena *arena;
    const struct diagnostics *diagnostics;
    const struct problem *problem;
    const struct request *request;
    struct resolved_attributes resolved;
    struct tensor_explanation *explained;
};

static struct decision *add_decision(struct weighing *weighing, enum decision_kind kind, const char *where, const char *what)
{
    struct decision *decision = &weighing->explained->decisions[weighing->explained->decision_count++];
    *decision = (struct decision){.kind = kind, .where = where, .what = what};
    return decision;
}

/* "placement.yaml:14:7": the column tells rules of one line apart. */
static const char *place_text(const struct weighing *weighing, struct span span)
{
    const char *place = diag_span_text(weighing->diagnostics, weighing->arena, span);
    return span.line == 0 ? place : arena_format(weighing->arena, "%s:%u", place, span.column);
}

static const char *memory_name(const struct problem *problem, uint32_t memory)
{
    return memory < problem->memory_count ? problem->memories[memory].name : NULL;
}

/* ---- the user's rules ---- */

static const char *printable(struct arena *arena, const char *text)
{
    return text_printable(arena, text, strlen(text));
}

/* "rule {type: constant, id: [conv_w, conv_b]}"; long lists are cut. */
static const char *rule_text(struct arena *arena, const struct tensor_rule_config *config)
{
    struct text text = text_start(arena);
    text_print(&text, "rule {type: %s", config->type.set ? printable(arena, config->type.text) : "'*'");
    for (size_t i = 0; config->id.set && i < config->id.count && i < 4; i++) {
        text_print(&text, "%s%s", i == 0 ? ", id: [" : ", ", printable(arena, config->id.items[i].text));
    }
    if (config->id.set) {
        text_print(&text, "%s]", config->id.count > 4 ? ", ..." : "");
    }
    text_add_char(&text, '}');
    return text.data;
}

static struct span rule_span(const struct rule *rule)
{
    return rule->config->span;
}

struct rule_reference {
    uint32_t rule;
    enum rule_rank rank;
};

static int compare_rules(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct rule_reference *left = a;
    const struct rule_reference *right = b;
    return left->rank != right->rank ? SORT_BY(right->rank, left->rank) : SORT_BY(right->rule, left->rule);
}

/* One attribute of one rule: it decided, or the one that did stands before it. */
static struct said heard(const struct weighing *weighing, const struct rule *rule, const struct rule *decider, uint32_t memory)
{
    if (memory == MEMORY_ANY || decider == NULL) {
        return (struct said){0};
    }
    struct said said = {.kind = SAID_DECIDED, .memory = memory_name(weighing->problem, memory)};
    if (rule != decider) {
        said.kind = SAID_OVERRIDDEN;
        said.by = place_text(weighing, rule_span(decider));
    }
    return said;
}

static void add_rule(struct weighing *weighing, const struct rule *rule)
{
    struct decision *decision =
        add_decision(weighing, DECISION_RULE, place_text(weighing, rule_span(rule)), rule_text(weighing->arena, rule->config));
    decision->memory = heard(weighing, rule, weighing->resolved.memory, rule->memory);
    if (weighing->request->role == ROLE_CONSTANT) {
        decision->destination = heard(weighing, rule, weighing->resolved.destination_memory, rule->destination_memory);
    }
}

/* A name in a rule means the tensors of that name only where no tensor has it as its id. */
static bool name_counts(const struct problem *problem, const char *name)
{
    for (size_t t = 0; t < problem->model->tensor_count; t++) {
        if (text_equal(problem->model->tensors[t].id, name)) {
            return false;
        }
    }
    return name[0] != '\0';
}

static bool rule_names(const struct tensor_rule_config *config, const char *id, const char *name)
{
    for (size_t i = 0; i < config->id.count; i++) {
        if (text_equal(config->id.items[i].text, id) || (name != NULL && text_equal(config->id.items[i].text, name))) {
            return true;
        }
    }
    return !config->id.set;
}

static size_t find_rules(const struct weighing *weighing, struct rule_reference *found)
{
    const struct problem *problem = weighing->problem;
    const struct tensor *tensor = &problem->model->tensors[weighing->request->tensor];
    const char *name = name_counts(problem, tensor->name) ? tensor->name : NULL;
    size_t count = 0;
    for (uint32_t i = 0; i < problem->rules->count; i++) {
        const struct rule *rule = &problem->rules->rules[i];
        if (rule_matches_role(rule, weighing->request->role) && rule_names(rule->config, tensor->id, name)) {
            found[count++] = (struct rule_reference){i, rule->rank};
        }
    }
    return count;
}

static void add_rules(struct weighing *weighing, struct rule_reference *found, size_t count)
{
    sort_stable(found, count, sizeof *found, compare_rules, NULL, weighing->arena);
    for (size_t i = 0; i < count; i++) {
        add_rule(weighing, &weighing->problem->rules->rules[found[i].rule]);
    }
}

/* ---- the engine's own keys ---- */

static bool same_span(struct span a, struct span b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column;
}

/* A whole buffer that is not where the coarse key puts it was pinned by its own key, or by its engine. */
static bool is_pinned_by_engine(const struct weighing *weighing)
{
    const struct coarse_rule *coarse = &weighing->problem->coarse[weighing->request->role];
    return weighing->problem->places_units && weighing->request->role != ROLE_CONSTANT &&
           (weighing->request->memory != coarse->memory || !same_span(weighing->request->memory_span, coarse->span));
}

static void add_engine_key(struct weighing *weighing)
{
    const bool written = weighing->request->memory_span.source != 0;
    struct decision *decision = add_decision(weighing, DECISION_ENGINE_KEY, place_text(weighing, weighing->request->memory_span),
                                             written ? "the buffer's own location key" : "the engine's own choice");
    decision->memory = (struct said){SAID_DECIDED, memory_name(weighing->problem, weighing->request->memory), NULL};
}

/* ---- arena_location and weights_location ---- */

/* The rule for a whole type, in whose favour the coarse one stands aside. */
static const struct rule *replacing_rule(const struct weighing *weighing)
{
    const struct rule_set *set = weighing->problem->rules;
    for (size_t i = set->count; i > 0; i--) {
        const struct rule *rule = &set->rules[i - 1];
        if (!rule->config->id.set && rule_matches_role(rule, weighing->request->role)) {
            return rule;
        }
    }
    return NULL;
}

/* Neither written nor chosen by a policy: nobody has filled it. */
bool coarse_speaks(const struct coarse_rule *coarse)
{
    return coarse->is_automatic || coarse->span.source != 0;
}

static struct said coarse_said(const struct weighing *weighing, uint32_t memory, const struct rule *stronger)
{
    const struct coarse_rule *coarse = &weighing->problem->coarse[weighing->request->role];
    struct said said = {.kind = SAID_DECIDED, .memory = memory_name(weighing->problem, memory)};
    if (stronger != NULL) {
        said.kind = SAID_OVERRIDDEN;
        said.by = place_text(weighing, rule_span(stronger));
    } else if (is_pinned_by_engine(weighing)) {
        said.kind = SAID_OVERRIDDEN;
        said.by = weighing->explained->decisions[0].what;
    } else if (coarse->is_automatic && weighing->request->role != ROLE_CONSTANT && !weighing->problem->places_units) {
        said.kind = SAID_PREFERRED;
    }
    return said;
}

static void add_coarse(struct weighing *weighing)
{
    const enum tensor_role role = weighing->request->role;
    const struct coarse_rule *coarse = &weighing->problem->coarse[role];
    const char *key = role == ROLE_CONSTANT ? "weights_location" : "arena_location";
    const enum decision_kind kind = coarse->is_automatic ? DECISION_AUTOMATIC : DECISION_KEY;
    const char *what = arena_format(weighing->arena, coarse->is_automatic ? "automatic %s: %s" : "%s: %s", key,
                                    location_names[coarse->location]);
    struct decision *decision = add_decision(weighing, kind, place_text(weighing, coarse->span), what);
    const struct rule *replacing = coarse->active ? NULL : replacing_rule(weighing);
    decision->memory = coarse_said(weighing, coarse->memory, replacing != NULL ? replacing : weighing->resolved.memory);
    if (role == ROLE_CONSTANT && coarse->destination != MEMORY_ANY) {
        const struct rule *stronger = replacing != NULL ? replacing : weighing->resolved.destination_memory;
        decision->destination = coarse_said(weighing, coarse->destination, stronger);
    }
}

/* ---- defaults ---- */

static const char *order_text(const struct weighing *weighing)
{
    struct text text = text_start(weighing->arena);
    text_add(&text, "the first memory with room:");
    for (size_t i = 0; i < weighing->problem->order_count; i++) {
        text_print(&text, "%s %s", i == 0 ? "" : ",", weighing->problem->memories[weighing->problem->order[i]].name);
    }
    return text.data;
}

static bool is_decided(const struct weighing *weighing, bool destination)
{
    for (size_t i = 0; i < weighing->explained->decision_count; i++) {
        const struct decision *decision = &weighing->explained->decisions[i];
        if ((destination ? &decision->destination : &decision->memory)->kind == SAID_DECIDED) {
            return true;
        }
    }
    return false;
}

static void add_defaults(struct weighing *weighing)
{
    const bool constant = weighing->request->role == ROLE_CONSTANT;
    if (!is_decided(weighing, false)) {
        const char *what = constant ? "constants stand where load images stand" : order_text(weighing);
        const uint32_t memory = constant ? weighing->request->source_memory : weighing->explained->allocation->binding.memory;
        add_decision(weighing, DECISION_DEFAULT, "", what)->memory =
            (struct said){SAID_DECIDED, memory_name(weighing->problem, memory), NULL};
    }
    if (constant && !is_decided(weighing, true)) {
        add_decision(weighing, DECISION_DEFAULT, "", "constants are read in place")->destination =
            (struct said){SAID_DECIDED, NULL, NULL};
    }
}

void explain_decisions(struct arena *arena, const struct diagnostics *diagnostics, const struct memory_plan *plan,
                       struct tensor_explanation *explained)
{
    const struct problem *problem = plan->problem;
    struct weighing weighing = {
        .arena = arena,
        .diagnostics = diagnostics,
        .problem = problem,
        .request = explained->request,
        .resolved = rules_resolve(problem->rules, problem->model, explained->request->tensor),
        .explained = explained,
    };
    struct rule_reference *found = ARENA_ARRAY(arena, struct rule_reference, problem->rules->count);
    const size_t count = find_rules(&weighing, found);
    explained->decisions = ARENA_ARRAY(arena, struct decision, count + 4); /* engine key, coarse key, two defaults */
    add_rules(&weighing, found, count);
    if (is_pinned_by_engine(&weighing)) {
        add_engine_key(&weighing);
    }
    if (coarse_speaks(&problem->coarse[explained->request->role])) {
        add_coarse(&weighing);
    }
    add_defaults(&weighing);
}
