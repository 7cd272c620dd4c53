/* What a session works out once for several plans. It is kept with what it depends on: the plan's
 * parameters that were looked at on the way, with their values. Nobody says what that is: lookups
 * note it. A plan whose parameters have the same values there gets the same again.
 *
 * Not kept: what looked at something else that plans change (axes of the mesh, parameters of
 * files), what read a file, and what anything was said about. */
#ifndef TS_COMPILER_EVAL_KEPT_H
#define TS_COMPILER_EVAL_KEPT_H

#include "compiler/eval/eval.h"

/* Bits of ts_session.touched: the parameters by their places in the plan's environment; all from the
 * last on, and all else that differs between plans. */
#define TS_TOUCHED_OTHER (UINT64_C(1) << 63)

typedef struct ts_kept ts_kept;
ts_kept *ts_kept_new(ts_session *s);
/* The environment of the plan at hand. */
void ts_kept_watch(ts_session *s, ts_env *plan);

/* What was kept of `what`, an address, and a number, for a plan like this one. NULL: nothing. */
const void *ts_kept_get(ts_session *s, const void *what, int64_t number);

/* Around the work. `touched`: by what it starts from. */
typedef struct ts_keeping { uint64_t touched, reads; size_t said; } ts_keeping;
ts_keeping ts_kept_begin(ts_session *s, uint64_t touched);
bool ts_kept_said(const ts_session *s, ts_keeping before); /* something, since */
/* result: kept if it can be; it stays as long as the session. NULL: there is none. What it touched. */
uint64_t ts_kept_end(ts_session *s, ts_keeping before, const void *what, int64_t number,
                     const void *result);

#endif
