/* A plan's `calibration`: `calibrated("FILE")`, or a record of what a framework's steps taught. */
#ifndef TS_COMPILER_LOWER_CALIBRATED_H
#define TS_COMPILER_LOWER_CALIBRATED_H

#include "compiler/lower/lowering.h"

/* Of a record Quantity of std.accuracy.calibration. */
ts_quantity ts_quantity_of_record(const ts_record *r);
/* A quantity, a real or a whole number; else 0. */
double ts_calibrated_number(const ts_value *v);
/* Reads the file or the record that the plan names; `is` NULL: it names none, or the session takes
 * none. Warns if it is of another device (W0534). False after errors. */
bool ts_calibration_of_plan(ts_session *s, const ts_plan *plan, ts_named_calibration *out);
/* Its records in the IR. */
void ts_lower_calibration(ts_lowering *l);

/* The plan's sources of costs, and its calibration. False after errors. */
bool ts_lower_open_costs(ts_lowering *l);

#endif
