#include "compiler/schedule/known.h"

#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/env.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/names.h"
#include "compiler/eval/running.h"

enum { MOST_ARGUMENTS = 6, MOST_ANSWERS = 1 << 16 }; /* what comes later is evaluated each time */

/* Of a function whose arguments are the same numbers but for some, by these. */
typedef struct known_answer {
  int64_t argument[MOST_ARGUMENTS], result;
  uint64_t steps;
} known_answer;

typedef struct answers {
  const ts_function *function;
  uint32_t count, given;            /* arguments that vary; bits of those that are `fixed` */
  int64_t fixed[MOST_ARGUMENTS];
  TS_VEC(known_answer) all;
  ts_hash_table table;              /* of them, by their arguments, where several vary */
  TS_VEC(uint32_t) at;              /* where one varies, by that one: number + 1; 0: none yet */
} answers;

typedef enum form { GIVEN, INSIDE, SUM, CALL, CHOICE, USUAL } form;

/* An expression, as it stands in the order: where its names are is found once. */
typedef ts_known_code code;
struct ts_known_code {
  form form;
  uint32_t steps;                   /* GIVEN: of what was worked out once */
  const ts_ast *e;
  int64_t value;                    /* GIVEN */
  uint32_t level, place;            /* INSIDE: environments further out, and there */
  const code *part[MOST_ARGUMENTS]; /* of a CALL: those that vary */
  answers *answers;                 /* CALL */
};

typedef struct outer_name { bool bound, whole; int64_t value; } outer_name;

struct ts_known {
  ts_session *s;
  const ts_env *outside;
  ts_names names; /* of outer_name */
  ts_names codes; /* of code, by the addresses of their nodes */
  TS_VEC(answers *) functions;
  bool failed;    /* an error was told */
};

ts_known *ts_known_new(ts_session *s, const ts_env *outside)
{
  ts_known *k = TS_NEW(s->arena, ts_known);
  k->s = s;
  k->outside = outside;
  return k;
}

/* -- names -- */

static const ts_value *inside(const ts_known *k, const ts_env *env, const char *name,
                              uint32_t *level, uint32_t *place)
{
  for (*level = 0; env && env != k->outside; env = env->parent, ++*level)
    for (*place = 0; *place < env->count; ++*place)
      if (env->name[*place] == name)
        return &env->value[*place];
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
  uint32_t level, place;
  return inside(k, env, name, &level, &place) || outer(k, name)->bound;
}

/* Native code may give something else next time. */
static const ts_function *declared_outside(ts_known *k, const ts_env *env, const ts_ast *function)
{
  uint32_t level, place;
  ts_value v;
  bool there = function->kind == TS_AST_ID &&
               !inside(k, env, function->name, &level, &place) &&
               ts_env_lookup(k->outside, function->name, &v) && v.type == TS_T_FUNCTION &&
               v.u.function->kind != TS_FUNCTION_NATIVE;
  return there ? v.u.function : NULL;
}

/* -- codes: an expression stands among the same names each time it is met -- */

static const code *code_of(ts_known *k, const ts_env *env, const ts_ast *e);

static void read_name(ts_known *k, const ts_env *env, code *c)
{
  if (inside(k, env, c->e->name, &c->level, &c->place)) {
    c->form = INSIDE;
    return;
  }
  const outer_name *o = outer(k, c->e->name);
  c->form = o->whole ? GIVEN : USUAL;
  c->value = o->value;
}

/* Calls whose arguments have no names share the answers of their function. */
static answers *answers_of(ts_known *k, const answers *wanted, bool named)
{
  for (size_t i = 0; i < k->functions.count && !named; i++) {
    answers *a = k->functions.at[i];
    if (a->function == wanted->function && a->given == wanted->given && a->count == wanted->count &&
        !memcmp(a->fixed, wanted->fixed, sizeof a->fixed))
      return a;
  }
  answers *a = ts_arena_copy(k->s->arena, wanted, sizeof *wanted);
  if (!named)
    TS_PUSH(k->s->arena, &k->functions, a);
  return a;
}

static void read_call(ts_known *k, const ts_env *env, code *c)
{
  ts_ast_list arguments = ts_ast_args(c->e);
  answers wanted = {.function = declared_outside(k, env, ts_ast_function(c->e))};
  bool named = false;
  if (!wanted.function || arguments.count > MOST_ARGUMENTS)
    return;
  for (uint32_t i = 0; i < arguments.count; i++) {
    const code *argument = code_of(k, env, ts_ast_value(arguments.at[i]));
    named |= arguments.at[i]->name != NULL;
    if (argument->form == GIVEN) {
      wanted.given |= UINT32_C(1) << i;
      wanted.fixed[i] = argument->value;
    } else {
      c->part[wanted.count++] = argument;
    }
  }
  c->form = CALL;
  c->answers = answers_of(k, &wanted, named);
}

static bool known_sum_of(ts_operator op, int64_t a, int64_t b, int64_t *n)
{
  switch (op) {
  case TS_OP_ADD: return !__builtin_add_overflow(a, b, n);
  case TS_OP_SUB: return !__builtin_sub_overflow(a, b, n);
  case TS_OP_MUL: return !__builtin_mul_overflow(a, b, n);
  case TS_OP_MOD: *n = a >= 0 && b > 0 ? a % b : 0; return a >= 0 && b > 0;
  case TS_OP_DIV: *n = a >= 0 && b > 0 ? a / b : 0; return a >= 0 && b > 0 && a % b == 0;
  default: return false;
  }
}

/* A sum of what is given is given itself. */
static void add_given(code *c)
{
  const code *a = c->part[0], *b = c->part[1];
  if (a->form != GIVEN || b->form != GIVEN ||
      !known_sum_of(c->e->u.op, a->value, b->value, &c->value))
    return;
  c->form = GIVEN;
  c->steps += a->steps + b->steps;
}

static const code *code_of(ts_known *k, const ts_env *env, const ts_ast *e)
{
  code *c = (code *)(uintptr_t)ts_names_get(&k->codes, (const char *)e);
  if (c)
    return c;
  c = TS_NEW(k->s->arena, code);
  *c = (code){.form = USUAL, .steps = 1, .e = e};
  switch (e->kind) {
  case TS_AST_INT:
    c->form = GIVEN;
    c->value = e->u.integer;
    break;
  case TS_AST_ID: read_name(k, env, c); break;
  case TS_AST_CALL: read_call(k, env, c); break;
  case TS_AST_BINARY:
    c->form = SUM;
    c->part[0] = code_of(k, env, ts_ast_left(e));
    c->part[1] = code_of(k, env, ts_ast_right(e));
    add_given(c);
    break;
  case TS_AST_IF:
    c->form = CHOICE;
    c->part[0] = code_of(k, env, ts_ast_condition(e));
    c->part[1] = code_of(k, env, ts_ast_then(e));
    c->part[2] = code_of(k, env, ts_ast_else(e));
    break;
  default: break;
  }
  ts_names_put(k->s->arena, &k->codes, (const char *)e, c);
  return c;
}

/* -- numbers; false: evaluate it as usual -- */

static bool known_number(ts_known *k, const ts_env *env, const code *c, int64_t *n);
static bool truth(ts_known *k, const ts_env *env, const code *c, bool *holds);

static bool known_named(const ts_env *env, const code *c, int64_t *n)
{
  for (uint32_t i = 0; i < c->level; i++)
    env = env->parent;
  *n = env->value[c->place].u.integer;
  return env->value[c->place].type == TS_T_INT;
}

static bool sum(ts_known *k, const ts_env *env, const code *c, int64_t *n)
{
  int64_t a, b;
  return known_number(k, env, c->part[0], &a) && known_number(k, env, c->part[1], &b) &&
         known_sum_of(c->e->u.op, a, b, n);
}

static uint32_t known_hash_of(const known_answer *a)
{
  return ts_hash_bytes(a->argument, sizeof a->argument);
}

typedef struct known_wanted {
  const answers *of;
  const known_answer *requested;
} known_wanted;

static bool same_arguments(const void *closure, uint32_t number)
{
  const known_wanted *w = closure;
  return !memcmp(w->of->all.at[number].argument, w->requested->argument,
                 sizeof w->requested->argument);
}

static bool is_listed(const answers *a, const known_answer *requested)
{
  return a->count == 1 && requested->argument[0] >= 0 && requested->argument[0] < MOST_ANSWERS;
}

static const known_answer *known_find(const answers *a, const known_answer *requested)
{
  if (is_listed(a, requested)) {
    size_t at = (size_t)requested->argument[0];
    return at < a->at.count && a->at.at[at] ? &a->all.at[a->at.at[at] - 1] : NULL;
  }
  uint32_t found = ts_hash_find(&a->table, known_hash_of(requested), same_arguments,
                                &(known_wanted){a, requested});
  return found == TS_HASH_NONE ? NULL : &a->all.at[found];
}

static void known_keep(ts_known *k, answers *a, const known_answer *requested)
{
  uint32_t number = (uint32_t)a->all.count;
  if (number == MOST_ANSWERS)
    return;
  TS_PUSH(k->s->arena, &a->all, *requested);
  if (!is_listed(a, requested)) {
    ts_hash_add(k->s->arena, &a->table, known_hash_of(requested), number);
    return;
  }
  while (a->at.count <= (size_t)requested->argument[0])
    TS_PUSH(k->s->arena, &a->at, 0);
  a->at.at[requested->argument[0]] = number + 1;
}

/* One that was not made before is evaluated, and again it gives the same. */
static bool called(ts_known *k, const ts_env *env, const code *c, int64_t *n)
{
  uint64_t before = k->s->running->steps - 1;
  known_answer requested = {.steps = 0};
  for (uint32_t i = 0; i < c->answers->count; i++)
    if (!known_number(k, env, c->part[i], &requested.argument[i]))
      return false;
  const known_answer *found = known_find(c->answers, &requested);
  if (found) {
    k->s->running->steps = before + found->steps; /* as far from its limit as ever */
    *n = found->result;
    return true;
  }
  k->s->running->steps = before;
  ts_value v = ts_eval(k->s, env, c->e);
  k->failed = v.type == TS_T_ERROR;
  *n = requested.result = v.type == TS_T_INT ? v.u.integer : 0;
  requested.steps = k->s->running->steps - before;
  if (v.type == TS_T_INT)
    known_keep(k, c->answers, &requested);
  return v.type == TS_T_INT;
}

static bool known_number(ts_known *k, const ts_env *env, const code *c, int64_t *n)
{
  bool holds;
  k->s->running->steps += c->steps;
  switch (c->form) {
  case GIVEN: *n = c->value; return true;
  case INSIDE: return known_named(env, c, n);
  case SUM: return sum(k, env, c, n);
  case CALL: return called(k, env, c, n);
  case CHOICE:
    return truth(k, env, c->part[0], &holds) && known_number(k, env, c->part[holds ? 1 : 2], n);
  default: return false;
  }
}

/* Axes are equal if they are the same, whatever their sizes. */
static bool may_be_axis(const ts_ast *e) { return e->kind == TS_AST_ID || e->kind == TS_AST_IF; }

static bool compared(ts_known *k, const ts_env *env, const code *c, bool *holds)
{
  int64_t a, b;
  ts_operator op = c->e->u.op;
  if ((op == TS_OP_EQ || op == TS_OP_NE) && may_be_axis(ts_ast_left(c->e)) &&
      may_be_axis(ts_ast_right(c->e)))
    return false;
  if (!known_number(k, env, c->part[0], &a) || !known_number(k, env, c->part[1], &b))
    return false;
  switch (op) {
  case TS_OP_LT: *holds = a < b; return true;
  case TS_OP_LE: *holds = a <= b; return true;
  case TS_OP_GT: *holds = a > b; return true;
  case TS_OP_GE: *holds = a >= b; return true;
  case TS_OP_EQ: *holds = a == b; return true;
  case TS_OP_NE: *holds = a != b; return true;
  default: return false;
  }
}

static bool truth(ts_known *k, const ts_env *env, const code *c, bool *holds)
{
  k->s->running->steps++;
  if (c->form != SUM) /* or a comparison */
    return false;
  if (c->e->u.op != TS_OP_AND && c->e->u.op != TS_OP_OR)
    return compared(k, env, c, holds);
  return truth(k, env, c->part[0], holds) &&
         (*holds == (c->e->u.op == TS_OP_OR) || truth(k, env, c->part[1], holds));
}

/* At a limit all is evaluated as usual, so that it is told of where it is met. */
static bool goes_on(const ts_known *k, const code *c)
{
  return k->s->running->steps < k->s->running->next_look ||
         (k->s->running->steps < TS_MAX_STEPS && ts_charge(k->s, 0, c->e->span));
}

const ts_known_code *ts_known_read(ts_known *k, const ts_env *env, const ts_ast *expr)
{
  return code_of(k, env, expr);
}

bool ts_known_int(ts_known *k, const ts_env *env, const code *c, const char *what, int64_t *result)
{
  uint64_t before = k->s->running->steps;
  k->failed = false;
  if (known_number(k, env, c, result) && goes_on(k, c))
    return true;
  if (k->failed)
    return false;
  k->s->running->steps = before;
  return ts_eval_int(k->s, env, c->e, what, result);
}

bool ts_known_bool(ts_known *k, const ts_env *env, const ts_ast *expr, const char *what,
                   bool *result)
{
  uint64_t before = k->s->running->steps;
  const code *c = code_of(k, env, expr);
  k->failed = false;
  if (truth(k, env, c, result) && goes_on(k, c))
    return true;
  if (k->failed)
    return false;
  k->s->running->steps = before;
  return ts_eval_bool(k->s, env, expr, what, result);
}
