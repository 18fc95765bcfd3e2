/* Placement rules: which ones match a tensor, and which of them decides each attribute. */
#ifndef HELIA_PLACEMENT_RULES_H
#define HELIA_PLACEMENT_RULES_H

#include <stdbool.h>

#include "placement/placement.h"

/* Specificity: type and id > id > type > neither; among equals the later rule wins (decision 9). */
enum rule_rank { RANK_ANY, RANK_TYPE, RANK_ID, RANK_TYPE_AND_ID };

struct rule {
    bool has_role;
    enum tensor_role role;
    enum rule_rank rank;
    uint32_t memory;             /* index into problem.memories; MEMORY_ANY: the rule says nothing */
    uint32_t destination_memory; /* likewise; MEMORY_SOURCE: written as null, read in place */
    const struct tensor_rule_config *config;
};
#define MEMORY_SOURCE (UINT32_MAX - 1)

/* The attributes that the rules give one tensor, each with the rule that decided it (NULL: none did). */
struct resolved_attributes {
    const struct rule *memory;
    const struct rule *destination_memory;
};

/* What some rules decide together, by the role of the tensor. */
struct decisions {
    struct resolved_attributes by_role[ROLE_COUNT];
};
#define DECISIONS_NONE UINT32_MAX

struct rule_set {
    struct rule *rules; /* in the order written */
    size_t count;
    struct decisions everybody;    /* of the rules without ids */
    const struct decisions *named; /* of the rules with ids: one for each id or name of a tensor that a rule uses */
    const uint32_t *by_id;         /* by tensor: its id's index into named, or DECISIONS_NONE */
    const uint32_t *by_name;       /* by tensor: its name's, likewise */
};

/* Checks and prepares the rules. Ids that match no tensor are warnings (unmatched-rule). */
MUST_CHECK bool rules_prepare(struct arena *arena, struct diagnostics *diagnostics, const struct record_list *configs,
                              const struct problem *problem, struct rule_set *set);

struct resolved_attributes rules_resolve(const struct rule_set *set, const struct model *model, uint32_t tensor);

/* True if the rule matches the tensor's role; its ids are the caller's business. */
bool rule_matches_role(const struct rule *rule, enum tensor_role role);

/* Reports unknown-memory at `name` with the nearest one; UINT32_MAX then. */
uint32_t memory_by_name(struct diagnostics *diagnostics, const struct problem *problem, const struct text_value *name);

#endif
