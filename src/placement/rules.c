#include "placement/rules.h"

#include "base/map.h"
#include "base/text.h"

uint32_t memory_by_name(struct diagnostics *diagnostics, const struct problem *problem, const struct text_value *name)
{
    uint32_t memory = problem_find_memory(problem, name->text);
    if (memory != UINT32_MAX) {
        return memory;
    }
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_MEMORY, name->span, "unknown memory '%s'", name->text);
    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; i < problem->memory_count && count < 32; i++) {
        names[count++] = problem->memories[i].name;
    }
    diag_suggest(diagnostics, diag, name->text, "memories", names, count);
    return UINT32_MAX;
}

static bool rule_role(struct diagnostics *diagnostics, const struct text_value *type, struct rule *rule)
{
    if (!type->set || text_equal(type->text, "*")) {
        return true;
    }
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (text_equal_nocase(type->text, role_names[role])) {
            rule->has_role = true;
            rule->role = (enum tensor_role)role;
            return true;
        }
    }
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_CHOICE, type->span, "unknown tensor type '%s'", type->text);
    const char *const known[] = {"scratch", "persistent", "constant", "*"};
    diag_suggest(diagnostics, diag, type->text, "tensor types", known, 4);
    return false;
}

static enum rule_rank rule_rank(const struct rule *rule)
{
    if (rule->config->id.set) {
        return rule->has_role ? RANK_TYPE_AND_ID : RANK_ID;
    }
    return rule->has_role ? RANK_TYPE : RANK_ANY;
}

static bool require_data_memory(struct diagnostics *diagnostics, const struct problem *problem, uint32_t memory, struct span span)
{
    const struct region *region = &problem->soc->regions[problem->memories[memory].region];
    if (region->data || region->holds_image) {
        return true;
    }
    diag_report(diagnostics, DIAG_MEMORY_FOR_CODE, span, "%s is for code; tensors need a data memory", region->name);
    return false;
}

static bool require_writable(struct diagnostics *diagnostics, const struct problem *problem, uint32_t memory, struct span span,
                             const char *what)
{
    const struct problem_memory *found = &problem->memories[memory];
    if (found->writable) {
        return true;
    }
    struct diag *diag =
        diag_report(diagnostics, DIAG_MEMORY_NOT_WRITABLE, span, "%s a writable memory, and %s is not one", what, found->name);
    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; i < problem->memory_count && count < 32; i++) {
        if (problem->memories[i].writable && problem->soc->regions[problem->memories[i].region].data) {
            names[count++] = problem->memories[i].name;
        }
    }
    diag_suggest(diagnostics, diag, "", "writable memories", names, count);
    return false;
}

static bool rule_memory(struct diagnostics *diagnostics, const struct problem *problem, struct rule *rule)
{
    const struct text_value *name = &rule->config->attributes.memory;
    rule->memory = MEMORY_ANY;
    if (!name->set) {
        return true;
    }
    uint32_t memory = memory_by_name(diagnostics, problem, name);
    if (memory == UINT32_MAX || !require_data_memory(diagnostics, problem, memory, name->span)) {
        return false;
    }
    if (rule->has_role && rule->role != ROLE_CONSTANT) {
        const char *what = rule->role == ROLE_SCRATCH ? "scratch tensors need" : "persistent tensors need";
        if (!require_writable(diagnostics, problem, memory, name->span, what)) {
            return false;
        }
    }
    rule->memory = memory;
    return true;
}

static bool rule_destination(struct diagnostics *diagnostics, const struct problem *problem, struct rule *rule)
{
    const struct text_value *name = &rule->config->attributes.constant_destination_memory;
    rule->destination_memory = MEMORY_ANY;
    if (!name->set) {
        return true;
    }
    if (rule->has_role && rule->role != ROLE_CONSTANT) {
        diag_report(diagnostics, DIAG_DESTINATION_IGNORED, name->span,
                    "constant_destination_memory has no meaning for %s tensors, which have no source in the image",
                    role_names[rule->role]);
        return true;
    }
    if (name->text == NULL) {
        rule->destination_memory = MEMORY_SOURCE;
        return true;
    }
    uint32_t memory = memory_by_name(diagnostics, problem, name);
    if (memory == UINT32_MAX || !require_data_memory(diagnostics, problem, memory, name->span)) {
        return false;
    }
    rule->destination_memory = memory;
    return true;
}

/* Index of the tensors by id and by name. Names may repeat: every tensor of that name matches. */
struct tensor_names {
    struct map ids;
    struct map names;   /* name -> first tensor with it */
    uint32_t *next;     /* chain of tensors with the same name */
    const char **known; /* what a user may have meant, for suggestions */
    size_t known_count;
};

static struct tensor_names index_tensors(struct arena *arena, const struct model *model)
{
    struct tensor_names index = {.ids = map_start(arena), .names = map_start(arena)};
    index.next = ARENA_ARRAY(arena, uint32_t, model->tensor_count);
    index.known = ARENA_ARRAY(arena, const char *, 2 * model->tensor_count);
    for (size_t reverse = model->tensor_count; reverse > 0; reverse--) {
        index.next[reverse - 1] = TENSOR_NONE;
    }
    uint32_t *last = ARENA_ARRAY(arena, uint32_t, model->tensor_count);
    for (uint32_t t = 0; t < model->tensor_count; t++) {
        const struct tensor *tensor = &model->tensors[t];
        map_add(&index.ids, tensor->id, t, NULL);
        index.known[index.known_count++] = tensor->id;
        if (tensor->name[0] == '\0') {
            continue;
        }
        uint32_t first = t;
        if (map_add(&index.names, tensor->name, t, &first)) {
            index.known[index.known_count++] = tensor->name;
        } else {
            index.next[last[first]] = t;
        }
        last[first] = t;
    }
    return index;
}

struct match {
    uint32_t tensor;
    uint32_t rule;
};
struct match_list {
    struct match *items;
    size_t count, capacity;
};

/* Adds the tensors that `id` names, as an id or else as a name, whatever their role. */
static void find_named(struct arena *arena, const struct tensor_names *index, const char *id, uint32_t rule,
                       struct match_list *matches)
{
    uint32_t tensor;
    if (map_find(&index->ids, id, &tensor)) {
        *LIST_ADD(arena, matches) = (struct match){tensor, rule};
        return;
    }
    if (map_find(&index->names, id, &tensor)) {
        for (; tensor != TENSOR_NONE; tensor = index->next[tensor]) {
            *LIST_ADD(arena, matches) = (struct match){tensor, rule};
        }
    }
}

/* A rule for constants that names a scratch tensor does nothing, which its author does not expect. */
static void require_role(struct diagnostics *diagnostics, const struct model *model, const struct rule *rule,
                         const struct text_value *id, const struct match *named, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rule_matches_role(rule, model->tensors[named[i].tensor].role)) {
            return;
        }
    }
    diag_report(diagnostics, DIAG_UNMATCHED_RULE, id->span, "the rule is for %s tensors, but '%s' is a %s tensor",
                role_names[rule->role], id->text, role_names[model->tensors[named[0].tensor].role]);
}

static void add_matches(struct arena *arena, struct diagnostics *diagnostics, const struct model *model,
                        const struct tensor_names *index, const struct rule *rule, const struct text_value *id,
                        uint32_t rule_index, struct match_list *matches)
{
    size_t before = matches->count;
    find_named(arena, index, id->text, rule_index, matches);
    if (matches->count > before) {
        require_role(diagnostics, model, rule, id, &matches->items[before], matches->count - before);
        return;
    }
    struct diag *diag =
        diag_report(diagnostics, DIAG_UNMATCHED_RULE, id->span, "no tensor of the model has the id or name '%s'", id->text);
    const char *near = text_nearest(id->text, index->known, index->known_count);
    if (near != NULL) {
        diag_note(diagnostics, diag, SPAN_NONE, "did you mean '%s'?", near);
    }
}

/* Turns the list of (tensor, rule) pairs into one slice of rules a tensor, in the order of the rules. */
static void slice_matches(struct arena *arena, const struct match_list *matches, size_t tensor_count, struct rule_set *set)
{
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, tensor_count + 1);
    uint32_t *rules = ARENA_ARRAY(arena, uint32_t, matches->count);
    for (size_t i = 0; i < matches->count; i++) {
        first[matches->items[i].tensor + 1]++;
    }
    for (size_t t = 0; t < tensor_count; t++) {
        first[t + 1] += first[t];
    }
    uint32_t *fill = ARENA_ARRAY(arena, uint32_t, tensor_count);
    for (size_t i = 0; i < matches->count; i++) {
        uint32_t tensor = matches->items[i].tensor;
        rules[first[tensor] + fill[tensor]++] = matches->items[i].rule;
    }
    set->tensor_first = first;
    set->tensor_rules = rules;
}

bool rules_prepare(struct arena *arena, struct diagnostics *diagnostics, const struct record_list *configs,
                   const struct problem *problem, struct rule_set *set)
{
    const struct tensor_rule_config *items = configs->items;
    struct rule_set made = {.rules = ARENA_ARRAY(arena, struct rule, configs->count), .count = configs->count};
    struct tensor_names index = index_tensors(arena, problem->model);
    struct match_list matches = {0};
    bool good = true;
    for (uint32_t i = 0; i < configs->count; i++) {
        struct rule *rule = &made.rules[i];
        rule->config = &items[i];
        good &= rule_role(diagnostics, &items[i].type, rule);
        good &= rule_memory(diagnostics, problem, rule);
        good &= rule_destination(diagnostics, problem, rule);
        rule->rank = rule_rank(rule);
        for (size_t id = 0; id < items[i].id.count; id++) {
            add_matches(arena, diagnostics, problem->model, &index, rule, &items[i].id.items[id], i, &matches);
        }
    }
    if (!good) {
        return false;
    }
    slice_matches(arena, &matches, problem->model->tensor_count, &made);
    *set = made;
    return true;
}

bool rule_matches_role(const struct rule *rule, enum tensor_role role)
{
    return !rule->has_role || rule->role == role;
}

static void apply_rule(const struct rule *rule, enum tensor_role role, struct resolved_attributes *resolved)
{
    if (!rule_matches_role(rule, role)) {
        return;
    }
    /* ">=": rules come in the order written, and among equals the later one wins. */
    if (rule->memory != MEMORY_ANY && (resolved->memory == NULL || rule->rank >= resolved->memory->rank)) {
        resolved->memory = rule;
    }
    if (role == ROLE_CONSTANT && rule->destination_memory != MEMORY_ANY &&
        (resolved->destination_memory == NULL || rule->rank >= resolved->destination_memory->rank)) {
        resolved->destination_memory = rule;
    }
}

struct resolved_attributes rules_resolve(const struct rule_set *set, const struct model *model, uint32_t tensor)
{
    struct resolved_attributes resolved = {0};
    enum tensor_role role = model->tensors[tensor].role;
    for (size_t i = 0; i < set->count; i++) {
        if (!set->rules[i].config->id.set) {
            apply_rule(&set->rules[i], role, &resolved);
        }
    }
    for (uint32_t i = set->tensor_first[tensor]; i < set->tensor_first[tensor + 1]; i++) {
        apply_rule(&set->rules[set->tensor_rules[i]], role, &resolved);
    }
    return resolved;
}
