/* What the actions of rules take: `all_reduce(y, over: t)`, `shard(optimizer, over: d)`,
 * `offload(activations, at: link)`, `recompute(group: units)`. */
#ifndef TS_COMPILER_EVAL_ACTIONS_H
#define TS_COMPILER_EVAL_ACTIONS_H

#include "compiler/eval/env.h"

/* Do the arguments of an action fit, by name and number? True for actions that are no calls. */
bool ts_action_fits(ts_session *s, const ts_ast *action);
/* ARGS of an action; NULL: it has none. */
const ts_ast *ts_action_args(const ts_ast *action);
/* The expression that stands first, without a name: what the action is about. NULL: none. */
const ts_ast *ts_action_subject(const ts_ast *action);
/* The expression given for a name; NULL: not given. */
const ts_ast *ts_action_given(const ts_ast *action, const char *name);
/* The i-th name among the arguments of the action that is called so (`shard`; `collective` for all
 * of these); NULL at the end, and for others. */
const char *ts_action_argument(const char *called, size_t i);

#endif
