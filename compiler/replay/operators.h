/* What the operators of execution graphs do: which op of the language an operator is, and with what
 * arguments, a mapping of the plan says (stdlib/import/aten.ts); its kernels follow from the shapes
 * that were recorded. */
#ifndef TS_COMPILER_REPLAY_OPERATORS_H
#define TS_COMPILER_REPLAY_OPERATORS_H

#include "compiler/model/op.h"
#include "trace/read/events.h"

typedef struct ts_rank_operator { /* of one name, with tensors of these shapes and formats */
  const char *name;
  ts_kernels kernels; /* none: it launches nothing */
  bool guessed;       /* no entry knows it: its tensors are moved once */
} ts_rank_operator;

typedef struct ts_rank_operators ts_rank_operators;

/* `model`: graph(...), whose argument `ops` is a mapping, or that of the library: for operators of
 * PyTorch, or, counted, for work that events state (ts_event_work). NULL after errors. */
ts_rank_operators *ts_rank_operators_new(ts_session *s, const ts_plan *plan,
                                         const ts_applied *model, bool counted);
/* The operator of an event; the same one for the same name, shapes and formats. NULL after
 * errors. */
const ts_rank_operator *ts_rank_operator_of(ts_rank_operators *o, const ts_events *e,
                                            uint32_t event);

#endif
