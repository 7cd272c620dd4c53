#include "compiler/eval/eval.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/heap.h"
#include "compiler/eval/domain.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/near.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"

static void eval_into(ts_session *s, const ts_env *env, const ts_ast *e, ts_value *out);

/* Told once: all that rests on it would be too many steps as well. */
static const uint64_t stopped = UINT64_C(1) << 62;

static void too_many_steps(ts_session *s, ts_span at, const char *what)
{
  ts_diag *d = ts_report(s, TS_E0226, at, "%s", what);
  ts_diag_note(
    d,
    "at most %" PRIu64
    " steps: an element that a function runs over, or a byte of text that it makes, is one",
    TS_MAX_STEPS);
  ts_diag_help(d, "make lists and loops shorter; a formula may replace them");
}

static void too_much_memory(ts_session *s, ts_span at)
{
  ts_diag *d = ts_report(s, TS_E0226, at, "the evaluation takes too much memory");
  s->running->starved = true;
  ts_diag_note(d,
               "%.2g GB are in use; at most %.4g GB may be, of which evaluation has three quarters",
               (double)ts_arena_used(s->arena) / 1e9, (double)ts_heap_ceiling() / 1e9);
  ts_diag_help(d, "make shorter lists, or allow more: `--max-memory=SIZE`");
}

void ts_list_too_long(ts_session *s, ts_span at)
{
  ts_diag *d = ts_report(s, TS_E0226, at, "a list of more than %s elements",
                         ts_count_print(s->arena, TS_MAX_LIST));
  ts_diag_help(d, "make it shorter: a formula often replaces a sum or a count, and `for` takes a "
                  "range without a list");
}

/* Memory is looked at from time to time: between two looks less is asked for than one list takes.
 * */
static bool within_limits(ts_session *s, ts_span at, const char *what)
{
  enum { LOOK_EVERY = 4096 };
  bool memory = ts_heap_ceiling() && ts_arena_used(s->arena) > ts_heap_ceiling() / 4 * 3;
  if (s->running->steps < TS_MAX_STEPS && !memory) {
    s->running->next_look =
      s->running->steps + LOOK_EVERY < TS_MAX_STEPS ? s->running->steps + LOOK_EVERY : TS_MAX_STEPS;
    return true;
  }
  if (s->running->steps < stopped) {
    if (memory)
      too_much_memory(s, at);
    else
      too_many_steps(s, at, what);
  }
  s->running->steps = stopped;
  return false;
}

bool ts_charge(ts_session *s, uint64_t steps, ts_span at)
{
  s->running->steps += steps < TS_MAX_STEPS ? steps : TS_MAX_STEPS;
  return s->running->steps < s->running->next_look ||
         within_limits(s, at, "the evaluation takes too many steps");
}

static void too_deep(ts_session *s, ts_span at)
{
  ts_diag *d = ts_report(s, TS_E0226, at, "this is nested too deeply");
  ts_diag_note(d, "at most %d levels", TS_MAX_DEPTH);
  ts_diag_help(
    d, "replace a long chain of values that depend on each other by a list, `[... for i in 0..n]`");
}

bool ts_deeper(ts_session *s, ts_span at)
{
  if (s->running->depth >= TS_MAX_DEPTH) {
    too_deep(s, at);
    return false;
  }
  s->running->depth++;
  return true;
}

ts_value ts_eval(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value v;
  eval_into(s, env, e, &v);
  return v;
}

static bool is_numeric(ts_value v)
{
  return v.type == TS_T_INT || v.type == TS_T_REAL || v.type == TS_T_QUANTITY;
}

static double real_of(ts_value v) { return v.type == TS_T_INT ? (double)v.u.integer : v.u.real; }

static ts_value finite(ts_session *s, const ts_ast *e, double r, ts_dimension dimension)
{
  if (isfinite(r))
    return ts_quantity_value(r, dimension, e->span);
  ts_report(s, TS_E0232, e->span, "this computation has no finite result");
  return ts_error_value();
}

static void note_origin(ts_diag *d, const ts_ast *operand, ts_value v)
{
  if (v.span.file && (v.span.file != operand->span.file || v.span.begin != operand->span.begin) &&
      operand->kind == TS_AST_ID)
    ts_diag_note_at(d, v.span, "`%s` comes from here", operand->name);
}

static const char *verb_of(ts_operator op)
{
  switch (op) {
  case TS_OP_ADD: return "add";
  case TS_OP_SUB: return "subtract";
  case TS_OP_MUL: return "multiply";
  case TS_OP_DIV: return "divide";
  case TS_OP_MOD: return "take the remainder of";
  default: return "compare";
  }
}

/* Both operands underlined, each with what it is. */
static ts_value operands_error(ts_session *s, const ts_ast *e, ts_value a, ts_value b)
{
  const char *left = ts_value_describe(s->arena, a), *right = ts_value_describe(s->arena, b);
  bool units = is_numeric(a) && is_numeric(b);
  const char *verb = verb_of(e->u.op);
  ts_diag *d;
  if (e->u.op == TS_OP_ADD)
    d = ts_report(s, units ? TS_E0221 : TS_E0220, ts_ast_right(e)->span, "cannot add %s to %s",
                  right, left);
  else if (e->u.op == TS_OP_SUB)
    d = ts_report(s, units ? TS_E0221 : TS_E0220, ts_ast_right(e)->span,
                  "cannot subtract %s from %s", right, left);
  else
    d = ts_report(s, units ? TS_E0221 : TS_E0220, ts_ast_right(e)->span, "cannot %s %s %s %s", verb,
                  left, verb[0] == 'c' || verb[0] == 't' ? "and" : "by", right);
  ts_diag_here(d, "%s", right);
  ts_diag_label(d, ts_ast_left(e)->span, "%s", left);
  note_origin(d, ts_ast_left(e), a);
  note_origin(d, ts_ast_right(e), b);
  if (units && (ts_value_is_number(a) || ts_value_is_number(b)))
    ts_diag_help(d, "write the unit of the number, as in `%s`",
                 a.type == TS_T_QUANTITY ? ts_near_unit(s, b, a) : ts_near_unit(s, a, b));
  return ts_error_value();
}

static ts_value overflow(ts_session *s, const ts_env *env, const ts_ast *e, ts_value a, ts_value b)
{
  ts_diag *d = ts_report(s, TS_E0222, e->span, "this whole number does not fit 64 bits");
  ts_diag_here(d, "%s and %s", ts_count_print(s->arena, a.u.integer),
               ts_count_print(s->arena, b.u.integer));
  ts_note_values(s, env, d, e);
  ts_diag_help(d, "make one of them a Real, as in `real(x)`, if the count need not be exact");
  return ts_error_value();
}

static ts_value divide_by_zero(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_diag *d = ts_report(s, TS_E0224, ts_ast_right(e)->span, "division by zero");
  ts_diag_here(d, "this is 0");
  ts_note_values(s, env, d, e);
  return ts_error_value();
}

static ts_value divide_exactly(ts_session *s, const ts_env *env, const ts_ast *e, int64_t a,
                               int64_t b)
{
  if (b == 0)
    return divide_by_zero(s, env, e);
  if (b == -1 && a == INT64_MIN)
    return overflow(s, env, e, ts_int_value(a, e->span), ts_int_value(b, e->span));
  if (a % b == 0)
    return ts_int_value(a / b, e->span);
  if (s->running->uneven) {
    ++*s->running->uneven;
    return ts_error_value();
  }
  ts_diag *d =
    ts_report(s, TS_E0223, e->span, "%" PRId64 " / %" PRId64 " is not a whole number", a, b);
  ts_diag_here(d, "%" PRId64 " does not divide %" PRId64, b, a);
  ts_note_values(s, env, d, e);
  ts_near_whole(s, d, env, e);
  ts_diag_help(d, "`div(a, b)` rounds down, `ceil_div(a, b)` rounds up; `real(a) / "
                  "b` keeps the fraction");
  return ts_error_value();
}

static ts_value integer_arithmetic(ts_session *s, const ts_env *env, const ts_ast *e, ts_value a,
                                   ts_value b)
{
  int64_t x = a.u.integer, y = b.u.integer, r;
  bool bad;
  switch (e->u.op) {
  case TS_OP_ADD: bad = __builtin_add_overflow(x, y, &r); break;
  case TS_OP_SUB: bad = __builtin_sub_overflow(x, y, &r); break;
  case TS_OP_MUL: bad = __builtin_mul_overflow(x, y, &r); break;
  case TS_OP_DIV: return divide_exactly(s, env, e, x, y);
  default:
    if (y == 0)
      return divide_by_zero(s, env, e);
    r = y == -1 ? 0 : x % y;
    r += r && (r < 0) != (y < 0) ? y : 0; /* as div: towards minus infinity */
    bad = false;
  }
  return bad ? overflow(s, env, e, a, b) : ts_int_value(r, e->span);
}

static ts_value concatenate(ts_session *s, const ts_ast *e, const ts_list *a, const ts_list *b)
{
  if ((uint64_t)a->count + b->count > TS_MAX_LIST) {
    ts_list_too_long(s, e->span);
    return ts_error_value();
  }
  if (!ts_charge(s, a->count + b->count, e->span))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(s->arena, ts_value, a->count + b->count);
  for (uint32_t i = 0; i < a->count; i++)
    at[i] = a->at[i];
  for (uint32_t i = 0; i < b->count; i++)
    at[a->count + i] = b->at[i];
  return ts_list_value(s->arena, at, a->count + b->count, e->span);
}

static ts_value join_texts(ts_session *s, const ts_ast *e, const char *a, const char *b)
{
  size_t length = strlen(a), all = length + strlen(b);
  if (!ts_charge(s, all, e->span))
    return ts_error_value();
  char *text = ts_arena_alloc(s->arena, all + 1);
  memcpy(text, a, length);
  memcpy(text + length, b, all - length);
  return ts_string_value(ts_lang_intern(s->lang, text, all), e->span);
}

static ts_value multiply(ts_session *s, const ts_env *env, const ts_ast *e, ts_value a, ts_value b)
{
  int sign = e->u.op == TS_OP_DIV ? -1 : 1;
  ts_dimension dimension;
  if (!ts_dimension_multiply(a.dimension, b.dimension, sign, &dimension)) {
    ts_report(s, TS_E0221, e->span, "the exponents of this unit become too large");
    return ts_error_value();
  }
  double x = real_of(a), y = real_of(b);
  if (sign < 0 && y == 0)
    return divide_by_zero(s, env, e);
  return finite(s, e, sign < 0 ? x / y : x * y, dimension);
}

static ts_value arithmetic(ts_session *s, const ts_env *env, const ts_ast *e, ts_value a,
                           ts_value b)
{
  ts_operator op = e->u.op;
  if (a.type == TS_T_INT && b.type == TS_T_INT)
    return integer_arithmetic(s, env, e, a, b);
  if (op == TS_OP_ADD && a.type == TS_T_LIST && b.type == TS_T_LIST)
    return concatenate(s, e, a.u.list, b.u.list);
  if (op == TS_OP_ADD && a.type == TS_T_STRING && b.type == TS_T_STRING)
    return join_texts(s, e, a.u.string, b.u.string);
  if (!is_numeric(a) || !is_numeric(b) || op == TS_OP_MOD)
    return operands_error(s, e, a, b);
  if (op == TS_OP_MUL || op == TS_OP_DIV)
    return multiply(s, env, e, a, b);
  if (!ts_dimension_equal(a.dimension, b.dimension))
    return operands_error(s, e, a, b);
  double x = real_of(a), y = real_of(b);
  return finite(s, e, op == TS_OP_ADD ? x + y : x - y, a.dimension);
}

static ts_value compare(ts_session *s, const ts_ast *e, ts_value a, ts_value b)
{
  bool less, equal;
  if (a.type == TS_T_INT && b.type == TS_T_INT) {
    less = a.u.integer < b.u.integer;
    equal = a.u.integer == b.u.integer;
  } else if (is_numeric(a) && is_numeric(b) && ts_dimension_equal(a.dimension, b.dimension)) {
    less = real_of(a) < real_of(b);
    equal = real_of(a) == real_of(b);
  } else {
    return operands_error(s, e, a, b);
  }
  bool result = e->u.op == TS_OP_LT ? less :
                e->u.op == TS_OP_LE ? less || equal :
                e->u.op == TS_OP_GT ? !less && !equal :
                                      !less;
  return ts_bool_value(result, e->span);
}

static ts_value size_of_axis(ts_session *s, ts_value v)
{
  return v.type == TS_T_AXIS ? ts_int_value(ts_axes_size(s, v.u.axes.mask), v.span) : v;
}

/* `true`, `false` and the words of an enumeration are values of one type. */
static bool is_word(ts_value v) { return v.type == TS_T_WORD || v.type == TS_T_BOOL; }

static bool comparable(ts_value a, ts_value b)
{
  if (is_numeric(a) && is_numeric(b))
    return ts_dimension_equal(a.dimension, b.dimension);
  return a.type == b.type || (is_word(a) && is_word(b)) || a.type == TS_T_NONE ||
         b.type == TS_T_NONE;
}

static bool comparable_sizes(ts_session *s, ts_value *a, ts_value *b)
{
  if (a->type != b->type) {
    *a = size_of_axis(s, *a);
    *b = size_of_axis(s, *b);
  }
  return comparable(*a, *b);
}

static ts_value equality(ts_session *s, const ts_ast *e, ts_value a, ts_value b)
{
  if (!comparable(a, b))
    return operands_error(s, e, a, b);
  ts_budget budget = ts_budget_begin(s);
  bool equal = ts_value_equal(a, b, &budget);
  return ts_budget_end(s, &budget, e->span) ?
           ts_bool_value(equal == (e->u.op == TS_OP_EQ), e->span) :
           ts_error_value();
}

bool ts_count_iteration(ts_session *s, ts_span loop)
{
  enum { ITERATION_STEPS = 10 }; /* names of its own are bound */
  s->running->steps += ITERATION_STEPS;
  return s->running->steps < s->running->next_look ||
         within_limits(s, loop, "this loop has too many iterations");
}

ts_budget ts_budget_begin(const ts_session *s)
{
  return (ts_budget){.left =
                       s->running->steps < TS_MAX_STEPS ? TS_MAX_STEPS - s->running->steps : 0};
}

bool ts_budget_end(ts_session *s, const ts_budget *budget, ts_span at)
{
  if (budget->too_deep) {
    too_deep(s, at);
    return false;
  }
  return ts_charge(s, ts_budget_begin(s).left - budget->left, at);
}

ts_value ts_range_value(ts_session *s, int64_t begin, int64_t end, ts_span span)
{
  ts_value v = {.type = TS_T_RANGE, .span = span};
  int64_t count;
  v.u.range.begin = begin;
  v.u.range.end = end < begin ? begin : end;
  if (!__builtin_sub_overflow(v.u.range.end, begin, &count))
    return v;
  ts_report(s, TS_E0226, span, "a range with more numbers than a 64-bit whole number can count");
  return ts_error_value();
}

static ts_value make_range(ts_session *s, const ts_ast *e, ts_value a, ts_value b)
{
  for (int i = 0; i < 2; i++) {
    ts_value end = i ? b : a;
    if (end.type != TS_T_INT) {
      ts_diag *d = ts_report(s, TS_E0220, (i ? ts_ast_right(e) : ts_ast_left(e))->span,
                             "the %s of a range is %s, not an Int", i ? "end" : "begin",
                             ts_value_describe(s->arena, end));
      ts_diag_here(d, "found %s", ts_value_describe(s->arena, end));
      return ts_error_value();
    }
  }
  return ts_range_value(s, a.u.integer, b.u.integer, e->span);
}

static ts_value logic(ts_session *s, const ts_env *env, const ts_ast *e)
{
  bool a, b;
  const char *what = e->u.op == TS_OP_AND ? "an operand of `and`" : "an operand of `or`";
  if (!ts_eval_bool(s, env, ts_ast_left(e), what, &a))
    return ts_error_value();
  if (a == (e->u.op == TS_OP_OR))
    return ts_bool_value(a, e->span);
  return ts_eval_bool(s, env, ts_ast_right(e), what, &b) ? ts_bool_value(b, e->span) :
                                                           ts_error_value();
}

static ts_value operate(ts_session *s, const ts_env *env, const ts_ast *e, ts_value a, ts_value b)
{
  if (a.type == TS_T_ERROR || b.type == TS_T_ERROR)
    return ts_error_value();
  if (!((e->u.op == TS_OP_EQ || e->u.op == TS_OP_NE) && a.type == b.type)) {
    a = size_of_axis(s, a);
    b = size_of_axis(s, b);
  }
  switch (e->u.op) {
  case TS_OP_EQ:
  case TS_OP_NE: return equality(s, e, a, b);
  case TS_OP_LT:
  case TS_OP_LE:
  case TS_OP_GT:
  case TS_OP_GE: return compare(s, e, a, b);
  case TS_OP_RANGE: return make_range(s, e, a, b);
  default: return arithmetic(s, env, e, a, b);
  }
}

/* What is most often asked for: whole numbers that nothing is to be said about. False: it is not
 * that. */
static bool whole(ts_operator op, int64_t x, int64_t y, ts_span span, ts_value *out)
{
  int64_t r;
  bool truth = op == TS_OP_LT || op == TS_OP_LE || op == TS_OP_GT || op == TS_OP_GE;
  switch (op) {
  case TS_OP_ADD:
    if (__builtin_add_overflow(x, y, &r))
      return false;
    break;
  case TS_OP_SUB:
    if (__builtin_sub_overflow(x, y, &r))
      return false;
    break;
  case TS_OP_MUL:
    if (__builtin_mul_overflow(x, y, &r))
      return false;
    break;
  case TS_OP_MOD:
    if (x < 0 || y <= 0)
      return false;
    r = x % y;
    break;
  case TS_OP_LT: r = x < y; break;
  case TS_OP_LE: r = x <= y; break;
  case TS_OP_GT: r = x > y; break;
  case TS_OP_GE: r = x >= y; break;
  default: return false;
  }
  if (truth)
    *out = (ts_value){.type = TS_T_BOOL, .span = span, .u.truth = r};
  else
    *out = (ts_value){.type = TS_T_INT, .span = span, .u.integer = r};
  return true;
}

static void binary(ts_session *s, const ts_env *env, const ts_ast *e, ts_value *out)
{
  if (e->u.op == TS_OP_AND || e->u.op == TS_OP_OR) {
    *out = logic(s, env, e);
    return;
  }
  ts_value a, b;
  eval_into(s, env, ts_ast_left(e), &a);
  eval_into(s, env, ts_ast_right(e), &b);
  if (a.type != TS_T_INT || b.type != TS_T_INT ||
      !whole(e->u.op, a.u.integer, b.u.integer, e->span, out))
    *out = operate(s, env, e, a, b);
}

static ts_value unary(ts_session *s, const ts_env *env, const ts_ast *e)
{
  if (e->u.op == TS_OP_NOT) {
    bool b;
    return ts_eval_bool(s, env, ts_ast_operand(e), "the operand of `not`", &b) ?
             ts_bool_value(!b, e->span) :
             ts_error_value();
  }
  ts_value v = size_of_axis(s, ts_eval(s, env, ts_ast_operand(e)));
  if (v.type == TS_T_ERROR)
    return v;
  if (v.type == TS_T_INT && v.u.integer != INT64_MIN)
    return ts_int_value(-v.u.integer, e->span);
  if (v.type == TS_T_REAL || v.type == TS_T_QUANTITY)
    return ts_quantity_value(-v.u.real, v.dimension, e->span);
  if (v.type == TS_T_INT)
    return overflow(s, env, e, v, v);
  ts_diag *d = ts_report(s, TS_E0220, ts_ast_operand(e)->span, "cannot negate %s",
                         ts_value_describe(s->arena, v));
  ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
  return ts_error_value();
}

static ts_value not_in_scope(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_diag *d = ts_report(s, TS_E0201, e->span, "`%s` is not in scope", e->name);
  ts_diag_here(d, "not found");
  bool known = ts_near_name(s, d, env, e->name);
  for (uint32_t i = 0; !known && i < s->mesh->count; i++)
    if ((known = s->mesh->axis[i].name == e->name))
      ts_diag_note_at(
        d, s->mesh->axis[i].span,
        "`%s` is an axis of the mesh; make it a parameter of the plan to compute with it", e->name);
  const ts_source *source = ts_sources_get(s->sources, e->span.file);
  if (!known && source && !strncmp(source->name, "-D ", 3))
    ts_diag_help(d, "names of your own files need `import \"FILE\"` in the plan");
  return ts_error_value();
}

static ts_value list(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value *at = TS_NEW_ARRAY(s->arena, ts_value, e->count);
  bool ok = true;
  for (uint32_t i = 0; i < e->count; i++) {
    at[i] = ts_eval(s, env, e->child[i]);
    ok &= at[i].type != TS_T_ERROR;
  }
  return ok ? ts_list_value(s->arena, at, e->count, e->span) : ts_error_value();
}

typedef struct comprehension { const ts_ast *e; ts_env *env; TS_VEC(ts_value) out; } comprehension;

static bool comprehend(ts_session *s, comprehension *c, uint32_t clause);

static bool comprehend_element(ts_session *s, comprehension *c)
{
  bool wanted = true;
  if (ts_ast_condition(c->e) &&
      !ts_eval_bool(s, c->env, ts_ast_condition(c->e), "the condition of a list", &wanted))
    return false;
  if (!wanted)
    return true;
  if (c->out.count == TS_MAX_LIST) {
    ts_list_too_long(s, c->e->span);
    return false;
  }
  ts_value v = ts_eval(s, c->env, ts_ast_element(c->e));
  TS_PUSH(s->arena, &c->out, v);
  return v.type != TS_T_ERROR;
}

static bool comprehend(ts_session *s, comprehension *c, uint32_t clause)
{
  ts_ast_list generators = ts_ast_generators(c->e);
  if (clause >= generators.count)
    return comprehend_element(s, c);
  const ts_ast *source = generators.at[clause + 1];
  const char *name = generators.at[clause]->name;
  ts_value v = ts_eval(s, c->env, source);
  if (v.type == TS_T_ERROR)
    return false;
  if (v.type != TS_T_LIST && v.type != TS_T_RANGE) {
    ts_diag *d = ts_report(s, TS_E0220, source->span, "`%s` runs over %s, not over a list", name,
                           ts_value_describe(s->arena, v));
    ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
    return false;
  }
  uint64_t count =
    v.type == TS_T_LIST ? v.u.list->count : (uint64_t)v.u.range.end - (uint64_t)v.u.range.begin;
  for (uint64_t i = 0; i < count; i++) {
    if (!ts_charge(s, 1, c->e->span))
      return false;
    ts_env_bind(c->env, name,
                v.type == TS_T_LIST ? v.u.list->at[i] :
                                      ts_int_value(v.u.range.begin + (int64_t)i, source->span));
    if (!comprehend(s, c, clause + 2))
      return false;
  }
  return true;
}

static ts_value comprehension_value(ts_session *s, const ts_env *env, const ts_ast *e)
{
  comprehension c = {.e = e, .env = ts_env_sized(s, env, ts_ast_generators(e).count / 2)};
  if (!comprehend(s, &c, 0))
    return ts_error_value();
  return ts_list_value(s->arena, c.out.at, (uint32_t)c.out.count, e->span);
}

static ts_value index_value(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value v = ts_eval(s, env, ts_ast_base(e));
  int64_t i;
  if (v.type == TS_T_ERROR || !ts_eval_int(s, env, ts_ast_index(e), "an index", &i))
    return ts_error_value();
  if (v.type != TS_T_LIST && v.type != TS_T_RANGE) {
    ts_diag *d = ts_report(s, TS_E0220, ts_ast_base(e)->span, "%s cannot be indexed",
                           ts_value_describe(s->arena, v));
    ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
    return ts_error_value();
  }
  int64_t count = v.type == TS_T_LIST ? v.u.list->count : v.u.range.end - v.u.range.begin;
  if (i >= 0 && i < count)
    return v.type == TS_T_LIST ? v.u.list->at[i] : ts_int_value(v.u.range.begin + i, e->span);
  ts_diag *d = ts_report(s, TS_E0225, ts_ast_index(e)->span,
                         "index %" PRId64 " is outside a list of %" PRId64, i, count);
  ts_diag_here(d, "this is %" PRId64, i);
  ts_diag_label(d, ts_ast_base(e)->span, "%" PRId64 " elements", count);
  note_origin(d, ts_ast_base(e), v);
  if (i < 0)
    ts_diag_help(d, "indices count from 0; `last(list)` is the last element");
  return ts_error_value();
}

static ts_value member_of_record(ts_session *s, const ts_ast *e, ts_value v, const ts_record *r)
{
  const ts_value *found = ts_record_get(r, e->name);
  if (found)
    return *found;
  if (r->type) {
    ts_record_type_no_field(s, r->type, TS_E0213, e->name_span, e->name);
    return ts_error_value();
  }
  ts_diag *d = ts_report(s, TS_E0213, e->name_span, "%s%s%s has no field `%s`",
                         v.type == TS_T_GPU ? "gpu `" : ts_value_describe(s->arena, v),
                         v.type == TS_T_GPU ? r->name : "", v.type == TS_T_GPU ? "`" : "", e->name);
  ts_diag_here(d, "not found");
  note_origin(d, ts_ast_base(e), v);
  ts_name_list names = {0};
  for (uint32_t i = 0; i < r->count; i++)
    TS_PUSH(s->arena, &names.names, r->at[i].name);
  if (!ts_suggest_names(d, e->name, &names) && r->count) {
    const char *text = r->at[0].name;
    for (uint32_t i = 1; i < r->count && i < 12; i++)
      text = ts_arena_printf(s->arena, "%s, %s", text, r->at[i].name);
    ts_diag_note(d, "it has %s", text);
  }
  return ts_error_value();
}

static ts_value member(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value v = ts_eval(s, env, ts_ast_base(e));
  const char *name = e->name;
  switch (v.type) {
  case TS_T_ERROR: return v;
  case TS_T_RECORD: return member_of_record(s, e, v, v.u.record);
  case TS_T_GPU:
    if (!strcmp(name, "name"))
      return ts_string_value(v.u.record->name, e->span);
    return member_of_record(s, e, v, v.u.record);
  case TS_T_APPLIED: return member_of_record(s, e, v, &v.u.applied->args);
  case TS_T_TENSOR:
    if (!strcmp(name, "shape"))
      return ts_shape_value(s->arena, v.u.tensor->shape, e->span);
    if (!strcmp(name, "dtype"))
      return ts_dtype_value(v.u.tensor->dtype, e->span);
    break;
  case TS_T_AXIS:
    if (!strcmp(name, "size"))
      return ts_int_value(ts_axes_size(s, v.u.axes.mask), e->span);
    break;
  default: break;
  }
  ts_diag *d = ts_report(s, TS_E0213, e->name_span, "%s has no member `%s`",
                         ts_value_describe(s->arena, v), name);
  ts_diag_label(d, ts_ast_base(e)->span, "%s", ts_value_describe(s->arena, v));
  if (v.type == TS_T_TENSOR)
    ts_diag_help(d, "a Tensor has `shape` and `dtype`");
  return ts_error_value();
}

/* ---- Choices ---- */

static ts_value pattern_value(ts_session *s, const ts_env *env, const ts_ast *pattern,
                              ts_value value)
{
  return value.type == TS_T_WORD || value.type == TS_T_BOOL ? ts_eval_overlap(s, env, pattern) :
                                                              ts_eval(s, env, pattern);
}

/* False after an error. */
static bool pattern_fits(ts_session *s, const ts_env *env, const ts_ast *match,
                         const ts_ast *pattern, ts_value value, bool *fits)
{
  if ((*fits = pattern->kind == TS_AST_STAR))
    return true;
  ts_value p = pattern_value(s, env, pattern, value);
  if (p.type == TS_T_ERROR)
    return false;
  if (!comparable_sizes(s, &p, &value)) {
    ts_diag *d = ts_report(s, TS_E0220, pattern->span, "`match` compares %s with %s",
                           ts_value_describe(s->arena, value), ts_value_describe(s->arena, p));
    ts_diag_here(d, "no value of this type comes here");
    ts_diag_label(d, ts_ast_value(match)->span, "%s", ts_value_describe(s->arena, value));
    return false;
  }
  ts_budget budget = ts_budget_begin(s);
  *fits = ts_value_equal(p, value, &budget);
  return ts_budget_end(s, &budget, pattern->span);
}

static void no_arm(ts_session *s, const ts_ast *match, ts_value value)
{
  ts_name_list texts = {0};
  ts_diag *d = ts_report(s, TS_E0241, ts_ast_value(match)->span, "no arm of `match` is for %s",
                         ts_value_print(s->arena, value));
  ts_diag_here(d, "%s", ts_value_describe(s->arena, value));
  ts_ast_list arms = ts_ast_arms(match);
  for (uint32_t i = 0; i < arms.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(arms.at[i]);
    for (uint32_t k = 0; k < patterns.count; k++)
      if (patterns.at[k]->kind == TS_AST_STRING)
        TS_PUSH(s->arena, &texts.names, patterns.at[k]->literal);
  }
  if (value.type == TS_T_STRING && ts_suggest_names(d, value.u.string, &texts))
    return;
  if (texts.names.count)
    ts_diag_note(d, "arms are for %s", ts_listed(s->arena, texts.names.at, texts.names.count));
  ts_diag_help(d, "write an arm for it, or `_ -> ...` for all other values");
}

static const ts_ast *arm_taken(ts_session *s, const ts_env *env, const ts_ast *match)
{
  ts_value value = ts_eval(s, env, ts_ast_value(match));
  ts_ast_list arms = ts_ast_arms(match);
  if (value.type == TS_T_ERROR)
    return NULL;
  for (uint32_t i = 0; i < arms.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(arms.at[i]);
    bool fits = false;
    for (uint32_t k = 0; k < patterns.count && !fits; k++)
      if (!pattern_fits(s, env, match, patterns.at[k], value, &fits))
        return NULL;
    if (fits)
      return ts_ast_value(arms.at[i]);
  }
  no_arm(s, match, value);
  return NULL;
}

const ts_ast *ts_eval_choice(ts_session *s, const ts_env *env, const ts_ast *choice)
{
  bool holds;
  if (choice->kind == TS_AST_MATCH)
    return arm_taken(s, env, choice);
  if (!ts_eval_bool(s, env, ts_ast_condition(choice), "the condition of `if`", &holds))
    return NULL;
  return holds ? ts_ast_then(choice) : ts_ast_else(choice);
}

static void chosen(ts_session *s, const ts_env *env, const ts_ast *e, ts_value *out)
{
  const ts_ast *choice = ts_eval_choice(s, env, e);
  if (choice)
    eval_into(s, env, choice, out);
  else
    *out = ts_error_value();
}

static ts_value string_value(ts_session *s, const ts_ast *e)
{
  size_t length = strlen(e->literal);
  return ts_charge(s, length / 16, e->span) ?
           ts_string_value(ts_lang_intern(s->lang, e->literal, length), e->span) :
           ts_error_value();
}

static ts_value changed(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value v = ts_eval(s, env, ts_ast_base(e));
  return v.type == TS_T_GPU    ? ts_gpu_changed(s, env, v, e) :
         v.type == TS_T_RECORD ? ts_record_changed(s, env, v, e) :
                                 s->domain->changed(s, env, v, e);
}

static ts_value other_node(ts_session *s, const ts_env *env, const ts_ast *e)
{
  switch (e->kind) {
  case TS_AST_REAL: return ts_real_value(e->u.real, e->span);
  case TS_AST_QUANTITY: return ts_quantity_value(e->u.real, e->dimension, e->span);
  case TS_AST_BOOL: return ts_bool_value(e->u.truth, e->span);
  case TS_AST_STRING: return string_value(s, e);
  case TS_AST_LIST: return list(s, env, e);
  case TS_AST_COMPREHENSION: return comprehension_value(s, env, e);
  case TS_AST_RECORD: return ts_eval_record(s, env, NULL, e);
  case TS_AST_CALL: return ts_eval_call(s, env, e);
  case TS_AST_INDEX: return index_value(s, env, e);
  case TS_AST_MEMBER: return member(s, env, e);
  case TS_AST_UNARY: return unary(s, env, e);
  case TS_AST_WITH: return changed(s, env, e);
  default: return ts_error_value(); /* left by a syntax error, which was reported */
  }
}

/* Values are large, so what is evaluated most is written where it is wanted. */
static void eval_into(ts_session *s, const ts_env *env, const ts_ast *e, ts_value *out)
{
  if (!ts_charge(s, 1, e->span) || !ts_deeper(s, e->span)) {
    *out = ts_error_value();
    return;
  }
  switch (e->kind) {
  case TS_AST_INT:
    *out = (ts_value){.type = TS_T_INT, .span = e->span, .u.integer = e->u.integer};
    break;
  case TS_AST_ID:
    if (!ts_env_lookup_at(env, e->name, e->span, out) && !ts_module_typed(s, e, out))
      *out = not_in_scope(s, env, e);
    break;
  case TS_AST_BINARY: binary(s, env, e, out); break;
  case TS_AST_IF:
  case TS_AST_MATCH: chosen(s, env, e, out); break;
  default: *out = other_node(s, env, e);
  }
  s->running->depth--;
}

static bool required(ts_session *s, const ts_ast *e, ts_value v, const char *type, const char *what)
{
  return ts_convert_to(s, type, &v, what, e->span, TS_NO_SPAN);
}

bool ts_eval_int(ts_session *s, const ts_env *env, const ts_ast *e, const char *what,
                 int64_t *result)
{
  ts_value v = size_of_axis(s, ts_eval(s, env, e));
  *result = v.type == TS_T_INT ? v.u.integer : 0;
  return v.type == TS_T_INT || required(s, e, v, "Int", what);
}

bool ts_eval_real(ts_session *s, const ts_env *env, const ts_ast *e, const char *what,
                  double *result)
{
  ts_value v = size_of_axis(s, ts_eval(s, env, e));
  *result = v.type == TS_T_INT ? (double)v.u.integer : v.type == TS_T_REAL ? v.u.real : 0;
  return v.type == TS_T_INT || v.type == TS_T_REAL || required(s, e, v, "Real", what);
}

bool ts_eval_sequence(ts_session *s, const ts_env *env, const ts_ast *e, const char *what,
                      ts_value *result)
{
  *result = ts_eval(s, env, e);
  return result->type == TS_T_LIST || result->type == TS_T_RANGE ||
         required(s, e, *result, "List", what);
}

bool ts_eval_bool(ts_session *s, const ts_env *env, const ts_ast *e, const char *what, bool *result)
{
  ts_value v = ts_eval(s, env, e);
  *result = v.type == TS_T_BOOL && v.u.truth;
  return v.type == TS_T_BOOL || required(s, e, v, "Bool", what);
}

bool ts_eval_string(ts_session *s, const ts_env *env, const ts_ast *e, const char *what,
                    const char **result)
{
  ts_value v = ts_eval(s, env, e);
  *result = v.type == TS_T_STRING ? v.u.string : "";
  return v.type == TS_T_STRING || required(s, e, v, "String", what);
}

bool ts_eval_quantity(ts_session *s, const ts_env *env, const ts_ast *e, ts_dimension dimension,
                      const char *what, double *base_units)
{
  ts_value v = ts_eval(s, env, e);
  *base_units = v.type == TS_T_QUANTITY ? v.u.real : 0;
  if (v.type == TS_T_QUANTITY && ts_dimension_equal(v.dimension, dimension))
    return true;
  if (v.type == TS_T_ERROR)
    return false;
  ts_diag *d = ts_report(s, TS_E0221, e->span, "%s is %s, not %s", what,
                         ts_value_describe(s->arena, v), ts_dimension_describe(dimension));
  ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
  note_origin(d, e, v);
  return false;
}

static void note_values_in(ts_session *s, const ts_env *env, ts_diag *d, const ts_ast *e,
                           ts_name_list *seen)
{
  if (!e || seen->names.count > 8)
    return;
  if (e->kind == TS_AST_ID) {
    for (size_t i = 0; i < seen->names.count; i++)
      if (seen->names.at[i] == e->name)
        return;
    TS_PUSH(s->arena, &seen->names, e->name);
    ts_value v = ts_none_value();
    if (ts_env_lookup(env, e->name, &v) &&
        (is_numeric(v) || v.type == TS_T_BOOL || v.type == TS_T_AXIS || v.type == TS_T_LIST))
      ts_diag_value(d, e->name, ts_value_print(s->arena, size_of_axis(s, v)));
    const ts_source *source = ts_sources_get(s->sources, v.span.file);
    if (source && !strcmp(source->role, "command line"))
      ts_diag_note(d, "`%s` comes from the command line, `%s=%s`", e->name, source->name,
                   source->text);
    return;
  }
  for (uint32_t i = 0; i < e->count; i++)
    note_values_in(s, env, d, e->child[i], seen);
}

void ts_note_values(ts_session *s, const ts_env *env, ts_diag *d, const ts_ast *e)
{
  ts_name_list seen = {0};
  note_values_in(s, env, d, e, &seen);
}
