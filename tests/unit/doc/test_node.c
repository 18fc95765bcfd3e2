/* The tree's functions: look-ups, changed copies, overlays. */
#include "reading.h"

static void test_get(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: 1\nab: 2\n'': 3\nlist: [x, y]\n");
    assert_string_equal(node_get(root, "a")->text, "1");
    assert_string_equal(node_get(root, "ab")->text, "2");
    assert_string_equal(node_get(root, "")->text, "3");
    assert_null(node_get(root, "abc"));
    assert_null(node_get(root, "A"));
    assert_null(node_get(node_get(root, "a"), "a"));
    assert_null(node_get(node_get(root, "list"), "0"));
    assert_null(node_get(NULL, "a"));
    run_end(&run);
}

static void test_find(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: {b: {c: 1}}\nlist: [x, {k: y}]\n");
    assert_string_equal(node_find(root, "a.b.c")->text, "1");
    assert_int_equal(node_find(root, "a.b")->kind, NODE_MAPPING);
    assert_string_equal(node_find(root, "list.0")->text, "x");
    assert_string_equal(node_find(root, "list.1.k")->text, "y");
    static const char *const missing[] = {"b",      "a.c",    "a.b.c.d", "a.b.",  "a..b",
                                          "list.2", "list.x", "list.-1", "list.", "list.99999999999999999999"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        assert_null(node_find(root, missing[i]));
    }
    assert_null(node_find(NULL, "a"));
    run_end(&run);
}

static void test_null_and_kind_names(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "n: [null, Null, NULL, ~, ]\nt: ['null', '', nULL, 'x', 0, \"~\"]\nm: {}\n");
    const struct node *nulls = node_get(root, "n"), *texts = node_get(root, "t");
    for (size_t i = 0; i < nulls->count; i++) {
        assert_true(node_is_null(nulls->items[i]));
        assert_string_equal(node_kind_name(nulls->items[i]), "null");
    }
    for (size_t i = 0; i < texts->count; i++) {
        assert_false(node_is_null(texts->items[i]));
        assert_string_equal(node_kind_name(texts->items[i]), "text");
    }
    assert_false(node_is_null(root));
    assert_string_equal(node_kind_name(root), "a mapping");
    assert_string_equal(node_kind_name(nulls), "a list");
    run_end(&run);
}

static void test_printable(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    assert_string_equal(node_printable(&run.arena, "plain \xC3\xBC"), "plain \xC3\xBC");
    assert_string_equal(node_printable(&run.arena, "\x1B[1m\n"), "?[1m?");
    char text[200];
    memset(text, 'a', sizeof text);
    memcpy(text + 79, "\xC3\xBC", 2); /* a character across the cut */
    text[sizeof text - 1] = '\0';
    const char *shown = node_printable(&run.arena, text);
    assert_int_equal(strlen(shown), 79 + 3);
    assert_string_equal(shown + 79, "...");
    run_end(&run);
}

/* A scalar as the command line would give it. */
static struct node scalar(const char *text)
{
    return (struct node){.kind = NODE_SCALAR, .span = {.source = 9, .line = 1, .column = 4}, .text = text, .plain = true};
}

static const struct node *with(struct run *run, const struct node *root, const char *path, const struct node *value)
{
    const struct node *result = NULL;
    assert_true(node_with(&run->arena, &run->diagnostics, root, path, value, &result));
    return result;
}

static void test_with_replaces(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: {b: 1, c: 2}\nlist: [x, {k: y}]\nd: 3\n");
    const struct node value = scalar("new");
    const struct node *changed = with(&run, root, "a.b", &value);
    assert_ptr_equal(node_find(changed, "a.b"), &value);
    assert_string_equal(node_find(changed, "a.c")->text, "2");
    assert_string_equal(changed->pairs[0].key->text, "a");
    assert_int_equal(changed->count, 3);
    assert_ptr_equal(node_get(changed, "list"), node_get(root, "list"));
    assert_string_equal(node_find(root, "a.b")->text, "1");

    changed = with(&run, root, "list.1.k", &value);
    assert_ptr_equal(node_find(changed, "list.1.k"), &value);
    assert_string_equal(node_find(changed, "list.0")->text, "x");
    assert_string_equal(node_find(root, "list.1.k")->text, "y");
    run_end(&run);
}

static void test_with_makes_mappings(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: {b: 1}\nempty:\n");
    const struct node value = scalar("new");
    const struct node *changed = with(&run, root, "a.x.y.z", &value);
    assert_ptr_equal(node_find(changed, "a.x.y.z"), &value);
    assert_string_equal(node_find(changed, "a.b")->text, "1");
    assert_null(node_find(root, "a.x"));
    assert_int_equal(node_find(changed, "a.x")->span.source, 9);
    assert_int_equal(node_find(changed, "a")->pairs[1].key->span.column, 4);

    changed = with(&run, root, "empty.k", &value);
    assert_ptr_equal(node_find(changed, "empty.k"), &value);
    changed = with(&run, NULL, "p.q", &value);
    assert_ptr_equal(node_find(changed, "p.q"), &value);
    run_end(&run);
}

static void test_with_does_not_touch_shared_nodes(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: &x {k: 1}\nb: *x\n");
    const struct node value = scalar("2");
    const struct node *changed = with(&run, root, "b.k", &value);
    assert_string_equal(node_find(changed, "a.k")->text, "1");
    assert_string_equal(node_find(changed, "b.k")->text, "2");
    run_end(&run);
}

static void test_with_refuses(void **state)
{
    char deep[2 * (DOC_DEPTH_LIMIT + 1)];
    for (size_t i = 0; i < sizeof deep; i++) {
        deep[i] = i % 2 == 0 ? 'x' : '.';
    }
    deep[sizeof deep - 1] = '\0'; /* 65 steps */
    const struct {
        const char *path;
        const char *id;
    } rows[] = {{"a.b.c", "wrong-kind"}, {"list.2", "bad-value"}, {"list.x.y", "bad-value"}, {"", "bad-value"},
                {"a.", "bad-value"},     {".a", "bad-value"},     {"a..b", "bad-value"},     {deep, "yaml-limit"}};
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: {b: 1}\nlist: [x, y]\n");
    const struct node value = scalar("new");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct node *result = root;
        assert_false(node_with(&run.arena, &run.diagnostics, root, rows[i].path, &value, &result));
        assert_ptr_equal(result, root);
        assert_int_equal(run.diagnostics.list.count, i + 1);
        assert_finding(&run, i, rows[i].id, 1, 4);
        assert_int_equal(run.diagnostics.list.items[i].span.source, 9);
    }
    assert_non_null(strstr(run.diagnostics.list.items[0].message, "'a.b' is text"));
    run_end(&run);
}

static void test_with_reaches_the_depth_limit(void **state)
{
    char deep[2 * DOC_DEPTH_LIMIT];
    for (size_t i = 0; i < sizeof deep; i++) {
        deep[i] = i % 2 == 0 ? 'x' : '.';
    }
    deep[sizeof deep - 1] = '\0'; /* 64 steps */
    (void)state;
    struct run run;
    const struct node value = scalar("new");
    assert_ptr_equal(node_find(with(&run, read_text(&run, ""), deep, &value), deep), &value);
    run_end(&run);
}

static void test_overlay(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "under: {a: 1, m: {x: 1, y: 2}, l: [1, 2], s: {t: 1}}\n"
                                              "over: {n: 5, m: {y: 3, z: 4}, l: [9], s: word}\n");
    const struct node *under = node_get(root, "under"), *over = node_get(root, "over");
    const struct node *both = node_overlay(&run.arena, under, over);
    static const struct {
        const char *path, *text;
    } rows[] = {{"a", "1"}, {"m.x", "1"}, {"m.y", "3"}, {"m.z", "4"}, {"l.0", "9"}, {"s", "word"}, {"n", "5"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(node_find(both, rows[i].path)->text, rows[i].text);
    }
    static const char *const order[] = {"a", "m", "l", "s", "n"};
    assert_int_equal(both->count, 5);
    for (size_t i = 0; i < both->count; i++) {
        assert_string_equal(both->pairs[i].key->text, order[i]);
    }
    assert_int_equal(node_get(both, "l")->count, 1);
    assert_int_equal(under->count, 4);
    assert_string_equal(node_find(under, "m.y")->text, "2");
    run_end(&run);
}

static void test_overlay_of_nothing(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = read_text(&run, "a: 1\n");
    assert_ptr_equal(node_overlay(&run.arena, NULL, root), root);
    assert_ptr_equal(node_overlay(&run.arena, root, NULL), root);
    assert_null(node_overlay(&run.arena, NULL, NULL));
    assert_ptr_equal(node_overlay(&run.arena, root, node_get(root, "a")), node_get(root, "a"));
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_null_and_kind_names),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_with_replaces),
        cmocka_unit_test(test_with_makes_mappings),
        cmocka_unit_test(test_with_does_not_touch_shared_nodes),
        cmocka_unit_test(test_with_refuses),
        cmocka_unit_test(test_with_reaches_the_depth_limit),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_overlay_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
