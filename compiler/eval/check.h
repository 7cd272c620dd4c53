/* Static checks of declarations, before anything is evaluated: names and arguments in the bodies of
 * functions, ops, models, strategies, schedules and clusters of the user's files, whether the plan
 * uses them or not. */
#ifndef TS_COMPILER_EVAL_CHECK_H
#define TS_COMPILER_EVAL_CHECK_H

#include "compiler/eval/function.h"
#include "compiler/eval/module.h"

/* A name in a file that was checked, and what it means there. */
typedef struct ts_use {
  ts_span span;       /* the name: where it is used, or declared */
  const char *name;
  ts_span declared;   /* the name in its declaration; file 0: built in */
  /* that declares it: a declaration, FORMAL, LET, NODE, FOR ...; NULL: built in */
  const ts_ast *node;
} ts_use;
typedef struct ts_uses { TS_VEC(ts_use) all; } ts_uses;

/* Checks every file that is not of the standard library. False if a function, block or model calls
 * itself: nothing may be evaluated then. */
bool ts_check(ts_session *s);
/* Is the name among the identifiers of an expression? */
bool ts_ast_uses(const ts_ast *e, const char *interned_name);

/* Do the arguments of a call fit the parameters of what it calls, by number and name?
 * compiler/eval/call.c */
bool ts_call_fits(ts_session *s, const ts_ast *decl, const ts_ast *call);
bool ts_call_fits_function(ts_session *s, const ts_function *function, const ts_ast *call);

#endif
