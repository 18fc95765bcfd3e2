#include "diag/diag.h"

#include <string.h>

/* More names than this in a note help nobody. */
#define KNOWN_NAMES_LIMIT 20

static const struct diag_row ROWS[DIAG_ID_COUNT] = {
#define DIAG(enumerator, row_name, row_level, row_meaning, row_remedy)                                                           \
    [enumerator] = {.name = row_name, .level = row_level, .meaning = row_meaning, .remedy = row_remedy},
#include "diag/diag_ids.def"
#undef DIAG
};

const struct diag_row *diag_row(enum diag_id id)
{
    return &ROWS[id];
}

enum diag_id diag_id_by_name(const char *name)
{
    for (size_t i = 0; i < DIAG_ID_COUNT; i++) {
        if (text_equal(ROWS[i].name, name)) {
            return (enum diag_id)i;
        }
    }
    return DIAG_ID_COUNT;
}

struct diagnostics diagnostics_start(struct arena *arena)
{
    struct diagnostics diagnostics = {.arena = arena};
    LIST_ADD(arena, &diagnostics.sources); /* number 0 is "no source" */
    for (size_t i = 0; i < DIAG_ID_COUNT; i++) {
        diagnostics.levels[i] = ROWS[i].level;
    }
    return diagnostics;
}

uint32_t diag_add_source(struct diagnostics *diagnostics, const char *path, struct bytes content)
{
    struct source *source = LIST_ADD(diagnostics->arena, &diagnostics->sources);
    source->path = arena_copy_text(diagnostics->arena, path);
    source->content = content;
    return (uint32_t)(diagnostics->sources.count - 1);
}

const struct source *diag_source(const struct diagnostics *diagnostics, uint32_t number)
{
    if (number == 0 || number >= diagnostics->sources.count) {
        return NULL;
    }
    return &diagnostics->sources.items[number];
}

/* The message is made printable here and not where it is shown, so that no way out can forget it. */
static const char *format_message(struct arena *arena, const char *format, va_list arguments)
{
    const char *text = arena_format_list(arena, format, arguments);
    return text_printable(arena, text, strlen(text));
}

/* Counts the finding and makes room for it, or hands out the place for what is not kept. */
static struct diag *add_finding(struct diagnostics *diagnostics, enum diag_id id)
{
    diagnostics->unkept = (struct diag){.message = ""};
    if (diagnostics->disabled[id]) {
        return &diagnostics->unkept;
    }
    enum diag_level level = diagnostics->levels[id];
    diagnostics->error_count += level == DIAG_ERROR;
    diagnostics->warning_count += level == DIAG_WARNING;
    if (diagnostics->list.count < DIAG_LIMIT) {
        return LIST_ADD(diagnostics->arena, &diagnostics->list);
    }
    diagnostics->dropped++;
    return &diagnostics->unkept;
}

struct diag *diag_report(struct diagnostics *diagnostics, enum diag_id id, struct span span, const char *format, ...)
{
    struct diag *diag = add_finding(diagnostics, id);
    diag->id = id;
    diag->level = diagnostics->levels[id];
    diag->span = span;
    if (diag == &diagnostics->unkept) {
        return diag;
    }
    va_list arguments;
    va_start(arguments, format);
    diag->message = format_message(diagnostics->arena, format, arguments);
    va_end(arguments);
    return diag;
}

void diag_note(struct diagnostics *diagnostics, struct diag *diag, struct span span, const char *format, ...)
{
    if (diag == &diagnostics->unkept) {
        return;
    }
    struct diag_note *note = LIST_ADD(diagnostics->arena, &diag->notes);
    note->span = span;
    va_list arguments;
    va_start(arguments, format);
    note->message = format_message(diagnostics->arena, format, arguments);
    va_end(arguments);
}

void diag_place(struct diagnostics *diagnostics, struct diag *diag, const char *format, ...)
{
    if (diag == &diagnostics->unkept) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    diag->place = format_message(diagnostics->arena, format, arguments);
    va_end(arguments);
}

/* What stands before the name in a -W setting, and what it does. */
static const struct setting_form {
    const char *prefix;
    bool disabled;
    enum diag_level level;
} SETTING_FORMS[] = {
    {"", false, DIAG_WARNING},
    {"no-", true, DIAG_WARNING},
    {"error=", false, DIAG_ERROR},
};

bool diag_configure(struct diagnostics *diagnostics, const char *setting)
{
    for (size_t i = 0; i < sizeof SETTING_FORMS / sizeof SETTING_FORMS[0]; i++) {
        const struct setting_form *form = &SETTING_FORMS[i];
        if (!text_starts_with(setting, form->prefix)) {
            continue;
        }
        enum diag_id id = diag_id_by_name(setting + strlen(form->prefix));
        if (id == DIAG_ID_COUNT || ROWS[id].level == DIAG_ERROR) {
            continue;
        }
        diagnostics->disabled[id] = form->disabled;
        diagnostics->levels[id] = form->level;
        return true;
    }
    return false;
}

void diag_suggest(struct diagnostics *diagnostics, struct diag *diag, const char *wanted, const char *noun,
                  const char *const *names, size_t count)
{
    const char *nearest = text_nearest(wanted, names, count);
    if (nearest) {
        diag_note(diagnostics, diag, SPAN_NONE, "did you mean '%s'?", nearest);
    }
    if (count == 0) {
        return;
    }
    size_t shown = count < KNOWN_NAMES_LIMIT ? count : KNOWN_NAMES_LIMIT;
    const char *list = text_join(diagnostics->arena, names, shown, ", ");
    if (shown == count) {
        diag_note(diagnostics, diag, SPAN_NONE, "known %s: %s", noun, list);
    } else {
        diag_note(diagnostics, diag, SPAN_NONE, "known %s: %s and %zu more", noun, list, count - shown);
    }
}

const char *diag_span_text(const struct diagnostics *diagnostics, struct arena *arena, struct span span)
{
    const struct source *source = diag_source(diagnostics, span.source);
    if (!source) {
        return "";
    }
    const char *path = text_printable(arena, source->path, strlen(source->path));
    return span.line == 0 ? path : arena_format(arena, "%s:%u", path, span.line);
}
