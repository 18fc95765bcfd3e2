/* The keys of registry files. docs/formats.md shows these rows. */
#include "soc/soc.h"
#include "soc/soc_record.h"

const char *const tier_names[TIER_COUNT] = {
    [TIER_TCM] = "tcm",
    [TIER_SRAM] = "sram",
    [TIER_NVM] = "nvm",
    [TIER_EXTERNAL] = "external",
};

const char *const elf_machine_names[] = {"arm", "riscv", "xtensa"};

static const struct choice soc_schema_choices[] = {{"helia-placement/soc/1", 1}, {NULL, 0}};
static const struct choice board_schema_choices[] = {{"helia-placement/board/1", 1}, {NULL, 0}};
static const struct choice tier_choices[] = {
    {"tcm", TIER_TCM}, {"sram", TIER_SRAM}, {"nvm", TIER_NVM}, {"external", TIER_EXTERNAL}, {NULL, 0}};
static const struct choice machine_choices[] = {{"arm", 0}, {"riscv", 1}, {"xtensa", 2}, {NULL, 0}};
static const struct choice class_choices[] = {{"32", 32}, {"64", 64}, {NULL, 0}};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* A row a key, so that the tables can be read as tables. */
/* clang-format off */

#define ROW(record, key_text, kind_name, member, flag_bits, ...) \
    {.key = (key_text), .kind = (kind_name), .offset = offsetof(struct record, member), .flags = (flag_bits), __VA_ARGS__}

static const struct field source_fields[] = {
    ROW(source_record, "repository", FIELD_TEXT, repository, FIELD_REQUIRED, .help = "The repository, `owner/name`, or what was measured."),
    ROW(source_record, "path", FIELD_TEXT, path, FIELD_REQUIRED, .help = "The file inside it."),
    ROW(source_record, "commit", FIELD_TEXT, commit, FIELD_REQUIRED, .help = "The commit, or version, that was read."),
    ROW(source_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know about it."),
};
static const struct schema source_schema = {
    "sources.NAME", "Where numbers were read.", sizeof(struct source_record), offsetof(struct source_record, span),
    source_fields, COUNT(source_fields)};

static const struct field alias_fields[] = {
    ROW(alias_record, "name", FIELD_TEXT, name, FIELD_REQUIRED, .help = "What kind of alias: `secure`, `uncached`, `bus`."),
    ROW(alias_record, "origin", FIELD_ADDRESS, origin, FIELD_REQUIRED, .help = "Address at which the region's first byte is seen again."),
    ROW(alias_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources`; needed, as for every number."),
};
static const struct schema alias_schema = {
    "regions[].aliases[]", "The whole region seen at another address.", sizeof(struct alias_record),
    offsetof(struct alias_record, span), alias_fields, COUNT(alias_fields)};

static const struct field carve_out_fields[] = {
    ROW(carve_out_record, "name", FIELD_TEXT, name, FIELD_REQUIRED, .help = "Whose bytes they are."),
    ROW(carve_out_record, "origin", FIELD_ADDRESS, origin, FIELD_REQUIRED, .help = "First address."),
    ROW(carve_out_record, "length", FIELD_SIZE, length, FIELD_REQUIRED, .help = "Bytes."),
    ROW(carve_out_record, "profiles", FIELD_TEXT_LIST, profiles, 0, .default_text = "all", .help = "The profiles under which it is there."),
    ROW(carve_out_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources`; needed, as for every number."),
};
static const struct schema carve_out_schema = {
    "regions[].carve_outs[]", "Bytes of the physical region that are somebody else's, such as a boot loader's.",
    sizeof(struct carve_out_record), offsetof(struct carve_out_record, span), carve_out_fields, COUNT(carve_out_fields)};

static const struct field region_fields[] = {
    ROW(region_record, "name", FIELD_TEXT, name, FIELD_REQUIRED, .help = "What rules, macros and reports call it: upper case letters, digits, `_`."),
    ROW(region_record, "tier", FIELD_CHOICE, tier, FIELD_REQUIRED, .choices = tier_choices, .help = "How fast it is."),
    ROW(region_record, "origin", FIELD_ADDRESS, origin, FIELD_REQUIRED, .help = "First address."),
    ROW(region_record, "length", FIELD_SIZE, length, FIELD_REQUIRED, .help = "Physical bytes."),
    ROW(region_record, "access", FIELD_TEXT, access, FIELD_REQUIRED, .help = "The letters `r`, `w`, `x` that apply, such as `rw`."),
    ROW(region_record, "data", FIELD_BOOL, data, 0, .default_text = "true", .help = "Whether it may hold arenas and data; `false` for memories for code or the stack."),
    ROW(region_record, "holds_image", FIELD_BOOL, holds_image, 0, .default_text = "false", .help = "Whether load images may stand there at reset: non-volatile, or filled by a loader."),
    ROW(region_record, "needs_power", FIELD_BOOL, needs_power, 0, .default_text = "false", .help = "Whether the firmware must set it up before it can be used."),
    ROW(region_record, "npu_access", FIELD_BOOL, npu_access, 0, .default_text = "true", .help = "Whether the NPU reaches it; what the NPU works on is placed only where it does."),
    ROW(region_record, "minimum_alignment", FIELD_INTEGER, minimum_alignment, FIELD_POWER_OF_TWO, .minimum = 1, .maximum = 4096, .default_text = "1", .help = "Least alignment in bytes of what is placed there."),
    ROW(region_record, "aliases", FIELD_RECORDS, aliases, 0, .record = &alias_schema, .help = "Other addresses of the same memory."),
    ROW(region_record, "carve_outs", FIELD_RECORDS, carve_outs, 0, .record = &carve_out_schema, .help = "Bytes that are not ours."),
    ROW(region_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources`; needed, as for every number."),
    ROW(region_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know."),
    ROW(region_record, "conflict", FIELD_TEXT_LIST, conflict, 0, .help = "What sources disagree about, naming them, and which value is used."),
};
static const struct schema region_schema = {
    "regions[]", "A physical memory.", sizeof(struct region_record), offsetof(struct region_record, span),
    region_fields, COUNT(region_fields)};

static const struct field window_fields[] = {
    ROW(window_record, "region", FIELD_TEXT, region, FIELD_REQUIRED, .help = "Name of the region."),
    ROW(window_record, "origin", FIELD_ADDRESS, origin, FIELD_REQUIRED, .help = "First address that the profile may use."),
    ROW(window_record, "length", FIELD_SIZE, length, FIELD_REQUIRED, .help = "Bytes that the profile may use."),
    ROW(window_record, "linker_name", FIELD_TEXT, linker_name, FIELD_REQUIRED, .help = "What the profile's own linker script calls it."),
    ROW(window_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources`; needed, as for every number."),
    ROW(window_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know."),
    ROW(window_record, "conflict", FIELD_TEXT_LIST, conflict, 0, .help = "What sources disagree about, naming them, and which value is used."),
};
static const struct schema window_schema = {
    "profiles[].windows[]", "The part of a region that the profile may use.", sizeof(struct window_record),
    offsetof(struct window_record, span), window_fields, COUNT(window_fields)};

static const struct field native_fields[] = {
    ROW(native_record, "region", FIELD_TEXT, region, FIELD_REQUIRED, .help = "Name of the region."),
    ROW(native_record, "bss", FIELD_TEXT, bss, FIELD_MAY_BE_EMPTY, .help = "Section of zeroed data; `\"\"` is the default section."),
    ROW(native_record, "data", FIELD_TEXT, data, FIELD_MAY_BE_EMPTY, .help = "Section of initialised data."),
    ROW(native_record, "code", FIELD_TEXT, code, FIELD_MAY_BE_EMPTY, .help = "Section of code."),
    ROW(native_record, "rodata", FIELD_TEXT, rodata, FIELD_MAY_BE_EMPTY, .help = "Section of constants."),
};
static const struct schema native_schema = {
    "profiles[].native[]", "Section names that the profile's own linker script collects; a key that is absent: it collects none.",
    sizeof(struct native_record), offsetof(struct native_record, span), native_fields, COUNT(native_fields)};

static const struct field profile_fields[] = {
    ROW(profile_record, "name", FIELD_TEXT, name, FIELD_REQUIRED, .help = "What `--profile` takes."),
    ROW(profile_record, "verified", FIELD_BOOL, verified, 0, .default_text = "false", .help = "Whether the windows were read from what ships; only then is an image measured against them."),
    ROW(profile_record, "windows", FIELD_RECORDS, windows, FIELD_REQUIRED, .record = &window_schema, .help = "What the profile may use of each region."),
    ROW(profile_record, "code", FIELD_TEXT, code, FIELD_REQUIRED, .help = "Region of vectors, code and constants."),
    ROW(profile_record, "data", FIELD_TEXT, data, FIELD_REQUIRED, .help = "Region of `.data`, `.bss` and heap."),
    ROW(profile_record, "stack", FIELD_TEXT, stack, FIELD_REQUIRED, .help = "Region of the stack."),
    ROW(profile_record, "image", FIELD_TEXT, image, FIELD_REQUIRED, .help = "Region of the load images of initialised memory."),
    ROW(profile_record, "native", FIELD_RECORDS, native, 0, .record = &native_schema, .help = "Section names of the profile's own linker script."),
    ROW(profile_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know."),
    ROW(profile_record, "conflict", FIELD_TEXT_LIST, conflict, 0, .help = "What sources disagree about, naming them, and which value is used."),
};
static const struct schema profile_schema = {
    "profiles[]", "One way to link for the SoC.", sizeof(struct profile_record), offsetof(struct profile_record, span),
    profile_fields, COUNT(profile_fields)};

static const struct field soc_fields[] = {
    ROW(soc_record, "schema", FIELD_CHOICE, schema, FIELD_REQUIRED, .choices = soc_schema_choices, .help = "The format and its version."),
    ROW(soc_record, "soc", FIELD_TEXT, name, FIELD_REQUIRED, .help = "Name of the SoC; the file is called so, too."),
    ROW(soc_record, "vendor", FIELD_TEXT, vendor, FIELD_REQUIRED, .help = "Who makes it."),
    ROW(soc_record, "description", FIELD_TEXT, description, 0, .help = "One line."),
    ROW(soc_record, "core", FIELD_TEXT, core, FIELD_REQUIRED, .help = "The core, as the compiler calls it."),
    ROW(soc_record, "flags", FIELD_TEXT_LIST, flags, 0, .help = "Compiler flags for the core."),
    ROW(soc_record, "elf_machine", FIELD_CHOICE, elf_machine, 0, .choices = machine_choices, .default_text = "arm", .help = "Machine of the ELF files that are checked."),
    ROW(soc_record, "elf_class", FIELD_CHOICE, elf_class, 0, .choices = class_choices, .default_text = "32", .help = "Address bits of the ELF files that are checked."),
    ROW(soc_record, "minimum_alignment", FIELD_INTEGER, minimum_alignment, FIELD_POWER_OF_TWO, .minimum = 1, .maximum = 4096, .default_text = "1", .help = "Least alignment of a tensor in bytes."),
    ROW(soc_record, "regions", FIELD_RECORDS, regions, FIELD_REQUIRED, .record = &region_schema, .help = "The memories, in the order of all tables."),
    ROW(soc_record, "memory_order", FIELD_TEXT_LIST, memory_order, FIELD_REQUIRED, .help = "Writable data memories that automatic placement may use, preferred ones first."),
    ROW(soc_record, "profiles", FIELD_RECORDS, profiles, FIELD_REQUIRED, .record = &profile_schema, .help = "The linker profiles."),
    ROW(soc_record, "default_profile", FIELD_TEXT, default_profile, FIELD_REQUIRED, .help = "The profile that is used when none is named."),
    ROW(soc_record, "npu", FIELD_TEXT, npu, 0, .help = "The NPU, such as `ethos-u85`."),
    ROW(soc_record, "pmu_max_ops", FIELD_INTEGER, pmu_max_ops, 0, .minimum = 1, .maximum = UINT32_MAX, .help = "Operators whose counters one profiling run can hold."),
    ROW(soc_record, "psram_clocks_hz", FIELD_TEXT_LIST, psram_clocks_hz, 0, .help = "The clocks in Hz that `target.psram.clock_hz` may be."),
    ROW(soc_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources` for `pmu_max_ops` and `psram_clocks_hz`."),
    ROW(soc_record, "emulator", FIELD_TEXT, emulator, 0, .help = "Command that runs an image without hardware."),
    ROW(soc_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know."),
    ROW(soc_record, "sources", FIELD_RECORD_MAP, sources, 0, .record = &source_schema, .help = "Where the numbers come from, by key."),
};
const struct schema soc_schema = {
    "SoC file", "One SoC.", sizeof(struct soc_record), offsetof(struct soc_record, span), soc_fields, COUNT(soc_fields)};

static const struct field psram_fields[] = {
    ROW(psram_record, "length", FIELD_SIZE, length, FIELD_REQUIRED, .help = "Bytes fitted; 0: none."),
    ROW(psram_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources`; needed, as for every number."),
};
static const struct schema psram_schema = {
    "psram", "The PSRAM on the board.", sizeof(struct psram_record), offsetof(struct psram_record, span),
    psram_fields, COUNT(psram_fields)};

static const struct field board_fields[] = {
    ROW(board_record, "schema", FIELD_CHOICE, schema, FIELD_REQUIRED, .choices = board_schema_choices, .help = "The format and its version."),
    ROW(board_record, "board", FIELD_TEXT, name, FIELD_REQUIRED, .help = "Name of the board; the file is called so, too."),
    ROW(board_record, "soc", FIELD_TEXT, soc, FIELD_REQUIRED, .help = "Name of the SoC on it."),
    ROW(board_record, "description", FIELD_TEXT, description, 0, .help = "One line."),
    ROW(board_record, "psram", FIELD_RECORD, psram, 0, .record = &psram_schema, .default_text = "the SoC's", .help = "Overrides the length of the region PSRAM."),
    ROW(board_record, "psram_clocks_hz", FIELD_TEXT_LIST, psram_clocks_hz, 0, .default_text = "the SoC's", .help = "The clocks in Hz that `target.psram.clock_hz` may be."),
    ROW(board_record, "source", FIELD_TEXT_LIST, source, 0, .help = "Keys of `sources` for `psram_clocks_hz`."),
    ROW(board_record, "note", FIELD_TEXT, note, 0, .help = "Anything a reader should know."),
    ROW(board_record, "sources", FIELD_RECORD_MAP, sources, 0, .record = &source_schema, .help = "Where the numbers come from, by key."),
};
const struct schema board_schema = {
    "board file", "One board.", sizeof(struct board_record), offsetof(struct board_record, span), board_fields, COUNT(board_fields)};

/* clang-format on */
