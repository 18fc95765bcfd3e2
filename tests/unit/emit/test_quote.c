/* Each language's quoting, against what the language's own manual says. */
#include "emitting.h"

#include "emit/quote.h"

typedef void quoter(struct text *out, const char *text);

static void check(quoter *quote, const char *text, const char *expected)
{
    struct arena arena = {0};
    struct text out = text_start(&arena);
    quote(&out, text);
    assert_string_equal(out.data, expected);
    arena_free(&arena);
}

static void comments_stay_closed(void **state)
{
    (void)state;
    check(quote_comment, "conv1/kernel", "conv1/kernel");
    check(quote_comment, "a */ b", "a *_ b");
    check(quote_comment, "a /* b", "a /_ b");
    check(quote_comment, "*/*/", "*_*_");
    check(quote_comment, "/*/", "/_/");
    check(quote_comment, "one\ntwo\rthree", "one?two?three");
    check(quote_comment, "ends in \\", "ends in _");
    check(quote_comment, "$(rm) \"q\" 'q' #", "$(rm) \"q\" 'q' #");
    check(quote_comment,
          "gr\xc3\xb6\xc3\x9f"
          "e",
          "gr\xc3\xb6\xc3\x9f"
          "e");
    check(quote_comment, "bad \xff byte", "bad ? byte");
    check(quote_comment, "turn \xe2\x80\xae around", "turn ? around");
}

/* What is left of a comment's text must never hold the two marks, whatever went in: all texts of up to six marks. */
static void comments_never_hold_marks(void **state)
{
    (void)state;
    static const char alphabet[] = "*/\\";
    struct arena arena = {0};
    for (unsigned number = 0; number < 729; number++) {
        char text[7] = {0};
        for (unsigned i = 0, rest = number; i < 6; i++, rest /= 3) {
            text[i] = alphabet[rest % 3];
        }
        struct text out = text_start(&arena);
        text_add_char(&out, '*'); /* as after an opening mark */
        quote_comment(&out, text);
        assert_null(strstr(out.data + 1, "*/"));
        assert_null(strstr(out.data + 1, "/*"));
        assert_null(strchr(out.data, '\\'));
    }
    arena_free(&arena);
}

static void c_strings(void **state)
{
    (void)state;
    check(quote_c_string, "plain", "\"plain\"");
    check(quote_c_string, "a\"b\\c", "\"a\\\"b\\\\c\"");
    check(quote_c_string, "what?\?/", "\"what\\077\\077/\"");
    check(quote_c_string, "\n\xc3\xa9", "\"\\012\\303\\251\"");
}

static void linker_names_and_strings(void **state)
{
    (void)state;
    check(quote_ld_name, "MCU_TCM", "MCU_TCM");
    check(quote_ld_name, "MCU-TCM", "\"MCU-TCM\"");
    check(quote_ld_name, "1st", "\"1st\"");
    check(quote_ld_name, "a\"b\n", "\"a_b_\"");
    check(quote_ld_name, "", "\"\"");
    check(quote_ld_string, "need \"1\" \\ two\n", "\"need '1' ' two?\"");
}

static void make_names(void **state)
{
    (void)state;
    check(quote_make, "a/b.c", "a/b.c");
    check(quote_make, "my file.c", "my\\ file.c");
    check(quote_make, "cost$5", "cost$$5");
    check(quote_make, "c#.c", "c\\#.c");
    check(quote_make, "back\\slash", "back\\slash");
    check(quote_make, "back\\ blank", "back\\\\\\ blank");
    check(quote_make, "a:b", "a\\:b");
    check(quote_make, "two\nlines", "two?lines");
}

static void identifiers(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(quote_identifier_part(&arena, "1:7"), "1_7");
    assert_string_equal(quote_identifier_part(&arena, "conv/w-0 \xc3\xa9"), "conv_w_0___");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_stay_closed),
        cmocka_unit_test(comments_never_hold_marks),
        cmocka_unit_test(c_strings),
        cmocka_unit_test(linker_names_and_strings),
        cmocka_unit_test(make_names),
        cmocka_unit_test(identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
