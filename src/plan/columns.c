#include "plan/columns.h"

#include "base/size.h"
#include "placement/placement.h"
#include "plan/planner_order.h"

/* Columns that are looked at together. */
#define COLUMN_GROUP 16u

/* Sums and differences of two such numbers are an int32_t. */
#define UNITS_LIMIT (UINT64_C(1) << 30)

/* No layout of first fit reaches higher than all items on top of each other. */
static uint32_t unit_shift(const struct scratch_problem *problem)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        uint64_t alignment = 1;
        for (size_t m = 0; m < problem->memory_count; m++) {
            alignment = size_max(alignment, slot_alignment(&problem->items[i], &problem->memories[m]));
        }
        highest += problem->items[i].size + alignment;
    }
    uint32_t shift = 0;
    while (highest >> shift >= UNITS_LIMIT) {
        shift++;
    }
    return shift;
}

struct column_grid column_grid_new(const struct scratch_problem *problem, struct arena *arena)
{
    struct column_grid grid = {.shift = unit_shift(problem)};
    struct arena_mark mark = arena_mark(arena);
    const uint32_t *starts = order_by_start(problem, arena);
    for (size_t k = 0; k < COLUMN_COUNT && problem->item_count > 0; k++) {
        grid.steps[k] = problem->items[starts[problem->item_count * (2 * k + 1) / (2 * COLUMN_COUNT)]].start;
    }
    arena_rewind(arena, mark);
    return grid;
}

/* The first column at `step` or later; COLUMN_COUNT if there is none. */
static uint32_t first_column(const struct column_grid *grid, uint32_t step)
{
    uint32_t low = 0;
    uint32_t high = COLUMN_COUNT;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (grid->steps[middle] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct column_search column_search_new(const struct column_grid *grid, uint32_t start, uint32_t end)
{
    struct column_search search = {0};
    uint32_t first = first_column(grid, start);
    uint32_t k = first;
    for (; k < COLUMN_COUNT && grid->steps[k] <= end; k++) {
        search.mask[k] = -1;
    }
    if (k > first) {
        search.first_group = first / COLUMN_GROUP;
        search.last_group = (k - 1) / COLUMN_GROUP + 1;
    }
    return search;
}

void columns_clear(struct columns *columns)
{
    for (uint32_t k = 0; k < COLUMN_COUNT; k++) {
        columns->lowest[k] = COLUMN_EMPTY;
        columns->top[k] = 0;
        columns->widest[k] = 0;
    }
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

void columns_add(struct columns *columns, const struct column_grid *grid, uint32_t start, uint32_t end, uint64_t offset,
                 uint64_t top)
{
    int32_t low = (int32_t)(offset >> grid->shift);
    int32_t high = (int32_t)(top >> grid->shift);
    for (uint32_t k = first_column(grid, start); k < COLUMN_COUNT && grid->steps[k] <= end; k++) {
        if (columns->lowest[k] != COLUMN_EMPTY) {
            columns->widest[k] = greater(columns->widest[k], low - columns->top[k]);
        }
        columns->lowest[k] = lesser(columns->lowest[k], low);
        columns->top[k] = greater(columns->top[k], high);
    }
}

/* Written without branches, so that it is done for several columns at once. */
void columns_join(struct columns *columns, const struct columns *next)
{
    for (uint32_t k = 0; k < COLUMN_COUNT; k++) {
        int32_t here = columns->lowest[k] != COLUMN_EMPTY ? -1 : 0;
        int32_t behind = next->lowest[k] != COLUMN_EMPTY ? -1 : 0;
        int32_t between = (next->lowest[k] - columns->top[k]) & here & behind;
        columns->widest[k] = greater(greater(columns->widest[k], next->widest[k]), between);
        columns->lowest[k] = lesser(columns->lowest[k], next->lowest[k]);
        columns->top[k] = greater(columns->top[k], next->top[k]);
    }
}

/* Above which unit the columns of one group lie that are closed; 0: none is. Without branches, as above. */
static int32_t pass_group(const struct columns *columns, const struct column_search *search, uint32_t group, int32_t wanted,
                          int32_t reach)
{
    int32_t passed = 0;
    for (uint32_t k = group * COLUMN_GROUP; k < (group + 1) * COLUMN_GROUP; k++) {
        int32_t narrow = columns->widest[k] < wanted ? -1 : 0;
        int32_t reached = columns->lowest[k] < reach ? -1 : 0;
        passed = greater(passed, columns->top[k] & narrow & reached & search->mask[k]);
    }
    return passed;
}

uint64_t columns_pass(const struct columns *columns, const struct column_grid *grid, const struct column_search *search,
                      uint64_t offset, uint64_t size)
{
    int32_t wanted = (int32_t)size_min(size >> grid->shift, INT32_MAX);
    int32_t reach = (int32_t)size_min((offset + size) >> grid->shift, INT32_MAX - 1);
    int32_t passed = 0;
    for (uint32_t group = search->first_group; group < search->last_group; group++) {
        passed = greater(passed, pass_group(columns, search, group, wanted, reach));
    }
    return size_max(offset, (uint64_t)passed << grid->shift);
}
