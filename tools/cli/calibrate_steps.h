/* Measured steps of a plan, compiled once each and played with factors: what trainspec calibrate
 * fits. */
#ifndef TS_TOOLS_CLI_CALIBRATE_STEPS_H
#define TS_TOOLS_CLI_CALIBRATE_STEPS_H

#include "base/progress.h"
#include "calibrate/step_fit.h"
#include "calibrate/step_rows.h"
#include "compiler/compile.h"
#include "cost/calibration.h"

typedef struct ts_played_steps ts_played_steps;

/* Compiles and plays every row as its sources have it, on `jobs` threads. NULL after errors: each
 * names its row, at its place in the file that `file` is in the source map. */
ts_played_steps *ts_played_steps_new(ts_session *s, const char *plan,
                                     const ts_compile_options *compile,
                                     const ts_measured_steps *steps, uint32_t file,
                                     const ts_calibration *quantities, long jobs,
                                     const ts_progress *progress);
void ts_played_steps_free(ts_played_steps *p);
/* Of all rows; they are of one. "": not named. */
const char *ts_played_device(const ts_played_steps *p);
const char *ts_played_framework(const ts_played_steps *p);
double ts_played_memory(const ts_played_steps *p, uint32_t row); /* bytes, of the fullest device */
/* Rows in which a quantity plays a part. */
uint32_t ts_played_with(const ts_played_steps *p, uint32_t quantity);
/* Warnings of a code that compiling had; NULL behind the last: "W0505". */
const char *ts_played_warning(const ts_played_steps *p, uint32_t i, uint32_t *rows);
/* ts_step_player of these rows; `closure` is a ts_played_steps. */
bool ts_play_steps(void *closure, ts_step_ask *asks, uint32_t count);

#endif
