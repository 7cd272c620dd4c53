/* Data about slowdowns, and what models are worth on them. */
#ifndef TS_CALIBRATE_SLOWDOWN_FIT_H
#define TS_CALIBRATE_SLOWDOWN_FIT_H

#include "base/progress.h"
#include <stdio.h>

#include "runtime/play/slowdown_learned.h"

typedef struct ts_slowdown_sample { /* a kernel that ran beside a transfer */
  ts_pair pair;
  const char *source; /* the recording it comes from */
  const char *kernel; /* its name there, or NULL */
  double slowdown;    /* of the kernel: time beside the transfer over time alone */
} ts_slowdown_sample;

typedef TS_VEC(ts_slowdown_sample) ts_slowdown_samples;

/* A table with a header: `slowdown`, `source`, `kernel` and any field of ts_pair (seconds, bytes,
 * bytes/s); an empty cell is not known. Appends. NULL, or what is wrong. */
const char *ts_slowdown_samples_read(ts_arena *arena, const char *text, const char *source,
                                     ts_slowdown_samples *out);
void ts_slowdown_samples_write(const ts_slowdown_samples *samples, FILE *out);

typedef enum ts_slowdown_way { /* what is compared */
  TS_BY_NOTHING, TS_BY_CONSTANT, TS_BY_PHYSICS, TS_BY_FACTOR, TS_BY_CORRECTION, TS_SLOWDOWN_WAYS
} ts_slowdown_way;

/* shares of rows within 5, 10, 15 %; root mean square of the error in the factor */
typedef struct ts_slowdown_score { double within[3]; double rmse; } ts_slowdown_score;

/* Rows of a family: mean slowdown, and what the way that is kept is worth on them. */
typedef struct ts_slowdown_family {
  const char *name;
  uint32_t rows;
  double mean;
  ts_slowdown_score score;
} ts_slowdown_family;

enum { TS_SLOWDOWN_QUANTILES = 6 };
extern const double ts_slowdown_quantile[TS_SLOWDOWN_QUANTILES];

typedef struct ts_slowdown_report {
  uint32_t rows, sources;
  double min, mean, max;
  ts_slowdown_score folds[TS_SLOWDOWN_WAYS];   /* five-fold cross-validation */
  /* each source predicted from the others; if sources > 1 */
  ts_slowdown_score left_out[TS_SLOWDOWN_WAYS];
  /* of the two that are learned: less error when a source is left out, else in the folds */
  ts_slowdown_way best;
  double gain[TS_LEARNED_FEATURES];            /* of the best, trained on all */
  /* of the best, where it was chosen: families in order of their names, and the errors that these
   * shares of rows do not exceed */
  const ts_slowdown_family *families;
  uint32_t family_count;
  double error[TS_SLOWDOWN_QUANTILES];
} ts_slowdown_report;

/* Also keeps the best model, trained on all, at `path` (may be NULL). NULL, or what is wrong. */
const char *ts_slowdown_fit(ts_arena *arena, const ts_slowdown_samples *samples, const char *path,
                            ts_slowdown_report *report, const ts_progress *progress);
const char *ts_slowdown_way_name(ts_slowdown_way way);

#endif
