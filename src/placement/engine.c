#include "placement/engine.h"

#include "base/size.h"
#include "base/text.h"
#include "placement/coarse.h"

/* Arenas and blobs of the interpreters are aligned for vector loads, as their runtimes ask. */
#define UNIT_ALIGNMENT 16u

/* ExecuTorch's defaults where neither config nor manifest says more, bytes. */
#define DEFAULT_METHOD_ARENA    UINT64_C(65536)
#define DEFAULT_TEMPORARY_ARENA UINT64_C(32768)
/* Bytes of one layer's counters in the profiler's record buffer. */
#define PMU_RECORD_BYTES 32u

/* ---- units ---- */

enum unit {
    UNIT_PLANNED,
    UNIT_METHOD,
    UNIT_TEMPORARY,
    UNIT_INPUT,
    UNIT_OUTPUT,
    UNIT_PMU_RECORDS,
    UNIT_ARENA,
    UNIT_FLATBUFFER,
    UNIT_PROGRAM
};

struct unit_row {
    const char *name; /* as consumers are called in reports (PJS-004, ETX-001) */
    enum tensor_role role;
    const char *kind;
};

static const struct unit_row units[] = {
    [UNIT_PLANNED] = {"planned_arena", ROLE_SCRATCH, "arena"},
    [UNIT_METHOD] = {"method_arena", ROLE_SCRATCH, "arena"},
    [UNIT_TEMPORARY] = {"temporary_arena", ROLE_SCRATCH, "arena"},
    [UNIT_INPUT] = {"input_buffer", ROLE_SCRATCH, "arena"},
    [UNIT_OUTPUT] = {"output_buffer", ROLE_SCRATCH, "arena"},
    [UNIT_PMU_RECORDS] = {"pmu_layer_records", ROLE_PERSISTENT, "other"},
    [UNIT_ARENA] = {"tensor_arena", ROLE_SCRATCH, "arena"},
    [UNIT_FLATBUFFER] = {"model_flatbuffer", ROLE_CONSTANT, "weights"},
    [UNIT_PROGRAM] = {"pte_program", ROLE_CONSTANT, "weights"},
};
#define UNIT_COUNT (sizeof units / sizeof units[0])

static const struct unit_row *unit_by_name(const char *name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (text_equal(units[i].name, name)) {
            return &units[i];
        }
    }
    return NULL;
}

/* A model whose tensors are an engine's buffers, all alive all the time. */
static struct model *start_units(struct arena *arena, const struct model *network)
{
    struct model *made = ARENA_NEW(arena, struct model);
    *made = *network;
    made->tensors = ARENA_ARRAY(arena, struct tensor, UNIT_COUNT);
    made->tensor_count = 0;
    made->operators = NULL;
    made->operator_count = 0;
    made->step_count = 1;
    made->subgraph_count = 1;
    made->weight_bytes = engine_weight_bytes(network);
    return made;
}

static void add_unit(struct model *model, enum unit unit, uint64_t size)
{
    if (size == 0) {
        return;
    }
    struct tensor *tensor = &model->tensors[model->tensor_count++];
    *tensor = (struct tensor){
        .id = units[unit].name,
        .name = "",
        .size = size,
        .alignment = UNIT_ALIGNMENT,
        .role = units[unit].role,
        .is_live = true,
        .buffer = UINT32_MAX,
        .variable = TENSOR_NONE,
    };
    if (tensor->role == ROLE_CONSTANT && size == model->content.size) {
        tensor->data_size = size;
    }
}

uint64_t engine_weight_bytes(const struct model *network)
{
    bool is_blob = text_equal(network->format, "tflite") || text_equal(network->format, "pte");
    return is_blob ? network->content.size : network->weight_bytes;
}

static uint64_t arena_size(const struct config *config)
{
    return config->model.arena_size.set ? config->model.arena_size.value : DEFAULT_ARENA_SIZE;
}

static bool make_interpreter_units(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                                   struct problem *problem)
{
    (void)diagnostics;
    struct model *model = start_units(arena, inputs->model);
    add_unit(model, UNIT_ARENA, arena_size(inputs->config));
    add_unit(model, UNIT_FLATBUFFER, model->weight_bytes);
    problem->model = model;
    return true;
}

static uint64_t or_default(const struct size_value *size, uint64_t otherwise)
{
    return size->set && !size->is_null ? size->value : otherwise;
}

static uint64_t planned_size(const struct config *config)
{
    return or_default(&config->engine.config.planned_arena_size, arena_size(config));
}

/* Input and output buffers are the caller's: a plan without them is no lie, but it must say that it lacks them. */
static void warn_of_missing_size(struct diagnostics *diagnostics, const struct size_value *size, const char *key)
{
    if (!size->set) {
        diag_report(diagnostics, DIAG_MISSING_SIZE, SPAN_NONE, "'engine.config.%s' is not given: the buffer is not planned", key);
    }
}

static bool make_executorch_units(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                                  struct problem *problem)
{
    const struct engine_own_config *own = &inputs->config->engine.config;
    struct model *model = start_units(arena, inputs->model);
    warn_of_missing_size(diagnostics, &own->input_size, "input_size");
    warn_of_missing_size(diagnostics, &own->output_size, "output_size");
    add_unit(model, UNIT_PLANNED, planned_size(inputs->config));
    add_unit(model, UNIT_METHOD, or_default(&own->method_arena_size, DEFAULT_METHOD_ARENA));
    add_unit(model, UNIT_TEMPORARY, or_default(&own->temporary_arena_size, DEFAULT_TEMPORARY_ARENA));
    add_unit(model, UNIT_INPUT, or_default(&own->input_size, 0));
    add_unit(model, UNIT_OUTPUT, or_default(&own->output_size, 0));
    if (own->pmu_layer_records.value) {
        add_unit(model, UNIT_PMU_RECORDS, (uint64_t)PMU_RECORD_BYTES * inputs->soc->pmu_max_ops);
    }
    add_unit(model, UNIT_PROGRAM, model->weight_bytes);
    problem->model = model;
    return true;
}

uint64_t engine_arena_bytes(const struct problem *problem, const struct config *config)
{
    if (!problem->places_units) {
        return arena_size(config);
    }
    uint64_t bytes = 0;
    for (size_t t = 0; t < problem->model->tensor_count; t++) {
        if (problem->model->tensors[t].role == ROLE_SCRATCH) {
            bytes += problem->model->tensors[t].size;
        }
    }
    return bytes;
}

/* ---- ExecuTorch's own pins ---- */

static const struct choice_value *location_key(const struct engine_own_config *own, const char *unit)
{
    const struct {
        enum unit unit;
        const struct choice_value *key;
    } rows[] = {
        {UNIT_PLANNED, &own->planned_arena_location},
        {UNIT_METHOD, &own->method_arena_location},
        {UNIT_TEMPORARY, &own->temporary_arena_location},
        {UNIT_INPUT, &own->io_location},
        {UNIT_OUTPUT, &own->io_location},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (text_equal(units[rows[i].unit].name, unit) && rows[i].key->set) {
            return rows[i].key;
        }
    }
    return NULL;
}

/* Keys of buffers that another engine does not have are only warned of (engine_check_keys). */
bool engine_check_locations(struct diagnostics *diagnostics, const struct config *config, const struct problem *problem)
{
    const struct engine_own_config *own = &config->engine.config;
    const struct {
        const struct choice_value *key;
        const char *name;
    } rows[] = {
        {&own->planned_arena_location, "engine.config.planned_arena_location"},
        {&own->method_arena_location, "engine.config.method_arena_location"},
        {&own->temporary_arena_location, "engine.config.temporary_arena_location"},
        {&own->io_location, "engine.config.io_location"},
    };
    bool good = true;
    for (size_t i = 0; (engines[problem->engine].keys & READS_BUFFERS) != 0 && i < sizeof rows / sizeof rows[0]; i++) {
        good = location_is_fitted(diagnostics, problem, rows[i].key, rows[i].name) && good;
    }
    return good;
}

void engine_pin_unit(const struct problem *problem, const struct config *config, struct request *request)
{
    const char *name = problem->model->tensors[request->tensor].id;
    const struct choice_value *key = location_key(&config->engine.config, name);
    request->consumer_kind = unit_by_name(name)->kind;
    if (key != NULL) {
        request->memory = location_memory(problem, (enum location)key->value);
        request->memory_span = key->span;
    }
    if (text_equal(name, units[UNIT_PMU_RECORDS].name)) {
        /* The profiler's records are cold and large: always in SRAM (ETX-001). */
        request->memory = location_memory(problem, LOCATION_SRAM);
        request->memory_span = SPAN_NONE;
    }
}

/* ---- the engines ---- */

const char *const engine_names[ENGINE_COUNT] = {
    [ENGINE_TFLM] = "tflm",
    [ENGINE_HELIA_RT] = "helia-rt",
    [ENGINE_HELIA_AOT] = "helia-aot",
    [ENGINE_EXECUTORCH] = "executorch",
};

const struct choice engine_choices[] = {
    {"tflm", ENGINE_TFLM},
    {"helia-rt", ENGINE_HELIA_RT},
    {"helia-aot", ENGINE_HELIA_AOT},
    {"executorch", ENGINE_EXECUTORCH},
    {NULL, 0},
};

const struct engine engines[ENGINE_COUNT] = {
    [ENGINE_TFLM] = {"tflm", "one arena, one weights blob", READS_ARENA_SIZE, true, true, PSRAM_BY_HOST, make_interpreter_units},
    [ENGINE_HELIA_RT] = {"helia-rt", "one arena, one weights blob", READS_ARENA_SIZE, true, true, PSRAM_BY_HOST,
                         make_interpreter_units},
    [ENGINE_HELIA_AOT] = {"helia-aot", "single tensors", READS_TENSOR_RULES, false, false, PSRAM_BY_EXTERNAL_ARENAS, NULL},
    [ENGINE_EXECUTORCH] = {"executorch", "five runtime buffers, one program", READS_ARENA_SIZE | READS_BUFFERS, true, true,
                           PSRAM_NEVER, make_executorch_units},
};

bool engine_check_model(struct diagnostics *diagnostics, const struct placement_inputs *inputs)
{
    const enum engine_kind kind = (enum engine_kind)inputs->config->engine.type.value;
    if (!text_equal(inputs->model->format, "pte") || kind == ENGINE_EXECUTORCH) {
        return true;
    }
    struct diag *diag =
        diag_report(diagnostics, DIAG_ENGINE_MODEL, inputs->config->model.path.span,
                    "the engine %s cannot run the ExecuTorch program '%s'", engines[kind].name, inputs->model->path);
    diag_note(diagnostics, diag, SPAN_NONE, "the engine executorch runs .pte files");
    return false;
}

struct keyed_place {
    unsigned key;
    const char *name;
    bool set;
    struct span span;
};

void engine_check_keys(struct diagnostics *diagnostics, const struct config *config)
{
    const struct engine *engine = &engines[config->engine.type.value];
    const struct engine_own_config *own = &config->engine.config;
    const struct keyed_place places[] = {
        {READS_ARENA_SIZE, "model.arena_size", config->model.arena_size.set, config->model.arena_size.span},
        {READS_TENSOR_RULES, "memory.tensors", config->memory.tensors.set && config->memory.tensors.count > 0,
         config->memory.tensors.span},
        {READS_BUFFERS, "engine.config.manifest", own->manifest.set, own->manifest.span},
        {READS_BUFFERS, "engine.config.planned_arena_size", own->planned_arena_size.set, own->planned_arena_size.span},
        {READS_BUFFERS, "engine.config.method_arena_size", own->method_arena_size.set, own->method_arena_size.span},
        {READS_BUFFERS, "engine.config.temporary_arena_size", own->temporary_arena_size.set, own->temporary_arena_size.span},
        {READS_BUFFERS, "engine.config.input_size", own->input_size.set, own->input_size.span},
        {READS_BUFFERS, "engine.config.output_size", own->output_size.set, own->output_size.span},
        {READS_BUFFERS, "engine.config.planned_arena_location", own->planned_arena_location.set,
         own->planned_arena_location.span},
        {READS_BUFFERS, "engine.config.method_arena_location", own->method_arena_location.set, own->method_arena_location.span},
        {READS_BUFFERS, "engine.config.temporary_arena_location", own->temporary_arena_location.set,
         own->temporary_arena_location.span},
        {READS_BUFFERS, "engine.config.io_location", own->io_location.set, own->io_location.span},
        {READS_BUFFERS, "engine.config.pmu_layer_records", own->pmu_layer_records.set, own->pmu_layer_records.span},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].set && (engine->keys & places[i].key) == 0) {
            diag_report(diagnostics, DIAG_IGNORED_KEY, places[i].span, "'%s' is not read by the engine %s", places[i].name,
                        engine->name);
        }
    }
}
