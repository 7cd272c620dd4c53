/* Fit files, written; cost/fit.h reads them. The format: doc/costs.md. */
#ifndef TS_CALIBRATE_FIT_FILE_H
#define TS_CALIBRATE_FIT_FILE_H

#include <stdio.h>

#include "calibrate/operator_rows.h"
#include "calibrate/operator_scores.h"

typedef struct ts_fit_file {
  ts_arena *arena;
  const char *device;
  double keep; /* share of the rows; 0: made from all of them, as fits of devices together are */
  const ts_fit_tables *tables;
  const ts_op_fits *fits;
} ts_fit_file;

void ts_fit_file_write(const ts_fit_file *file, FILE *out);

#endif
