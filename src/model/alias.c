#include "model/alias.h"

#include "base/map.h"
#include "base/size.h"

const char *const alias_kind_names[] = {NULL, "reshape", "in_place"};

#define INPUT_0 (1u << 0)
#define INPUT_1 (1u << 1)
#define INPUT_2 (1u << 2)
#define EITHER  (INPUT_0 | INPUT_1)

/* Further inputs of the first group are shapes and axes: numbers that are read before anything is written.
 *
 * In the other groups output element i depends on element i of each input and on nothing else of what is overwritten, so it does
 * not matter in which order a kernel walks, nor how many elements it takes at once. SOFTMAX and other operators that read a row
 * several times are left out: whether they bear it is the kernel's affair. */
const struct alias_row alias_rows[] = {
    {"RESHAPE", ALIAS_RESHAPE, INPUT_0, false},
    {"SQUEEZE", ALIAS_RESHAPE, INPUT_0, false},
    {"EXPAND_DIMS", ALIAS_RESHAPE, INPUT_0, false},
    {"STABLEHLO_RESHAPE", ALIAS_RESHAPE, INPUT_0, false},
    {"BITCAST", ALIAS_RESHAPE, INPUT_0, true}, /* same bits, read as another type */

    {"ABS", ALIAS_IN_PLACE, INPUT_0, false},
    {"CEIL", ALIAS_IN_PLACE, INPUT_0, false},
    {"COS", ALIAS_IN_PLACE, INPUT_0, false},
    {"ELU", ALIAS_IN_PLACE, INPUT_0, false},
    {"EXP", ALIAS_IN_PLACE, INPUT_0, false},
    {"FAKE_QUANT", ALIAS_IN_PLACE, INPUT_0, false},
    {"FLOOR", ALIAS_IN_PLACE, INPUT_0, false},
    {"GELU", ALIAS_IN_PLACE, INPUT_0, false},
    {"HARD_SWISH", ALIAS_IN_PLACE, INPUT_0, false},
    {"LEAKY_RELU", ALIAS_IN_PLACE, INPUT_0, false},
    {"LOG", ALIAS_IN_PLACE, INPUT_0, false},
    {"LOGICAL_NOT", ALIAS_IN_PLACE, INPUT_0, false},
    {"LOGISTIC", ALIAS_IN_PLACE, INPUT_0, false},
    {"NEG", ALIAS_IN_PLACE, INPUT_0, false},
    {"PRELU", ALIAS_IN_PLACE, INPUT_0, false}, /* input 1 holds slopes, mostly one for many elements */
    {"RELU", ALIAS_IN_PLACE, INPUT_0, false},
    {"RELU6", ALIAS_IN_PLACE, INPUT_0, false},
    {"RELU_0_TO_1", ALIAS_IN_PLACE, INPUT_0, false},
    {"RELU_N1_TO_1", ALIAS_IN_PLACE, INPUT_0, false},
    {"ROUND", ALIAS_IN_PLACE, INPUT_0, false},
    {"RSQRT", ALIAS_IN_PLACE, INPUT_0, false},
    {"SIGN", ALIAS_IN_PLACE, INPUT_0, false},
    {"SIN", ALIAS_IN_PLACE, INPUT_0, false},
    {"SQRT", ALIAS_IN_PLACE, INPUT_0, false},
    {"SQUARE", ALIAS_IN_PLACE, INPUT_0, false},
    {"TANH", ALIAS_IN_PLACE, INPUT_0, false},

    /* A smaller input is repeated along some axis: it then has fewer elements than the output and is not overwritten. */
    {"ADD", ALIAS_IN_PLACE, EITHER, false},
    {"ATAN2", ALIAS_IN_PLACE, EITHER, false},
    {"BITWISE_XOR", ALIAS_IN_PLACE, EITHER, false},
    {"DIV", ALIAS_IN_PLACE, EITHER, false},
    {"FLOOR_DIV", ALIAS_IN_PLACE, EITHER, false},
    {"FLOOR_MOD", ALIAS_IN_PLACE, EITHER, false},
    {"LOGICAL_AND", ALIAS_IN_PLACE, EITHER, false},
    {"LOGICAL_OR", ALIAS_IN_PLACE, EITHER, false},
    {"MAXIMUM", ALIAS_IN_PLACE, EITHER, false},
    {"MINIMUM", ALIAS_IN_PLACE, EITHER, false},
    {"MUL", ALIAS_IN_PLACE, EITHER, false},
    {"POW", ALIAS_IN_PLACE, EITHER, false},
    {"RIGHT_SHIFT", ALIAS_IN_PLACE, EITHER, false},
    {"SQUARED_DIFFERENCE", ALIAS_IN_PLACE, EITHER, false},
    {"SUB", ALIAS_IN_PLACE, EITHER, false},

    /* Input 0 chooses, per element or per row, between the elements of the other two. */
    {"SELECT", ALIAS_IN_PLACE, INPUT_1 | INPUT_2, false},
    {"SELECT_V2", ALIAS_IN_PLACE, INPUT_1 | INPUT_2, false},

    /* Another type of the same width: int8 to uint8, float32 to int32, int8 to bool. */
    {"CAST", ALIAS_IN_PLACE, INPUT_0, true},
    {"DEQUANTIZE", ALIAS_IN_PLACE, INPUT_0, true},
    {"QUANTIZE", ALIAS_IN_PLACE, INPUT_0, true},
    {"EQUAL", ALIAS_IN_PLACE, EITHER, true},
    {"GREATER", ALIAS_IN_PLACE, EITHER, true},
    {"GREATER_EQUAL", ALIAS_IN_PLACE, EITHER, true},
    {"LESS", ALIAS_IN_PLACE, EITHER, true},
    {"LESS_EQUAL", ALIAS_IN_PLACE, EITHER, true},
    {"NOT_EQUAL", ALIAS_IN_PLACE, EITHER, true},
};
const size_t alias_row_count = sizeof alias_rows / sizeof alias_rows[0];

/* What is known of a tensor while operators are walked in order. */
struct share {
    uint32_t writer;       /* the last operator that writes it; no meaning if there is none */
    uint32_t writer_count; /* 0, 1, or 2 for several */
    uint32_t root;
    /* Of the whole slot; kept at its root. */
    uint32_t end_op;
    bool is_kept; /* holds an input or output of the model, whose bytes belong to the application */
};

struct finder {
    const struct model *model;
    struct map rows; /* name to index in alias_rows */
    struct share *shares;
    struct alias *aliases;
};

static void count_writers(struct finder *finder)
{
    for (uint32_t i = 0; i < finder->model->operator_count; i++) {
        const struct model_operator *op = &finder->model->operators[i];
        for (size_t k = 0; k < op->outputs.count; k++) {
            if (op->outputs.tensors[k] == TENSOR_NONE) {
                continue;
            }
            struct share *share = &finder->shares[op->outputs.tensors[k]];
            share->writer = i;
            share->writer_count += share->writer_count < 2;
        }
    }
}

static struct finder finder_start(const struct model *model, struct arena *arena)
{
    struct finder finder = {
        .model = model,
        .rows = map_start(arena),
        .shares = ARENA_ARRAY(arena, struct share, model->tensor_count),
        .aliases = ARENA_ARRAY(arena, struct alias, model->tensor_count),
    };
    for (uint32_t i = 0; i < alias_row_count; i++) {
        uint32_t same;
        (void)map_add(&finder.rows, alias_rows[i].name, i, &same);
    }
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        finder.aliases[i] = (struct alias){.parent = TENSOR_NONE};
        finder.shares[i] = (struct share){.root = i, .end_op = tensor->end_op, .is_kept = tensor->is_input || tensor->is_output};
    }
    count_writers(&finder);
    return finder;
}

static const struct alias_row *find_row(const struct finder *finder, const struct model_operator *op)
{
    uint32_t row;
    return !op->is_custom && map_find(&finder->rows, op->name, &row) ? &alias_rows[row] : NULL;
}

/* The only output of an operator that alone decides what it holds; TENSOR_NONE if there is no such tensor. */
static uint32_t sole_output(const struct finder *finder, const struct model_operator *op)
{
    if (op->outputs.count != 1 || op->outputs.tensors[0] == TENSOR_NONE) {
        return TENSOR_NONE;
    }
    uint32_t output = op->outputs.tensors[0];
    const struct tensor *tensor = &finder->model->tensors[output];
    bool is_sole = tensor->is_live && tensor->role == ROLE_SCRATCH && !tensor->is_input && tensor->start_op >= op->step &&
                   finder->shares[output].writer_count == 1;
    return is_sole ? output : TENSOR_NONE;
}

/* What holds for both kinds. The order of writers keeps circles out, also those of one tensor. */
static bool can_share(const struct finder *finder, uint32_t operator_index, uint32_t input, uint32_t output)
{
    const struct tensor *tensor = &finder->model->tensors[input];
    const struct share *share = &finder->shares[input];
    bool is_written_before = share->writer_count == 0 || share->writer < operator_index;
    return tensor->is_live && tensor->role == ROLE_SCRATCH && tensor->subgraph == finder->model->tensors[output].subgraph &&
           is_written_before;
}

static bool can_view(const struct finder *finder, uint32_t input, uint32_t output)
{
    const struct tensor *tensor = &finder->model->tensors[input];
    if (tensor->subgraph != 0 && finder->shares[input].writer_count == 0) {
        return false;
    }
    return tensor->size == finder->model->tensors[output].size;
}

/* Saturates: then the counts of two shapes compare as equal, and their sizes decide. */
static uint64_t element_count(const struct tensor *tensor)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] <= 0) {
            return 0;
        }
        if (!size_multiply_checked(count, (uint64_t)tensor->shape[i], &count)) {
            count = UINT64_MAX;
        }
    }
    return count;
}

/* Element i of the output stands on element i of the input and on no other. */
static bool keeps_positions(const struct alias_row *row, const struct tensor *input, const struct tensor *output)
{
    bool has_types = input->type != NULL && output->type != NULL;
    bool has_shapes = input->shape != NULL && output->shape != NULL;
    if (output->size > input->size) {
        return false;
    }
    /* Elements narrower than a byte have neighbours in theirs. */
    if (has_types && (input->type->bits < 8 || input->type->bits != output->type->bits)) {
        return false;
    }
    if (row->may_retype && !(has_types && has_shapes)) {
        return false;
    }
    return !has_shapes || element_count(input) == element_count(output);
}

/* Another operand that is a view of the same bytes may have them at other positions. */
static bool is_seen_otherwise(const struct finder *finder, const struct model_operator *op, uint32_t input)
{
    for (size_t i = 0; i < op->inputs.count; i++) {
        uint32_t other = op->inputs.tensors[i];
        if (other != TENSOR_NONE && other != input && finder->shares[other].root == finder->shares[input].root) {
            return true;
        }
    }
    return false;
}

static bool can_overwrite(const struct finder *finder, const struct model_operator *op, const struct alias_row *row,
                          uint32_t input, uint32_t output)
{
    const struct share *slot = &finder->shares[finder->shares[input].root];
    const struct tensor *tensors = finder->model->tensors;
    /* Time in a called subgraph is too coarse to tell what has ended. What no operator writes comes from outside. */
    if (op->subgraph != 0 || finder->shares[input].writer_count == 0) {
        return false;
    }
    return !slot->is_kept && slot->end_op <= op->step && keeps_positions(row, &tensors[input], &tensors[output]) &&
           !is_seen_otherwise(finder, op, input);
}

/* The input whose slot the output takes: the smallest that will do, so that no more than needed lives on; TENSOR_NONE: none. */
static uint32_t find_parent(const struct finder *finder, uint32_t operator_index, const struct alias_row *row, uint32_t output)
{
    const struct model_operator *op = &finder->model->operators[operator_index];
    const struct tensor *tensors = finder->model->tensors;
    uint32_t best = TENSOR_NONE;
    for (uint32_t i = 0; i < op->inputs.count && i < 32; i++) {
        uint32_t input = op->inputs.tensors[i];
        if ((row->inputs >> i & 1u) == 0 || input == TENSOR_NONE || !can_share(finder, operator_index, input, output)) {
            continue;
        }
        bool is_possible =
            row->kind == ALIAS_RESHAPE ? can_view(finder, input, output) : can_overwrite(finder, op, row, input, output);
        if (is_possible && (best == TENSOR_NONE || tensors[input].size < tensors[best].size)) {
            best = input;
        }
    }
    return best;
}

static void share_slot(struct finder *finder, uint32_t output, struct alias alias)
{
    struct share *share = &finder->shares[output];
    struct share *slot = &finder->shares[finder->shares[alias.parent].root];
    finder->aliases[output] = alias;
    if (share->end_op > slot->end_op) {
        slot->end_op = share->end_op;
    }
    slot->is_kept = slot->is_kept || share->is_kept;
    share->root = slot->root;
}

void model_find_aliases(const struct model *model, bool in_place, struct arena *arena, struct alias_list *aliases)
{
    struct finder finder = finder_start(model, arena);
    for (uint32_t i = 0; i < model->operator_count; i++) {
        const struct alias_row *row = find_row(&finder, &model->operators[i]);
        if (row == NULL || (row->kind == ALIAS_IN_PLACE && !in_place)) {
            continue;
        }
        uint32_t output = sole_output(&finder, &model->operators[i]);
        uint32_t parent = output == TENSOR_NONE ? TENSOR_NONE : find_parent(&finder, i, row, output);
        if (parent != TENSOR_NONE) {
            share_slot(&finder, output, (struct alias){.parent = parent, .kind = row->kind, .operator_index = i});
        }
    }
    *aliases = (struct alias_list){.items = finder.aliases, .count = model->tensor_count};
}

/* ---- lifetimes ---- */

/* Shortens the way while it is walked, so that long chains are walked once. `roots` holds parents at first. */
static uint32_t find_root(uint32_t *roots, uint32_t tensor)
{
    while (roots[tensor] != tensor) {
        roots[tensor] = roots[roots[tensor]];
        tensor = roots[tensor];
    }
    return tensor;
}

static void merge_into(struct alias_slot *slot, const struct tensor *tensor, bool is_first)
{
    slot->start_op = is_first || tensor->start_op < slot->start_op ? tensor->start_op : slot->start_op;
    slot->end_op = is_first || tensor->end_op > slot->end_op ? tensor->end_op : slot->end_op;
    slot->size = size_max(slot->size, tensor->size);
    slot->alignment = size_max(slot->alignment, tensor->alignment);
}

void aliases_merge_lifetimes(const struct model *model, const struct alias_list *aliases, struct arena *arena,
                             struct alias_slot **slots)
{
    struct alias_slot *made = ARENA_ARRAY(arena, struct alias_slot, model->tensor_count);
    struct arena_mark mark = arena_mark(arena);
    uint32_t *roots = ARENA_ARRAY(arena, uint32_t, model->tensor_count);
    bool *has_life = ARENA_ARRAY(arena, bool, model->tensor_count);
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        roots[i] = aliases->items[i].parent == TENSOR_NONE ? i : aliases->items[i].parent;
    }
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        uint32_t root = find_root(roots, i);
        if (!model->tensors[i].is_live) {
            continue;
        }
        merge_into(&made[root], &model->tensors[i], !has_life[root]);
        has_life[root] = true;
    }
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        uint32_t root = find_root(roots, i);
        made[i] = made[root];
        made[i].root = root;
    }
    arena_rewind(arena, mark);
    *slots = made;
}
