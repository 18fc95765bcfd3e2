/* Reports read back and compared; also reports that nobody's tool wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "doc/doc.h"
#include "report/compare.h"

struct fixture {
    struct arena arena;
    struct diagnostics diagnostics;
};

static void start(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    fixture->diagnostics = diagnostics_start(&fixture->arena);
}

static bool decode(struct fixture *fixture, const char *text, struct compared **report)
{
    const uint32_t source = diag_add_source(&fixture->diagnostics, "r.json", (struct bytes){(const uint8_t *)text, strlen(text)});
    const struct node *root;
    assert_true(doc_parse(&fixture->arena, &fixture->diagnostics, source, &root));
    return compared_decode(&fixture->arena, &fixture->diagnostics, "r.json", root, report);
}

#define PLAN_HEAD                                                                                                                \
    "{\"schema\": \"helia-placement/plan/1\", \"plan_hash\": \"sha256:1\", \"soc\": \"s\", \"profile\": \"p\", "                 \
    "\"engine\": \"e\", \"planner\": {\"name\": \"greedy\"}, \"memory_plan\": {\"regions\": []}, "                               \
    "\"persistent_arenas\": {}, \"constant_arenas\": {}, "

static const char *tensor_text(struct fixture *fixture, const char *id, int offset, int size, const char *more)
{
    return arena_format(&fixture->arena,
                        "\"%s\": {\"memory\": \"DTCM\", \"offset\": %d, \"size\": %d, \"binding\": {\"role\": \"scratch\", "
                        "\"source_memory\": \"DTCM\"}%s}",
                        id, offset, size, more);
}

/* a lives 0..1 with 100 B; b is its alias with 300 B; c lives 1..1 with 50 B. */
static const char *plan_text(struct fixture *fixture, int offset_of_c)
{
    return arena_format(&fixture->arena,
                        PLAN_HEAD "\"tensor_allocs\": {%s, %s, %s}, \"tensor_lifetimes\": {\"a\": {\"start_op\": 0, \"end_op\": "
                                  "1}, \"b\": {\"start_op\": 0, \"end_op\": 1}, \"c\": {\"start_op\": 1, \"end_op\": 1}}, "
                                  "\"arena_usages\": {\"DTCM\": {\"role\": \"scratch\", \"memory\": \"DTCM\", \"used\": 400}}}",
                        tensor_text(fixture, "a", 0, 100, ""), tensor_text(fixture, "b", 0, 300, ", \"alias_of\": \"a\""),
                        tensor_text(fixture, "c", offset_of_c, 50, ""));
}

static void an_alias_makes_its_roots_slot_larger(void **state)
{
    (void)state;
    struct fixture fixture;
    struct compared *report = NULL;
    start(&fixture);
    assert_true(decode(&fixture, plan_text(&fixture, 304), &report));
    assert_int_equal(report->tensor_count, 3);
    assert_int_equal(report->arena_count, 1);
    assert_int_equal(report->arenas[0].peak_live, 350); /* 300 + 50 at operator 1 */
    assert_true(compared_fragmentation(&report->arenas[0]) == 0.125);
    assert_int_equal(compared_total(report, "scratch"), 400);
    arena_free(&fixture.arena);
}

static void equal_hashes_are_held_to_what_they_stand_for(void **state)
{
    (void)state;
    struct fixture fixture;
    struct compared *a = NULL;
    struct compared *same = NULL;
    struct compared *other = NULL;
    struct comparison comparison;
    start(&fixture);
    assert_true(decode(&fixture, plan_text(&fixture, 304), &a));
    assert_true(decode(&fixture, plan_text(&fixture, 304), &same));
    assert_true(decode(&fixture, plan_text(&fixture, 320), &other));
    assert_true(compare_reports(&fixture.arena, &fixture.diagnostics, a, same, &comparison));
    assert_true(comparison.same_placement);
    assert_int_equal(comparison.moved.count, 0);
    assert_false(compare_reports(&fixture.arena, &fixture.diagnostics, a, other, &comparison));
    assert_int_equal(fixture.diagnostics.list.items[0].id, DIAG_HASH_CONTRADICTION);
    other->plan_hash = "sha256:2";
    assert_true(compare_reports(&fixture.arena, &fixture.diagnostics, a, other, &comparison));
    assert_true(comparison.comparable);
    assert_false(comparison.same_placement);
    assert_int_equal(comparison.moved.count, 1);
    assert_string_equal(comparison.moved.items[0].a->id, "c");
    arena_free(&fixture.arena);
}

static void what_is_no_report_is_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {
        "[]",
        "{}",
        "{\"schema\": [1]}",
        "{\"schema\": \"helia-placement/plan/2\"}",
        "{\"schema\": \"helia-placement/plan/1\"}",
        "{\"schema\": \"helia-placement/residency/1\"}",
        "{\"schema\": \"helia-placement/check/1\", \"memory_regions\": {}}",
        PLAN_HEAD "\"tensor_allocs\": {\"a\": 1}, \"tensor_lifetimes\": {}, \"arena_usages\": {}}",
        PLAN_HEAD "\"tensor_allocs\": {}, \"tensor_lifetimes\": [], \"arena_usages\": {}}",
        PLAN_HEAD "\"tensor_allocs\": {}, \"tensor_lifetimes\": {}, \"arena_usages\": {\"x\": null}}",
        PLAN_HEAD "\"tensor_allocs\": {}, \"tensor_lifetimes\": {}, \"arena_usages\": {\"x\": {\"role\": \"scratch\", "
                  "\"memory\": \"m\", \"used\": 99999999999999999999}}}",
        "{\"schema\": \"helia-placement/residency/1\", \"plan_hash\": \"h\", \"planner\": \"p\", \"arenas\": [], \"tensors\": "
        "[{\"id\": \"a\", \"memory\": \"m\", \"role\": \"r\", \"source_memory\": \"m\", \"offset\": 0, \"size\": 1, "
        "\"start_op\": 3, \"end_op\": 2}]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct fixture fixture;
        struct compared *report = NULL;
        start(&fixture);
        if (decode(&fixture, wrong[i], &report)) {
            fail_msg("accepted: %s", wrong[i]);
        }
        assert_null(report);
        assert_true(fixture.diagnostics.error_count > 0);
        arena_free(&fixture.arena);
    }
}

static void lives_must_be_there_for_every_tensor(void **state)
{
    (void)state;
    struct fixture fixture;
    struct compared *report = NULL;
    start(&fixture);
    const char *text = arena_format(&fixture.arena,
                                    PLAN_HEAD "\"tensor_allocs\": {%s}, \"tensor_lifetimes\": {}, "
                                              "\"arena_usages\": {}}",
                                    tensor_text(&fixture, "a", 0, 1, ""));
    assert_false(decode(&fixture, text, &report));
    assert_string_equal(fixture.diagnostics.list.items[0].message, "the life of tensor 'a' is missing");
    arena_free(&fixture.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alias_makes_its_roots_slot_larger),
        cmocka_unit_test(equal_hashes_are_held_to_what_they_stand_for),
        cmocka_unit_test(what_is_no_report_is_refused),
        cmocka_unit_test(lives_must_be_there_for_every_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
