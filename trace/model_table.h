/* A recorded step as a table of operators that `trace(...)` reads: doc/traces.md, "Tables". */
#ifndef TS_TRACE_MODEL_TABLE_H
#define TS_TRACE_MODEL_TABLE_H

#include <stdio.h>

#include "trace/recorded_step.h"

typedef struct ts_model_row {
  const char *name, *kind, *module, *dtype, *dims;
  TS_VEC(uint32_t) inputs;          /* rows */
  TS_VEC(const char *) parameters;  /* dims */
  int64_t forward, backward, accumulate; /* ns */
  uint32_t again;                        /* as of ts_step_call */
} ts_model_row;

typedef struct ts_model_table {
  TS_VEC(ts_model_row) rows;
  const ts_step *step;
  uint32_t parameters; /* tensors that rows own */
  int64_t rest;        /* ns of calls that are no part of the model */
} ts_model_table;

ts_model_table *ts_model_table_new(ts_arena *arena, const ts_step *step);
/* source: names of files, for the comment on top. */
void ts_model_table_write(const ts_model_table *table, const char *source, FILE *out);

#endif
