#include "compiler/assertion.h"

#include <string.h>

#include "base/diag_record.h"
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

static const char *word_before(ts_session *s)
{
  return ts_lang_intern(s->lang, "before", strlen("before"));
}

/* TS_FIGURES: it names none or several. */
static size_t only_figure(ts_session *s, const ts_ast *part)
{
  size_t found = TS_FIGURES;
  for (size_t i = 0; i < TS_FIGURES; i++)
    if (ts_ast_uses(part, ts_search_figure(s, i))) {
      if (found < TS_FIGURES)
        return TS_FIGURES;
      found = i;
    }
  return found;
}

/* What a part is judged by; `before`: of a change, the figures before it; or NULL. */
typedef struct judging {
  ts_session *s;
  const ts_figures *now, *before;
  const ts_ast *part;
} judging;

/* Figures by name, and `before`: what the one figure that the part names was. */
static ts_env *scope(const judging *j)
{
  ts_env *env = ts_env_new(j->s, NULL);
  j->s->running->steps = 0; /* each counts by itself */
  for (size_t i = 0; i < TS_FIGURES; i++)
    ts_env_bind(env, ts_search_figure(j->s, i), ts_figure_value(i, j->now->of[i]));
  size_t one = j->before ? only_figure(j->s, j->part) : TS_FIGURES;
  if (one < TS_FIGURES)
    ts_env_bind(env, word_before(j->s), ts_figure_value(one, j->before->of[one]));
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

static bool is_binary(const ts_ast *part, uint32_t op)
{
  return part->kind == TS_AST_BINARY && part->u.op == op;
}

static judging side(const judging *j, bool right)
{
  judging part = *j;
  part.part = right ? ts_ast_right(j->part) : ts_ast_left(j->part);
  return part;
}

/* Sides of an `and` or an `or` have each their own `before`. */
static bool holds_whole(const judging *j, bool *holds)
{
  bool and = is_binary(j->part, TS_OP_AND), left, right;
  if (!j->before || !(and || is_binary(j->part, TS_OP_OR)))
    return ts_eval_bool(j->s, scope(j), j->part, j->before ? "a condition" : "an assertion", holds);
  judging sides[2] = {side(j, false), side(j, true)};
  if (!holds_whole(&sides[0], &left) || !holds_whole(&sides[1], &right))
    return false;
  *holds = and? left && right : left || right;
  return true;
}

/* "step_time is 22.17 s, mfu is not known" */
static const char *found(const judging *j, bool *all_known)
{
  const char *all = "";
  const ts_figures *of[2] = {j->now, j->before};
  bool uses_before = j->before && ts_ast_uses(j->part, word_before(j->s));
  *all_known = true;
  for (size_t i = 0; i < TS_FIGURES; i++) {
    if (!ts_ast_uses(j->part, ts_search_figure(j->s, i)))
      continue;
    for (int k = 0; k < (uses_before ? 2 : 1); k++) {
      bool known = ts_is_stated(of[k]->of[i]);
      *all_known &= known;
      all = ts_arena_printf(j->s->arena, k ? "%s%s%swas %s" : "%s%s%s is %s", all, *all ? ", " : "",
                            k ? "" : ts_search_figure(j->s, i),
                            known ? assertion_text_of(j->s, of[k], i) : "not known");
    }
  }
  return all;
}

static void report(const judging *j, ts_code code, const char *verdict, const char *here)
{
  ts_span span = j->part->span;
  const ts_source *source = ts_sources_get(j->s->sources, span.file);
  ts_diag *d = ts_report(j->s, code, span, "`%.*s` %s%s%s", (int)(span.end - span.begin),
                         source->text + span.begin, verdict, *here ? ": " : "", here);
  ts_diag_here(d, "%s", *here ? here : j->before ? "always holds" : "never holds");
}

static bool assertion_judge(judging j)
{
  bool holds, known;
  if (is_binary(j.part, TS_OP_AND)) {
    bool left = assertion_judge(side(&j, false)); /* both are looked at */
    return assertion_judge(side(&j, true)) && left;
  }
  const char *here = found(&j, &known);
  if (known && !holds_whole(&j, &holds))
    return false;
  if (!known || !holds)
    report(&j, TS_R0401, "does not hold", here);
  return known && holds;
}

/* False: it holds, which is reported, or cannot be told. */
static bool condition_judge(judging j)
{
  bool holds, known;
  if (is_binary(j.part, TS_OP_OR)) {
    bool left = condition_judge(side(&j, false));
    return condition_judge(side(&j, true)) && left;
  }
  const char *here = found(&j, &known);
  if (known && !holds_whole(&j, &holds))
    return false;
  if (!known || holds)
    report(&j, TS_R0402, known ? "holds" : "cannot be told", here);
  return known && !holds;
}

/* ---- All of it ---- */

static ts_env *scope_of(void *closure, const ts_figures *figures)
{
  judging j = *(const judging *)closure;
  j.now = figures;
  j.before = j.before ? figures : NULL;
  return scope(&j);
}

/* `before` is of one figure. */
static bool is_of_one(const judging *j)
{
  if (!j->before || !ts_ast_uses(j->part, word_before(j->s)) ||
      only_figure(j->s, j->part) < TS_FIGURES)
    return true;
  ts_diag *d = ts_report(j->s, TS_E0201, j->part->span,
                         "`before` needs one figure beside it, whose value before it is");
  ts_diag_here(d, "names %s", *found(j, &(bool){false}) ? "several" : "none");
  ts_diag_help(d, "join parts by `and` or `or`: `step_time > 1.01 * before or cost > before`");
  return false;
}

/* With figures that are made up, so that a part behind an `and` or an `or` is checked, too. */
static bool try_out(judging j)
{
  bool holds;
  if (is_binary(j.part, TS_OP_AND) || is_binary(j.part, TS_OP_OR)) {
    bool left = try_out(side(&j, false));
    return try_out(side(&j, true)) && left;
  }
  return is_of_one(&j) && holds_whole(&j, &holds);
}

static bool check_shares(judging j)
{
  const ts_share_check shares = {.s = j.s, .scope = scope_of, .closure = &j};
  if (!j.before || !(is_binary(j.part, TS_OP_AND) || is_binary(j.part, TS_OP_OR)))
    return ts_check_shares(&shares, j.part);
  return check_shares(side(&j, false)) && check_shares(side(&j, true));
}

/* `step time`, as reports print it. */
static void help_figure(ts_session *s, const char *text)
{
  for (size_t f = 0; f < TS_FIGURES && s->diags->all.count; f++) {
    char *spoken =
      ts_arena_string(s->arena, ts_figure_table[f].name, strlen(ts_figure_table[f].name));
    for (char *c = spoken; *c; c++)
      *c = *c == '_' ? ' ' : *c;
    if (strchr(spoken, ' ') && strstr(text, spoken))
      ts_diag_help(s->diags->all.at[s->diags->all.count - 1], "this figure is called `%s`",
                   ts_figure_table[f].name);
  }
}

static bool read_with(ts_session *s, const char *option, const char *text, uint32_t devices,
                      bool change, ts_assertion *assertion)
{
  uint32_t file = ts_sources_add(s->sources, option, "command line", text, strlen(text));
  ts_figures figures = made_up(devices);
  *assertion = (ts_assertion){.text = text, .expr = ts_parse_expr(s->lang, file)};
  if (!assertion->expr)
    help_figure(s, text);
  judging j = {s, &figures, change ? &figures : NULL, assertion->expr};
  return assertion->expr && try_out(j) && check_shares(j);
}

bool ts_assertion_read(ts_session *s, const char *text, uint32_t devices, ts_assertion *assertion)
{
  return read_with(s, "--assert", text, devices, false, assertion);
}

bool ts_condition_read(ts_session *s, const char *text, ts_assertion *condition)
{
  return read_with(s, "--fail-if", text, 1, true, condition);
}

bool ts_assertion_holds(ts_session *s, const ts_assertion *assertion, const ts_figures *figures)
{
  return assertion_judge((judging){s, figures, NULL, assertion->expr});
}

bool ts_condition_passes(ts_session *s, const ts_assertion *condition, const ts_figures *before,
                         const ts_figures *after)
{
  return condition_judge((judging){s, after, before, condition->expr});
}
