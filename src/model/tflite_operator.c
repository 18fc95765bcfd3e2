/* Operators of a `.tflite` file, and which subgraphs they call. */
#include <inttypes.h>

#include "base/text.h"
#include "model/tflite.h"

struct operator_io tflite_read_tensor_list(struct tflite *tflite, const struct flat_table *table, uint32_t field,
                                           const struct tflite_subgraph *subgraph, bool optional, struct tflite_place place,
                                           const char *noun)
{
    struct flat_vector list = flat_vector_field(&tflite->file, table, field);
    uint32_t *tensors = ARENA_ARRAY(tflite->arena, uint32_t, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t index = flat_vector_i32(&tflite->file, &list, i);
        tensors[i] = TENSOR_NONE;
        if (index >= 0 && (uint32_t)index < subgraph->tensors.count) {
            tensors[i] = subgraph->first_tensor + (uint32_t)index;
        } else if (index != -1 || !optional) {
            tflite_report(tflite, DIAG_MODEL_BAD_INDEX, place,
                          "%s %" PRIu32 " is tensor %" PRId32 ", but the subgraph has %" PRIu32 " tensors", noun, i, index,
                          subgraph->tensors.count);
        }
        if (!tflite_goes_on(tflite)) {
            break;
        }
    }
    return (struct operator_io){.tensors = tensors, .count = list.count};
}

static void read_code_index(struct tflite *tflite, const struct flat_table *table, struct model_operator *op,
                            struct tflite_operator *facts, struct tflite_place place)
{
    uint32_t index = flat_u32(&tflite->file, table, OPERATOR_CODE, 0);
    if (index < tflite->code_count) {
        facts->code = tflite->codes[index].number;
        op->name = tflite->codes[index].name;
        op->is_custom = facts->code == BUILTIN_CUSTOM;
        return;
    }
    tflite_report(tflite, DIAG_MODEL_BAD_INDEX, place, "it refers to operator code %" PRIu32 ", but the model has %" PRIu32,
                  index, tflite->code_count);
}

/* The options as the type that the operator must have. */
static bool read_options(struct tflite *tflite, const struct flat_table *table, uint32_t field, uint32_t type,
                         struct flat_table *options, struct tflite_place place)
{
    if (flat_u8(&tflite->file, table, field - 1, 0) == type && flat_table_field(&tflite->file, table, field, options)) {
        return true;
    }
    tflite_report(tflite, DIAG_MODEL_CORRUPT, place, "its options are missing or of the wrong type");
    return false;
}

static void add_call(struct tflite *tflite, const struct caller_row *row, uint32_t operator_index, int32_t callee,
                     struct tflite_place place)
{
    if (callee < 0 || (uint32_t)callee >= tflite->subgraph_count) {
        tflite_report(tflite, DIAG_MODEL_BAD_INDEX, place, "it calls subgraph %" PRId32 ", but the model has %" PRIu32, callee,
                      tflite->subgraph_count);
        return;
    }
    *LIST_ADD(tflite->arena, &tflite->calls) = (struct tflite_call){operator_index, (uint32_t)callee, row->skipped_inputs};
}

static void read_calls(struct tflite *tflite, const struct flat_table *table, const struct caller_row *row,
                       uint32_t operator_index, struct tflite_place place)
{
    struct flat_table options;
    if (!read_options(tflite, table, row->options_field, row->options_type, &options, place)) {
        return;
    }
    if (row->is_list) {
        struct flat_vector callees = flat_vector_field(&tflite->file, &options, row->first_field);
        for (uint32_t i = 0; i < callees.count && tflite_goes_on(tflite); i++) {
            add_call(tflite, row, operator_index, flat_vector_i32(&tflite->file, &callees, i), place);
        }
        return;
    }
    for (uint32_t i = 0; i < row->field_count; i++) {
        add_call(tflite, row, operator_index, flat_i32(&tflite->file, &options, row->first_field + i, 0), place);
    }
}

/* Handles with equal texts are one variable. The length in front keeps ("a", "bc") and ("ab", "c") apart. */
static const char *read_variable_name(struct tflite *tflite, const struct flat_table *table, struct tflite_place place)
{
    struct flat_table options;
    if (!read_options(tflite, table, OPERATOR_OPTIONS, OPTIONS_VAR_HANDLE, &options, place)) {
        return NULL;
    }
    struct bytes container = flat_string_field(&tflite->file, &options, VAR_HANDLE_CONTAINER);
    struct bytes shared_name = flat_string_field(&tflite->file, &options, VAR_HANDLE_SHARED_NAME);
    return arena_format(tflite->arena, "%zu:%s:%s", container.size, tflite_text(tflite, container),
                        tflite_text(tflite, shared_name));
}

/* The list of flags either is absent or names each input. */
static void check_mutating_inputs(struct tflite *tflite, const struct flat_table *table, const struct model_operator *op,
                                  struct tflite_place place)
{
    struct flat_vector flags = flat_bytes_field(&tflite->file, table, OPERATOR_MUTATING_INPUTS);
    if (flags.count != 0 && flags.count != op->inputs.count) {
        tflite_report(tflite, DIAG_MODEL_CORRUPT, place,
                      "it says of %" PRIu32 " inputs whether it changes them, but it has %zu inputs", flags.count,
                      op->inputs.count);
    }
}

static void read_parts(struct tflite *tflite, const struct flat_table *table, const struct tflite_subgraph *subgraph,
                       uint32_t operator_index)
{
    struct model_operator *op = &tflite->operators[operator_index];
    struct tflite_operator *facts = &tflite->operator_facts[operator_index];
    read_code_index(tflite, table, op, facts, tflite_operator_place(op));
    struct tflite_place place = tflite_operator_place(op);
    op->inputs = tflite_read_tensor_list(tflite, table, OPERATOR_INPUTS, subgraph, true, place, "input");
    op->outputs = tflite_read_tensor_list(tflite, table, OPERATOR_OUTPUTS, subgraph, false, place, "output");
    op->intermediates = tflite_read_tensor_list(tflite, table, OPERATOR_INTERMEDIATES, subgraph, true, place, "intermediate");
    check_mutating_inputs(tflite, table, op, place);
    const struct caller_row *row = caller_row(facts->code);
    if (row != NULL) {
        read_calls(tflite, table, row, operator_index, place);
    }
    if (facts->code == BUILTIN_VAR_HANDLE) {
        facts->variable = read_variable_name(tflite, table, place);
    }
}

void tflite_read_operators(struct tflite *tflite, uint32_t subgraph_index)
{
    struct tflite_subgraph *subgraph = &tflite->subgraphs[subgraph_index];
    subgraph->first_call = tflite->calls.count;
    for (uint32_t i = 0; i < subgraph->operators.count && tflite_goes_on(tflite); i++) {
        uint32_t operator_index = subgraph->first_operator + i;
        struct model_operator *op = &tflite->operators[operator_index];
        *op = (struct model_operator){.name = "unknown", .index = i, .subgraph = subgraph_index};
        tflite->operator_facts[operator_index].code = UINT32_MAX;
        struct flat_table table;
        if (flat_vector_table(&tflite->file, &subgraph->operators, i, &table)) {
            read_parts(tflite, &table, subgraph, operator_index);
        }
        tflite_check_intact(tflite, tflite_operator_place(op));
    }
    subgraph->call_count = tflite->calls.count - subgraph->first_call;
}
