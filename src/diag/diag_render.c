#include <string.h>

#include "diag/diag.h"
#include "diag/diag_view.h"

#define PROGRAM "helia-placement"

/* Longer source lines are cut to about this many bytes around the column. */
#define SHOWN_BYTES 120
#define CUT_MARK    "..."

#define LINE_NUMBER_WIDTH 4

/* Select Graphic Rendition: ECMA-48, section 8.3.117. */
static const char *const LEVEL_COLORS[] = {
    [DIAG_NOTE] = "\033[36m",    /* cyan */
    [DIAG_WARNING] = "\033[35m", /* magenta */
    [DIAG_ERROR] = "\033[1;31m", /* bold red */
};
static const char CARET_COLOR[] = "\033[32m"; /* green */
static const char COLOR_END[] = "\033[0m";

struct rendering {
    struct diagnostics *diagnostics;
    bool color;
    struct text *out;
};

static void render_colored(const struct rendering *rendering, const char *color, const char *text)
{
    if (rendering->color) {
        text_add(rendering->out, color);
    }
    text_add(rendering->out, text);
    if (rendering->color) {
        text_add(rendering->out, COLOR_END);
    }
}

/* "path:line:column: ", or `nowhere`. */
static void render_position(const struct rendering *rendering, struct span span, const char *nowhere)
{
    const struct source *source = diag_source(rendering->diagnostics, span.source);
    if (!source) {
        text_add(rendering->out, nowhere);
        return;
    }
    text_add(rendering->out, text_printable(rendering->diagnostics->arena, source->path, strlen(source->path)));
    if (span.line != 0) {
        text_print(rendering->out, ":%u", span.line);
    }
    if (span.line != 0 && span.column != 0) {
        text_print(rendering->out, ":%u", span.column);
    }
    text_add(rendering->out, ": ");
}

static void render_level(const struct rendering *rendering, enum diag_level level)
{
    static const char *const LABELS[] = {[DIAG_NOTE] = "note:", [DIAG_WARNING] = "warning:", [DIAG_ERROR] = "error:"};
    render_colored(rendering, LEVEL_COLORS[level], LABELS[level]);
    text_add_char(rendering->out, ' ');
}

/* The part of a source line that is shown, and what is underlined in it. All are offsets in the line. */
struct excerpt {
    const char *line;
    size_t size;
    size_t start, end;
    size_t caret, caret_end; /* caret_end is at least caret; both at most `end` */
};

static bool continues_character(const struct excerpt *excerpt, size_t at)
{
    return at < excerpt->size && ((unsigned char)excerpt->line[at] & 0xC0) == 0x80;
}

/* Moves a cut back to the border of a character; a character has at most three bytes after its first. */
static size_t character_start(const struct excerpt *excerpt, size_t at)
{
    for (int i = 0; i < 3 && at > 0 && continues_character(excerpt, at); i++) {
        at--;
    }
    return at;
}

static struct excerpt cut_line(struct bytes line, struct span span)
{
    struct excerpt excerpt = {.line = (const char *)line.data, .size = line.size, .end = line.size};
    size_t caret = span.column == 0 ? 0 : span.column - 1;
    caret = caret < line.size ? caret : line.size;
    if (line.size > SHOWN_BYTES) {
        size_t start = caret > SHOWN_BYTES / 2 ? caret - SHOWN_BYTES / 2 : 0;
        start = start < line.size - SHOWN_BYTES ? start : line.size - SHOWN_BYTES;
        excerpt.start = character_start(&excerpt, start);
        excerpt.end = character_start(&excerpt, start + SHOWN_BYTES);
    }
    excerpt.caret = caret;
    size_t length = span.length < 1 ? 1 : span.length;
    excerpt.caret_end = length < excerpt.end - caret ? caret + length : excerpt.end;
    return excerpt;
}

/* Bytes of the character at `at`; a byte that is not UTF-8 is shown as one '?' and counts as one. */
static size_t character_size(const struct excerpt *excerpt, size_t at)
{
    size_t size = text_utf8_size(excerpt->line + at, excerpt->end - at);
    return size == 0 ? 1 : size;
}

static void render_source_text(struct text *out, const struct excerpt *excerpt)
{
    if (excerpt->start != 0) {
        text_add(out, CUT_MARK);
    }
    for (size_t at = excerpt->start; at < excerpt->end;) {
        if (excerpt->line[at] != '\t') {
            at += text_add_printable(out, excerpt->line + at, excerpt->end - at);
            continue;
        }
        text_add_char(out, '\t');
        at++;
    }
    if (excerpt->end != excerpt->size) {
        text_add(out, CUT_MARK);
    }
}

/* One column a character, tabs as tabs, so that the caret stands right whatever the tab width is. */
static void render_caret(const struct rendering *rendering, const struct excerpt *excerpt)
{
    struct text *out = rendering->out;
    if (excerpt->start != 0) {
        text_add_repeated(out, ' ', strlen(CUT_MARK));
    }
    for (size_t at = excerpt->start; at < excerpt->caret; at += character_size(excerpt, at)) {
        text_add_char(out, excerpt->line[at] == '\t' ? '\t' : ' ');
    }
    struct text underline = text_start(rendering->diagnostics->arena);
    text_add_char(&underline, '^');
    size_t at = excerpt->caret;
    if (at < excerpt->caret_end) {
        at += character_size(excerpt, at);
    }
    for (; at < excerpt->caret_end; at += character_size(excerpt, at)) {
        text_add_char(&underline, '~');
    }
    render_colored(rendering, CARET_COLOR, underline.data);
}

static void render_excerpt(const struct rendering *rendering, struct span span)
{
    struct bytes line;
    if (!diag_source_line(rendering->diagnostics, span, &line)) {
        return;
    }
    struct text *out = rendering->out;
    struct excerpt excerpt = cut_line(line, span);
    size_t before = out->size;
    text_print(out, "%*u", LINE_NUMBER_WIDTH, span.line);
    size_t width = out->size - before;
    text_add(out, line.size == 0 ? " |" : " | ");
    render_source_text(out, &excerpt);
    text_add_char(out, '\n');
    if (span.column == 0) {
        return;
    }
    text_add_repeated(out, ' ', width);
    text_add(out, " | ");
    render_caret(rendering, &excerpt);
    text_add_char(out, '\n');
}

static void render_finding(const struct rendering *rendering, const struct diag *diag)
{
    struct text *out = rendering->out;
    render_position(rendering, diag->span, PROGRAM ": ");
    render_level(rendering, diag->level);
    if (diag->place) {
        text_print(out, "%s: ", diag->place);
    }
    text_print(out, "%s [%s]\n", diag->message, diag_row(diag->id)->name);
    render_excerpt(rendering, diag->span);
    for (size_t i = 0; i < diag->notes.count; i++) {
        const struct diag_note *note = &diag->notes.items[i];
        render_position(rendering, note->span, "");
        render_level(rendering, DIAG_NOTE);
        text_print(out, "%s\n", note->message);
    }
}

void diag_render_text(struct diagnostics *diagnostics, bool color, struct text *out)
{
    struct rendering rendering = {.diagnostics = diagnostics, .color = color, .out = out};
    const struct diag **order = diag_in_order(diagnostics);
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        render_finding(&rendering, order[i]);
    }
    if (diagnostics->dropped != 0) {
        text_print(out, PROGRAM ": %zu more finding%s not shown\n", diagnostics->dropped,
                   diagnostics->dropped == 1 ? " is" : "s are");
    }
}
