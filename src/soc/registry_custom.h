/* SoCs and boards that the config describes, and how their trees are put together. Only this room reads this. */
#ifndef HELIA_SOC_REGISTRY_CUSTOM_H
#define HELIA_SOC_REGISTRY_CUSTOM_H

#include "soc/soc.h"

struct custom_names {
    const char **items;
    size_t count;
};

/* What registry.custom points to; entries in the config's order. */
struct registry_custom {
    struct custom_names soc_names;
    const struct soc **socs; /* one a name */
    struct custom_names board_names;
    const struct board **boards; /* one a name */
};

/* The file of the name; NULL if the names do not have it, or have it from the config. Case ignored. */
const char *registry_path(const struct registry_names *names, const char *name);

/* `over` on top of `under`, two mappings, by the rules of registry_add_custom(). What is true of `under` alone stays behind: its
 * description, `verified`, and the sources of numbers that `over` replaces. */
const struct node *registry_merge(struct arena *arena, const struct node *under, const struct node *over);

#endif
