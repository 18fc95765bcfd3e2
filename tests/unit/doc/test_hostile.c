/* Hostile documents: whatever the bytes are, the answer is a tree or a finding, soon and in little memory. */
#include "reading.h"

#include <stdio.h>

#include "base/text.h"

static void test_alias_bomb(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    text_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i <= 30; i++) {
        text_print(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) {
            text_print(&text, "%s*a%d", k == 0 ? "" : ", ", i - 1);
        }
        text_add(&text, "]\n");
    }
    size_t before = run.arena.reserved;
    assert_false(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.diagnostics.list.count, 1);
    /* a0 has 11 nodes, a(i) has 1 + 10 * a(i-1): a5 has 1111111, a6 eleven million. The root, the keys and a0 to a6 before
     * are 12.3 million, a7's first alias passes 16777216. */
    assert_finding(&run, 0, "yaml-limit", 8, 10);
    assert_true(run.arena.reserved - before < 1 << 20);
    run_end(&run);
}

static void test_expansion_below_the_limit(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    text_add(&text, "a0: &a0 [x]\n");
    /* a(i) has 3 * 2^i - 1 nodes; all to a21 have 3 * (2^22 - 1) - 22, which is 12.6 of 16.8 million. */
    for (int i = 1; i <= 21; i++) {
        text_print(&text, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    }
    assert_true(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.root->count, 22);
    run_end(&run);
}

/* `depth` levels of a list in flow style. */
static void nested(struct text *text, size_t depth)
{
    text_add_repeated(text, '[', depth);
    text_add_repeated(text, ']', depth);
}

static void test_nesting_at_the_limit(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    nested(&text, DOC_DEPTH_LIMIT);
    assert_true(read_bytes(&run, text.data, text.size));
    run_end(&run);

    run_start(&run);
    text = text_start(&run.arena);
    nested(&text, DOC_DEPTH_LIMIT + 1);
    assert_false(read_bytes(&run, text.data, text.size));
    assert_finding(&run, 0, "yaml-limit", 1, DOC_DEPTH_LIMIT + 1);
    run_end(&run);
}

static void test_deep_nesting(void **state)
{
    static const struct {
        char open;
        bool closed;
    } rows[] = {{'[', true}, {'[', false}, {'{', false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        run_start(&run);
        struct text text = text_start(&run.arena);
        text_add_repeated(&text, rows[i].open, 100000);
        if (rows[i].closed) {
            text_add_repeated(&text, ']', 100000);
        }
        assert_false(read_bytes(&run, text.data, text.size));
        assert_int_equal(run.diagnostics.list.count, 1);
        run_end(&run);
    }
}

static void test_deep_block_nesting(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    for (int i = 0; i < 50000; i++) {
        text_add(&text, "- ");
    }
    assert_false(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_finding(&run, 0, "yaml-limit", 1, 2 * DOC_DEPTH_LIMIT + 1);
    run_end(&run);
}

static void test_depth_by_aliases(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    /* The root is level 1, each list stands on the one before: list i has i + 1 levels below the root. */
    struct text text = text_start(&run.arena);
    text_add(&text, "- &a0 []\n");
    for (int i = 1; i < 100; i++) {
        text_print(&text, "- &a%d [*a%d]\n", i, i - 1);
    }
    assert_false(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.diagnostics.list.count, 1);
    /* List 63 would be level 65 deep with the root; line numbers start at 1. */
    assert_finding(&run, 0, "yaml-limit", 64, 9);
    run_end(&run);
}

static void test_many_keys(void **state)
{
    enum { KEYS = 100000 };
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    text_add(&text, "{");
    for (unsigned i = 0; i < KEYS; i++) {
        text_print(&text, "\"%x\": %u,\n", i * 2654435761U, i); /* an odd factor: all different, in no order */
    }
    text_add(&text, "}");
    assert_true(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.root->count, KEYS);
    run_end(&run);
}

static void test_many_duplicates(void **state)
{
    enum { KEYS = 20000 };
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    for (unsigned i = 0; i < KEYS; i++) {
        text_add(&text, "k: 1\n");
    }
    assert_false(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.diagnostics.list.count, DIAG_LIMIT);
    assert_finding(&run, 0, "duplicate-key", 2, 1);
    assert_finding(&run, DIAG_LIMIT - 1, "duplicate-key", DIAG_LIMIT + 1, 1);
    run_end(&run);
}

static void test_too_many_bytes(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    /* Refused by its size alone: the bytes are not there, and the sanitizer would see a look at them. */
    uint32_t source = diag_add_source(&run.diagnostics, "big.yaml", (struct bytes){(const uint8_t *)"", DOC_BYTES_LIMIT + 1});
    assert_false(doc_parse(&run.arena, &run.diagnostics, source, &run.root));
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_finding(&run, 0, "yaml-limit", 1, 1);
    run_end(&run);
}

static void test_long_texts(void **state)
{
    (void)state;
    struct run run;
    run_start(&run);
    struct text text = text_start(&run.arena);
    text_add(&text, "a: ");
    text_add_repeated(&text, 'x', 1 << 20);
    text_add(&text, "\nb: '");
    text_add_repeated(&text, '\n', 1 << 16);
    text_add(&text, "'\n");
    assert_true(read_bytes(&run, text.data, text.size));
    assert_int_equal(run.root->pairs[0].value->span.length, 1 << 20);
    assert_span(run.root->pairs[1].value->span, 2, 4, 1);
    run_end(&run);
}

static const char sample[] = "%YAML 1.1\n"
                             "--- # kws\n"
                             "model: {path: \"k\\u00fc.tflite\", arena_size: 0x10000}\n"
                             "target: &t\n"
                             "  board: 'apollo510''s'\n"
                             "  note: |-\n"
                             "    two\n"
                             "    lines \xE2\x82\xAC\n"
                             "  list:\n"
                             "  - !!str 5\n"
                             "  - *t2\n"
                             "  - ? k\n"
                             "    : >\n"
                             "     folded\n"
                             "copy: [*t, {a: ~}, \"x\",]\n"
                             "...\n";

/* Reads any bytes: a tree and nothing reported, or findings and no tree. */
static bool survives(const void *bytes, size_t size)
{
    struct run run;
    run_start(&run);
    bool ok = read_bytes(&run, bytes, size);
    assert_int_equal(ok, run.root != NULL);
    assert_int_equal(ok, run.diagnostics.error_count == 0);
    struct text text = text_start(&run.arena);
    diag_render_text(&run.diagnostics, false, &text);
    assert_int_equal(ok, text.size == 0);
    run_end(&run);
    return ok;
}

static void test_every_prefix(void **state)
{
    (void)state;
    size_t trees = 0;
    for (size_t size = 0; size < sizeof sample; size++) {
        trees += survives(sample, size);
    }
    /* Some prefixes are documents and some are not, or this test reads nothing. */
    assert_true(trees > 20);
    assert_true(trees < sizeof sample - 20);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Overwrites, removes or doubles one byte. */
static size_t mutate(char *text, size_t size, uint32_t *seed)
{
    static const char alphabet[] = "[]{}:,-?&*!|>'\"%@`#~<\n\r\t \\0aA\xC3\xBC\xFF\x80\x01";
    size_t at = next_random(seed) % size;
    switch (next_random(seed) % 4) {
    case 0:
        memmove(text + at, text + at + 1, size - at - 1);
        return size - 1;
    case 1:
        memmove(text + at + 1, text + at, size - at);
        return size + 1;
    case 2:
        text[at] = (char)(next_random(seed) & 0xFF);
        return size;
    default:
        text[at] = alphabet[next_random(seed) % (sizeof alphabet - 1)];
        return size;
    }
}

static void test_random_mutations(void **state)
{
    (void)state;
    uint32_t seed = 2463534242U;
    for (int round = 0; round < 5000; round++) {
        char text[sizeof sample + 8];
        memcpy(text, sample, sizeof sample - 1);
        size_t size = sizeof sample - 1;
        for (uint32_t changes = 1 + next_random(&seed) % 8; changes > 0; changes--) {
            size = mutate(text, size, &seed);
        }
        survives(text, size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_expansion_below_the_limit),
        cmocka_unit_test(test_nesting_at_the_limit),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_deep_block_nesting),
        cmocka_unit_test(test_depth_by_aliases),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_many_duplicates),
        cmocka_unit_test(test_too_many_bytes),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_random_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
