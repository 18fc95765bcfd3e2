/* Section names that the profile's own linker script collects, for --sections native (decision 20): then no script changes. */
#ifndef HELIA_EMIT_NATIVE_H
#define HELIA_EMIT_NATIVE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "emit/emit.h"
#include "emit/view.h"

/* The name for what is of this kind; "": the default section, which needs no name; NULL: the script collects nothing for it. */
const char *native_section(const struct emit_memory *memory, enum section_kind kind);

/* The memory whose code section takes what is meant for an ITCM, on a SoC with one TCM for code and data; NULL: there is none. */
const struct emit_memory *native_code_tcm(const struct emit_view *view);

/* False, with one finding each, if the script has no section for an arena of the plan. */
MUST_CHECK bool native_check(const struct emit_request *request, struct arena *scratch, struct diagnostics *diagnostics);

#endif
