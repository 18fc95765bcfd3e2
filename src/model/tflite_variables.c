/* Resource variables: which handles are the same variable, and how large it is.
 *
 * VAR_HANDLE makes a handle from a container and a name; READ_VARIABLE and ASSIGN_VARIABLE take one. Handles with equal
 * names are one variable in all subgraphs, and a handle that is passed to a subgraph stays what it is. The handle that comes
 * first in the model then stands for the variable's bytes. */
#include <inttypes.h>

#include "base/map.h"
#include "base/size.h"
#include "model/tflite.h"

static bool is_handle(const struct tflite *tflite, uint32_t tensor)
{
    return tensor != TENSOR_NONE && tflite->tensors[tensor].type == element_type_by_number(TYPE_RESOURCE);
}

/* Union-find in tensor.variable: a handle points to an earlier one of its variable, the earliest one to itself. */
static uint32_t find_first(struct tflite *tflite, uint32_t tensor)
{
    struct tensor *tensors = tflite->tensors;
    while (tensors[tensor].variable != tensor) {
        tensors[tensor].variable = tensors[tensors[tensor].variable].variable;
        tensor = tensors[tensor].variable;
    }
    return tensor;
}

static void join(struct tflite *tflite, uint32_t a, uint32_t b)
{
    if (!is_handle(tflite, a) || !is_handle(tflite, b)) {
        return;
    }
    uint32_t first_a = find_first(tflite, a);
    uint32_t first_b = find_first(tflite, b);
    if (first_a < first_b) {
        tflite->tensors[first_b].variable = first_a;
    } else {
        tflite->tensors[first_a].variable = first_b;
    }
}

static void join_by_name(struct tflite *tflite)
{
    struct map names = map_start(tflite->arena);
    for (size_t i = 0; i < tflite->operator_count; i++) {
        const struct model_operator *op = &tflite->operators[i];
        const char *name = tflite->operator_facts[i].variable;
        if (name == NULL || op->outputs.count == 0 || !tflite->subgraphs[op->subgraph].runs) {
            continue;
        }
        uint32_t same;
        if (!map_add(&names, name, op->outputs.tensors[0], &same)) {
            join(tflite, same, op->outputs.tensors[0]);
        }
    }
}

static void join_lists(struct tflite *tflite, const struct operator_io *outer, size_t skipped, const struct operator_io *inner)
{
    for (size_t i = 0; i < inner->count && i + skipped < outer->count; i++) {
        join(tflite, outer->tensors[i + skipped], inner->tensors[i]);
    }
}

/* What a call hands over keeps its identity. Many callees of one operator may share one list in a hostile file, so the
 * work is charged. */
static void join_by_calls(struct tflite *tflite)
{
    for (size_t i = 0; i < tflite->calls.count; i++) {
        const struct tflite_call *call = &tflite->calls.items[i];
        const struct model_operator *op = &tflite->operators[call->operator_index];
        const struct tflite_subgraph *callee = &tflite->subgraphs[call->subgraph];
        if (!tflite->subgraphs[op->subgraph].runs) {
            continue;
        }
        uint64_t work =
            (uint64_t)size_min(op->inputs.count, callee->inputs.count) + size_min(op->outputs.count, callee->outputs.count);
        if (!flatbuffer_charge(&tflite->file, work, callee->table.position)) {
            tflite_check_intact(tflite, tflite_operator_place(op));
            return;
        }
        join_lists(tflite, &op->inputs, call->skipped_inputs, &callee->inputs);
        join_lists(tflite, &op->outputs, 0, &callee->outputs);
    }
}

/* The variable has the size of what is read from it or assigned to it. */
static void set_size(struct tflite *tflite, const struct model_operator *op, uint32_t handle, uint32_t value)
{
    if (!is_handle(tflite, handle) || value == TENSOR_NONE || tflite->size_problems[value] != SIZE_KNOWN) {
        return;
    }
    uint32_t index = find_first(tflite, handle);
    struct tensor *variable = &tflite->tensors[index];
    const struct tensor *source = &tflite->tensors[value];
    if (tflite->size_problems[index] != SIZE_KNOWN) {
        variable->size = source->size;
        tflite->size_problems[index] = SIZE_KNOWN;
    } else if (variable->size != source->size) {
        tflite_report(tflite, DIAG_MODEL_VARIABLE_SIZE, tflite_operator_place(op),
                      "variable '%s' has %" PRIu64 " bytes elsewhere and %" PRIu64 " here", variable->name, variable->size,
                      source->size);
    }
    variable->alignment = size_max(variable->alignment, source->alignment);
}

static void set_sizes(struct tflite *tflite)
{
    for (size_t i = 0; i < tflite->operator_count && tflite_goes_on(tflite); i++) {
        const struct model_operator *op = &tflite->operators[i];
        uint32_t code = tflite->operator_facts[i].code;
        if (op->inputs.count == 0 || !tflite->subgraphs[op->subgraph].runs) {
            continue;
        }
        if (code == BUILTIN_READ_VARIABLE && op->outputs.count > 0) {
            set_size(tflite, op, op->inputs.tensors[0], op->outputs.tensors[0]);
        } else if (code == BUILTIN_ASSIGN_VARIABLE && op->inputs.count > 1) {
            set_size(tflite, op, op->inputs.tensors[0], op->inputs.tensors[1]);
        }
    }
}

void tflite_find_variables(struct tflite *tflite)
{
    for (uint32_t i = 0; i < tflite->tensor_count; i++) {
        struct tensor *tensor = &tflite->tensors[i];
        if (!tensor->is_live || !is_handle(tflite, i)) {
            continue;
        }
        tensor->variable = i;
        tensor->role = ROLE_PERSISTENT;
        tensor->size = 0;
        tensor->data_size = 0;
        tensor->buffer = UINT32_MAX;
        tflite->size_problems[i] = SIZE_TYPE_UNSIZED;
    }
    join_by_name(tflite);
    join_by_calls(tflite);
    set_sizes(tflite);
    for (uint32_t i = 0; i < tflite->tensor_count; i++) {
        struct tensor *tensor = &tflite->tensors[i];
        if (tensor->variable == TENSOR_NONE) {
            continue;
        }
        uint32_t first = find_first(tflite, i);
        tensor->variable = first;
        if (first == i) {
            continue;
        }
        tensor_merge_lifetime(&tflite->tensors[first], tensor);
        tensor->is_live = false;
    }
}
