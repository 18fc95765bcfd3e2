/* What measuring finds once, for all rows of the check table. */
#ifndef HELIA_CHECK_FACTS_H
#define HELIA_CHECK_FACTS_H

#include "check/byte_range.h"
#include "check/check.h"
#include "check/ledger.h"

#define ROW_NONE UINT32_MAX

/* Where a ledger entry came to lie. */
struct placement {
    uint32_t entry;  /* index into ledger.entries */
    uint32_t region; /* of its first byte: index into soc.regions, or REGION_NONE */
    uint32_t row;    /* of its first byte: index into result.regions, or ROW_NONE if that lies in no window */
    uint64_t start;  /* canonical: aliases folded */
    bool straddles;  /* starts in the window and passes its end */
    uint64_t spill;  /* bytes past the window's end; 0 unless it starts in the window or above it in the same region */
};

/* A planned arena in the image. */
struct located_arena {
    const struct planned *plan;
    const struct planned_arena *arena;
    size_t matches;                    /* defined symbols of its name */
    const struct image_symbol *symbol; /* the first; NULL if none */
    uint32_t wanted;                   /* region index; REGION_NONE: the SoC has no such memory */
    uint32_t region;                   /* region index of the symbol; REGION_NONE: unmapped */
    uint64_t start;                    /* canonical */
};

struct check_facts {
    struct ledger ledger;
    struct placement *placements; /* one a ledger entry */
    uint32_t *row_of_region;      /* by region index; ROW_NONE: no row */
    const struct planned **plans; /* that hold for this image: the given one, and embedded ones of other prefixes */
    size_t plan_count;
    struct located_arena *arenas; /* in plan order; those that the caller brings are left out */
    size_t arena_count;
};

/* Fills result->regions, result->outside and result->facts; sets result->view. */
void measure(const struct check_request *request, struct arena *arena, struct check_result *result);

/* Plans that hold for the image, and where their arenas are. */
void locate_arenas(const struct check_request *request, struct arena *arena, struct check_facts *facts);

/* Fills result->top. */
void measure_top(const struct check_request *request, struct arena *arena, struct check_result *result);

/* True if canonical [start, start + size) lies in the row's window. */
bool row_holds(const struct measured_region *row, uint64_t start, uint64_t size);

/* The name of the memory at an address, for messages: "DTCM" or "an unmapped region". */
const char *place_name(const struct soc *soc, uint32_t region);

/* One finding of a row: level by its id. NULL-able members are set by the caller. */
struct check_finding *finding_add(struct arena *arena, struct check_result *result, const char *id, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* The rows' functions. */
#define CHECK_FUNCTION(name) void name(const struct check_request *request, struct arena *arena, struct check_result *result)
CHECK_FUNCTION(check_elf_class);
CHECK_FUNCTION(check_elf_machine);
CHECK_FUNCTION(check_image_stripped);
CHECK_FUNCTION(check_packed_unknown);
CHECK_FUNCTION(check_windows_unverified);
CHECK_FUNCTION(check_plan_unknown);
CHECK_FUNCTION(check_plan_mismatch);
CHECK_FUNCTION(check_plan_stale);
CHECK_FUNCTION(check_plan_not_embedded);
CHECK_FUNCTION(check_region_overflow);
CHECK_FUNCTION(check_section_straddles);
CHECK_FUNCTION(check_outside_window);
CHECK_FUNCTION(check_section_overlap);
CHECK_FUNCTION(check_load_overlap);
CHECK_FUNCTION(check_load_outside_image);
CHECK_FUNCTION(check_load_misaligned);
CHECK_FUNCTION(check_section_wrong_region);
CHECK_FUNCTION(check_writable_code);
CHECK_FUNCTION(check_arena_missing);
CHECK_FUNCTION(check_arena_not_unique);
CHECK_FUNCTION(check_arena_wrong_region);
CHECK_FUNCTION(check_arena_wrong_size);
CHECK_FUNCTION(check_arena_misaligned);
CHECK_FUNCTION(check_arena_costs_flash);
CHECK_FUNCTION(check_arena_not_loaded);
CHECK_FUNCTION(check_arena_shared);
CHECK_FUNCTION(check_over_budget);

/* The limit of a budget in bytes; false if it cannot be read. */
MUST_CHECK bool budget_limit(const struct budget *budget, uint64_t capacity, uint64_t *bytes);

#endif
