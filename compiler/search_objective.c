/* What the plans of a search are objective, once they are played. */
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/search_internal.h"

#include "base/diag_record.h"
#include "compiler/eval/check.h"

void ts_search_take(ts_searcher *v, size_t point, const ts_figures *played)
{
  const ts_search *search = v->search;
  v->played = played;
  v->given_count = search->column_count;
  for (uint32_t i = 0; i < search->column_count; i++)
    v->given[i] =
      (ts_given){.name = search->columns[i], .value = *ts_search_value_at(search, point, i)};
}

/* An item asks for what nobody stated. */
static bool unknown_figure(ts_searcher *v, uint32_t item)
{
  const ts_ast *expr = ts_search_expression(v, item);
  for (size_t i = 0; i < TS_FIGURES; i++) {
    const char *name = ts_search_figure(v->s, i);
    if (ts_is_stated(v->played->of[i]) || ts_search_formal(v, name) || !ts_ast_uses(expr, name))
      continue;
    ts_diag *d = ts_report(v->s, TS_E0234, expr->span, "`%s` is not known: %s", name,
                           ts_figure_table[i].lacks);
    if (ts_figure_table[i].help)
      ts_diag_help(d, "%s", ts_figure_table[i].help);
    return true;
  }
  return false;
}

static bool objective_by(ts_searcher *v, uint32_t index, double *objective)
{
  const ts_ast *goal = v->goals[index];
  uint32_t item = 0;
  while (v->items.at[item] != goal)
    item++;
  ts_value value = ts_eval(v->s, ts_search_scope(v, item), ts_ast_value(goal));
  if (value.type == TS_T_INT)
    *objective = (double)value.u.integer;
  else if (value.type == TS_T_REAL || value.type == TS_T_QUANTITY)
    *objective = value.u.real;
  else if (value.type != TS_T_ERROR)
    ts_report(v->s, TS_E0220, ts_ast_value(goal)->span, "a goal is a number or a quantity, not %s",
              ts_value_describe(v->s->arena, value));
  v->search->goals[index].dimension = value.type == TS_T_QUANTITY ? value.dimension : TS_DIM_NONE;
  return value.type == TS_T_INT || value.type == TS_T_REAL || value.type == TS_T_QUANTITY;
}

double ts_search_usual(const ts_search *search, const ts_figures *figures)
{
  double tokens = figures->of[TS_FIGURE_BATCH], step = figures->of[TS_FIGURE_STEP];
  return search->per_token && tokens > 0 ? step / tokens : step;
}

static bool search_objective_judge(ts_searcher *v, const ts_figures *played, double *objective)
{
  ts_search *search = v->search;
  *objective = ts_search_usual(search, played);
  for (uint32_t i = 0; i < v->items.count; i++)
    if (v->late[i] && unknown_figure(v, i))
      return false;
  for (uint32_t i = 0; i < v->items.count; i++) {
    bool holds;
    uint64_t uneven = 0;
    if (v->items.at[i]->kind != TS_AST_REQUIRE || !v->late[i])
      continue;
    v->s->running->uneven = &uneven;
    bool good = ts_search_condition(v, i, &holds);
    v->s->running->uneven = NULL;
    search->reasons[v->reason_of[i]].count += !good && uneven;
    if (!good || !holds)
      return false;
  }
  return !v->goal_count || objective_by(v, 0, objective);
}

bool ts_search_judge(ts_search *search, size_t point, const ts_figures *played, double *objective)
{
  ts_searcher *v = search->searcher;
  ts_search_passing before = ts_search_pass(v, v->passing);
  ts_search_take(v, point, played);
  bool good = search_objective_judge(v, played, objective);
  ts_search_passed(v, before);
  return good;
}

static bool holds_of(ts_searcher *v, bool *holds)
{
  ts_search *search = v->search;
  for (uint32_t i = 0, k = 0; i < v->items.count; i++) {
    if (v->items.at[i]->kind != TS_AST_REQUIRE || !v->late[i])
      continue;
    uint64_t uneven = 0, before = search->reasons[v->reason_of[i]].count;
    v->s->running->uneven = &uneven;
    bool good = ts_search_condition(v, i, &holds[k]);
    v->s->running->uneven = NULL;
    search->reasons[v->reason_of[i]].count = before;
    if (!good && !uneven)
      return false;
    holds[k++] &= good;
  }
  return true;
}

bool ts_search_holds(ts_search *search, size_t point, const ts_figures *played, bool *holds)
{
  ts_searcher *v = search->searcher;
  ts_search_passing before = ts_search_pass(v, v->passing);
  ts_search_take(v, point, played);
  bool good = holds_of(v, holds);
  ts_search_passed(v, before);
  return good;
}

bool ts_search_objectives(ts_search *search, size_t point, const ts_figures *played,
                          double objectives[TS_SEARCH_GOALS])
{
  ts_searcher *v = search->searcher;
  ts_search_passing before = ts_search_pass(v, v->passing);
  bool good = true;
  ts_search_take(v, point, played);
  objectives[0] = ts_search_usual(search, played);
  for (uint32_t i = 0; i < v->goal_count && good; i++)
    good = objective_by(v, i, &objectives[i]);
  ts_search_passed(v, before);
  return good;
}

typedef struct share_item {
  ts_searcher *v;
  uint32_t item;
} share_item;

static ts_env *scope_of(void *closure, const ts_figures *figures)
{
  const share_item *i = closure;
  ts_search_take(i->v, 0, figures);
  return ts_search_scope(i->v, i->item);
}

static bool hides(void *closure, const char *name)
{
  const share_item *i = closure;
  return ts_search_formal(i->v, name);
}

static bool check_shares(ts_searcher *v)
{
  bool good = true;
  for (uint32_t i = 0; i < v->items.count && good; i++) {
    share_item item = {v, i};
    const ts_share_check check = {.s = v->s, .scope = scope_of, .hides = hides, .closure = &item};
    good = !v->late[i] || ts_check_shares(&check, ts_search_expression(v, i));
  }
  v->played = NULL;
  return good;
}

/* Conditions and goals with figures of which nothing but the dimensions is known: what does not fit
 * together is said before anything is played. */
bool ts_search_check_dimensions(ts_searcher *v)
{
  ts_figures ones;
  double objectives[TS_SEARCH_GOALS];
  bool *holds = TS_NEW_ARRAY(v->s->arena, bool, v->search->condition_count + 1);
  for (size_t i = 0; i < TS_FIGURES; i++)
    ones.of[i] = 1;
  ts_aside before = ts_session_set_aside(v->s);
  bool good = ts_search_holds(v->search, 0, &ones, holds) &&
              ts_search_objectives(v->search, 0, &ones, objectives);
  ts_code code = ts_session_take_up(v->s, before);
  v->played = NULL;
  if (good)
    return check_shares(v);
  if (code == TS_CODE_COUNT)
    return true;
  /* what overflows, is not whole, or is divided by zero is a matter of the values */
  static const ts_code of_values[] = {TS_E0222, TS_E0223, TS_E0224, TS_E0232};
  for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
    if (code == of_values[i])
      return true;
  good = ts_search_holds(v->search, 0, &ones, holds) &&
         ts_search_objectives(v->search, 0, &ones, objectives);
  v->played = NULL;
  return good;
}
