/* The two ledgers of an image: which bytes its sections hold while the program runs, and which bytes the image puts into memory
 * before that. Addresses as the image states them; regions come later.
 *
 * Run bytes: every allocated section at its address, in a PT_LOAD or not; zeroed thread-local data (.tbss) has no bytes of its
 * own. Load bytes: file-backed allocated sections that a PT_LOAD covers, at their load address; never NOBITS. */
#ifndef HELIA_CHECK_LEDGER_H
#define HELIA_CHECK_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "image/image.h"

enum ledger_kind {
    LEDGER_CODE,
    LEDGER_RODATA,
    LEDGER_DATA,     /* initialised, writable */
    LEDGER_BSS,      /* NOBITS */
    LEDGER_RESERVED, /* linker filler for heap: NOBITS with a name token "heap" */
    LEDGER_KIND_COUNT
};

struct ledger_entry {
    uint32_t section;
    enum ledger_kind kind;
    bool is_load;
    uint64_t address;
    uint64_t size; /* not 0 */
};

enum ledger_packing {
    LEDGER_NOT_PACKED,
    LEDGER_PACKED,        /* armlink's packed data, run sizes taken from symbols */
    LEDGER_PACKED_UNKNOWN /* packed, and no symbols that tell the run sizes */
};

struct ledger {
    struct {
        struct ledger_entry *items;
        size_t count, capacity;
    } entries; /* in section order, a section's run entry before its load entry */
    enum ledger_packing packing;
};

/* armlink may keep initialised data packed in flash: then a section's size in the table is the packed one, and its run size is
 * told by the end of its last symbol and, as a sum over all sections, by p_memsz. */
void ledger_collect(struct arena *arena, const struct image *image, struct ledger *ledger);

/* True if a section is linker filler for heap by its type and name. */
bool ledger_is_reserved(const struct image_section *section);

#endif
