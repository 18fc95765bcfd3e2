/* The config file's schema: one table a mapping. docs/config.md is printed from these rows. */
#include "placement/placement.h"

#define MEMBER_SIZE(type, member) (sizeof(((type *)0)->member))
#define COUNT(array)              (sizeof(array) / sizeof((array)[0]))

static const struct choice arena_location_choices[] = {
    {"tcm", LOCATION_TCM}, {"sram", LOCATION_SRAM}, {"psram", LOCATION_PSRAM}, {NULL, 0}};
static const struct choice weights_location_choices[] = {
    {"tcm", LOCATION_TCM}, {"sram", LOCATION_SRAM}, {"mram", LOCATION_MRAM}, {"psram", LOCATION_PSRAM}, {NULL, 0}};
/* ExecuTorch's buffers: only tcm or sram (ETX-005). */
static const struct choice buffer_location_choices[] = {{"tcm", LOCATION_TCM}, {"sram", LOCATION_SRAM}, {NULL, 0}};
static const struct choice transport_choices[] = {
    {"rtt", TRANSPORT_RTT}, {"usb", TRANSPORT_USB}, {"uart", TRANSPORT_UART}, {"swo", TRANSPORT_SWO}, {NULL, 0}};

static const struct field attributes_fields[] = {
    {.key = "memory",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct tensor_attributes_config, memory),
     .help = "The memory the tensor lives in. For constants: the memory that holds the bytes in the image (their source)."},
    {.key = "constant_destination_memory",
     .kind = FIELD_TEXT,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct tensor_attributes_config, constant_destination_memory),
     .default_text = "null",
     .help = "Constants only: the writable memory that kernels read them from. Other than `memory`: the bytes are copied there "
             "before the first run (staged). Null or the same: they are read in place (cold)."},
};
static const struct schema attributes_schema = {
    .name = "memory.tensors[].attributes",
    .help = "What a rule decides. Rules are merged field by field.",
    .size = sizeof(struct tensor_attributes_config),
    .span_offset = offsetof(struct tensor_attributes_config, span),
    .fields = attributes_fields,
    .field_count = COUNT(attributes_fields),
};

static const struct field rule_fields[] = {
    {.key = "type",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct tensor_rule_config, type),
     .default_text = "*",
     .help = "`scratch`, `persistent`, `constant` or `*` for any; case does not matter."},
    {.key = "id",
     .kind = FIELD_TEXT_LIST,
     .offset = offsetof(struct tensor_rule_config, id),
     .default_text = "any",
     .help =
         "One or a list of tensor ids (`7`; `1:7` in another subgraph) or names. A rule with type and id comes before one with "
         "an id only, that before one with a type only; among equals the later wins."},
    {.key = "attributes",
     .kind = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct tensor_rule_config, attributes),
     .record = &attributes_schema,
     .help = "The placement of the tensors that match."},
};
static const struct schema rule_schema = {
    .name = "memory.tensors[]",
    .help = "A placement rule: which tensors, and where they go.",
    .size = sizeof(struct tensor_rule_config),
    .span_offset = offsetof(struct tensor_rule_config, span),
    .fields = rule_fields,
    .field_count = COUNT(rule_fields),
};

static const struct field constraint_fields[] = {
    {.key = "name",
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct constraint_config, name),
     .help = "The memory, as the SoC's file calls it; case does not matter."},
    {.key = "max_size",
     .kind = FIELD_TEXT,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct constraint_config, max_size),
     .default_text = "the window",
     .help =
         "The most bytes that arenas and constants may take there, all roles together: `200K`, `0x32000`, `80%` of the window."},
    {.key = "arena_alignment",
     .kind = FIELD_SIZE,
     .flags = FIELD_NULLABLE | FIELD_POWER_OF_TWO,
     .offset = offsetof(struct constraint_config, arena_alignment),
     .minimum = 1,
     .maximum = UINT64_C(1) << 20,
     .default_text = "16 for the base",
     .help = "Floor of the alignment of arena bases and of every slot in them, in bytes."},
};
static const struct schema constraint_schema = {
    .name = "memory.constraints[]",
    .help = "A budget of one memory.",
    .size = sizeof(struct constraint_config),
    .span_offset = offsetof(struct constraint_config, span),
    .fields = constraint_fields,
    .field_count = COUNT(constraint_fields),
};

static const struct field memory_fields[] = {
    {.key = "planner",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct memory_config, planner),
     .default_text = "hill_climb",
     .help = "The memory planner; `helia-placement planners` lists them."},
    {.key = "planner_options",
     .kind = FIELD_NODE,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct memory_config, planner_options),
     .default_text = "the planner's",
     .help = "A mapping of the planner's own options; a key that it does not know is an error."},
    {.key = "allocate_arenas",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct memory_config, allocate_arenas),
     .default_text = "true",
     .help = "Define the arena buffers in the generated C. False: the application binds its own with `<prefix>_bind_arena()`."},
    {.key = "auto_hydrate_constants",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct memory_config, auto_hydrate_constants),
     .default_text = "true",
     .help = "`<prefix>_init_memory()` also copies staged constants into their arenas."},
    {.key = "dump_residency_json",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct memory_config, dump_residency_json),
     .default_text = "true",
     .help = "`generate` writes the residency report `<prefix>_residency.json`."},
    {.key = "in_place",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct memory_config, in_place),
     .default_text = "false",
     .help = "Operators that can overwrite an input which dies there share its slot. Views (reshape) always do."},
    {.key = "constraints",
     .kind = FIELD_RECORDS,
     .offset = offsetof(struct memory_config, constraints),
     .record = &constraint_schema,
     .default_text = "none",
     .help = "Budgets and alignment floors, at most one entry a memory."},
    {.key = "tensors",
     .kind = FIELD_RECORDS,
     .offset = offsetof(struct memory_config, tensors),
     .record = &rule_schema,
     .default_text = "none",
     .help = "Placement rules."},
};
static const struct schema memory_schema = {
    .name = "memory",
    .help = "Planner, budgets and placement rules.",
    .size = sizeof(struct memory_config),
    .span_offset = offsetof(struct memory_config, span),
    .fields = memory_fields,
    .field_count = COUNT(memory_fields),
};

static const struct field model_fields[] = {
    {.key = "path",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct model_config, path),
     .help =
         "The model: `.tflite`, a tensor list (`.yaml`, `.yml`, `.json`) or lifetimes (`.csv`). Relative to the config file."},
    {.key = "arena_size",
     .kind = FIELD_SIZE,
     .offset = offsetof(struct model_config, arena_size),
     .minimum = 1,
     .default_text = "256K",
     .help = "Interpreter engines: bytes of the tensor arena."},
    {.key = "arena_location",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct model_config, arena_location),
     .choices = arena_location_choices,
     .default_text = "automatic",
     .help = "Where arenas go: of an interpreter, or helia-aot's scratch and persistent tensors."},
    {.key = "weights_location",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct model_config, weights_location),
     .choices = weights_location_choices,
     .default_text = "automatic",
     .help = "Where constants are read from at run time. `tcm` and `sram`: copied there at start from non-volatile memory."},
};
static const struct schema model_schema = {
    .name = "model",
    .help = "What is to be placed.",
    .size = sizeof(struct model_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = model_fields,
    .field_count = COUNT(model_fields),
};

static const struct field psram_fields[] = {
    {.key = "clock_hz",
     .kind = FIELD_INTEGER,
     .offset = 0,
     .minimum = 1,
     .default_text = "48000000",
     .help = "Clock of the PSRAM interface; one that the part offers."},
};
static const struct schema psram_schema = {
    .name = "target.psram",
    .help = "The external memory.",
    .size = MEMBER_SIZE(struct target_config, psram),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = psram_fields,
    .field_count = COUNT(psram_fields),
};

static const struct field target_fields[] = {
    {.key = "board",
     .kind = FIELD_TEXT,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, board),
     .help = "The board, which names its SoC and may override the external memory fitted. Give this or `soc`."},
    {.key = "soc",
     .kind = FIELD_TEXT,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, soc),
     .help = "The SoC; `helia-placement soc list` lists them. Give this or `board`."},
    {.key = "linker_profile",
     .kind = FIELD_TEXT,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, linker_profile),
     .default_text = "the SoC's",
     .help = "The linker profile (`sbl`, `nbl`, …) whose verified windows hold."},
    {.key = "transport",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct target_config, transport),
     .choices = transport_choices,
     .default_text = "rtt",
     .help = "How the host talks to the board. Interpreter engines with PSRAM need `rtt`."},
    {.key = "psram",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct target_config, psram),
     .record = &psram_schema,
     .help = "The external memory."},
    {.key = "slack",
     .kind = FIELD_NODE,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, slack),
     .default_text = "DTCM: 128K, SRAM: 32K",
     .help = "A mapping from memories to bytes that the automatic policy keeps back for stack, heap and bss."},
    {.key = "custom_socs",
     .kind = FIELD_NODE,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, custom_socs),
     .default_text = "none",
     .help = "A mapping from names to SoCs: what a registry file holds, or `based_on: NAME` and what differs."},
    {.key = "custom_boards",
     .kind = FIELD_NODE,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct target_config, custom_boards),
     .default_text = "none",
     .help = "A mapping from names to boards, likewise."},
};
static const struct schema target_schema = {
    .name = "target",
    .help = "The chip.",
    .size = sizeof(struct target_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = target_fields,
    .field_count = COUNT(target_fields),
};

static const struct field aot_args_fields[] = {
    {.key = "memory",
     .kind = FIELD_NODE,
     .flags = FIELD_NULLABLE,
     .offset = 0,
     .default_text = "none",
     .help = "The same content as the top-level `memory` block. Where both hold a key, the top level wins."},
};
static const struct schema aot_args_schema = {
    .name = "engine.config.aot_args",
    .help = "What heliaAOT projects hand to the code generator.",
    .size = MEMBER_SIZE(struct engine_own_config, aot_args),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = aot_args_fields,
    .field_count = COUNT(aot_args_fields),
};
#define BUFFER_SIZE(name, member, otherwise, what)                                                                               \
    {                                                                                                                            \
        .key = name, .kind = FIELD_SIZE, .flags = FIELD_NULLABLE, .offset = offsetof(struct engine_own_config, member),          \
        .minimum = 1, .default_text = otherwise, .help = "ExecuTorch: bytes of " what "."                                        \
    }
#define BUFFER_LOCATION(name, member, what)                                                                                      \
    {                                                                                                                            \
        .key = name, .kind = FIELD_CHOICE, .offset = offsetof(struct engine_own_config, member),                                 \
        .choices = buffer_location_choices, .default_text = "model.arena_location",                                              \
        .help = "ExecuTorch: the memory of " what "."                                                                            \
    }

static const struct field engine_config_fields[] = {
    {.key = "aot_args",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct engine_own_config, aot_args),
     .record = &aot_args_schema,
     .help = "heliaAOT's arguments."},
    {.key = "manifest",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct engine_own_config, manifest),
     .default_text = "<model>.manifest.json, if it is there",
     .help = "ExecuTorch: the exporter's sidecar, from which `planned_arena_size` is taken. Relative to the config file."},
    BUFFER_SIZE("planned_arena_size", planned_arena_size, "model.arena_size", "the planned arena"),
    BUFFER_SIZE("method_arena_size", method_arena_size, "64K", "the method arena"),
    BUFFER_SIZE("temporary_arena_size", temporary_arena_size, "32K", "the temporary arena"),
    BUFFER_SIZE("input_size", input_size, "not planned", "the input buffer"),
    BUFFER_SIZE("output_size", output_size, "not planned", "the output buffer"),
    BUFFER_LOCATION("planned_arena_location", planned_arena_location, "the planned arena"),
    BUFFER_LOCATION("method_arena_location", method_arena_location, "the method arena"),
    BUFFER_LOCATION("temporary_arena_location", temporary_arena_location, "the temporary arena"),
    BUFFER_LOCATION("io_location", io_location, "the input and output buffers"),
    {.key = "pmu_layer_records",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct engine_own_config, pmu_layer_records),
     .default_text = "true",
     .help = "ExecuTorch: also place the profiler's layer records, on SoCs that have them."},
};
static const struct schema engine_config_schema = {
    .name = "engine.config",
    .help = "The engine's own keys.",
    .size = sizeof(struct engine_own_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = engine_config_fields,
    .field_count = COUNT(engine_config_fields),
};
static const struct field engine_fields[] = {
    {.key = "type",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct engine_config, type),
     .choices = engine_choices,
     .default_text = "helia-aot",
     .help = "The inference engine. `helia-aot` places single tensors; `tflm` and `helia-rt` one arena and one weights blob; "
             "`executorch` "
             "five buffers and one program."},
    {.key = "config",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct engine_config, config),
     .record = &engine_config_schema,
     .help = "The engine's own keys."},
};
static const struct schema engine_schema = {
    .name = "engine",
    .help = "The inference engine.",
    .size = sizeof(struct engine_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = engine_fields,
    .field_count = COUNT(engine_fields),
};

static const struct field output_fields[] = {
    {.key = "prefix",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct output_config, prefix),
     .default_text = "the model's file name",
     .help = "Prefix of every generated file and symbol: a C identifier."},
};
static const struct schema output_schema = {
    .name = "output",
    .help = "What is generated.",
    .size = sizeof(struct output_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = output_fields,
    .field_count = COUNT(output_fields),
};

static const struct field config_fields[] = {
    {.key = "model",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct config, model),
     .record = &model_schema,
     .help = "The model."},
    {.key = "target",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct config, target),
     .record = &target_schema,
     .help = "The chip."},
    {.key = "engine",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct config, engine),
     .record = &engine_schema,
     .help = "The engine."},
    {.key = "memory",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct config, memory),
     .record = &memory_schema,
     .help = "Planner, budgets and rules."},
    {.key = "output",
     .kind = FIELD_RECORD,
     .offset = offsetof(struct config, output),
     .record = &output_schema,
     .help = "Output."},
};
const struct schema config_schema = {
    .name = "",
    .help = "The config file. Every key is optional; the command line overrides it.",
    .size = sizeof(struct config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = config_fields,
    .field_count = COUNT(config_fields),
};

bool config_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, struct config *config)
{
    const struct node *aot_memory = node_find(root, "engine.config.aot_args.memory");
    const struct node *merged = root;
    if (aot_memory != NULL && !node_is_null(aot_memory)) {
        if (aot_memory->kind != NODE_MAPPING) {
            diag_report(diagnostics, DIAG_WRONG_KIND, aot_memory->span,
                        "'engine.config.aot_args.memory' must be a mapping, not %s", node_kind_name(aot_memory));
            return false;
        }
        const struct node *top = node_get(root, "memory");
        /* An empty top-level block says nothing; it must not erase the other. */
        const struct node *memory = node_overlay(arena, aot_memory, top != NULL && node_is_null(top) ? NULL : top);
        if (!node_with(arena, diagnostics, root, "memory", memory, &merged)) {
            return false;
        }
    }

    struct config decoded = {0};
    decoded.engine.type.value = ENGINE_HELIA_AOT;
    decoded.memory.allocate_arenas.value = true;
    decoded.memory.auto_hydrate_constants.value = true;
    decoded.memory.dump_residency_json.value = true;
    decoded.engine.config.pmu_layer_records.value = true;
    if (!schema_decode(arena, diagnostics, &config_schema, merged, &decoded)) {
        return false;
    }
    *config = decoded;
    return true;
}
