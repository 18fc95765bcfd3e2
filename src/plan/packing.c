#include "plan/packing.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/layout.h"
#include "plan/watch.h"

struct packed_extent {
    uint64_t offset;
    uint64_t top;
};

struct packed_undo {
    uint32_t item;
    struct packed_item before;
};

/* The extents of earlier short-lived items in `memory` that the item meets. About every second one is, at random, so each is
 * written and only some are counted: that is faster than to branch. */
static size_t gather_extents(struct packing *packing, uint32_t position, uint32_t memory, size_t found_count)
{
    size_t count = 0;
    for (size_t i = 0; i < found_count; i++) {
        const struct packed_item *other = &packing->items[packing->found[i]];
        packing->extents[count] = (struct packed_extent){other->offset, other->top};
        count += (other->position < position) & (other->memory == memory) & (other->top > other->offset);
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
        if (extents[i].top <= raised) {
            continue;
        }
        if (extents[i].offset < raised + size) {
            raised = size_align(extents[i].top, alignment);
        } else {
            extents[left++] = extents[i];
        }
    }
    *offset = raised;
    return left;
}

/* Passes before the extents are sorted, which is slower to begin with and bounded. */
#define PASSES 8

static void find_long_lived_gap(struct packing *packing, uint32_t memory, struct shelf_search *search)
{
    if (packing->shelves != NULL) {
        shelf_find_gap(&packing->shelves[memory], search);
    }
}

/* What the shelf and the extents each let pass, in turn, until neither moves the offset. */
static void find_gap_in_order(struct packing *packing, size_t count, uint32_t memory, struct shelf_search *search)
{
    for (size_t i = 0; i < count; i++) {
        packing->keyed[i] = (struct keyed_item){packing->extents[i].offset, (uint32_t)i};
    }
    const struct keyed_item *next = radix_sort(packing->keyed, packing->spare, count);
    const struct keyed_item *end = next + count;
    for (uint64_t before = UINT64_MAX; before != search->offset;) {
        find_long_lived_gap(packing, memory, search);
        before = search->offset;
        for (; next < end && next->key < search->offset + search->size; next++) {
            search->offset = size_max(search->offset, size_align(packing->extents[next->item].top, search->alignment));
        }
    }
}

static void find_gap(struct packing *packing, size_t count, uint32_t memory, struct shelf_search *search)
{
    for (int pass = 0; pass < PASSES; pass++) {
        find_long_lived_gap(packing, memory, search);
        uint64_t before = search->offset;
        count = raise_offset(packing->extents, count, search->size, search->alignment, &search->offset);
        if (search->offset == before) {
            return;
        }
    }
    find_gap_in_order(packing, count, memory, search);
}

static uint64_t lowest_gap(struct packing *packing, uint32_t index, uint32_t memory, size_t found_count)
{
    const struct scratch_item *item = &packing->problem->items[index];
    struct shelf_search search = {
        .size = item->size,
        .alignment = slot_alignment(item, &packing->problem->memories[memory]),
        .start = item->start,
        .end = item->end,
        .position = packing->items[index].position,
    };
    size_t count = gather_extents(packing, search.position, memory, found_count);
    find_gap(packing, count, memory, &search);
    return search.offset;
}

static struct slot find_slot(struct packing *packing, uint32_t index)
{
    const struct scratch_problem *problem = packing->problem;
    const struct scratch_item *item = &problem->items[index];
    const uint32_t *candidates = item->memory == MEMORY_ANY ? problem->order : &item->memory;
    size_t candidate_count = item->memory == MEMORY_ANY ? problem->order_count : 1;
    size_t found_count = life_index_meeting(&packing->short_lived, problem, index, packing->found);
    packing->met += found_count;
    struct slot slot = {0};
    for (size_t i = 0; i < candidate_count; i++) {
        slot.memory = candidates[i];
        if (item->size > 0) {
            slot.offset = lowest_gap(packing, index, slot.memory, found_count);
        }
        if (slot.offset + item->size <= problem->memories[slot.memory].limit) {
            break;
        }
    }
    return slot;
}

/* ---- the shelves ---- */

static struct shelf_extent extent_of(const struct packing *packing, uint32_t index)
{
    const struct packed_item *item = &packing->items[index];
    const struct scratch_item *life = &packing->problem->items[index];
    return (struct shelf_extent){item->offset, item->top, life->start, life->end, item->position, index};
}

static void take_off(struct packing *packing, uint32_t index)
{
    struct shelf_extent extent = extent_of(packing, index);
    if (packing->is_long[index] && extent.top > extent.offset) {
        shelf_remove(&packing->shelves[packing->items[index].memory], &extent);
    }
}

static void put_on(struct packing *packing, uint32_t index)
{
    struct shelf_extent extent = extent_of(packing, index);
    if (packing->is_long[index] && extent.top > extent.offset) {
        shelf_add(&packing->shelves[packing->items[index].memory], &extent);
    }
}

/* Below so many items a search is over before columns have paid for being kept. */
#define COLUMNS_FROM 16384u

/* Extents and blocks that are looked at, on average, before columns are kept. */
#define LONG_SEARCH 512

/* An item on the shelf costs every search a look at worst, an item beside it costs some eight looks of those it meets. Columns
 * halve what the shelf costs. */
static size_t most_meetings(size_t item_count)
{
    return item_count / (item_count < COLUMNS_FROM ? 8 : 16);
}

static bool mark_long_lived(struct packing *packing, struct arena *arena)
{
    const struct scratch_problem *problem = packing->problem;
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *meetings = count_meetings(problem, arena);
    bool any = false;
    for (size_t i = 0; i < problem->item_count; i++) {
        packing->is_long[i] = meetings[i] > most_meetings(problem->item_count);
        any = any || packing->is_long[i];
    }
    arena_rewind(arena, mark);
    return any;
}

static const struct column_grid *grid_for_many(const struct scratch_problem *problem, struct arena *arena)
{
    if (problem->item_count < COLUMNS_FROM) {
        return NULL;
    }
    struct column_grid *grid = ARENA_NEW(arena, struct column_grid);
    *grid = column_grid_new(problem, arena);
    return grid;
}

/* Where lives are so alike that searches are short as it is, columns would only cost. */
static void keep_columns_where_searches_are_long(struct packing *packing, const struct column_grid *grid, size_t placed)
{
    for (size_t m = 0; grid != NULL && m < packing->problem->memory_count; m++) {
        struct shelf *shelf = &packing->shelves[m];
        if (shelf->grid == NULL && shelf->visited / LONG_SEARCH > placed) {
            shelf_keep_columns(shelf, grid);
        }
    }
}

static struct life_index index_short_lived(const struct packing *packing, struct arena *arena)
{
    bool *is_short = ARENA_ARRAY(arena, bool, packing->problem->item_count);
    for (size_t i = 0; i < packing->problem->item_count; i++) {
        is_short[i] = !packing->is_long[i];
    }
    return life_index_new(packing->problem, is_short, arena);
}

struct packing packing_new(const struct scratch_problem *problem, uint32_t *order, struct arena *arena)
{
    struct packing packing = {
        .problem = problem,
        .order = order,
        .items = ARENA_ARRAY(arena, struct packed_item, problem->item_count),
        .is_long = ARENA_ARRAY(arena, bool, problem->item_count),
        .found = ARENA_ARRAY(arena, uint32_t, problem->item_count),
        .extents = ARENA_ARRAY(arena, struct packed_extent, problem->item_count),
        .keyed = ARENA_ARRAY(arena, struct keyed_item, problem->item_count),
        .spare = ARENA_ARRAY(arena, struct keyed_item, problem->item_count),
    };
    const struct column_grid *grid = NULL;
    if (mark_long_lived(&packing, arena)) {
        packing.shelves = shelves_new(problem, arena);
        grid = grid_for_many(problem, arena);
    }
    packing.short_lived = index_short_lived(&packing, arena);
    for (size_t i = 0; i < problem->item_count; i++) {
        packing.items[order[i]].position = (uint32_t)i;
    }
    for (size_t i = 0; i < problem->item_count; i++) {
        struct packed_item *item = &packing.items[order[i]];
        uint64_t met = packing.met;
        struct slot slot = find_slot(&packing, order[i]);
        item->memory = slot.memory;
        item->offset = slot.offset;
        item->top = slot.offset + problem->items[order[i]].size;
        put_on(&packing, order[i]);
        keep_columns_where_searches_are_long(&packing, grid, i);
        watch_work(problem->watch, packing.met - met + 1);
    }
    return packing;
}

void packing_layout(const struct packing *packing, struct layout *layout)
{
    for (size_t i = 0; i < packing->problem->item_count; i++) {
        layout->slots[i] = (struct slot){.memory = packing->items[i].memory, .offset = packing->items[i].offset};
    }
    layout_measure(packing->problem, layout);
}

/* ---- moves ---- */

void packing_allow_moves(struct packing *packing, struct arena *arena)
{
    const struct scratch_problem *problem = packing->problem;
    packing->all = packing->shelves == NULL ? packing->short_lived : life_index_new(problem, NULL, arena);
    packing->stale = ordered_set_new(arena, problem->item_count);
    /* A swap changes two items, settling each item once. */
    packing->changes = ARENA_ARRAY(arena, struct packed_undo, problem->item_count + 2);
    packing->rank = ARENA_ARRAY(arena, uint32_t, problem->memory_count);
    for (size_t m = 0; m < problem->memory_count; m++) {
        packing->rank[m] = UINT32_MAX;
    }
    for (size_t k = problem->order_count; k-- > 0;) {
        packing->rank[problem->order[k]] = (uint32_t)k;
    }
}

size_t packing_meeting(struct packing *packing, uint32_t item)
{
    size_t found_count = life_index_meeting(&packing->all, packing->problem, item, packing->found);
    packing->met += found_count;
    return found_count;
}

static void change_item(struct packing *packing, uint32_t index, struct packed_item changed)
{
    take_off(packing, index);
    packing->items[index] = changed;
    packing->order[changed.position] = index;
    put_on(packing, index);
}

static void change_noted(struct packing *packing, uint32_t index, struct packed_item changed)
{
    packing->changes[packing->change_count++] = (struct packed_undo){index, packing->items[index]};
    change_item(packing, index, changed);
}

void packing_keep(struct packing *packing)
{
    packing->change_count = 0;
}

void packing_take_back(struct packing *packing)
{
    while (packing->change_count > 0) {
        const struct packed_undo *undo = &packing->changes[--packing->change_count];
        change_item(packing, undo->item, undo->before);
    }
}

/* Could an item that was placed with `gone` in the way go elsewhere without it? All offsets below its own were taken, and those
 * from which it would end below `gone` by others. From a memory that it likes less it may come back. */
static bool may_fall(const struct packing *packing, const struct packed_item *gone, uint32_t index)
{
    const struct packed_item *item = &packing->items[index];
    if (item->memory == gone->memory) {
        return item->top > gone->offset;
    }
    return packing->problem->items[index].memory == MEMORY_ANY && packing->rank[gone->memory] < packing->rank[item->memory];
}

/* Is what has come where the item lies? Elsewhere it takes away nothing that the item would want. */
static bool is_hit(const struct packed_item *come, const struct packed_item *item)
{
    return item->memory == come->memory && item->offset < come->top && come->offset < item->top;
}

static void mark_touched(struct packing *packing, uint32_t index, const struct packed_item *gone)
{
    const struct packed_item *come = &packing->items[index];
    size_t found_count = packing_meeting(packing, index);
    for (size_t i = 0; i < found_count; i++) {
        const struct packed_item *other = &packing->items[packing->found[i]];
        if (other->position > come->position && (may_fall(packing, gone, packing->found[i]) || is_hit(come, other))) {
            ordered_set_add(&packing->stale, other->position);
        }
    }
}

static const struct packed_item *place(struct packing *packing, uint32_t position)
{
    uint32_t index = packing->order[position];
    struct packed_item before = packing->items[index];
    struct slot slot = find_slot(packing, index);
    if (slot.memory == before.memory && slot.offset == before.offset) {
        return &packing->items[index];
    }
    uint64_t top = slot.offset + packing->problem->items[index].size;
    change_noted(packing, index, (struct packed_item){slot.offset, top, slot.memory, position});
    if (!packing->all_stale) {
        mark_touched(packing, index, &before);
    }
    return &packing->items[index];
}

/* Finding out what a change touches costs a look at all that it meets, placing a long-lived item costs less. Where the changes
 * have spread so far that most of the rest will be touched, the rest is placed without asking. */
static bool has_spread(const struct packing *packing)
{
    return packing->shelves != NULL && packing->change_count > packing->problem->item_count / 16;
}

static uint32_t next_position(const struct packing *packing, uint32_t from)
{
    if (!packing->all_stale) {
        return ordered_set_next(&packing->stale, from);
    }
    return from < packing->problem->item_count ? from : ORDERED_SET_NONE;
}

/* A placement only touches later positions, so each item is placed once and stays where it is put: one that is too high decides.
 */
bool packing_settle(struct packing *packing, const uint64_t *ceilings)
{
    bool below = true;
    packing->all_stale = false;
    for (uint32_t position = 0; below && (position = next_position(packing, position)) != ORDERED_SET_NONE; position++) {
        const struct packed_item *item = place(packing, position);
        below = item->top <= ceilings[item->memory];
        packing->all_stale = packing->all_stale || has_spread(packing);
    }
    ordered_set_clear(&packing->stale);
    return below;
}

static void move_to(struct packing *packing, uint32_t index, uint32_t position)
{
    struct packed_item moved = packing->items[index];
    moved.position = position;
    change_noted(packing, index, moved);
}

/* Those between the two positions lose what stood before them; what comes before them now lies beside them already, as they were
 * in its way. */
void packing_swap(struct packing *packing, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;
    uint32_t lower = packing->order[low];
    uint32_t higher = packing->order[high];
    move_to(packing, higher, low);
    move_to(packing, lower, high);
    ordered_set_add(&packing->stale, low);
    ordered_set_add(&packing->stale, high);
    size_t found_count = packing_meeting(packing, lower);
    for (size_t i = 0; i < found_count; i++) {
        uint32_t position = packing->items[packing->found[i]].position;
        if (position > low && position < high && may_fall(packing, &packing->items[lower], packing->found[i])) {
            ordered_set_add(&packing->stale, position);
        }
    }
}
