/* What the files of the `.tflite` importer share: the model while it is read, before lifetimes and variables are known.
 *
 * The order of the steps, each in its own file: buffers, operator codes, subgraphs with tensors and operators
 * (tflite_read.c, tflite_tensor.c, tflite_operator.c); which subgraph runs when, and the lifetimes that follow (tflite_calls.c);
 * which handles are the same variable (tflite_variables.c); the check of sizes (tflite_tensor.c). */
#ifndef HELIA_MODEL_TFLITE_H
#define HELIA_MODEL_TFLITE_H

#include "model/flatbuffer.h"
#include "model/model.h"
#include "model/tflite_format.h"

#define TFLITE_SUBGRAPHS_LIMIT 65536u
#define TFLITE_OPERATORS_LIMIT 4000000u
#define TFLITE_RANK_LIMIT      64u

struct tflite_buffer {
    uint64_t offset; /* in the file */
    uint64_t size;   /* 0: no data */
};

struct tflite_code {
    uint32_t number;
    const char *name;
};

/* What an operator is besides its struct model_operator; same index. */
struct tflite_operator {
    uint32_t code;        /* number; UINT32_MAX: broken */
    const char *variable; /* VAR_HANDLE: container and shared name in one text; NULL: none */
};

/* One subgraph that one operator runs. */
struct tflite_call {
    uint32_t operator_index; /* into tflite.operators */
    uint32_t subgraph;
    uint32_t skipped_inputs;
};

struct tflite_subgraph {
    struct flat_table table;
    struct flat_vector tensors, operators;
    uint32_t first_tensor;   /* into tflite.tensors */
    uint32_t first_operator; /* into tflite.operators */
    size_t first_call;       /* into tflite.calls */
    size_t call_count;
    struct operator_io inputs, outputs;
    bool runs; /* the main subgraph, or called from one that runs */
    uint32_t first_step, last_step;
};

/* Why a tensor has no size of its own; it matters only if the tensor is live. */
enum tflite_size_problem { SIZE_KNOWN, SIZE_TYPE_UNKNOWN, SIZE_TYPE_UNSIZED, SIZE_DIMENSION_NEGATIVE, SIZE_TOO_LARGE };

struct tflite {
    struct arena *arena;
    struct diagnostics *diagnostics;
    uint32_t source;
    size_t errors_before; /* of earlier stages */
    struct flatbuffer file;
    struct tflite_buffer *buffers;
    uint32_t buffer_count;
    struct tflite_code *codes;
    uint32_t code_count;
    struct tflite_subgraph *subgraphs;
    uint32_t subgraph_count;
    struct tensor *tensors;
    enum tflite_size_problem *size_problems; /* one a tensor */
    size_t tensor_count;
    struct model_operator *operators; /* of all subgraphs, in order */
    struct tflite_operator *operator_facts;
    size_t operator_count;
    struct {
        struct tflite_call *items; /* in the order of the operators */
        size_t count, capacity;
    } calls;
};

/* A place inside the file; put into words only when something is reported there. */
enum tflite_place_kind { PLACE_FILE, PLACE_BUFFER, PLACE_CODE, PLACE_SUBGRAPH, PLACE_TENSOR, PLACE_OPERATOR };
struct tflite_place {
    enum tflite_place_kind kind;
    uint32_t subgraph; /* tensors and operators */
    uint32_t index;
    const char *name; /* of the tensor or operator */
};
struct tflite_place tflite_tensor_place(const struct tflite *tflite, uint32_t tensor);
struct tflite_place tflite_operator_place(const struct model_operator *op);

/* Reports at a place: "subgraph 0, operator 3 (CONV_2D)". */
struct diag *tflite_report(struct tflite *tflite, enum diag_id id, struct tflite_place place, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Reports what the file could not give since the last call as a fault at `place`. */
void tflite_check_intact(struct tflite *tflite, struct tflite_place place);
/* False once the reading has failed and its findings are only counted: what is left would be work for nobody. */
bool tflite_goes_on(const struct tflite *tflite);

/* A printable copy of text in the file. */
const char *tflite_text(struct tflite *tflite, struct bytes text);

/* The steps. Each reports what it finds and leaves what is sound. */
void tflite_read_tensors(struct tflite *tflite, uint32_t subgraph_index);
void tflite_read_operators(struct tflite *tflite, uint32_t subgraph_index);
/* A list of tensor indices in `table`; a number below zero is an absent optional tensor where `optional` says so. */
struct operator_io tflite_read_tensor_list(struct tflite *tflite, const struct flat_table *table, uint32_t field,
                                           const struct tflite_subgraph *subgraph, bool optional, struct tflite_place place,
                                           const char *noun);
/* False if subgraphs call each other in a circle. */
MUST_CHECK bool tflite_order_calls(struct tflite *tflite);
void tflite_find_lifetimes(struct tflite *tflite);
void tflite_find_variables(struct tflite *tflite);
/* Reports live tensors without a size. */
void tflite_check_sizes(struct tflite *tflite);

#endif
