/* Evaluation: expressions of the language to values, in an environment of names. Total: no recursion, no mutation. Errors go to
 * the diagnostics of the session and yield the error value, which silences what depends on it. */
#ifndef TS_COMPILER_EVAL_H
#define TS_COMPILER_EVAL_H

#include "compiler/session.h"
#include "compiler/value.h"

/* An environment maps interned names to values, innermost scope first; scopes chain. Module scope holds the top names of a file and what it imports. */
ts_env *ts_env_new(ts_session *session, const ts_env *parent);
void ts_env_bind(ts_env *env, const char *interned_name, ts_value value);
bool ts_env_lookup(const ts_env *env, const char *interned_name, ts_value *value);

ts_value ts_eval(ts_session *session, const ts_env *env, const ts_ast *expr);

/* Evaluate and require; on mismatch a diagnostic that names `what` ("the size of axis `tp`") and false. */
bool ts_eval_int(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what, int64_t *result);
bool ts_eval_bool(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what, bool *result);
bool ts_eval_string(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what, const char **result);
bool ts_eval_quantity(ts_session *s, const ts_env *env, const ts_ast *expr, ts_dimension dimension, const char *what, double *base_units);

/* Binds the arguments of a CALL to the FORMALs of a declaration in a new scope under the declaration's module: checks types, fills defaults,
 * reports unknown, missing and doubled arguments with did-you-mean. NULL after an error. Axis and Label parameters take their argument as written. */
ts_env *ts_bind_args(ts_session *s, const ts_env *caller, const ts_env *module, const ts_ast *decl, const ts_ast *call);
/* The same from a record of named values (an applied declaration). */
ts_env *ts_bind_record(ts_session *s, const ts_env *module, const ts_ast *decl, const ts_record *args);
/* Checks a value against a TYPE node and converts (Int to Real, record to Gpu ...). */
bool ts_convert(ts_session *s, const ts_env *env, const ts_ast *type, ts_value *value, const char *what);

/* In CALLs evaluated in a model or block body, ops and blocks are applied by the graph builder: it installs this hook. */
typedef ts_value (*ts_apply_hook)(void *closure, const ts_env *env, const ts_ast *decl, const ts_env *module, const ts_ast *call);

#endif
