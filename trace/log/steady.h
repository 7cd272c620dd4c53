/* The steady steps of a log: without warm-up and outliers, in levels between changes. */
#ifndef TS_TRACE_LOG_STEADY_H
#define TS_TRACE_LOG_STEADY_H

#include "trace/log/log.h"

typedef enum ts_log_use {
  TS_LOG_COUNTED,
  TS_LOG_UNTIMED, /* it has no time, or another run or batch came after it */
  TS_LOG_WARM_UP,
  TS_LOG_OUTLIER, /* far above its level */
  TS_LOG_USES
} ts_log_use;

typedef struct ts_log_level { /* rows between two changes; times in seconds */
  uint32_t first, last;       /* rows */
  uint32_t count;             /* of those that are counted */
  double median, low, high;   /* quartiles */
  double mean;                /* outliers included */
} ts_log_level;

typedef struct ts_log_steady {
  const ts_log_use *use;      /* [rows of the log] */
  const ts_log_level *levels; /* the last one is what the run does now */
  uint32_t level_count;
  uint32_t warm_up, outliers, other_batch;
  double lost; /* seconds that outliers take beyond their level's median */
} ts_log_steady;

/* The median of numbers, which are sorted; NAN of none. */
double ts_log_median(double *numbers, uint32_t count);
/* The median of a figure over the rows that the last level counts; NAN: they do not say. */
double ts_log_typical(ts_arena *arena, const ts_log *log, const ts_log_steady *steady,
                      ts_log_figure figure);
/* False: no row has a time. */
bool ts_log_find_steady(ts_arena *arena, const ts_log *log, ts_log_steady *steady);

#endif
