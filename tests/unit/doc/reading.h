/* What the tests of documents share: a run with its arena and sink, and reading a text from memory. */
#ifndef TESTS_UNIT_DOC_READING_H
#define TESTS_UNIT_DOC_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doc/doc.h"

struct run {
    struct arena arena;
    struct diagnostics diagnostics;
    const struct node *root; /* NULL if the text was refused */
};

static inline void run_start(struct run *run)
{
    *run = (struct run){0};
    run->diagnostics = diagnostics_start(&run->arena);
}

static inline void run_end(struct run *run)
{
    arena_free(&run->arena);
}

/* Reads `size` bytes from a block of exactly that size and a NUL, so that the sanitizer sees a read beyond it. */
static inline bool read_bytes(struct run *run, const void *bytes, size_t size)
{
    const uint8_t *copy = (const uint8_t *)arena_copy(&run->arena, bytes, size);
    uint32_t source = diag_add_source(&run->diagnostics, "test.yaml", (struct bytes){copy, size});
    run->root = NULL;
    return doc_parse(&run->arena, &run->diagnostics, source, &run->root);
}

static inline const struct node *read_text(struct run *run, const char *text)
{
    run_start(run);
    assert_true(read_bytes(run, text, strlen(text)));
    assert_int_equal(run->diagnostics.list.count, 0);
    assert_non_null(run->root);
    return run->root;
}

/* Reads a text that must be refused; its findings are then in the run. */
static inline void refuse_bytes(struct run *run, const void *bytes, size_t size)
{
    run_start(run);
    assert_false(read_bytes(run, bytes, size));
    assert_null(run->root);
    assert_true(run->diagnostics.error_count > 0);
}

static inline void refuse_text(struct run *run, const char *text)
{
    refuse_bytes(run, text, strlen(text));
}

#define assert_span(span_, line_, column_, length_)                                                                              \
    do {                                                                                                                         \
        assert_int_equal((span_).line, (line_));                                                                                 \
        assert_int_equal((span_).column, (column_));                                                                             \
        assert_int_equal((span_).length, (length_));                                                                             \
    } while (0)

/* Finding `index` has this id and starts here. */
#define assert_finding(run_, index_, id_, line_, column_)                                                                        \
    do {                                                                                                                         \
        assert_true((run_)->diagnostics.list.count > (index_));                                                                  \
        assert_string_equal(diag_row((run_)->diagnostics.list.items[index_].id)->name, (id_));                                   \
        assert_int_equal((run_)->diagnostics.list.items[index_].span.line, (line_));                                             \
        assert_int_equal((run_)->diagnostics.list.items[index_].span.column, (column_));                                         \
    } while (0)

struct refusal {
    const char *id;
    uint32_t line, column;
};

/* The text is refused for these reasons, in this order, and for no others. */
static inline void assert_refused(const char *text, const struct refusal *reasons, size_t count)
{
    struct run run;
    refuse_text(&run, text);
    assert_int_equal(run.diagnostics.list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_finding(&run, i, reasons[i].id, reasons[i].line, reasons[i].column);
    }
    run_end(&run);
}

/* The reasons written out: {id, line, column}, ... */
#define assert_refused_for(text_, ...)                                                                                           \
    assert_refused((text_), (const struct refusal[]){__VA_ARGS__},                                                               \
                   sizeof((const struct refusal[]){__VA_ARGS__}) / sizeof(struct refusal))

#endif
