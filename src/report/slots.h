/* The slots of a plan as its reports look at them: tensors that share one are one owner of its bytes. */
#ifndef HELIA_REPORT_SLOTS_H
#define HELIA_REPORT_SLOTS_H

#include "plan/plan.h"

struct owned_slot {
    uint32_t allocation;       /* index into plan.allocations of the root, the tensor whose slot it is */
    uint64_t offset;           /* in its arena, bytes */
    uint64_t size;             /* largest of the tensors in it */
    uint64_t alignment;        /* what they ask for together, without the memory's floor */
    uint32_t start_op, end_op; /* all their lives together, both ends included */
};

struct slot_table {
    struct owned_slot *items; /* by arena id, then offset, then position in the model */
    size_t count;
    size_t *first;                 /* arena a has the items first[a] up to first[a + 1] */
    const uint32_t *root;          /* by allocation: the allocation whose slot it uses */
    const uint32_t *arena;         /* by allocation: arena id, or UINT32_MAX */
    const uint32_t *by_root;       /* allocations, those of one slot together, in model order */
    const uint32_t *by_root_first; /* a root r has by_root[by_root_first[r]] up to by_root_first[r + 1] */
};

/* O(n log n). Everything comes from `arena`. */
struct slot_table slots_of_plan(const struct memory_plan *plan, struct arena *arena);

/* Index of the arena with this role in this memory, or UINT32_MAX. */
uint32_t plan_find_arena(const struct memory_plan *plan, enum tensor_role role, uint32_t memory);

/* ---- how much is alive at once ---- */

struct life {
    uint64_t size;
    uint32_t start_op, end_op; /* both included */
};
struct live_peak {
    uint64_t bytes;
    uint32_t op; /* the first operator at which so much is alive; 0 if nothing is */
};
/* The largest sum of sizes at one operator; O(n log n), whatever the operators' numbers are. */
struct live_peak live_peak_find(const struct life *lives, size_t count, struct arena *arena);

#endif
