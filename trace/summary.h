/* What is in a trace: sums over its device work. Times in nanoseconds. */
#ifndef TS_TRACE_SUMMARY_H
#define TS_TRACE_SUMMARY_H

#include <stdio.h>

#include "base/json_writer.h"
#include "trace/read/events.h"
#include "trace/series.h"

typedef struct ts_busy { int64_t start, end; bool comm; } ts_busy;

/* Of a set of spans: span = busy + idle; busy = compute + comm - overlap, where compute is all that
 * is no communication. */
typedef struct ts_time_shares {
  int64_t begin, span, busy, compute, comm, overlap, idle;
} ts_time_shares;
/* Sorts `work` by start. */
ts_time_shares ts_time_shares_of(ts_busy *work, uint32_t count);
/* The device work of a trace as such spans; `chosen` lists events by start. */
ts_time_shares ts_time_shares_of_events(const ts_events *e, const uint32_t *chosen, uint32_t count);
ts_busy *ts_busy_of_events(ts_arena *arena, const ts_events *e, const uint32_t *chosen,
                           uint32_t count);
/* When the device computes: makes of work by start, in its place, spans that do not touch, and
 * returns their number. */
uint32_t ts_computing(ts_busy *work, uint32_t count);
/* How long of [from, end) nothing is computed. *next: the first span that may reach into it. */
int64_t ts_not_computing(const ts_busy *spans, uint32_t count, uint32_t *next, int64_t from,
                         int64_t end);

typedef struct ts_stream_sum { uint32_t track, count; int64_t busy; } ts_stream_sum;
typedef struct ts_kind_sum { ts_event_kind kind; uint32_t count; int64_t time; } ts_kind_sum;
typedef struct ts_name_sum { uint32_t name, count; int64_t time; ts_event_kind kind; } ts_name_sum;
/* ranks: string */
typedef struct ts_comm_sum {
  ts_comm_kind kind;
  uint32_t group, ranks, count;
  int64_t size, bytes, time, shortest;
  uint32_t sized;
} ts_comm_sum;
/* of the work launched in it */
typedef struct ts_step_sum {
  uint32_t mark, count;
  int64_t host;
  ts_time_shares shares;
} ts_step_sum;

typedef struct ts_memory_sum { uint32_t category; int64_t bytes; } ts_memory_sum; /* string */

typedef struct ts_trace_summary {
  const ts_events *events;
  ts_time_shares shares;
  int64_t idle_host;   /* share of idle in which what came next was not launched yet */
  TS_VEC(ts_stream_sum) streams;
  TS_VEC(ts_kind_sum) kinds; /* largest first, as those below */
  TS_VEC(ts_name_sum) names;
  TS_VEC(ts_comm_sum) comms;
  TS_VEC(ts_step_sum) steps;
  /* device work that communicates; of it, with a collective and a group */
  uint32_t comm_count, comm_known;
  uint32_t operators, calls, threads;
  int64_t memory_peak, memory_reserved; /* bytes on the device; -1: not known */
  int64_t memory_start;
  TS_VEC(ts_memory_sum) memory_by; /* at the peak, where categories are known: largest first */
  ts_series_list series;
  uint32_t edges, tensors, host_nodes;
  TS_VEC(const char *) missing;    /* sentences */
} ts_trace_summary;

ts_trace_summary *ts_trace_summary_new(ts_arena *arena, const ts_events *e);
/* Device work launched within the step, by start. */
uint32_t *ts_step_work(ts_arena *arena, const ts_events *e, const ts_event *step, uint32_t *count);

void ts_trace_summary_text(const ts_trace_summary *s, FILE *out);
void ts_trace_summary_json(const ts_trace_summary *s, ts_json_writer *w, unsigned indent);

#endif
