/* Shared by shard.c (one class), shard_comm.c (its collectives) and shard_graph.c (all ops). */
#ifndef TS_COMPILER_SHARD_INTERNAL_H
#define TS_COMPILER_SHARD_INTERNAL_H

#include "compiler/shard/shard.h"

/* rules that may match ops of this kind */
typedef struct ts_candidates { const char *kind; uint32_t count, *rules; } ts_candidates;

typedef struct ts_sharder {
  ts_session *s;
  const ts_plan *plan;
  const ts_graph *g;
  ts_sharding *sh;
  const ts_op *op;     /* the op at hand and its class */
  ts_class *class;
  ts_layout *requested; /* by slot: the splits that rules ask for */
  bool by_name;        /* the rule at hand may call axes by their names in the mesh */
  /* by argument: what an Int is divided by, and the last rule that did */
  uint32_t *arg_axes, *arg_rules;
  ts_candidates *candidates; /* by pattern of a label */
  ts_value *set;       /* the arguments of the whole op as rules set them; NULL if none does */
} ts_sharder;

static inline const ts_rule *ts_rule_at(const ts_sharder *c, uint32_t rule)
{
  return &c->sh->rules.at[rule];
}
/* The class has an error that has been reported: what depends on it keeps quiet. Always false. */
static inline bool ts_sharder_fail(ts_sharder *c) { c->class->failed = true; return false; }
/* compiler/shard/actions.c: notes what all rules ask of the op. False after a message. */
bool ts_sharder_rules(ts_sharder *c);
/* Reports that `n` do not divide by the size of these axes, with the divisors that would do;
 * `before`: a rule that split them already, or TS_NO_INDEX. Always false. */
bool ts_sharder_indivisible(ts_sharder *c, const char *what, int64_t n, ts_span where,
                            uint32_t axes, uint32_t rule, ts_span action, uint32_t before);
/* The slots of the whole op, shaped with the arguments that rules set; NULL after a message. */
const ts_slot *ts_sharder_whole(ts_sharder *c);
/* compiler/shard/uneven.c: dimensions of outputs that need not divide, or of which the fullest rank
 * has more: as declared, and as those of inputs that they follow. */
bool ts_sharder_uneven(ts_sharder *c);
/* The group an `over` names. False after a message. */
bool ts_sharder_axes(ts_sharder *c, const ts_env *env, const ts_ast *expr, uint32_t *axes);
/* A dimension of the slot, counted from the end where it is negative. False after a message. */
bool ts_sharder_dim(ts_sharder *c, const ts_env *env, const ts_ast *expr, const ts_slot *slot,
                    int32_t *dim);
bool ts_sharder_class(ts_sharder *c);
/* compiler/shard/ties.c: a rule ties a parameter, or the op's declaration does; then all ties of
 * the graph are followed. */
bool ts_sharder_tie(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule);
bool ts_sharder_own_tie(ts_sharder *c);
void ts_sharder_follow_ties(ts_sharder *c);
bool ts_sharder_offload(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule);
/* compiler/shard/sums.c: gradients are summed over an axis once; where they are not at all, the
 * class keeps it. */
bool ts_sharder_sums(ts_sharder *c);
/* A warning where `group` names a label that none of the rule's ops is under. */
void ts_sharder_groups(const ts_sharder *c);
/* One warning for each set of axes that some gradients are not summed over. */
void ts_sharder_unsummed(const ts_sharder *c);
/* "rule `x` of `y` does", unless there is no rule */
void ts_rule_note(const ts_sharding *sh, ts_diag *d, uint32_t rule, ts_span span, const char *does);
bool ts_sharder_comm(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule);
/* compiler/shard/saved.c: the format in which the op takes a slot or its gradient; casts as kernels
 * of their own; what stays for the backward. */
const ts_dtype *ts_sharder_taken(const ts_class *class, uint32_t slot, bool gradient);
void ts_sharder_casts(ts_sharder *c);
void ts_sharder_keep(ts_sharder *c);
/* Moves a layout through a collective and counts its bytes. */
bool ts_sharder_move(ts_sharder *c, ts_layout *layout, ts_comm *comm, const ts_slot *slot);
/* Ops that come from the same line. */
uint32_t ts_sharder_repeats(const ts_sharder *c);
void ts_sharder_note_repeats(const ts_sharder *c, ts_diag *d);

#endif
