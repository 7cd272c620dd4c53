/* How far a calibrated plan's step may be off: by the covariance of what its measured steps said,
 * by what they said nothing of, and by what they left over. */
#ifndef TS_RUNTIME_ACCOUNT_CALIBRATED_H
#define TS_RUNTIME_ACCOUNT_CALIBRATED_H

#include "runtime/account/result.h"

/* Of the IR's `calibrations` by index, which one a kernel belongs to; its count: none. */
uint32_t ts_calibration_of(const ts_ir *ir, const ts_ir_kernel *kernel);

/* Shares of the time that ranks do not wait for others, which is waiting for their kernels, calls
 * and host: 1 together, or 0 without a time. */
typedef struct ts_work_shares {
  double compute, exposed, host;
} ts_work_shares;
ts_work_shares ts_work_shares_of(const ts_result *result);

/* [calibrations] share of the step that each has part in: compute by the times of its kernels, what
 * communication is exposed by the times of calls, and waiting for the host. Waiting for other ranks
 * is waiting for these. */
double *ts_calibrated_shares(ts_arena *arena, const ts_ir *ir, const ts_result *result);

typedef struct ts_calibrated_step {
  double spread; /* deviation of the logarithm: of all quantities, and of a step besides */
  double reach;  /* four in five logarithms lie no further away, on either side */
} ts_calibrated_step;

/* Of a step with these shares. */
ts_calibrated_step ts_calibrated_spread(const ts_ir *ir, const double *shares);
/* Bytes within which four in five peaks of memory lie; 0: the steps said nothing of it. */
double ts_calibrated_memory(const ts_ir *ir);

#endif
