/* What the schema tables of registry files decode into: one struct a mapping of the file, still with names instead of indices.
 * Only this room reads these. */
#ifndef HELIA_SOC_SOC_RECORD_H
#define HELIA_SOC_SOC_RECORD_H

#include "schema/schema.h"

struct source_record {
    struct text_value key; /* first: the name in the mapping `sources` */
    struct text_value repository;
    struct text_value path;
    struct text_value commit;
    struct text_value note;
    struct span span;
};

struct alias_record {
    struct text_value name;
    struct size_value origin;
    struct text_list source;
    struct span span;
};

struct carve_out_record {
    struct text_value name;
    struct size_value origin;
    struct size_value length;
    struct text_list profiles;
    struct text_list source;
    struct span span;
};

struct region_record {
    struct text_value name;
    struct choice_value tier;
    struct size_value origin;
    struct size_value length;
    struct text_value access;
    struct bool_value data;
    struct bool_value holds_image;
    struct bool_value needs_power;
    struct bool_value npu_access;
    struct size_value minimum_alignment;
    struct record_list aliases;    /* struct alias_record */
    struct record_list carve_outs; /* struct carve_out_record */
    struct text_list source;
    struct text_value note;
    struct text_list conflict;
    struct span span;
};

struct window_record {
    struct text_value region;
    struct size_value origin;
    struct size_value length;
    struct text_value linker_name;
    struct text_list source;
    struct text_value note;
    struct text_list conflict;
    struct span span;
};

struct native_record {
    struct text_value region;
    struct text_value bss;
    struct text_value data;
    struct text_value code;
    struct text_value rodata;
    struct span span;
};

struct profile_record {
    struct text_value name;
    struct bool_value verified;
    struct record_list windows; /* struct window_record */
    struct text_value code;
    struct text_value data;
    struct text_value stack;
    struct text_value image;
    struct record_list native; /* struct native_record */
    struct text_value note;
    struct text_list conflict;
    struct span span;
};

struct soc_record {
    struct choice_value schema;
    struct text_value name;
    struct text_value vendor;
    struct text_value description;
    struct text_value core;
    struct text_list flags;
    struct choice_value elf_machine;
    struct choice_value elf_class;
    struct size_value minimum_alignment;
    struct record_list regions; /* struct region_record */
    struct text_list memory_order;
    struct record_list profiles; /* struct profile_record */
    struct text_value default_profile;
    struct text_value npu;
    struct size_value pmu_max_ops;
    struct text_list psram_clocks_hz;
    struct text_list source;
    struct text_value emulator;
    struct text_value note;
    struct record_list sources; /* struct source_record */
    struct span span;
};

struct psram_record {
    struct size_value length;
    struct text_list source;
    struct span span;
};

struct board_record {
    struct choice_value schema;
    struct text_value name;
    struct text_value soc;
    struct text_value description;
    struct psram_record psram;
    struct text_list psram_clocks_hz;
    struct text_list source;
    struct text_value note;
    struct record_list sources; /* struct source_record */
    struct span span;
};

/* The words of `elf_machine`, by the choice's value. */
extern const char *const elf_machine_names[];

#endif
