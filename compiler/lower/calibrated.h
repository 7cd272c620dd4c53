/* A plan's `calibration = calibrated("FILE")`. */
#ifndef TS_COMPILER_LOWER_CALIBRATED_H
#define TS_COMPILER_LOWER_CALIBRATED_H

#include "compiler/lower/lowering.h"

/* Reads the file that the plan names; `is` NULL: it names none, or the session takes none. Warns if
 * it is of another device (W0534). False after errors. */
bool ts_calibration_of_plan(ts_session *s, const ts_plan *plan, ts_named_calibration *out);
/* Its records in the IR. */
void ts_lower_calibration(ts_lowering *l);

/* The plan's sources of costs, and its calibration. False after errors. */
bool ts_lower_open_costs(ts_lowering *l);

#endif
