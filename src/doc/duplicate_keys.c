/* Keys are sorted rather than hashed: a mapping may have a million keys, and no choice of them must make it slow. */
#include "doc/duplicate_keys.h"

#include <string.h>

#include "base/sort.h"

struct key_entry {
    const char *text;
    size_t length;
    size_t position; /* in the mapping */
};

/* Shorter keys first: numbers written in their order, as in our own plans, are then sorted already. */
static int compare_keys(const void *a, const void *b, const void *context)
{
    const struct key_entry *left = a, *right = b;
    (void)context;
    if (left->length != right->length) {
        return SORT_BY(left->length, right->length);
    }
    return memcmp(left->text, right->text, left->length);
}

/* Keys in sorted order, equal ones in the order written. */
static const struct key_entry *sort_keys(struct arena *scratch, const struct node *mapping, size_t *count)
{
    struct key_entry *keys = ARENA_ARRAY(scratch, struct key_entry, mapping->count);
    bool sorted = true;
    *count = 0;
    for (size_t i = 0; i < mapping->count; i++) {
        const char *text = mapping->pairs[i].key->text;
        if (text == NULL) {
            continue;
        }
        keys[*count] = (struct key_entry){text, strlen(text), i};
        sorted = sorted && (*count == 0 || compare_keys(&keys[*count - 1], &keys[*count], NULL) < 0);
        ++*count;
    }
    if (!sorted) {
        sort_stable(keys, *count, sizeof keys[0], compare_keys, NULL, scratch);
    }
    return keys;
}

static void report_duplicate(struct diagnostics *diagnostics, const struct node *key, const struct node *first)
{
    const char *shown = node_printable(diagnostics->arena, key->text);
    struct diag *diag = diag_report(diagnostics, DIAG_DUPLICATE_KEY, key->span, "duplicate key '%s'", shown);
    diag_note(diagnostics, diag, first->span, "'%s' is first written here", shown);
}

bool check_duplicate_keys(struct arena *scratch, struct diagnostics *diagnostics, const struct node *mapping)
{
    struct arena_mark mark = arena_mark(scratch);
    size_t count = 0;
    const struct key_entry *keys = sort_keys(scratch, mapping, &count);
    size_t first = 0;
    bool unique = true;
    /* Once one was found, findings that would only be counted are not sought. */
    for (size_t i = 1; i < count && (unique || diagnostics->dropped == 0); i++) {
        if (compare_keys(&keys[first], &keys[i], NULL) != 0) {
            first = i;
            continue;
        }
        report_duplicate(diagnostics, mapping->pairs[keys[i].position].key, mapping->pairs[keys[first].position].key);
        unique = false;
    }
    arena_rewind(scratch, mark);
    return unique;
}
