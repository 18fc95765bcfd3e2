/* The plan and the residency report as JSON (contract, section 5). Used by emit/ (files) and by report/ (stdout). */
#ifndef HELIA_PLAN_PLAN_JSON_H
#define HELIA_PLAN_PLAN_JSON_H

#include "base/text.h"
#include "plan/plan.h"

void plan_write_json(const struct memory_plan *plan, struct text *out);
void plan_write_residency(const struct memory_plan *plan, struct text *out);
/* One problem planned by several planners: what each planner says, and its residency report (helia-placement/plan-all/1). */
void plan_write_all(const struct memory_plan *const *plans, size_t count, struct text *out);

#endif
