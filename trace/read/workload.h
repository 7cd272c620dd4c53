/* Workloads of AICB, SimAI and ASTRA-sim 1.0: one list of work for many ranks. What the table of
 * events has no place for: which ranks do which events, and in which step. Groups are named as the
 * files name them; trace/workload_ir.c knows which ranks they are. */
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

typedef struct ts_workload {
  TS_VEC(ts_workload_section) sections;
  TS_VEC(ts_workload_part) parts; /* in the order of events: section by section, step by step */
  /* by event, those of the matrices that a computation without a time multiplies; 0: not stated */
  TS_VEC(double) flops;
  /* of SimAI: what a pipeline would add, which no line of the file says */
  int64_t micro_batches, virtual_stages, stage_bytes;
} ts_workload;

#endif
