#include "report/slots.h"

#include "base/size.h"
#include "base/sort.h"

uint32_t plan_find_arena(const struct memory_plan *plan, enum tensor_role role, uint32_t memory)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        if (plan->arenas[i].role == role && plan->arenas[i].memory == memory) {
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

static uint32_t root_of(const struct memory_plan *plan, uint32_t allocation)
{
    const uint32_t alias_of = plan->allocations[allocation].alias_of;
    return alias_of == UINT32_MAX ? allocation : alias_of;
}

/* An arena for each pair of role and memory, found once and not once a tensor. */
static const uint32_t *find_arenas(const struct memory_plan *plan, struct arena *arena)
{
    const size_t memory_count = plan->problem->memory_count;
    uint32_t *found = ARENA_ARRAY(arena, uint32_t, ROLE_COUNT * memory_count);
    for (uint32_t role = 0; role < ROLE_COUNT; role++) {
        for (uint32_t m = 0; m < memory_count; m++) {
            found[role * memory_count + m] = plan_find_arena(plan, (enum tensor_role)role, m);
        }
    }
    uint32_t *arenas = ARENA_ARRAY(arena, uint32_t, plan->allocation_count);
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_binding *binding = &plan->allocations[i].binding;
        arenas[i] = binding->memory < memory_count ? found[binding->role * memory_count + binding->memory] : UINT32_MAX;
    }
    return arenas;
}

/* Lists the tensors of each slot one behind the other: counted, then filled in model order. */
static void list_by_root(const struct memory_plan *plan, struct arena *arena, struct slot_table *table)
{
    const size_t count = plan->allocation_count;
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *fill = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *list = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        first[table->root[i] + 1]++;
    }
    for (size_t i = 0; i < count; i++) {
        first[i + 1] += first[i];
        fill[i] = first[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        list[fill[table->root[i]]++] = i;
    }
    table->by_root = list;
    table->by_root_first = first;
}

static struct owned_slot slot_of(const struct memory_plan *plan, const struct slot_table *table, uint32_t root)
{
    const struct tensor_allocation *own = &plan->allocations[root];
    struct owned_slot slot = {
        .allocation = root, .offset = own->binding.offset, .alignment = 1, .start_op = own->start_op, .end_op = own->end_op};
    for (uint32_t i = table->by_root_first[root]; i < table->by_root_first[root + 1]; i++) {
        const struct tensor_allocation *member = &plan->allocations[table->by_root[i]];
        slot.size = size_max(slot.size, member->size);
        slot.alignment = size_max(slot.alignment, plan->problem->requests[member->request].alignment);
        slot.start_op = member->start_op < slot.start_op ? member->start_op : slot.start_op;
        slot.end_op = member->end_op > slot.end_op ? member->end_op : slot.end_op;
    }
    return slot;
}

static int compare_slots(const void *a, const void *b, const void *context)
{
    const struct slot_table *table = context;
    const struct owned_slot *left = a;
    const struct owned_slot *right = b;
    const uint32_t left_arena = table->arena[left->allocation];
    const uint32_t right_arena = table->arena[right->allocation];
    return left_arena != right_arena ? SORT_BY(left_arena, right_arena) : SORT_BY(left->offset, right->offset);
}

struct slot_table slots_of_plan(const struct memory_plan *plan, struct arena *arena)
{
    uint32_t *roots = ARENA_ARRAY(arena, uint32_t, plan->allocation_count);
    struct slot_table table = {
        .items = ARENA_ARRAY(arena, struct owned_slot, plan->allocation_count),
        .first = ARENA_ARRAY(arena, size_t, plan->arena_count + 1),
        .arena = find_arenas(plan, arena),
    };
    for (uint32_t i = 0; i < plan->allocation_count; i++) {
        roots[i] = root_of(plan, i);
    }
    table.root = roots;
    list_by_root(plan, arena, &table);
    for (uint32_t i = 0; i < plan->allocation_count; i++) {
        if (roots[i] == i && table.arena[i] != UINT32_MAX) {
            table.items[table.count++] = slot_of(plan, &table, i);
            table.first[table.arena[i] + 1]++;
        }
    }
    for (size_t a = 0; a < plan->arena_count; a++) {
        table.first[a + 1] += table.first[a];
    }
    sort_stable(table.items, table.count, sizeof *table.items, compare_slots, &table, arena);
    return table;
}

/* ---- how much is alive at once ---- */

static int compare_starts(const void *a, const void *b, const void *context)
{
    const struct life *lives = context;
    return SORT_BY(lives[*(const uint32_t *)a].start_op, lives[*(const uint32_t *)b].start_op);
}

static int compare_ends(const void *a, const void *b, const void *context)
{
    const struct life *lives = context;
    return SORT_BY(lives[*(const uint32_t *)a].end_op, lives[*(const uint32_t *)b].end_op);
}

static uint32_t *sorted(const struct life *lives, size_t count, sort_compare *compare, struct arena *arena)
{
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    sort_stable(order, count, sizeof *order, compare, lives, arena);
    return order;
}

/* The sum grows only where a life starts, so it is enough to look there. */
struct live_peak live_peak_find(const struct life *lives, size_t count, struct arena *arena)
{
    struct live_peak peak = {0};
    const uint32_t *starts = sorted(lives, count, compare_starts, arena);
    const uint32_t *ends = sorted(lives, count, compare_ends, arena);
    uint64_t live = 0;
    for (size_t i = 0, ended = 0; i < count; i++) {
        const struct life *life = &lives[starts[i]];
        for (; lives[ends[ended]].end_op < life->start_op; ended++) {
            live -= lives[ends[ended]].size;
        }
        live += life->size;
        if (live > peak.bytes) {
            peak = (struct live_peak){live, life->start_op};
        }
    }
    return peak;
}
