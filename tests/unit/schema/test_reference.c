/* The printed reference: every row in its place, every schema once. */
#include "decoding.h"

static void test_reference(void **state)
{
    static const char expected[] = "## `memory`\n"
                                   "\n"
                                   "Where things go.\n"
                                   "\n"
                                   "| key | value | default | meaning |\n"
                                   "|---|---|---|---|\n"
                                   "| `planner` | text | `greedy` | Who plans. |\n"
                                   "| `comment` | text, or `null` |  | Anything. |\n"
                                   "| `dump` | `true` or `false` | `false` | Write it. |\n"
                                   "| `arena_size` | size |  | The arena. |\n"
                                   "| `origin` | address, 0x00001000 to 0xffffffff |  | Where it starts. |\n"
                                   "| `count` | integer, at least 2 |  | How many. |\n"
                                   "| `kind` | `scratch` or `constant` |  | What it is. |\n"
                                   "| `id` | text or list of texts |  | Which. |\n"
                                   "| `options` | mapping, see `memory.options` |  | How. |\n"
                                   "| `constraints` | list of mappings, see `memory.constraints[]` |  | Limits. |\n"
                                   "| `boards` | mapping from names to mappings, see `memory.boards.NAME` |  | Boards. |\n"
                                   "| `rest` | any value |  | For others. |\n"
                                   "\n"
                                   "### `memory.options`\n"
                                   "\n"
                                   "| key | value | default | meaning |\n"
                                   "|---|---|---|---|\n"
                                   "| `iterations` | integer, 1 to 1000 | `300` | How long to try. |\n"
                                   "\n"
                                   "### `memory.constraints[]`\n"
                                   "\n"
                                   "One limit.\n"
                                   "\n"
                                   "| key | value | default | meaning |\n"
                                   "|---|---|---|---|\n"
                                   "| `name` | text | required | The region. |\n"
                                   "| `max_size` | size, 1 to 1048576, or `null` |  | The most that may be used. |\n"
                                   "| `alignment` | size, a power of two | `16` | A bar \\| in a cell. |\n"
                                   "\n"
                                   "### `memory.boards.NAME`\n"
                                   "\n"
                                   "| key | value | default | meaning |\n"
                                   "|---|---|---|---|\n"
                                   "| `soc` | text | required | Its chip. |\n";
    (void)state;
    struct arena arena = {0};
    struct text text = text_start(&arena);
    schema_print_reference(&memory_schema, 2, &text);
    assert_string_equal(text.data, expected);
    arena_free(&arena);
}

static size_t occurrences(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words)) {
        count++;
    }
    return count;
}

extern const struct schema tree_schema;
static const struct field tree_fields[] = {
    {.key = "left", .kind = FIELD_RECORDS, .record = &tree_schema},
    {.key = "right", .kind = FIELD_RECORDS, .record = &tree_schema},
    {.key = "options", .kind = FIELD_RECORD, .record = &option_schema},
    {.key = "more", .kind = FIELD_RECORD, .record = &option_schema},
};
const struct schema tree_schema = {.name = "a tree", .fields = tree_fields, .field_count = 4, .span_offset = SCHEMA_NO_SPAN};

static void test_each_schema_once(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text text = text_start(&arena);
    schema_print_reference(&tree_schema, 1, &text);
    assert_int_equal(occurrences(text.data, "# a tree\n"), 1);
    assert_int_equal(occurrences(text.data, "# `memory.options`\n"), 1);
    assert_int_equal(occurrences(text.data, "see `memory.options`"), 2);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_each_schema_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
