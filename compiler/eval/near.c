#include "compiler/eval/near.h"

#include <inttypes.h>
#include <string.h>

#include "base/figures.h"
#include "compiler/eval/function.h"
#include "compiler/eval/module.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"

/* The nearest value in steps of `step` that holds; 0: none near. */
static int64_t nearest(ts_value_does *does, void *closure, const char *name, ts_value v,
                       int64_t step)
{
  enum { FAR = 64 };
  int64_t n = v.u.integer;
  for (int i = 1; i <= FAR && n + i * step >= 1; i++) {
    ts_value other = v;
    other.u.integer = n + i * step;
    if (does(closure, name, other))
      return other.u.integer;
  }
  return 0;
}

void ts_near_values(ts_session *s, ts_diag *d, const ts_name_list *among, const ts_env *bound,
                    ts_value_does *does, void *closure)
{
  const char *text = "";
  ts_aside before = ts_session_set_aside(s);
  for (size_t i = 0; i < among->names.count; i++) {
    const char *name = among->names.at[i];
    ts_value v = ts_none_value();
    if (!ts_env_lookup(bound, name, &v) || v.type != TS_T_INT || v.u.integer < 0 ||
        v.u.integer > INT32_MAX)
      continue;
    int64_t below = nearest(does, closure, name, v, -1), above = nearest(does, closure, name, v, 1);
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

typedef struct division { ts_session *s; const ts_env *env; const ts_ast *e; } division;

/* Whether the quotient is whole with another value of a name. Says nothing. */
static bool is_whole(void *closure, const char *name, ts_value value)
{
  division *q = closure;
  uint64_t uneven = 0, *before = q->s->running->uneven;
  ts_env *env = ts_env_sized(q->s, q->env, 1);
  ts_env_bind(env, name, value);
  q->s->running->uneven = &uneven;
  ts_value v = ts_eval(q->s, env, q->e);
  q->s->running->uneven = before;
  return v.type == TS_T_INT && v.u.integer > 0;
}

static void names_in(ts_session *s, const ts_ast *e, ts_name_list *names)
{
  enum { MOST = 4 };
  for (uint32_t i = 0; e && i < e->count; i++)
    names_in(s, e->child[i], names);
  bool known = !e || e->kind != TS_AST_ID || names->names.count == MOST;
  for (size_t i = 0; !known && i < names->names.count; i++)
    known = names->names.at[i] == e->name;
  if (!known)
    TS_PUSH(s->arena, &names->names, e->name);
}

void ts_near_whole(ts_session *s, ts_diag *d, const ts_env *env, const ts_ast *quotient)
{
  ts_name_list names = {0};
  names_in(s, quotient, &names);
  ts_near_values(s, d, &names, env, is_whole, &(division){s, env, quotient});
}

bool ts_near_name(ts_session *s, ts_diag *d, const ts_env *env, const char *name)
{
  ts_name_list names = {0};
  ts_value figure = ts_none_value();
  const char *step = ts_figure_table[TS_FIGURE_STEP].name;
  bool figures = ts_env_lookup(env, ts_lang_intern(s->lang, step, strlen(step)), &figure);
  ts_env_names(env, figures, &names);
  if (!figures)
    return ts_module_elsewhere(s, d, name) || ts_suggest_names(d, name, &names);
  if (!ts_suggest_names(d, name, &names))
    ts_diag_note(d, "there are %s", ts_name_list_print(s, &names));
  return true;
}

const char *ts_near_unit(ts_session *s, ts_value number, ts_value quantity)
{
  for (size_t i = 0; ts_type_at(i); i++) {
    const ts_type_info *info = ts_type_at(i);
    const char *unit =
      info->type == TS_T_QUANTITY && info->example ? strchr(info->example, ' ') : NULL;
    if (unit && ts_dimension_equal(info->dimension, quantity.dimension))
      return ts_arena_printf(s->arena, "%s%s", ts_value_print(s->arena, number), unit);
  }
  return ts_value_print(s->arena, quantity);
}
