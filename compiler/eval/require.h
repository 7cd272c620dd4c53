/* `require` and `expect` of schedules, models and blocks. Those of ops hold for each split as well:
 * compiler/shard/shard.c. */
#ifndef TS_COMPILER_EVAL_REQUIRE_H
#define TS_COMPILER_EVAL_REQUIRE_H

#include "compiler/eval/env.h"

/* Who states it, and where it was asked to do something: what messages are about. */
typedef struct ts_required_by {
  const char *what;        /* "schedule", "model" */
  const char *name;
  ts_span used;
  const char *cannot;      /* what a message says where it fails: "be applied here" */
  ts_code error, warning;  /* of `require`, of `expect` */
  /* may add to the message of a `require` what would do: ts_near_values; NULL: does not */
  void (*help)(void *closure, const ts_ast *item, ts_diag *d);
  void *closure;
} ts_required_by;

/* False after an error. Of an `expect` that does not hold there is a warning, and true. */
bool ts_required(ts_session *s, const ts_env *env, const ts_ast *item, const ts_required_by *by);

#endif
