/* Text for people and machines from plans, models, SoCs and check results. Nothing here prints: everything fills a text. */
#ifndef HELIA_REPORT_REPORT_H
#define HELIA_REPORT_REPORT_H

#include "base/text.h"
#include "check/check.h"
#include "plan/plan.h"

/* Tables. `verbose` adds exact bytes. */
void report_plan_table(const struct memory_plan *plan, bool verbose, struct text *out);
/* One problem planned by several planners: the scratch arenas of each, and how long each took, the one column that is never the
 * same twice. */
void report_plans_table(const struct memory_plan *const *plans, const uint64_t *microseconds, size_t count, struct text *out);
void report_check_table(const struct check_result *result, bool verbose, struct text *out);
void report_model_table(const struct model *model, struct text *out);
void report_soc_table(const struct soc *soc, struct text *out);
void report_planners_table(const struct planner_set *set, struct text *out);

/* JSON. */
void report_check_json(const struct check_result *result, struct text *out);
void report_model_json(const struct model *model, struct text *out);
void report_soc_json(const struct soc *soc, struct text *out);
void report_planners_json(const struct planner_set *set, struct text *out);

#endif
