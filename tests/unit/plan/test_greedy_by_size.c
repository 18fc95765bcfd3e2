/* greedy_by_size: largest first, ties by earlier start, then index. */
#include "planning.h"

#include "plan/life_index.h"
#include "plan/ordered_set.h"

static void pln_003_the_largest_comes_first(void **state)
{
    (void)state;
    const struct row rows[] = {{1024, 0, 1}, {2048, 1, 2}, {2048, 2, 3}};
    struct sample *sample = sample_new(rows, 3);
    sample_memory(sample, 65536, 1);
    struct solved solved = solve(sample, "greedy_by_size");
    const struct slot expected[] = {{0, 2048}, {0, 0}, {0, 2048}};
    assert_same_slots(&sample->problem, solved.layout.slots, expected, 0);
    assert_int_equal(solved.layout.used[0], 4096);
    sample_free(sample);
}

static void pln_017_equal_sizes_go_by_start(void **state)
{
    (void)state;
    /* t4 and t2 both have 96 bytes; t4 starts earlier. */
    const struct row rows[] = {{16, 0, 0}, {64, 1, 2}, {96, 1, 1}, {96, 2, 4}, {128, 4, 5}};
    struct sample *sample = sample_new(rows, 5);
    sample_memory(sample, 65536, 1);
    assert_int_equal(solve(sample, "greedy_by_size").layout.used[0], 288);
    sample_free(sample);
}

static void pln_019_it_can_be_worse_than_greedy(void **state)
{
    (void)state;
    const struct row rows[] = {{32, 1, 2}, {16, 2, 3}, {48, 2, 4}, {16, 3, 4}, {32, 4, 5}};
    struct sample *sample = sample_new(rows, 5);
    sample_memory(sample, 65536, 1);
    assert_int_equal(solve(sample, "greedy_by_size").layout.used[0], 112);
    assert_true(solve(sample, "greedy").layout.used[0] < 112);
    sample_free(sample);
}

static bool is_larger(const struct scratch_item *a, const struct scratch_item *b)
{
    return a->size > b->size || (a->size == b->size && a->start < b->start);
}

static void pln_022_random_problems_give_the_reference_layout(void **state)
{
    (void)state;
    assert_reference_layouts("greedy_by_size", is_larger, random_sample, 1500);
}

static void crowds_give_the_reference_layout_too(void **state)
{
    (void)state;
    assert_reference_layouts("greedy_by_size", is_larger, crowded_sample, 30);
}

static void wide_and_clustered_problems_give_the_reference_layout_too(void **state)
{
    (void)state;
    assert_reference_layouts("greedy_by_size", is_larger, wide_or_clustered_sample, 1500);
}

/* Nobody leaves, so all of them stand one on the other, and a look at each that is there for each that comes would take minutes.
 */
static void a_hundred_thousand_alive_together_stand_in_one_pile(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct row *rows = calloc(COUNT, sizeof *rows);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = (struct row){3 * COUNT - i, i, 2 * COUNT - i};
    }
    assert_one_pile("greedy_by_size", rows, COUNT);
    free(rows);
}

static void a_pile_in_scattered_order_is_climbed_to_its_end(void **state)
{
    (void)state;
    /* 40 items that live together, then one that meets all: the extents come in start order, far from the order of offsets. */
    struct row rows[41];
    for (uint32_t i = 0; i < 40; i++) {
        rows[i] = (struct row){64 + (i * 17) % 40, i, 50};
    }
    rows[40] = (struct row){8, 0, 50};
    struct sample *sample = sample_new(rows, 41);
    sample_memory(sample, UINT64_MAX / 2, 1);
    struct slot expected[64];
    reference_first_fit(&sample->problem, is_larger, expected);
    struct solved solved = solve(sample, "greedy_by_size");
    assert_same_slots(&sample->problem, solved.layout.slots, expected, 0);
    assert_int_equal(solved.layout.used[0], 40 * 64 + 39 * 40 / 2 + 8);
    sample_free(sample);
}

static void the_life_index_finds_exactly_what_is_alive_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sample *sample = random_sample(seed);
        struct life_index index = life_index_new(&sample->problem, NULL, &sample->arena);
        uint32_t found[64];
        for (uint32_t i = 0; i < sample->problem.item_count; i++) {
            bool expected[64] = {false};
            size_t expected_count = 0;
            for (size_t k = 0; k < sample->problem.item_count; k++) {
                expected[k] = sample->items[i].start <= sample->items[k].end && sample->items[k].start <= sample->items[i].end;
                expected_count += expected[k];
            }
            assert_int_equal(life_index_meeting(&index, &sample->problem, i, found), expected_count);
            for (size_t k = 0; k < expected_count; k++) {
                assert_true(expected[found[k]]);
                expected[found[k]] = false;
            }
        }
        sample_free(sample);
    }
}

static void the_ordered_set_steps_like_a_row_of_flags(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct dice dice = {42};
    enum { BOUND = 5000 };
    static const size_t bounds[] = {1, 63, 64, 65, BOUND};
    for (size_t b = 0; b < COUNT_OF(bounds); b++) {
        struct ordered_set set = ordered_set_new(&arena, bounds[b]);
        bool member[BOUND] = {false};
        for (int round = 0; round < 400; round++) {
            uint32_t number = (uint32_t)throw_dice(&dice, bounds[b]);
            member[number] = throw_dice(&dice, 2) == 0;
            if (member[number]) {
                ordered_set_add(&set, number);
            } else {
                ordered_set_remove(&set, number);
            }
            uint32_t from = (uint32_t)throw_dice(&dice, bounds[b] + 1);
            uint32_t next = from;
            while (next < bounds[b] && !member[next]) {
                next++;
            }
            assert_int_equal(ordered_set_next(&set, from), next < bounds[b] ? next : ORDERED_SET_NONE);
            uint32_t previous = from;
            while (previous > 0 && !member[previous - 1]) {
                previous--;
            }
            assert_int_equal(ordered_set_previous(&set, from), previous > 0 ? previous - 1 : ORDERED_SET_NONE);
        }
        ordered_set_clear(&set);
        assert_int_equal(ordered_set_next(&set, 0), ORDERED_SET_NONE);
        ordered_set_add(&set, 0);
        assert_int_equal(ordered_set_next(&set, 0), 0);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pln_003_the_largest_comes_first),
        cmocka_unit_test(pln_017_equal_sizes_go_by_start),
        cmocka_unit_test(pln_019_it_can_be_worse_than_greedy),
        cmocka_unit_test(pln_022_random_problems_give_the_reference_layout),
        cmocka_unit_test(crowds_give_the_reference_layout_too),
        cmocka_unit_test(wide_and_clustered_problems_give_the_reference_layout_too),
        cmocka_unit_test(a_hundred_thousand_alive_together_stand_in_one_pile),
        cmocka_unit_test(a_pile_in_scattered_order_is_climbed_to_its_end),
        cmocka_unit_test(the_life_index_finds_exactly_what_is_alive_together),
        cmocka_unit_test(the_ordered_set_steps_like_a_row_of_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
