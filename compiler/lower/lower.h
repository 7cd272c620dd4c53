/* All passes after evaluation: from a plan to its IR. */
#ifndef TS_COMPILER_LOWER_LOWER_H
#define TS_COMPILER_LOWER_LOWER_H

#include "compiler/plan/plan.h"
#include "ir/ir.h"

/* NULL after errors. *schedule, where it is not NULL: the order of work
 * (compiler/schedule/schedule.h). */
struct ts_schedule;
ts_ir_builder *ts_plan_lower(ts_session *s, const ts_plan *plan,
                             const struct ts_schedule **schedule);

#endif
