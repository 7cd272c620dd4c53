#include "compiler/assertion.h"

#include <string.h>

#include "compiler/eval/check.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"

/* ---- Figures ---- */

/* With more digits than reports have: some limits are near. */
static const char *assertion_text_of(ts_session *s, const ts_figures *figures, size_t i)
{
  double value = figures->of[i];
  static const struct { const char *name; double base; } times[] = {
    {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}},
    sizes[] = {{"GiB", 0x1p33}, {"MiB", 0x1p23}, {"KiB", 0x1p13}};
  size_t unit = 0;
  const bool is_time = ts_figure_table[i].unit == TS_FIGURE_IN_TIME;
  if (!is_time && ts_figure_table[i].unit != TS_FIGURE_IN_SIZE)
    return ts_value_print(s->arena, ts_figure_value(i, value));
  while (unit < 2 && value < (is_time ? times[unit].base : sizes[unit].base))
    unit++;
  return ts_arena_printf(s->arena, "%.7g %s",
                         value / (is_time ? times[unit].base : sizes[unit].base),
                         is_time ? times[unit].name : sizes[unit].name);
}

static ts_env *scope(ts_session *s, const ts_figures *figures)
{
  ts_env *env = ts_env_new(s, NULL);
  s->running->steps = 0; /* each counts by itself */
  for (size_t i = 0; i < TS_FIGURES; i++)
    ts_env_bind(env, ts_search_figure(s, i), ts_figure_value(i, figures->of[i]));
  return env;
}

/* Of no plan, and round by no unit: what divides by a difference of figures still finds one. */
static ts_figures made_up(uint32_t devices)
{
  ts_figures figures;
  for (size_t i = 0; i < TS_FIGURES; i++)
    figures.of[i] = 0.43718281828 + 0.01 * (double)i;
  figures.of[TS_FIGURE_DEVICES] = devices;
  return figures;
}

/* ---- Parts ---- */

static bool holds_whole(ts_session *s, const ts_env *env, const ts_ast *part, bool *holds)
{
  return ts_eval_bool(s, env, part, "an assertion", holds);
}

/* "step_time is 22.17 s, mfu is not known" */
static const char *found(ts_session *s, const ts_ast *part, const ts_figures *figures,
                         bool *all_known)
{
  const char *all = "";
  *all_known = true;
  for (size_t i = 0; i < TS_FIGURES; i++) {
    if (!ts_ast_uses(part, ts_search_figure(s, i)))
      continue;
    bool known = ts_is_stated(figures->of[i]);
    *all_known &= known;
    all = ts_arena_printf(s->arena, "%s%s%s is %s", all, *all ? ", " : "", ts_search_figure(s, i),
                          known ? assertion_text_of(s, figures, i) : "not known");
  }
  return all;
}

static void assertion_report(ts_session *s, const ts_ast *part, const char *here)
{
  const ts_source *source = ts_sources_get(s->sources, part->span.file);
  ts_diag *d = ts_report(s, TS_R0401, part->span, "`%.*s` does not hold%s%s",
                         (int)(part->span.end - part->span.begin), source->text + part->span.begin,
                         *here ? ": " : "", here);
  ts_diag_here(d, "%s", *here ? here : "never holds");
}

static bool assertion_judge(ts_session *s, const ts_env *env, const ts_ast *part,
                            const ts_figures *figures)
{
  bool holds, known;
  if (part->kind == TS_AST_BINARY && part->u.op == TS_OP_AND) {
    bool left = assertion_judge(s, env, ts_ast_left(part), figures); /* both are looked at */
    return assertion_judge(s, env, ts_ast_right(part), figures) && left;
  }
  const char *here = found(s, part, figures, &known);
  if (!known) {
    assertion_report(s, part, here);
    return false;
  }
  if (!holds_whole(s, env, part, &holds))
    return false;
  if (!holds)
    assertion_report(s, part, here);
  return holds;
}

/* ---- All of it ---- */

/* So that a part behind an `and` or an `or` is checked, too. */
static bool try_out(ts_session *s, const ts_env *env, const ts_ast *part)
{
  bool holds;
  if (part->kind == TS_AST_BINARY && (part->u.op == TS_OP_AND || part->u.op == TS_OP_OR)) {
    bool left = try_out(s, env, ts_ast_left(part));
    return try_out(s, env, ts_ast_right(part)) && left;
  }
  return holds_whole(s, env, part, &holds);
}

static ts_env *scope_of(void *session, const ts_figures *figures)
{
  return scope(session, figures);
}

bool ts_assertion_read(ts_session *s, const char *text, uint32_t devices, ts_assertion *assertion)
{
  uint32_t file = ts_sources_add(s->sources, "--assert", "command line", text, strlen(text));
  ts_figures figures = made_up(devices);
  *assertion = (ts_assertion){.text = text, .expr = ts_parse_expr(s->lang, file)};
  const ts_share_check shares = {.s = s, .scope = scope_of, .closure = s};
  return assertion->expr && try_out(s, scope(s, &figures), assertion->expr) &&
         ts_check_shares(&shares, assertion->expr);
}

bool ts_assertion_holds(ts_session *s, const ts_assertion *assertion, const ts_figures *figures)
{
  return assertion_judge(s, scope(s, figures), assertion->expr, figures);
}
