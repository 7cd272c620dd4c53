/* What changes over a recording: how much is launched and waits on each stream, the rate of copies,
 * and counters of the profiler. HTA has the first two (hta/analyzers/trace_counters.py). */
#ifndef TS_TRACE_SERIES_H
#define TS_TRACE_SERIES_H

#include "trace/read/events.h"

enum { TS_SERIES_BINS = 32 };
typedef enum ts_series_kind { TS_SERIES_QUEUE, TS_SERIES_COPIES, TS_SERIES_COUNTER } ts_series_kind;

typedef struct ts_series { /* a step function of time */
  ts_series_kind kind;
  const char *name;      /* of a queue: its stream */
  uint32_t points;
  double mean, most;     /* from its first point to its last */
  double bin[TS_SERIES_BINS]; /* means over equal parts of the recording; 0 before its first */
} ts_series;

typedef struct ts_series_list { TS_VEC(ts_series) at; } ts_series_list;

/* Queues by stream, copies by name (those that overlap together) in bytes/s, counters as they
 * are. */
void ts_series_of(ts_arena *arena, const ts_events *e, ts_series_list *out);

#endif
