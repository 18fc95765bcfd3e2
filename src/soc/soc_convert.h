/* From records to structs: what the decoders of SoC and board files share. Findings are counted in `failures`, so that all of a
 * file's are reported before the decoder gives up. */
#ifndef HELIA_SOC_SOC_CONVERT_H
#define HELIA_SOC_SOC_CONVERT_H

#include "soc/soc.h"
#include "soc/soc_record.h"

struct conversion {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct soc_source *sources; /* what source keys must name */
    size_t source_count;
    const struct region *regions; /* what region names must name; SoC files only */
    size_t region_count;
    bool from_config; /* numbers need no source */
    size_t failures;
};

/* soc_decode() and board_decode() for an entry of the config: `schema` is soc_schema or board_schema with a name that leads
 * messages to the entry. */
MUST_CHECK bool soc_decode_custom(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema,
                                  const struct node *root, const char *path, struct soc **soc);
MUST_CHECK bool board_decode_custom(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema,
                                    const struct node *root, const char *path, struct board **board);

/* False, and reported, if there are more than SOC_LIST_LIMIT entries. `key` is the list's, for the message. */
MUST_CHECK bool conversion_list_fits(struct conversion *conversion, size_t count, struct span span, const char *key);

/* The texts as plain strings; NULL for an empty list. */
const char *const *conversion_texts(const struct conversion *conversion, const struct text_list *list);

/* The texts with `separator` between them; NULL if the key is absent or the list empty. */
const char *conversion_joined(const struct conversion *conversion, const struct text_list *list, const char *separator);

/* "a, b"; NULL if none is given. Reports keys that are no source. */
const char *conversion_source(struct conversion *conversion, const struct text_list *list);

/* The clocks of a list in Hz, NULL if there are none; reports what is no whole number above 0. `*count` gets their number. */
const uint64_t *conversion_clocks(struct conversion *conversion, const struct text_list *list, size_t *count);

/* Index of the region; 0, and reported, if there is none. */
uint32_t conversion_region(struct conversion *conversion, const struct text_value *name);

/* Fills conversion->sources from the record map `sources`. */
void conversion_read_sources(struct conversion *conversion, const struct record_list *list);

#endif
