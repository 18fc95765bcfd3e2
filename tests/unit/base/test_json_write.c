#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "base/json_write.h"

static void assert_json(struct json *root, bool compact, const char *expected)
{
    struct arena arena = {0};
    struct text out = text_start(&arena);
    json_finish(root, compact, &out);
    assert_string_equal(out.data, expected);
    arena_free(&arena);
}

static void keys_keep_their_order(void **state)
{
    (void)state;
    struct json *root = json_new_object();
    json_set(root, "zebra", json_size(1));
    json_set(root, "apple", json_text("x"));
    struct json *list = json_new_array();
    json_add(list, json_bool(true));
    json_add(list, json_bool(false));
    json_add(list, json_nothing());
    json_set(root, "middle", list);
    assert_json(root, true, "{\"zebra\": 1, \"apple\": \"x\", \"middle\": [true, false, null]}\n");
}

static void indented_by_two(void **state)
{
    (void)state;
    struct json *root = json_new_object();
    struct json *list = json_new_array();
    json_add(list, json_size(7));
    json_set(root, "list", list);
    json_set(root, "empty", json_new_object());
    assert_json(root, false, "{\n  \"list\": [\n    7\n  ],\n  \"empty\": {}\n}\n");
}

static struct json *sample_entry(void)
{
    struct json *entry = json_new_object();
    json_set(entry, "text", json_text("two\nlines, \"quoted\""));
    json_set(entry, "empty", json_new_array());
    struct json *list = json_new_array();
    json_add(list, json_number(0.25));
    json_add(list, json_new_object());
    json_set(entry, "list", list);
    return entry;
}

static void member_by_member_gives_the_same_text(void **state)
{
    (void)state;
    struct json *root = json_new_object();
    json_set(root, "first", json_size(1));
    struct json *object = json_new_object();
    json_set(object, "odd \" key\n", sample_entry());
    struct json *inner = json_new_array();
    json_add(inner, json_bool(true));
    json_add(inner, sample_entry());
    struct json *one = json_new_object();
    json_set(one, "one", json_size(1));
    json_add(inner, one);
    json_set(object, "inner", inner);
    json_set(root, "object", object);
    json_set(root, "nothing in it", json_new_object());
    json_set(root, "nor here", json_new_array());
    json_set(root, "last", sample_entry());
    struct arena arena = {0};
    struct text tree = text_start(&arena);
    json_finish(root, false, &tree);

    struct text text = text_start(&arena);
    struct json_stream stream = json_stream_start(&text);
    json_stream_set(&stream, "first", json_size(1));
    json_stream_enter_object(&stream, "object");
    json_stream_set(&stream, "odd \" key\n", sample_entry());
    json_stream_enter_array(&stream, "inner");
    json_stream_add(&stream, json_bool(true));
    json_stream_add(&stream, sample_entry());
    json_stream_enter_object(&stream, NULL);
    json_stream_set(&stream, "one", json_size(1));
    json_stream_leave(&stream);
    json_stream_leave(&stream);
    json_stream_leave(&stream);
    json_stream_enter_object(&stream, "nothing in it");
    json_stream_leave(&stream);
    json_stream_enter_array(&stream, "nor here");
    json_stream_leave(&stream);
    json_stream_set(&stream, "last", sample_entry());
    json_stream_finish(&stream);
    assert_string_equal(text.data, tree.data);

    text = text_start(&arena);
    stream = json_stream_start(&text);
    json_stream_finish(&stream);
    assert_string_equal(text.data, "{}\n");
    arena_free(&arena);
}

static void values(void **state)
{
    (void)state;
    static const double TENTH = 0.1;
    struct json *root = json_new_array();
    json_add(root, json_size(INT64_MAX));
    json_add(root, json_signed(INT64_MIN));
    json_add(root, json_number(TENTH));
    json_add(root, json_number(2.0 / 3.0));
    json_add(root, json_number(0.0));
    json_add(root, json_number((double)NAN));
    json_add(root, json_address(0x20000000));
    json_add(root, json_address(0x1c));
    json_add(root, json_address(UINT64_C(0x1ABCDEF01)));
    assert_json(root, true,
                "[9223372036854775807, -9223372036854775808, 0.1, 0.666667, 0.0, null, \"0x20000000\", "
                "\"0x0000001c\", \"0x1abcdef01\"]\n");
}

static void odd_text(void **state)
{
    (void)state;
    struct json *root = json_new_object();
    json_set(root, "bad\xFF", json_text("a\xC3(\xE2\x82"));
    json_set(root, "quoted", json_text("\"\\\n\x01"));
    json_set(root, "letters", json_text("\xC3\xA4\xF0\x9F\x98\x80"));
    json_set(root, "none", json_text(NULL));
    assert_json(
        root, true,
        "{\"bad?\": \"a?(??\", \"quoted\": \"\\\"\\\\\\n\\u0001\", \"letters\": \"\xC3\xA4\xF0\x9F\x98\x80\", \"none\": null}\n");
}

static void the_locale_has_no_say(void **state)
{
    (void)state;
    static const char *const COMMA_LOCALES[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && !set; i++) {
        set = setlocale(LC_ALL, COMMA_LOCALES[i]);
    }
    if (!set) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    struct json *root = json_new_array();
    json_add(root, json_number(1.5));
    assert_json(root, true, "[1.5]\n");
    setlocale(LC_ALL, "C");
}

/* Jansson's own text is what is expected, for all that it escapes and for what it leaves as it is. */
static void values_are_written_at_once_as_jansson_writes_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"",         "plain text ~", "a \"quote\"",  "back\\slash",   "line\nand\ttab",
                                        "\x01\x1f", "\x7f",         "sch\xC3\xB6n", "odd \xFF byte", "a/b"};
    static const uint64_t sizes[] = {0, 9, 10, 4294967296, INT64_MAX, UINT64_MAX};
    struct arena arena = {0};
    struct text expected = text_start(&arena);
    struct text made = text_start(&arena);
    struct json *object = json_new_object();
    struct json_stream stream = json_stream_start(&made);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *key = arena_format(&arena, "%zu%s", i, texts[i]);
        json_set(object, key, json_text(texts[i]));
        json_stream_set_text(&stream, key, texts[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *key = arena_format(&arena, "size %zu", i);
        json_set(object, key, json_size(sizes[i]));
        json_stream_set_size(&stream, key, sizes[i]);
    }
    json_set(object, "nothing", json_text(NULL));
    json_stream_set_text(&stream, "nothing", NULL);
    json_finish(object, false, &expected);
    json_stream_finish(&stream);
    assert_string_equal(made.data, expected.data);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_at_once_as_jansson_writes_them),
        cmocka_unit_test(keys_keep_their_order),
        cmocka_unit_test(indented_by_two),
        cmocka_unit_test(member_by_member_gives_the_same_text),
        cmocka_unit_test(values),
        cmocka_unit_test(odd_text),
        cmocka_unit_test(the_locale_has_no_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
