/* Build artifacts from a plan: linker fragments, header, C, assembler, blobs, JSON, Make and CMake variables, depfile.
 *
 * Every writer fills a text; emit_all() makes the list of files; the cli writes them (write-if-changed). One language a file. */
#ifndef HELIA_EMIT_EMIT_H
#define HELIA_EMIT_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "base/file.h"
#include "base/text.h"
#include "diag/diag.h"
#include "plan/plan.h"

/* Which linker the flags of the Make and CMake files ask the compiler driver for. The scripts serve both. */
enum linker_choice { FLAGS_FOR_ANY, FLAGS_FOR_GNU, FLAGS_FOR_LLD };
enum section_names { SECTIONS_OWN, SECTIONS_NATIVE };

struct emit_request {
    const struct memory_plan *plan;
    const struct diagnostics *diagnostics; /* to name spans in comments */
    enum linker_choice linker;
    enum section_names sections;
    const char *tool_version;
};

/* A file of the output folder: name without folder, and its bytes. */
struct artifact {
    const char *name;
    const char *kind; /* "memory-ld", "sections-ld", "checks-ld", "insert-ld", "full-ld", "header", "source", "constants",
                         "plan", "residency", "make", "cmake": what --only names */
    const void *data;
    size_t size;
};
struct artifact_list {
    struct artifact *items;
    size_t count, capacity;
};

/* All artifacts of contract section 4 for this plan, in a fixed order. */
MUST_CHECK bool emit_all(struct arena *arena, struct diagnostics *diagnostics, const struct emit_request *request,
                         struct artifact_list *artifacts);

/* The writers, one a language. */
void emit_memory_ld(const struct emit_request *request, struct text *out);
void emit_sections_ld(const struct emit_request *request, struct text *out);
void emit_checks_ld(const struct emit_request *request, struct text *out);
void emit_insert_ld(const struct emit_request *request, struct text *out);
void emit_full_ld(const struct emit_request *request, struct text *out);
void emit_header(const struct emit_request *request, struct text *out);
void emit_source(const struct emit_request *request, struct text *out);
void emit_constants_assembly(const struct emit_request *request, struct text *out);
void emit_make(const struct emit_request *request, const struct artifact_list *artifacts, struct text *out);
void emit_cmake(const struct emit_request *request, const struct artifact_list *artifacts, struct text *out);

/* "target: dep dep" in Make's quoting; dependencies in the given order. */
void emit_depfile(const char *target, const char *const *dependencies, size_t count, struct text *out);

#endif
