/* Sets of `./dev accuracy` that ask fits by row, which no program offers: their points, notes and
 * errors go to tests/accuracy/compare, which reports them. */
#ifndef TS_ACCURACY_ACCURACY_H
#define TS_ACCURACY_ACCURACY_H

#include "tests/accuracy/csv.h"
#include "tests/accuracy/result.h"

/* source: root of the tree; rows: steps of other sets, as JSON, or NULL; result: to be filled */
typedef struct acc_context {
  ts_arena *arena;
  const char *data, *source, *rows;
  bool verbose;
  acc_result *result;
} acc_context;

/* False: what it compares with is not there, which it has said. */
bool acc_gemm(const acc_context *c);
bool acc_attention(const acc_context *c);
bool acc_collectives(const acc_context *c);
/* Of each table every third row, as if it had few sizes of each group. */
bool acc_collectives_thin(const acc_context *c);
bool acc_between(const acc_context *c);
bool acc_operators(const acc_context *c);
bool acc_calibrated(const acc_context *c);
bool acc_learnt(const acc_context *c);

/* Fits the constants of fabrics; writes stdlib/networks' files of them into a folder. 0: good. */
int acc_between_fit(const acc_context *c, const char *directory);

#endif
