/* Shared by bound.c and held.c: the least times of items. */
#ifndef TS_RUNTIME_PIPELINE_BOUND_H
#define TS_RUNTIME_PIPELINE_BOUND_H

#include "runtime/pipeline/internal.h"

typedef struct ts_bounder {
  const ts_pipeline *p;
  ts_arena *scratch;
  uint32_t *order;  /* items, each after those that it needs */
  int64_t *end;     /* [items] on the compute stream, at least */
  int64_t *arrived; /* [messages] at least */
  int64_t *tail;    /* [items] from that end, at least */
  int64_t *to_end; /* [items] from that end to the step's, whatever comes after it */
  int64_t *end_bound, *tail_bound; /* [items] what else is known of them; NEVER: nothing */
  const int64_t *hidden;           /* [maps] of the busy time of each, what a merge may hide */
  bool joined;                     /* merges hide something */
} ts_bounder;

/* What an item's end and messages are at least, when the compute stream is free at `free`. */
void ts_bound_forward(ts_bounder *b, uint32_t item, int64_t free);
/* Ends and tails along what items wait for. */
void ts_bound_ends(ts_bounder *b);
void ts_bound_tails(ts_bounder *b);

/* Work for one machine. */
typedef struct ts_bound_job {
  int64_t head, busy, tail;
} ts_bound_job;
/* When the last tail ends, at least; jobs are sorted and used up. */
int64_t ts_bound_jobs(ts_arena *scratch, ts_bound_job *jobs, uint32_t count);

/* ---- Memory (memory_bound.c) ---- */

typedef struct ts_pipeline_memory ts_pipeline_memory;

/* After ends and tails were found; raises them. */
ts_pipeline_memory *ts_pipeline_memory_new(ts_bounder *b);
/* The step at least: by what a rank holds, and for how long; and by its work, where so few
 * micro-batches may be in flight. */
int64_t ts_pipeline_memory_step(ts_pipeline_memory *held, uint32_t rank);
int64_t ts_pipeline_memory_jobs(ts_pipeline_memory *held, uint32_t rank);

#endif
