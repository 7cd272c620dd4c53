/* How well fits of operators predict rows that they were not made from. */
#ifndef TS_CALIBRATE_OPERATOR_SCORES_H
#define TS_CALIBRATE_OPERATOR_SCORES_H

#include "cost/operators.h"

/* Errors of rows, as shares; also of those that take less than 30 us, up to 300, and longer, since
 * launches, caches and rates are missed differently. */
enum { TS_OP_RANGES = 3, TS_OP_WITHIN = 3 };
typedef struct ts_op_score {
  uint32_t rows, within[TS_OP_WITHIN]; /* within 5, 10, 20 % */
  uint32_t outside;                    /* rows beyond those that the fit has: extrapolated */
  uint32_t of[TS_OP_RANGES];
  double mean, median, worst, mean_of[TS_OP_RANGES];
  const double *worst_row;
} ts_op_score;

const char *ts_op_range_name(int range);

/* A model with what a fit file says of it. */
typedef struct ts_op_fit {
  ts_fit_model model;
  double noise, left_out; /* see ts_fit_train */
  double *weight;         /* of each row kept */
  bool compared;          /* who learns was decided by cross-validation, with these errors */
  double error[TS_OP_LEARNERS];
  /* of the model; of its physical model alone; of the best rates seen in rows kept */
  ts_op_score fit, physical, roofline;
} ts_op_fit;
typedef TS_VEC(ts_op_fit) ts_op_fits;

/* Digits as they will stand in the file, so that what is judged is what will be read. */
void ts_op_fit_round(ts_op_fit *fit);
/* Trains a model whose family, type, physical model and units are set on `fitted`, and judges it by
 * `rest`. trees: also by trees, where these predict left-out rows of `fitted` better. False: it
 * cannot be; *wrong says why, or NULL. */
bool ts_op_fit_rows(ts_arena *arena, ts_op_fit *fit, const ts_fit_rows *fitted,
                    const ts_fit_rows *rest, bool trees, ts_error *wrong);
/* What follows training: digits as in the file, and the scores. */
void ts_op_fit_judge(ts_arena *arena, ts_op_fit *fit, const ts_fit_rows *fitted,
                     const ts_fit_rows *rest);

/* Rows of a family that take so long, predicted from other devices. */
typedef struct ts_op_left_out {
  uint32_t rows, outside;
  double median, mean, worst;
} ts_op_left_out;
ts_op_left_out ts_op_judge_left_out(ts_arena *arena, const ts_op_class *c,
                                    const ts_op_device *device, const ts_op_rows *rows, int range);

#endif
