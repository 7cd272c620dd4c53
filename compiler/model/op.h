/* Evaluating the body of an op: shapes from arguments, work from (global or local) shapes. */
#ifndef TS_COMPILER_MODEL_OP_H
#define TS_COMPILER_MODEL_OP_H

#include "compiler/model/graph.h"
#include "cost/cost.h"

typedef enum ts_phase { TS_PHASE_FORWARD, TS_PHASE_INPUT, TS_PHASE_WEIGHT, TS_PHASES } ts_phase;

typedef struct ts_kernel {
  const char *family, *op;   /* op: that declares it */
  const ts_dtype *dtype;
  double flops, bytes, temp; /* of one launch; bytes moved and bytes held while it runs */
  uint32_t pieces;           /* so many tensors of equal size that `temp` is; 0: one */
  /* of them those of the model: without padding, masked and repeated ones */
  double model_flops;
  int64_t host;              /* ps of host time, -1: the plan's */
  uint32_t feature_count;
  const ts_feature *features;
  bool early;                /* a cast: before the collectives of its phase */
  const ts_feature *sizes;   /* of the op */
  uint32_t size_count;
  double share;              /* of the kernels of its direction */
  double slower;             /* factor on its time, by what runs beside it; 0: none */
  bool host_only;            /* no work on the device */
  uint32_t pass;             /* 1 forward, 2 gradients of inputs, 3 of weights; 0: not said */
  ts_span span;
  uint32_t cost;             /* into ts_costing.kernels, set by the costing pass */
} ts_kernel;

typedef struct ts_kernels { uint32_t count; ts_kernel *at; } ts_kernels;

/* a slot, or TS_NO_INDEX and a size */
typedef struct ts_saved { uint32_t slot; int64_t bytes; } ts_saved;

typedef struct ts_read { uint32_t slot; bool gradient; } ts_read;

typedef struct ts_work {
  ts_kernels phase[TS_PHASES];
  bool has_phase[TS_PHASES];
  uint32_t saved_count;
  const ts_saved *saved;
  uint32_t late_count;  /* what backward(weight) reads: tensors and their gradients, */
  const ts_read *late;
  int64_t late_bytes;   /* and what is stated as a size */
  bool late_saved;      /* it does not say: all that is saved, and the gradients of its outputs */
} ts_work;

/* Asks for a kernel as one of its op's, in that pass. */
void ts_kernel_of_op(const ts_kernel *kernel, uint32_t pass, ts_cost_query *query);

/* Names that stand in an expression. */
typedef struct ts_op_names { TS_VEC(const char *) at; } ts_op_names;
void ts_op_names_add(ts_arena *arena, ts_op_names *names, const ts_ast *expr);

/* Where an op is evaluated. `slots` and `args` are those of the op, or changed ones. */
typedef struct ts_op_scope {
  ts_session *s;
  const ts_plan *plan;
  const ts_op *op;
  ts_slot *slots;
  const ts_value *args;
  bool quiet; /* no `require`: probing */
  const ts_op_names *only; /* names that are bound in ts_op_env; NULL: all */
} ts_op_scope;

/* Finds the slots of an op: inputs from the arguments; parameters and outputs, not yet shaped, from
 * the declaration. */
void ts_op_slots(ts_session *s, ts_op *op);
/* Shapes of parameters and outputs from those of the inputs. */
bool ts_op_shapes(ts_op_scope *scope);
/* Formats that the op casts its inputs, and the gradients of its outputs, to: written to these
 * slots. */
bool ts_op_casts(ts_op_scope *scope, ts_slot *slots);
/* Shapes of the outputs alone, parameters being given. */
bool ts_op_outputs(ts_op_scope *scope);
/* All slots are given: the work of each phase. Checks every `require`; at the first that fails
 * *failed is it. */
bool ts_op_work(ts_op_scope *scope, ts_work *work, const ts_ast **failed);
/* An environment in which the op's names are bound, for expressions of the op. */
ts_env *ts_op_env(const ts_op_scope *scope, const ts_env *parent);
/* One for the expressions of a rule: what is bound where the rule is written comes first, so that
 * no op can change what its words mean; other names are the op's. */
ts_env *ts_op_rule_env(const ts_op_scope *scope, const ts_env *written);

/* Evaluates a list of Ints. `what` is for messages: "`w` of `linear`". */
/* used: the op's call */
bool ts_eval_shape(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                   ts_span used, ts_shape *shape);

double ts_slot_elements(const ts_slot *slot);
int64_t ts_slot_bytes(const ts_slot *slot);
double ts_shape_elements(ts_shape shape);
/* Index of the slot with this (interned) name, or TS_NO_INDEX; *gradient is set when it was named
 * d<slot>. */
uint32_t ts_op_slot(const ts_op *op, const char *name, bool *gradient);

#endif
