/* What tests and the timeline need of a run beyond its result. */
#ifndef TS_RUNTIME_PLAY_H
#define TS_RUNTIME_PLAY_H

#include "runtime/account/result.h"
#include "runtime/play/engine.h"

/* ts_run_new with the processes of the engine run in another order; 0 is the usual one. */
ts_run *ts_run_ordered(const ts_ir *ir, const ts_run_options *options, uint32_t order, ts_stop *stop);
typedef struct ts_prepared { /* what a play begins with: the kinds of ranks and how long each node takes on them */
  const ts_tables *tables;
  ts_network *network;
  const ts_kinds *kinds;
} ts_prepared;
/* False after filling *stop. */
bool ts_run_prepare(ts_arena *arena, const ts_ir *ir, const ts_run_options *options, ts_prepared *out, ts_stop *stop);
/* The same with other factors (options->slower, transfer, progress; the rest as before): what was found of the network and of the plan stays. `usual` must outlive *out. */
bool ts_run_prepare_again(ts_arena *arena, const ts_prepared *usual, const ts_run_options *options, ts_prepared *out, ts_stop *stop);
/* Plays without summing up. NULL after filling *stop. */
const ts_facts *ts_run_play(ts_arena *arena, const ts_prepared *prepared, const ts_run_options *options, uint32_t order, ts_stop *stop);
const ts_facts *ts_run_facts(const ts_run *run);
const uint32_t *ts_run_alike(const ts_run *run); /* [classes] as ts_alike has it */
uint32_t ts_run_threads(const ts_run *run); /* as the options had it */

#endif
