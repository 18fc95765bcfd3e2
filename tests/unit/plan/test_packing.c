/* What planners are built from: orders, shelves, the counting of meetings, and packings whose order changes. */
#include "planning.h"

#include "plan/life_index.h"
#include "plan/packing.h"
#include "plan/planner_order.h"
#include "plan/shelf.h"

/* ---- orders ---- */

static bool starts_before(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->start < b->start;
}

static bool ends_before(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->end < b->end;
}

static bool is_larger(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->size > b->size || (a->size == b->size && a->start < b->start);
}

static void check_order(const struct sample *sample, comes_before_function *comes_before, const uint32_t *order)
{
    uint32_t expected[64];
    reference_order(&sample->problem, comes_before, expected);
    assert_memory_equal(order, expected, sample->problem.item_count * sizeof *order);
}

static void orders_are_those_of_repeated_selection(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sample *sample = random_sample(seed);
        /* Keys of all widths, up to the topmost digit. */
        for (size_t i = 0; i < sample->problem.item_count; i++) {
            if (seed % 2 == 0) {
                sample->items[i].size <<= (i * 7 + seed) % 51;
            }
            if (seed % 3 == 0) {
                sample->items[i].end += (uint32_t)(i % 4) << 30;
            }
        }
        check_order(sample, starts_before, order_by_start(&sample->problem, &sample->arena));
        check_order(sample, ends_before, order_by_end(&sample->problem, &sample->arena));
        check_order(sample, is_larger, order_by_size(&sample->problem, &sample->arena));
        sample_free(sample);
    }
}

/* ---- meetings ---- */

static bool meet(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->start <= b->end && b->start <= a->end;
}

static void meetings_are_counted_with_oneself(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sample *sample = random_sample(seed);
        const uint32_t *counts = count_meetings(&sample->problem, &sample->arena);
        for (size_t i = 0; i < sample->problem.item_count; i++) {
            uint32_t expected = 0;
            for (size_t k = 0; k < sample->problem.item_count; k++) {
                expected += meet(&sample->items[i], &sample->items[k]);
            }
            assert_int_equal(counts[i], expected);
        }
        sample_free(sample);
    }
}

static void an_index_of_some_finds_only_those(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sample *sample = random_sample(seed);
        struct dice dice = {seed + 1};
        bool included[64];
        for (size_t i = 0; i < COUNT_OF(included); i++) {
            included[i] = throw_dice(&dice, 2) == 0;
        }
        struct life_index index = life_index_new(&sample->problem, included, &sample->arena);
        for (uint32_t i = 0; i < sample->problem.item_count; i++) {
            uint32_t found[64];
            size_t expected = 0;
            for (size_t k = 0; k < sample->problem.item_count; k++) {
                expected += included[k] && meet(&sample->items[i], &sample->items[k]);
            }
            assert_int_equal(life_index_meeting(&index, &sample->problem, i, found), expected);
            for (size_t k = 0; k < expected; k++) {
                assert_true(included[found[k]] && meet(&sample->items[i], &sample->items[found[k]]));
            }
        }
        sample_free(sample);
    }
}

/* ---- shelves ---- */

enum { EXTENTS = 700 };

static bool is_in_the_way(const struct shelf_extent *extent, const struct shelf_search *search, uint64_t offset)
{
    bool counts = extent->start <= search->end && extent->end >= search->start && extent->position < search->position;
    return counts && extent->offset < offset + search->size && offset < extent->top;
}

/* Step by step upwards. */
static uint64_t reference_gap(const struct shelf_extent *extents, const bool *present, const struct shelf_search *search)
{
    for (uint64_t offset = search->offset;; offset += search->alignment) {
        bool free_here = true;
        for (size_t i = 0; free_here && i < EXTENTS; i++) {
            free_here = !present[i] || !is_in_the_way(&extents[i], search, offset);
        }
        if (free_here) {
            return offset;
        }
    }
}

/* Extents as random as lives are, or all alive together and side by side with gaps between them. */
static struct shelf_extent random_extent(struct dice *dice, uint32_t item, bool is_together)
{
    uint64_t offset = is_together ? 8 * (uint64_t)item + throw_dice(dice, 5) : throw_dice(dice, 900);
    uint32_t start = is_together ? 0 : (uint32_t)throw_dice(dice, 50);
    return (struct shelf_extent){
        .offset = offset,
        .top = offset + 1 + throw_dice(dice, is_together ? 3 : 20),
        .start = start,
        .end = is_together ? 99 : start + (uint32_t)throw_dice(dice, 50),
        .position = is_together ? 0 : (uint32_t)throw_dice(dice, 100),
        .item = item,
    };
}

static struct shelf_search random_search(struct dice *dice, bool is_together)
{
    uint64_t alignment = UINT64_C(1) << throw_dice(dice, 4);
    uint32_t start = (uint32_t)throw_dice(dice, 99);
    return (struct shelf_search){
        .size = 1 + throw_dice(dice, is_together ? 14 : 30),
        .alignment = alignment,
        .start = start,
        .end = start + (uint32_t)throw_dice(dice, 30),
        .position = is_together ? 1 : (uint32_t)throw_dice(dice, 110),
        .offset = alignment * throw_dice(dice, 1 + 200 * throw_dice(dice, 2)),
    };
}

/* Columns at every step, none, or two at one; units of more than a byte. */
static const struct column_grid *random_grid(struct dice *dice, struct arena *arena)
{
    struct column_grid *grid = ARENA_NEW(arena, struct column_grid);
    grid->shift = (uint32_t)throw_dice(dice, 4);
    for (size_t k = 1; k < COLUMN_COUNT; k++) {
        grid->steps[k] = grid->steps[k - 1] + (uint32_t)throw_dice(dice, 4);
    }
    return grid;
}

static void check_shelf(bool is_together, bool has_columns, uint64_t seed)
{
    struct dice dice = {seed};
    /* One item for each alignment that searches may have. */
    struct sample *sample = sample_new((const struct row[]){{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, 4);
    for (size_t i = 0; i < 4; i++) {
        sample->items[i].alignment = UINT64_C(1) << i;
    }
    sample_memory(sample, UINT64_MAX / 2, 1);
    struct shelf shelf = shelf_new(&sample->problem, 0, &sample->arena);
    static struct shelf_extent extents[EXTENTS];
    bool present[EXTENTS] = {false};
    for (size_t round = 0; round < 4000; round++) {
        if (has_columns && round == 100 * seed) {
            shelf_keep_columns(&shelf, random_grid(&dice, &sample->arena));
        }
        uint32_t item = (uint32_t)throw_dice(&dice, EXTENTS);
        /* The shelf fills first and empties towards the end. */
        bool is_wanted = throw_dice(&dice, 4000) > round;
        if (present[item] && !is_wanted) {
            shelf_remove(&shelf, &extents[item]);
            present[item] = false;
        } else if (!present[item] && is_wanted) {
            extents[item] = random_extent(&dice, item, is_together);
            shelf_add(&shelf, &extents[item]);
            present[item] = true;
        }
        struct shelf_search search = random_search(&dice, is_together);
        uint64_t expected = reference_gap(extents, present, &search);
        shelf_find_gap(&shelf, &search);
        assert_int_equal(search.offset, expected);
    }
    sample_free(sample);
}

static void a_shelf_finds_the_gap_that_stepping_finds(void **state)
{
    (void)state;
    check_shelf(false, false, 1);
    check_shelf(false, false, 2);
    check_shelf(true, false, 3);
    check_shelf(true, false, 4);
}

static void a_shelf_with_columns_finds_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        check_shelf(false, true, seed);
    }
    check_shelf(true, true, 8);
}

/* Two stacks: the one at step 10 is closed up to 90, the one at step 20 has a gap at 30. Only who lives at 10 must go above. */
static void a_closed_column_is_passed_at_once(void **state)
{
    (void)state;
    struct column_grid grid = {.shift = 0};
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
        grid.steps[k] = (uint32_t)(10 * (k + 1));
    }
    struct columns columns;
    columns_clear(&columns);
    columns_add(&columns, &grid, 10, 20, 0, 30);
    columns_add(&columns, &grid, 5, 15, 32, 90);
    columns_add(&columns, &grid, 20, 20, 50, 60);
    const struct column_search both = column_search_new(&grid, 9, 20);
    const struct column_search second = column_search_new(&grid, 11, 29);
    const struct column_search between = column_search_new(&grid, 11, 19);
    assert_int_equal(columns_pass(&columns, &grid, &both, 0, 8), 90);
    assert_int_equal(columns_pass(&columns, &grid, &both, 0, 2), 0); /* the gap from 30 to 32 */
    assert_int_equal(columns_pass(&columns, &grid, &second, 0, 8), 0);
    assert_int_equal(columns_pass(&columns, &grid, &second, 0, 21), 60);
    assert_int_equal(columns_pass(&columns, &grid, &between, 0, 8), 0);
}

/* Is [offset, offset + size) of the item free of all that come before it in the order? */
static bool is_free(const struct packing *packing, uint32_t index, uint64_t offset)
{
    const struct scratch_item *items = packing->problem->items;
    for (uint32_t position = 0; position < packing->items[index].position; position++) {
        uint32_t other = packing->order[position];
        if (meet(&items[index], &items[other]) && packing->items[other].offset < offset + items[index].size &&
            offset < packing->items[other].top) {
            return false;
        }
    }
    return true;
}

/* The lowest free offset is 0 or the top of an earlier item, aligned. */
static void check_first_fit(const struct packing *packing, uint32_t index)
{
    const struct scratch_item *item = &packing->problem->items[index];
    uint64_t offset = packing->items[index].offset;
    assert_true(is_free(packing, index, offset));
    assert_true(offset == 0 || !is_free(packing, index, 0));
    for (uint32_t position = 0; position < packing->items[index].position; position++) {
        uint32_t other = packing->order[position];
        uint64_t lower = (packing->items[other].top + item->alignment - 1) / item->alignment * item->alignment;
        if (meet(item, &packing->problem->items[other]) && lower < offset) {
            assert_false(is_free(packing, index, lower));
        }
    }
}

/* As many as it takes for columns to be kept, and lives that are mixed at random; first fit looked for among all that come
 * before. */
#define MANY 16500

static void many_mixed_lives_are_packed_by_first_fit(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct dice dice = {7};
    struct scratch_item *items = ARENA_ARRAY(&arena, struct scratch_item, MANY);
    for (size_t i = 0; i < MANY; i++) {
        uint32_t start = (uint32_t)throw_dice(&dice, MANY);
        items[i] = (struct scratch_item){.size = 1 + throw_dice(&dice, 4096),
                                         .start = start,
                                         .end = start + (uint32_t)throw_dice(&dice, i % 3 == 0 ? MANY / 20 : MANY),
                                         .memory = MEMORY_ANY,
                                         .alignment = UINT64_C(1) << throw_dice(&dice, 4)};
    }
    const struct scratch_memory memory = {.limit = UINT64_MAX / 2, .alignment_floor = 1};
    const uint32_t first = 0;
    const struct scratch_problem problem = {items, MANY, &memory, 1, &first, 1, 2 * MANY, NULL};
    struct packing packing = packing_new(&problem, order_by_size(&problem, &arena), &arena);
    assert_non_null(packing.shelves);
    assert_non_null(packing.shelves[0].grid);
    /* An item is free of all others, and would meet an earlier one at every lower offset: at 0, and on top of each earlier one.
     */
    for (size_t probe = 0; probe < 5; probe++) {
        check_first_fit(&packing, (uint32_t)throw_dice(&dice, MANY));
    }
    check_first_fit(&packing, packing.order[MANY - 1]);
    arena_free(&arena);
}

/* Wide enough before the alignment is asked for, and too narrow after it. */
static void gaps_are_as_wide_as_they_are_aligned(void **state)
{
    (void)state;
    struct sample *sample = sample_new((const struct row[]){{1, 0, 0}, {1, 0, 0}}, 2);
    sample->items[0].alignment = 16;
    sample_memory(sample, UINT64_MAX / 2, 1);
    struct shelf shelf = shelf_new(&sample->problem, 0, &sample->arena);
    for (uint32_t i = 0; i < 500; i++) {
        shelf_add(&shelf, &(struct shelf_extent){.offset = 32 * (uint64_t)i, .top = 32 * (uint64_t)i + 15, .item = i});
    }
    struct shelf_search search = {.size = 17, .alignment = 16, .position = 1};
    shelf_find_gap(&shelf, &search);
    assert_int_equal(search.offset, 32 * 499 + 16);
    uint64_t visited = shelf.visited;
    search = (struct shelf_search){.size = 17, .alignment = 1, .position = 1};
    shelf_find_gap(&shelf, &search);
    assert_int_equal(search.offset, 15);
    /* The first search passed over all extents without a look at most of them. */
    assert_true(visited < 100);
    sample_free(sample);
}

/* ---- packings ---- */

static void check_packing(const struct sample *sample, const struct packing *packing, uint64_t seed)
{
    struct slot expected[300];
    struct slot actual[300];
    reference_in_order(&sample->problem, packing->order, expected);
    for (size_t i = 0; i < sample->problem.item_count; i++) {
        actual[i] = (struct slot){packing->items[i].memory, packing->items[i].offset};
    }
    assert_same_slots(&sample->problem, actual, expected, seed);
}

static void check_moves(struct sample *sample, size_t moves, uint64_t seed)
{
    const struct scratch_problem *problem = &sample->problem;
    struct dice dice = {seed + 99};
    uint64_t ceilings[8];
    struct packing packing = packing_new(problem, order_by_size(problem, &sample->arena), &sample->arena);
    packing_allow_moves(&packing, &sample->arena);
    for (size_t move = 0; problem->item_count > 0 && move < moves; move++) {
        uint64_t ceiling = throw_dice(&dice, 3) == 0 ? 1 + throw_dice(&dice, 4000) : UINT64_MAX;
        for (size_t m = 0; m < problem->memory_count; m++) {
            ceilings[m] = ceiling;
        }
        packing_swap(&packing, (uint32_t)throw_dice(&dice, problem->item_count),
                     (uint32_t)throw_dice(&dice, problem->item_count));
        bool is_below = packing_settle(&packing, ceilings);
        if (is_below) {
            check_packing(sample, &packing, seed);
        }
        if (is_below && throw_dice(&dice, 2) == 0) {
            packing_keep(&packing);
        } else {
            packing_take_back(&packing);
        }
        check_packing(sample, &packing, seed);
    }
}

static void a_moved_packing_is_the_one_of_its_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct sample *sample = random_sample(seed);
        check_moves(sample, 12, seed);
        sample_free(sample);
    }
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sample *sample = crowded_sample(seed);
        check_moves(sample, 6, seed);
        sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_repeated_selection),   cmocka_unit_test(meetings_are_counted_with_oneself),
        cmocka_unit_test(an_index_of_some_finds_only_those),        cmocka_unit_test(a_shelf_finds_the_gap_that_stepping_finds),
        cmocka_unit_test(gaps_are_as_wide_as_they_are_aligned),     cmocka_unit_test(a_moved_packing_is_the_one_of_its_order),
        cmocka_unit_test(a_shelf_with_columns_finds_the_same),      cmocka_unit_test(a_closed_column_is_passed_at_once),
        cmocka_unit_test(many_mixed_lives_are_packed_by_first_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
