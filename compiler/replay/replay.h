/* Plans whose model is execution graphs of ranks: what they do is in the graphs, what it takes and
 * where it runs is the plan's. */
#ifndef TS_COMPILER_REPLAY_REPLAY_H
#define TS_COMPILER_REPLAY_REPLAY_H

#include "compiler/plan/plan.h"
#include "ir/ir.h"

/* The plan plays graphs: its model is graph(...), or the session has some in its stead. */
bool ts_plan_replays(const ts_session *s, const ts_plan *plan);
/* NULL after errors. */
ts_ir_builder *ts_plan_replay(ts_session *s, const ts_plan *plan);

#endif
