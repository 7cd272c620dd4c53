/* Evaluation: expressions of the language to values, in an environment of names. Total: no
 * recursion, no mutation. Errors go to the diagnostics of the session and yield the error value,
 * which silences what depends on it. */
#ifndef TS_COMPILER_EVAL_EVAL_H
#define TS_COMPILER_EVAL_EVAL_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"

/* An environment maps interned names to values, innermost scope first; scopes chain. Module scope
 * holds the top names of a file and what it imports. */
ts_env *ts_env_new(ts_session *session, const ts_env *parent);
void ts_env_bind(ts_env *env, const char *interned_name, ts_value value);
bool ts_env_lookup(const ts_env *env, const char *interned_name, ts_value *value);
/* requested: the name in the text; says so if two imports bring it */
bool ts_env_lookup_at(const ts_env *env, const char *interned_name, ts_span requested,
                      ts_value *value);

/* Whether the name is a parameter of the plan at hand, whose type is declared. */
bool ts_env_of_plan(const ts_env *env, const char *interned_name);

ts_value ts_eval(ts_session *session, const ts_env *env, const ts_ast *expr);

static inline bool ts_is_choice(const ts_ast *e)
{
  return e->kind == TS_AST_IF || e->kind == TS_AST_MATCH;
}
/* What an IF or a MATCH leaves to be evaluated; NULL after an error. */
const ts_ast *ts_eval_choice(ts_session *s, const ts_env *env, const ts_ast *choice);

/* Evaluate and require; on mismatch a diagnostic that names `what` ("the size of axis `tp`") and
 * false. */
bool ts_eval_int(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                 int64_t *result);
/* or an Int */
bool ts_eval_real(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                  double *result);
/* a list or a range */
bool ts_eval_sequence(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                      ts_value *result);
bool ts_eval_bool(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                  bool *result);
bool ts_eval_string(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                    const char **result);
bool ts_eval_quantity(ts_session *s, const ts_env *env, const ts_ast *expr, ts_dimension dimension,
                      const char *what, double *base_units);

/* Binds the arguments of a CALL to the FORMALs of a declaration in a new scope under the
 * declaration's module: checks types, fills defaults, reports unknown, missing and doubled
 * arguments with did-you-mean. NULL after an error. Axis and Label parameters take their argument
 * as written. */
ts_env *ts_bind_args(ts_session *s, const ts_env *caller, const ts_env *module, const ts_ast *decl,
                     const ts_ast *call);
/* The same from a record of named values (an applied declaration). */
ts_env *ts_bind_record(ts_session *s, const ts_env *module, const ts_ast *decl,
                       const ts_record *args);
/* Checks a value against a TYPE node and converts (Int to Real, an Axis to its size ...). `what` is
 * the subject of the message, with its backticks: "`out` of `linear`". */
bool ts_convert(ts_session *s, const ts_env *env, const ts_ast *type, ts_value *value,
                const char *what);
/* The same against the name of a type, at a place; `note`, if it has a file, is where the type was
 * asked for. */
bool ts_convert_to(ts_session *s, const char *type_name, ts_value *value, const char *what,
                   ts_span at, ts_span note);

/* Calls a FUNCTION, or applies a declaration, with arguments that are values already: `names`
 * (interned, may be NULL) names each. */
ts_value ts_call(ts_session *s, ts_value function, const ts_value *args, const char *const *names,
                 uint32_t count, ts_span span);
/* Names of a function's parameters, in order; NULL at the end, and for the built-in ones. */
const char *ts_function_formal(const ts_function *function, uint32_t i);
/* A declaration or function of which nothing is left to be given (`adam` for `adam()`) is called;
 * other values stay as they are. */
ts_value ts_settle(ts_session *s, ts_value value);

/* The value of an argument for an Axis parameter: a mesh axis, a product of such, or 1. */
ts_value ts_eval_axis(ts_session *s, const ts_env *env, const ts_ast *expr);
/* Where labels are wanted: strings, or lists of such; a path without quotes is reported as one. */
ts_value ts_eval_label(ts_session *s, const ts_env *env, const ts_ast *expr);
/* The path without quotes that stands where a label is wanted, as text: `attn.core`, whose first
 * name `known` does not know; NULL: there is none. `at` is what was written so. */
typedef bool ts_knows(const void *closure, const char *name);
const char *ts_unquoted_label(ts_session *s, const ts_ast *expr, ts_knows *known,
                              const void *closure, const ts_ast **at);
void ts_report_unquoted(ts_session *s, const ts_ast *at, const char *text);
/* Where an Overlap, or a list of such, is wanted its words mean themselves, whatever else is called
 * so. */
ts_value ts_eval_overlap(ts_session *s, const ts_env *env, const ts_ast *expr);
/* An expression of which a TYPE is wanted: labels and words are read as such. */
ts_value ts_eval_as(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *expr);
/* A RECORD of which a RECORD_TYPE is wanted, or none: its fields are read as those of the type. */
ts_value ts_eval_record(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *expr);
/* The message that `with` changes no such value; an error value. */
ts_value ts_unchangeable(ts_session *s, ts_value value, const ts_ast *with);
/* Label, or lists of such; the same for Overlap. */
bool ts_type_of_labels(const ts_ast *type);
bool ts_type_of_words(const ts_ast *type);
/* Its words, NULL at the end; an Overlap is a Bool besides. */
extern const char *const ts_overlap_words[];
/* The value of a LET, of its type if it has one. */
ts_value ts_eval_let(ts_session *s, const ts_env *env, const ts_ast *let);
/* The second half of that: the value of its expression, once it is checked against the type. */
ts_value ts_let_value(ts_session *s, const ts_ast *let, ts_value value);

#endif
