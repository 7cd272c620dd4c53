/* What tests and the timeline need of a run beyond its result. */
#ifndef TS_RUNTIME_ACCOUNT_RUN_H
#define TS_RUNTIME_ACCOUNT_RUN_H

#include "runtime/account/link_use.h"
#include "runtime/account/result.h"
#include "runtime/play/engine.h"

/* ts_run_new with the processes of the engine run in another order; 0 is the usual one. */
ts_run *ts_run_ordered(const ts_ir *ir, const ts_run_options *options, uint32_t order,
                       ts_stop *stop);
const ts_facts *ts_run_facts(const ts_run *run);
/* What links had to do; worked out when asked for. */
ts_link_uses ts_run_link_uses(const ts_run *run, ts_arena *arena);
ts_link_loads ts_run_link_loads(const ts_run *run, ts_arena *arena);
const uint32_t *ts_run_representatives(
  const ts_run *run);                       /* [classes] as ts_representatives has it */
uint32_t ts_run_threads(const ts_run *run); /* as the options had it */

#endif
