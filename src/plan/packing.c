#include "plan/packing.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"

struct packed_extent {
    uint64_t offset;
    uint64_t top;
};

static void sift_down(struct packed_extent *heap, size_t count, size_t node)
{
    struct packed_extent moved = heap[node];
    for (size_t child; (child = 2 * node + 1) < count; node = child) {
        if (child + 1 < count && heap[child + 1].offset < heap[child].offset)
            child++;
        if (moved.offset <= heap[child].offset)
            break;
        heap[node] = heap[child];
    }
    heap[node] = moved;
}

/* The items that are alive together with one go to packing->found; returns how many there are. */
static size_t find_meeting(struct packing *packing, uint32_t index)
{
    size_t found_count = life_index_meeting(&packing->index, packing->problem, index, packing->found);
    packing->met += found_count;
    return found_count;
}

/* The extents of earlier items in `memory` among the items found. */
static size_t gather_extents(struct packing *packing, uint32_t position, uint32_t memory, size_t found_count)
{
    size_t count = 0;
    for (size_t i = 0; i < found_count; i++) {
        const struct packed_item *other = &packing->items[packing->found[i]];
        if (other->position < position && other->memory == memory && other->top > other->offset)
            packing->extents[count++] = (struct packed_extent){other->offset, other->top};
    }
    return count;
}

/* An extent that reaches into [offset, offset + size) moves every later candidate above its top, whatever the order in which the
 * extents are met; so passes over them until nothing moves find the lowest gap. What lies below is dropped on the way. Returns
 * the number of extents that are left; few passes settle most cases faster than a sort would. */
static size_t raise_offset(struct packed_extent *extents, size_t count, uint64_t size, uint64_t alignment, uint64_t *offset)
{
    uint64_t raised = *offset;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (extents[i].top <= raised)
            continue;
        if (extents[i].offset < raised + size)
            raised = size_align(extents[i].top, alignment);
        else
            extents[left++] = extents[i];
    }
    *offset = raised;
    return left;
}

/* Passes before a heap takes over, which is slower to begin with and bounded. */
#define PASSES 8

static uint64_t lowest_gap(struct packed_extent *extents, size_t count, uint64_t size, uint64_t alignment)
{
    uint64_t offset = 0;
    for (int pass = 0; pass < PASSES && count > 0; pass++) {
        uint64_t before = offset;
        count = raise_offset(extents, count, size, alignment, &offset);
        if (offset == before)
            return offset;
    }
    for (size_t node = count / 2; node-- > 0;)
        sift_down(extents, count, node);
    while (count > 0 && extents[0].offset < offset + size) {
        offset = size_max(offset, size_align(extents[0].top, alignment));
        extents[0] = extents[--count];
        if (count > 1)
            sift_down(extents, count, 0);
    }
    return offset;
}

static struct slot find_slot(struct packing *packing, uint32_t index, size_t found_count)
{
    const struct scratch_problem *problem = packing->problem;
    const struct scratch_item *item = &problem->items[index];
    const uint32_t *candidates = item->memory == MEMORY_ANY ? problem->order : &item->memory;
    size_t candidate_count = item->memory == MEMORY_ANY ? problem->order_count : 1;
    struct slot slot = {0};
    for (size_t i = 0; i < candidate_count; i++) {
        slot.memory = candidates[i];
        const struct scratch_memory *memory = &problem->memories[slot.memory];
        if (item->size > 0) {
            size_t count = gather_extents(packing, packing->items[index].position, slot.memory, found_count);
            slot.offset = lowest_gap(packing->extents, count, item->size, slot_alignment(item, memory));
        }
        if (slot.offset + item->size <= memory->limit)
            break;
    }
    return slot;
}

static void mark_later(struct packing *packing, uint32_t position, size_t found_count)
{
    for (size_t i = 0; i < found_count; i++) {
        uint32_t other = packing->items[packing->found[i]].position;
        if (other > position)
            ordered_set_add(&packing->stale, other);
    }
}

static const struct packed_item *place(struct packing *packing, uint32_t position)
{
    uint32_t index = packing->order[position];
    struct packed_item *item = &packing->items[index];
    size_t found_count = find_meeting(packing, index);
    struct slot slot = find_slot(packing, index, found_count);
    if (slot.memory == item->memory && slot.offset == item->offset)
        return item;
    item->memory = slot.memory;
    item->offset = slot.offset;
    item->top = slot.offset + packing->problem->items[index].size;
    mark_later(packing, position, found_count);
    return item;
}

/* A placement only touches later positions, so each item is placed once and stays where it is put: one that is too high decides.
 */
bool packing_settle(struct packing *packing, const uint64_t *ceilings)
{
    bool below = true;
    uint32_t position;
    while ((position = ordered_set_next(&packing->stale, 0)) != ORDERED_SET_NONE) {
        ordered_set_remove(&packing->stale, position);
        if (!below)
            continue;
        const struct packed_item *item = place(packing, position);
        below = item->top <= ceilings[item->memory];
    }
    return below;
}

struct packing packing_new(const struct scratch_problem *problem, uint32_t *order, struct arena *arena)
{
    struct packing packing = {
        .problem = problem,
        .index = life_index_new(problem, arena),
        .order = order,
        .items = ARENA_ARRAY(arena, struct packed_item, problem->item_count),
        .stale = ordered_set_new(arena, problem->item_count),
        .found = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .extents = ARENA_ARRAY(arena, struct packed_extent, problem->item_count),
    };
    for (size_t i = 0; i < problem->item_count; i++)
        packing.items[order[i]].position = (uint32_t)i;
    for (size_t i = 0; i < problem->item_count; i++) {
        uint32_t index = order[i];
        size_t found_count = find_meeting(&packing, index);
        struct slot slot = find_slot(&packing, index, found_count);
        packing.items[index].memory = slot.memory;
        packing.items[index].offset = slot.offset;
        packing.items[index].top = slot.offset + problem->items[index].size;
    }
    return packing;
}

/* What lies between two positions and meets the item sees it on the other side now. */
static void mark_between(struct packing *packing, uint32_t index, uint32_t low, uint32_t high)
{
    size_t found_count = find_meeting(packing, index);
    for (size_t i = 0; i < found_count; i++) {
        uint32_t position = packing->items[packing->found[i]].position;
        if (position >= low && position <= high)
            ordered_set_add(&packing->stale, position);
    }
}

static void put_at(struct packing *packing, uint32_t index, uint32_t position)
{
    packing->order[position] = index;
    packing->items[index].position = position;
}

void packing_swap(struct packing *packing, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;
    uint32_t lower = packing->order[low];
    uint32_t higher = packing->order[high];
    put_at(packing, higher, low);
    put_at(packing, lower, high);
    mark_between(packing, lower, low, high);
    mark_between(packing, higher, low, high);
}

void packing_layout(const struct packing *packing, struct layout *layout)
{
    for (size_t i = 0; i < packing->problem->item_count; i++)
        layout->slots[i] = (struct slot){.memory = packing->items[i].memory, .offset = packing->items[i].offset};
    layout_measure(packing->problem, layout);
}
