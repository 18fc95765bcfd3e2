/* Memory planners built outside HeliaPlacement: the C interface, version 1.
 *
 * A planner is a shared object that exports one function, helia_placement_planner(), which returns a descriptor: a name, a
 * sentence, the options, and a pure function `solve` from a problem to a layout. It is loaded with
 *
 *     helia-placement plan --planner-plugin ./my_planner.so --planner my_planner ...
 *
 * or named in the environment variable HELIA_PLACEMENT_PLANNERS (files, separated by ':'), and chosen by its name, as the
 * planners that are built in are: on the command line or as `memory.planner` in the config file. This header needs no other of
 * the project and a planner is linked with nothing of it.
 *
 * Units       Sizes, offsets, limits and alignments are bytes. Times are operator indices; a life includes both ends.
 * Ownership   Everything that the host hands over is the host's and is gone when `solve` returns; the problem must not be
 *             written to. The descriptor and all that it points to are the planner's and stay as they are while it is loaded.
 * Memory      host->allocate() gives zeroed memory that nobody frees: the host takes it back after `solve`. A planner may use
 *             malloc() as well, and then frees what it took.
 * Errors      `solve` returns HELIA_PLANNER_DONE, or another value with a sentence in result->message. A problem that does not
 * fit is no error: every item gets a slot, at the offset where it would lie without limits. Purity      The same problem and the
 * same options give the same layout, on any host: no clock, no random numbers that are not seeded by an option, no environment,
 * no files, no order that depends on addresses. A search is limited by a count of steps, not by time. Builds depend on this: the
 * plan is an input of the link. Threads     `solve` is called once, on one thread. It may start threads, which must have ended
 * when it returns. Trust       The host judges every layout before it uses it: each item in a memory that it may lie in, aligned,
 * within 2^58 bytes, no two items that are alive together sharing a byte. It runs the planner in a process of its own, so a crash
 * is reported and takes nothing along; but a planner is code that runs with its user's rights, and the host does not stop a
 *             search that never ends. What a planner prints goes to the standard error.
 *
 * Later versions of the interface have another number. Within a version, structs may grow at their end; `struct_size`, which the
 * side that made the struct fills in, says how much of it is there. Arrays' elements do not grow. */
#ifndef HELIA_PLACEMENT_PLANNER_H
#define HELIA_PLACEMENT_PLANNER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HELIA_PLANNER_ABI_VERSION 1u

/* An item that may lie in any memory of the preferred order; a null option; an item that has no slot yet. */
#define HELIA_PLANNER_ANY_MEMORY UINT32_MAX
#define HELIA_PLANNER_NULL       UINT64_MAX
#define HELIA_PLANNER_NO_SLOT    UINT32_MAX

/* ---- the problem ---- */

/* One scratch tensor, or several that share a slot. Items come in an order that is the same on every host. 32 bytes. */
struct helia_planner_item {
    uint64_t size;      /* may be 0 */
    uint64_t alignment; /* of its slot, a power of two, at least 1; the memory may ask for more */
    uint32_t start;     /* first operator of its life, included */
    uint32_t end;       /* last operator of its life, included; start <= end < step_count */
    uint32_t memory;    /* index of the memory that it must lie in, or HELIA_PLANNER_ANY_MEMORY */
    uint32_t reserved;  /* 0 */
};

/* 16 bytes. */
struct helia_planner_memory {
    uint64_t limit;     /* bytes that are left for scratch; what ends above does not fit */
    uint64_t alignment; /* every slot in this memory is aligned to at least this, a power of two */
};

struct helia_planner_problem {
    uint32_t struct_size;
    uint32_t step_count; /* operators */
    uint32_t item_count;
    uint32_t memory_count;
    uint32_t order_count;
    uint32_t reserved; /* 0 */
    const struct helia_planner_item *items;
    const struct helia_planner_memory *memories;
    const uint32_t *order; /* memories that unpinned items may lie in, the preferred one first */
    uint64_t lower_bound;  /* no layout's high-water marks, summed over the memories, are below this: a search may stop there */
};

/* ---- the layout ---- */

/* 16 bytes. */
struct helia_planner_slot {
    uint64_t offset;   /* from the start of the memory's scratch arena; a multiple of the item's and of the memory's alignment */
    uint32_t memory;   /* the item's own if it has one, else one of the order; HELIA_PLANNER_NO_SLOT at first */
    uint32_t reserved; /* ignored */
};

#define HELIA_PLANNER_MESSAGE_SIZE 256

/* Made by the host; the planner fills what stands behind struct_size. */
struct helia_planner_result {
    uint32_t struct_size;
    uint32_t reserved;                /* 0 */
    struct helia_planner_slot *slots; /* item_count of them, by item */
    uint64_t attempts;                /* for reports, at most INT64_MAX: layouts that were tried, 0 if that means nothing here */
    uint64_t improvements;            /* the same: those that were better than all before */
    char message[HELIA_PLANNER_MESSAGE_SIZE]; /* why it failed: one line, UTF-8, NUL-terminated; "" if it has not */
};

/* ---- the host ---- */

struct helia_planner_host {
    uint32_t struct_size;
    uint32_t abi_version; /* HELIA_PLANNER_ABI_VERSION of the host */
    void *context;        /* the host's own */
    /* `size` zeroed bytes, aligned for any object; NULL if there are none. */
    void *(*allocate)(const struct helia_planner_host *host, uint64_t size);
};

/* ---- the planner ---- */

enum { HELIA_PLANNER_OPTION_INTEGER = 0, HELIA_PLANNER_OPTION_BOOL = 1 };

/* Names are C identifiers of at most 63 characters, sentences UTF-8 of at most 255 bytes. */
struct helia_planner_option {
    const char *key;        /* as in memory.planner_options and --planner-option; no two alike */
    const char *help;       /* one sentence */
    uint32_t kind;          /* HELIA_PLANNER_OPTION_... */
    uint32_t nullable;      /* 1: null is allowed as well and reads as HELIA_PLANNER_NULL; integers only */
    uint64_t minimum;       /* integers: the range, both ends included, */
    uint64_t maximum;       /* 1 to INT64_MAX; bools: both 0 */
    uint64_t default_value; /* in the range, or HELIA_PLANNER_NULL if nullable; bools: 0 or 1 */
};
#define HELIA_PLANNER_OPTIONS_MAXIMUM 8

enum { HELIA_PLANNER_DONE = 0, HELIA_PLANNER_FAILED = 1, HELIA_PLANNER_OUT_OF_MEMORY = 2 };

/* The first two members stand where they are in every version. */
struct helia_planner {
    uint32_t abi_version;  /* HELIA_PLANNER_ABI_VERSION */
    uint32_t struct_size;  /* sizeof(struct helia_planner) */
    const char *name;      /* a C identifier that no built-in planner has; "all" is taken */
    const char *summary;   /* one sentence */
    uint32_t experimental; /* 1: shown as such wherever the planner is named */
    uint32_t option_count; /* at most HELIA_PLANNER_OPTIONS_MAXIMUM */
    const struct helia_planner_option *options;
    /* Gives every item a slot. `options` holds one value for each option, in their order; never NULL. */
    int32_t (*solve)(const struct helia_planner_host *host, const struct helia_planner_problem *problem, const uint64_t *options,
                     struct helia_planner_result *result);
};

/* What the shared object exports. Returns a descriptor of the version that is asked for, or NULL if it has none. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct helia_planner *
helia_placement_planner(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif
