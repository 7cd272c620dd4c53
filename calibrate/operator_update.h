/* Fits of operators that take new rows as they are measured. */
#ifndef TS_CALIBRATE_OPERATOR_UPDATE_H
#define TS_CALIBRATE_OPERATOR_UPDATE_H

#include "calibrate/operator_fit.h"

/* The models of `old` with the rows of the work's tables. A row at sizes that the fit has already
 * joins it: the logarithm of its time counts by `share`, that of the earlier one by the rest. Where
 * a Gaussian process learns, its weights are solved again, with physics and covariances as they
 * are; trees grow again; a model that learns nothing from neighbours is trained again. All of these
 * give what they give of all rows at once. False after an error, which is in the queue. */
bool ts_op_update(ts_fit_work *work, const ts_fit *old, double share);

/* The same of one model and some rows, for tests: which are none of other tables. */
bool ts_op_update_model(ts_arena *arena, const ts_fit_model *old, const ts_fit_rows *rows,
                        double share, ts_op_fit *out, uint32_t *replaced, ts_error *wrong);

#endif
