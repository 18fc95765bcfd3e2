/* What all writers of this room see of a plan: the SoC's memories with their names in every spelling, and which output sections
 * each one has. Made anew by every writer from the request; holds nothing of its own. */
#ifndef HELIA_EMIT_VIEW_H
#define HELIA_EMIT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "emit/emit.h"

/* Kinds of output sections, in the order in which they stand in a memory. Zeroed bytes come first, so that an otherwise empty
 * memory holds its arenas in the plan's order: persistent, constant, scratch. */
enum section_kind { KIND_CODE, KIND_BSS, KIND_RODATA, KIND_DATA, KIND_NOINIT, KIND_ARENA, KIND_COUNT };

struct section_kind_row {
    const char *name;  /* ".hp.<prefix>.<name>.<memory>" */
    bool has_no_bytes; /* NOBITS: NOLOAD, its load address is its own */
    bool is_copied;    /* in RAM: from its load image at start */
    bool is_zeroed;    /* in RAM: at start */
};
extern const struct section_kind_row section_kinds[KIND_COUNT];

struct emit_memory {
    const struct region *region;
    const struct window *window;          /* NULL: no linker script of the profile names this memory */
    const struct native_sections *native; /* NULL: the profile's script collects no names for it */
    const char *name;                     /* "DTCM" */
    const char *lower;                    /* "dtcm" */
    const char *linker_name;              /* region in linker scripts: the window's, else the memory's own name */
    uint64_t origin, length;              /* what the plan may use */
    uint32_t problem_memory;              /* index into problem.memories or UINT32_MAX */
    bool is_writable;
    bool is_executable;
    bool is_planned; /* the plan puts something here */
    bool is_linked;  /* has output sections: a window, or a plan or a constraint that asks for one */
};

struct emit_view {
    const struct emit_request *request;
    const struct memory_plan *plan;
    const struct problem *problem;
    struct arena *arena;
    const char *prefix;           /* "kws" */
    const char *upper;            /* "KWS" */
    struct emit_memory *memories; /* in registry order */
    size_t memory_count;
    const struct emit_memory *image;   /* load images and tables */
    const struct emit_memory *program; /* vectors and code of a flat script */
    const struct emit_memory *data;
    const struct emit_memory *stack;
};

struct emit_view emit_view_make(const struct emit_request *request, struct arena *arena);

bool memory_has_section(const struct emit_memory *memory, enum section_kind kind);
/* True if the section's bytes come from a load image in another memory. */
bool section_is_copied(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind);
/* ".hp.kws.bss.dtcm" */
const char *output_section_name(const struct emit_view *view, const struct emit_memory *memory, enum section_kind kind);

/* The view's memory of an index into problem.memories. */
const struct emit_memory *view_memory(const struct emit_view *view, uint32_t problem_memory);

/* True for constants that are read where their bytes stand, and whose bytes the image brings. */
bool arena_is_cold(const struct emit_view *view, const struct arena_usage *arena);

/* Where an arena, or the source of a staged one, stands: memory, kind of output section and input section. */
struct arena_place {
    const struct emit_memory *memory;
    enum section_kind kind;
    const char *section; /* ".bss.hp_arena.kws.scratch.dtcm"; a name of the profile's script, NULL if it has none: native.h */
};
struct arena_place arena_place(const struct emit_view *view, const struct arena_usage *arena);
struct arena_place arena_source_place(const struct emit_view *view, const struct arena_usage *arena);

/* "SCRATCH_DTCM" */
const char *arena_upper_name(const struct emit_view *view, const struct arena_usage *arena);
/* "kws_constants_dtcm.bin" */
const char *arena_blob_name(const struct emit_view *view, const struct arena_usage *arena);
/* The arena that holds a binding; NULL if there is none. */
const struct arena_usage *arena_of_binding(const struct memory_plan *plan, const struct tensor_binding *binding);

/* "placement.yaml:14": the rule that put the first tensor into the arena, "" if none did. Never a folder: the place must read the
 * same wherever the project stands. */
const char *arena_rule_place(const struct emit_view *view, const struct arena_usage *arena);
const char *span_place(const struct emit_view *view, struct span span);

/* "-fuse-ld=lld", "-fuse-ld=bfd", or "" where any linker will do. */
const char *linker_flag(const struct emit_request *request);

/* The comment that opens every generated file, without comment marks, one line. */
void emit_banner(const struct emit_view *view, struct text *out);
/* The same as a block comment with a line end. */
void emit_banner_comment(const struct emit_view *view, struct text *out);

#endif
