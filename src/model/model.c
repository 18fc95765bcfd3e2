#include "model/model.h"

#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "model/model_build.h"

const char *const role_names[ROLE_COUNT] = {"scratch", "persistent", "constant"};

static const char *const tflite_endings[] = {".tflite", NULL};
static const char *const tensor_list_endings[] = {".yaml", ".yml", ".json", NULL};
static const char *const program_endings[] = {".pte", NULL};
static const char *const lifetime_csv_endings[] = {".csv", NULL};

/* An ExecuTorch program is opaque here: its planner has baked the offsets in, so it is placed whole (REQ-PLC-065). */
static bool program_import(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct bytes content,
                           uint32_t source, struct model *model)
{
    (void)arena;
    (void)diagnostics;
    (void)path;
    (void)source;
    model->step_count = 1;
    model->subgraph_count = 1;
    model->weight_bytes = content.size;
    return true;
}

const struct model_importer model_importers[] = {
    {"tflite", tflite_endings, false, tflite_import},
    {"tensor-list", tensor_list_endings, true, tensor_list_import},
    {"lifetime-csv", lifetime_csv_endings, true, lifetime_csv_import},
    {"pte", program_endings, false, program_import},
};
const size_t model_importer_count = sizeof model_importers / sizeof model_importers[0];

static const struct model_importer *find_importer(const char *lower_path)
{
    for (size_t i = 0; i < model_importer_count; i++) {
        for (const char *const *ending = model_importers[i].endings; *ending != NULL; ending++) {
            if (text_ends_with(lower_path, *ending)) {
                return &model_importers[i];
            }
        }
    }
    return NULL;
}

/* File name without folder and ending. */
static const char *model_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    const char *dot = strrchr(name, '.');
    size_t size = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return text_printable(arena, name, size);
}

static void report_format(struct diagnostics *diagnostics, const char *path, struct span span)
{
    struct diag *diag =
        diag_report(diagnostics, DIAG_MODEL_FORMAT, span, "'%s' is no model that can be read: its ending is unknown", path);
    diag_note(diagnostics, diag, SPAN_NONE,
              "known endings: .tflite, .yaml, .yml and .json (tensor list), .csv (lifetimes), .pte (ExecuTorch program)");
}

bool model_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                const struct model **model)
{
    const struct model_importer *importer = find_importer(text_lower(arena, path));
    if (importer == NULL) {
        report_format(diagnostics, path, span);
        return false;
    }
    struct bytes content;
    struct file_error error;
    if (!file_read(arena, path, MODEL_BYTES_LIMIT, &content, &error)) {
        diag_report(diagnostics, error.too_large ? DIAG_MODEL_LIMIT : DIAG_FILE_UNREADABLE, span, "cannot %s '%s': %s",
                    error.operation, path, error.reason);
        return false;
    }
    uint32_t source = diag_add_source(diagnostics, path, importer->is_text ? content : (struct bytes){0});
    struct model *made = ARENA_NEW(arena, struct model);
    made->path = path;
    made->name = model_name(arena, path);
    made->format = importer->format;
    made->content = content;
    made->source = source;
    if (!importer->read(arena, diagnostics, path, content, source, made)) {
        return false;
    }
    *model = made;
    return true;
}

void tensor_add_op(struct tensor *tensor, uint32_t step)
{
    if (!tensor->is_live || step < tensor->start_op) {
        tensor->start_op = step;
    }
    if (!tensor->is_live || step > tensor->end_op) {
        tensor->end_op = step;
    }
    tensor->is_live = true;
}

void tensor_merge_lifetime(struct tensor *tensor, const struct tensor *other)
{
    if (!other->is_live) {
        return;
    }
    tensor_add_op(tensor, other->start_op);
    tensor_add_op(tensor, other->end_op);
}

uint32_t model_find_tensor(const struct model *model, const char *id_or_name)
{
    uint32_t found = TENSOR_NONE;
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (text_equal(tensor->id, id_or_name)) {
            return i;
        }
    }
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        if (id_or_name[0] == '\0' || !text_equal(model->tensors[i].name, id_or_name)) {
            continue;
        }
        if (found != TENSOR_NONE) {
            return TENSOR_NONE;
        }
        found = i;
    }
    return found;
}

bool model_shape_bytes(const struct element_type *type, const int32_t *shape, uint32_t rank, uint64_t *bytes)
{
    uint64_t elements = 1;
    bool is_empty = false;
    bool is_large = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) {
            return false;
        }
        is_empty = is_empty || shape[i] == 0;
        is_large = is_large || !size_multiply_checked(elements, (uint64_t)shape[i], &elements) || elements > SIZE_LIMIT;
    }
    if (is_empty) {
        elements = 0;
    } else if (is_large) {
        return false;
    }
    uint64_t size = (elements * type->bits + 7) / 8;
    if (size > SIZE_LIMIT) {
        return false;
    }
    *bytes = size;
    return true;
}

/* Constants that share a buffer count once. */
static uint64_t weight_bytes(const struct model *model, struct arena *arena)
{
    size_t buffer_count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        uint32_t buffer = model->tensors[i].buffer;
        if (buffer != UINT32_MAX && buffer >= buffer_count) {
            buffer_count = (size_t)buffer + 1;
        }
    }
    struct arena_mark mark = arena_mark(arena);
    bool *seen = ARENA_ARRAY(arena, bool, buffer_count);
    uint64_t sum = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (tensor->role != ROLE_CONSTANT || !tensor->is_live) {
            continue;
        }
        if (tensor->buffer == UINT32_MAX || !seen[tensor->buffer]) {
            sum += tensor->size;
        }
        if (tensor->buffer != UINT32_MAX) {
            seen[tensor->buffer] = true;
        }
    }
    arena_rewind(arena, mark);
    return sum;
}

bool model_complete(struct arena *arena, struct diagnostics *diagnostics, struct model *model)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (!model->tensors[i].is_live) {
            continue;
        }
        sum += model->tensors[i].size; /* at most twice the limit, for the sum is looked at each time */
        if (sum <= SIZE_LIMIT) {
            continue;
        }
        diag_report(diagnostics, DIAG_MODEL_LIMIT, model->tensors[i].span,
                    "the tensors up to '%s' need more than %" PRIu64 " bytes together, the most that is planned",
                    model->tensors[i].id, SIZE_LIMIT);
        return false;
    }
    model->weight_bytes = weight_bytes(model, arena);
    return true;
}
