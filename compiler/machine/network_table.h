/* Measured collectives: a CSV table as points of the IR. Columns
 * `collective,ranks,islands,bytes,time_us` (or `time_ms`, `seconds`; also called `operation`,
 * `gpus`, `nodes`); without `islands` all ranks are in one. */
#ifndef TS_COMPILER_MACHINE_NETWORK_TABLE_H
#define TS_COMPILER_MACHINE_NETWORK_TABLE_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"
#include "ir/ir.h"

/* only rows that have this text in this column */
typedef struct ts_condition { const char *column, *text; } ts_condition;
typedef struct ts_network_options {
  int collective; /* of all rows, or -1: there is a column */
  const ts_condition *where;
  uint32_t where_count;
  bool repeats; /* kept, not their median */
} ts_network_options;

typedef struct ts_network_table {
  const char *name, *device; /* device: on which it was measured (`# device: NAME`), or "" */
  uint32_t count;
  const ts_ir_net_point *points;
  /* rows of 0 bytes or 0 us, which nccl-tests prints: no measurements; the first one's line */
  uint32_t passed_over, first_passed;
} ts_network_table;

/* Whether a row is a measurement; if not, it is counted. */
bool ts_network_measures(const ts_ir_net_point *row, uint32_t line, ts_network_table *t);
/* "2 rows of 0 bytes or 0 us, which measure nothing, are passed over", or NULL: none */
const char *ts_network_passed_over(ts_arena *arena, const ts_network_table *t);

/* `source`: the value of `table("x.csv")`. Points are sorted as the IR wants them; equal ones
 * become their median. NULL after E0502 or E0505. */
const ts_network_table *ts_network_table_of(ts_session *s, const ts_value *source,
                                            const ts_network_options *options);
/* The table's text alone. NULL after an error. */
const ts_network_table *ts_network_table_read(ts_arena *arena, const char *text, size_t size,
                                              const ts_network_options *options, ts_error *error);
/* Sorts points, repeats by their time. */
void ts_network_sort_points(ts_ir_net_point *points, uint32_t count);
/* Points in any order, sorted and merged as those of a table. */
const ts_network_table *ts_network_table_of_points(ts_arena *arena, ts_ir_net_point *points,
                                                   uint32_t count);
int ts_collective_named(const char *name); /* ts_ir_collective_kind, or -1 */

#endif
