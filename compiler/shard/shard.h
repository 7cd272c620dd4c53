/* Sharding: the rules of the strategies matched against the ops, layouts of all tensors, and the
 * work of one rank. Ops that are alike in every respect (96 equal layers) share a class, which is
 * evaluated once. */
#ifndef TS_COMPILER_SHARD_SHARD_H
#define TS_COMPILER_SHARD_SHARD_H

#include "base/intern.h"
#include "compiler/eval/label.h"
#include "compiler/model/graph.h"
#include "compiler/model/op.h"

/* How a tensor lies over the mesh: per dimension the axes (bits) that split it, and the axes over
 * which it is a partial sum. */
typedef struct ts_layout {
  uint32_t split[TS_MAX_DIMS];
  uint32_t partial;
  /* bits of dimensions that need not divide: a rank counts as the one with most, rounded up */
  uint32_t uneven;
  /* of a dimension that an all-to-all deals out by content: what the fullest rank has above the
   * mean, over the mean */
  double more[TS_MAX_DIMS];
  uint32_t rule;  /* the rule it comes from, or TS_NO_INDEX */
  bool failed;    /* already reported: what depends on it keeps quiet */
} ts_layout;

enum { TS_RULE_LABEL = 1, TS_RULE_UNIT = 2, TS_RULE_REPEATS = 4 };

typedef struct ts_rule { /* a rule of an applied strategy */
  const ts_ast *ast;
  ts_op_names requested;   /* that stand in its condition */
  bool numbered;           /* a pattern has a digit: it may match some repeats alone */
  /* by pattern of a label: 0 unknown, 1 no, 2 yes; NULL: nothing is known */
  uint8_t *met;
  /* of them names of the op, where it was evaluated, + 1; 0: nowhere yet */
  uint32_t bound;
  /* bits of TS_RULE_LABEL and so on: of what is not the same for ops that are alike */
  uint32_t asks;
  /* [ops] by the one that they are like: it asks for nothing but these. NULL: answers of the
   * condition are not kept */
  bool *only_these;
  ts_intern answered;   /* what it asked for of ops, */
  TS_VEC(bool) answers; /* and whether it held */
  const ts_env *env;
  const char *strategy;
  ts_span applied;         /* where the plan applies the strategy */
  const ts_ast *replaced;  /* the strategy's own rule of this name */
  bool changed;            /* written in the plan, in a \`with\` */
  uint32_t kind_count, pattern_count;
  const char **kinds, **patterns;
  uint32_t matched;        /* ops */
  bool reported;           /* that it matches nothing */
} ts_rule;

typedef enum ts_when {
  TS_WHEN_FORWARD,
  TS_WHEN_INPUT,
  TS_WHEN_WEIGHT,
  TS_WHEN_GRADIENTS,
  TS_WHEN_STEP
} ts_when;

enum { TS_ALL_PARAMETERS = 0xfffffffe }; /* as a slot of a collective: `parameters`, `gradients` */

typedef struct ts_comm {
  uint32_t kind;     /* ts_ir_collective_kind */
  ts_when when;
  bool after;
  uint32_t axes;     /* without those of size 1 */
  uint32_t slot;
  bool gradient;     /* of the slot's gradient */
  int32_t dim;       /* of reduce-scatter, all-gather and all-to-all; -1: none */
  /* counted as in ts_ir_net_point; 0 for gradients and step: they depend on the bucket */
  int64_t bytes;
  double bucket;     /* bytes, 0: one for each parameter tensor */
  double first;      /* bytes: the first of a step */
  /* the tensor that fills a bucket still joins it; else one that does not fit begins the next */
  bool exceeds;
  bool overlap;      /* work that does not need the result goes on meanwhile */
  double slows;      /* factor on kernels that run beside it; 0: none */
  /* the kernels run on the rank's own part of the gathered tensor first, and then on the rest */
  bool own_part;
  /* what travels has a buffer of its own, from or to which a kernel copies it */
  bool copied;
  bool ring;         /* done as shifts around a ring, one part of the kernels between two of them */
  ts_value group;    /* labels: what one of them holds travels together; none: each op by itself */
  /* of an all-to-all that deals out by content: the fullest rank gets 1 + more times the mean */
  double more;
  double share;      /* of the bytes that travels: 1/2 of what is packed in half the bits */
  int64_t every;     /* of a collective around the step: only at each so many'th step of the plan */
  int64_t ahead;     /* parameters are gathered so many groups early */
  /* bytes: where an op begins so much more is gathered, as long as no more than `live` is; what the
   * backward takes again before `reuse` others stays. prefetch 0: not so */
  double prefetch, live, reuse;
  const char *stream; /* NULL: that of its axes */
  uint32_t rule;
  ts_span span;
} ts_comm;

/* bytes/s each way, 0: not so; of the host's own memory when it updates, 0: it does not; of the
 * options group, ahead, bucket and span count */
typedef struct ts_offload { double rate, updates; ts_comm options; } ts_offload;

/* kept for backward: the tensor on the edge, or something of its own */
typedef struct ts_saved_slot {
  uint32_t slot;
  bool edge;
  int64_t bytes;
} ts_saved_slot;

/* model FLOPs in a number format */
typedef struct ts_format_work { const ts_dtype *dtype; double flops; } ts_format_work;

typedef struct ts_class {
  uint32_t op;              /* one of its ops */
  bool failed;
  ts_slot *local;           /* slots as one rank's op sees them, cast and split */
  ts_value *args;
  ts_layout *view;          /* layouts as the op sees them, by slot */
  ts_layout *edge;          /* layouts outside of the op, by slot */
  ts_work work;             /* of one rank */
  int64_t host;             /* ps of host time that a rule sets for a kernel; -1: none does */
  bool sync;                /* the host waits until its forward is done */
  bool parted[TS_PHASES];   /* the phase's kernels run in two parts: */
  /* what is there already, and what a collective gathers meanwhile */
  ts_kernels own[TS_PHASES], rest[TS_PHASES];
  /* the kernels run in so many equal parts, `own`, between the shifts of a ring; 0: not so */
  uint32_t rounds[TS_PHASES];
  uint32_t saved_count;
  ts_saved_slot *saved;
  uint32_t comm_count;
  ts_comm *comms;
  uint32_t parameter_axes, gradient_axes, optimizer_axes; /* what `shard` divides them by */
  int64_t whole_up_to;      /* parameter tensors of so few elements on a rank stay whole */
  uint32_t shard_rule;      /* the last one that does */
  /* axes over which gradients of its parameters are partial sums to the end */
  uint32_t unsummed;
  ts_offload activations, optimizer; /* kept on the host meanwhile */
  ts_offload inputs;                 /* of the model: read from a memory elsewhere */
  uint32_t tied;            /* slot of a parameter that another op has too, or TS_NO_INDEX */
  uint32_t tie_rule;        /* TS_NO_INDEX: the op's own declaration says so */
  const ts_ast *tie;
  ts_value tied_with;       /* label of the op that holds it, or a list of such */
  uint32_t rule_count;
  const uint32_t *rules;    /* that matched, in order */
  uint32_t format_count;    /* number formats of its products */
  ts_format_work *formats;  /* of the whole op, forward and backward */
} ts_class;

/* `slot` of `op` is the first parameter of `with` */
typedef struct ts_shared_weight { uint32_t op, with, slot; ts_span span; } ts_shared_weight;

/* What some axes do not divide: their message, and what is told in it. */
struct ts_indivisible {
  ts_diag *d;
  uint32_t axes, kinds;
  int64_t common;          /* greatest divisor of all that they are to divide */
  ts_span where;           /* of the last one told, and that itself */
  int64_t last;
  const char *others;      /* after the first: "64 heads (`layer[*].attn.rotary`)" */
  size_t note, help;       /* children of the message */
};

typedef struct ts_sharding {
  TS_VEC(ts_rule) rules;
  TS_VEC(ts_class) classes;
  TS_VEC(ts_shared_weight) shared;
  uint32_t *class_of;       /* by op */
  /* by op: equal for ops of one class and place in the text that take the same of the ops before
   * them, counted from themselves, and follow the group before them alike */
  uint32_t *form;
  ts_layout *layouts;       /* by tensor, outside of ops */
  uint32_t *recompute_group; /* by op: 0 none, else a number that equal groups share */
  /* by op: what it makes is dropped with its group, and made again before the first backward that
   * takes it */
  bool *recompute_discards;
  uint32_t group_count;
  TS_VEC(ts_format_work) formats; /* of one micro-batch of one replica */
  TS_VEC(struct ts_indivisible) indivisible; /* one message for the same axes: actions.c */
} ts_sharding;

/* Rules of the strategy of `rule` that must match and for whose kinds the model has no op: their
 * names and the kinds, or false if there are none. They are not reported again. */
bool ts_rules_absent(ts_session *s, const ts_graph *g, ts_sharding *sh, const ts_rule *rule,
                     const char **names, const char **kinds);

/* NULL after errors. Several plans may get the same. */
const ts_sharding *ts_shard(ts_session *s, const ts_plan *plan, const ts_graph *g);
/* One to which costs may be written, and of which weights a rank holds once. */
ts_sharding *ts_sharding_copy(ts_arena *arena, const ts_graph *g, const ts_sharding *sh);

/* The slot, or its gradient, as one rank's op sees it. */
int64_t ts_seen_bytes(const ts_class *class, uint32_t slot, bool gradient);

/* "tp", "dp * cp" */
const char *ts_axes_name(ts_session *s, uint32_t axes);
int64_t ts_layout_bytes(ts_session *s, const ts_layout *layout, ts_shape shape,
                        const ts_dtype *dtype);
/* "[b, s / tp, h]"-like text: "[1, 2048 / tp, 12288], a partial sum over tp" */
const char *ts_layout_print(ts_session *s, const ts_layout *layout, ts_shape shape);

/* compiler/shard/rules.c: reading strategies; one with rules added, replaced or removed. */
ts_value ts_rules_change(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with);
void ts_rules_collect(ts_session *s, const ts_plan *plan, ts_sharding *sh);
/* From now on it is asked of this graph's ops alone, and remembers answers. */
void ts_rule_remember(ts_session *s, ts_rule *rule, const ts_graph *g);
bool ts_rule_matches(ts_session *s, ts_rule *rule, const ts_plan *plan, const ts_op *op);
/* By the op's kind, and its label without numbers. */
bool ts_rule_may_match(ts_rule *rule, const ts_op *op);
/* compiler/shard/explain.c: the ops of this label or pattern; NULL if there are none. */
const char *ts_shard_explain(ts_session *s, const ts_graph *g, const ts_sharding *sh,
                             const char *label);
void ts_rules_unused(ts_session *s, const ts_graph *g, const ts_sharding *sh);
/* Ends `d`, which says that no op is labelled as `written` at `span`: with the nearest label there
 * is, and where all stand. */
void ts_label_help(ts_session *s, const ts_graph *g, ts_diag *d, const char *written, ts_span span);

#endif
