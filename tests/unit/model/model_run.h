/* What the tests of models share: a run with its arenas and sink, and reading a model from memory. */
#ifndef TESTS_UNIT_MODEL_MODEL_RUN_H
#define TESTS_UNIT_MODEL_MODEL_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

struct run {
    struct arena arena;
    struct arena scratch;
    struct diagnostics diagnostics;
    struct model model;
};

static inline void run_start(struct run *run)
{
    *run = (struct run){0};
    run->diagnostics = diagnostics_start(&run->arena);
}

static inline void run_end(struct run *run)
{
    arena_free(&run->arena);
    arena_free(&run->scratch);
}

static inline const struct model_importer *importer_named(const char *format)
{
    for (size_t i = 0; i < model_importer_count; i++) {
        if (text_equal(model_importers[i].format, format)) {
            return &model_importers[i];
        }
    }
    fail_msg("no importer '%s'", format);
    return NULL;
}

/* Reads `size` bytes from a block of exactly that size and a NUL, so that the sanitizer sees a read beyond it. */
static inline bool run_read(struct run *run, const char *format, const char *path, const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    struct bytes content = {copy, size};
    const struct model_importer *importer = importer_named(format);
    uint32_t source = diag_add_source(&run->diagnostics, path, importer->is_text ? content : (struct bytes){0});
    run->model = (struct model){.path = path, .name = "test", .format = importer->format, .content = content};
    bool ok = importer->read(&run->arena, &run->diagnostics, path, content, source, &run->model);
    assert_true(ok == (run->diagnostics.error_count == 0));
    free(copy);
    return ok;
}

static inline size_t count_findings(const struct run *run, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < run->diagnostics.list.count; i++) {
        count += text_equal(diag_row(run->diagnostics.list.items[i].id)->name, id);
    }
    return count;
}

static inline void print_findings(struct run *run)
{
    for (size_t i = 0; i < run->diagnostics.list.count; i++) {
        const struct diag *diag = &run->diagnostics.list.items[i];
        print_error("%u:%u %s: %s [%s]\n", diag->span.line, diag->span.column, diag->place ? diag->place : "", diag->message,
                    diag_row(diag->id)->name);
    }
}

/* Finding `index` has this id, and its place and message hold these words. */
static inline void assert_finding(struct run *run, size_t index, const char *id, const char *place, const char *words)
{
    if (index >= run->diagnostics.list.count) {
        fail_msg("there is no finding %zu", index);
    }
    const struct diag *diag = &run->diagnostics.list.items[index];
    bool same = text_equal(diag_row(diag->id)->name, id) && (place == NULL || (diag->place && text_equal(diag->place, place))) &&
                strstr(diag->message, words) != NULL;
    if (!same) {
        print_findings(run);
    }
    assert_string_equal(diag_row(diag->id)->name, id);
    if (place != NULL) {
        assert_string_equal(diag->place, place);
    }
    assert_non_null(strstr(diag->message, words));
}

static inline const struct tensor *tensor_with_id(const struct run *run, const char *id)
{
    uint32_t index = model_find_tensor(&run->model, id);
    if (index == TENSOR_NONE) {
        fail_msg("no tensor '%s'", id);
    }
    return &run->model.tensors[index];
}

#define assert_life(tensor_, start_, end_)                                                                                       \
    do {                                                                                                                         \
        assert_true((tensor_)->is_live);                                                                                         \
        assert_int_equal((tensor_)->start_op, (start_));                                                                         \
        assert_int_equal((tensor_)->end_op, (end_));                                                                             \
    } while (0)

#endif
