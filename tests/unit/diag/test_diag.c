#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "diag/diag.h"

static struct arena arena;

static int give_back(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static bool is_name(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        if (!(*c == '-' || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'))) {
            return false;
        }
    }
    return name[0] != '\0';
}

static void rows_are_complete_and_names_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIAG_ID_COUNT; i++) {
        const struct diag_row *row = diag_row((enum diag_id)i);
        assert_true(is_name(row->name));
        assert_false(text_starts_with(row->name, "no-"));
        assert_true(text_ends_with(row->meaning, "."));
        assert_true(text_ends_with(row->remedy, "."));
        assert_int_equal(diag_id_by_name(row->name), i);
    }
    assert_int_equal(diag_id_by_name("no such name"), DIAG_ID_COUNT);
    assert_string_equal(diag_row(DIAG_USAGE)->name, "usage");
}

static void findings_are_kept_and_counted(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    assert_int_equal(diagnostics.error_count, 0);
    uint32_t source = diag_add_source(&diagnostics, "a.yaml", (struct bytes){0});
    assert_int_equal(source, 1);
    struct span span = {.source = source, .line = 2, .column = 3};
    struct diag *diag = diag_report(&diagnostics, DIAG_BAD_VALUE, span, "size %d is \x1B[2J odd\n", 7);
    assert_string_equal(diag->message, "size 7 is ?[2J odd?");
    diag_note(&diagnostics, diag, SPAN_NONE, "because of '%s'", "\t");
    diag_place(&diagnostics, diag, "tensor %d '%s'", 7, "\x07");
    assert_int_equal(diagnostics.error_count, 1);
    assert_int_equal(diagnostics.warning_count, 0);
    const struct diag *kept = &diagnostics.list.items[0];
    assert_int_equal(kept->id, DIAG_BAD_VALUE);
    assert_int_equal(kept->level, DIAG_ERROR);
    assert_int_equal(kept->span.line, 2);
    assert_int_equal(kept->notes.count, 1);
    assert_string_equal(kept->notes.items[0].message, "because of '?'");
    assert_string_equal(kept->place, "tensor 7 '?'");
}

static void sources_by_number(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    char path[] = "a.yaml";
    uint32_t first = diag_add_source(&diagnostics, path, (struct bytes){0});
    path[0] = 'x'; /* the sink keeps a copy */
    uint32_t second = diag_add_source(&diagnostics, "<command line>", (struct bytes){0});
    assert_string_equal(diag_source(&diagnostics, first)->path, "a.yaml");
    assert_string_equal(diag_source(&diagnostics, second)->path, "<command line>");
    assert_null(diag_source(&diagnostics, 0));
    assert_null(diag_source(&diagnostics, second + 1));
    struct span span = {.source = first, .line = 14, .column = 3};
    assert_string_equal(diag_span_text(&diagnostics, &arena, span), "a.yaml:14");
    assert_string_equal(diag_span_text(&diagnostics, &arena, (struct span){.source = second}), "<command line>");
    assert_string_equal(diag_span_text(&diagnostics, &arena, SPAN_NONE), "");
}

static void beyond_the_limit_findings_are_only_counted(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    for (int i = 0; i < DIAG_LIMIT + 3; i++) {
        struct diag *diag = diag_report(&diagnostics, DIAG_BAD_VALUE, SPAN_NONE, "number %d", i);
        assert_non_null(diag);
        diag_note(&diagnostics, diag, SPAN_NONE, "a note");
        diag_place(&diagnostics, diag, "a place");
    }
    assert_int_equal(diagnostics.list.count, DIAG_LIMIT);
    assert_int_equal(diagnostics.dropped, 3);
    assert_int_equal(diagnostics.error_count, DIAG_LIMIT + 3);
    assert_string_equal(diagnostics.list.items[DIAG_LIMIT - 1].message, "number 199");
    assert_int_equal(diagnostics.list.items[DIAG_LIMIT - 1].notes.count, 1);
}

/* A flood of dropped findings takes no memory. */
static void dropped_findings_take_no_memory(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    for (int i = 0; i < DIAG_LIMIT; i++) {
        diag_report(&diagnostics, DIAG_BAD_VALUE, SPAN_NONE, "number %d", i);
    }
    struct arena_mark before = arena_mark(&arena);
    struct diag *diag = diag_report(&diagnostics, DIAG_BAD_VALUE, SPAN_NONE, "%1000d", 1);
    diag_note(&diagnostics, diag, SPAN_NONE, "%1000d", 1);
    struct arena_mark after = arena_mark(&arena);
    assert_ptr_equal(before.block, after.block);
    assert_int_equal(before.used, after.used);
}

static enum diag_id any_warning(void)
{
    for (size_t i = 0; i < DIAG_ID_COUNT; i++) {
        if (diag_row((enum diag_id)i)->level == DIAG_WARNING) {
            return (enum diag_id)i;
        }
    }
    print_message("no row of diag_ids.def is a warning\n");
    skip();
    return DIAG_ID_COUNT;
}

static bool configure(struct diagnostics *diagnostics, const char *prefix, enum diag_id id)
{
    return diag_configure(diagnostics, arena_format(&arena, "%s%s", prefix, diag_row(id)->name));
}

static void warnings_can_be_configured(void **state)
{
    (void)state;
    enum diag_id id = any_warning();
    struct diagnostics diagnostics = diagnostics_start(&arena);
    diag_report(&diagnostics, id, SPAN_NONE, "by default");
    assert_int_equal(diagnostics.warning_count, 1);

    assert_true(configure(&diagnostics, "no-", id));
    struct diag *silent = diag_report(&diagnostics, id, SPAN_NONE, "silent");
    diag_note(&diagnostics, silent, SPAN_NONE, "silent");
    assert_int_equal(diagnostics.list.count, 1);
    assert_int_equal(diagnostics.warning_count, 1);
    assert_int_equal(diagnostics.dropped, 0);

    assert_true(configure(&diagnostics, "error=", id));
    assert_int_equal(diag_report(&diagnostics, id, SPAN_NONE, "an error")->level, DIAG_ERROR);
    assert_int_equal(diagnostics.error_count, 1);

    assert_true(configure(&diagnostics, "", id));
    assert_int_equal(diag_report(&diagnostics, id, SPAN_NONE, "a warning again")->level, DIAG_WARNING);
    assert_int_equal(diagnostics.error_count, 1);
    assert_int_equal(diagnostics.warning_count, 2);
    assert_int_equal(diagnostics.list.count, 3);
}

static void what_is_no_warning_is_refused(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    static const char *const WRONG[] = {"",      "no-",      "error=",      "no-such", "error=no-such",
                                        "usage", "no-usage", "error=usage", "error",   "USAGE"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        assert_false(diag_configure(&diagnostics, WRONG[i]));
    }
    diag_report(&diagnostics, DIAG_USAGE, SPAN_NONE, "still an error");
    assert_int_equal(diagnostics.error_count, 1);
}

static void suggestions(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    static const char *const NAMES[] = {"DTCM", "SRAM"};
    struct diag *diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, SPAN_NONE, "unknown memory 'DTMC'");
    diag_suggest(&diagnostics, diag, "DTMC", "memories", NAMES, 2);
    assert_int_equal(diag->notes.count, 2);
    assert_string_equal(diag->notes.items[0].message, "did you mean 'DTCM'?");
    assert_string_equal(diag->notes.items[1].message, "known memories: DTCM, SRAM");

    diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, SPAN_NONE, "unknown memory 'flash'");
    diag_suggest(&diagnostics, diag, "flash", "memories", NAMES, 2);
    assert_int_equal(diag->notes.count, 1);
    assert_string_equal(diag->notes.items[0].message, "known memories: DTCM, SRAM");

    diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, SPAN_NONE, "unknown memory 'flash'");
    diag_suggest(&diagnostics, diag, "flash", "memories", NAMES, 0);
    assert_int_equal(diag->notes.count, 0);
}

static void at_most_twenty_names_are_listed(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    const char *names[23];
    for (int i = 0; i < 23; i++) {
        names[i] = arena_format(&arena, "%c", 'a' + i);
    }
    struct diag *diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, SPAN_NONE, "unknown");
    diag_suggest(&diagnostics, diag, "nothing near", "letters", names, 20);
    diag_suggest(&diagnostics, diag, "nothing near", "letters", names, 23);
    assert_string_equal(diag->notes.items[0].message,
                        "known letters: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t");
    assert_string_equal(diag->notes.items[1].message,
                        "known letters: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t and 3 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_are_complete_and_names_unique, give_back),
        cmocka_unit_test_teardown(findings_are_kept_and_counted, give_back),
        cmocka_unit_test_teardown(sources_by_number, give_back),
        cmocka_unit_test_teardown(beyond_the_limit_findings_are_only_counted, give_back),
        cmocka_unit_test_teardown(dropped_findings_take_no_memory, give_back),
        cmocka_unit_test_teardown(warnings_can_be_configured, give_back),
        cmocka_unit_test_teardown(what_is_no_warning_is_refused, give_back),
        cmocka_unit_test_teardown(suggestions, give_back),
        cmocka_unit_test_teardown(at_most_twenty_names_are_listed, give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
