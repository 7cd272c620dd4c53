/* What a session works out once for several plans. It is kept with what it depends on: the plan's
 * parameters that were looked at on the way, with their values, and axes of the mesh, with their
 * sizes where these were looked at. Nobody says what that is: lookups note it (ts_noting). A plan
 * that has the same there gets the same again, and must not change it.
 *
 * Not kept: what looked at something else that plans change (parameters of files), what read a
 * file, and what anything was said about. */
#ifndef TS_COMPILER_EVAL_PLAN_CACHE_H
#define TS_COMPILER_EVAL_PLAN_CACHE_H

#include "compiler/eval/eval.h"
#include "compiler/eval/reuse.h"

typedef struct ts_plan_cache ts_plan_cache;
ts_plan_cache *ts_plan_cache_new(ts_session *s);
/* The environment of the plan at hand. */
void ts_plan_cache_watch(ts_session *s, ts_env *plan);

/* What was kept of `what`, an address, and a number, for a plan like this one. NULL: nothing. */
const void *ts_plan_cache_get(ts_session *s, const void *what, int64_t number);

/* Keeps a result if it can be; it stays as long as the session. Its work began with `before`, and
 * touched that. False: it is not kept, and whoever made it may change it. */
bool ts_plan_cache_put(ts_session *s, const ts_noting *before, ts_touched touched, const void *what,
                       int64_t number, const void *result);

#endif
