#include "placement/manifest.h"

#include "base/size.h"
#include "base/text.h"
#include "doc/doc.h"

#define MANIFEST_SCHEMA "nsx-executorch.pte-manifest/1"

bool manifest_apply(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                    struct config *config)
{
    const struct node *root;
    if (!doc_read(arena, diagnostics, path, span, &root)) {
        return false;
    }
    const struct node *schema = node_get(root, "schema");
    if (schema == NULL || schema->kind != NODE_SCALAR || !text_equal(schema->text, MANIFEST_SCHEMA)) {
        diag_report(diagnostics, DIAG_MANIFEST, schema != NULL ? schema->span : root->span, "expected schema: " MANIFEST_SCHEMA);
        return false;
    }
    const struct node *planned = node_get(root, "planned_arena_size");
    if (planned == NULL || config->engine.config.planned_arena_size.set || config->model.arena_size.set) {
        return true;
    }
    uint64_t bytes;
    if (planned->kind != NODE_SCALAR || !size_parse(planned->text, &bytes) || bytes == 0 || bytes > SIZE_LIMIT) {
        diag_report(diagnostics, DIAG_MANIFEST, planned->span, "'planned_arena_size' must be a number of bytes above 0");
        return false;
    }
    config->engine.config.planned_arena_size = (struct size_value){.value = bytes, .span = planned->span, .set = true};
    return true;
}
