/* Who may share a slot with whom: the documented cases, every condition where it fires and where it is quiet, and random graphs
 * that are run in shared memory and beside it in memory where nothing is shared. */
#include "model_run.h"

#include "flat_builder.h"
#include "model/alias.h"
#include "model/tflite_format.h"

/* ---- graphs by hand ---- */

/* A tensor of an example: element type, elements (0: no shape and no type known), and its size if it is no plain one. */
struct example_tensor {
    const char *type;
    int32_t elements;
    uint64_t size;
    enum tensor_role role;
    bool is_input, is_output;
    uint32_t subgraph;
};

struct example_operator {
    const char *name;
    uint32_t inputs[4]; /* ends with END */
    uint32_t outputs[3];
    uint32_t subgraph;
    bool is_custom;
};

#define END       (UINT32_MAX - 1)
#define MAX_ITEMS 16
#define NO_PARENT TENSOR_NONE
#define INT8(n)                                                                                                                  \
    {                                                                                                                            \
        .type = "int8", .elements = (n)                                                                                          \
    }
#define BYTES(n)                                                                                                                 \
    {                                                                                                                            \
        .size = (n)                                                                                                              \
    }
#define IN_INT8(n)                                                                                                               \
    {                                                                                                                            \
        .type = "int8", .elements = (n), .is_input = true                                                                        \
    }

struct example {
    struct arena arena;
    struct tensor tensors[MAX_ITEMS];
    int32_t shapes[MAX_ITEMS][1];
    struct model_operator operators[MAX_ITEMS];
    struct model model;
    struct alias_list aliases;
    struct alias_slot *slots;
};

static size_t list_length(const uint32_t *list, size_t room)
{
    size_t count = 0;
    while (count < room && list[count] != END) {
        count++;
    }
    return count;
}

static void use_all(struct example *e, const struct operator_io *list, uint32_t step)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->tensors[i] != TENSOR_NONE) {
            tensor_add_op(&e->tensors[list->tensors[i]], step);
        }
    }
}

/* Lifetimes as the importers find them: operators of a called subgraph run during step 0 here. */
static void build(struct example *e, const struct example_tensor *tensors, size_t tensor_count,
                  const struct example_operator *operators, size_t operator_count)
{
    *e = (struct example){0};
    uint32_t step_count = 0;
    for (uint32_t i = 0; i < tensor_count; i++) {
        const struct example_tensor *t = &tensors[i];
        e->shapes[i][0] = t->elements;
        e->tensors[i] = (struct tensor){.id = arena_format(&e->arena, "%u", (unsigned)i),
                                        .name = "",
                                        .subgraph = t->subgraph,
                                        .alignment = 1,
                                        .role = t->role,
                                        .is_input = t->is_input,
                                        .is_output = t->is_output,
                                        .variable = TENSOR_NONE,
                                        .buffer = UINT32_MAX};
        if (t->type != NULL) {
            e->tensors[i].type = element_type_by_name(t->type);
            e->tensors[i].shape = e->shapes[i];
            e->tensors[i].rank = 1;
            e->tensors[i].size = ((uint64_t)t->elements * e->tensors[i].type->bits + 7) / 8;
        }
        if (t->size > 0) {
            e->tensors[i].size = t->size;
        }
    }
    for (uint32_t i = 0; i < operator_count; i++) {
        const struct example_operator *o = &operators[i];
        e->operators[i] = (struct model_operator){.name = o->name,
                                                  .index = i,
                                                  .subgraph = o->subgraph,
                                                  .step = o->subgraph == 0 ? step_count++ : 0,
                                                  .is_custom = o->is_custom,
                                                  .inputs = {o->inputs, list_length(o->inputs, 4)},
                                                  .outputs = {o->outputs, list_length(o->outputs, 3)}};
        use_all(e, &e->operators[i].inputs, e->operators[i].step);
        use_all(e, &e->operators[i].outputs, e->operators[i].step);
    }
    for (uint32_t i = 0; i < tensor_count; i++) {
        if (e->tensors[i].is_input) {
            tensor_add_op(&e->tensors[i], 0);
        }
        if (e->tensors[i].is_output) {
            tensor_add_op(&e->tensors[i], step_count - 1);
        }
    }
    e->model = (struct model){.tensors = e->tensors,
                              .tensor_count = tensor_count,
                              .operators = e->operators,
                              .operator_count = operator_count,
                              .step_count = step_count,
                              .subgraph_count = 2};
}

static void find(struct example *e, bool in_place)
{
    model_find_aliases(&e->model, in_place, &e->arena, &e->aliases);
    assert_int_equal(e->aliases.count, e->model.tensor_count);
    aliases_merge_lifetimes(&e->model, &e->aliases, &e->arena, &e->slots);
}

#define BUILD(example_, tensors_, operators_)                                                                                    \
    build((example_), (tensors_), sizeof(tensors_) / sizeof(tensors_)[0], (operators_),                                          \
          sizeof(operators_) / sizeof(operators_)[0])

static void assert_alias(const struct example *e, uint32_t tensor, uint32_t parent, enum alias_kind kind)
{
    const struct alias *alias = &e->aliases.items[tensor];
    if (alias->parent != parent || alias->kind != kind) {
        fail_msg("tensor %u: parent %u, kind %d; expected %u, %d", (unsigned)tensor, (unsigned)alias->parent, (int)alias->kind,
                 (unsigned)parent, (int)kind);
    }
}

/* ---- the documented cases ---- */

static struct alias_slot *merge_chain(struct example *e, const uint32_t (*lives)[2], const uint32_t *parents, size_t count)
{
    *e = (struct example){0};
    for (size_t i = 0; i < count; i++) {
        e->tensors[i] =
            (struct tensor){.size = 64, .alignment = 16, .is_live = true, .start_op = lives[i][0], .end_op = lives[i][1]};
    }
    e->model = (struct model){.tensors = e->tensors, .tensor_count = count};
    struct alias *items = ARENA_ARRAY(&e->arena, struct alias, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct alias){.parent = parents[i], .kind = parents[i] == NO_PARENT ? ALIAS_NONE : ALIAS_RESHAPE};
    }
    e->aliases = (struct alias_list){items, count};
    aliases_merge_lifetimes(&e->model, &e->aliases, &e->arena, &e->slots);
    return e->slots;
}

static void assert_slot(const struct alias_slot *slot, uint32_t root, uint32_t start, uint32_t end)
{
    assert_int_equal(slot->root, root);
    assert_int_equal(slot->start_op, start);
    assert_int_equal(slot->end_op, end);
}

/* PLN-035 */
static void test_a_view_widens_its_root(void **state)
{
    (void)state;
    struct example e;
    static const uint32_t lives[][2] = {{0, 1}, {2, 4}};
    static const uint32_t parents[] = {NO_PARENT, 0};
    struct alias_slot *slots = merge_chain(&e, lives, parents, 2);
    assert_slot(&slots[0], 0, 0, 4);
    assert_slot(&slots[1], 0, 0, 4);
    assert_int_equal(slots[0].size, 64);
    arena_free(&e.arena);
}

/* PLN-036 */
static void test_chains_merge_to_a_fixed_point(void **state)
{
    (void)state;
    struct example e;
    static const uint32_t lives[][2] = {{0, 1}, {1, 2}, {5, 6}};
    static const uint32_t parents[] = {NO_PARENT, 0, 1};
    struct alias_slot *slots = merge_chain(&e, lives, parents, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_slot(&slots[i], 0, 0, 6);
    }
    arena_free(&e.arena);
}

/* Parents behind their children, two roots, and a tensor that is not live. */
static void test_parents_may_stand_in_any_order(void **state)
{
    (void)state;
    struct example e;
    static const uint32_t lives[][2] = {{7, 9}, {5, 6}, {3, 4}, {0, 1}, {2, 2}};
    static const uint32_t parents[] = {1, 2, NO_PARENT, NO_PARENT, 3};
    struct alias_slot *slots = merge_chain(&e, lives, parents, 5);
    for (size_t i = 0; i < 3; i++) {
        assert_slot(&slots[i], 2, 3, 9);
    }
    assert_slot(&slots[3], 3, 0, 2);
    arena_free(&e.arena);
    (void)merge_chain(&e, lives, parents, 5);
    e.tensors[0].is_live = false;
    e.tensors[1].alignment = 64;
    e.tensors[2].size = 100;
    aliases_merge_lifetimes(&e.model, &e.aliases, &e.arena, &slots);
    assert_slot(&slots[0], 2, 3, 6);
    assert_int_equal(slots[2].alignment, 64);
    assert_int_equal(slots[1].size, 100);
    arena_free(&e.arena);
}

/* ---- the table ---- */

static void test_names_are_builtin_and_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < alias_row_count; i++) {
        bool is_builtin = false;
        for (uint32_t code = 0; builtin_name(code) != NULL; code++) {
            is_builtin = is_builtin || text_equal(builtin_name(code), alias_rows[i].name);
        }
        if (!is_builtin) {
            fail_msg("'%s' is no operator of the format", alias_rows[i].name);
        }
        assert_true(alias_rows[i].kind != ALIAS_NONE && alias_rows[i].inputs != 0);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(alias_rows[i].name, alias_rows[j].name);
        }
    }
}

/* ---- views ---- */

static void test_view(void **state)
{
    (void)state;
    static const struct example_tensor tensors[] = {IN_INT8(8), INT8(8), INT8(8), INT8(8), INT8(8), INT8(4)};
    static const struct example_operator operators[] = {
        {.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
        {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}},
        {.name = "SQUEEZE", .inputs = {2, END}, .outputs = {3, END}},
        {.name = "EXPAND_DIMS", .inputs = {3, END}, .outputs = {4, END}},
        {.name = "RESHAPE", .inputs = {4, END}, .outputs = {5, END}},
    };
    struct example e;
    BUILD(&e, tensors, operators);
    find(&e, false);
    assert_alias(&e, 1, NO_PARENT, ALIAS_NONE); /* a convolution */
    assert_alias(&e, 2, 1, ALIAS_RESHAPE);
    assert_alias(&e, 3, 2, ALIAS_RESHAPE);
    assert_alias(&e, 4, 3, ALIAS_RESHAPE);
    assert_alias(&e, 5, NO_PARENT, ALIAS_NONE); /* another size */
    assert_int_equal(e.aliases.items[4].operator_index, 3);
    assert_slot(&e.slots[4], 1, 0, 4);
    arena_free(&e.arena);
}

/* Ends of the model may be viewed, but nothing that shares their slot may be overwritten. */
static void test_views_of_ends_are_not_overwritten(void **state)
{
    (void)state;
    static const struct example_tensor tensors[] = {
        IN_INT8(8), INT8(8), INT8(8), {.type = "int8", .elements = 8, .is_output = true}, INT8(8), INT8(8)};
    static const struct example_operator operators[] = {
        {.name = "RESHAPE", .inputs = {0, END}, .outputs = {1, END}},
        {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}},
        {.name = "RESHAPE", .inputs = {2, END}, .outputs = {3, END}},
        {.name = "RESHAPE", .inputs = {3, END}, .outputs = {4, END}},
        {.name = "RELU", .inputs = {4, END}, .outputs = {5, END}},
    };
    struct example e;
    BUILD(&e, tensors, operators);
    find(&e, true);
    assert_alias(&e, 1, 0, ALIAS_RESHAPE);
    assert_alias(&e, 2, NO_PARENT, ALIAS_NONE); /* over a view of the model's input */
    assert_alias(&e, 3, 2, ALIAS_RESHAPE);      /* a model output as a view */
    assert_alias(&e, 4, 3, ALIAS_RESHAPE);
    assert_alias(&e, 5, NO_PARENT, ALIAS_NONE); /* over a view of the model's output */
    arena_free(&e.arena);
}

struct refusal {
    const char *why;
    struct example_tensor tensors[4];
    struct example_operator operators[3];
};

/* In each some operator would make tensor 2 share with tensor 1, were it not for one thing. */
static const struct refusal refusals[] = {
    {"constant input",
     {IN_INT8(8), {.type = "int8", .elements = 8, .role = ROLE_CONSTANT}, INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {3, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"persistent input",
     {IN_INT8(8), {.type = "int8", .elements = 8, .role = ROLE_PERSISTENT}, INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"two outputs",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, 3, END}}}},
    {"written twice",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "CONV_2D", .inputs = {0, END}, .outputs = {2, END}},
      {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"input written again",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}},
      {.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}}},
    {"input written later",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}},
      {.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}}},
    {"output used before",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, 2, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"output is an input of the model",
     {IN_INT8(8), INT8(8), IN_INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"custom operator of that name",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RELU", .is_custom = true, .inputs = {1, END}, .outputs = {2, END}}}},
    {"persistent output",
     {IN_INT8(8), INT8(8), {.type = "int8", .elements = 8, .role = ROLE_PERSISTENT}, INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"first operator writes an input of the model",
     {INT8(8), IN_INT8(8), IN_INT8(8), INT8(8)},
     {{.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"repeated input with room to spare",
     {IN_INT8(8), {.type = "int8", .elements = 2, .size = 8}, INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "MUL", .inputs = {0, 1, END}, .outputs = {2, END}}}},
    {"input lives on",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}},
      {.name = "CONV_2D", .inputs = {1, END}, .outputs = {3, END}}}},
    {"a view of the input lives on",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "RESHAPE", .inputs = {1, END}, .outputs = {3, END}},
      {.name = "ADD", .inputs = {1, 3, END}, .outputs = {2, END}}}},
    {"input of the model", {INT8(8), IN_INT8(8), INT8(8), INT8(8)}, {{.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"written by nobody", {INT8(8), INT8(8), INT8(8), INT8(8)}, {{.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"output of the model",
     {IN_INT8(8), {.type = "int8", .elements = 8, .is_output = true}, INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"larger output",
     {IN_INT8(8), BYTES(8), BYTES(9), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    /* 4 bytes each, but the two elements are spread over four. */
    {"repeated input",
     {IN_INT8(4), {.type = "int16", .elements = 2}, {.type = "bool", .elements = 4}, INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "LESS", .inputs = {1, 0, END}, .outputs = {2, END}}}},
    {"narrower elements",
     {IN_INT8(4), {.type = "float32", .elements = 4}, INT8(4), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "QUANTIZE", .inputs = {1, END}, .outputs = {2, END}}}},
    {"packed elements",
     {IN_INT8(4), {.type = "int4", .elements = 8}, {.type = "int4", .elements = 8}, INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "RELU", .inputs = {1, END}, .outputs = {2, END}}}},
    {"types unknown where they may change",
     {IN_INT8(4), BYTES(8), BYTES(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}}, {.name = "CAST", .inputs = {1, END}, .outputs = {2, END}}}},
    {"operand that may not be overwritten",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "PRELU", .inputs = {0, 1, END}, .outputs = {2, END}}}},
    {"not element by element",
     {IN_INT8(8), INT8(8), INT8(8), INT8(8)},
     {{.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
      {.name = "SOFTMAX", .inputs = {1, END}, .outputs = {2, END}}}},
    {"called subgraph, in place",
     {IN_INT8(8),
      {.type = "int8", .elements = 8, .subgraph = 1},
      {.type = "int8", .elements = 8, .subgraph = 1},
      {.type = "int8", .elements = 8, .subgraph = 1}},
     {{.name = "WHILE", .inputs = {0, END}, .outputs = {END}},
      {.name = "CONV_2D", .subgraph = 1, .inputs = {3, END}, .outputs = {1, END}},
      {.name = "RELU", .subgraph = 1, .inputs = {1, END}, .outputs = {2, END}}}},
    {"called subgraph, view of its input",
     {IN_INT8(8), {.type = "int8", .elements = 8, .subgraph = 1}, {.type = "int8", .elements = 8, .subgraph = 1}, INT8(8)},
     {{.name = "WHILE", .inputs = {0, END}, .outputs = {END}},
      {.name = "RESHAPE", .subgraph = 1, .inputs = {1, END}, .outputs = {2, END}}}},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *refusal = &refusals[i];
        size_t operator_count = 0;
        while (operator_count < 3 && refusal->operators[operator_count].name != NULL) {
            operator_count++;
        }
        struct example e;
        build(&e, refusal->tensors, 4, refusal->operators, operator_count);
        find(&e, true);
        if (e.aliases.items[2].parent != NO_PARENT) {
            fail_msg("%s: tensor 2 shares with %u", refusal->why, (unsigned)e.aliases.items[2].parent);
        }
        arena_free(&e.arena);
    }
}

/* ---- in place: the quiet twins ---- */

static void test_in_place(void **state)
{
    (void)state;
    static const struct example_tensor tensors[] = {
        IN_INT8(8), INT8(8), INT8(8), INT8(8), INT8(8), INT8(8), {.type = "uint8", .elements = 8, .is_output = true}};
    static const struct example_operator operators[] = {
        {.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
        {.name = "RESHAPE", .inputs = {1, END}, .outputs = {2, END}},
        {.name = "ADD", .inputs = {2, 2, END}, .outputs = {3, END}}, /* twice the same operand */
        {.name = "SUB", .inputs = {0, 3, END}, .outputs = {4, END}}, /* over the second operand */
        {.name = "RELU", .inputs = {4, END}, .outputs = {5, END}},
        {.name = "QUANTIZE", .inputs = {5, END}, .outputs = {6, END}},
    };
    struct example e;
    BUILD(&e, tensors, operators);
    find(&e, false);
    for (uint32_t i = 0; i < 7; i++) {
        assert_alias(&e, i, i == 2 ? 1 : NO_PARENT, i == 2 ? ALIAS_RESHAPE : ALIAS_NONE);
    }
    arena_free(&e.arena);
    BUILD(&e, tensors, operators);
    find(&e, true);
    assert_alias(&e, 2, 1, ALIAS_RESHAPE);
    for (uint32_t i = 3; i < 7; i++) {
        assert_alias(&e, i, i - 1, ALIAS_IN_PLACE); /* the last one is a model output */
    }
    assert_slot(&e.slots[6], 1, 0, 5);
    arena_free(&e.arena);
}

/* Sizes decide where a list of tensors knows no more; of two operands the one that wastes less. */
static void test_sizes_alone(void **state)
{
    (void)state;
    static const struct example_tensor tensors[] = {{.size = 9, .is_input = true}, BYTES(64), BYTES(48), BYTES(32), BYTES(16)};
    static const struct example_operator operators[] = {
        {.name = "CONV_2D", .inputs = {0, END}, .outputs = {1, END}},
        {.name = "CONV_2D", .inputs = {0, END}, .outputs = {2, END}},
        {.name = "MUL", .inputs = {1, 2, END}, .outputs = {3, END}},
        {.name = "TANH", .inputs = {3, END}, .outputs = {4, END}},
    };
    struct example e;
    BUILD(&e, tensors, operators);
    find(&e, true);
    assert_alias(&e, 3, 2, ALIAS_IN_PLACE);
    assert_alias(&e, 4, 3, ALIAS_IN_PLACE);
    assert_int_equal(e.slots[4].size, 48);
    arena_free(&e.arena);
}

static void test_view_in_a_called_subgraph(void **state)
{
    (void)state;
    static const struct example_tensor tensors[] = {IN_INT8(8),
                                                    {.type = "int8", .elements = 8, .subgraph = 1},
                                                    {.type = "int8", .elements = 8, .subgraph = 1},
                                                    {.type = "int8", .elements = 8, .subgraph = 1}};
    static const struct example_operator operators[] = {
        {.name = "WHILE", .inputs = {0, END}, .outputs = {END}},
        {.name = "CONV_2D", .subgraph = 1, .inputs = {1, END}, .outputs = {2, END}},
        {.name = "RESHAPE", .subgraph = 1, .inputs = {2, END}, .outputs = {3, END}},
    };
    struct example e;
    BUILD(&e, tensors, operators);
    find(&e, true);
    assert_alias(&e, 3, 2, ALIAS_RESHAPE);
    arena_free(&e.arena);
}

/* ---- importers ---- */

static void test_operators_of_a_tensor_list_count(void **state)
{
    (void)state;
    static const char text[] = "tensors:\n"
                               "- {id: a, size: 64}\n- {id: b, size: 64}\n- {id: c, size: 64}\n- {id: d, size: 64}\n"
                               "operators:\n"
                               "- {name: CONV_2D, inputs: [a], outputs: [b]}\n"
                               "- {name: RESHAPE, inputs: [b], outputs: [c]}\n"
                               "- {name: RELU, inputs: [c], outputs: [d]}\n"
                               "inputs: [a]\noutputs: [d]\n";
    struct run run;
    run_start(&run);
    assert_true(run_read(&run, "tensor-list", "list.yaml", text, sizeof text - 1));
    struct alias_list aliases;
    model_find_aliases(&run.model, true, &run.arena, &aliases);
    assert_int_equal(aliases.items[2].parent, 1);
    assert_int_equal(aliases.items[3].parent, 2);
    assert_string_equal(alias_kind_names[aliases.items[2].kind], "reshape");
    assert_string_equal(alias_kind_names[aliases.items[3].kind], "in_place");
    run_end(&run);
}

static bool reads_as_custom(struct test_code code)
{
    struct run run;
    static const struct test_tensor tensors[] = {{.name = "x", .type = 9, .rank = 1, .shape = {8}},
                                                 {.name = "y", .type = 9, .rank = 1, .shape = {8}}};
    static const struct test_operator operators[] = {{.code = 0, .inputs = {0, LIST_END}, .outputs = {1, LIST_END}}};
    static const struct test_subgraph subgraph = {tensors, 2, operators, 1, {0, LIST_END}, {1, LIST_END}};
    const struct test_model model = {
        .codes = {code}, .code_count = 1, .buffer_sizes = {0}, .buffer_count = 1, .subgraphs = &subgraph, .subgraph_count = 1};
    assert_true(read_model(&run, &model));
    assert_string_equal(run.model.operators[0].name, "RELU");
    bool is_custom = run.model.operators[0].is_custom;
    run_end(&run);
    return is_custom;
}

static void test_custom_codes_are_told_apart(void **state)
{
    (void)state;
    assert_false(reads_as_custom((struct test_code){19, NULL}));
    assert_true(reads_as_custom((struct test_code){32, "RELU"}));
}

/* ---- random graphs, run ---- */

#define TENSORS   12u
#define OPERATORS 14u
#define MEMORY    (TENSORS * 16u)
#define GRAPHS    20000u

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

struct random_graph {
    struct example e;
    uint32_t links[OPERATORS][4]; /* two inputs, two outputs */
    uint32_t offsets[TENSORS];    /* in shared memory */
    uint8_t shared[MEMORY];
    uint8_t apart[TENSORS][16]; /* the same run where nothing is shared */
    bool is_written[TENSORS];
    uint32_t seed;
};

static const char *const random_names[] = {"RESHAPE", "BITCAST", "RELU", "ADD", "QUANTIZE", "CONV_2D", "SPLIT"};

static void make_tensors(struct random_graph *g)
{
    for (uint32_t i = 0; i < TENSORS; i++) {
        bool is_wide = next_random(&g->seed) % 3 == 0;
        static const int32_t counts[] = {1, 4, 8, 8};
        g->e.shapes[i][0] = counts[next_random(&g->seed) % 4];
        g->e.tensors[i] = (struct tensor){.id = "",
                                          .name = "",
                                          .type = element_type_by_name(is_wide ? "int16" : "int8"),
                                          .size = (uint64_t)g->e.shapes[i][0] * (is_wide ? 2 : 1),
                                          .alignment = 1,
                                          .shape = g->e.shapes[i],
                                          .rank = 1,
                                          .is_input = i < 2,
                                          .is_output = next_random(&g->seed) % 8 == 0,
                                          .variable = TENSOR_NONE};
    }
}

/* Mostly well formed: written once, then read. One graph in four writes and reads as it comes. */
static void make_operators(struct random_graph *g)
{
    bool is_wild = next_random(&g->seed) % 4 == 0;
    for (uint32_t i = 0; i < OPERATORS; i++) {
        uint32_t fresh = 2 + i < TENSORS ? 2 + i : TENSORS - 1;
        uint32_t known = is_wild ? TENSORS : fresh;
        uint32_t *links = g->links[i];
        const char *name = random_names[next_random(&g->seed) % (sizeof random_names / sizeof random_names[0])];
        /* Near ones, so that many tensors end where they are used. */
        links[0] = next_random(&g->seed) % 2 == 0 ? known - 1 : next_random(&g->seed) % known;
        links[1] = next_random(&g->seed) % 4 == 0 ? links[0] : next_random(&g->seed) % known;
        links[2] = is_wild ? next_random(&g->seed) % TENSORS : fresh;
        links[3] = next_random(&g->seed) % TENSORS;
        g->e.operators[i] =
            (struct model_operator){.name = name,
                                    .index = i,
                                    .step = i,
                                    .inputs = {links, text_equal(name, "ADD") ? 2 : 1},
                                    .outputs = {links + 2, text_equal(name, "SPLIT") && links[3] > links[2] ? 2 : 1}};
        use_all(&g->e, &g->e.operators[i].inputs, i);
        use_all(&g->e, &g->e.operators[i].outputs, i);
    }
}

static void make_graph(struct random_graph *g, uint32_t seed)
{
    *g = (struct random_graph){.seed = seed * 2654435761u + 1};
    make_tensors(g);
    make_operators(g);
    for (uint32_t i = 0; i < TENSORS; i++) {
        if (g->e.tensors[i].is_input) {
            tensor_add_op(&g->e.tensors[i], 0);
        }
        if (g->e.tensors[i].is_output) {
            tensor_add_op(&g->e.tensors[i], OPERATORS - 1);
        }
    }
    g->e.model = (struct model){.tensors = g->e.tensors,
                                .tensor_count = TENSORS,
                                .operators = g->e.operators,
                                .operator_count = OPERATORS,
                                .step_count = OPERATORS,
                                .subgraph_count = 1};
}

static bool meet(const struct alias_slot *a, const struct alias_slot *b)
{
    return a->start_op <= b->end_op && b->start_op <= a->end_op;
}

/* Each slot at the lowest offset where no slot lies that is alive at the same time. */
static void lay_out(struct random_graph *g)
{
    const struct alias_slot *slots = g->e.slots;
    for (uint32_t i = 0; i < TENSORS; i++) {
        for (uint32_t j = 0; j < i && slots[i].root == i; j++) {
            bool overlaps = slots[j].root == j && meet(&slots[i], &slots[j]) && g->e.tensors[i].is_live &&
                            g->e.tensors[j].is_live && g->offsets[i] < g->offsets[j] + slots[j].size &&
                            g->offsets[j] < g->offsets[i] + slots[i].size;
            if (!overlaps) {
                continue;
            }
            g->offsets[i] = g->offsets[j] + (uint32_t)slots[j].size;
            j = UINT32_MAX; /* from the start */
        }
    }
    for (uint32_t i = 0; i < TENSORS; i++) {
        g->offsets[i] = g->offsets[slots[i].root];
    }
}

struct bank {
    uint8_t *bytes[TENSORS];
};

static uint32_t width_of(const struct random_graph *g, uint32_t tensor)
{
    return g->e.tensors[tensor].type->bits / 8;
}

/* One output element from one element of each input, read and written here and now. */
static void run_element(const struct random_graph *g, struct bank bank, const struct model_operator *op, uint32_t element)
{
    uint32_t output = op->outputs.tensors[0];
    uint32_t value = op->index * 77u + element * 13u;
    for (size_t k = 0; k < op->inputs.count; k++) {
        uint32_t input = op->inputs.tensors[k];
        uint32_t at = element % (uint32_t)g->e.shapes[input][0] * width_of(g, input);
        for (uint32_t b = 0; b < width_of(g, input); b++) {
            value = value * 31u + bank.bytes[input][at + b];
        }
    }
    for (uint32_t b = 0; b < width_of(g, output); b++) {
        bank.bytes[output][element * width_of(g, output) + b] = (uint8_t)(value >> (b * 8));
    }
}

static void run_elements(const struct random_graph *g, struct bank bank, const struct model_operator *op, bool is_backward)
{
    uint32_t count = (uint32_t)g->e.shapes[op->outputs.tensors[0]][0];
    for (uint32_t i = 0; i < count; i++) {
        run_element(g, bank, op, is_backward ? count - 1 - i : i);
    }
}

/* A view that is none because sizes differ repeats its input. */
static void run_copy(const struct random_graph *g, struct bank bank, const struct model_operator *op)
{
    uint32_t input = op->inputs.tensors[0];
    uint32_t output = op->outputs.tensors[0];
    uint8_t copy[16];
    for (size_t i = 0; i < g->e.tensors[output].size; i++) {
        copy[i] = bank.bytes[input][i % g->e.tensors[input].size];
    }
    memcpy(bank.bytes[output], copy, g->e.tensors[output].size);
}

/* Anything else: its outputs are spoilt before the input is read for good, so it bears no sharing. */
static void run_other(const struct random_graph *g, struct bank bank, const struct model_operator *op)
{
    uint32_t input = op->inputs.tensors[0];
    for (size_t k = 0; k < op->outputs.count; k++) {
        memset(bank.bytes[op->outputs.tensors[k]], 0xA5, g->e.tensors[op->outputs.tensors[k]].size);
    }
    for (size_t k = 0; k < op->outputs.count; k++) {
        uint32_t output = op->outputs.tensors[k];
        uint8_t sum = (uint8_t)(op->index * 5u + k);
        for (size_t i = 0; i < g->e.tensors[input].size; i++) {
            sum = (uint8_t)(sum * 3u + bank.bytes[input][i]);
        }
        for (size_t i = 0; i < g->e.tensors[output].size; i++) {
            bank.bytes[output][i] = (uint8_t)(sum + i);
        }
    }
}

static void run_operator(const struct random_graph *g, struct bank bank, const struct model_operator *op, bool is_backward)
{
    if (text_equal(op->name, "RESHAPE") || text_equal(op->name, "BITCAST")) {
        run_copy(g, bank, op);
    } else if (text_equal(op->name, "CONV_2D") || text_equal(op->name, "SPLIT")) {
        run_other(g, bank, op);
    } else {
        run_elements(g, bank, op, is_backward);
    }
}

static void assert_intact(const struct random_graph *g, uint32_t tensor, uint32_t graph, uint32_t step)
{
    if (memcmp(g->shared + g->offsets[tensor], g->apart[tensor], g->e.tensors[tensor].size) != 0) {
        fail_msg("graph %u: tensor %u is spoilt at operator %u", (unsigned)graph, (unsigned)tensor, (unsigned)step);
    }
}

/* What nobody has written yet may hold anything, so operators that read it are not run. */
static bool can_run(const struct random_graph *g, const struct model_operator *op)
{
    for (size_t k = 0; k < op->inputs.count; k++) {
        uint32_t input = op->inputs.tensors[k];
        /* An operator that reads and writes one tensor computes in it by the model's own will. */
        for (size_t m = 0; m < op->outputs.count; m++) {
            if (op->outputs.tensors[m] == input) {
                return false;
            }
        }
        if (!g->is_written[input]) {
            return false;
        }
    }
    return true;
}

static void run_graph(struct random_graph *g, uint32_t graph)
{
    struct bank apart;
    struct bank shared;
    for (uint32_t i = 0; i < TENSORS; i++) {
        apart.bytes[i] = g->apart[i];
        shared.bytes[i] = g->shared + g->offsets[i];
    }
    for (uint32_t i = 0; i < 2; i++) {
        for (size_t b = 0; b < g->e.tensors[i].size; b++) {
            apart.bytes[i][b] = shared.bytes[i][b] = (uint8_t)(100 * i + b + 1);
        }
        g->is_written[i] = true;
    }
    for (uint32_t i = 0; i < OPERATORS; i++) {
        const struct model_operator *op = &g->e.operators[i];
        if (!can_run(g, op)) {
            continue;
        }
        for (size_t k = 0; k < op->inputs.count; k++) {
            assert_intact(g, op->inputs.tensors[k], graph, i);
        }
        bool is_backward = next_random(&g->seed) % 2 == 0;
        run_operator(g, apart, op, is_backward);
        run_operator(g, shared, op, is_backward);
        for (size_t k = 0; k < op->outputs.count; k++) {
            g->is_written[op->outputs.tensors[k]] = true;
            assert_intact(g, op->outputs.tensors[k], graph, i);
        }
    }
    for (uint32_t i = 0; i < TENSORS; i++) {
        if (g->e.tensors[i].is_output && g->is_written[i]) {
            assert_intact(g, i, graph, OPERATORS);
        }
    }
}

static void test_sharing_never_harms_what_is_read_later(void **state)
{
    (void)state;
    size_t views = 0;
    size_t overwritten = 0;
    size_t chained = 0;
    static struct random_graph g;
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        make_graph(&g, graph);
        find(&g.e, graph % 8 != 0);
        lay_out(&g);
        run_graph(&g, graph);
        for (uint32_t i = 0; i < TENSORS; i++) {
            const struct alias *alias = &g.e.aliases.items[i];
            views += alias->kind == ALIAS_RESHAPE;
            overwritten += alias->kind == ALIAS_IN_PLACE;
            chained += alias->parent != TENSOR_NONE && g.e.aliases.items[alias->parent].parent != TENSOR_NONE;
        }
        arena_free(&g.e.arena);
    }
    print_message("%zu views, %zu overwritten, %zu of them in chains\n", views, overwritten, chained);
    assert_true(views > GRAPHS / 10 && overwritten > GRAPHS / 10 && chained > GRAPHS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_view_widens_its_root),
        cmocka_unit_test(test_chains_merge_to_a_fixed_point),
        cmocka_unit_test(test_parents_may_stand_in_any_order),
        cmocka_unit_test(test_names_are_builtin_and_unique),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_views_of_ends_are_not_overwritten),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_sizes_alone),
        cmocka_unit_test(test_view_in_a_called_subgraph),
        cmocka_unit_test(test_operators_of_a_tensor_list_count),
        cmocka_unit_test(test_custom_codes_are_told_apart),
        cmocka_unit_test(test_sharing_never_harms_what_is_read_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
