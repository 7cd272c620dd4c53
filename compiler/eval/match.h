/* What can be said of the arms of a `match` without its value. */
#ifndef TS_COMPILER_EVAL_MATCH_H
#define TS_COMPILER_EVAL_MATCH_H

#include "compiler/eval/session.h"

/* Arms that no value takes, and values of the type that take none. type: of the value; NULL: nobody
 * knows it. */
void ts_match_check(ts_session *s, const ts_ast *match, const ts_ast *type);

#endif
