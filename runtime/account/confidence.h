/* How sure a prediction is: an interval around step time and peak memory, from how far the figures
 * are off that it rests on, and from what was left over on validated runs.
 *
 * The spread of log(measured / predicted) of a step is put together from its parts. Parts of one
 * family (products of one kind, one network model) are off together: share times spread adds up.
 * Families are off by themselves: squares add up. The interval reaches as many spreads below and
 * above the prediction as 80 % of validated runs of the plan's kind needed: normalized split
 * conformal prediction (Lei, G'Sell, Rinaldo, Tibshirani, Wasserman, JASA 113, 2018).
 *
 * Of a calibrated plan the parts are the quantities of its calibration, and the interval is that of
 * its measured steps (runtime/account/calibrated.h). */
#ifndef TS_RUNTIME_ACCOUNT_CONFIDENCE_H
#define TS_RUNTIME_ACCOUNT_CONFIDENCE_H

#include "runtime/account/result.h"

enum { TS_CONFIDENCE_PERCENT = 80 };

typedef struct ts_uncertain_part { /* a family */
  uint32_t origin;     /* ts_ir_origin */
  uint32_t basis;      /* of its largest part: ts_ir_basis, ts_ir_net_kind */
  const char *name;    /* of kernels: their family, "" for all on rooflines; of networks: the model */
  bool between;        /* of networks and links: between islands */
  bool calibrated;     /* a quantity of this name */
  double extrapolated; /* of `share`: beyond what models learned from */
  bool assumed;        /* some of it rests on nothing measured */
  double share;        /* of the step */
  double spread;       /* of its own time: a standard deviation of the logarithm */
} ts_uncertain_part;

/* low <= figure <= high; `on`: NULL, nothing is known */
typedef struct ts_interval {
  double figure, low, high;
  const ts_ir_validation *on;
} ts_interval;

typedef struct ts_confidence {
  double spread;                  /* of the step */
  uint32_t part_count;
  const ts_uncertain_part *parts; /* by share times spread, largest first */
  ts_interval step, memory;       /* s, bytes */
  bool calibrated;                /* by measured steps of the plan, which `on` names */
  /* every kernel's time is stated, or by a function of the plan: how far off those are is not known
   * here, and step.on is NULL */
  bool own_times;
  uint64_t kind;                  /* equal: the same validated runs */
} ts_confidence;

/* `peak`: bytes of the fullest device, 0: none is stated; `reserved`: what libraries hold besides,
 * which the interval has in full. */
ts_confidence ts_confidence_new(ts_arena *arena, const ts_ir *ir, const ts_result *result,
                                double peak, double reserved);
/* Of a figure by a validation with this spread. */
ts_interval ts_interval_around(double figure, double spread, const ts_ir_validation *on);
/* Of one step time over another. Errors of a family are correlated (0.7) and so cancel in part;
 * effects outside the plan differ in each. Where the runs are of different kinds
 * nothing cancels. */
ts_interval ts_interval_of_ratio(const ts_confidence *of, const ts_confidence *to);
/* For when the IR is gone. */
ts_confidence ts_confidence_copy(ts_arena *arena, const ts_confidence *c);
/* Squares of families, shares times spreads within one: of parts that are families. */
double ts_spread_of_parts(const ts_uncertain_part *parts, uint32_t count);

#endif
