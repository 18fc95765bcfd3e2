/* target.custom_socs and target.custom_boards: entries that are looked up before any file, whole or based on something that is
 * there already. */
#include <string.h>

#include "soc/registry_custom.h"
#include "soc/soc_convert.h"
#include "soc/soc_rules.h"

static const char based_on_key[] = "based_on";

/* One of the two mappings, and how messages speak of it. */
struct custom_kind {
    const char *path;
    const char *noun;
    const char *plural;
    enum diag_id unknown;
    const struct schema *schema;
    const char *name_key;    /* what the entry's own name stands for */
    const char *schema_text; /* what the key `schema` must be */
};
static const struct custom_kind soc_custom = {"target.custom_socs",   "SoC", "SoCs", DIAG_UNKNOWN_SOC, &soc_schema, "soc",
                                              "helia-placement/soc/1"};
static const struct custom_kind board_custom = {
    "target.custom_boards", "board", "boards", DIAG_UNKNOWN_BOARD, &board_schema, "board", "helia-placement/board/1"};

enum entry_state { ENTRY_WAITS, ENTRY_IN_WORK, ENTRY_RESOLVED, ENTRY_REFUSED };

struct entry {
    const char *name;
    const struct node *key;
    const struct node *written;
    const struct node *merged; /* once resolved: on top of what it is based on */
    const char *base_path;     /* the registry file at the end of the chain; NULL: there is none */
    enum entry_state state;
};

struct customs {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct custom_kind *kind;
    struct registry_names files; /* what the registry has without the config */
    struct entry *entries;
    size_t count;
};

static const char *shown(const struct customs *customs, const char *text)
{
    return node_printable(customs->diagnostics->arena, text);
}

/* ---- reading the mapping ---- */

static bool is_known_key(const struct schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        if (text_equal(schema->fields[i].key, key)) {
            return true;
        }
    }
    return text_equal(key, based_on_key);
}

/* "dtcm: 256" and "dtcm_kb: 256" of other tools' configs as a region; NULL if the key is no memory's name. */
static const char *as_region(const struct customs *customs, const struct node_pair *pair)
{
    static const char *const memories[] = {"MRAM", "SRAM", "DTCM", "ITCM", "PSRAM"};
    static const char kilobytes[] = "_kb";
    struct arena *arena = customs->diagnostics->arena;
    bool counts_kilobytes = text_ends_with(pair->key->text, kilobytes);
    size_t length = strlen(pair->key->text) - (counts_kilobytes ? strlen(kilobytes) : 0);
    const char *name = text_upper(arena, arena_copy(arena, pair->key->text, length));
    const char *size = pair->value->kind == NODE_SCALAR && !node_is_null(pair->value) ? pair->value->text : "BYTES";
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        if (text_equal(name, memories[i])) {
            return arena_format(arena, "regions: [{name: %s, length: %s%s}]", name, shown(customs, size),
                                counts_kilobytes ? "K" : "");
        }
    }
    return NULL;
}

static void report_unknown_key(const struct customs *customs, const struct entry *entry, const struct node_pair *pair)
{
    struct diagnostics *diagnostics = customs->diagnostics;
    const struct schema *schema = customs->kind->schema;
    struct diag *diag = diag_report(diagnostics, DIAG_UNKNOWN_KEY, pair->key->span, "Unknown key(s) in %s.%s: '%s'",
                                    customs->kind->path, shown(customs, entry->name), shown(customs, pair->key->text));
    const char **names = ARENA_ARRAY(diagnostics->arena, const char *, schema->field_count + 1);
    for (size_t i = 0; i < schema->field_count; i++) {
        names[i] = schema->fields[i].key;
    }
    names[schema->field_count] = based_on_key;
    const char *meant = schema == &soc_schema ? as_region(customs, pair) : NULL;
    if (meant == NULL) {
        meant = text_nearest(pair->key->text, names, schema->field_count + 1);
    }
    if (meant != NULL) {
        diag_note(diagnostics, diag, SPAN_NONE, "Did you mean '%s'?", meant);
    }
    diag_note(diagnostics, diag, SPAN_NONE, "known keys: %s",
              text_join(diagnostics->arena, names, schema->field_count + 1, ", "));
}

static bool check_keys(const struct customs *customs, const struct entry *entry)
{
    bool ok = true;
    for (size_t i = 0; i < entry->written->count && customs->diagnostics->dropped == 0; i++) {
        const struct node_pair *pair = &entry->written->pairs[i];
        if (is_known_key(customs->kind->schema, pair->key->text)) {
            continue;
        }
        report_unknown_key(customs, entry, pair);
        ok = false;
    }
    return ok;
}

static bool check_name(const struct customs *customs, size_t index)
{
    const struct entry *entry = &customs->entries[index];
    if (!is_file_name(entry->name)) {
        diag_report(customs->diagnostics, DIAG_BAD_NAME, entry->key->span,
                    "the name '%s' in %s must be made of letters, digits, '-', '_', '.' and '+'", shown(customs, entry->name),
                    customs->kind->path);
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (!text_equal_nocase(customs->entries[i].name, entry->name)) {
            continue;
        }
        struct diag *diag =
            diag_report(customs->diagnostics, DIAG_DUPLICATE_NAME, entry->key->span,
                        "%s has '%s' twice; case does not tell them apart", customs->kind->path, shown(customs, entry->name));
        diag_note(customs->diagnostics, diag, customs->entries[i].key->span, "the first is here");
        return false;
    }
    return true;
}

static bool check_is_mapping(const struct customs *customs, const char *name, const struct node *node)
{
    if (node->kind == NODE_MAPPING) {
        return true;
    }
    const char *path = name == NULL
                           ? customs->kind->path
                           : arena_format(customs->diagnostics->arena, "%s.%s", customs->kind->path, shown(customs, name));
    diag_report(customs->diagnostics, DIAG_WRONG_KIND, node->span, "'%s' must be a mapping, not %s", path, node_kind_name(node));
    return false;
}

static bool read_entries(struct customs *customs, const struct node *mapping)
{
    if (!check_is_mapping(customs, NULL, mapping)) {
        return false;
    }
    if (mapping->count > SOC_LIST_LIMIT) {
        diag_report(customs->diagnostics, DIAG_BAD_VALUE, mapping->span, "'%s' must have at most %d entries, not %zu",
                    customs->kind->path, SOC_LIST_LIMIT, mapping->count);
        return false;
    }
    bool ok = true;
    customs->entries = ARENA_ARRAY(customs->arena, struct entry, mapping->count);
    for (size_t i = 0; i < mapping->count; i++) {
        const struct node_pair *pair = &mapping->pairs[i];
        struct entry *entry = &customs->entries[customs->count++];
        *entry = (struct entry){.name = pair->key->text, .key = pair->key, .written = pair->value};
        ok = check_name(customs, i) && check_is_mapping(customs, entry->name, pair->value) && check_keys(customs, entry) && ok;
    }
    return ok;
}

/* ---- what an entry is based on ---- */

static const struct node *new_scalar(const struct customs *customs, struct span span, const char *text)
{
    struct node *node = ARENA_NEW(customs->arena, struct node);
    *node = (struct node){.kind = NODE_SCALAR, .span = span, .text = text, .plain = true};
    return node;
}

/* The entry with the keys that its place in the config implies and without `based_on`. What it states itself is kept, to be
 * checked. */
static const struct node *complete(const struct customs *customs, const struct entry *entry)
{
    const char *const keys[] = {"schema", customs->kind->name_key};
    const char *const values[] = {customs->kind->schema_text, entry->name};
    struct node *result = ARENA_NEW(customs->arena, struct node);
    *result = *entry->written;
    result->pairs = ARENA_ARRAY(customs->arena, struct node_pair, entry->written->count + 2);
    result->count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (node_get(entry->written, keys[i]) == NULL) {
            result->pairs[result->count++] = (struct node_pair){new_scalar(customs, entry->key->span, keys[i]),
                                                                new_scalar(customs, entry->key->span, values[i])};
        }
    }
    for (size_t i = 0; i < entry->written->count; i++) {
        if (!text_equal(entry->written->pairs[i].key->text, based_on_key)) {
            result->pairs[result->count++] = entry->written->pairs[i];
        }
    }
    return result;
}

static bool read_base(struct customs *customs, struct entry *entry, const struct node **base);

/* Fills entry->merged. Recursion is bounded by the number of entries, as an entry that is in work is refused. */
static bool resolve(struct customs *customs, struct entry *entry)
{
    if (entry->state != ENTRY_WAITS) {
        return entry->state == ENTRY_RESOLVED;
    }
    entry->state = ENTRY_IN_WORK;
    const struct node *base = NULL;
    if (!read_base(customs, entry, &base)) {
        entry->state = ENTRY_REFUSED;
        return false;
    }
    const struct node *own = complete(customs, entry);
    entry->merged = base != NULL ? registry_merge(customs->arena, base, own) : own;
    entry->state = ENTRY_RESOLVED;
    return true;
}

/* Another entry of that name; NULL if there is none. An entry's own name means the registry's file, which it takes the place of.
 */
static struct entry *find_other(struct customs *customs, const struct entry *entry, const char *name)
{
    for (size_t i = 0; i < customs->count; i++) {
        if (&customs->entries[i] != entry && text_equal_nocase(customs->entries[i].name, name)) {
            return &customs->entries[i];
        }
    }
    return NULL;
}

static bool read_base_entry(struct customs *customs, struct entry *entry, struct entry *other, const struct node *name,
                            const struct node **base)
{
    if (other->state == ENTRY_IN_WORK) {
        struct diag *diag =
            diag_report(customs->diagnostics, DIAG_BASED_ON_CIRCLE, name->span, "%s.%s and '%s' are based on each other",
                        customs->kind->path, shown(customs, entry->name), shown(customs, other->name));
        diag_note(customs->diagnostics, diag, other->key->span, "'%s' is here", shown(customs, other->name));
        return false;
    }
    if (!resolve(customs, other)) {
        return false; /* said there */
    }
    entry->base_path = other->base_path;
    *base = other->merged;
    return true;
}

static bool report_unknown_base(const struct customs *customs, const struct entry *entry, const struct node *name)
{
    struct diagnostics *diagnostics = customs->diagnostics;
    struct diag *diag =
        diag_report(diagnostics, customs->kind->unknown, name->span, "%s.%s is based on the unknown %s '%s'", customs->kind->path,
                    shown(customs, entry->name), customs->kind->noun, shown(customs, name->text));
    const char **names = ARENA_ARRAY(diagnostics->arena, const char *, customs->count + customs->files.count);
    size_t count = 0;
    for (size_t i = 0; i < customs->count; i++) {
        if (&customs->entries[i] != entry) {
            names[count++] = customs->entries[i].name;
        }
    }
    for (size_t i = 0; i < customs->files.count; i++) {
        names[count++] = customs->files.items[i];
    }
    diag_suggest(diagnostics, diag, name->text, customs->kind->plural, names, count);
    return false;
}

/* `*base` stays NULL for an entry that stands on its own. */
static bool read_base(struct customs *customs, struct entry *entry, const struct node **base)
{
    const struct node *name = node_get(entry->written, based_on_key);
    if (name == NULL) {
        return true;
    }
    if (name->kind != NODE_SCALAR || node_is_null(name)) {
        diag_report(customs->diagnostics, DIAG_WRONG_KIND, name->span, "'%s.%s.%s' must be text, not %s", customs->kind->path,
                    shown(customs, entry->name), based_on_key, node_kind_name(name));
        return false;
    }
    struct entry *other = find_other(customs, entry, name->text);
    if (other != NULL) {
        return read_base_entry(customs, entry, other, name, base);
    }
    entry->base_path = registry_path(&customs->files, name->text);
    if (entry->base_path == NULL) {
        return report_unknown_base(customs, entry, name);
    }
    return doc_read(customs->arena, customs->diagnostics, entry->base_path, name->span, base) &&
           check_is_mapping(customs, name->text, *base);
}

/* ---- decoding ---- */

/* The schema under a name that makes messages speak of "target.custom_socs.NAME.regions[0]". */
static struct schema entry_schema(const struct customs *customs, const struct entry *entry)
{
    struct schema schema = *customs->kind->schema;
    schema.name = arena_format(customs->arena, "%s.%s", customs->kind->path, entry->name);
    return schema;
}

static bool check_stated_name(const struct customs *customs, const struct entry *entry, const char *inside, struct span span)
{
    if (text_equal_nocase(entry->name, inside)) {
        return true;
    }
    diag_report(customs->diagnostics, DIAG_REGISTRY_NAME_MISMATCH, span, "%s.%s describes '%s'", customs->kind->path,
                shown(customs, entry->name), shown(customs, inside));
    return false;
}

/* A finding about inherited values points into the file of the base: says who inherits them. */
static void note_base(const struct customs *customs, const struct entry *entry, size_t findings_before)
{
    struct diagnostics *diagnostics = customs->diagnostics;
    if (diagnostics->dropped > 0 || diagnostics->list.count == findings_before) {
        return;
    }
    struct diag *newest = &diagnostics->list.items[diagnostics->list.count - 1];
    if (newest->span.source != entry->key->span.source) {
        diag_note(diagnostics, newest, entry->key->span, "%s.%s is based on it", customs->kind->path,
                  shown(customs, entry->name));
    }
}

static bool decode_soc(const struct customs *customs, const struct entry *entry, const struct soc **result)
{
    struct schema schema = entry_schema(customs, entry);
    struct soc *soc = NULL;
    if (!soc_decode_custom(customs->arena, customs->diagnostics, &schema, entry->merged, entry->base_path, &soc)) {
        return false;
    }
    *result = soc;
    bool named = check_stated_name(customs, entry, soc->name, soc->span);
    return soc_validate(customs->arena, customs->diagnostics, soc) && named;
}

static bool decode_board(const struct customs *customs, const struct entry *entry, const struct board **result)
{
    struct schema schema = entry_schema(customs, entry);
    struct board *board = NULL;
    if (!board_decode_custom(customs->arena, customs->diagnostics, &schema, entry->merged, entry->base_path, &board)) {
        return false;
    }
    *result = board;
    return check_stated_name(customs, entry, board->name, board->span);
}

static struct custom_names names_of(const struct customs *customs)
{
    struct custom_names names = {ARENA_ARRAY(customs->arena, const char *, customs->count), customs->count};
    for (size_t i = 0; i < customs->count; i++) {
        names.items[i] = customs->entries[i].name;
    }
    return names;
}

static bool is_absent(const struct node *mapping)
{
    return mapping == NULL || node_is_null(mapping);
}

static bool add_socs(struct customs *customs, const struct node *mapping, struct registry_custom *custom)
{
    if (!is_absent(mapping) && !read_entries(customs, mapping)) {
        return false;
    }
    bool ok = true;
    custom->soc_names = names_of(customs);
    custom->socs = ARENA_ARRAY(customs->arena, const struct soc *, customs->count);
    for (size_t i = 0; i < customs->count; i++) {
        struct entry *entry = &customs->entries[i];
        size_t before = customs->diagnostics->list.count;
        if (resolve(customs, entry) && decode_soc(customs, entry, &custom->socs[i])) {
            continue;
        }
        note_base(customs, entry, before);
        ok = false;
    }
    return ok;
}

/* The SoC of a board of the config must be there, whether the board is used or not. */
static bool check_soc_of_board(const struct customs *customs, const struct registry_names *socs, const struct board *board)
{
    for (size_t i = 0; i < socs->count; i++) {
        if (text_equal_nocase(socs->items[i], board->soc)) {
            return true;
        }
    }
    struct diag *diag = diag_report(customs->diagnostics, DIAG_UNKNOWN_SOC, board->soc_span, "%s.%s is on the unknown SoC '%s'",
                                    customs->kind->path, shown(customs, board->name), shown(customs, board->soc));
    diag_suggest(customs->diagnostics, diag, board->soc, "SoCs", socs->items, socs->count);
    return false;
}

static bool add_boards(struct customs *customs, const struct node *mapping, const struct registry_names *socs,
                       struct registry_custom *custom)
{
    if (!is_absent(mapping) && !read_entries(customs, mapping)) {
        return false;
    }
    bool ok = true;
    custom->board_names = names_of(customs);
    custom->boards = ARENA_ARRAY(customs->arena, const struct board *, customs->count);
    for (size_t i = 0; i < customs->count; i++) {
        struct entry *entry = &customs->entries[i];
        size_t before = customs->diagnostics->list.count;
        if (resolve(customs, entry) && decode_board(customs, entry, &custom->boards[i]) &&
            check_soc_of_board(customs, socs, custom->boards[i])) {
            continue;
        }
        note_base(customs, entry, before);
        ok = false;
    }
    return ok;
}

bool registry_add_custom(struct arena *arena, struct diagnostics *diagnostics, const struct node *custom_socs,
                         const struct node *custom_boards, struct registry *registry)
{
    if (is_absent(custom_socs) && is_absent(custom_boards)) {
        return true;
    }
    const struct registry files = {.folders = registry->folders, .folder_count = registry->folder_count};
    struct customs socs = {.arena = arena, .diagnostics = diagnostics, .kind = &soc_custom};
    struct customs boards = {.arena = arena, .diagnostics = diagnostics, .kind = &board_custom};
    if (!registry_list_socs(arena, diagnostics, &files, &socs.files) ||
        !registry_list_boards(arena, diagnostics, &files, &boards.files)) {
        return false;
    }
    struct registry_custom *custom = ARENA_NEW(arena, struct registry_custom);
    bool socs_good = add_socs(&socs, custom_socs, custom);
    /* A SoC that was refused was reported; its boards need not hear of it again. */
    struct registry all = files;
    all.custom = custom;
    struct registry_names names = {0};
    if (!registry_list_socs(arena, diagnostics, &all, &names) || !add_boards(&boards, custom_boards, &names, custom) ||
        !socs_good) {
        return false;
    }
    registry->custom = custom;
    return true;
}
