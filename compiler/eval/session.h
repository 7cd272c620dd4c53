/* A session: everything one compilation shares. No global state: two sessions may run in one
 * process at once. Each subject has a header of its own, which its users include. */
#ifndef TS_COMPILER_EVAL_SESSION_H
#define TS_COMPILER_EVAL_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "compiler/eval/limits.h"
#include "lang/ast.h"

typedef struct ts_session ts_session;
typedef struct ts_value ts_value;
typedef struct ts_env ts_env;

struct ts_session {
  const struct ts_domain *domain;
  /* one that has read files of the plan, and does nothing any more; or NULL */
  const ts_session *below;
  /* what is made goes here: `lasting`, or, once the plan at hand is lowered, `scratch` */
  ts_arena *arena;
  ts_arena *lasting;                /* as long as the session */
  ts_arena *scratch;                /* as long as the plan; NULL: there is one plan */
  ts_sources *sources;
  ts_diags *diags;
  ts_lang *lang;
  ts_limits limits;
  struct ts_compile_options *options; /* all zero until something is compiled */
  const char *explained;              /* what there is to say of the label to explain; or NULL */
  /* Each in the header of its name. */
  struct ts_session_files *files;
  struct ts_defines *defined;
  struct ts_reports *reports;
  struct ts_vocabulary *vocabulary;
  struct ts_module_table *modules; /* compiler/eval/module.c */
  struct ts_mesh *mesh;
  struct ts_running *running;
  struct ts_reuse *reuse;
};

#endif
