/* What the generated header declares and the generated C file defines. */
#ifndef HELIA_EMIT_HEADER_H
#define HELIA_EMIT_HEADER_H

#include <stdbool.h>

#include "base/arena.h"
#include "emit/emit.h"
#include "emit/view.h"

/* False, with one finding a pair, if two tensors' ids make the same C name. */
MUST_CHECK bool header_check_tensor_names(const struct emit_request *request, struct arena *scratch,
                                          struct diagnostics *diagnostics);

/* False: the caller lends the buffer, or the arena is empty. */
bool arena_has_array(const struct emit_view *view, const struct arena_usage *arena);
/* True for constants that are read in place in memory that cannot be written. */
bool arena_is_const(const struct emit_view *view, const struct arena_usage *arena);

#endif
