/* Fits that a program carries, as numbers: the build reads the fit files, which stay the source,
 * and prepares their rows; a source is made of them without reading anything. */
#ifndef TS_COST_STORED_FIT_H
#define TS_COST_STORED_FIT_H

#include "cost/fit.h"

typedef struct ts_stored_model {
  ts_fit_model plain; /* without its pointers */
  /* Where they lead. Of texts + 1; 0: NULL. */
  uint32_t family, dtype, also, learner, model;
  uint32_t row, row_us, weight, point[TS_FIT_MAX_KERNELS], root, node;
} ts_stored_model;

typedef struct ts_stored_data {
  uint32_t file, sha256, source, rows;
} ts_stored_data;

/* Where a fit begins in the arrays that all share. */
typedef struct ts_stored_fit {
  uint32_t device, provenance;
  uint32_t data, data_count;
  uint32_t model, model_count; /* none: the file is no fit, or holds what is not stored */
} ts_stored_fit;

typedef struct ts_stored_fits {
  uint32_t count; /* 0: none is stored, files are read */
  const ts_stored_fit *fit;
  const ts_stored_model *model;
  const ts_stored_data *data;
  const double *number; /* of rows */
  const float *ready;   /* weights, and inputs over scale */
  const uint32_t *root;
  const ts_tree_node *node;
  const char *letters;
} ts_stored_fits;

/* As ts_fit_read and ts_cost_fit for the file that was stored, but for the tables of rows, which
 * only preparing needs. NULL: it is not stored. */
ts_fit *ts_stored_fit_of(ts_arena *arena, const ts_stored_fits *all, size_t fit);
ts_cost_source *ts_cost_stored_fit(ts_arena *arena, const ts_stored_fits *all, size_t fit);

#endif
