#include "compiler/schedule/known.h"

#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/env.h"
#include "compiler/eval/function.h"
#include "compiler/eval/names.h"

enum { MOST_ARGUMENTS = 6, MOST_ANSWERS = 1 << 16 }; /* what comes later is evaluated each time */

typedef struct answer { int64_t argument[MOST_ARGUMENTS], result; uint64_t steps; } answer;

typedef struct answers {
  TS_VEC(answer) all;
  ts_hash_table table; /* of them, by their arguments */
} answers;

/* A call that stands in the order, of a function that is declared outside. Calls whose arguments
 * have no names share the answers of their function. */
typedef struct call {
  bool usable;
  uint32_t count;
  const ts_ast *argument[MOST_ARGUMENTS];
  answers *answers;
} call;

typedef struct outer_name { bool bound, whole; int64_t value; } outer_name;

struct ts_known {
  ts_session *s;
  const ts_env *outside;
  ts_names names; /* of outer_name */
  ts_names calls; /* of call, by the addresses of their nodes */
  ts_names functions; /* of answers, by their addresses */
  const ts_ast *missed; /* a call that was not made before, and where it is kept; NULL: none */
  call *missed_call;
  answer asked;
};

ts_known *ts_known_new(ts_session *s, const ts_env *outside)
{
  ts_known *k = TS_NEW(s->arena, ts_known);
  k->s = s;
  k->outside = outside;
  return k;
}

/* -- names -- */

static const ts_value *inside(const ts_known *k, const ts_env *env, const char *name)
{
  for (; env && env != k->outside; env = env->parent)
    for (uint32_t i = 0; i < env->count; i++)
      if (env->name[i] == name)
        return &env->value[i];
  return NULL;
}

static const outer_name *outer(ts_known *k, const char *name)
{
  outer_name *o = (outer_name *)(uintptr_t)ts_names_get(&k->names, name);
  ts_value v;
  if (o)
    return o;
  o = TS_NEW(k->s->arena, outer_name);
  o->bound = ts_env_lookup(k->outside, name, &v);
  o->whole = o->bound && (v.type == TS_T_INT || v.type == TS_T_AXIS);
  o->value = !o->whole ? 0 : v.type == TS_T_AXIS ? ts_axes_size(k->s, v.u.axes.mask) : v.u.integer;
  ts_names_put(k->s->arena, &k->names, name, o);
  return o;
}

bool ts_known_bound(ts_known *k, const ts_env *env, const char *name)
{
  return inside(k, env, name) || outer(k, name)->bound;
}

/* -- numbers; false: evaluate it as usual -- */

static bool number(ts_known *k, const ts_env *env, const ts_ast *e, int64_t *n);
static bool truth(ts_known *k, const ts_env *env, const ts_ast *e, bool *holds);

static bool named(ts_known *k, const ts_env *env, const char *name, int64_t *n)
{
  const ts_value *v = inside(k, env, name);
  if (v) {
    *n = v->u.integer;
    return v->type == TS_T_INT;
  }
  const outer_name *o = outer(k, name);
  *n = o->value;
  return o->whole;
}

static bool sum(ts_known *k, const ts_env *env, const ts_ast *e, int64_t *n)
{
  int64_t a, b;
  if (!number(k, env, ts_ast_left(e), &a) || !number(k, env, ts_ast_right(e), &b))
    return false;
  switch (e->u.op) {
  case TS_OP_ADD: return !__builtin_add_overflow(a, b, n);
  case TS_OP_SUB: return !__builtin_sub_overflow(a, b, n);
  case TS_OP_MUL: return !__builtin_mul_overflow(a, b, n);
  case TS_OP_MOD: *n = a >= 0 && b > 0 ? a % b : 0; return a >= 0 && b > 0;
  case TS_OP_DIV: *n = a >= 0 && b > 0 ? a / b : 0; return a >= 0 && b > 0 && a % b == 0;
  default: return false;
  }
}

/* Native code may give something else next time. */
static const ts_function *declared_outside(ts_known *k, const ts_env *env, const ts_ast *function)
{
  ts_value v;
  bool there = function->kind == TS_AST_ID && !inside(k, env, function->name) &&
               ts_env_lookup(k->outside, function->name, &v) && v.type == TS_T_FUNCTION &&
               v.u.function->kind != TS_FUNCTION_NATIVE;
  return there ? v.u.function : NULL;
}

static answers *answers_of(ts_known *k, const ts_function *f, ts_ast_list arguments)
{
  answers *a = (answers *)(uintptr_t)ts_names_get(&k->functions, (const char *)f);
  bool named = false;
  for (uint32_t i = 0; i < arguments.count; i++)
    named |= arguments.at[i]->name != NULL;
  if (a && !named)
    return a;
  a = TS_NEW(k->s->arena, answers);
  if (!named)
    ts_names_put(k->s->arena, &k->functions, (const char *)f, a);
  return a;
}

static call *call_of(ts_known *k, const ts_env *env, const ts_ast *e)
{
  call *c = (call *)(uintptr_t)ts_names_get(&k->calls, (const char *)e);
  ts_ast_list arguments = ts_ast_args(e);
  if (c)
    return c;
  c = TS_NEW(k->s->arena, call);
  c->count = arguments.count;
  const ts_function *f = declared_outside(k, env, ts_ast_function(e));
  c->usable = c->count <= MOST_ARGUMENTS && f;
  if (c->usable)
    c->answers = answers_of(k, f, arguments);
  for (uint32_t i = 0; c->usable && i < c->count; i++)
    c->argument[i] = ts_ast_value(arguments.at[i]);
  ts_names_put(k->s->arena, &k->calls, (const char *)e, c);
  return c;
}

static uint32_t hash_of(const answer *a)
{
  return ts_hash_bytes(a->argument, sizeof a->argument);
}

typedef struct wanted { const call *c; const answer *asked; } wanted;

static bool same_arguments(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  return !memcmp(w->c->answers->all.at[number].argument, w->asked->argument,
                 sizeof w->asked->argument);
}

static bool called(ts_known *k, const ts_env *env, const ts_ast *e, int64_t *n)
{
  call *c = call_of(k, env, e);
  uint64_t before = k->s->steps - 1;
  answer asked = {.steps = 0};
  for (uint32_t i = 0; c->usable && i < c->count; i++)
    if (!number(k, env, c->argument[i], &asked.argument[i]))
      return false;
  if (!c->usable)
    return false;
  uint32_t found =
    ts_hash_find(&c->answers->table, hash_of(&asked), same_arguments, &(wanted){c, &asked});
  if (found == TS_HASH_NONE) {
    k->missed = e;
    k->missed_call = c;
    k->asked = asked;
    return false;
  }
  k->s->steps = before + c->answers->all.at[found].steps; /* as far from its limit as ever */
  *n = c->answers->all.at[found].result;
  return true;
}

/* The call that was asked for the first time in an expression that has been evaluated since: it
 * gives a value again. */
static void keep_missed(ts_known *k, const ts_env *env)
{
  uint64_t before = k->s->steps;
  if (!k->missed)
    return;
  ts_value v = ts_eval(k->s, env, k->missed);
  k->missed = NULL;
  k->asked.steps = k->s->steps - before;
  k->s->steps = before;
  answers *a = k->missed_call->answers;
  if (v.type != TS_T_INT || a->all.count == MOST_ANSWERS)
    return;
  k->asked.result = v.u.integer;
  ts_hash_add(k->s->arena, &a->table, hash_of(&k->asked), (uint32_t)a->all.count);
  TS_PUSH(k->s->arena, &a->all, k->asked);
}

static bool number(ts_known *k, const ts_env *env, const ts_ast *e, int64_t *n)
{
  bool holds;
  k->s->steps++;
  switch (e->kind) {
  case TS_AST_INT: *n = e->u.integer; return true;
  case TS_AST_ID: return named(k, env, e->name, n);
  case TS_AST_BINARY: return sum(k, env, e, n);
  case TS_AST_CALL: return called(k, env, e, n);
  case TS_AST_IF:
    return truth(k, env, ts_ast_condition(e), &holds) &&
           number(k, env, holds ? ts_ast_then(e) : ts_ast_else(e), n);
  default: return false;
  }
}

/* Axes are equal if they are the same, whatever their sizes. */
static bool may_be_axis(const ts_ast *e) { return e->kind == TS_AST_ID || e->kind == TS_AST_IF; }

static bool compared(ts_known *k, const ts_env *env, const ts_ast *e, bool *holds)
{
  int64_t a, b;
  if ((e->u.op == TS_OP_EQ || e->u.op == TS_OP_NE) && may_be_axis(ts_ast_left(e)) &&
      may_be_axis(ts_ast_right(e)))
    return false;
  if (!number(k, env, ts_ast_left(e), &a) || !number(k, env, ts_ast_right(e), &b))
    return false;
  switch (e->u.op) {
  case TS_OP_LT: *holds = a < b; return true;
  case TS_OP_LE: *holds = a <= b; return true;
  case TS_OP_GT: *holds = a > b; return true;
  case TS_OP_GE: *holds = a >= b; return true;
  case TS_OP_EQ: *holds = a == b; return true;
  case TS_OP_NE: *holds = a != b; return true;
  default: return false;
  }
}

static bool truth(ts_known *k, const ts_env *env, const ts_ast *e, bool *holds)
{
  k->s->steps++;
  if (e->kind != TS_AST_BINARY)
    return false;
  if (e->u.op != TS_OP_AND && e->u.op != TS_OP_OR)
    return compared(k, env, e, holds);
  return truth(k, env, ts_ast_left(e), holds) &&
         (*holds == (e->u.op == TS_OP_OR) || truth(k, env, ts_ast_right(e), holds));
}

/* Near a limit all is evaluated as usual, so that it is told of where it is met. */
static bool goes_on(const ts_known *k) { return k->s->steps < k->s->next_look; }

bool ts_known_int(ts_known *k, const ts_env *env, const ts_ast *expr, const char *what,
                  int64_t *result)
{
  uint64_t before = k->s->steps;
  k->missed = NULL;
  if (number(k, env, expr, result) && goes_on(k))
    return true;
  k->s->steps = before;
  if (!ts_eval_int(k->s, env, expr, what, result))
    return false;
  keep_missed(k, env);
  return true;
}

bool ts_known_bool(ts_known *k, const ts_env *env, const ts_ast *expr, const char *what,
                   bool *result)
{
  uint64_t before = k->s->steps;
  k->missed = NULL;
  if (truth(k, env, expr, result) && goes_on(k))
    return true;
  k->s->steps = before;
  if (!ts_eval_bool(k->s, env, expr, what, result))
    return false;
  keep_missed(k, env);
  return true;
}
