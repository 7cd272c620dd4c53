/* An IR as it would be with other factors: of kernels, host and calls. */
#ifndef TS_CALIBRATE_SCALED_IR_H
#define TS_CALIBRATE_SCALED_IR_H

#include "cost/calibration.h"
#include "ir/ir.h"

/* [kernels] the quantity of each. */
const uint32_t *ts_quantities_of_kernels(ts_arena *arena, const ts_ir *ir, const ts_calibration *c);
/* A copy with the factors of `c` in it; of an IR that was compiled without a calibration. */
void ts_scaled_ir(ts_arena *arena, const ts_ir *ir, const ts_calibration *c, const uint32_t *of,
                  ts_ir *out);

#endif
