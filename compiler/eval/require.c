#include "compiler/eval/require.h"

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
