/* What values near those there are would do, for the help of messages. */
#ifndef TS_COMPILER_EVAL_NEAR_H
#define TS_COMPILER_EVAL_NEAR_H

#include "compiler/eval/env.h"

/* Whether another value of a name would do. Says nothing. */
typedef bool ts_value_does(void *closure, const char *name, ts_value value);
/* Adds values of whole numbers among the names that would do: for each the nearest above and below.
 * `bound` has the values there are. */
void ts_near_values(ts_session *s, ts_diag *d, const ts_name_list *among, const ts_env *bound,
                    ts_value_does *does, void *closure);
/* Of the names in a quotient, with which it is whole. */
void ts_near_whole(ts_session *s, ts_diag *d, const ts_env *env, const ts_ast *quotient);
/* The name that is meant: what modules have, or what is spelt almost so; beside figures, what
 * functions take is not meant, and all are listed. False if there is none. */
bool ts_near_name(ts_session *s, ts_diag *d, const ts_env *env, const char *name);
/* The number with a usual unit of the quantity's kind. */
const char *ts_near_unit(ts_session *s, ts_value number, ts_value quantity);

#endif
