#include <string.h>

#include "base/text.h"
#include "check/facts.h"

const struct check_row check_rows[] = {
    {"elf-class", "The image is of the SoC's class, 32 or 64 bits.", DIAG_ERROR, false, check_elf_class},
    {"elf-machine", "The image is for the SoC's machine.", DIAG_ERROR, false, check_elf_machine},
    {"packed-unknown", "The size in memory of packed initialised data is known.", DIAG_ERROR, false, check_packed_unknown},
    {"windows-unverified", "The profile's windows were verified against a linker script.", DIAG_WARNING, false,
     check_windows_unverified},
    {"plan-unknown", "There is a plan to show where nothing can be measured.", DIAG_ERROR, false, check_plan_unknown},
    {"plan-mismatch", "The image was built from the plan given, for this SoC and profile.", DIAG_ERROR, true,
     check_plan_mismatch},
    {"plan-stale", "The plan is what the model and config give now.", DIAG_ERROR, true, check_plan_stale},
    {"plan-not-embedded", "The image carries the plan that it was built from.", DIAG_WARNING, true, check_plan_not_embedded},
    {"region-overflow", "What is put into a region fits it.", DIAG_ERROR, false, check_region_overflow},
    {"section-straddles-window", "Every section ends in the window in which it starts.", DIAG_ERROR, false,
     check_section_straddles},
    {"outside-window", "Every byte lies in a window of the profile.", DIAG_ERROR, false, check_outside_window},
    {"section-overlap", "No two sections share bytes while the program runs.", DIAG_ERROR, false, check_section_overlap},
    {"load-overlap", "No two load images share bytes.", DIAG_ERROR, false, check_load_overlap},
    {"load-outside-image", "Load images lie only in memory that holds something at reset.", DIAG_ERROR, false,
     check_load_outside_image},
    {"load-misaligned", "Load addresses of our sections are multiples of a word.", DIAG_ERROR, true, check_load_misaligned},
    {"section-wrong-region", "Our sections lie in the memory that their names state.", DIAG_ERROR, true,
     check_section_wrong_region},
    {"writable-code", "No code lies in a segment that is writable and executable.", DIAG_WARNING, false, check_writable_code},
    {"image-stripped", "The image has the symbols that tell where the planned arenas are.", DIAG_ERROR, true,
     check_image_stripped},
    {"arena-missing", "Every planned arena is in the image.", DIAG_ERROR, true, check_arena_missing},
    {"arena-not-unique", "Every planned arena is there once.", DIAG_ERROR, true, check_arena_not_unique},
    {"arena-wrong-region", "Every planned arena lies in the window of its memory.", DIAG_ERROR, true, check_arena_wrong_region},
    {"arena-wrong-size", "Every planned arena has the planned size.", DIAG_ERROR, true, check_arena_wrong_size},
    {"arena-misaligned", "Every planned arena has the planned alignment.", DIAG_ERROR, true, check_arena_misaligned},
    {"arena-costs-flash", "Arenas that start empty are not stored in the image.", DIAG_ERROR, true, check_arena_costs_flash},
    {"arena-not-loaded", "Constants are stored in the image.", DIAG_ERROR, true, check_arena_not_loaded},
    {"arena-shared", "Nothing else lies inside a planned arena.", DIAG_ERROR, true, check_arena_shared},
    {"over-budget", "Every region stays within its budget.", DIAG_ERROR, false, check_over_budget},
};
const size_t check_row_count = sizeof check_rows / sizeof *check_rows;

static void report_budget_region(struct arena *arena, struct diagnostics *diagnostics, const struct budget *budget,
                                 const struct check_result *result)
{
    const char **names = ARENA_ARRAY(arena, const char *, result->region_count);
    for (size_t i = 0; i < result->region_count; i++) {
        names[i] = result->regions[i].name;
    }
    struct diag *diag =
        diag_report(diagnostics, DIAG_BUDGET_REGION, budget->span, "there is no region '%s' to give a budget", budget->region);
    diag_suggest(diagnostics, diag, budget->region, "regions", names, result->region_count);
}

static bool check_budgets(struct arena *arena, struct diagnostics *diagnostics, const struct check_request *request,
                          const struct check_result *result)
{
    bool fine = true;
    for (size_t i = 0; i < request->budget_count; i++) {
        const struct budget *budget = &request->budgets[i];
        const struct measured_region *row = NULL;
        for (size_t j = 0; j < result->region_count; j++) {
            if (text_equal_nocase(result->regions[j].name, budget->region)) {
                row = &result->regions[j];
            }
        }
        uint64_t limit;
        if (!row) {
            report_budget_region(arena, diagnostics, budget, result);
            fine = false;
        } else if (!budget_limit(budget, row->capacity, &limit)) {
            diag_report(diagnostics, DIAG_BUDGET_LIMIT, budget->span, "the budget '%s' of %s is neither a size nor a percentage",
                        budget->limit_text, row->name);
            fine = false;
        }
    }
    return fine;
}

static bool has_error(const struct check_result *result)
{
    for (size_t i = 0; i < result->findings.count; i++) {
        if (result->findings.items[i].level == DIAG_ERROR) {
            return true;
        }
    }
    return false;
}

bool check_run(struct arena *arena, struct diagnostics *diagnostics, const struct check_request *request,
               struct check_result *result)
{
    struct check_result made = {.request = request};
    measure(request, arena, &made);
    if (!check_budgets(arena, diagnostics, request, &made)) {
        return false;
    }
    for (size_t i = 0; i < check_row_count; i++) {
        if (!check_rows[i].needs_plan || made.facts->plan_count != 0) {
            check_rows[i].run(request, arena, &made);
        }
    }
    made.ok = !has_error(&made);
    *result = made;
    return true;
}
