/* The answer to a plan that does not fit. The hint is the documented one, letter by letter (OVF-001). */
#include "plan_fixture.h"

#define HINT(region)                                                                                                             \
    "  Hint: " region " is over capacity.  Try one of:\n"                                                                        \
    "    * shrink the tensor arena (--arena-size);\n"                                                                            \
    "    * pick a less-aggressive arena or weights placement;\n"                                                                 \
    "    * move weights to PSRAM (--weights-location psram) if the\n"                                                            \
    "      board has PSRAM;\n"                                                                                                   \
    "    * reduce model size (quantise / prune); or\n"                                                                           \
    "    * pick a larger-memory board.\n"

static void expect_text(struct fixture *fixture, const char *expected)
{
    struct text text = text_start(&fixture->arena);
    plan_overflow_text(fixture_plan(fixture), &text);
    assert_string_equal(text.data, expected);
}

static void ovf_001_the_documented_text(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 540672, 0, 0)->memory = DTCM;
    expect_text(&fixture, "Memory plan does not fit:\n"
                          "  DTCM: 540672 B used > 524288 B capacity (over by 16384 B)\n" HINT("DTCM"));
    fixture_free(&fixture);
}

static void ovf_007_a_line_for_each_region_in_registry_order(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 600000, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 4000000, 0, 0)->memory = SRAM;
    expect_text(&fixture, "Memory plan does not fit:\n"
                          "  SRAM: 4000000 B used > 3145728 B capacity (over by 854272 B)\n"
                          "  DTCM: 600000 B used > 524288 B capacity (over by 75712 B)\n" HINT("SRAM"));
    fixture_free(&fixture);
}

static void ovf_003_and_004_free_never_goes_below_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].capacity = fixture.memories[DTCM].physical = fixture.memories[DTCM].limit = 512;
    fixture.memories[SRAM].capacity = fixture.memories[SRAM].physical = fixture.memories[SRAM].limit = 1000;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 1024, 0, 0)->memory = DTCM;
    fixture_tensor(&fixture, "b", ROLE_SCRATCH, 400, 0, 0)->memory = SRAM;
    const struct memory_plan *plan = fixture_plan(&fixture);
    assert_true(plan->regions[DTCM].overflow);
    assert_int_equal(region_free(&plan->regions[DTCM]), 0);
    assert_false(plan->regions[SRAM].overflow);
    assert_int_equal(region_free(&plan->regions[SRAM]), 600);
    fixture_free(&fixture);
}

static void ovf_006_a_memory_of_no_bytes_overflows(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[PSRAM].capacity = fixture.memories[PSRAM].physical = fixture.memories[PSRAM].limit = 0;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 100, 0, 0)->memory = PSRAM;
    expect_text(&fixture, "Memory plan does not fit:\n"
                          "  PSRAM: 100 B used > 0 B capacity (over by 100 B)\n" HINT("PSRAM"));
    fixture_free(&fixture);
}

static void a_budget_is_named_as_what_it_is(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].limit = 4096;
    fixture.memories[DTCM].limit_is_budget = true;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 5000, 0, 0)->memory = DTCM;
    expect_text(&fixture, "Memory plan does not fit:\n"
                          "  DTCM: 5000 B used > 4096 B capacity (over by 904 B)\n"
                          "    that is the budget 'max_size'; DTCM offers 524288 B\n" HINT("DTCM"));
    fixture_free(&fixture);
}

static void between_window_and_memory_both_figures_are_named(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture.memories[DTCM].capacity = fixture.memories[DTCM].limit = 507904;
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 510000, 0, 0)->memory = DTCM;
    expect_text(&fixture, "Memory plan does not fit:\n"
                          "  DTCM: 510000 B used > 507904 B capacity (over by 2096 B)\n"
                          "    DTCM has 524288 B, of which linker profile 'sbl' gives the firmware 507904 B\n" HINT("DTCM"));
    fixture_free(&fixture);
}

static void the_last_byte_of_a_memory_may_be_used(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fixture_tensor(&fixture, "a", ROLE_SCRATCH, 524288, 0, 0)->memory = DTCM;
    assert_false(fixture_plan(&fixture)->has_overflow);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ovf_001_the_documented_text),
        cmocka_unit_test(ovf_007_a_line_for_each_region_in_registry_order),
        cmocka_unit_test(ovf_003_and_004_free_never_goes_below_nothing),
        cmocka_unit_test(ovf_006_a_memory_of_no_bytes_overflows),
        cmocka_unit_test(a_budget_is_named_as_what_it_is),
        cmocka_unit_test(between_window_and_memory_both_figures_are_named),
        cmocka_unit_test(the_last_byte_of_a_memory_may_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
