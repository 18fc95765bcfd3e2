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
    if (name->is_null) {
        rule->destination_memory = MEMORY_SOURCE;
        return true;
    }
    if (!name->set) {
        return true;
    }
    if (rule->has_role && rule->role != ROLE_CONSTANT) {
        diag_report(diagnostics, DIAG_DESTINATION_IGNORED, name->span,
                    "constant_destination_memory has no meaning for %s tensors, which have no source in the image",
                    role_names[rule->role]);
        return true;
    }
    uint32_t memory = memory_by_name(diagnostics, problem, name);
    if (memory == UINT32_MAX || !require_data_memory(diagnostics, problem, memory, name->span)) {
        return false;
    }
    rule->destination_memory = memory;
    return true;
}

/* Near names are looked for among all ids and names of the model; for a long list of wrong ids a few of them will do. */
#define SUGGESTIONS_MAXIMUM 8

/* Index of the tensors by id and by name. Names may repeat: every tensor of that name matches. */
struct tensor_names {
    struct map ids;
    struct map names;   /* name -> first tensor with it */
    uint32_t *first;    /* by tensor: the first tensor with the same name; itself if it has none */
    unsigned *roles;    /* by first tensor: a bit for each role among the tensors of that name */
    const char **known; /* what a user may have meant, for suggestions */
    size_t known_count;
    size_t suggestions_left;
};

static struct tensor_names index_tensors(struct arena *arena, const struct model *model)
{
    struct tensor_names index = {
        .ids = map_start(arena),
        .names = map_start(arena),
        .first = ARENA_ARRAY(arena, uint32_t, model->tensor_count),
        .roles = ARENA_ARRAY(arena, unsigned, model->tensor_count),
        .known = ARENA_ARRAY(arena, const char *, 2 * model->tensor_count),
        .suggestions_left = SUGGESTIONS_MAXIMUM,
    };
    for (uint32_t t = 0; t < model->tensor_count; t++) {
        const struct tensor *tensor = &model->tensors[t];
        map_add(&index.ids, tensor->id, t, NULL);
        index.known[index.known_count++] = tensor->id;
        index.first[t] = t;
        if (tensor->name[0] != '\0' && map_add(&index.names, tensor->name, t, &index.first[t])) {
            index.known[index.known_count++] = tensor->name;
        }
        index.roles[index.first[t]] |= 1u << tensor->role;
    }
    return index;
}

bool rule_matches_role(const struct rule *rule, enum tensor_role role)
{
    return !rule->has_role || rule->role == role;
}

/* Of two rules the one that decides: the more specific one, among equals the later. NULL is no rule. */
static const struct rule *stronger(const struct rule *a, const struct rule *b)
{
    if (a == NULL || b == NULL) {
        return a != NULL ? a : b;
    }
    if (a->rank != b->rank) {
        return a->rank > b->rank ? a : b;
    }
    return a > b ? a : b; /* rules lie in the order written */
}

static void add_rule(const struct rule *rule, struct decisions *decisions)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct resolved_attributes *resolved = &decisions->by_role[role];
        if (!rule_matches_role(rule, (enum tensor_role)role)) {
            continue;
        }
        if (rule->memory != MEMORY_ANY) {
            resolved->memory = stronger(resolved->memory, rule);
        }
        if (role == ROLE_CONSTANT && rule->destination_memory != MEMORY_ANY) {
            resolved->destination_memory = stronger(resolved->destination_memory, rule);
        }
    }
}

struct decisions_list {
    struct decisions *items;
    size_t count, capacity;
};

/* Ids and names on their way into a rule set. Many tensors may share a name and many rules may use it, so what the rules decide
 * is kept once a name and not once a tensor. */
struct naming {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct model *model;
    struct tensor_names index;
    struct decisions_list named;
    uint32_t *by_id;   /* by tensor: index into named, or DECISIONS_NONE */
    uint32_t *by_name; /* by first tensor of a name: likewise */
};

static struct naming naming_start(struct arena *arena, struct diagnostics *diagnostics, const struct model *model)
{
    struct naming naming = {
        .arena = arena,
        .diagnostics = diagnostics,
        .model = model,
        .index = index_tensors(arena, model),
        .by_id = ARENA_ARRAY(arena, uint32_t, model->tensor_count),
        .by_name = ARENA_ARRAY(arena, uint32_t, model->tensor_count),
    };
    for (uint32_t t = 0; t < model->tensor_count; t++) {
        naming.by_id[t] = DECISIONS_NONE;
        naming.by_name[t] = DECISIONS_NONE;
    }
    return naming;
}

static void add_named(struct naming *naming, uint32_t *place, const struct rule *rule)
{
    if (*place == DECISIONS_NONE) {
        *place = (uint32_t)naming->named.count;
        *LIST_ADD(naming->arena, &naming->named) = (struct decisions){0};
    }
    add_rule(rule, &naming->named.items[*place]);
}

/* A rule for constants that names a scratch tensor does nothing, which its author does not expect. */
static void require_role(struct naming *naming, const struct rule *rule, const struct text_value *id, unsigned roles,
                         uint32_t tensor)
{
    if (rule->has_role && (roles & 1u << rule->role) == 0) {
        diag_report(naming->diagnostics, DIAG_UNMATCHED_RULE, id->span, "the rule is for %s tensors, but '%s' is a %s tensor",
                    role_names[rule->role], id->text, role_names[naming->model->tensors[tensor].role]);
    }
}

static void report_unknown_id(struct naming *naming, const struct text_value *id)
{
    struct tensor_names *index = &naming->index;
    struct diag *diag = diag_report(naming->diagnostics, DIAG_UNMATCHED_RULE, id->span,
                                    "no tensor of the model has the id or name '%s'", id->text);
    if (index->suggestions_left == 0) {
        return;
    }
    index->suggestions_left--;
    const char *near = text_nearest(id->text, index->known, index->known_count);
    if (near != NULL) {
        diag_note(naming->diagnostics, diag, SPAN_NONE, "did you mean '%s'?", near);
    }
}

/* What is an id of one tensor and a name of others is the id. */
static void match_id(struct naming *naming, const struct rule *rule, const struct text_value *id)
{
    uint32_t tensor;
    if (map_find(&naming->index.ids, id->text, &tensor)) {
        add_named(naming, &naming->by_id[tensor], rule);
        require_role(naming, rule, id, 1u << naming->model->tensors[tensor].role, tensor);
    } else if (map_find(&naming->index.names, id->text, &tensor)) {
        add_named(naming, &naming->by_name[tensor], rule);
        require_role(naming, rule, id, naming->index.roles[tensor], tensor);
    } else {
        report_unknown_id(naming, id);
    }
}

static void match_rule(struct naming *naming, const struct rule *rule, struct rule_set *set)
{
    const struct text_list *ids = &rule->config->id;
    if (!ids->set) {
        add_rule(rule, &set->everybody);
        return;
    }
    if (ids->count == 0) {
        diag_report(naming->diagnostics, DIAG_UNMATCHED_RULE, ids->span,
                    "the list of ids is empty, so the rule matches no tensor");
    }
    for (size_t i = 0; i < ids->count; i++) {
        match_id(naming, rule, &ids->items[i]);
    }
}

static void naming_finish(struct naming *naming, struct rule_set *set)
{
    for (uint32_t t = 0; t < naming->model->tensor_count; t++) {
        naming->by_name[t] = naming->by_name[naming->index.first[t]];
    }
    set->named = naming->named.items;
    set->by_id = naming->by_id;
    set->by_name = naming->by_name;
}

bool rules_prepare(struct arena *arena, struct diagnostics *diagnostics, const struct record_list *configs,
                   const struct problem *problem, struct rule_set *set)
{
    const struct tensor_rule_config *items = configs->items;
    struct rule_set made = {.rules = ARENA_ARRAY(arena, struct rule, configs->count), .count = configs->count};
    struct naming naming = naming_start(arena, diagnostics, problem->model);
    bool good = true;
    for (uint32_t i = 0; i < configs->count; i++) {
        struct rule *rule = &made.rules[i];
        rule->config = &items[i];
        good &= rule_role(diagnostics, &items[i].type, rule);
        good &= rule_memory(diagnostics, problem, rule);
        good &= rule_destination(diagnostics, problem, rule);
        rule->rank = rule_rank(rule);
        match_rule(&naming, rule, &made);
    }
    if (!good) {
        return false;
    }
    naming_finish(&naming, &made);
    *set = made;
    return true;
}

static void merge(const struct decisions *decisions, enum tensor_role role, struct resolved_attributes *resolved)
{
    const struct resolved_attributes *other = &decisions->by_role[role];
    resolved->memory = stronger(resolved->memory, other->memory);
    resolved->destination_memory = stronger(resolved->destination_memory, other->destination_memory);
}

struct resolved_attributes rules_resolve(const struct rule_set *set, const struct model *model, uint32_t tensor)
{
    enum tensor_role role = model->tensors[tensor].role;
    struct resolved_attributes resolved = set->everybody.by_role[role];
    if (set->by_id[tensor] != DECISIONS_NONE) {
        merge(&set->named[set->by_id[tensor]], role, &resolved);
    }
    if (set->by_name[tensor] != DECISIONS_NONE) {
        merge(&set->named[set->by_name[tensor]], role, &resolved);
    }
    return resolved;
}
