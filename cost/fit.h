/* A fitted model of one family: a physical model times the exponential of a Gaussian process over
 * its inputs, trained on rows that the fit keeps. For this folder only. Format of the file:
 * doc/costs.md. */
#ifndef TS_COST_FIT_H
#define TS_COST_FIT_H

#include "cost/kernel_models.h"
#include "cost/source.h"
#include "cost/trees.h"

enum { TS_FIT_VERSION = 1, TS_FIT_MAX_KERNELS = 3, TS_FIT_BLOCK = 16 };

/* Matern covariance (Rasmussen and Williams, "Gaussian Processes for Machine Learning", section
 * 4.2.1) of smoothness 1/2 or 3/2. */
typedef struct ts_fit_kernel {
  double smoothness, deviation, scale[TS_MODEL_MAX_INPUTS];
} ts_fit_kernel;

typedef struct ts_fit_model {
  const char *family, *dtype, *also; /* also: another type that runs at the same rate, or NULL */
  const ts_kernel_model *model;
  double parameter[TS_MODEL_MAX_PARAMETERS];
  uint32_t input_count, kernel_count, row_count;
  ts_model_input input[TS_MODEL_MAX_INPUTS];
  ts_fit_kernel kernel[TS_FIT_MAX_KERNELS];
  /* added to the residual: the mean of a logarithm is not what makes the mean error in percent
   * least */
  double shift;
  /* Rows of the table that the fit speaks for come first, sorted; then those of other tables of the
   * device, measured otherwise. */
  uint32_t own_rows;
  const double *row;    /* row_count x feature_count */
  const double *row_us, *row_table;
  /* For evaluation: inputs of the rows over scale, transposed and padded to whole blocks; weights
   * are 0 in the padding. */
  uint32_t padded;
  const float *point[TS_FIT_MAX_KERNELS], *weight;
  ts_trees trees; /* over the same inputs, added to the residual */
  double noise; /* deviation of a row that nothing explains; 0: the file does not say */
  const char *learner; /* who learns the residual, "forest"; NULL: the Gaussian process */
  /* range of each feature in the rows it learned from; both 0: not known */
  double low[TS_MODEL_MAX_FEATURES], high[TS_MODEL_MAX_FEATURES];
} ts_fit_model;

/* A table that a fit was made from. */
typedef struct ts_fit_data {
  const char *file, *sha256, *source; /* source: lines */
  uint32_t rows;
} ts_fit_data;

struct ts_fit {
  const char *device, *provenance;
  TS_VEC(ts_fit_data) data;
  uint32_t model_count;
  const ts_fit_model *model;
};

/* Fills `point` and `weight` from the rows and `weight` of each, and the range from the rows. */
void ts_fit_prepare(ts_arena *arena, ts_fit_model *m, const double *weight);
/* Inputs of a point, measured as in a table (0: what the fit speaks for); returns the time of the
 * physical model in microseconds. */
double ts_fit_inputs(const ts_fit_model *m, const double *feature, double table, double *input);
/* By what factor the features lie outside of those learned from; 1: within, or not known.
 * *feature_out: which is furthest out; may be NULL. */
double ts_fit_outside(const ts_fit_model *m, const double *feature, uint32_t *feature_out);
double ts_fit_evaluate(const ts_fit_model *m, const double *feature); /* microseconds */

/* Rows to learn from, or to compare with. */
typedef struct ts_fit_rows { uint32_t count, own; const double *feature, *us, *table; } ts_fit_rows;

/* The physical model for rows of a table: that of the family's name; of_bytes (NULL: none) where
 * all that is known of them is bytes. */
const ts_kernel_model *ts_fit_model_for(const ts_table_group *g, const char *of_bytes);
/* Features of a row of a table for a model; false when the model is not for it. */
bool ts_fit_row_features(const ts_table_group *g, uint32_t row, const ts_kernel_model *model,
                         double *value);

/* Learns everything of a model whose family, dtype and physical model are set, and
 * parameter[TS_PARAMETER_UNITS]; all rows are kept in it. *noise: deviation of a row that nothing
 * explains. weight: room for one number a row. *left_out: mean error, as a share, of own rows that
 * are each predicted from all others; NaN where the model learns nothing from neighbours. */
bool ts_fit_train(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double *noise,
                  double *weight, double *left_out);

/* The residual alone, solved again: physical model, covariances and noise stay as they are. What
 * comes of rows added in any steps is what comes of all of them at once. */
bool ts_fit_solve(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double noise,
                  double *weight, double *left_out);

#endif
