/* A tensor list as its schema decodes it. */
#ifndef HELIA_MODEL_TENSOR_LIST_H
#define HELIA_MODEL_TENSOR_LIST_H

#include "schema/schema.h"

#define TENSOR_LIST_RANK_LIMIT 64u
#define ELEMENT_TYPES_MAXIMUM  64u

struct listed_tensor {
    struct text_value id;
    struct text_value name;
    struct choice_value type; /* enum tensor_role */
    struct size_value size;
    struct text_list shape;
    struct text_value dtype;
    struct size_value alignment;
    struct size_value start_op;
    struct size_value end_op;
    struct text_value data;
    struct span span;
};

struct listed_operator {
    struct text_value name;
    struct text_list inputs;
    struct text_list outputs;
    struct span span;
};

struct listed_model {
    struct record_list tensors;   /* struct listed_tensor */
    struct record_list operators; /* struct listed_operator */
    struct text_list inputs;
    struct text_list outputs;
};

/* For the reference in docs/formats.md. */
extern const struct schema tensor_list_schema;

#endif
