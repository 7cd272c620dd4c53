/* The op graph of a model: op instances in the order of execution and the tensors between them,
 * with global shapes. Built by running the model's body with a hook that turns calls of ops and
 * blocks into nodes. */
#ifndef TS_COMPILER_MODEL_GRAPH_H
#define TS_COMPILER_MODEL_GRAPH_H

#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/eval.h"
#include "compiler/plan/plan.h"

enum { TS_MAX_DIMS = 8 };

#define TS_NO_INDEX UINT32_MAX

typedef enum ts_slot_kind {
  TS_SLOT_INPUT,
  TS_SLOT_WEIGHT,
  TS_SLOT_OUTPUT,
  TS_SLOT_SLICE
} ts_slot_kind;

/* What an op's expressions call by name: an input, a parameter, an output, a slice of an input that
 * lies in a way of its own. `present` is false for a parameter whose condition is: it has no
 * elements then. */
typedef struct ts_slot {
  const char *name;
  ts_slot_kind kind;
  bool present;
  bool frozen;     /* a parameter that is not trained: held, without gradient and state */
  uint32_t tensor; /* graph tensor of inputs and outputs, and of what a slice is of */
  uint32_t formal; /* inputs: which argument */
  ts_shape shape;
  const ts_dtype *dtype;
  const ts_dtype *gradient; /* of its gradient, where the op casts one of the two; NULL: the same */
  double cast_moves; /* bytes an element that casting it moves; 0: read once and written once */
  ts_span span;    /* where it was declared, or given */
} ts_slot;

typedef struct ts_measured ts_measured; /* a traced op's own times: compiler/model/traced.h */

typedef struct ts_op {
  const ts_ast *decl;
  const ts_env *module;
  const char *kind;  /* name of the declaration */
  const char *label; /* "layer[3].attn.qkv" */
  const char *pattern; /* "layer[*].attn.qkv" */
  uint32_t pattern_index; /* of those that the graph has */
  ts_span span;      /* the call */
  uint32_t arg_count;
  const ts_value *args; /* by formal */
  uint32_t slot_count, input_count, param_count, output_count;
  uint32_t part_count; /* not in slot_count */
  ts_slot *slots;    /* inputs, then parameters, then outputs; after them the slices */
  /* which repeat of the model it is in; between two: the next; after the last: their number */
  uint32_t unit;
  uint32_t repeats; /* how many the model has */
  /* traced: its backward runs it again, with neighbours of the same number; 0: it does not */
  uint32_t again;
  bool frozen;      /* the plan's `tuning` says so: none of its parameters is trained */
  bool needs_input_gradient; /* some input depends on a parameter */
  bool needs_gradient;       /* so do its outputs */
  const ts_measured *measured; /* NULL: ask the cost sources */
  /* the number format that its outputs had when it was measured; NULL: as its declaration says */
  const ts_dtype *traced;
  /* of declaration, arguments, and shapes and formats of inputs */
  uint64_t hash;
  uint32_t alike; /* the first op that has the same; or itself */
} ts_op;

typedef struct ts_edge { /* a tensor of the graph */
  const char *name;
  ts_shape shape;
  const ts_dtype *dtype;
  uint32_t producer; /* op, or TS_NO_INDEX: an input of the model */
  uint32_t source;   /* the tensor this one is another view of, or its own index */
  bool needs_gradient;
} ts_edge;

/* `count` iterations of so many ops and tensors, from these on: in each the ops are those of the
 * one before, as those are of the one before that, and each takes the same tensor as there, or the
 * one that is as much further on. */
typedef struct ts_graph_run {
  uint32_t first_op, ops, first_tensor, tensors, count;
} ts_graph_run;

typedef struct ts_graph {
  TS_VEC(ts_op) ops;
  TS_VEC(ts_edge) tensors;
  TS_VEC(ts_graph_run) runs;
  /* [op] one beside the other: its unit, and the first op that it takes a tensor of; TS_NO_INDEX:
   * none */
  const uint32_t *unit, *reach;
  ts_hash_table different;  /* ops that are like none before */
  uint32_t pattern_count;   /* different ones, of labels */
  /* repeats at the top of the model; 0: it has none, every op is a unit */
  uint32_t unit_count;
  uint32_t before_units; /* ops before the first of them */
  const char *unit_name;    /* label of the repeat */
  ts_span unit_span;        /* its count */
  uint64_t parameters;      /* elements, */
  uint64_t trained;         /* and of those that are trained */
  double tokens_per_sample; /* elements of an integer input for a sample; 0 if there is none */
  bool traced;
  /* traced: the times of the backward hold the sums of the gradients of a tensor used twice */
  bool sums_measured;
  double optimizer_seconds; /* traced: one update of all parameters, 0 if the table has none */
  double update_bytes;      /* likewise what it moves, where nobody measured, */
  double bucket_bytes;      /* and copies of gradients into buckets and out of them, before it */
  /* traced: what a step of the table's batch took as a whole, 0 if nobody says; that batch over the
   * plan's */
  double step_seconds, batch_ratio;
  /* traced: every measured row, of the table and of those named beside it, at its own sizes */
  TS_VEC(const ts_measured *) samples;
  TS_VEC(const ts_value *) singles; /* traced: tables of single kernels named beside it */
} ts_graph;

static inline bool ts_same_shape(ts_shape a, ts_shape b)
{
  return a.rank == b.rank && (!a.rank || !memcmp(a.dim, b.dim, a.rank * sizeof *a.dim));
}

static inline uint64_t ts_mix(uint64_t h, uint64_t v)
{
  return (h ^ v) * UINT64_C(0x100000001b3) ^ (h >> 29);
}

/* NULL after errors. */
ts_graph *ts_graph_build(ts_session *s, const ts_plan *plan);
/* The same, or one that the session kept of an earlier plan (compiler/eval/plan_cache.h). */
const ts_graph *ts_graph_of_plan(ts_session *s, const ts_plan *plan);

/* Appends an op whose arguments are known; evaluates shapes. Returns its index, or TS_NO_INDEX
 * after an error. */
uint32_t ts_graph_add(ts_session *s, ts_graph *g, const ts_plan *plan, ts_op op);
uint32_t ts_graph_add_tensor(ts_session *s, ts_graph *g, const char *name, ts_shape shape,
                             const ts_dtype *dtype, uint32_t producer);
/* Marks what needs gradients and counts parameters, once all ops are there. */
void ts_graph_finish(ts_graph *g);

#endif
