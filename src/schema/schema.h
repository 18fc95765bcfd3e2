/* Schemas: const tables of fields that decode a document into plain structs, and print the reference from the same rows.
 *
 * Every decoded value keeps its span and whether it was set, so later stages can point at the user's line. Unknown keys
 * (with the nearest name), wrong kinds, numbers out of range and missing required keys are all reported before
 * schema_decode() returns false. */
#ifndef HELIA_SCHEMA_SCHEMA_H
#define HELIA_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/text.h"
#include "diag/diag.h"
#include "doc/doc.h"

/* What fields decode into. `set` false: the key was absent; value is then the field's default (0, NULL or what the
 * caller put there before). */
struct text_value {
    const char *text;
    struct span span;
    bool set;
    bool is_null; /* only with FIELD_NULLABLE: the key was written as null; `set` is false, as if it were absent */
};
struct size_value { /* FIELD_SIZE, FIELD_INTEGER, FIELD_ADDRESS */
    uint64_t value;
    struct span span;
    bool set;
    bool is_null; /* only with FIELD_NULLABLE: the key was written as null */
};
struct bool_value {
    bool value;
    struct span span;
    bool set;
};
struct choice_value {
    int value; /* the choice's number */
    struct span span;
    bool set;
};
struct text_list {
    struct text_value *items;
    size_t count;
    struct span span;
    bool set;
};
/* FIELD_RECORDS and FIELD_RECORD_MAP: `items` is an array of the record's struct. */
struct record_list {
    void *items;
    size_t count;
    struct span span;
    bool set;
};
struct node_value {
    const struct node *node;
    struct span span;
    bool set;
};

struct choice {
    const char *name; /* matched without regard to case */
    int value;
};

struct schema;

enum field_kind {
    FIELD_TEXT,       /* struct text_value: a scalar, not null, not empty unless FIELD_MAY_BE_EMPTY */
    FIELD_BOOL,       /* struct bool_value: unquoted true or false */
    FIELD_INTEGER,    /* struct size_value: decimal or 0x; minimum..maximum */
    FIELD_SIZE,       /* struct size_value: what size_parse() reads; minimum..maximum (0 maximum: SIZE_LIMIT) */
    FIELD_ADDRESS,    /* struct size_value: decimal or 0x; minimum..maximum */
    FIELD_CHOICE,     /* struct choice_value */
    FIELD_TEXT_LIST,  /* struct text_list: a list of scalars, or one scalar */
    FIELD_RECORD,     /* the record's struct itself, embedded */
    FIELD_RECORDS,    /* struct record_list: a list of mappings */
    FIELD_RECORD_MAP, /* struct record_list: a mapping from names to mappings; the record's first member must be a
                         struct text_value that takes the name */
    FIELD_NODE        /* struct node_value: kept as it is, for a later decoder */
};

enum field_flag {
    FIELD_REQUIRED = 1,
    FIELD_NULLABLE = 2, /* null is allowed (sizes and texts: is_null; others: as if absent) */
    FIELD_MAY_BE_EMPTY = 4,
    FIELD_POWER_OF_TWO = 8
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset; /* offsetof(struct, member) */
    unsigned flags;
    uint64_t minimum;
    uint64_t maximum;             /* 0: no upper bound of its own */
    const struct choice *choices; /* FIELD_CHOICE; ends with a NULL name */
    const struct schema *record;  /* FIELD_RECORD, FIELD_RECORDS, FIELD_RECORD_MAP */
    const char *default_text;     /* as shown in the reference; NULL: none */
    const char *help;             /* one sentence */
};

struct schema {
    const char *name; /* "memory.constraints[]": the path from the top, for messages and headings. "" or a title with a
                         space in it, such as "config file": the top itself, no part of paths */
    const char *help;
    size_t size;        /* sizeof the struct */
    size_t span_offset; /* offsetof a struct span that takes the mapping's own place; SCHEMA_NO_SPAN if there is none */
    const struct field *fields;
    size_t field_count;
};
#define SCHEMA_NO_SPAN SIZE_MAX

/* Decodes `node` into `target` (schema->size bytes, zeroed or holding defaults). Reports all findings; false if any. */
MUST_CHECK bool schema_decode(struct arena *arena, struct diagnostics *diagnostics, const struct schema *schema,
                              const struct node *node, void *target);

/* Markdown reference of one schema and, after it, of the records it contains: a table of key, kind, default, meaning. */
void schema_print_reference(const struct schema *schema, unsigned heading_level, struct text *out);

/* Reads one scalar by the rules of a field kind (for command-line values, planner options). Reports at node->span. */
MUST_CHECK bool schema_read_scalar(struct arena *arena, struct diagnostics *diagnostics, const struct field *field,
                                   const struct node *node, void *value);

#endif
