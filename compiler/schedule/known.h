/* Expressions of an order: whole numbers and conditions that are worked out for each item of each
 * rank. What they are made of mostly (names, numbers, sums, comparisons) is computed here, without
 * values of the language; and a call of a function is made once for the same numbers, as all ranks
 * ask for the same micro-batches. All else, and all that something is to be said about, is
 * evaluated as usual. */
#ifndef TS_COMPILER_SCHEDULE_KNOWN_H
#define TS_COMPILER_SCHEDULE_KNOWN_H

#include "compiler/eval/eval.h"

typedef struct ts_known ts_known;

/* outside: the environment whose names keep their values; between it and an expression stand ranks,
 * numbers of loops, and `let`. */
ts_known *ts_known_new(ts_session *s, const ts_env *outside);
/* An expression, read once; it stands among the same names wherever it is met. */
typedef struct ts_known_code ts_known_code;
const ts_known_code *ts_known_read(ts_known *k, const ts_env *env, const ts_ast *expr);
/* As ts_eval_int and ts_eval_bool. */
bool ts_known_int(ts_known *k, const ts_env *env, const ts_known_code *code, const char *what,
                  int64_t *result);
bool ts_known_bool(ts_known *k, const ts_env *env, const ts_ast *expr, const char *what,
                   bool *result);
/* Is the name bound, here or outside? */
bool ts_known_bound(ts_known *k, const ts_env *env, const char *name);

#endif
