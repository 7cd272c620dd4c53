/* Sessions made, and made ready for another plan. */
#ifndef TS_COMPILER_EVAL_LIFETIME_H
#define TS_COMPILER_EVAL_LIFETIME_H

#include "compiler/eval/session.h"

/* Makes a session in the arena, with an empty queue of diagnostics and a source map: `sources`, or
 * an empty one (NULL). ts_session_new in compiler/compile.h gives it the domain. */
ts_session *ts_session_of(ts_arena *arena, ts_sources *sources, const struct ts_domain *domain);
/* A session that need not read again what another one has read, which must stay as it is: names,
 * texts and syntax trees are shared, values are not. */
ts_session *ts_session_over(ts_arena *arena, const ts_session *below);

/* Made ready for another plan of the same files, which may use what is kept. False: it cannot be.
 */
bool ts_session_go_on(ts_session *s);
/* What is made from now on, for the plan at hand, need not outlive it. */
void ts_session_scratch(ts_session *s);

#endif
