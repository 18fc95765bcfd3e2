#include "base/json_write.h"
#include "diag/diag.h"
#include "diag/diag_view.h"

static struct json *number_or_null(uint32_t number)
{
    return number == 0 ? json_nothing() : json_size(number);
}

static void set_span(struct json *object, const struct diagnostics *diagnostics, struct span span)
{
    const struct source *source = diag_source(diagnostics, span.source);
    json_set(object, "file", json_text(source ? source->path : NULL));
    json_set(object, "line", number_or_null(span.line));
    json_set(object, "column", number_or_null(span.column));
    json_set(object, "length", number_or_null(span.length));
}

static struct json *render_source_line(struct diagnostics *diagnostics, struct span span)
{
    struct bytes line;
    if (!diag_source_line(diagnostics, span, &line)) {
        return json_nothing();
    }
    return json_text(text_printable(diagnostics->arena, (const char *)line.data, line.size));
}

static struct json *render_finding(struct diagnostics *diagnostics, const struct diag *diag)
{
    struct json *object = json_new_object();
    json_set(object, "id", json_text(diag_row(diag->id)->name));
    json_set(object, "level", json_text(diag_level_name(diag->level)));
    json_set(object, "message", json_text(diag->message));
    set_span(object, diagnostics, diag->span);
    json_set(object, "place", json_text(diag->place));
    json_set(object, "source_line", render_source_line(diagnostics, diag->span));
    struct json *notes = json_new_array();
    for (size_t i = 0; i < diag->notes.count; i++) {
        struct json *note = json_new_object();
        json_set(note, "message", json_text(diag->notes.items[i].message));
        set_span(note, diagnostics, diag->notes.items[i].span);
        json_add(notes, note);
    }
    json_set(object, "notes", notes);
    return object;
}

void diag_render_json(struct diagnostics *diagnostics, struct text *out)
{
    struct json *findings = json_new_array();
    const struct diag **order = diag_in_order(diagnostics);
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        json_add(findings, render_finding(diagnostics, order[i]));
    }
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/diagnostics/1"));
    json_set(root, "diagnostics", findings);
    if (diagnostics->dropped != 0) {
        json_set(root, "dropped", json_size(diagnostics->dropped));
    }
    json_finish(root, true, out);
}
