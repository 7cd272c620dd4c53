/* Published runs: vendors' tables and papers, and MLPerf's submissions. */
#ifndef TS_ACCURACY_PUBLISHED_H
#define TS_ACCURACY_PUBLISHED_H

#include "tests/accuracy/accuracy.h"

/* How sources spell what std names; NULL: std has not. */
typedef struct acc_model {
  const char *name; /* of std.models' function */
  int layers;
  int top;          /* experts of a token; 0: has none */
} acc_model;
const acc_model *acc_model_named(ts_arena *arena, const char *text);
const char *acc_machine_named(const char *text); /* without `machine_` */
const char *acc_recipe_named(const char *text);  /* never NULL: bf16 */

/* For acc_set.row. A row that cannot be predicted has `missing` set to the reason. */
bool acc_published(const acc_context *c, const csv *table, size_t i, acc_row *row);
bool acc_mlperf(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
