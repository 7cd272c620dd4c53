/* Inside of environments, for the evaluator and the modules. */
#ifndef TS_COMPILER_EVAL_ENV_H
#define TS_COMPILER_EVAL_ENV_H

#include "compiler/eval/eval.h"
#include "compiler/eval/names.h"

struct ts_module;

struct ts_env {
  ts_session *session;
  const ts_env *parent;
  /* a module's scope: names are looked up there, then among the built-in ones */
  struct ts_module *module;
  bool free;                 /* its names come last: they are what nothing around it binds */
  bool watched;              /* who looks up a name here is noted: compiler/eval/plan_cache.h */
  uint32_t count, room;
  const char **name;
  ts_value *value;
  ts_names index;            /* of many names: their place + 1 */
};

ts_env *ts_env_sized(ts_session *s, const ts_env *parent, uint32_t room);

typedef struct ts_name_list { TS_VEC(const char *) names; } ts_name_list;
/* All names in scope, innermost first, for did-you-mean; `bound`: without those of modules and of
 * the language. */
void ts_env_names(const ts_env *env, bool bound, ts_name_list *list);
/* Ends `d` with the help "did you mean `a`, `b`?" if something is near `found`. False if nothing
 * is. */
bool ts_suggest_names(ts_diag *d, const char *found, const ts_name_list *list);
/* "`a`, `b`" */
const char *ts_name_list_print(ts_session *s, const ts_name_list *list);

#endif
