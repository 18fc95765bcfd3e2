/* From what an interpreter used of its arena to the arena_size that should be asked for. */
#ifndef HELIA_REPORT_TIGHTEN_H
#define HELIA_REPORT_TIGHTEN_H

#include "base/text.h"
#include "plan/plan.h"

/* An arena_size is a multiple of this, so that the line to write can be read, and the headroom is never less than was asked for.
 */
#define TIGHTEN_GRANULE          UINT64_C(1024)
#define TIGHTEN_DEFAULT_HEADROOM "15%"

struct tightening {
    uint64_t allocated;        /* as reported, bytes */
    uint64_t headroom;         /* bytes on top of it, before rounding */
    const char *headroom_text; /* as asked for: "15%" */
    uint64_t arena_size;       /* the answer */
    const char *key;           /* where it is written: "model.arena_size" */
    uint64_t present;          /* arena_size so far */
    const char *present_where; /* "placement.yaml:3", "default" */
    uint64_t network_peak;     /* the model's own activations alive at one operator */
    const struct memory_plan *now, *then;
};

/* allocated + headroom, rounded up to TIGHTEN_GRANULE. `headroom` reads "15%" (of allocated) or a size. False: it cannot be read,
 * or the sum passes SIZE_LIMIT; nothing is reported. */
MUST_CHECK bool tighten_size(uint64_t allocated, const char *headroom, uint64_t *headroom_bytes, uint64_t *arena_size);

void report_tightening_text(const struct tightening *tightening, struct text *out);
void report_tightening_json(const struct tightening *tightening, struct text *out); /* helia-placement/tighten/1 */

#endif
