#include "compiler/eval/figures.h"

#include <math.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/eval/report.h"

const char *ts_search_figure(ts_session *s, size_t figure)
{
  return ts_lang_intern(s->lang, ts_figure_table[figure].name,
                        strlen(ts_figure_table[figure].name));
}

ts_dimension ts_search_dimension(size_t figure)
{
  static const ts_dimension dimensions[] = {
#define FIGURE_UNIT(id, symbol, ending, times, over, whole, fact, facts, ...) __VA_ARGS__,
#include "base/figure_units.def"
#undef FIGURE_UNIT
  };
  return dimensions[ts_figure_table[figure].unit];
}

ts_value ts_figure_value(size_t figure, double value)
{
  ts_dimension dimension = ts_search_dimension(figure);
  if (figure == TS_FIGURE_DEVICES && !isnan(value)) /* no Int is unknown */
    return ts_int_value((int64_t)value, TS_NO_SPAN);
  return ts_dimension_equal(dimension, TS_DIM_NONE) ?
         ts_real_value(value, TS_NO_SPAN) :
         ts_quantity_value(value, dimension, TS_NO_SPAN);
}

bool ts_figure_is_share(size_t figure)
{
  return ts_figure_table[figure].unit == TS_FIGURE_IN_SHARE;
}

/* ---- Shares ---- */

static bool names(const ts_share_check *c, const ts_ast *e, size_t figure)
{
  const char *name = ts_search_figure(c->s, figure);
  return !(c->hides && c->hides(c->closure, name)) && ts_ast_uses(e, name);
}

/* Shares and no other figure: all that it can be follows from 0 and 1. */
static const char *share_in(const ts_share_check *c, const ts_ast *e)
{
  const char *share = NULL;
  for (size_t i = 0; i < TS_FIGURES; i++) {
    if (!names(c, e, i))
      continue;
    if (!ts_figure_is_share(i))
      return NULL;
    share = ts_search_figure(c->s, i);
  }
  return share;
}

static bool figures_number(const ts_share_check *c, const ts_ast *e, const ts_figures *figures,
                           double *is)
{
  ts_aside before = ts_session_set_aside(c->s);
  ts_value v = ts_eval(c->s, c->scope(c->closure, figures), e);
  bool good = ts_session_take_up(c->s, before) == TS_CODE_COUNT;
  *is = v.type == TS_T_INT ? (double)v.u.integer : v.u.real;
  return good && (v.type == TS_T_INT || v.type == TS_T_REAL);
}

/* Is one side beyond the other whatever the shares are? */
static bool is_decided(const ts_share_check *c, const ts_ast *e)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, is;
  for (unsigned corner = 0, corners = 1; corner < corners; corner++) {
    ts_figures figures = {{0}};
    unsigned shares = 0;
    for (size_t i = 0; i < TS_FIGURES; i++)
      if (ts_figure_is_share(i))
        figures.of[i] = corner >> shares++ & 1;
    corners = 1u << shares;
    for (unsigned side = 0; side < 2; side++) {
      if (!figures_number(c, side ? ts_ast_right(e) : ts_ast_left(e), &figures, &is))
        return false;
      low[side] = fmin(low[side], is);
      high[side] = fmax(high[side], is);
    }
  }
  return low[0] > high[1] || low[1] > high[0];
}

static bool compares(const ts_ast *e)
{
  static const ts_operator all[] = {TS_OP_EQ, TS_OP_NE, TS_OP_LT, TS_OP_LE, TS_OP_GT, TS_OP_GE};
  for (size_t i = 0; e->kind == TS_AST_BINARY && i < sizeof all / sizeof *all; i++)
    if (e->u.op == all[i])
      return true;
  return false;
}

bool ts_check_shares(const ts_share_check *c, const ts_ast *e)
{
  const char *share = compares(e) ? share_in(c, e) : NULL;
  if (share && is_decided(c, e)) {
    ts_diag *d = ts_report(c->s, TS_E0221, e->span,
                           "`%s` is a share from 0 to 1: this is the same for all of them", share);
    ts_diag_help(d, "50 percent is 0.5");
    return false;
  }
  for (uint32_t i = 0; i < e->count; i++)
    if (e->child[i] && !ts_check_shares(c, e->child[i]))
      return false;
  return true;
}

const ts_ast *ts_search_plan(ts_session *s, const ts_module *module, const ts_ast *search)
{
  ts_name_list names = {0};
  const ts_ast *name = ts_ast_plan(search),
               *plan = ts_module_choose(s, module, TS_AST_PLAN, name->name, &names);
  if (plan)
    return plan;
  ts_diag *d =
    ts_report(s, TS_E0217, name->span, "`%s` has no plan `%s`", module->name, name->name);
  ts_diag_here(d, "searched here");
  if (!ts_suggest_names(d, name->name, &names) && names.names.count)
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
  return NULL;
}
