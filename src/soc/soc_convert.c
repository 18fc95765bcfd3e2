#include "soc/soc_convert.h"

bool conversion_list_fits(struct conversion *conversion, size_t count, struct span span, const char *key)
{
    if (count <= SOC_LIST_LIMIT) {
        return true;
    }
    diag_report(conversion->diagnostics, DIAG_BAD_VALUE, span, "'%s' must have at most %d entries, not %zu", key, SOC_LIST_LIMIT,
                count);
    conversion->failures++;
    return false;
}

const char *const *conversion_texts(const struct conversion *conversion, const struct text_list *list)
{
    if (list->count == 0) {
        return NULL;
    }
    const char **texts = ARENA_ARRAY(conversion->arena, const char *, list->count);
    for (size_t i = 0; i < list->count; i++) {
        texts[i] = list->items[i].text;
    }
    return texts;
}

const char *conversion_joined(const struct conversion *conversion, const struct text_list *list, const char *separator)
{
    if (list->count == 0) {
        return NULL;
    }
    return text_join(conversion->arena, conversion_texts(conversion, list), list->count, separator);
}

static bool is_source(const struct conversion *conversion, const char *key)
{
    for (size_t i = 0; i < conversion->source_count; i++) {
        if (text_equal(conversion->sources[i].key, key)) {
            return true;
        }
    }
    return false;
}

static void report_unknown_source(struct conversion *conversion, const struct text_value *key)
{
    struct diag *diag = diag_report(conversion->diagnostics, DIAG_UNKNOWN_SOURCE, key->span, "'sources' has no key '%s'",
                                    node_printable(conversion->arena, key->text));
    const char **known = ARENA_ARRAY(conversion->arena, const char *, conversion->source_count);
    for (size_t i = 0; i < conversion->source_count; i++) {
        known[i] = conversion->sources[i].key;
    }
    diag_suggest(conversion->diagnostics, diag, key->text, "sources", known, conversion->source_count);
    conversion->failures++;
}

const char *conversion_source(struct conversion *conversion, const struct text_list *list)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "source")) {
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (!is_source(conversion, list->items[i].text)) {
            report_unknown_source(conversion, &list->items[i]);
        }
    }
    return conversion_joined(conversion, list, ", ");
}

const uint64_t *conversion_clocks(struct conversion *conversion, const struct text_list *list, size_t *count)
{
    static const struct field clock = {.key = "psram_clocks_hz", .kind = FIELD_INTEGER, .minimum = 1, .maximum = UINT32_MAX};
    *count = 0;
    if (list->count == 0 || !conversion_list_fits(conversion, list->count, list->span, clock.key)) {
        return NULL;
    }
    uint64_t *clocks = ARENA_ARRAY(conversion->arena, uint64_t, list->count);
    for (size_t i = 0; i < list->count; i++) {
        struct node scalar = {.kind = NODE_SCALAR, .span = list->items[i].span, .text = list->items[i].text, .plain = true};
        struct size_value value = {0};
        if (!schema_read_scalar(conversion->arena, conversion->diagnostics, &clock, &scalar, &value)) {
            conversion->failures++;
        }
        clocks[i] = value.value;
    }
    *count = list->count;
    return clocks;
}

uint32_t conversion_region(struct conversion *conversion, const struct text_value *name)
{
    for (size_t i = 0; i < conversion->region_count; i++) {
        if (text_equal_nocase(conversion->regions[i].name, name->text)) {
            return (uint32_t)i;
        }
    }
    struct diag *diag = diag_report(conversion->diagnostics, DIAG_UNKNOWN_REGION, name->span, "there is no region '%s'",
                                    node_printable(conversion->arena, name->text));
    const char **known = ARENA_ARRAY(conversion->arena, const char *, conversion->region_count);
    for (size_t i = 0; i < conversion->region_count; i++) {
        known[i] = conversion->regions[i].name;
    }
    diag_suggest(conversion->diagnostics, diag, name->text, "regions", known, conversion->region_count);
    conversion->failures++;
    return 0;
}

void conversion_read_sources(struct conversion *conversion, const struct record_list *list)
{
    if (!conversion_list_fits(conversion, list->count, list->span, "sources")) {
        return;
    }
    const struct source_record *records = list->items;
    struct soc_source *sources = ARENA_ARRAY(conversion->arena, struct soc_source, list->count);
    for (size_t i = 0; i < list->count; i++) {
        sources[i] = (struct soc_source){.key = records[i].key.text,
                                         .repository = records[i].repository.text,
                                         .path = records[i].path.text,
                                         .commit = records[i].commit.text,
                                         .note = records[i].note.text,
                                         .span = records[i].key.span};
    }
    conversion->sources = sources;
    conversion->source_count = list->count;
}
