/* Who learns what a physical model leaves of the rows of one device, decided by cross-validation on
 * the rows that train: nobody, the Gaussian process, boosted trees or a forest
 * (cost/operators.h). */
#ifndef TS_CALIBRATE_LEARNERS_H
#define TS_CALIBRATE_LEARNERS_H

#include "cost/operators.h"

/* error: of each, mean of |log(predicted / measured)| over the model's own rows, a fifth of them
 * predicted from the others, with the physical model as trained on all. The best takes the place of
 * the Gaussian process in `m`, which ts_fit_train has trained; `weight` becomes that of its rows.
 * False: *wrong says why there are no trees, or NULL: rows that cannot be solved. */
bool ts_fit_choose_learner(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double noise,
                           double *weight, double *error, ts_op_learner *best, ts_error *wrong);

/* The same learner from other rows. */
bool ts_fit_learn_again(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows,
                        ts_op_learner learner, double *weight, ts_error *wrong);

#endif
