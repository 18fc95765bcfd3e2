/* What an image's headers must fulfil before anybody computes with them. Plain structs only; no ELF library here. */
#ifndef HELIA_IMAGE_IMAGE_LAYOUT_H
#define HELIA_IMAGE_IMAGE_LAYOUT_H

#include "image/image.h"

/* Reports every section and segment that passes the end of the file or of the address space, an image of which no section takes
 * memory, and one with more than IMAGE_LOADS_LIMIT loadable segments. `file_size` in bytes. */
MUST_CHECK bool image_layout_check(struct diagnostics *diagnostics, const struct image *image, uint64_t file_size);

/* Finds for each file-backed, allocated section the PT_LOAD that covers its file bytes, and with it the load address. Reports a
 * load address that wraps. */
MUST_CHECK bool image_layout_assign_loads(struct diagnostics *diagnostics, struct image *image);

#endif
