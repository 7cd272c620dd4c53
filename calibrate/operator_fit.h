/* The order of work of fits of operators: what of the tables is fitted, in which way, and what is
 * reported meanwhile. */
#ifndef TS_CALIBRATE_OPERATOR_FIT_H
#define TS_CALIBRATE_OPERATOR_FIT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/progress.h"
#include "calibrate/device_sheets.h"
#include "calibrate/operator_rows.h"
#include "calibrate/operator_scores.h"

typedef struct ts_fit_work {
  ts_arena *arena;
  ts_diags *diags;
  FILE *out;          /* figures, for people */
  const ts_progress *progress; /* or NULL */
  const char *also;   /* another type that runs at the same rate, or NULL */
  ts_op_choice choice;
  ts_fit_tables tables;
  ts_op_fits fits;    /* what comes of them */
} ts_fit_work;

/* A device of so many processors: a share of the rows is kept in the fits, the others judge them.
 * False after an error, which is in the queue. */
bool ts_op_fit_tables(ts_fit_work *work, double units, double share, bool trees);
/* Several devices together, for the sheet `target`, by all rows; each device is left out once, to
 * judge by. False likewise. */
bool ts_op_fit_devices(ts_fit_work *work, const ts_device_sheets *sheets, uint32_t target,
                       bool trees);

#endif
