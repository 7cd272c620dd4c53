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

/* What an update says of a collective: mean errors of the calls by the file, by what was learnt
 * from the calls before each, and by all of them; calls that no curve is for. */
typedef struct ts_network_learnt {
  uint32_t collective, rows, passed_over;
  double file, coming, after;
} ts_network_learnt;

/* TorchSim's equation 14: the weights of the regression learn from one call after the other, in the
 * order of a fixed shuffle. Up to this rate no step overshoots, from twice it on they need not
 * settle. */
#define TS_NETWORK_RATE (1.0 / TS_IR_CURVE_WEIGHTS)
ts_network_learnt *ts_network_update_curves(ts_arena *arena, ts_ir_net_curve *curves,
                                            uint32_t count, const ts_ir_net_point *points,
                                            uint32_t rows, double rate, uint32_t *learnt);

/* Seconds of a call; 0: no curve. */
double ts_network_curves_time(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                              uint64_t bytes, uint32_t ranks, uint32_t islands);

#endif
