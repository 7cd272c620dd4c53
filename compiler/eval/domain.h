/* What declarations of the domain mean, which the evaluator only carries: installed from above
 * (compiler/domain.c). */
#ifndef TS_COMPILER_EVAL_DOMAIN_H
#define TS_COMPILER_EVAL_DOMAIN_H

#include "compiler/eval/session.h"

struct ts_applied;
typedef struct ts_domain {
  /* a cluster is called */
  ts_value (*cluster)(ts_session *s, const ts_env *env, const ts_ast *decl, ts_span span);
  /* `v with { ... }` */
  ts_value (*changed)(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with);
  /* parts that a schedule cuts the model into */
  bool (*stages)(ts_session *s, const struct ts_applied *schedule, uint32_t *parts);
  /* declarations of record types, in the language */
  const char *record_types;
} ts_domain;

#endif
