/* How long a play will take and how much memory, before it begins: from what it has to run over, so
 * that one knows what one waits for. */
#ifndef TS_RUNTIME_ACCOUNT_FORECAST_H
#define TS_RUNTIME_ACCOUNT_FORECAST_H

#include "ir/ir.h"
#include "runtime/play/options.h"

typedef struct ts_forecast {
  double seconds; /* of one processor */
  double bytes;   /* besides the IR and what made it */
  /* the same as the ceiling of memory counts it: arrays that grow leave room behind that is never
   * touched */
  double requested;
} ts_forecast;

/* Of ts_run_new and ts_memory_new with these options. Calls that share links, kernels that slow
 * each other and packets are played event by event and come on top: where they are asked for, it
 * takes longer than this. */
ts_forecast ts_forecast_play(const ts_ir *ir, const ts_run_options *options);

#endif
