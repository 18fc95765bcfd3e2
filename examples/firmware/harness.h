/* What the firmware knows of a plan: a table written by harness_table from the model and the plan, independent of the tool's own
 * generated header wherever that is possible. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdint.h>

enum harness_role { HARNESS_SCRATCH, HARNESS_PERSISTENT, HARNESS_CONSTANT };

/* How a kernel treats its inputs, which decides what may share bytes with them. */
enum harness_kind {
    HARNESS_COMPUTES,    /* may read an input again after it has begun to write: no input may change under it */
    HARNESS_ELEMENTWISE, /* done with an element when it writes the one at the same place: may write over an input that dies here
                          */
    HARNESS_COPIES       /* the same bytes under another shape: copies, or does nothing where both are in one place */
};

struct harness_tensor {
    const char *id;
    const char *name;
    enum harness_role role;
    uint32_t slot;               /* index of the tensor that owns the slot: its own, or the one that it is an alias of */
    const unsigned char *base;   /* the arena, as the linker placed it */
    unsigned char *writable;     /* the same; NULL for constants that are read in place */
    const unsigned char *source; /* staged constants: the blob that the arena is copied from; NULL: not staged */
    uint32_t offset, size;       /* bytes */
    uint32_t has_crc, crc;       /* constants: CRC-32 of the bytes in the model file, if they are known */
    uint32_t start_operator;     /* position in the table of the first operator that needs it */
    uint32_t has_producer;       /* some operator writes it */
    uint32_t is_output;          /* of the model: read after the last operator */
};

struct harness_operator {
    const char *name;
    enum harness_kind kind;
    uint32_t first_input, input_count;   /* range of harness_links */
    uint32_t first_output, output_count; /* range of harness_links */
};

extern const struct harness_tensor harness_tensors[];
extern const uint32_t harness_tensor_count;
extern const struct harness_operator harness_operators[];
extern const uint32_t harness_operator_count;
extern const uint32_t harness_links[]; /* indices into harness_tensors */
/* For each tensor whose pattern it holds: the index of the tensor that the pattern was made for, plus 1; 0: nobody wrote it yet.
 * Persistent tensors of one slot are one, and have one entry, that of the slot. harness_tensor_count entries, zero at start. */
extern uint32_t harness_contents[];

#endif
