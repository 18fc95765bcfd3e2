/* Diagnostics: a problem is a record first and text last.
 *
 * Rooms report findings here and go on; the pipeline stops at the stage's border if any error was counted. Nobody but
 * cli/ prints. Every finding has a stable id, a row in diag_ids.def, from which docs/diagnostics.md is made. */
#ifndef HELIA_DIAG_DIAG_H
#define HELIA_DIAG_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/file.h"
#include "base/text.h"

enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };
/* "note", "warning" or "error". */
const char *diag_level_name(enum diag_level level);

/* One enumerator a row of diag_ids.def: DIAG(enumerator, "stable-name", default level, "meaning", "remedy"). */
enum diag_id {
#define DIAG(enumerator, name, level, meaning, remedy) enumerator,
#include "diag/diag_ids.def"
#undef DIAG
    DIAG_ID_COUNT
};

struct diag_row {
    const char *name; /* "unknown-key" */
    enum diag_level level;
    const char *meaning; /* one sentence */
    const char *remedy;  /* one sentence: what would be right */
};
const struct diag_row *diag_row(enum diag_id id);
/* DIAG_ID_COUNT if there is none. */
enum diag_id diag_id_by_name(const char *name);

/* Where something came from. `source` 0: nowhere in particular. Lines and columns count from 1; columns count bytes.
 * Line 0: the source as a whole (a binary file, the command line). */
struct span {
    uint32_t source; /* index into diagnostics.sources; 0 is "no source" */
    uint32_t line;
    uint32_t column;
    uint32_t length; /* bytes to underline, 0 and 1 give a single caret */
};
#define SPAN_NONE ((struct span){0})

/* A text that spans point into. */
struct source {
    const char *path;     /* as shown: relative as the user wrote it, or "<command line>" */
    struct bytes content; /* empty for binary files and the command line */
    uint32_t *lines;      /* byte offset of each line's start; made on first use */
    size_t line_count;
};

struct diag_note {
    struct span span;
    const char *message;
};

struct diag {
    enum diag_id id;
    enum diag_level level;
    struct span span;
    const char *place;   /* for binary input: "tensor 7 'conv1'", "offset 0x40"; NULL else */
    const char *message; /* one line, no final stop */
    struct {
        struct diag_note *items;
        size_t count, capacity;
    } notes;
};

/* The sink of one run. Starts as diagnostics_start(). Messages live in its arena. */
struct diagnostics {
    struct arena *arena;
    struct {
        struct source *items;
        size_t count, capacity;
    } sources;
    struct {
        struct diag *items;
        size_t count, capacity;
    } list;
    size_t error_count;
    size_t warning_count;
    size_t dropped;                        /* findings beyond DIAG_LIMIT */
    enum diag_level levels[DIAG_ID_COUNT]; /* after -W */
    bool disabled[DIAG_ID_COUNT];          /* after -W no-NAME */
    struct diag unkept;                    /* what diag_report() returns for a finding that is not kept */
};

/* More findings than this in one run are counted, not kept. */
#define DIAG_LIMIT 200

struct diagnostics diagnostics_start(struct arena *arena);

/* Registers a text; `content` must outlive the sink. Returns its number, 1 or more. */
uint32_t diag_add_source(struct diagnostics *diagnostics, const char *path, struct bytes content);
/* NULL for 0 or a number that is not registered. */
const struct source *diag_source(const struct diagnostics *diagnostics, uint32_t number);

/* Records a finding at its row's level. Returns it for diag_note() and diag_place(); never NULL. Here as in notes and places,
 * characters that steer a terminal become '?', whatever the arguments hold. */
struct diag *diag_report(struct diagnostics *diagnostics, enum diag_id id, struct span span, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Adds a note. `diag` must be the newest finding. */
void diag_note(struct diagnostics *diagnostics, struct diag *diag, struct span span, const char *format, ...) PRINTF_LIKE(4, 5);
/* Names the place inside a binary input. */
void diag_place(struct diagnostics *diagnostics, struct diag *diag, const char *format, ...) PRINTF_LIKE(3, 4);

/* -W NAME, no-NAME, error=NAME. False if no such warning exists; the caller reports. Errors cannot be silenced. */
MUST_CHECK bool diag_configure(struct diagnostics *diagnostics, const char *setting);

/* Adds a note "did you mean 'X'?" if one is near, and one "known NOUN: a, b, c" (sorted as given, at most 20). */
void diag_suggest(struct diagnostics *diagnostics, struct diag *diag, const char *wanted, const char *noun,
                  const char *const *names, size_t count);

/* "placement.yaml:14" or "<command line>" or "" for SPAN_NONE, in the arena: for comments in generated files. */
const char *diag_span_text(const struct diagnostics *diagnostics, struct arena *arena, struct span span);

/* Renderings, findings sorted by source and position within a stage (order of report is kept for equal ones):
 * file:line:column: level: message [id], the source line, a caret, then notes. */
void diag_render_text(struct diagnostics *diagnostics, bool color, struct text *out);
/* {"schema": "helia-placement/diagnostics/1", "diagnostics": [{id, level, message, file, line, column, length, place,
 * source_line, notes}]}, one line. */
void diag_render_json(struct diagnostics *diagnostics, struct text *out);

#endif
