/* What the importers share when they make a model. */
#ifndef HELIA_MODEL_MODEL_BUILD_H
#define HELIA_MODEL_MODEL_BUILD_H

#include "model/model.h"

/* Bytes of a shape, packed elements rounded up to whole bytes; no dimensions: one element. False if a dimension is negative or
 * the size is above SIZE_LIMIT. `type->bits` is not 0. */
MUST_CHECK bool model_shape_bytes(const struct element_type *type, const int32_t *shape, uint32_t rank, uint64_t *bytes);

/* The last step of every importer: reports a sum of sizes above SIZE_LIMIT, and sets weight_bytes. `arena` is rewound. */
MUST_CHECK bool model_complete(struct arena *arena, struct diagnostics *diagnostics, struct model *model);

MUST_CHECK bool tflite_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                              uint32_t source, struct model *model);
MUST_CHECK bool tensor_list_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                                   uint32_t source, struct model *model);
MUST_CHECK bool lifetime_csv_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                                    uint32_t source, struct model *model);

#endif
