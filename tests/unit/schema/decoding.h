/* What the tests of schemas share: one schema with every kind of field, and decoding a text with it. */
#ifndef TESTS_UNIT_SCHEMA_DECODING_H
#define TESTS_UNIT_SCHEMA_DECODING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/schema.h"

struct constraint {
    struct text_value name;
    struct size_value max_size;
    struct size_value alignment;
    struct span span;
};

struct board {
    struct text_value name;
    struct text_value soc;
};

struct options {
    struct size_value iterations;
};

struct memory {
    struct text_value planner;
    struct text_value comment;
    struct bool_value dump;
    struct size_value arena_size;
    struct size_value origin;
    struct size_value count;
    struct choice_value kind;
    struct text_list id;
    struct options options;
    struct record_list constraints;
    struct record_list boards;
    struct node_value rest;
    struct span span;
};

enum tensor_kind { KIND_SCRATCH = 3, KIND_CONSTANT = 7 };

static const struct choice tensor_kinds[] = {{"scratch", KIND_SCRATCH}, {"constant", KIND_CONSTANT}, {NULL, 0}};

static const struct field constraint_fields[] = {
    {.key = "name",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct constraint, name),
     .flags = FIELD_REQUIRED,
     .help = "The region."},
    {.key = "max_size",
     .kind = FIELD_SIZE,
     .offset = offsetof(struct constraint, max_size),
     .flags = FIELD_NULLABLE,
     .minimum = 1,
     .maximum = 1048576,
     .help = "The most that may be used."},
    {.key = "alignment",
     .kind = FIELD_SIZE,
     .offset = offsetof(struct constraint, alignment),
     .flags = FIELD_POWER_OF_TWO,
     .default_text = "16",
     .help = "A bar | in a cell."},
};
static const struct schema constraint_schema = {.name = "memory.constraints[]",
                                                .help = "One limit.",
                                                .size = sizeof(struct constraint),
                                                .span_offset = offsetof(struct constraint, span),
                                                .fields = constraint_fields,
                                                .field_count = 3};

static const struct field board_fields[] = {
    {.key = "soc", .kind = FIELD_TEXT, .offset = offsetof(struct board, soc), .flags = FIELD_REQUIRED, .help = "Its chip."},
};
static const struct schema board_schema = {.name = "memory.boards.NAME",
                                           .size = sizeof(struct board),
                                           .span_offset = SCHEMA_NO_SPAN,
                                           .fields = board_fields,
                                           .field_count = 1};

static const struct field option_fields[] = {
    {.key = "iterations",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct options, iterations),
     .minimum = 1,
     .maximum = 1000,
     .default_text = "300",
     .help = "How long to try."},
};
static const struct schema option_schema = {.name = "memory.options",
                                            .size = sizeof(struct options),
                                            .span_offset = SCHEMA_NO_SPAN,
                                            .fields = option_fields,
                                            .field_count = 1};

static const struct field memory_fields[] = {
    {.key = "planner",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct memory, planner),
     .default_text = "greedy",
     .help = "Who plans."},
    {.key = "comment",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct memory, comment),
     .flags = FIELD_MAY_BE_EMPTY | FIELD_NULLABLE,
     .help = "Anything."},
    {.key = "dump", .kind = FIELD_BOOL, .offset = offsetof(struct memory, dump), .default_text = "false", .help = "Write it."},
    {.key = "arena_size", .kind = FIELD_SIZE, .offset = offsetof(struct memory, arena_size), .help = "The arena."},
    {.key = "origin",
     .kind = FIELD_ADDRESS,
     .offset = offsetof(struct memory, origin),
     .minimum = 0x1000,
     .maximum = 0xFFFFFFFF,
     .help = "Where it starts."},
    {.key = "count", .kind = FIELD_INTEGER, .offset = offsetof(struct memory, count), .minimum = 2, .help = "How many."},
    {.key = "kind",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct memory, kind),
     .choices = tensor_kinds,
     .help = "What it is."},
    {.key = "id", .kind = FIELD_TEXT_LIST, .offset = offsetof(struct memory, id), .help = "Which."},
    {.key = "options",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct memory, options),
     .record = &option_schema,
     .help = "How."},
    {.key = "constraints",
     .kind = FIELD_RECORDS,
     .offset = offsetof(struct memory, constraints),
     .record = &constraint_schema,
     .help = "Limits."},
    {.key = "boards",
     .kind = FIELD_RECORD_MAP,
     .offset = offsetof(struct memory, boards),
     .record = &board_schema,
     .help = "Boards."},
    {.key = "rest", .kind = FIELD_NODE, .offset = offsetof(struct memory, rest), .help = "For others."},
};
static const struct schema memory_schema = {.name = "memory",
                                            .help = "Where things go.",
                                            .size = sizeof(struct memory),
                                            .span_offset = offsetof(struct memory, span),
                                            .fields = memory_fields,
                                            .field_count = sizeof memory_fields / sizeof memory_fields[0]};

struct run {
    struct arena arena;
    struct diagnostics diagnostics;
    struct memory memory;
};

/* Starts a run, reads the text, decodes it into run->memory. */
static inline bool decode(struct run *run, const char *text)
{
    const struct node *root = NULL;
    *run = (struct run){0};
    run->diagnostics = diagnostics_start(&run->arena);
    uint32_t source = diag_add_source(&run->diagnostics, "test.yaml", (struct bytes){(const uint8_t *)text, strlen(text)});
    assert_true(doc_parse(&run->arena, &run->diagnostics, source, &root));
    return schema_decode(&run->arena, &run->diagnostics, &memory_schema, root, &run->memory);
}

static inline void run_end(struct run *run)
{
    arena_free(&run->arena);
}

#endif
