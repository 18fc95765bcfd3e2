/* Reading: the tree, its positions (counted by hand), and every refusal with its place. */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void test_block_document(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "model:\n"
                                              "  path: kws.tflite # a comment\n"
                                              "  arena_size:   65536\n"
                                              "memory:\n"
                                              "- DTCM\n"
                                              "- {name: 'SRAM', size: \"64K\"}\n");
    assert_int_equal(root->kind, NODE_MAPPING);
    assert_int_equal(root->count, 2);
    assert_span(root->pairs[0].key->span, 1, 1, 5);
    assert_string_equal(root->pairs[1].key->text, "memory");
    assert_span(root->pairs[1].key->span, 4, 1, 6);

    const struct node *path = node_find(root, "model.path");
    assert_string_equal(path->text, "kws.tflite");
    assert_true(path->plain);
    assert_span(path->span, 2, 9, 10);
    assert_int_equal(path->span.source, 1);
    assert_span(node_find(root, "model.arena_size")->span, 3, 17, 5);

    const struct node *memory = node_get(root, "memory");
    assert_int_equal(memory->kind, NODE_SEQUENCE);
    assert_int_equal(memory->count, 2);
    assert_string_equal(memory->items[0]->text, "DTCM");
    assert_span(memory->items[0]->span, 5, 3, 4);
    assert_int_equal(memory->items[1]->span.line, 6);
    assert_int_equal(memory->items[1]->span.column, 3);
    const struct node *name = node_get(memory->items[1], "name");
    assert_string_equal(name->text, "SRAM");
    assert_false(name->plain);
    assert_span(name->span, 6, 10, 6);
    assert_span(node_get(memory->items[1], "size")->span, 6, 24, 5);
    run_end(&run);
}

static void test_columns_count_bytes(void **state)
{
    (void)state;
    struct run run;
    /* u umlaut has 2 bytes, the euro sign 3, the cat's face 4. */
    const struct node *root = read_text(&run, "\xC3\xBC\xE2\x82\xAC: \xF0\x9F\x90\xB1x\nb: {\xC3\xBC: 7}\n");
    assert_span(root->pairs[0].key->span, 1, 1, 5);
    assert_span(root->pairs[0].value->span, 1, 8, 5);
    assert_span(node_find(root, "b.\xC3\xBC")->span, 2, 9, 1);
    run_end(&run);
}

static void test_lines_are_those_of_editors(void **state)
{
    (void)state;
    struct run run;
    /* Carriage returns belong to the line; YAML's other line breaks (here U+2028, inside a comment) start no line. */
    const struct node *root = read_text(&run, "a: 1\r\n# x\xE2\x80\xA8# y\r\nbc: 2\r\n");
    assert_span(node_get(root, "a")->span, 1, 4, 1);
    assert_span(root->pairs[1].key->span, 3, 1, 2);
    assert_span(node_get(root, "bc")->span, 3, 5, 1);
    run_end(&run);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "\xEF\xBB\xBF"
                                              "a: b\nc: d\n");
    assert_span(root->pairs[0].key->span, 1, 4, 1);
    assert_span(root->pairs[1].value->span, 2, 4, 1);
    run_end(&run);
}

static void test_multi_line_scalars(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: |\n  one\n  two\nb: \"x\n  y\"\nc: >-\n  p\n  q\nd: 1\n");
    assert_string_equal(node_get(root, "a")->text, "one\ntwo\n");
    assert_false(node_get(root, "a")->plain);
    assert_span(node_get(root, "a")->span, 1, 4, 1);
    assert_string_equal(node_get(root, "b")->text, "x y");
    assert_span(node_get(root, "b")->span, 4, 4, 2);
    assert_string_equal(node_get(root, "c")->text, "p q");
    assert_span(node_get(root, "d")->span, 9, 4, 1);
    run_end(&run);
}

static void test_empty_values(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a:\n\n\n\nb:\n- \n-\nc: {}\nd: []\n");
    assert_true(node_is_null(node_get(root, "a")));
    assert_span(node_get(root, "a")->span, 1, 3, 0);
    assert_int_equal(node_get(root, "b")->count, 2);
    assert_true(node_is_null(node_find(root, "b.1")));
    assert_int_equal(node_get(root, "c")->kind, NODE_MAPPING);
    assert_int_equal(node_get(root, "c")->count, 0);
    assert_int_equal(node_get(root, "d")->kind, NODE_SEQUENCE);
    assert_span(root->pairs[3].key->span, 9, 1, 1);
    run_end(&run);
}

static void test_nothing_is_an_empty_mapping(void **state)
{
    static const char *const texts[] = {"", "\n\n", "# only a comment\n", "---\n", "--- # nothing\n...\n", "\xEF\xBB\xBF"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct run run;
        const struct node *root = read_text(&run, texts[i]);
        assert_int_equal(root->kind, NODE_MAPPING);
        assert_int_equal(root->count, 0);
        assert_int_equal(root->span.line, 1);
        run_end(&run);
    }
}

static void test_root_of_any_kind(void **state)
{
    (void)state;
    struct run run;
    assert_string_equal(read_text(&run, "64K")->text, "64K");
    run_end(&run);
    assert_int_equal(read_text(&run, "[a, b]")->count, 2);
    run_end(&run);
    assert_true(node_is_null(read_text(&run, "null")));
    run_end(&run);
}

static void test_json(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "{\n"
                                              "\t\"schema\": \"helia-placement/plan/1\",\n"
                                              "\t\"a\\u00fc\\/\\n\": [1, -2.5e3, true, null, \"\"],\n"
                                              "\t\"deep\":{\"x\":{\"y\":[]}}\n"
                                              "}\n");
    assert_string_equal(node_get(root, "schema")->text, "helia-placement/plan/1");
    assert_span(node_get(root, "schema")->span, 2, 12, 24);
    const struct node *list = node_get(root, "a\xC3\xBC/\n");
    assert_int_equal(list->count, 5);
    assert_string_equal(list->items[1]->text, "-2.5e3");
    assert_true(node_is_null(list->items[3]));
    assert_false(node_is_null(list->items[4]));
    assert_span(list->items[2]->span, 3, 29, 4);
    assert_int_equal(node_find(root, "deep.x.y")->count, 0);
    run_end(&run);
}

static void test_tags(void **state)
{
    (void)state;
    struct run run;
    const struct node *root =
        read_text(&run, "a: !!str 5\nb: !!int 5\nc: !!null ''\nd: !!map {x: !!seq [!!bool true, !!float 1.5]}\n");
    assert_string_equal(node_get(root, "a")->text, "5");
    assert_false(node_get(root, "a")->plain);
    assert_true(node_get(root, "b")->plain);
    assert_true(node_is_null(node_get(root, "c")));
    assert_int_equal(node_find(root, "d.x")->count, 2);
    run_end(&run);
}

static void test_bad_tags(void **state)
{
    (void)state;
    assert_refused_for("a: !mine 5\nb: !!python/object 6\nc: !!map 7\nd: !!str [8]\n", {"yaml-unsupported", 1, 4},
                       {"yaml-unsupported", 2, 4}, {"yaml-unsupported", 3, 4}, {"yaml-unsupported", 4, 4});
}

static void test_aliases(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: &x {k: 1}\nb: *x\nc: &x two\nd: [*x, *x]\n&n key: 3\ne: {*n : 4}\n");
    assert_ptr_equal(node_get(root, "a"), node_get(root, "b"));
    assert_string_equal(node_find(root, "b.k")->text, "1");
    assert_string_equal(node_find(root, "d.1")->text, "two");
    assert_string_equal(node_find(root, "e.key")->text, "4");
    run_end(&run);
}

static void test_bad_aliases(void **state)
{
    (void)state;
    assert_refused_for("a: *nobody\nb: &b [1, *b]\nc: &c {k: {l: [*c]}}\nd: &d {*d : 1}\n", {"yaml-syntax", 1, 4},
                       {"yaml-unsupported", 2, 11}, {"yaml-unsupported", 3, 16}, {"yaml-unsupported", 4, 8});
}

static void test_redefined_anchor_inside_itself(void **state)
{
    (void)state;
    struct run run;
    /* The alias means the inner list, which is closed; the outer one has lost the name. */
    const struct node *root = read_text(&run, "[&a [&a [1], *a], *a]");
    assert_ptr_equal(node_find(root, "0.1"), node_find(root, "0.0"));
    assert_ptr_equal(node_find(root, "1"), node_find(root, "0.0"));
    run_end(&run);
}

static void test_merge_keys(void **state)
{
    (void)state;
    assert_refused_for("a: &x {k: 1}\nb:\n  <<: *x\n  l: 2\nc: {<<: *x}\n", {"yaml-unsupported", 3, 3},
                       {"yaml-unsupported", 5, 5});
    struct run run;
    assert_non_null(node_get(read_text(&run, "'<<': 1\n"), "<<"));
    run_end(&run);
}

static void test_keys_that_are_no_text(void **state)
{
    (void)state;
    assert_refused_for("? [1]\n: a\n? {k: v}\n: b\nc: 1\nc: 2\n", {"yaml-unsupported", 1, 3}, {"yaml-unsupported", 3, 3},
                       {"duplicate-key", 6, 1});
}

static void test_duplicate_keys(void **state)
{
    (void)state;
    struct run run;
    refuse_text(&run, "a: 1\nbb: {x: 1, y: 2, x: 3, x: 4}\n'a': 5\nc: {x: 1}\n");
    assert_int_equal(run.diagnostics.list.count, 3);
    assert_finding(&run, 0, "duplicate-key", 2, 18);
    assert_finding(&run, 1, "duplicate-key", 2, 24);
    assert_finding(&run, 2, "duplicate-key", 3, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run.diagnostics.list.items[i].notes.count, 1);
    }
    assert_span(run.diagnostics.list.items[0].notes.items[0].span, 2, 6, 1);
    assert_span(run.diagnostics.list.items[1].notes.items[0].span, 2, 6, 1);
    assert_span(run.diagnostics.list.items[2].notes.items[0].span, 1, 1, 1);
    assert_non_null(strstr(run.diagnostics.list.items[2].message, "'a'"));
    run_end(&run);
}

static void test_several_documents(void **state)
{
    (void)state;
    assert_refused_for("a: 1\n---\nb: 2\n", {"yaml-unsupported", 2, 1});
    struct run run;
    read_text(&run, "%YAML 1.1\n---\na: 1\n...\n");
    run_end(&run);
}

/* A text that is refused, and where. */
struct bad_row {
    const char *text;
    uint32_t line, column;
};

static void assert_syntax_errors(const struct bad_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_refused_for(rows[i].text, {"yaml-syntax", rows[i].line, rows[i].column});
    }
}

static void test_syntax_errors(void **state)
{
    static const struct bad_row rows[] = {
        {"a: [1, 2\nb: 3\n", 2, 2},        /* a key inside the open list: its colon */
        {"a: 'open\n", 2, 1},              /* the end of the text */
        {"a: b: c\n", 1, 5},               /* the second colon */
        {"a: 1\n\tb: 2\n", 2, 1},          /* the tab */
        {"\xC3\xBC: @x\n", 1, 5},          /* a reserved character, behind a key of two bytes */
        {"{\"a\": 1,\n \"b\" 2}\n", 2, 6}, /* no colon */
    };
    (void)state;
    assert_syntax_errors(rows, sizeof rows / sizeof rows[0]);
}

static void test_bad_bytes(void **state)
{
    static const struct bad_row rows[] = {
        {"a: 1\nb: x\xFFy\n", 2, 5},         /* no byte of UTF-8 */
        {"a: 1\nb: x\xC3\n", 2, 6},          /* a line end where the second byte of a character must be */
        {"\xEF\xBB\xBF\xC0\x80: 1\n", 1, 4}, /* NUL in two bytes, behind a byte order mark */
        {"a: \xED\xA0\x80\n", 1, 4},         /* half a surrogate pair */
        {"a: \x07\n", 1, 4},                 /* a bell */
        {"a: 1\nb: \x1B[31m\n", 2, 4},       /* an escape sequence */
    };
    (void)state;
    assert_syntax_errors(rows, sizeof rows / sizeof rows[0]);
}

static void test_other_encodings(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t column;
    } rows[] = {
        {"\xFF\xFE\x61\0:\0 \0b\0", 10, 1}, /* UTF-16, little-endian */
        {"\xFE\xFF\0a\0:\0 \0b", 10, 1},    /* UTF-16, big-endian */
        {"a: \0b\n", 6, 4},                 /* NUL */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        refuse_bytes(&run, rows[i].bytes, rows[i].size);
        assert_finding(&run, 0, "yaml-syntax", 1, rows[i].column);
        run_end(&run);
    }
}

static void test_nul_in_a_text(void **state)
{
    (void)state;
    assert_refused_for("a: \"x\\0y\"\nb: \"x\\u0000y\"\n", {"yaml-unsupported", 1, 4}, {"yaml-unsupported", 2, 4});
}

static void test_messages_are_printable(void **state)
{
    (void)state;
    struct run run;
    refuse_text(&run, "\"\\e[2Jx\": 1\n\"\\e[2Jx\": 2\n");
    assert_string_equal(run.diagnostics.list.items[0].message, "duplicate key '?[2Jx'");
    run_end(&run);
}

static void test_file(void **state)
{
    (void)state;
    char path[] = "test-doc-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] = "a: 1\nb: [\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    struct run run;
    run_start(&run);
    assert_false(doc_read(&run.arena, &run.diagnostics, path, SPAN_NONE, &run.root));
    assert_finding(&run, 0, "yaml-syntax", 3, 1);
    const struct source *source = diag_source(&run.diagnostics, run.diagnostics.list.items[0].span.source);
    assert_string_equal(source->path, path);
    assert_int_equal(source->content.size, sizeof text - 1);
    run_end(&run);
    assert_int_equal(remove(path), 0);
}

static void test_file_unreadable(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    assert_false(doc_read(&run.arena, &run.diagnostics, "no/such/file.yaml", (struct span){0, 7, 3, 1}, &run.root));
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_finding(&run, 0, "file-unreadable", 7, 3);
    assert_non_null(strstr(run.diagnostics.list.items[0].message, "no/such/file.yaml"));
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_document),
        cmocka_unit_test(test_columns_count_bytes),
        cmocka_unit_test(test_lines_are_those_of_editors),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_multi_line_scalars),
        cmocka_unit_test(test_empty_values),
        cmocka_unit_test(test_nothing_is_an_empty_mapping),
        cmocka_unit_test(test_root_of_any_kind),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_bad_tags),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_bad_aliases),
        cmocka_unit_test(test_redefined_anchor_inside_itself),
        cmocka_unit_test(test_merge_keys),
        cmocka_unit_test(test_keys_that_are_no_text),
        cmocka_unit_test(test_duplicate_keys),
        cmocka_unit_test(test_several_documents),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_other_encodings),
        cmocka_unit_test(test_nul_in_a_text),
        cmocka_unit_test(test_messages_are_printable),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_file_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
