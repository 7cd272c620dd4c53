/* Workloads of AICB, SimAI and ASTRA-sim 1.0: one list of work for many ranks. What the table of
 * events has no place for: which ranks do which events, and in which step. Groups are named as the
 * files name them; trace/workload_mesh.c knows which ranks they are. */
#ifndef TS_TRACE_READ_WORKLOAD_H
#define TS_TRACE_READ_WORKLOAD_H

#include "trace/read/events.h"

/* Events from `first` on that the ranks of a section do in one step, up to the next part. */
typedef struct ts_workload_part {
  uint32_t section; /* from 0: a stage of the pipeline, if there are several */
  uint32_t step;    /* 0: before the first one */
  uint32_t first;   /* event */
  int64_t measured; /* ns that the step took; -1: not recorded */
} ts_workload_part;

typedef struct ts_workload_section {
  uint32_t name;               /* string; "": none */
  int64_t first_rank, last_rank; /* -1: not stated */
} ts_workload_section;

/* Events of a line of a text workload, by pass: from `first` up to `end`. */
enum { TS_LINE_FORWARD, TS_LINE_INPUT, TS_LINE_WEIGHT, TS_LINE_PASSES };
typedef struct ts_workload_line {
  uint32_t name; /* string */
  uint32_t first[TS_LINE_PASSES], end[TS_LINE_PASSES];
} ts_workload_line;

typedef struct ts_workload {
  TS_VEC(ts_workload_section) sections;
  TS_VEC(ts_workload_part) parts; /* in the order of events: section by section, step by step */
  TS_VEC(ts_workload_line) lines; /* of text workloads */
  /* of SimAI's header: what a pipeline adds, which no line says; -1: not stated */
  int64_t micro_batches, virtual_stages, stage_bytes;
} ts_workload;

/* SimAI writes it where a time was not measured, and AICB as nanoseconds. */
enum { TS_WORKLOAD_PLACEHOLDER = 1 };

#endif
