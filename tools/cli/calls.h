/* trainspec collective --parts, --sweep: calls over a group, by size, under models of a plan. */
#ifndef TS_TOOLS_CLI_CALLS_H
#define TS_TOOLS_CLI_CALLS_H

#include "base/output.h"
#include "runtime/collective/network.h"
#include "runtime/collective/white_box.h"

typedef struct ts_call_cell {
  ts_estimate time;
  ts_white_box way; /* method NULL: not a white box */
} ts_call_cell;

typedef struct ts_call_column {
  const char *model;
  ts_call_cell *cells;
} ts_call_column;

typedef struct ts_call_table {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  uint32_t group, rank, kind; /* over the instance of the group that has this rank */
  const uint64_t *bytes;
  uint32_t size_count, members, islands;
  TS_VEC(ts_call_column) columns; /* what plays take first */
} ts_call_table;

/* Adds what the plan's models answer in plays; with `all` each other model, and the links alone.
 * Not 0 after filling *stop. A model that cannot be asked is left out. */
int ts_call_table_fill(ts_call_table *t, bool all, ts_stop *stop);

/* closure: ts_call_table. Parts: of the first column */
ts_print ts_call_parts_text, ts_call_sweep_text, ts_call_table_csv, ts_call_table_json,
  ts_call_table_svg;

#endif
