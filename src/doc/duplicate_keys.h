/* Finding keys that a mapping holds twice. */
#ifndef HELIA_DOC_DUPLICATE_KEYS_H
#define HELIA_DOC_DUPLICATE_KEYS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "doc/doc.h"

/* Reports every key that was written before in the same mapping, with a note at the first one; false if there is any.
 * Keys whose text is NULL are left out. Takes O(n log n) steps whatever the keys are; gives all of `scratch` back. */
MUST_CHECK bool check_duplicate_keys(struct arena *scratch, struct diagnostics *diagnostics, const struct node *mapping);

#endif
