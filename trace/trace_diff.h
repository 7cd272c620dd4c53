/* Two recordings compared: what each spends its time on, which kernels are in one alone or changed
 * in number or time, and how long launched work waits, as HTA (Holistic Trace Analysis) compares
 * them and counts queues. */
#ifndef TS_TRACE_TRACE_DIFF_H
#define TS_TRACE_TRACE_DIFF_H

#include "trace/summary.h"

typedef struct ts_diff_row { /* of one kernel's name: in A, in B; times in ns */
  const char *name;
  uint32_t count[2];
  int64_t time[2];
} ts_diff_row;

typedef struct ts_launch_sum { /* of device work with a launching call */
  uint32_t count;
  int64_t median, largest; /* ns from the call to the start */
  uint32_t queued_most;    /* launched and not begun, on one stream */
  double queued_mean;      /* from the first launch to the last kernel, of the fullest stream */
} ts_launch_sum;

typedef struct ts_trace_diff {
  const ts_trace_summary *of[2];
  TS_VEC(ts_diff_row) rows; /* by how much the time changed, largest first */
  uint32_t only[2], changed, same; /* names in one alone; in both with another count, or the same */
  ts_launch_sum launch[2];
} ts_trace_diff;

ts_trace_diff *ts_trace_diff_new(ts_arena *arena, const ts_trace_summary *a,
                                 const ts_trace_summary *b);
void ts_trace_diff_text(const ts_trace_diff *d, FILE *out);
void ts_trace_diff_json(const ts_trace_diff *d, ts_json_writer *w, const char *key);

#endif
