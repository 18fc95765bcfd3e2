/* The automatic policy: the cases of the corpus (area auto_placement), number by number. */
#include "resolving.h"

#include "placement/coarse.h"

struct policy_case {
    const char *id;
    uint64_t tcm, sram, arena, weights;
    enum location arena_location, weights_location;
};

static const struct policy_case cases[] = {
    {"AUTO-001", 524288, 3145728, 65536, 2048, LOCATION_TCM, LOCATION_TCM},
    {"AUTO-002", 524288, 3145728, 262144, 307200, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-003", 524288, 3145728, 614400, 307200, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-004", 524288, 3145728, 262144, 102400, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-005", 524288, 3145728, 131072, 276848, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-006", 524288, 3145728, 30720, 51200, LOCATION_TCM, LOCATION_TCM},
    {"AUTO-007", 524288, 3145728, 65536, 196608, LOCATION_TCM, LOCATION_TCM},
    {"AUTO-009", 524288, 3145728, 393216, 1, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-011", 524288, 3145728, 262144, 716800, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-012", 524288, 3145728, 262144, 3112960, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-014", 524288, 3145728, 0, 1000, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-015", 524288, 3145728, 65536, 0, LOCATION_TCM, LOCATION_MRAM},
    {"AUTO-016", 524288, 3145728, 1048576, 5242880, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-017", 524288, 3145728, 3112960, 1000, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-018", 245760, 1835008, 30720, 51200, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-020", 245760, 1835008, 114689, 1000, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-021", 245760, 1835008, 262144, 307200, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-024", 393216, 1048576, 262144, 102400, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-025", 393216, 1048576, 262144, 5242880, LOCATION_TCM, LOCATION_MRAM},
    {"AUTO-026", 393216, 1048576, 393216, 1, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-027", 65536, 716800, 1024, 1024, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-028", 65536, 716800, 30720, 51200, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-029", 65536, 716800, 262144, 307200, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-030", 507904, 3145728, 30720, 51200, LOCATION_TCM, LOCATION_TCM},
    {"AUTO-031", 507904, 3145728, 65536, 196608, LOCATION_TCM, LOCATION_SRAM},
    {"AUTO-032", 507904, 3145728, 393216, 1, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-OVF-1", 524288, 3145728, 3145729, 10, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-OVF-2", 524288, 3145728, 3112961, 1000, LOCATION_SRAM, LOCATION_MRAM},
    {"AUTO-PSRAM", 524288, 3145728, 4194304, 67000000, LOCATION_SRAM, LOCATION_MRAM},
};

static struct policy_question question_of(const struct policy_case *row)
{
    return (struct policy_question){
        .tcm = row->tcm,
        .sram = row->sram,
        .tcm_limit = row->tcm,
        .sram_limit = row->sram,
        .tcm_slack = 131072,
        .sram_slack = 32768,
        .arena = row->arena,
        .weights = row->weights,
        .arena_may_use_tcm = true,
        .weights_follow_policy = true,
    };
}

static void every_case_of_the_corpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct policy_question question = question_of(&cases[i]);
        struct policy_answer answer = policy_decide(&question);
        if (answer.arena != cases[i].arena_location || answer.weights != cases[i].weights_location) {
            fail_msg("%s: arena %s, weights %s", cases[i].id, location_names[answer.arena], location_names[answer.weights]);
        }
    }
}

static void auto_ovf_2_says_that_the_slack_is_dropped(void **state)
{
    (void)state;
    struct policy_question question = question_of(&(struct policy_case){"", 524288, 3145728, 3112961, 1000, 0, 0});
    assert_true(policy_decide(&question).slack_dropped);
    question.arena = 3112960;
    assert_false(policy_decide(&question).slack_dropped);
    question.arena = 3145729; /* an overflow: the plan says it, no need to speak of slack */
    assert_false(policy_decide(&question).slack_dropped);
}

static void a_pinned_arena_leaves_the_weights_automatic(void **state)
{
    (void)state;
    struct policy_question question = question_of(&(struct policy_case){"", 524288, 3145728, 65536, 2048, 0, 0});
    const enum location sram = LOCATION_SRAM;
    question.arena_pin = &sram;
    assert_int_equal(policy_decide(&question).arena, LOCATION_SRAM);
    assert_int_equal(policy_decide(&question).weights, LOCATION_MRAM);
    const enum location tcm = LOCATION_TCM;
    question.arena_pin = &tcm;
    assert_int_equal(policy_decide(&question).weights, LOCATION_TCM);
}

/* Without slack the physical size alone would let in what the plan then refuses; the next tier has room. */
static void nothing_goes_where_a_window_or_budget_refuses_it(void **state)
{
    (void)state;
    struct policy_question question = question_of(&(struct policy_case){"", 524288, 3145728, 507904, 1000, 0, 0});
    question.tcm_slack = 0;
    question.tcm_limit = 507904;
    assert_int_equal(policy_decide(&question).arena, LOCATION_TCM);
    assert_int_equal(policy_decide(&question).weights, LOCATION_SRAM); /* 508904 together pass the window */
    question.sram_limit = 999;
    assert_int_equal(policy_decide(&question).weights, LOCATION_MRAM);
    question.tcm_limit = 507903;
    assert_int_equal(policy_decide(&question).arena, LOCATION_SRAM);
    assert_false(policy_decide(&question).slack_dropped); /* an overflow of SRAM's budget, too: the plan says it */
}

static void an_arena_that_an_npu_must_reach_stays_out_of_tcm(void **state)
{
    (void)state;
    struct policy_question question = question_of(&(struct policy_case){"", 507904, 3145728, 30720, 51200, 0, 0});
    question.arena_may_use_tcm = false;
    assert_int_equal(policy_decide(&question).arena, LOCATION_SRAM);
}

static void sums_that_wrap_do_not_fit(void **state)
{
    (void)state;
    struct policy_question question =
        question_of(&(struct policy_case){"", 524288, 3145728, UINT64_MAX - 5, UINT64_MAX - 5, 0, 0});
    assert_int_equal(policy_decide(&question).arena, LOCATION_SRAM);
    assert_int_equal(policy_decide(&question).weights, LOCATION_MRAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_of_the_corpus),
        cmocka_unit_test(auto_ovf_2_says_that_the_slack_is_dropped),
        cmocka_unit_test(a_pinned_arena_leaves_the_weights_automatic),
        cmocka_unit_test(nothing_goes_where_a_window_or_budget_refuses_it),
        cmocka_unit_test(an_arena_that_an_npu_must_reach_stays_out_of_tcm),
        cmocka_unit_test(sums_that_wrap_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
