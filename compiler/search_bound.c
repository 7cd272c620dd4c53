/* What goals and conditions of a search can be at the best, from bounds of figures or of
 * parameters: interval arithmetic (Moore, 1966). Operations are those of the evaluator, which round
 * monotonically, so ends of intervals need no room for rounding. */
#include <math.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/eval/defines.h"
#include "compiler/eval/function.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/search_internal.h"

typedef ts_search_range range;

typedef struct bounding {
  ts_searcher *v;
  uint32_t item;
  ts_env *env; /* of what is known */
  /* of a played plan: its figures; else values of items, known before `from` */
  const ts_figures *low, *high;
  const range *values;
  uint32_t from;
} bounding;

static const range anything = {-INFINITY, INFINITY};

static range range_of(const bounding *b, const ts_ast *e);
static range of_item(const bounding *of, uint32_t item);

/* ---- What is not known ---- */

static bool figure_of(const bounding *b, const char *name, size_t *figure)
{
  for (*figure = 0; b->low && *figure < TS_FIGURES; ++*figure)
    if (ts_search_figure(b->v->s, *figure) == name && !ts_search_formal(b->v, name))
      return true;
  return false;
}

/* The item that says what a name before item `b->item` means. */
static bool search_bound_item_of(const bounding *b, const char *name, uint32_t *item)
{
  for (*item = b->item; (*item)-- > 0;) {
    ts_kind kind = b->v->items.at[*item]->kind;
    if ((kind == TS_AST_LET || kind == TS_AST_VARY || kind == TS_AST_SET) &&
        b->v->items.at[*item]->name == name)
      return true;
  }
  return false;
}

/* The default of a parameter that no item gives. */
static const ts_ast *default_of(const bounding *b, const char *name)
{
  const ts_ast *formal = ts_search_formal(b->v, name);
  return formal ? ts_ast_default(formal) : NULL;
}

static bool search_bound_is_open(const bounding *b, const ts_ast *e);

static bool is_open_name(const bounding *b, const char *name)
{
  size_t figure;
  uint32_t item, define;
  if (search_bound_item_of(b, name, &item)) {
    bounding there = *b;
    there.item = item;
    if (b->v->items.at[item]->kind != TS_AST_LET) /* `-D` goes before what it says */
      return !b->low && item >= b->from && !ts_session_define(b->v->s, name, &define);
    return search_bound_is_open(&there, ts_search_expression(b->v, item));
  }
  if (figure_of(b, name, &figure))
    return true;
  if (b->low || ts_session_define(b->v->s, name, &define))
    return false;
  const ts_ast *value = default_of(b, name), *mesh = ts_search_mesh(b->v);
  for (uint32_t i = 0; !ts_search_formal(b->v, name) && mesh && i < mesh->count; i++)
    if (mesh->child[i]->name == name)
      value = ts_ast_value(mesh->child[i]);
  return value && !(value->kind == TS_AST_ID && value->name == name) &&
         search_bound_is_open(b, value);
}

static bool search_bound_is_open(const bounding *b, const ts_ast *e)
{
  if (e->kind == TS_AST_ID)
    return is_open_name(b, e->name);
  for (uint32_t i = 0; i < e->count; i++)
    if (e->child[i] && search_bound_is_open(b, e->child[i]))
      return true;
  return false;
}

/* ---- Ranges ---- */

/* A value that is what it is; what goes wrong is said when the plan is judged. */
static range exactly(const bounding *b, const ts_ast *e)
{
  ts_session *s = b->v->s;
  uint64_t uneven = 0, *before = s->running->uneven;
  s->running->uneven = &uneven;
  ts_value value = ts_eval(s, b->env, e);
  s->running->uneven = before;
  double number = value.type == TS_T_INT    ? (double)value.u.integer :
                  value.type == TS_T_BOOL   ? value.u.truth :
                  value.type == TS_T_REAL || value.type == TS_T_QUANTITY ? value.u.real :
                                                                           NAN;
  return isnan(number) ? anything : (range){number, number};
}

/* 0 times whatever it is is 0. */
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/* From the least to the greatest of what ends of two ranges come to. */
static range hull(double a, double b, double c, double d)
{
  return (range){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static range multiply(range a, range b)
{
  return hull(product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
              product(a.high, b.high));
}

static double quotient(double a, double b) { return isinf(b) ? 0 : a / b; }

static range search_bound_divide(range a, range b)
{
  if (b.low == 0 && b.high > 0 && a.low >= 0) /* no goal is divided by what is 0 */
    return (range){quotient(a.low, b.high), INFINITY};
  if (b.low <= 0 && b.high >= 0)
    return anything;
  return hull(quotient(a.low, b.low), quotient(a.low, b.high), quotient(a.high, b.low),
              quotient(a.high, b.high));
}

static range truth(bool surely, bool never) { return (range){surely, !never}; }

/* Of whole numbers, and of a divisor that is no less than 1: what is left is below it. */
static range remainder_of(range a, range b)
{
  if (!(b.low >= 1) || !isfinite(a.low) || !isfinite(a.high))
    return b.low >= 1 ? (range){0, b.high} : anything;
  if (a.low >= 0 && a.high < b.low)
    return a;
  double times = floor(a.low / b.low);
  if (b.low == b.high && times == floor(a.high / b.low) && fabs(a.high) < 0x1p53)
    return (range){a.low - times * b.low, a.high - times * b.low};
  return (range){0, a.low >= 0 ? fmin(a.high, b.high) : b.high};
}

static range both(ts_operator op, range a, range b)
{
  switch (op) {
  case TS_OP_ADD: return (range){a.low + b.low, a.high + b.high};
  case TS_OP_SUB: return (range){a.low - b.high, a.high - b.low};
  case TS_OP_MUL: return multiply(a, b);
  case TS_OP_DIV: return search_bound_divide(a, b);
  case TS_OP_MOD: return remainder_of(a, b);
  case TS_OP_EQ: return truth(a.low == b.high && a.high == b.low, a.low > b.high || a.high < b.low);
  case TS_OP_NE: return truth(a.low > b.high || a.high < b.low, a.low == b.high && a.high == b.low);
  case TS_OP_LT: return truth(a.high < b.low, a.low >= b.high);
  case TS_OP_LE: return truth(a.high <= b.low, a.low > b.high);
  case TS_OP_GT: return truth(a.low > b.high, a.high <= b.low);
  case TS_OP_GE: return truth(a.low >= b.high, a.high < b.low);
  case TS_OP_AND: return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
  case TS_OP_OR: return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
  default: return anything;
  }
}

static range operator_of(const bounding *b, const ts_ast *e)
{
  range a = range_of(b, ts_ast_operand(e));
  return e->u.op == TS_OP_NEGATE ? (range){-a.high, -a.low} :
         e->u.op == TS_OP_NOT ? (range){1 - a.high, 1 - a.low} :
                                anything;
}

/* The built-in function of this name, and none that the file declares. */
static bool is_builtin(const bounding *b, const ts_ast *function, const char *name)
{
  ts_value v;
  return function->kind == TS_AST_ID && !strcmp(function->name, name) &&
         ts_env_lookup(b->env, function->name, &v) && v.type == TS_T_FUNCTION &&
         v.u.function->kind == TS_FUNCTION_BUILTIN;
}

/* min and max of numbers; other functions may do anything. */
static range call_of(const bounding *b, const ts_ast *e)
{
  const ts_ast *function = ts_ast_function(e);
  ts_ast_list args = ts_ast_args(e);
  bool is_min = is_builtin(b, function, "min"), is_max = is_builtin(b, function, "max");
  if ((!is_min && !is_max) || args.count < 2)
    return anything;
  range r = range_of(b, ts_ast_value(args.at[0]));
  for (uint32_t i = 1; i < args.count; i++) {
    range a = range_of(b, ts_ast_value(args.at[i]));
    r = is_min ? (range){fmin(r.low, a.low), fmin(r.high, a.high)} :
                 (range){fmax(r.low, a.low), fmax(r.high, a.high)};
  }
  return r;
}

static range either(const bounding *b, const ts_ast *e)
{
  range when = range_of(b, ts_ast_condition(e)), yes = range_of(b, ts_ast_then(e)),
        no = range_of(b, ts_ast_else(e));
  return when.low >= 1 ? yes :
         when.high <= 0 ? no :
                          (range){fmin(yes.low, no.low), fmax(yes.high, no.high)};
}

static range search_bound_name_of(const bounding *b, const char *name)
{
  size_t figure;
  uint32_t item;
  if (search_bound_item_of(b, name, &item))
    return b->v->items.at[item]->kind == TS_AST_VARY ? b->values[item] : of_item(b, item);
  if (figure_of(b, name, &figure))
    return (range){b->low->of[figure], b->high->of[figure]};
  const ts_ast *value = default_of(b, name);
  return value ? range_of(b, value) : anything;
}

static range range_of(const bounding *b, const ts_ast *e)
{
  range r = anything;
  if (!search_bound_is_open(b, e))
    return exactly(b, e);
  switch (e->kind) {
  case TS_AST_ID: r = search_bound_name_of(b, e->name); break;
  case TS_AST_UNARY: r = operator_of(b, e); break;
  case TS_AST_BINARY:
    r = both(e->u.op, range_of(b, ts_ast_left(e)), range_of(b, ts_ast_right(e)));
    break;
  case TS_AST_CALL: r = call_of(b, e); break;
  case TS_AST_IF: r = either(b, e); break;
  default: break;
  }
  return isnan(r.low) || isnan(r.high) ? anything : r;
}

static range of_item(const bounding *of, uint32_t item)
{
  bounding b = *of;
  ts_session *s = b.v->s;
  uint64_t uneven = 0, *before = s->running->uneven;
  b.item = item;
  s->running->uneven = &uneven;
  b.env = ts_search_scope(b.v, item);
  s->running->uneven = before;
  return range_of(&b, ts_search_expression(b.v, item));
}

/* What goes wrong is said when a plan comes to it. */
static range quietly(const bounding *b, uint32_t item)
{
  ts_aside before = ts_session_set_aside(b->v->s);
  range r = of_item(b, item);
  ts_session_take_up(b->v->s, before);
  return r;
}

bool ts_search_may_hold(ts_searcher *v, uint32_t item, uint32_t from, const range *values)
{
  bounding b = {.v = v, .from = from, .values = values};
  const ts_ast *node = v->items.at[item];
  if (node->kind == TS_AST_REQUIRE)
    return quietly(&b, item).high > 0;
  const ts_ast *formal = node->kind == TS_AST_SET ? ts_search_formal(v, node->name) : NULL;
  if (!formal || strcmp(ts_ast_type(formal)->name, "Int") != 0)
    return true;
  range r = quietly(&b, item);
  return !(floor(r.high) < ceil(r.low)); /* whole numbers divide evenly */
}

static bool bound(ts_searcher *v, const ts_figures *low, const ts_figures *high,
                  double best[TS_SEARCH_GOALS], uint32_t *reason)
{
  bounding b = {.v = v, .low = low, .high = high};
  uint32_t goal = 0;
  bool may = true;
  best[0] = ts_search_usual(v->search, low);
  for (uint32_t i = 0; i < v->items.count; i++) {
    const ts_ast *item = v->items.at[i];
    if (may && item->kind == TS_AST_REQUIRE && v->late[i] && quietly(&b, i).high <= 0) {
      *reason = v->reason_of[i];
      may = false;
    }
    if (item->kind != TS_AST_GOAL)
      continue;
    range r = quietly(&b, i);
    best[goal++] = item->flags ? r.high : r.low;
  }
  return may;
}

bool ts_search_bound(ts_search *search, size_t point, const ts_figures *low, const ts_figures *high,
                     double best[TS_SEARCH_GOALS], uint32_t *reason)
{
  ts_searcher *v = search->searcher;
  ts_search_passing before = ts_search_pass(v, v->passing);
  ts_search_take(v, point, NULL);
  bool may = bound(v, low, high, best, reason);
  ts_search_passed(v, before);
  return may;
}
