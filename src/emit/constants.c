/* Constant blobs, and the assembler file that brings them and the plan into the image. */
#include "emit/constants.h"

#include <inttypes.h>
#include <string.h>

#include "base/sha256.h"
#include "base/size.h"
#include "emit/emit.h"
#include "emit/header.h"
#include "emit/quote.h"
#include "plan/plan_json.h"

bool arena_has_blob(const struct arena_usage *arena)
{
    return arena->role == ROLE_CONSTANT && arena->total_size > 0;
}

static bool is_in_arena(const struct tensor_allocation *allocation, const struct arena_usage *arena)
{
    return allocation->binding.role == arena->role && allocation->binding.memory == arena->memory &&
           allocation->alias_of == UINT32_MAX;
}

struct bytes constant_blob_make(const struct emit_view *view, const struct arena_usage *arena)
{
    const struct model *model = view->problem->model;
    uint8_t *data = ARENA_ARRAY(view->arena, uint8_t, (size_t)arena->total_size + 1);
    for (size_t i = 0; i < view->plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &view->plan->allocations[i];
        const struct tensor *tensor = &model->tensors[allocation->tensor];
        if (is_in_arena(allocation, arena) && tensor->data_size > 0) {
            memcpy(data + allocation->binding.offset, model->content.data + tensor->data_offset, (size_t)tensor->data_size);
        }
    }
    return (struct bytes){data, (size_t)arena->total_size};
}

static bool fits_inside(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

bool constants_check(const struct memory_plan *plan, struct diagnostics *diagnostics)
{
    const struct model *model = plan->problem->model;
    bool is_good = true;
    for (size_t i = 0; i < plan->allocation_count; i++) {
        const struct tensor_allocation *allocation = &plan->allocations[i];
        const struct tensor *tensor = &model->tensors[allocation->tensor];
        const struct arena_usage *arena = arena_of_binding(plan, &allocation->binding);
        if (allocation->binding.role != ROLE_CONSTANT || tensor->data_size == 0) {
            continue;
        }
        if (arena != NULL && fits_inside(tensor->data_offset, tensor->data_size, model->content.size) &&
            tensor->data_size <= allocation->size &&
            fits_inside(allocation->binding.offset, allocation->size, arena->total_size)) {
            continue;
        }
        diag_report(diagnostics, DIAG_CONSTANT_BYTES, tensor->span,
                    "the %" PRIu64 " bytes of constant '%s' do not fit its slot of %" PRIu64
                    " bytes, or are not all in the model",
                    tensor->data_size, tensor->id, allocation->size);
        is_good = false;
    }
    return is_good;
}

/* ---- assembler ---- */

static void hash_comment(const void *data, size_t size, struct text *out)
{
    char digest[65];
    sha256_hex(data, size, digest);
    text_print(out, "/* %zu bytes, sha256:%s */\n", size, digest);
}

static void symbol_start(const char *section, const char *flags, const char *type, uint64_t alignment, const char *symbol,
                         struct text *out)
{
    text_print(out, "    .section %s,\"%s\",%s\n", section, flags, type);
    text_print(out, "    .balign %" PRIu64 "\n    .global %s\n    .type %s, %%object\n%s:\n", alignment, symbol, symbol, symbol);
}

/* Takes no bytes of the image under any name. */
static void empty_array(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    text_add(out, "\n");
    symbol_start(arena_place(view, arena).section, "aw", "%nobits", arena->alignment, arena->symbol, out);
    text_print(out, "    .space %" PRIu64 "\n    .size %s, %" PRIu64 "\n", arena->total_size, arena->symbol, arena->total_size);
}

/* The file lies beside, for the host: no byte of it is in the image. */
static void uploaded_blob(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    struct bytes bytes = constant_blob_make(view, arena);
    text_print(out, "\n/* %s, which the host writes to %s: */\n", arena_blob_name(view, arena), arena->symbol);
    hash_comment(bytes.data, bytes.size, out);
    empty_array(view, arena, out);
}

static void blob(const struct emit_view *view, const struct arena_usage *arena, struct text *out)
{
    if (arena_is_host_uploaded(view->problem, arena)) {
        uploaded_blob(view, arena, out);
        return;
    }
    bool is_staged = arena_is_staged(arena);
    struct arena_place place = is_staged ? arena_source_place(view, arena) : arena_place(view, arena);
    const char *symbol = is_staged ? arena->source_symbol : arena->symbol;
    bool is_writable = !is_staged && place.memory->is_writable;
    struct bytes bytes = constant_blob_make(view, arena);
    text_add(out, "\n");
    hash_comment(bytes.data, bytes.size, out);
    symbol_start(place.section, is_writable ? "aw" : "a", "%progbits", arena->alignment, symbol, out);
    text_add(out, "    .incbin ");
    quote_c_string(out, arena_blob_name(view, arena));
    text_print(out, "\n    .size %s, %" PRIu64 "\n", symbol, arena->total_size);
}

/* The plan travels in the image, so that the image can be checked with nothing else at hand. Not loaded. */
static void plan_section(const struct emit_view *view, struct text *out)
{
    struct text json = text_start(view->arena);
    plan_write_json(view->plan, &json);
    text_add(out, "\n");
    hash_comment(json.data, json.size, out);
    text_print(out, "    .section .helia.plan,\"\",%%progbits\n    .incbin \"%s_plan.json\"\n    .byte 0\n", view->prefix);
}

void emit_constants_assembly(const struct emit_request *request, struct text *out)
{
    struct emit_view view = emit_view_make(request, out->arena);
    emit_banner_comment(&view, out);
    text_add(
        out,
        "/* The files are found through -I of the folder that they stand in. Their hashes make this file change with them. */\n");
    for (size_t i = 0; i < view.plan->arena_count; i++) {
        const struct arena_usage *arena = &view.plan->arenas[i];
        bool is_lendable = arena_is_lendable(arena);
        if (is_lendable && arena_has_array(&view, arena) && arena_is_in_assembler(&view, arena)) {
            empty_array(&view, arena, out);
        }
        if (arena_has_blob(arena)) {
            blob(&view, arena, out);
        }
    }
    plan_section(&view, out);
    /* GNU ld warns of an object without this note as soon as another has it; of the two compilers only Clang writes it. */
    text_add(out, "\n#ifdef __clang__\n    .section .note.GNU-stack,\"\",%progbits\n#endif\n");
}
