/* Statistical models of collectives fitted to measured calls: see ts_ir_net_curve. */
#ifndef TS_CALIBRATE_NETWORK_CURVES_H
#define TS_CALIBRATE_NETWORK_CURVES_H

#include "base/arena.h"
#include "ir/ir.h"

/* One curve for each collective with three sizes or more. `points` are sorted as the IR wants them,
 * but a call may be there several times: where four repeats or more of a call are, curves go
 * through the fastest and stragglers are fitted to the upper quartile over it; else through the
 * median. */
ts_ir_net_curve *ts_network_fit_curves(ts_arena *arena, const ts_ir_net_point *points,
                                       uint32_t count, uint32_t *curves);

/* Seconds of a call; 0: no curve. */
double ts_network_curves_time(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                              uint64_t bytes, uint32_t ranks, uint32_t islands);

#endif
