/* Boards: decoding their files, and the SoC as a board fits it. */
#include "soc/soc_convert.h"
#include "soc/soc_rules.h"

static const char psram_name[] = "PSRAM";

static void check_board(struct conversion *conversion, const struct board *board)
{
    if (!is_file_name(board->name)) {
        diag_report(conversion->diagnostics, DIAG_BAD_NAME, board->span,
                    "the board's name '%s' must be made of letters, digits, '-', '_', '.' and '+'",
                    node_printable(conversion->arena, board->name));
        conversion->failures++;
    }
    if (board->has_psram && board->source == NULL && !conversion->from_config) {
        diag_report(conversion->diagnostics, DIAG_UNSOURCED_NUMBER, board->psram_span,
                    "'psram' of %s does not say where its length was read", node_printable(conversion->arena, board->name));
        conversion->failures++;
    }
}

static void read_clocks(struct conversion *conversion, const struct board_record *record, struct board *board)
{
    board->psram_clocks_hz = conversion_clocks(conversion, &record->psram_clocks_hz, &board->psram_clock_count);
    board->clocks_source = conversion_source(conversion, &record->source);
    if (board->psram_clock_count == 0 || board->clocks_source != NULL || conversion->from_config) {
        return;
    }
    diag_report(conversion->diagnostics, DIAG_UNSOURCED_NUMBER, record->psram_clocks_hz.span,
                "'psram_clocks_hz' of %s does not say where its numbers were read",
                node_printable(conversion->arena, board->name));
    conversion->failures++;
}

static bool decode(struct conversion *conversion, const struct schema *schema, const struct node *root, const char *path,
                   struct board *result)
{
    struct board_record record = {0};
    if (!schema_decode(conversion->arena, conversion->diagnostics, schema, root, &record)) {
        return false;
    }
    conversion_read_sources(conversion, &record.sources);
    *result = (struct board){
        .name = record.name.text,
        .soc = record.soc.text,
        .soc_span = record.soc.span,
        .description = record.description.text,
        .has_psram = record.psram.length.set,
        .psram_length = record.psram.length.value,
        .psram_span = record.psram.length.span,
        .source = conversion_source(conversion, &record.psram.source),
        .path = path,
        .from_config = conversion->from_config,
        .span = record.name.span,
    };
    check_board(conversion, result);
    read_clocks(conversion, &record, result);
    return conversion->failures == 0;
}

bool board_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *path,
                  struct board **board)
{
    struct conversion conversion = {.arena = arena, .diagnostics = diagnostics};
    struct board *result = ARENA_NEW(arena, struct board);
    if (!decode(&conversion, &board_schema, root, path, result)) {
        return false;
    }
    *board = result;
    return true;
}

bool board_decode_custom(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema,
                         const struct node *root, const char *path, struct board **board)
{
    struct conversion conversion = {.arena = arena, .diagnostics = diagnostics, .from_config = true};
    struct board *result = ARENA_NEW(arena, struct board);
    if (!decode(&conversion, schema, root, path, result)) {
        return false;
    }
    *board = result;
    return true;
}

/* A copy that can be changed without touching the original: regions, profiles and their lists. */
static struct soc *copy_soc(struct arena *arena, const struct soc *soc)
{
    struct soc *copy = ARENA_NEW(arena, struct soc);
    *copy = *soc;
    copy->regions = ARENA_ARRAY(arena, struct region, soc->region_count);
    for (size_t i = 0; i < soc->region_count; i++) {
        copy->regions[i] = soc->regions[i];
    }
    copy->profiles = ARENA_ARRAY(arena, struct linker_profile, soc->profile_count);
    for (size_t i = 0; i < soc->profile_count; i++) {
        copy->profiles[i] = soc->profiles[i];
    }
    return copy;
}

/* The index of `region` once `removed` is gone. */
static uint32_t index_without(uint32_t region, uint32_t removed)
{
    return region > removed ? region - 1 : region;
}

static void remove_from_order(struct arena *arena, struct soc *soc, uint32_t removed)
{
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, soc->memory_order_count);
    size_t count = 0;
    for (size_t i = 0; i < soc->memory_order_count; i++) {
        if (soc->memory_order[i] != removed) {
            order[count++] = index_without(soc->memory_order[i], removed);
        }
    }
    soc->memory_order = order;
    soc->memory_order_count = count;
}

static void remove_from_windows(struct arena *arena, struct linker_profile *profile, uint32_t removed)
{
    struct window *windows = ARENA_ARRAY(arena, struct window, profile->window_count);
    size_t count = 0;
    for (size_t i = 0; i < profile->window_count; i++) {
        if (profile->windows[i].region == removed) {
            continue;
        }
        windows[count] = profile->windows[i];
        windows[count].region = index_without(windows[count].region, removed);
        count++;
    }
    profile->windows = windows;
    profile->window_count = count;
}

static void remove_from_native(struct arena *arena, struct linker_profile *profile, uint32_t removed)
{
    struct native_sections *native = ARENA_ARRAY(arena, struct native_sections, profile->native_count);
    size_t count = 0;
    for (size_t i = 0; i < profile->native_count; i++) {
        if (profile->native[i].region == removed) {
            continue;
        }
        native[count] = profile->native[i];
        native[count].region = index_without(native[count].region, removed);
        count++;
    }
    profile->native = native;
    profile->native_count = count;
}

/* Reports a profile that cannot do without the region. */
static bool check_roles(struct diagnostics *diagnostics, const struct board *board, const struct linker_profile *profile,
                        uint32_t removed)
{
    if (profile->code_region != removed && profile->data_region != removed && profile->stack_region != removed &&
        profile->image_region != removed) {
        return true;
    }
    diag_report(diagnostics, DIAG_ROLE_WITHOUT_WINDOW, board->psram_span,
                "the board has no PSRAM, which the linker profile '%s' uses for its code, data, stack or load images",
                profile->name);
    return false;
}

static bool remove_region(struct arena *arena, struct diagnostics *diagnostics, const struct board *board, struct soc *soc,
                          uint32_t removed)
{
    bool ok = true;
    for (size_t i = 0; i < soc->profile_count; i++) {
        ok = check_roles(diagnostics, board, &soc->profiles[i], removed) && ok;
    }
    if (!ok) {
        return false;
    }
    for (size_t i = removed; i + 1 < soc->region_count; i++) {
        soc->regions[i] = soc->regions[i + 1];
    }
    soc->region_count--;
    remove_from_order(arena, soc, removed);
    for (size_t i = 0; i < soc->profile_count; i++) {
        struct linker_profile *profile = &soc->profiles[i];
        remove_from_windows(arena, profile, removed);
        remove_from_native(arena, profile, removed);
        profile->code_region = index_without(profile->code_region, removed);
        profile->data_region = index_without(profile->data_region, removed);
        profile->stack_region = index_without(profile->stack_region, removed);
        profile->image_region = index_without(profile->image_region, removed);
    }
    return true;
}

static bool check_board_fits(struct diagnostics *diagnostics, const struct soc *soc, const struct board *board, uint32_t psram)
{
    if (!text_equal_nocase(board->soc, soc->name)) {
        diag_report(diagnostics, DIAG_BOARD_OF_OTHER_SOC, board->soc_span, "the board %s carries %s, not %s", board->name,
                    node_printable(diagnostics->arena, board->soc), soc->name);
        return false;
    }
    if (psram == REGION_NONE && board->has_psram && board->psram_length > 0) {
        diag_report(diagnostics, DIAG_BOARD_WITHOUT_PSRAM, board->psram_span, "%s has no region PSRAM for the board %s to fit",
                    soc->name, board->name);
        return false;
    }
    return true;
}

/* The board's clocks stand beside the SoC's other numbers, so both say where they were read. */
static const char *joined_source(struct arena *arena, const struct soc *soc, const struct board *board)
{
    if (board->clocks_source == NULL || soc->source == NULL || text_equal(soc->source, board->clocks_source)) {
        return board->clocks_source != NULL ? board->clocks_source : soc->source;
    }
    return arena_format(arena, "%s, %s", soc->source, board->clocks_source);
}

/* The clocks of the PSRAM as fitted: the board's list, if it has one, in place of the SoC's. */
static void apply_clocks(struct arena *arena, struct soc *soc, const struct board *board)
{
    if (board->psram_clock_count == 0) {
        return;
    }
    soc->source = joined_source(arena, soc, board);
    soc->psram_clocks_hz = board->psram_clocks_hz;
    soc->psram_clock_count = board->psram_clock_count;
}

bool soc_apply_board(struct arena *arena, struct diagnostics *diagnostics, const struct soc *soc, const struct board *board,
                     const struct soc **result)
{
    uint32_t psram = soc_find_region(soc, psram_name);
    if (!check_board_fits(diagnostics, soc, board, psram)) {
        return false;
    }
    struct soc *copy = copy_soc(arena, soc);
    copy->from_config = soc->from_config || board->from_config;
    apply_clocks(arena, copy, board);
    if (board->has_psram && psram != REGION_NONE) {
        if (board->psram_length == 0 && !remove_region(arena, diagnostics, board, copy, psram)) {
            return false;
        }
        if (board->psram_length > 0) {
            copy->regions[psram].length = board->psram_length;
        }
        if (!soc_validate(arena, diagnostics, copy)) {
            return false;
        }
    }
    *result = copy;
    return true;
}
