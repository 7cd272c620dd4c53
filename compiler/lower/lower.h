/* All passes after evaluation: from a plan to its IR. */
#ifndef TS_COMPILER_LOWER_LOWER_H
#define TS_COMPILER_LOWER_LOWER_H

#include "compiler/eval/options.h"
#include "compiler/plan/plan.h"
#include "ir/ir.h"

/* What a plan gave. */
typedef struct ts_lowered {
  ts_ir_builder *builder;             /* NULL: it is not done; else the caller frees it */
  const struct ts_schedule *schedule; /* the order of work; NULL: there is none */
} ts_lowered;

ts_pass_status ts_plan_lower(ts_session *s, const ts_plan *plan, ts_lowered *to);

#endif
