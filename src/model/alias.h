/* Tensors that may share a slot although both are alive at one operator.
 *
 * A reshape-like operator gives the same bytes under another shape: its output may be a view of its input. An in-place operator
 * works element by element: its output may overwrite an input that nobody needs any more. Who shares with whom is a forest: each
 * tensor names the one whose slot it shares directly, its parent, and all under one root have one slot. */
#ifndef HELIA_MODEL_ALIAS_H
#define HELIA_MODEL_ALIAS_H

#include "model/model.h"

enum alias_kind { ALIAS_NONE, ALIAS_RESHAPE, ALIAS_IN_PLACE };
extern const char *const alias_kind_names[]; /* by enum alias_kind: NULL, "reshape", "in_place" */

/* What one kind of operator allows. */
struct alias_row {
    const char *name;     /* as operators are named: "RESHAPE" */
    enum alias_kind kind; /* never ALIAS_NONE */
    uint32_t inputs;      /* bit i: the output may share the slot of input i */
    bool may_retype;      /* the output's element type may be another one than the input's */
};
extern const struct alias_row alias_rows[];
extern const size_t alias_row_count;

struct alias {
    uint32_t parent; /* index into model.tensors; TENSOR_NONE: a slot of its own */
    enum alias_kind kind;
    uint32_t operator_index; /* into model.operators: the one that writes the tensor; no meaning without a parent */
};

struct alias_list {
    struct alias *items; /* one a tensor of the model, same index */
    size_t count;
};

/* Finds what each tensor can share; views always, overwriting only with `in_place`. Sharing is safe in every order that runs
 * the operators as the model lists them:
 *
 * - Both are scratch, of one subgraph, and the operator, which is no custom one, has one output and alone writes it; nobody uses
 *   the output before. Views have exactly their parent's size; what is overwritten is at least as large as the output.
 * - A parent is written before the operator and not again, so that a view's bytes stay. In a called subgraph an input of the
 *   subgraph is no parent, since a loop moves outputs into inputs one by one.
 * - What is overwritten is written by an operator of the main subgraph, and it and all that share its slot so far end there
 *   and are neither inputs nor outputs of the model. No other operand is a view of the same bytes; being named twice is fine.
 * - Overwriting keeps elements where they are: equal widths of at least a byte and equal counts, as far as types and shapes are
 *   known; where an operator may change the type, both must be known.
 *
 * An entry may be set back to no parent (say, because a rule wants the tensor in another memory): what is left is still safe.
 * Where lifetimes follow from the operators, views and overwriting between equal sizes never raise the model's peak; an output
 * that is smaller than what it overwrites keeps the whole slot alive, and may. */
void model_find_aliases(const struct model *model, bool in_place, struct arena *arena, struct alias_list *aliases);

/* What all tensors of one slot need together. */
struct alias_slot {
    uint32_t root;            /* the tensor without parent; itself if it shares nothing */
    uint32_t start_op;        /* first operator at which any of them is alive */
    uint32_t end_op;          /* last one; both ends included */
    uint64_t size, alignment; /* largest of them */
};

/* Merges lifetimes along the chains until nothing changes, also where one life ends before the next starts: the bytes are handed
 * on in between. `slots`: one a tensor of the model, from `arena`; tensors under one root have equal entries. Tensors that are
 * not live add nothing. Parents may stand in any order, but not in a circle. */
void aliases_merge_lifetimes(const struct model *model, const struct alias_list *aliases, struct arena *arena,
                             struct alias_slot **slots);

#endif
