/* Host program: turns a model and its plan into the table that the harness runs.
 *
 *     harness_table [--plant-overlap | --plant-alias] MODEL.json PLAN.json MODEL.tflite TABLE.c
 *
 * MODEL.json is what `helia-placement model --format json` prints, PLAN.json the generated plan. The bytes of constants are
 * looked up in the model file itself, by a reader of its own, so that a mistake in the tool's reader cannot hide here.
 *
 * --plant-overlap puts an output of one operator over one of its inputs, in the table only: the firmware must then say FAIL.
 * --plant-alias also claims that the two share a slot, though the operator cannot work in place. */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("harness_table: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        give_up("out of memory");
    }
    return memory;
}

/* ---- the model file: just enough of the format to find the bytes of a constant ---- */

struct model_file {
    unsigned char *bytes;
    size_t size;
};

static struct model_file read_model_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        give_up("cannot read %s", path);
    }
    struct model_file model = {allocate((size_t)size, 1), (size_t)size};
    if (fread(model.bytes, 1, model.size, file) != model.size) {
        give_up("cannot read %s", path);
    }
    fclose(file);
    return model;
}

static bool is_tflite(const struct model_file *model)
{
    return model->size >= 8 && memcmp(model->bytes + 4, "TFL3", 4) == 0;
}

static uint32_t read_number(const struct model_file *model, size_t position, unsigned width)
{
    if (position > model->size || model->size - position < width) {
        give_up("the model file is damaged at byte %zu", position);
    }
    uint32_t number = 0;
    for (unsigned i = 0; i < width; i++) {
        number |= (uint32_t)model->bytes[position + i] << 8 * i;
    }
    return number;
}

static size_t follow(const struct model_file *model, size_t position)
{
    return position + read_number(model, position, 4);
}

/* Where field `index` of a table is stored; 0: it is absent. A table starts with the signed distance back to its list of fields.
 */
static size_t field_position(const struct model_file *model, size_t table, unsigned index)
{
    size_t fields = table - (size_t)(int64_t)(int32_t)read_number(model, table, 4);
    if (4u + 2u * index + 2u > read_number(model, fields, 2)) {
        return 0;
    }
    uint32_t distance = read_number(model, fields + 4u + 2u * index, 2);
    return distance == 0 ? 0 : table + distance;
}

static size_t table_in_list(const struct model_file *model, size_t table, unsigned field, uint32_t index)
{
    size_t position = field_position(model, table, field);
    if (position == 0) {
        give_up("the model file lacks field %u", field);
    }
    size_t list = follow(model, position);
    if (index >= read_number(model, list, 4)) {
        give_up("the model file has no entry %" PRIu32 " in field %u", index, field);
    }
    return follow(model, list + 4u + (size_t)4 * index);
}

enum { MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4, SUBGRAPH_TENSORS = 0, TENSOR_BUFFER = 2, BUFFER_DATA = 0 };

/* Ids are "7", or "1:7" in subgraph 1. False: the tensor has no bytes. */
static bool find_constant(const struct model_file *model, const char *id, const unsigned char **bytes, uint32_t *size)
{
    const char *colon = strchr(id, ':');
    uint32_t subgraph = colon != NULL ? (uint32_t)strtoul(id, NULL, 10) : 0;
    uint32_t index = (uint32_t)strtoul(colon != NULL ? colon + 1 : id, NULL, 10);
    size_t root = follow(model, 0);
    size_t tensor = table_in_list(model, table_in_list(model, root, MODEL_SUBGRAPHS, subgraph), SUBGRAPH_TENSORS, index);
    size_t buffer_field = field_position(model, tensor, TENSOR_BUFFER);
    uint32_t buffer_index = buffer_field != 0 ? read_number(model, buffer_field, 4) : 0;
    size_t data = field_position(model, table_in_list(model, root, MODEL_BUFFERS, buffer_index), BUFFER_DATA);
    if (data == 0) {
        return false;
    }
    size_t list = follow(model, data);
    *size = read_number(model, list, 4);
    if (*size > model->size - (list + 4)) {
        give_up("the constant %s passes the end of the model file", id);
    }
    *bytes = model->bytes + list + 4;
    return true;
}

static uint32_t crc32(const unsigned char *bytes, uint32_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

/* ---- the two documents ---- */

static json_t *read_document(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        give_up("%s:%d: %s", path, error.line, error.text);
    }
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL) {
        give_up("a text '%s' is missing", key);
    }
    return text;
}

static uint32_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX) {
        give_up("a number '%s' is missing or too large", key);
    }
    return (uint32_t)json_integer_value(value);
}

struct tensor {
    const char *id;
    const char *name;
    const char *role; /* "scratch", "persistent", "constant" */
    uint32_t slot;
    const json_t *arena;
    uint32_t offset, size;
    bool has_crc;
    uint32_t crc;
    uint32_t start_operator;
    bool has_producer;
    bool is_output;
};

struct harness_operator {
    const char *name;
    const json_t *inputs, *outputs; /* lists of tensor ids; null for an input that is left out */
};

struct table {
    const char *prefix;
    struct tensor *tensors;
    uint32_t tensor_count;
    struct harness_operator *operators;
    uint32_t operator_count;
};

static uint32_t find_tensor(const struct table *table, const char *id)
{
    for (uint32_t i = 0; i < table->tensor_count; i++) {
        if (strcmp(table->tensors[i].id, id) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static const json_t *find_arena(const json_t *plan, const char *role, const char *memory)
{
    const char *list = strcmp(role, "scratch") == 0      ? "arena_usages"
                       : strcmp(role, "persistent") == 0 ? "persistent_arenas"
                                                         : "constant_arenas";
    const json_t *arena = json_object_get(json_object_get(plan, list), memory);
    if (arena == NULL) {
        give_up("the plan has no %s arena in %s", role, memory);
    }
    return arena;
}

static void read_tensors(struct table *table, const json_t *plan, const json_t *model)
{
    json_t *allocations = json_object_get(plan, "tensor_allocs");
    table->tensors = allocate(json_object_size(allocations), sizeof *table->tensors);
    const char *id;
    json_t *allocation;
    json_object_foreach(allocations, id, allocation)
    {
        const json_t *binding = json_object_get(allocation, "binding");
        const json_t *life = json_object_get(json_object_get(plan, "tensor_lifetimes"), id);
        table->tensors[table->tensor_count++] = (struct tensor){
            .id = id,
            .name = "",
            .role = text_of(binding, "role"),
            .arena = find_arena(plan, text_of(binding, "role"), text_of(binding, "memory")),
            .offset = number_of(binding, "offset"),
            .size = number_of(allocation, "size"),
            .start_operator = number_of(life, "start_op"),
        };
    }
    for (uint32_t i = 0; i < table->tensor_count; i++) {
        const json_t *alias = json_object_get(json_object_get(allocations, table->tensors[i].id), "alias_of");
        table->tensors[i].slot = json_is_string(alias) ? find_tensor(table, json_string_value(alias)) : i;
    }
    size_t index;
    json_t *listed;
    json_array_foreach(json_object_get(model, "tensors"), index, listed)
    {
        uint32_t found = find_tensor(table, text_of(listed, "id"));
        if (found != UINT32_MAX) {
            table->tensors[found].name = text_of(listed, "name");
            table->tensors[found].is_output = json_is_true(json_object_get(listed, "is_output"));
        }
    }
}

/* Only the main subgraph runs here: operators of a called one have no position of their own in time. */
static void read_operators(struct table *table, const json_t *model)
{
    json_t *operators = json_object_get(model, "operators");
    table->operators = allocate(json_array_size(operators), sizeof *table->operators);
    size_t index;
    json_t *listed;
    json_array_foreach(operators, index, listed)
    {
        const json_t *subgraph = json_object_get(listed, "subgraph");
        if (json_is_integer(subgraph) && json_integer_value(subgraph) != 0) {
            continue;
        }
        struct harness_operator *made = &table->operators[table->operator_count++];
        made->name = text_of(listed, "name");
        made->inputs = json_object_get(listed, "inputs");
        made->outputs = json_object_get(listed, "outputs");
        size_t position;
        json_t *output;
        json_array_foreach(made->outputs, position, output)
        {
            uint32_t found = json_is_string(output) ? find_tensor(table, json_string_value(output)) : UINT32_MAX;
            if (found != UINT32_MAX) {
                table->tensors[found].has_producer = true;
            }
        }
    }
    if (table->operator_count == 0) {
        give_up("the model lists no operators");
    }
}

static void add_checksums(struct table *table, const struct model_file *model)
{
    for (uint32_t i = 0; i < table->tensor_count && is_tflite(model); i++) {
        struct tensor *tensor = &table->tensors[i];
        const unsigned char *bytes;
        uint32_t size;
        if (strcmp(tensor->role, "constant") != 0 || !find_constant(model, tensor->id, &bytes, &size)) {
            continue;
        }
        if (size != tensor->size) {
            give_up("constant %s has %" PRIu32 " bytes in the model file and %" PRIu32 " in the plan", tensor->id, size,
                    tensor->size);
        }
        tensor->has_crc = true;
        tensor->crc = crc32(bytes, size);
    }
}

/* The first scratch tensor of a list that has bytes, or UINT32_MAX. */
static uint32_t first_scratch(const struct table *table, const json_t *list)
{
    size_t position;
    json_t *id;
    json_array_foreach(list, position, id)
    {
        uint32_t found = json_is_string(id) ? find_tensor(table, json_string_value(id)) : UINT32_MAX;
        if (found != UINT32_MAX && strcmp(table->tensors[found].role, "scratch") == 0 && table->tensors[found].size > 0) {
            return found;
        }
    }
    return UINT32_MAX;
}

/* ---- how kernels treat their inputs ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Known here by name and not asked of the plan, which is on trial: an operator of another kind that shares a slot must fail. */
static const char *kind_of(const char *name)
{
    static const char *const copying[] = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "BITCAST", "STABLEHLO_RESHAPE"};
    static const char *const elementwise[] = {
        "ABS",        "CEIL",      "COS",         "ELU",           "EXP",
        "FAKE_QUANT", "FLOOR",     "GELU",        "HARD_SWISH",    "LEAKY_RELU",
        "LOG",        "LOGISTIC",  "LOGICAL_NOT", "NEG",           "PRELU",
        "RELU",       "RELU6",     "RELU_0_TO_1", "RELU_N1_TO_1",  "ROUND",
        "RSQRT",      "SIGN",      "SIN",         "SQRT",          "SQUARE",
        "TANH",       "ADD",       "ATAN2",       "BITWISE_XOR",   "DIV",
        "FLOOR_DIV",  "FLOOR_MOD", "LOGICAL_AND", "LOGICAL_OR",    "MAXIMUM",
        "MINIMUM",    "MUL",       "POW",         "RIGHT_SHIFT",   "SQUARED_DIFFERENCE",
        "SUB",        "SELECT",    "SELECT_V2",   "CAST",          "DEQUANTIZE",
        "QUANTIZE",   "EQUAL",     "GREATER",     "GREATER_EQUAL", "LESS",
        "LESS_EQUAL", "NOT_EQUAL",
    };
    if (is_one_of(name, copying, sizeof copying / sizeof copying[0])) {
        return "HARNESS_COPIES";
    }
    return is_one_of(name, elementwise, sizeof elementwise / sizeof elementwise[0]) ? "HARNESS_ELEMENTWISE" : "HARNESS_COMPUTES";
}

static void plant_overlap(struct table *table, bool as_alias)
{
    for (uint32_t i = 0; i < table->operator_count; i++) {
        uint32_t input = first_scratch(table, table->operators[i].inputs);
        uint32_t output = first_scratch(table, table->operators[i].outputs);
        /* A reshape in place is right, and so may be an operator that works element by element. */
        if (strcmp(kind_of(table->operators[i].name), "HARNESS_COMPUTES") != 0) {
            continue;
        }
        if (input == UINT32_MAX || output == UINT32_MAX || table->tensors[input].slot == table->tensors[output].slot) {
            continue;
        }
        table->tensors[output].arena = table->tensors[input].arena;
        table->tensors[output].offset = table->tensors[input].offset;
        if (as_alias) {
            table->tensors[output].slot = table->tensors[input].slot;
        }
        return;
    }
    give_up("no operator has an input and an output that could be made to overlap");
}

/* ---- the table as C ---- */

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '?';
        fprintf(out, plain ? "%c" : "\\%03o", byte);
    }
    fputc('"', out);
}

static void write_tensor(FILE *out, const struct tensor *tensor)
{
    const char *symbol = text_of(tensor->arena, "symbol");
    const char *source = json_string_value(json_object_get(tensor->arena, "source_symbol"));
    bool constant = strcmp(tensor->role, "constant") == 0;
    fputs("    {.id = ", out);
    write_string(out, tensor->id);
    fputs(", .name = ", out);
    write_string(out, tensor->name);
    fprintf(out, ", .role = %s, .slot = %" PRIu32 ", .base = (const unsigned char *)%s",
            constant                                  ? "HARNESS_CONSTANT"
            : strcmp(tensor->role, "persistent") == 0 ? "HARNESS_PERSISTENT"
                                                      : "HARNESS_SCRATCH",
            tensor->slot, symbol);
    if (!constant) {
        fprintf(out, ", .writable = (unsigned char *)%s", symbol);
    }
    if (source != NULL) {
        fprintf(out, ", .source = (const unsigned char *)%s", source);
    }
    fprintf(out, ", .offset = %" PRIu32 ", .size = %" PRIu32 ", .has_crc = %d, .crc = 0x%08" PRIx32, tensor->offset, tensor->size,
            tensor->has_crc, tensor->crc);
    fprintf(out, ", .start_operator = %" PRIu32 ", .has_producer = %d, .is_output = %d},\n", tensor->start_operator,
            tensor->has_producer, tensor->is_output);
}

/* Appends the list to harness_links; returns how many were written. */
static uint32_t write_links(FILE *out, const struct table *table, const json_t *list)
{
    uint32_t written = 0;
    size_t position;
    json_t *id;
    json_array_foreach(list, position, id)
    {
        uint32_t found = json_is_string(id) ? find_tensor(table, json_string_value(id)) : UINT32_MAX;
        if (found != UINT32_MAX) {
            fprintf(out, " %" PRIu32 ",", found);
            written++;
        } else if (!json_is_null(id)) {
            give_up("an operator names a tensor that the plan does not have");
        }
    }
    return written;
}

static void write_table(FILE *out, const struct table *table)
{
    fprintf(out, "#include \"harness.h\"\n#include \"%s_arenas.h\"\n\n", table->prefix);
    fprintf(out, "const uint32_t harness_tensor_count = %" PRIu32 ";\n", table->tensor_count);
    fprintf(out, "uint32_t harness_contents[%" PRIu32 "];\n", table->tensor_count);
    fputs("const struct harness_tensor harness_tensors[] = {\n", out);
    for (uint32_t i = 0; i < table->tensor_count; i++) {
        write_tensor(out, &table->tensors[i]);
    }
    fputs("};\n\nconst uint32_t harness_links[] = {\n", out);
    uint32_t *counts = allocate((size_t)table->operator_count * 2, sizeof *counts);
    for (uint32_t i = 0; i < table->operator_count; i++) {
        counts[2 * i] = write_links(out, table, table->operators[i].inputs);
        counts[2 * i + 1] = write_links(out, table, table->operators[i].outputs);
        fputc('\n', out);
    }
    fprintf(out, "    0};\n\nconst uint32_t harness_operator_count = %" PRIu32 ";\n", table->operator_count);
    fputs("const struct harness_operator harness_operators[] = {\n", out);
    uint32_t link = 0;
    for (uint32_t i = 0; i < table->operator_count; i++) {
        fputs("    {.name = ", out);
        write_string(out, table->operators[i].name);
        fprintf(out, ", .kind = %s", kind_of(table->operators[i].name));
        fprintf(out, ", .first_input = %" PRIu32 ", .input_count = %" PRIu32, link, counts[2 * i]);
        link += counts[2 * i];
        fprintf(out, ", .first_output = %" PRIu32 ", .output_count = %" PRIu32 "},\n", link, counts[2 * i + 1]);
        link += counts[2 * i + 1];
    }
    fputs("};\n", out);
    free(counts);
}

int main(int argc, char **argv)
{
    bool as_alias = argc > 1 && strcmp(argv[1], "--plant-alias") == 0;
    bool planted = as_alias || (argc > 1 && strcmp(argv[1], "--plant-overlap") == 0);
    char **paths = argv + 1 + planted;
    if (argc - planted != 5) {
        fputs("usage: harness_table [--plant-overlap | --plant-alias] MODEL.json PLAN.json MODEL.tflite TABLE.c\n", stderr);
        return 2;
    }
    json_t *model = read_document(paths[0]);
    json_t *plan = read_document(paths[1]);
    struct model_file file = read_model_file(paths[2]);
    struct table table = {.prefix = text_of(plan, "prefix")};
    read_tensors(&table, plan, model);
    read_operators(&table, model);
    add_checksums(&table, &file);
    if (planted) {
        plant_overlap(&table, as_alias);
    }
    FILE *out = fopen(paths[3], "w");
    if (out == NULL) {
        give_up("cannot write %s", paths[3]);
    }
    write_table(out, &table);
    if (fclose(out) != 0) {
        give_up("cannot write %s", paths[3]);
    }
    free(table.tensors);
    free(table.operators);
    free(file.bytes);
    json_decref(model);
    json_decref(plan);
    return 0;
}
