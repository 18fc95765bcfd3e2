/* The rules of soc_validate(), by theme, and the names that may stand in a registry file. */
#ifndef HELIA_SOC_SOC_RULES_H
#define HELIA_SOC_SOC_RULES_H

#include "soc/soc.h"

/* Longest name of a SoC, board, profile, region or section. */
#define SOC_NAME_LIMIT 64

/* Letters, digits, '-', '_', '.', '+', beginning with a letter or digit: SoCs, boards, profiles. */
bool is_file_name(const char *name);
/* [A-Z][A-Z0-9_]*: regions, which become parts of macro names. */
bool is_region_name(const char *name);
/* [A-Za-z_][A-Za-z0-9_]*: memories of linker scripts. */
bool is_identifier(const char *name);
/* Letters, digits, '.', '_', '-', '$': sections. "" is the default section. */
bool is_section_name(const char *name);
/* '-', then letters, digits and "-_=+.,:/": compiler flags. */
bool is_compiler_flag(const char *flag);

/* One run of soc_validate(). */
struct validation {
    struct arena *scratch;
    struct diagnostics *diagnostics;
    const struct soc *soc;
    size_t failures;
};

/* Reports a finding and counts it. The result takes notes. */
struct diag *validation_fail(struct validation *validation, enum diag_id id, struct span span, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* A text of the file as messages show it. */
const char *validation_shown(const struct validation *validation, const char *text);

/* Reports a range without bytes, or past the address space of the SoC's ELF class. `what` is "region DTCM". */
MUST_CHECK bool validate_range(struct validation *validation, uint64_t origin, uint64_t length, const char *what,
                               struct span span);

/* Reports numbers of `what` if `source` is NULL. */
void validate_source(struct validation *validation, const char *source, const char *what, struct span span);

/* True if [a, a + a_length) and [b, b + b_length) share an address; the ranges do not wrap. */
bool ranges_share(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length);
/* True if the `inner` range lies in the `outer` one; false as well if it wraps. */
bool range_inside(uint64_t inner, uint64_t inner_length, uint64_t outer, uint64_t outer_length);

/* soc_validate_regions.c: names, ranges, aliases, carve-outs, overlaps. */
void validate_regions(struct validation *validation);
/* soc_validate_profiles.c: windows, roles, native sections. */
void validate_profiles(struct validation *validation);

#endif
