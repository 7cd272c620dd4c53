/* Plans whose model is execution graphs of ranks: what they do is in the graphs, what it takes and
 * where it runs is the plan's. */
#ifndef TS_COMPILER_REPLAY_REPLAY_H
#define TS_COMPILER_REPLAY_REPLAY_H

#include "compiler/lower/lower.h"

/* The plan plays graphs: its model is graph(...), or the session has some in its stead. */
bool ts_plan_replays(ts_session *s, const ts_plan *plan);
/* REFUSED or DONE. */
ts_pass_status ts_plan_replay(ts_session *s, const ts_plan *plan, ts_lowered *to);

#endif
