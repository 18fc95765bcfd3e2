/* What must hold in a SoC: its own names and the memory order; regions and profiles have files of their own. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/size.h"
#include "soc/soc_rules.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alphanumeric(char c)
{
    return is_upper(c) || is_digit(c) || (c >= 'a' && c <= 'z');
}

/* True if every character is a letter, a digit or one of `others`. */
static bool is_made_of(const char *text, const char *others)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (!is_alphanumeric(*c) && strchr(others, *c) == NULL) {
            return false;
        }
    }
    return strlen(text) <= SOC_NAME_LIMIT;
}

bool is_file_name(const char *name)
{
    return is_alphanumeric(name[0]) && is_made_of(name, "-_.+");
}

bool is_region_name(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        if (!is_upper(*c) && (c == name || (!is_digit(*c) && *c != '_'))) {
            return false;
        }
    }
    return name[0] != '\0' && strlen(name) <= SOC_NAME_LIMIT;
}

bool is_identifier(const char *name)
{
    return text_is_identifier(name) && strlen(name) <= SOC_NAME_LIMIT;
}

bool is_section_name(const char *name)
{
    return is_made_of(name, "._-$");
}

bool is_compiler_flag(const char *flag)
{
    return flag[0] == '-' && is_made_of(flag, "-_=+.,:/");
}

struct diag *validation_fail(struct validation *validation, enum diag_id id, struct span span, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_format_list(validation->diagnostics->arena, format, arguments);
    va_end(arguments);
    validation->failures++;
    return diag_report(validation->diagnostics, id, span, "%s", message);
}

const char *validation_shown(const struct validation *validation, const char *text)
{
    return node_printable(validation->scratch, text);
}

bool validate_range(struct validation *validation, uint64_t origin, uint64_t length, const char *what, struct span span)
{
    if (length == 0) {
        validation_fail(validation, DIAG_REGION_EMPTY, span, "%s has no bytes", what);
        return false;
    }
    bool is_wide = validation->soc->elf_class == 64;
    if (!is_wide && origin > UINT32_MAX) {
        validation_fail(validation, DIAG_REGION_WRAPS, span,
                        "%s is at 0x%" PRIx64 ", which does not fit in 32 bits (max 0x%" PRIX32 ")", what, origin, UINT32_MAX);
        return false;
    }
    uint64_t last_address = is_wide ? UINT64_MAX : UINT32_MAX;
    if (origin <= last_address && length - 1 <= last_address - origin) {
        return true;
    }
    validation_fail(validation, DIAG_REGION_WRAPS, span,
                    "%s, %" PRIu64 " bytes from 0x%08" PRIx64 ", runs past the last address 0x%" PRIx64, what, length, origin,
                    last_address);
    return false;
}

void validate_source(struct validation *validation, const char *source, const char *what, struct span span)
{
    if (source == NULL && !validation->soc->from_config) {
        validation_fail(validation, DIAG_UNSOURCED_NUMBER, span, "%s does not say where its numbers were read", what);
    }
}

bool ranges_share(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
    return a <= b ? b - a < a_length : a - b < b_length;
}

bool range_inside(uint64_t inner, uint64_t inner_length, uint64_t outer, uint64_t outer_length)
{
    return inner >= outer && inner - outer <= outer_length && inner_length <= outer_length - (inner - outer);
}

static void validate_names(struct validation *validation)
{
    const struct soc *soc = validation->soc;
    if (!is_file_name(soc->name)) {
        validation_fail(validation, DIAG_BAD_NAME, soc->span,
                        "the SoC's name '%s' must be made of letters, digits, '-', '_', '.' and '+'",
                        validation_shown(validation, soc->name));
    }
    if (!is_file_name(soc->core)) {
        validation_fail(validation, DIAG_BAD_NAME, soc->span,
                        "the core's name '%s' must be made of letters, digits, '-', '_', '.' and '+'",
                        validation_shown(validation, soc->core));
    }
    for (size_t i = 0; i < soc->flag_count; i++) {
        if (!is_compiler_flag(soc->flags[i])) {
            validation_fail(validation, DIAG_BAD_NAME, soc->span, "'%s' is no compiler flag for a core",
                            validation_shown(validation, soc->flags[i]));
        }
    }
    if (soc->npu != NULL && !is_file_name(soc->npu)) {
        validation_fail(validation, DIAG_BAD_NAME, soc->span,
                        "the NPU's name '%s' must be made of letters, digits, '-', '_', '.' and '+'",
                        validation_shown(validation, soc->npu));
    }
}

static void validate_numbers(struct validation *validation)
{
    const struct soc *soc = validation->soc;
    if (soc->pmu_max_ops > 0) {
        validate_source(validation, soc->source, "'pmu_max_ops'", soc->span);
    }
    if (soc->psram_clock_count > 0) {
        validate_source(validation, soc->source, "'psram_clocks_hz'", soc->span);
    }
}

/* Why the region cannot be in the memory order; NULL: it can. */
static const char *order_objection(const struct soc *soc, size_t position)
{
    uint32_t index = soc->memory_order[position];
    const struct region *region = &soc->regions[index];
    for (size_t i = 0; i < position; i++) {
        if (soc->memory_order[i] == index) {
            return "is there twice";
        }
    }
    if (!region->data) {
        return "holds no data";
    }
    if ((region->access & ACCESS_WRITE) == 0) {
        return "cannot be written";
    }
    if (region->tier == TIER_EXTERNAL) {
        return "is external memory, which is never chosen without being asked for";
    }
    return NULL;
}

static void validate_memory_order(struct validation *validation)
{
    const struct soc *soc = validation->soc;
    for (size_t i = 0; i < soc->memory_order_count; i++) {
        const char *objection = order_objection(soc, i);
        if (objection != NULL) {
            validation_fail(validation, DIAG_BAD_MEMORY_ORDER, soc->memory_order_span, "the memory order names %s, which %s",
                            validation_shown(validation, soc->regions[soc->memory_order[i]].name), objection);
        }
    }
}

bool soc_validate(struct arena *scratch, struct diagnostics *diagnostics, const struct soc *soc)
{
    struct validation validation = {.scratch = scratch, .diagnostics = diagnostics, .soc = soc};
    validate_names(&validation);
    validate_numbers(&validation);
    validate_regions(&validation);
    validate_memory_order(&validation);
    validate_profiles(&validation);
    return validation.failures == 0;
}
