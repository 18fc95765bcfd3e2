/* Facts of the `.tflite` format that are numbers: field ids, operator codes and which operators call subgraphs.
 * Source: the public schema of TensorFlow Lite, version 3d (identifier TFL3). */
#ifndef HELIA_MODEL_TFLITE_FORMAT_H
#define HELIA_MODEL_TFLITE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define TFLITE_IDENTIFIER "TFL3"
#define TFLITE_VERSION    3u

/* Field ids, table by table. */
enum { MODEL_VERSION = 0, MODEL_OPERATOR_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4 };
enum { CODE_NARROW = 0, CODE_CUSTOM_NAME = 1, CODE_WIDE = 3 };
enum { SUBGRAPH_TENSORS = 0, SUBGRAPH_INPUTS = 1, SUBGRAPH_OUTPUTS = 2, SUBGRAPH_OPERATORS = 3 };
enum { BUFFER_DATA = 0, BUFFER_OFFSET = 1, BUFFER_SIZE = 2 };
enum {
    TENSOR_SHAPE = 0,
    TENSOR_TYPE = 1,
    TENSOR_BUFFER = 2,
    TENSOR_NAME = 3,
    TENSOR_IS_VARIABLE = 5,
    TENSOR_SPARSITY = 6,
    TENSOR_SHAPE_SIGNATURE = 7,
    TENSOR_EXTERNAL_BUFFER = 10
};
enum {
    OPERATOR_CODE = 0,
    OPERATOR_INPUTS = 1,
    OPERATOR_OUTPUTS = 2,
    OPERATOR_OPTIONS_TYPE = 3,
    OPERATOR_OPTIONS = 4,
    OPERATOR_MUTATING_INPUTS = 7,
    OPERATOR_INTERMEDIATES = 8,
    OPERATOR_OPTIONS_2_TYPE = 11,
    OPERATOR_OPTIONS_2 = 12
};
enum { VAR_HANDLE_CONTAINER = 0, VAR_HANDLE_SHARED_NAME = 1 };

/* Number of the element type of handles. */
#define TYPE_RESOURCE 13u

/* Which type of the first options union VarHandleOptions is. */
#define OPTIONS_VAR_HANDLE 111u

enum builtin_code {
    BUILTIN_CALL = 31,
    BUILTIN_CUSTOM = 32,
    BUILTIN_IF = 118,
    BUILTIN_WHILE = 119,
    BUILTIN_CALL_ONCE = 129,
    BUILTIN_VAR_HANDLE = 142,
    BUILTIN_READ_VARIABLE = 143,
    BUILTIN_ASSIGN_VARIABLE = 144
};

/* "CONV_2D"; NULL if the number is unknown. */
const char *builtin_name(uint32_t code);

/* An operator that runs subgraphs. */
struct caller_row {
    uint32_t code;
    uint32_t options_field; /* OPERATOR_OPTIONS or OPERATOR_OPTIONS_2; the union's type is the field before it */
    uint32_t options_type;
    uint32_t first_field; /* field of the options with a subgraph's index, or with a list of them */
    uint32_t field_count; /* that many fields in a row, each one subgraph */
    bool is_list;
    uint32_t skipped_inputs; /* inputs of the operator that are not handed on: the condition of IF */
};
/* NULL if operators of this code call nothing. */
const struct caller_row *caller_row(uint32_t code);

#endif
