/* Reads the FlatBuffers layout (little-endian; offsets relative to where they stand) out of bytes that nobody vouches for.
 *
 * Every access is checked against the buffer; nothing is assumed about alignment; nothing recurses. What cannot be read
 * gives the field's default (0, nothing), and the first such problem since flatbuffer_take_problem() is kept for the caller, who
 * knows which part of the model it was. Source of the layout: the FlatBuffers "internals" document. */
#ifndef HELIA_MODEL_FLATBUFFER_H
#define HELIA_MODEL_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/file.h"

struct flatbuffer {
    struct bytes content;
    size_t budget;       /* bytes of vectors and strings that may still be walked, see flatbuffer_start() */
    const char *problem; /* one phrase, NULL: none */
    size_t problem_offset;
};

/* A table that stands in the buffer as a whole, together with its vtable. Zero: no table, all fields absent. */
struct flat_table {
    size_t position;    /* of the table */
    size_t size;        /* bytes of the table */
    size_t fields;      /* where its field offsets (16 bits each) start */
    size_t field_count; /* field offsets that its vtable holds */
};

/* A vector that stands in the buffer as a whole. */
struct flat_vector {
    size_t position; /* of the first element */
    uint32_t count;
    bool present; /* an absent vector differs from an empty one in some schemas */
};

/* Tables may share their parts, so a short file can describe far more than it holds. Vectors and strings that are walked
 * are therefore charged to a budget: four times the file (an honest writer stays below once) and a bit for small files. */
struct flatbuffer flatbuffer_start(struct bytes content);

/* The root table of a buffer with these four bytes at offset 4. False if it has others or is too short for any. */
MUST_CHECK bool flatbuffer_root(struct flatbuffer *buffer, const char *identifier, struct flat_table *root);

/* The first problem since the last call, or NULL. */
const char *flatbuffer_take_problem(struct flatbuffer *buffer, size_t *offset);

/* Takes `bytes` from the budget; false (and a problem) when it is used up. */
MUST_CHECK bool flatbuffer_charge(struct flatbuffer *buffer, uint64_t bytes, size_t offset);

/* Scalars of 1, 2, 4 and 8 bytes; an absent field is `absent`. */
uint8_t flat_u8(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint8_t absent);
uint32_t flat_u32(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint32_t absent);
int32_t flat_i32(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, int32_t absent);
uint64_t flat_u64(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint64_t absent);

/* A field that holds a table; false if it is absent or broken. */
bool flat_table_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, struct flat_table *value);
bool flat_has_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field);

/* A field that holds a vector of 4-byte elements (numbers or offsets of tables); charged. */
struct flat_vector flat_vector_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field);
/* `index` below vector->count. */
int32_t flat_vector_i32(const struct flatbuffer *buffer, const struct flat_vector *vector, uint32_t index);
bool flat_vector_table(struct flatbuffer *buffer, const struct flat_vector *vector, uint32_t index, struct flat_table *value);

/* A field that holds a vector of bytes, not charged: `position` and `count` tell where they stand. */
struct flat_vector flat_bytes_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field);
/* A field that holds a string; charged. Points into the buffer, need not be NUL-terminated or UTF-8; empty if absent. */
struct bytes flat_string_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field);

#endif
