/* What trainspec calibrate found, as text and as JSON. */
#ifndef TS_TOOLS_CLI_CALIBRATE_REPORT_H
#define TS_TOOLS_CLI_CALIBRATE_REPORT_H

#include "tools/cli/calibrate_steps.h"

typedef struct ts_calibrated { /* everything that there is to report */
  ts_arena *arena;
  const ts_calibration *calibration;
  const ts_measured_steps *steps;
  const ts_played_steps *played;
  const ts_step_fit *fit;
  const double *group_out;  /* [rows] log_step as the rows of other groups have it; or NULL */
  const double *memory_out; /* [rows] the constant as the other rows with memory have it */
} ts_calibrated;

void ts_calibrated_text(const ts_calibrated *c, FILE *out);
void ts_calibrated_json(const ts_calibrated *c, FILE *out);

#endif
