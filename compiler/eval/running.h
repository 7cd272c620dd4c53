/* An evaluation under way: where it is, how far it may go, and what it calls back. */
#ifndef TS_COMPILER_EVAL_RUNNING_H
#define TS_COMPILER_EVAL_RUNNING_H

#include "compiler/eval/session.h"

/* A call being evaluated: errors inside it also show where it stands. */
typedef struct ts_frame {
  const char *name;
  ts_span span;
  const struct ts_frame *outer;
} ts_frame;

/* In CALLs evaluated in a model or block body, ops and blocks are applied by the graph builder: it
 * installs this hook. */
typedef ts_value (*ts_apply_hook)(void *closure, const ts_env *env, const ts_ast *decl,
                                  const ts_env *module, const ts_ast *call);

typedef struct ts_running {
  const ts_frame *frame; /* innermost call, or NULL */
  /* NULL, or where the check puts what names mean: compiler/eval/check.h */
  struct ts_uses *uses;
  /* the static pass: what evaluation finds again is not counted again */
  bool checking;
  uint32_t depth;            /* of evaluation */
  uint64_t steps, next_look; /* at how many steps the limits are looked at again */
  bool numbered;             /* a label was compared with a pattern that has digits */
  bool starved;              /* memory was one that was reached */
  /* if set, whole numbers that do not divide are counted here and are no error: a search leaves the
   * plan out */
  uint64_t *uneven;
  ts_apply_hook apply;
  void *apply_closure;
} ts_running;

#endif
