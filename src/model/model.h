/* What must fit: operators, tensors, and when each tensor is alive.
 *
 * Importers (.tflite, tensor lists in YAML or JSON, lifetime CSV) all make this one struct. Time counts the operators of the main
 * subgraph, from 0; lifetimes include both ends. Tensors of a subgraph that an operator calls live during that operator. */
#ifndef HELIA_MODEL_MODEL_H
#define HELIA_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/file.h"
#include "diag/diag.h"

enum tensor_role {
    ROLE_SCRATCH,    /* activation: written and read by operators, slot reused by liveness */
    ROLE_PERSISTENT, /* variable: keeps its value between runs, zero-initialised */
    ROLE_CONSTANT,   /* has bytes in the model file */
    ROLE_COUNT
};
extern const char *const role_names[ROLE_COUNT]; /* "scratch", "persistent", "constant" */

/* Element types of TensorFlow Lite's schema (the numbers are the format's), narrower ones included. */
struct element_type {
    const char *name;   /* "int8" */
    uint32_t bits;      /* 2, 4, 8, 16, 32, 64, 128; 0: size unknown (string, resource, variant) */
    uint32_t alignment; /* natural alignment, bytes */
};
/* NULL if the number is unknown. */
const struct element_type *element_type_by_number(uint32_t number);
const struct element_type *element_type_by_name(const char *name);

#define TENSOR_NONE UINT32_MAX

struct tensor {
    const char *id;   /* "7", or "1:7" in subgraph 1; the document's id in tensor lists and CSV */
    const char *name; /* printable; "" if it has none */
    uint32_t subgraph;
    const struct element_type *type; /* NULL in tensor lists without a type: bytes */
    uint64_t size;                   /* bytes, at most SIZE_LIMIT; may be 0 */
    uint64_t alignment;              /* natural alignment or the hint of the list, whichever is larger; power of two */
    enum tensor_role role;
    bool is_live;         /* some operator, input or output touches it; others get no slot */
    uint32_t start_op;    /* first operator that defines or uses it */
    uint32_t end_op;      /* last operator that uses it */
    uint64_t data_offset; /* constants: where the bytes stand in model.content */
    uint64_t data_size;   /* 0: no bytes (a constant of a tensor list may have none) */
    uint32_t buffer;      /* constants of a .tflite: buffer index; tensors that share it share the bytes. UINT32_MAX: own */
    uint32_t variable; /* handles of a resource variable: index of the tensor that holds the variable's bytes, which is persistent
                          and may be this one; the others are not live. TENSOR_NONE: no handle */
    bool is_input;
    bool is_output;
    bool is_dynamic; /* shape_signature has a -1: the concrete shape is planned, a note says so */
    const int32_t *shape;
    uint32_t rank;
    struct span span; /* tensor lists, CSV: the line; .tflite: the source, line 0 */
};

struct operator_io {
    const uint32_t *tensors; /* indices into model.tensors; TENSOR_NONE for an optional input that is absent */
    size_t count;
};

struct model_operator {
    const char *name; /* "CONV_2D", or the custom code */
    bool is_custom;   /* the name is a custom code: whatever it says, the operator is none of the format's own */
    uint32_t index;   /* in its subgraph */
    uint32_t subgraph;
    uint32_t step; /* main operator during which it runs: its own index in subgraph 0 */
    struct operator_io inputs;
    struct operator_io outputs;
    struct operator_io intermediates;
};

struct model {
    const char *path;   /* as given */
    const char *name;   /* file name without folder and ending */
    const char *format; /* "tflite", "tensor-list", "lifetime-csv" */
    struct bytes content;
    struct tensor *tensors; /* subgraph by subgraph, in index order */
    size_t tensor_count;
    struct model_operator *operators; /* main subgraph first, then called ones */
    size_t operator_count;
    uint32_t step_count; /* operators of the main subgraph (at least 1 when tensors exist) */
    uint32_t subgraph_count;
    uint64_t weight_bytes; /* sum over distinct constant buffers */
    uint32_t source;       /* in diagnostics */
    struct {
        const char **items;
        size_t count, capacity;
    } data_files; /* files that were read beside the model file, as they were opened; may repeat */
};

/* Formats in one visible table: name, file endings, reader. */
struct model_importer {
    const char *format;
    const char *const *endings; /* ".tflite"; ends with NULL */
    bool is_text;               /* findings show its lines */
    bool (*read)(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content, uint32_t source,
                 struct model *model);
};
extern const struct model_importer model_importers[];
extern const size_t model_importer_count;

/* Largest model file: 1 GiB. Most tensors: 4,000,000. */
#define MODEL_BYTES_LIMIT   ((size_t)1 << 30)
#define MODEL_TENSORS_LIMIT 4000000u

/* Reads a model of any known format, by its ending. `span`: where the path was named. Reports everything it finds. */
MUST_CHECK bool model_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                           const struct model **model);

/* TensorLifetime of the data model: widens a tensor's life to include a step, or another tensor's life. */
void tensor_add_op(struct tensor *tensor, uint32_t step);
void tensor_merge_lifetime(struct tensor *tensor, const struct tensor *other);

/* Index of the tensor with this id, else of the only tensor with this name; TENSOR_NONE if there is none (or several by name). */
uint32_t model_find_tensor(const struct model *model, const char *id_or_name);

/* Largest sum of sizes (rounded up to `alignment`) of live scratch tensors alive at one operator: the lower bound. */
uint64_t model_peak_live(const struct model *model, uint64_t alignment, struct arena *scratch);

#endif
