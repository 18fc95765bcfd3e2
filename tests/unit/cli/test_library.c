/* The C library: the data model's defaults and functions, plans and reports from a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helia_placement.h"

static char folder[] = "/tmp/helia-library-XXXXXX";
static char model[64];

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static int start(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(model, sizeof model, "%s/model.yaml", folder);
    write_file(model, "tensors:\n"
                      "  - {id: a, type: scratch, size: 1024, start_op: 0, end_op: 1}\n"
                      "  - {id: b, type: scratch, size: 2048, start_op: 1, end_op: 2, name: second}\n"
                      "  - {id: c, type: scratch, size: 1024, start_op: 2, end_op: 3}\n"
                      "  - {id: w, type: constant, size: 100, start_op: 0, end_op: 0}\n"
                      "  - {id: p, type: persistent, size: 32, start_op: 0, end_op: 3}\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    remove(model);
    rmdir(folder);
    return 0;
}

/* REQ-DEF-017 and 018. */
static void lifetimes_widen(void **state)
{
    (void)state;
    struct helia_tensor_lifetime lifetime = {"t", 3, 5};
    helia_tensor_lifetime_add_op(&lifetime, 4);
    assert_int_equal(lifetime.start_op, 3);
    assert_int_equal(lifetime.end_op, 5);
    helia_tensor_lifetime_add_op(&lifetime, 1);
    helia_tensor_lifetime_add_op(&lifetime, 9);
    assert_int_equal(lifetime.start_op, 1);
    assert_int_equal(lifetime.end_op, 9);
    helia_tensor_lifetime_merge(&lifetime, &(struct helia_tensor_lifetime){"u", 0, 4});
    assert_int_equal(lifetime.start_op, 0);
    assert_int_equal(lifetime.end_op, 9);
}

/* REQ-DEF-022, 027, 029, 053. */
static void arenas_have_the_documented_defaults(void **state)
{
    (void)state;
    struct helia_arena_usage arena = helia_arena_usage_make("DTCM");
    assert_int_equal(arena.total_size, 0);
    assert_int_equal(arena.used, 0);
    assert_int_equal(arena.role, HELIA_SCRATCH);
    assert_null(arena.source_memory);
    assert_int_equal(arena.alignment, 16);
    assert_false(helia_arena_usage_is_staged(&arena));
    arena.source_memory = "DTCM";
    assert_false(helia_arena_usage_is_staged(&arena));
    arena.source_memory = "MRAM";
    assert_true(helia_arena_usage_is_staged(&arena));
    assert_int_equal(helia_arena_usage_allocate(&arena, 100), 0);
    assert_int_equal(helia_arena_usage_allocate(&arena, 28), 100);
    assert_int_equal(arena.used, 128);
    assert_int_equal(arena.total_size, 128);
    assert_true(helia_arena_usage_allocate(&arena, UINT64_MAX - 64) == UINT64_MAX);
    assert_int_equal(arena.used, 128);
}

/* REQ-DEF-030 to 033, 042, 046, 049. */
static void constraints_attributes_and_planners_have_theirs(void **state)
{
    (void)state;
    struct helia_memory_constraint constraint = helia_memory_constraint_make("SRAM");
    assert_true(constraint.max_size == HELIA_NO_LIMIT);
    assert_int_equal(constraint.arena_alignment, 0);
    assert_string_equal(helia_tensor_attributes_make().memory, "DTCM");
    assert_null(helia_tensor_attributes_make().constant_destination_memory);
    assert_string_equal(helia_planner_name(HELIA_GREEDY), "greedy");
    assert_string_equal(helia_planner_name(HELIA_GREEDY_BY_SIZE), "greedy_by_size");
    assert_string_equal(helia_planner_name(HELIA_HILL_CLIMB), "hill_climb");
    assert_null(helia_planner_name((enum helia_planner_type)3));
}

static void a_plan_answers_for_every_tensor(void **state)
{
    (void)state;
    const struct helia_plan_options options = {.soc = "apollo510", .model = model, .planner = "greedy"};
    struct helia_plan *plan;
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_DONE);
    assert_string_equal(helia_plan_messages(plan), "");
    assert_int_equal(strncmp(helia_plan_hash(plan), "sha256:", 7), 0);

    /* PLN-001: a at 0, b behind it, c in a's place; by id and by name. */
    assert_int_equal(helia_plan_get_allocation(plan, "a")->offset, 0);
    assert_int_equal(helia_plan_get_allocation(plan, "second")->offset, 1024);
    assert_int_equal(helia_plan_get_allocation(plan, "c")->offset, 0);
    const struct helia_tensor_allocation *weights = helia_plan_get_allocation(plan, "w");
    assert_int_equal(weights->binding->role, HELIA_CONSTANT);
    assert_string_equal(weights->memory, "MRAM");
    assert_string_equal(weights->binding->source_memory, "MRAM");

    size_t count;
    const struct helia_tensor_lifetime *lifetimes = helia_plan_lifetimes(plan, &count);
    assert_int_equal(count, 5);
    assert_string_equal(lifetimes[1].tensor_id, "b");
    assert_int_equal(lifetimes[1].start_op, 1);
    assert_int_equal(lifetimes[1].end_op, 2);
    const struct helia_arena_usage *arenas = helia_plan_arenas(plan, &count);
    assert_int_equal(count, 3);
    assert_int_equal(arenas[0].role, HELIA_SCRATCH);
    assert_int_equal(arenas[0].used, 3072);
    assert_int_equal(arenas[1].role, HELIA_PERSISTENT);
    assert_int_equal(arenas[2].role, HELIA_CONSTANT);

    /* REQ-DEF-041: not found, and the message names the id. */
    assert_null(helia_plan_get_allocation(plan, "nothing"));
    assert_non_null(strstr(helia_plan_messages(plan), "'nothing'"));
    helia_plan_free(plan);
}

static void two_plans_know_nothing_of_each_other(void **state)
{
    (void)state;
    const struct helia_plan_options first_options = {.soc = "apollo510", .model = model};
    const struct helia_plan_options second_options = {.soc = "apollo4p", .model = model};
    struct helia_plan *first;
    struct helia_plan *second;
    assert_int_equal(helia_plan_make(&first_options, &first), HELIA_DONE);
    assert_int_equal(helia_plan_make(&second_options, &second), HELIA_DONE);
    assert_string_not_equal(helia_plan_hash(first), helia_plan_hash(second));
    helia_plan_free(first);
    assert_non_null(strstr(helia_plan_json(second), "\"soc\": \"apollo4p\""));
    helia_plan_free(second);
}

static void a_plan_that_does_not_fit_says_so(void **state)
{
    (void)state;
    const struct helia_memory_constraint constraints[] = {{"DTCM", 64, 0}, {"SRAM", 64, 0}};
    const struct helia_plan_options options = {
        .soc = "apollo510", .model = model, .constraints = constraints, .constraint_count = 2};
    struct helia_plan *plan;
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_ANSWER_NO);
    assert_non_null(strstr(helia_plan_messages(plan), "Error: Memory plan does not fit:"));
    assert_int_equal(helia_plan_generate(plan, folder), HELIA_ANSWER_NO);
    helia_plan_free(plan);
}

static void wrong_input_is_told_apart_from_the_environment(void **state)
{
    (void)state;
    struct helia_plan *plan;
    struct helia_plan_options options = {.soc = "apolo510", .model = model};
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_BAD_INPUT);
    assert_non_null(strstr(helia_plan_messages(plan), "did you mean 'apollo510'?"));
    helia_plan_free(plan);
    options = (struct helia_plan_options){.soc = "apollo510", .model = "/nonexistent/model.yaml"};
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_ENVIRONMENT);
    helia_plan_free(plan);
    const struct helia_memory_constraint hostile = {"DTCM\", max_size: 1}, {name: \"SRAM", 64, 0};
    options = (struct helia_plan_options){.soc = "apollo510", .model = model, .constraints = &hostile, .constraint_count = 1};
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_BAD_INPUT);
    assert_non_null(strstr(helia_plan_messages(plan), "[unknown-memory]"));
    helia_plan_free(plan);
}

static void a_failure_does_not_stay(void **state)
{
    (void)state;
    const struct helia_plan_options options = {.model = model, .soc = "apollo510"};
    struct helia_plan *plan;
    char occupied[96], free_folder[96], command[128];
    snprintf(occupied, sizeof occupied, "%s/model.yaml/out", folder); /* below a file there is no folder */
    snprintf(free_folder, sizeof free_folder, "%s/out", folder);
    assert_int_equal(helia_plan_make(&options, &plan), HELIA_DONE);
    assert_int_equal(helia_plan_generate(plan, occupied), HELIA_ENVIRONMENT);
    assert_int_equal(helia_plan_generate(plan, free_folder), HELIA_DONE);
    assert_int_equal(helia_plan_generate(plan, occupied), HELIA_ENVIRONMENT);
    helia_plan_free(plan);
    snprintf(command, sizeof command, "rm -r %s", free_folder);
    assert_int_equal(system(command), 0);
}

static void a_report_of_nothing(void **state)
{
    (void)state;
    const struct helia_check_options options = {.elf = NULL};
    struct helia_report *report;
    assert_int_equal(helia_check(&options, &report), HELIA_BAD_INPUT);
    assert_non_null(strstr(helia_report_messages(report), "an argument is missing"));
    helia_report_free(report);
}

static void a_report_of_what_is_no_image(void **state)
{
    (void)state;
    const struct helia_check_options options = {.elf = model, .soc = "apollo510"};
    struct helia_report *report;
    assert_int_equal(helia_check(&options, &report), HELIA_BAD_INPUT);
    assert_non_null(strstr(helia_report_messages(report), "[image-not-elf]"));
    assert_string_equal(helia_report_table(report), "");
    helia_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetimes_widen),
        cmocka_unit_test(arenas_have_the_documented_defaults),
        cmocka_unit_test(constraints_attributes_and_planners_have_theirs),
        cmocka_unit_test(a_plan_answers_for_every_tensor),
        cmocka_unit_test(two_plans_know_nothing_of_each_other),
        cmocka_unit_test(a_plan_that_does_not_fit_says_so),
        cmocka_unit_test(wrong_input_is_told_apart_from_the_environment),
        cmocka_unit_test(a_failure_does_not_stay),
        cmocka_unit_test(a_report_of_nothing),
        cmocka_unit_test(a_report_of_what_is_no_image),
    };
    return cmocka_run_group_tests(tests, start, end);
}
