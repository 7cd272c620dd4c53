/* Collectives by statistics of measured calls: see ts_ir_net_curve. The form is TorchSim's; its fit
 * is calibrate/network_curves.c. */
#ifndef TS_RUNTIME_COLLECTIVE_STATISTICAL_H
#define TS_RUNTIME_COLLECTIVE_STATISTICAL_H

#include "ir/ir.h"
#include "runtime/collective/call.h"

/* The curve that answers for calls of a kind; NULL: none. */
const ts_ir_net_curve *ts_curve_of(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                                   const ts_profile *profile);
/* The curve on the links of a profile: its rates in proportion to those it was measured on, as are
 * the bytes at which half is reached, for the latency in them stays; latency of links beyond theirs
 * at each step. */
ts_ir_net_curve ts_curve_on(const ts_ir_net_curve *curve, const ts_ir_net_links *links,
                            const ts_profile *profile);
ts_estimate ts_curve_estimate(const ts_ir_net_curve *curve, uint64_t bytes,
                              const ts_profile *profile);

/* Seconds of a call by its bandwidth curves alone, without regression and stragglers. */
double ts_curve_analytic(const ts_ir_net_curve *curve, double bytes, const ts_profile *profile);
/* What the weights of the regression and of the stragglers multiply. Bytes and ranks count no
 * further than they were measured. */
void ts_curve_terms(const ts_ir_net_curve *curve, double bytes, const ts_profile *profile,
                    double terms[TS_IR_CURVE_WEIGHTS]);
void ts_curve_late_terms(const ts_ir_net_curve *curve, double bytes, uint32_t ranks,
                         double terms[TS_IR_CURVE_LATE]);
double ts_curve_regression(const ts_ir_net_curve *curve, double bytes, const ts_profile *profile);
double ts_curve_stragglers(const ts_ir_net_curve *curve, double bytes, uint32_t ranks);

#endif
