#include "compiler/eval/require.h"

#include <inttypes.h>

#include "compiler/eval/eval.h"
#include "compiler/eval/function.h"
#include "compiler/eval/report.h"

bool ts_required(ts_session *s, const ts_env *env, const ts_ast *item, const ts_required_by *by)
{
  bool must = item->kind == TS_AST_REQUIRE, holds = true;
  if (!ts_eval_bool(s, env, ts_ast_condition(item), must ? "a requirement" : "what is expected",
                    &holds))
    return false;
  if (holds)
    return true;
  const char *text = ts_ast_text(item)->literal;
  ts_diag *d =
    must ? ts_report(s, by->error, by->used, "%s `%s` cannot %s", by->what, by->name, by->cannot) :
           ts_report(s, by->warning, by->used, "%s `%s`: %s", by->what, by->name, text);
  ts_diag_here(d, "%s", must ? text : "with these arguments");
  ts_note_values(s, env, d, ts_ast_condition(item));
  ts_diag_note_at(d, item->span, must ? "it requires this" : "it expects this");
  if (must && by->help)
    by->help(by->closure, item, d);
  return !must;
}

/* The nearest value in steps of `step` that holds; 0: none near. */
static int64_t nearest(ts_requirements_hold *hold, void *closure, const char *name, ts_value v,
                       int64_t step)
{
  enum { FAR = 64 };
  int64_t n = v.u.integer;
  for (int i = 1; i <= FAR && n + i * step >= 1; i++) {
    ts_value other = v;
    other.u.integer = n + i * step;
    if (hold(closure, name, other))
      return other.u.integer;
  }
  return 0;
}

void ts_required_near(ts_session *s, ts_diag *d, const ts_ast *params, const ts_env *bound,
                      ts_requirements_hold *hold, void *closure)
{
  const char *text = "";
  ts_aside before = ts_session_set_aside(s);
  for (uint32_t i = 0; i < params->count; i++) {
    const char *name = params->child[i]->name;
    ts_value v = ts_none_value();
    if (!ts_env_lookup(bound, name, &v) || v.type != TS_T_INT || v.u.integer < 0 ||
        v.u.integer > INT32_MAX)
      continue;
    int64_t below = nearest(hold, closure, name, v, -1), above = nearest(hold, closure, name, v, 1);
    if (below || above)
      text = ts_arena_printf(s->arena, "%s%s`%s` %s", text, *text ? ", or " : "", name,
                             !below ? ts_arena_printf(s->arena, "%" PRId64, above) :
                             !above ? ts_arena_printf(s->arena, "%" PRId64, below) :
                                      ts_arena_printf(s->arena, "%" PRId64 " or %" PRId64, below,
                                                      above));
  }
  ts_session_take_up(s, before);
  if (*text)
    ts_diag_help(d, "nearest values that would do: %s", text);
}
