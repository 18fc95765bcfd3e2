/* Decoding: values with their places, and every finding with its path, its place and its words. */
#include "decoding.h"

static const struct memory *accept(struct run *run, const char *text)
{
    assert_true(decode(run, text));
    assert_int_equal(run->diagnostics.list.count, 0);
    return &run->memory;
}

static void test_every_kind(void **state)
{
    (void)state;
    struct run run;
    const struct memory *memory = accept(&run, "planner: greedy\n"
                                               "dump: true\n"
                                               "arena_size: 64K\n"
                                               "origin: 0x20000000\n"
                                               "count: 12\n"
                                               "kind: Constant\n"
                                               "id: [7, conv_w]\n"
                                               "options: {iterations: 0x10}\n"
                                               "constraints:\n"
                                               "- {name: DTCM, max_size: 200K}\n"
                                               "- {name: SRAM, alignment: 32}\n"
                                               "boards: {evb: {soc: apollo510}, mine: {soc: apollo4p}}\n"
                                               "rest: [1]\n");
    assert_string_equal(memory->planner.text, "greedy");
    assert_true(memory->planner.set);
    assert_int_equal(memory->planner.span.line, 1);
    assert_int_equal(memory->planner.span.column, 10);
    assert_true(memory->dump.value && memory->dump.set);
    assert_int_equal(memory->arena_size.value, 65536);
    assert_int_equal(memory->arena_size.span.line, 3);
    assert_int_equal(memory->origin.value, 0x20000000);
    assert_int_equal(memory->count.value, 12);
    assert_int_equal(memory->kind.value, KIND_CONSTANT);
    assert_int_equal(memory->id.count, 2);
    assert_string_equal(memory->id.items[0].text, "7");
    assert_int_equal(memory->id.items[1].span.column, 9);
    assert_int_equal(memory->options.iterations.value, 16);
    assert_int_equal(memory->constraints.count, 2);
    const struct constraint *constraints = memory->constraints.items;
    assert_string_equal(constraints[0].name.text, "DTCM");
    assert_int_equal(constraints[0].max_size.value, 200 * 1024);
    assert_false(constraints[0].alignment.set);
    assert_int_equal(constraints[0].span.line, 10);
    assert_int_equal(constraints[0].span.column, 3);
    assert_int_equal(constraints[1].alignment.value, 32);
    assert_int_equal(memory->boards.count, 2);
    const struct board *boards = memory->boards.items;
    assert_string_equal(boards[0].name.text, "evb");
    assert_int_equal(boards[0].name.span.column, 10);
    assert_string_equal(boards[1].name.text, "mine");
    assert_string_equal(boards[1].soc.text, "apollo4p");
    assert_int_equal(memory->rest.node->kind, NODE_SEQUENCE);
    assert_int_equal(memory->span.line, 1);
    run_end(&run);
}

static void test_absent_keys(void **state)
{
    (void)state;
    struct run run;
    const struct memory *memory = accept(&run, "");
    assert_false(memory->planner.set || memory->dump.set || memory->arena_size.set || memory->kind.set || memory->id.set ||
                 memory->constraints.set || memory->boards.set || memory->rest.set);
    run_end(&run);
}

static void test_defaults_stay(void **state)
{
    (void)state;
    struct run run;
    const struct node *root = NULL;
    accept(&run, "");
    static const char text[] = "count: 5\n";
    uint32_t source = diag_add_source(&run.diagnostics, "t", (struct bytes){(const uint8_t *)text, sizeof text - 1});
    assert_true(doc_parse(&run.arena, &run.diagnostics, source, &root));
    struct memory memory = {.planner = {.text = "default"}, .count = {.value = 9}};
    assert_true(schema_decode(&run.arena, &run.diagnostics, &memory_schema, root, &memory));
    assert_string_equal(memory.planner.text, "default");
    assert_false(memory.planner.set);
    assert_int_equal(memory.count.value, 5);
    run_end(&run);
}

static void test_failure_leaves_the_target_alone(void **state)
{
    (void)state;
    struct run run;
    struct memory untouched = {0};
    assert_false(decode(&run, "planner: greedy\ncount: 12\nunknown: 1\n"));
    assert_memory_equal(&run.memory, &untouched, sizeof untouched);
    run_end(&run);
}

static void test_accepted_spellings(void **state)
{
    static const char *const texts[] = {"dump: False",
                                        "dump: TRUE",
                                        "arena_size: '64K'",
                                        "arena_size: 0",
                                        "arena_size: 256G",
                                        "origin: '0x1000'",
                                        "origin: 4096",
                                        "origin: 0xFFFFFFFF",
                                        "count: 2",
                                        "count: 18446744073709551615",
                                        "count: 0xFf",
                                        "kind: 'SCRATCH'",
                                        "id: x",
                                        "id: []",
                                        "id: [null_is_no_word, 'null']",
                                        "planner: 5",
                                        "planner: true",
                                        "planner: 'null'",
                                        "comment: ''",
                                        "comment:",
                                        "constraints: []",
                                        "boards: {}",
                                        "options: {}",
                                        "rest:",
                                        "rest: {a: 1}",
                                        "arena_size: !!str 5",
                                        "constraints: [{name: x, max_size: 1}]",
                                        "constraints: [{name: x, max_size: 1M}]",
                                        "constraints: [{name: x, alignment: 1}]"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct run run;
        accept(&run, texts[i]);
        run_end(&run);
    }
}

static void test_null(void **state)
{
    (void)state;
    struct run run;
    const struct memory *memory = accept(&run, "comment: null\nconstraints: [{name: x, max_size: null}]\n");
    assert_false(memory->comment.set);
    assert_true(memory->comment.is_null);
    assert_int_equal(memory->comment.span.line, 1);
    const struct constraint *constraint = memory->constraints.items;
    assert_true(constraint->max_size.set);
    assert_true(constraint->max_size.is_null);
    assert_int_equal(constraint->max_size.span.line, 2);
    run_end(&run);
    memory = accept(&run, "constraints: [{name: x, max_size: 5}]\n");
    assert_false(((const struct constraint *)memory->constraints.items)->max_size.is_null);
    assert_false(memory->comment.is_null);
    run_end(&run);
}

/* One finding: its id, its column in line 1, its message. */
struct refusal {
    const char *text;
    const char *id;
    uint32_t column;
    const char *message;
};

static void refuse(const struct refusal *row)
{
    struct run run;
    assert_false(decode(&run, row->text));
    assert_int_equal(run.diagnostics.list.count, 1);
    const struct diag *diag = &run.diagnostics.list.items[0];
    assert_string_equal(diag->message, row->message);
    assert_string_equal(diag_row(diag->id)->name, row->id);
    assert_int_equal(diag->span.line, 1);
    assert_int_equal(diag->span.column, row->column);
    run_end(&run);
}

static void test_wrong_kinds(void **state)
{
#define A_SIZE "a size such as 65536, 0x10000, 64K or 1M"
    static const struct refusal rows[] = {
        {"[1]", "wrong-kind", 1, "'memory' must be a mapping, not a list"},
        {"planner: [x]", "wrong-kind", 10, "'memory.planner' must be text, not a list"},
        {"planner:", "wrong-kind", 9, "'memory.planner' must be text, not null"},
        {"dump: yes", "wrong-kind", 7, "'memory.dump' must be true or false, not 'yes'"},
        {"dump: 'true'", "wrong-kind", 7, "'memory.dump' must be true or false, not the quoted text 'true'"},
        {"dump: 1", "wrong-kind", 7, "'memory.dump' must be true or false, not '1'"},
        {"dump: ~", "wrong-kind", 7, "'memory.dump' must be true or false, not null"},
        {"count: [1]", "wrong-kind", 8, "'memory.count' must be an integer, not a list"},
        {"count: true", "wrong-kind", 8, "'memory.count' must be an integer, not 'true'"},
        {"count: '5'", "wrong-kind", 8, "'memory.count' must be an integer, not the quoted text '5'"},
        {"count: 5.0", "wrong-kind", 8, "'memory.count' must be an integer, not '5.0'"},
        {"count: 010", "wrong-kind", 8, "'memory.count' must be an integer, not '010'"},
        {"count: 1_000", "wrong-kind", 8, "'memory.count' must be an integer, not '1_000'"},
        {"count: 0x", "wrong-kind", 8, "'memory.count' must be an integer, not '0x'"},
        {"count: 64K", "wrong-kind", 8, "'memory.count' must be an integer, not '64K'"},
        {"count: --5", "wrong-kind", 8, "'memory.count' must be an integer, not '--5'"},
        {"count: null", "wrong-kind", 8, "'memory.count' must be an integer, not null"},
        {"arena_size: {a: 1}", "wrong-kind", 13, "'memory.arena_size' must be " A_SIZE ", not a mapping"},
        {"arena_size: false", "wrong-kind", 13, "'memory.arena_size' must be " A_SIZE ", not 'false'"},
        {"origin: []", "wrong-kind", 9, "'memory.origin' must be an address such as 0x20000000, not a list"},
        {"kind: [x]", "wrong-kind", 7, "'memory.kind' must be a word, not a list"},
        {"id: {a: 1}", "wrong-kind", 5, "'memory.id' must be text or a list of texts, not a mapping"},
        {"id: [x, [y]]", "wrong-kind", 9, "'memory.id[1]' must be text, not a list"},
        {"id: [~]", "wrong-kind", 6, "'memory.id[0]' must be text, not null"},
        {"options: 5", "wrong-kind", 10, "'memory.options' must be a mapping, not '5'"},
        {"options:", "wrong-kind", 9, "'memory.options' must be a mapping, not null"},
        {"options: {iterations: [1]}", "wrong-kind", 23, "'memory.options.iterations' must be an integer, not a list"},
        {"constraints: {name: x}", "wrong-kind", 14, "'memory.constraints' must be a list of mappings, not a mapping"},
        {"constraints: [x]", "wrong-kind", 15, "'memory.constraints[0]' must be a mapping, not 'x'"},
        {"boards: [x]", "wrong-kind", 9, "'memory.boards' must be a mapping, not a list"},
        {"boards: {evb: x}", "wrong-kind", 15, "'memory.boards.evb' must be a mapping, not 'x'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        refuse(&rows[i]);
    }
}

static void test_bad_values(void **state)
{
    static const struct refusal rows[] = {
        {"planner: ''", "bad-value", 10, "'memory.planner' must not be empty"},
        {"id: ['']", "bad-value", 6, "'memory.id[0]' must not be empty"},
        {"count: 1", "bad-value", 8, "'memory.count' must be at least 2, not '1'"},
        {"count: -5", "bad-value", 8, "'memory.count' must not be negative: write 0 or more, not '-5'"},
        {"count: 18446744073709551616", "bad-value", 8, "'memory.count' must be at least 2, not '18446744073709551616'"},
        {"options: {iterations: 0}", "bad-value", 23, "'memory.options.iterations' must be 1 to 1000, not '0'"},
        {"options: {iterations: 1001}", "bad-value", 23, "'memory.options.iterations' must be 1 to 1000, not '1001'"},
        {"arena_size: many", "bad-value", 13, "'memory.arena_size' must be " A_SIZE ", not 'many'"},
        {"arena_size: 1.5K", "bad-value", 13, "'memory.arena_size' must be " A_SIZE ", not '1.5K'"},
        {"arena_size: -64K", "bad-value", 13, "'memory.arena_size' must not be negative: write 0 or more, not '-64K'"},
        {"arena_size: 281474976710657", "bad-value", 13,
         "'memory.arena_size' must be 0 to 281474976710656, not '281474976710657'"},
        {"arena_size: 99999999999999999999", "bad-value", 13,
         "'memory.arena_size' must be 0 to 281474976710656, not '99999999999999999999'"},
        {"origin: 0x100", "bad-value", 9, "'memory.origin' must be 0x00001000 to 0xffffffff, not '0x100'"},
        {"origin: 64K", "bad-value", 9, "'memory.origin' must be an address such as 0x20000000, not '64K'"},
        {"constraints: [{name: x, max_size: 0}]", "bad-value", 35,
         "'memory.constraints[0].max_size' must be 1 to 1048576, not '0'"},
        {"constraints: [{name: x}, {name: y, max_size: 2M}]", "bad-value", 46,
         "'memory.constraints[1].max_size' must be 1 to 1048576, not '2M'"},
        {"constraints: [{name: x, alignment: 48}]", "bad-value", 36,
         "'memory.constraints[0].alignment' must be a power of two, not '48'"},
        {"constraints: [{name: x, alignment: 0}]", "bad-value", 36,
         "'memory.constraints[0].alignment' must be a power of two, not '0'"},
        {"boards: {'': {soc: x}}", "bad-value", 10, "a name in 'memory.boards' must not be empty"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        refuse(&rows[i]);
    }
}

static void test_keys(void **state)
{
    static const struct refusal rows[] = {
        {"planer: x", "unknown-key", 1, "unknown key 'memory.planer'"},
        {"Planner: x", "unknown-key", 1, "unknown key 'memory.Planner'"},
        {"constraints: [{name: x, max: 5}]", "unknown-key", 25, "unknown key 'memory.constraints[0].max'"},
        {"boards: {evb: {soc: x, y: 1}}", "unknown-key", 24, "unknown key 'memory.boards.evb.y'"},
        {"constraints: [{name: a}, {max_size: 5}]", "missing-key", 26, "'memory.constraints[1]' lacks the required key 'name'"},
        {"boards: {evb: {}}", "missing-key", 15, "'memory.boards.evb' lacks the required key 'soc'"},
        {"kind: scrach", "unknown-choice", 7, "'memory.kind' does not know the value 'scrach'"},
        {"kind: ''", "unknown-choice", 7, "'memory.kind' does not know the value ''"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        refuse(&rows[i]);
    }
}

/* True if some note of the finding holds the words. */
static bool has_note(const struct diag *diag, const char *words)
{
    for (size_t i = 0; i < diag->notes.count; i++) {
        if (strstr(diag->notes.items[i].message, words) != NULL) {
            return true;
        }
    }
    return false;
}

static void test_suggestions(void **state)
{
    (void)state;
    struct run run;
    assert_false(decode(&run, "planer: x\nkind: scrach\n"));
    assert_int_equal(run.diagnostics.list.count, 2);
    assert_true(has_note(&run.diagnostics.list.items[0], "'planner'"));
    assert_true(has_note(&run.diagnostics.list.items[0], "known keys"));
    assert_true(has_note(&run.diagnostics.list.items[1], "'scratch'"));
    assert_true(has_note(&run.diagnostics.list.items[1], "known values: scratch, constant"));
    run_end(&run);
}

static void test_all_findings_are_reported(void **state)
{
    (void)state;
    struct run run;
    assert_false(decode(&run, "nobody: 1\n"
                              "count: [1]\n"
                              "id: [[], {}]\n"
                              "constraints: [{}, x, {name: y, max_size: 0, alignment: 3}]\n"
                              "boards: {a: {}, b: 1}\n"
                              "dump: 1\n"));
    static const uint32_t lines[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6};
    assert_int_equal(run.diagnostics.list.count, sizeof lines / sizeof lines[0]);
    for (size_t i = 0; i < run.diagnostics.list.count; i++) {
        assert_int_equal(run.diagnostics.list.items[i].span.line, lines[i]);
    }
    run_end(&run);
}

static void test_thousands_of_findings_end_soon(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text text = text_start(&arena);
    for (int i = 0; i < 50000; i++) {
        text_print(&text, "unknown_%d: 1\n", i);
    }
    struct run run;
    assert_false(decode(&run, text.data));
    assert_int_equal(run.diagnostics.list.count, DIAG_LIMIT);
    assert_true(run.diagnostics.dropped > 0);
    run_end(&run);
    arena_free(&arena);
}

static void test_long_and_hostile_words(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text text = text_start(&arena);
    text_add(&text, "count: ");
    text_add_repeated(&text, '-', 1000000);
    text_add(&text, "1\n\"\\e[2J\": 1\n");
    struct run run;
    assert_false(decode(&run, text.data));
    assert_int_equal(run.diagnostics.list.count, 2);
    assert_true(strlen(run.diagnostics.list.items[0].message) < 200);
    assert_string_equal(run.diagnostics.list.items[1].message, "unknown key 'memory.?[2J'");
    run_end(&run);
    arena_free(&arena);
}

static void test_titles_are_no_path(void **state)
{
    (void)state;
    static const char *const names[] = {"config file", "", NULL};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct run run;
        const struct node *root = NULL;
        accept(&run, "");
        struct schema schema = constraint_schema;
        schema.name = names[i];
        struct constraint constraint = {0};
        static const char text[] = "max_size: 0\n";
        uint32_t source = diag_add_source(&run.diagnostics, "t", (struct bytes){(const uint8_t *)text, sizeof text - 1});
        assert_true(doc_parse(&run.arena, &run.diagnostics, source, &root));
        assert_false(schema_decode(&run.arena, &run.diagnostics, &schema, root, &constraint));
        assert_int_equal(run.diagnostics.list.count, 2);
        assert_string_equal(run.diagnostics.list.items[0].message, "the document lacks the required key 'name'");
        assert_string_equal(run.diagnostics.list.items[1].message, "'max_size' must be 1 to 1048576, not '0'");
        run_end(&run);
    }
}

static void test_read_scalar(void **state)
{
    (void)state;
    struct run run;
    accept(&run, "");
    const struct field field = {.key = "seed", .kind = FIELD_INTEGER, .maximum = 10};
    struct node node = {.kind = NODE_SCALAR, .span = {.source = 3, .line = 1, .column = 6}, .text = "10", .plain = true};
    struct size_value value = {0};
    assert_true(schema_read_scalar(&run.arena, &run.diagnostics, &field, &node, &value));
    assert_int_equal(value.value, 10);
    assert_int_equal(value.span.source, 3);
    node.text = "11";
    assert_false(schema_read_scalar(&run.arena, &run.diagnostics, &field, &node, &value));
    assert_int_equal(value.value, 10);
    assert_int_equal(run.diagnostics.list.count, 1);
    assert_string_equal(run.diagnostics.list.items[0].message, "'seed' must be 0 to 10, not '11'");
    assert_int_equal(run.diagnostics.list.items[0].span.column, 6);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_absent_keys),
        cmocka_unit_test(test_defaults_stay),
        cmocka_unit_test(test_failure_leaves_the_target_alone),
        cmocka_unit_test(test_accepted_spellings),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_wrong_kinds),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_all_findings_are_reported),
        cmocka_unit_test(test_thousands_of_findings_end_soon),
        cmocka_unit_test(test_long_and_hostile_words),
        cmocka_unit_test(test_titles_are_no_path),
        cmocka_unit_test(test_read_scalar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
