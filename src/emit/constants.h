/* The bytes of constant arenas. */
#ifndef HELIA_EMIT_CONSTANTS_H
#define HELIA_EMIT_CONSTANTS_H

#include "base/file.h"
#include "emit/view.h"

/* True if the arena has constant bytes, for the image or for the host to upload. */
bool arena_has_blob(const struct arena_usage *arena);

/* Every constant of the arena at its offset; gaps, and constants without bytes, are zero. In the view's arena. */
struct bytes constant_blob_make(const struct emit_view *view, const struct arena_usage *arena);

/* False, reported, if a constant's bytes lie outside the model file or outside its slot. */
MUST_CHECK bool constants_check(const struct memory_plan *plan, struct diagnostics *diagnostics);

#endif
