/* A table of costs from traces: the time that each operator of given shapes took on the device,
 * median over its repeats. */
#ifndef TS_TRACE_OPTABLE_H
#define TS_TRACE_OPTABLE_H

#include <stdio.h>

#include "trace/read/events.h"

typedef struct ts_op_row {
  const char *key;       /* "family,dtype,m,n,k,count,bytes": cells of the table */
  const char *op, *kernel, *phase, *layers; /* layers: with blanks between */
  uint32_t repeats;
  int64_t low, median, high; /* ns: quartiles */
} ts_op_row;

typedef struct ts_op_table {
  TS_VEC(ts_op_row) rows; /* by key */
  int64_t device, covered; /* ns of device work, and of it in the rows */
  bool tf32_products, tf32_convolutions; /* kernels say that products of fp32 were computed so */
  /* ns that are not: collectives; without an operator; operators without shapes */
  int64_t communication, unlinked, shapeless;
} ts_op_table;

ts_op_table *ts_op_table_new(ts_arena *arena, const ts_events *const *traces, uint32_t count);
void ts_op_table_write(const ts_op_table *table, const ts_events *const *traces, uint32_t count,
                       FILE *out);

#endif
