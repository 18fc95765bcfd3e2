/* The sidecar that ExecuTorch's exporter writes beside a program (schema nsx-executorch.pte-manifest/1). */
#ifndef HELIA_PLACEMENT_MANIFEST_H
#define HELIA_PLACEMENT_MANIFEST_H

#include "placement/placement.h"

/* Takes planned_arena_size from the manifest where neither that key nor model.arena_size is set (ETX-006). */
MUST_CHECK bool manifest_apply(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                               struct config *config);

#endif
