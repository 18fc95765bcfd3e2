/* The config file's schema: one table a mapping. docs/config.md is printed from these rows. */
#include "placement/placement.h"

#define MEMBER_SIZE(type, member) (sizeof(((type *)0)->member))
#define COUNT(array)              (sizeof(array) / sizeof((array)[0]))

const char *const engine_names[ENGINE_COUNT] = {"helia-aot"};

const struct choice engine_choices[] = {
    {"helia-aot", ENGINE_HELIA_AOT},
    {NULL, 0},
};

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
};
static const struct schema model_schema = {
    .name = "model",
    .help = "What is to be placed.",
    .size = sizeof(struct model_config),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = model_fields,
    .field_count = COUNT(model_fields),
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
    .size = MEMBER_SIZE(struct engine_config, config.aot_args),
    .span_offset = SCHEMA_NO_SPAN,
    .fields = aot_args_fields,
    .field_count = COUNT(aot_args_fields),
};
static const struct field engine_config_fields[] = {
    {.key = "aot_args", .kind = FIELD_RECORD, .offset = 0, .record = &aot_args_schema, .help = "heliaAOT's arguments."},
};
static const struct schema engine_config_schema = {
    .name = "engine.config",
    .help = "The engine's own keys.",
    .size = MEMBER_SIZE(struct engine_config, config),
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
     .help = "The inference engine. `helia-aot` places single tensors."},
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
    if (!schema_decode(arena, diagnostics, &config_schema, merged, &decoded)) {
        return false;
    }
    *config = decoded;
    return true;
}
