/* Measures a linked image against the verified windows and the plan. Rules: two ledgers (run bytes from sections, load bytes from
 * file-backed sections that a PT_LOAD covers) and their union, region by region. */
#ifndef HELIA_CHECK_CHECK_H
#define HELIA_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"
#include "doc/doc.h"
#include "image/image.h"
#include "soc/soc.h"

struct measured_region {
    uint32_t region; /* index into soc.regions */
    const char *name;
    bool has_window;
    uint64_t origin;
    uint64_t capacity;
    uint64_t used;                    /* union of run and load bytes less reserved */
    uint64_t reserved;                /* linker filler for heap: NOBITS, ALLOC, name token "heap" */
    uint64_t free;                    /* capacity - used, 0 if above */
    uint64_t code, rodata, data, bss; /* run bytes by kind; data: initialised, writable */
    uint64_t load_image;              /* load bytes whose run address is elsewhere or here: what the image puts in this region */
    uint64_t largest_free_block;
    uint64_t high_water; /* end of the last used byte, relative to origin */
    uint64_t padding;    /* bytes below high_water that are neither used nor reserved */
};

struct outside_bytes {
    const char *section;
    uint64_t address;
    uint64_t size;
    bool is_load;
};

struct check_finding {
    const char *id; /* a check row's id: "arena-wrong-region" */
    enum diag_level level;
    const char *region; /* NULL: none */
    const char *section;
    const char *symbol;
    const char *message;
    uint64_t need, have; /* bytes; has_need says if they mean anything */
    bool has_need;
};

struct top_symbol {
    uint32_t region;
    const char *symbol;
    uint64_t size;
    const char *source; /* file:line, or NULL */
};

/* An arena as the plan promises it. */
struct planned_arena {
    const char *symbol;
    const char *role;
    const char *memory;
    uint64_t size;
    uint64_t alignment;
    bool is_source;        /* a staged constant's source blob */
    bool nobits;           /* must cost no image bytes */
    bool is_host_uploaded; /* constants that the host writes: in the image, but none of their bytes */
};

/* A region as the plan fills it. */
struct planned_region {
    const char *region;
    uint64_t capacity, used;
};

/* What check needs of a plan, read back from plan JSON or from the section .helia.plan. */
struct planned {
    const char *plan_hash;
    const char *soc;
    const char *profile;
    const char *prefix;
    bool allocate_arenas;
    struct planned_arena *arenas;
    size_t arena_count;
    struct planned_region *regions;
    size_t region_count;
};

struct budget {
    const char *region;
    const char *limit_text; /* "400K" or "80%" */
    struct span span;
};

struct check_request {
    const struct soc *soc;
    const struct linker_profile *profile;
    const struct image *image;
    const struct planned *planned;         /* NULL: no plan known */
    const struct planned *const *embedded; /* from the image, one a prefix */
    size_t embedded_count;
    const char *fresh_hash;   /* of the plan that model and config give now; NULL: no model was named */
    const char *fresh_prefix; /* its prefix */
    const struct budget *budgets;
    size_t budget_count;
    size_t top;
};

struct check_facts;

struct check_result {
    const struct check_request *request;
    const char *view;                /* "measured", or "planned" when the profile's windows are not verified */
    bool packed;                     /* run sizes of packed data (armlink) were taken from symbols */
    struct measured_region *regions; /* every region of the profile, registry order */
    size_t region_count;
    struct {
        struct outside_bytes *items;
        size_t count, capacity;
    } outside;
    struct {
        struct check_finding *items;
        size_t count, capacity;
    } findings;
    struct {
        struct top_symbol *items;
        size_t count, capacity;
    } top;
    bool ok;                         /* no finding of level error */
    struct check_finding unkept;     /* takes what is set in findings that are not listed */
    const struct check_facts *facts; /* what measuring found, for the rows; nobody else looks inside */
};

/* One check: a const row. Measuring comes first and is not switchable. */
struct check_row {
    const char *id;
    const char *title;
    enum diag_level level;
    bool needs_plan;
    void (*run)(const struct check_request *request, struct arena *arena, struct check_result *result);
};
extern const struct check_row check_rows[];
extern const size_t check_row_count;

/* Findings of one id beyond this many are counted in one closing finding and not listed. */
#define CHECK_FINDINGS_PER_ID 50
/* Largest `top` that is honoured. */
#define CHECK_TOP_LIMIT 1000
/* Most arenas and regions of a plan that check reads. */
#define PLANNED_LIST_LIMIT 256

/* Decodes plan JSON (schema helia-placement/plan/1) into what check needs. */
MUST_CHECK bool planned_decode(struct arena *arena, struct diagnostics *diagnostics, const struct node *root,
                               struct planned **planned);
/* Decodes the section .helia.plan: one or more plan JSON texts, each ended by NUL (padding NULs are skipped). */
MUST_CHECK bool planned_from_image(struct arena *arena, struct diagnostics *diagnostics, const struct image *image,
                                   const struct planned *const **embedded, size_t *count);

/* Measures and runs every row. False only if the request itself is wrong (a budget that cannot be read, an unknown region in it);
 * what is wrong with the image is in result->findings. The result points into the request. */
MUST_CHECK bool check_run(struct arena *arena, struct diagnostics *diagnostics, const struct check_request *request,
                          struct check_result *result);

#endif
