/* What `trainspec calibrate` asks of the language: the quantities of
 * stdlib/accuracy/calibration.ts, and the parameters of a plan. */
#ifndef TS_COMPILER_QUANTITIES_H
#define TS_COMPILER_QUANTITIES_H

#include "compiler/compile.h"
#include "cost/calibration.h"

/* The quantities of a list there, "quantities" or "framework_quantities", with their priors, all factors 1; `noise`, and the prior of the constant of
 * memory. NULL after errors, which are in the session's queue. */
ts_calibration *ts_quantities_load(ts_session *s, const ts_compile_options *o, const char *name);

/* The plan's name, and what -D may set in it. False after errors. */
bool ts_parameters_load(ts_session *s, const char *path, const ts_compile_options *o,
                        const char **name, ts_parameters *out);

#endif
