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

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){.data = (const uint8_t *)text, .size = strlen(text)};
}

static const char *rendered(struct diagnostics *diagnostics)
{
    struct text out = text_start(&arena);
    diag_render_text(diagnostics, false, &out);
    return out.data;
}

/* One error "wrong" at a place of a text; what is rendered below the first line. */
static const char *excerpt_of(const char *text, uint32_t line, uint32_t column, uint32_t length)
{
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t source = diag_add_source(&diagnostics, "a", bytes_of(text));
    struct span span = {.source = source, .line = line, .column = column, .length = length};
    diag_report(&diagnostics, DIAG_BAD_VALUE, span, "wrong");
    return strchr(rendered(&diagnostics), '\n') + 1;
}

static void a_finding_with_notes(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t source = diag_add_source(&diagnostics, "placement.yaml", bytes_of("a:\n  b: 1\nmemory: DTMC\n"));
    struct span span = {.source = source, .line = 3, .column = 9, .length = 4};
    struct diag *diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, span, "unknown memory '%s'", "DTMC");
    diag_note(&diagnostics, diag, (struct span){.source = source, .line = 1, .column = 1}, "did you mean '%s'?", "DTCM");
    diag_note(&diagnostics, diag, SPAN_NONE, "known memories: DTCM, SRAM");
    assert_string_equal(rendered(&diagnostics), "placement.yaml:3:9: error: unknown memory 'DTMC' [unknown-choice]\n"
                                                "   3 | memory: DTMC\n"
                                                "     |         ^~~~\n"
                                                "placement.yaml:1:1: note: did you mean 'DTCM'?\n"
                                                "note: known memories: DTCM, SRAM\n");
}

static void places_without_a_line(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t model = diag_add_source(&diagnostics, "model.tflite", (struct bytes){0});
    diag_report(&diagnostics, DIAG_USAGE, SPAN_NONE, "no command");
    struct diag *diag = diag_report(&diagnostics, DIAG_BAD_VALUE, (struct span){.source = model}, "has no shape");
    diag_place(&diagnostics, diag, "tensor %d '%s'", 7, "conv1");
    assert_string_equal(rendered(&diagnostics), "helia-placement: error: no command [usage]\n"
                                                "model.tflite: error: tensor 7 'conv1': has no shape [bad-value]\n");
}

static void column_0_shows_the_line_alone(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t source = diag_add_source(&diagnostics, "a", bytes_of("one\ntwo"));
    diag_report(&diagnostics, DIAG_BAD_VALUE, (struct span){.source = source, .line = 2}, "wrong");
    assert_string_equal(rendered(&diagnostics), "a:2: error: wrong [bad-value]\n   2 | two\n");
}

static void carets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column, length;
        const char *excerpt;
    } ROWS[] = {
        {"abc", 1, 2, 0, "   1 | abc\n     |  ^\n"},
        {"abc", 1, 2, 1, "   1 | abc\n     |  ^\n"},
        {"abc", 1, 2, 2, "   1 | abc\n     |  ^~\n"},
        {"abc", 1, 2, 99, "   1 | abc\n     |  ^~\n"}, /* not beyond the line */
        {"abc", 1, 4, 1, "   1 | abc\n     |    ^\n"}, /* just behind it: something is missing here */
        {"abc", 1, 4294967295U, 4294967295U, "   1 | abc\n     |    ^\n"},
        {"abc\r\ndef\r\n", 1, 3, 9, "   1 | abc\n     |   ^\n"},
        {"abc\n", 2, 1, 1, "   2 |\n     | ^\n"}, /* the end of the text */
        {"abc\n", 3, 1, 1, ""},                   /* no such line */
        {"", 1, 1, 1, ""},                        /* no text */
        {"\ta\tb c", 1, 4, 1, "   1 | \ta\tb c\n     | \t \t^\n"},
        {"\xC3\xA4\xC3\xB6=\xC3\xBCx", 1, 6, 3, "   1 | \xC3\xA4\xC3\xB6=\xC3\xBCx\n     |    ^~\n"}, /* one column a character */
        {"a\x1B[31m\xFF"
         "b",
         1, 8, 1, "   1 | a?[31m?b\n     |        ^\n"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        assert_string_equal(excerpt_of(ROWS[i].text, ROWS[i].line, ROWS[i].column, ROWS[i].length), ROWS[i].excerpt);
    }
}

static void line_numbers_of_any_width(void **state)
{
    (void)state;
    struct text text = text_start(&arena);
    text_add_repeated(&text, '\n', 123455);
    text_add(&text, "x: y");
    assert_string_equal(excerpt_of(text.data, 123456, 4, 1), "123456 | x: y\n       |    ^\n");
    assert_string_equal(excerpt_of(text.data, 9999, 1, 1), "9999 |\n     | ^\n");
}

static void long_lines_are_cut_around_the_column(void **state)
{
    (void)state;
    struct text text = text_start(&arena);
    for (int i = 0; i < 100; i++) {
        text_print(&text, "%04d ", i); /* 500 bytes */
    }
    /* start: the first 120 bytes */
    const char *excerpt = excerpt_of(text.data, 1, 6, 4);
    assert_true(text_starts_with(excerpt, "   1 | 0000 0001 0002 "));
    assert_non_null(strstr(excerpt, " 0023 ...\n     |      ^~~~\n"));
    /* middle: "0050" is byte 250 counted from 0; 60 bytes stand before it, which begin with "0038" */
    excerpt = excerpt_of(text.data, 1, 251, 4);
    assert_true(text_starts_with(excerpt, "   1 | ...0038 0039 "));
    assert_non_null(strstr(excerpt, " 0061 ...\n"));
    const char *caret_line = strchr(excerpt, '\n') + 1;
    assert_int_equal(strchr(caret_line, '^') - caret_line, 7 + 3 + 60);
    assert_int_equal(strstr(excerpt, "0050") - excerpt, 7 + 3 + 60);
    /* end: the last 120 bytes */
    excerpt = excerpt_of(text.data, 1, 501, 1);
    assert_true(text_starts_with(excerpt, "   1 | ...0076 0077 "));
    assert_non_null(strstr(excerpt, " 0099 \n"));
}

static void cuts_keep_characters_whole(void **state)
{
    (void)state;
    struct text text = text_start(&arena);
    text_add(&text, "x");
    for (int i = 0; i < 300; i++) {
        text_add(&text, "\xE2\x82\xAC"); /* three bytes each */
    }
    for (uint32_t column = 1; column <= 902; column++) {
        const char *excerpt = excerpt_of(text.data, 1, column, 1);
        assert_true(text_is_utf8(excerpt, strlen(excerpt)));
        assert_null(strchr(excerpt, '?'));
        assert_true(strchr(excerpt, '\n') - excerpt <= 7 + 3 + 120 + 3 + 3);
    }
}

/* No text, however odd, and no span can make the renderer read outside or emit a control character. */
static void any_text_and_span(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < 2000; round++) {
        char text[301] = {0};
        size_t size = (size_t)round % 300 + 1;
        for (size_t i = 0; i < size; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            text[i] = (char)(random >> 40 | 1); /* never NUL */
            if (random % 67 == 0) {
                text[i] = '\n';
            }
        }
        const char *excerpt =
            excerpt_of(text, (uint32_t)(random % 4), (uint32_t)(random >> 9) % 320, (uint32_t)(random >> 20) % 400);
        assert_true(text_is_utf8(excerpt, strlen(excerpt)));
        for (const char *c = excerpt; *c != '\0'; c++) {
            assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t');
        }
    }
}

static void findings_are_ordered_by_place(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t first = diag_add_source(&diagnostics, "z", (struct bytes){0});
    uint32_t second = diag_add_source(&diagnostics, "a", (struct bytes){0});
    const struct span spans[] = {{second, 1, 1, 0}, {first, 10, 2, 0}, {first, 10, 1, 0}, {first, 9, 5, 0},
                                 {first, 10, 1, 0}, SPAN_NONE,         {first, 0, 0, 0}};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        diag_report(&diagnostics, DIAG_BAD_VALUE, spans[i], "%c", 'A' + (int)i);
    }
    assert_string_equal(rendered(&diagnostics), "helia-placement: error: F [bad-value]\n"
                                                "z: error: G [bad-value]\n"
                                                "z:9:5: error: D [bad-value]\n"
                                                "z:10:1: error: C [bad-value]\n"
                                                "z:10:1: error: E [bad-value]\n"
                                                "z:10:2: error: B [bad-value]\n"
                                                "a:1:1: error: A [bad-value]\n");
}

static void dropped_findings_are_named_last(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    for (int i = 0; i <= DIAG_LIMIT; i++) {
        diag_report(&diagnostics, DIAG_BAD_VALUE, SPAN_NONE, "wrong");
    }
    assert_true(text_ends_with(rendered(&diagnostics), "[bad-value]\nhelia-placement: 1 more finding is not shown\n"));
    diag_report(&diagnostics, DIAG_BAD_VALUE, SPAN_NONE, "wrong");
    assert_true(text_ends_with(rendered(&diagnostics), "[bad-value]\nhelia-placement: 2 more findings are not shown\n"));
    struct text out = text_start(&arena);
    diag_render_json(&diagnostics, &out);
    assert_true(text_ends_with(out.data, "], \"dropped\": 2}\n"));
}

static void colors_only_when_asked(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    diagnostics.levels[DIAG_BAD_VALUE] = DIAG_WARNING;
    uint32_t source = diag_add_source(&diagnostics, "a", bytes_of("xy"));
    struct span span = {.source = source, .line = 1, .column = 1, .length = 2};
    diag_report(&diagnostics, DIAG_WRONG_KIND, span, "one");
    diag_note(&diagnostics, diag_report(&diagnostics, DIAG_BAD_VALUE, span, "two"), SPAN_NONE, "three");
    struct text out = text_start(&arena);
    diag_render_text(&diagnostics, true, &out);
    assert_string_equal(out.data, "a:1:1: \033[1;31merror:\033[0m one [wrong-kind]\n"
                                  "   1 | xy\n"
                                  "     | \033[32m^~\033[0m\n"
                                  "a:1:1: \033[35mwarning:\033[0m two [bad-value]\n"
                                  "   1 | xy\n"
                                  "     | \033[32m^~\033[0m\n"
                                  "\033[36mnote:\033[0m three\n");
    assert_null(strchr(rendered(&diagnostics), '\033'));
}

static void paths_cannot_steer_the_terminal(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t source = diag_add_source(&diagnostics, "a\033[2J\n", (struct bytes){0});
    diag_report(&diagnostics, DIAG_BAD_VALUE, (struct span){.source = source}, "wrong");
    assert_string_equal(rendered(&diagnostics), "a?[2J?: error: wrong [bad-value]\n");
}

static void as_json(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    uint32_t source = diag_add_source(&diagnostics, "p.yaml", bytes_of("memory: DTMC\n"));
    struct span span = {.source = source, .line = 1, .column = 9, .length = 4};
    struct diag *diag = diag_report(&diagnostics, DIAG_UNKNOWN_CHOICE, span, "unknown memory \"%s\"", "DTMC");
    diag_note(&diagnostics, diag, SPAN_NONE, "known memories: DTCM");
    diag = diag_report(&diagnostics, DIAG_USAGE, SPAN_NONE, "no");
    diag_place(&diagnostics, diag, "offset 0x40");
    struct text out = text_start(&arena);
    diag_render_json(&diagnostics, &out);
    assert_string_equal(
        out.data,
        "{\"schema\": \"helia-placement/diagnostics/1\", \"diagnostics\": ["
        "{\"id\": \"usage\", \"level\": \"error\", \"message\": \"no\", \"file\": null, \"line\": null, \"column\": null, "
        "\"length\": null, \"place\": \"offset 0x40\", \"source_line\": null, \"notes\": []}, "
        "{\"id\": \"unknown-choice\", \"level\": \"error\", \"message\": \"unknown memory \\\"DTMC\\\"\", \"file\": \"p.yaml\", "
        "\"line\": 1, \"column\": 9, \"length\": 4, \"place\": null, \"source_line\": \"memory: DTMC\", \"notes\": ["
        "{\"message\": \"known memories: DTCM\", \"file\": null, \"line\": null, \"column\": null, \"length\": null}]}]}\n");
}

static void nothing_to_say(void **state)
{
    (void)state;
    struct diagnostics diagnostics = diagnostics_start(&arena);
    assert_string_equal(rendered(&diagnostics), "");
    struct text out = text_start(&arena);
    diag_render_json(&diagnostics, &out);
    assert_string_equal(out.data, "{\"schema\": \"helia-placement/diagnostics/1\", \"diagnostics\": []}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_finding_with_notes, give_back),
        cmocka_unit_test_teardown(places_without_a_line, give_back),
        cmocka_unit_test_teardown(column_0_shows_the_line_alone, give_back),
        cmocka_unit_test_teardown(carets, give_back),
        cmocka_unit_test_teardown(line_numbers_of_any_width, give_back),
        cmocka_unit_test_teardown(long_lines_are_cut_around_the_column, give_back),
        cmocka_unit_test_teardown(cuts_keep_characters_whole, give_back),
        cmocka_unit_test_teardown(any_text_and_span, give_back),
        cmocka_unit_test_teardown(findings_are_ordered_by_place, give_back),
        cmocka_unit_test_teardown(dropped_findings_are_named_last, give_back),
        cmocka_unit_test_teardown(colors_only_when_asked, give_back),
        cmocka_unit_test_teardown(paths_cannot_steer_the_terminal, give_back),
        cmocka_unit_test_teardown(as_json, give_back),
        cmocka_unit_test_teardown(nothing_to_say, give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
