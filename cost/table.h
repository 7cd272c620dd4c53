/* A table of measured kernels in memory. Rows are grouped by family, dtype and the features they
 * have. */
#ifndef TS_COST_TABLE_H
#define TS_COST_TABLE_H

#include "cost/cost.h"

enum { TS_TABLE_MAX_COLUMNS = 32 };

/* of a measurement; 0: not stated */
typedef struct ts_table_spread { double low_us, high_us, repeats; } ts_table_spread;

typedef struct ts_table_group { /* rows sorted by their values; one row per point */
  const char *family, *dtype;   /* dtype NULL: not stated, answers any */
  uint32_t width, count;
  const char *const *name;      /* features; "flops", "bytes" when a family has no others */
  /* of a feature: never interpolated, since some value is not positive */
  const bool *exact;
  const double *value, *log_value; /* count x width */
  const double *seconds;
  const ts_table_spread *spread;
  const uint32_t *line;
} ts_table_group;

typedef struct ts_table {
  const char *provenance, *device; /* device: on which it was measured, or "" */
  uint32_t group_count;
  const ts_table_group *group;
  bool exact; /* no answers between rows */
} ts_table;

ts_table *ts_table_read(ts_arena *arena, const char *text, size_t size,
                        const ts_table_options *options, ts_error *error);
bool ts_table_ask(const ts_table *table, const ts_cost_query *query, ts_cost_answer *answer);
/* Values of a query for features named so. False when one is missing, or the query has another that
 * is not at its default. */
bool ts_query_values(const ts_cost_query *query, uint32_t width, const char *const *name,
                     double *value);
/* "bf16" for "bfloat16", "half" ...; the name itself when it is none of the usual. */
const char *ts_dtype_canonical(const char *name);

#endif
