/* What an image's headers must fulfil before anybody computes with them. Plain structs only; no ELF library here. */
#ifndef HELIA_IMAGE_IMAGE_LAYOUT_H
#define HELIA_IMAGE_IMAGE_LAYOUT_H

#include "image/image.h"

/* Section and segment types and flags as the ELF specification numbers them (gABI, chapters 4 and 5). */
enum { IMAGE_SECTION_NULL = 0, IMAGE_SEGMENT_LOAD = 1 };

/* Reports every section and segment that passes the end of the file or of the address space, and an image of which no section
 * takes memory. `file_size` in bytes. */
MUST_CHECK bool image_layout_check(struct diagnostics *diagnostics, const struct image *image, uint64_t file_size);

/* Finds for each file-backed, allocated section the PT_LOAD that covers its file bytes, and with it the load address. Reports a
 * load address that wraps. */
MUST_CHECK bool image_layout_assign_loads(struct diagnostics *diagnostics, struct image *image);

#endif
