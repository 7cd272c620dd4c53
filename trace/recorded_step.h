/* One step of one device as calls of operators, with the tensors between them: what a model can be
 * made of (trace/model_table.h). Made of a graph of the tracer, or of a profile and its execution
 * trace. */
#ifndef TS_TRACE_RECORDED_STEP_H
#define TS_TRACE_RECORDED_STEP_H

#include "trace/read/events.h"

#define TS_STEP_NONE UINT32_MAX

typedef enum ts_step_held { TS_HELD_NOT, TS_HELD_PARAMETER, TS_HELD_BUFFER } ts_step_held;

/* dtype: "fp32"; dims: "[4,8]". Of a view: the tensor that it shows, the operator, and ns of the
 * backward of that operator. Of memory asked for: the operator alone. */
typedef struct ts_step_tensor {
  const char *dtype, *dims;
  ts_step_held held;
  uint32_t of;          /* tensor, or NONE */
  const char *view, *module;
  int64_t backward;
} ts_step_tensor;

/* A call of the forward, in order. Numbers of tensors; ns. accumulate: to sum the gradients of its
 * parameters up, as part of the backward. again: the backward ran it again, with the others of this
 * number, from 1; 0: it did not. */
typedef struct ts_step_call {
  const char *op, *module;
  const uint32_t *in, *out;
  uint32_t in_count, out_count;
  int64_t forward, backward, accumulate;
  uint32_t again;
} ts_step_call;

typedef struct ts_step {
  TS_VEC(ts_step_tensor) tensors;
  TS_VEC(ts_step_call) calls;
  const char *device, *source; /* device: NULL: not known; source: names of the files */
  /* nobody measured: a kernel counts as 1 ns, which says that it ran; but not a sum of gradients of
   * a tensor used twice, which comes before the backward of what made it, whatever that is */
  bool untimed;
  /* untimed: what `optimizer` reads and writes, but for copies into buckets of gradients and out of
   * them, and what these do */
  double update_bytes, bucket_bytes;
  uint32_t passes, pass;     /* forwards with a backward in the step, and which one it is, from 1 */
  /* ns: the update of parameters, and what else is done to all gradients once a step; what the
   * backward ran of the forward again; other work, in and
   * out of the pass, that belongs to no call */
  int64_t optimizer, again, other;
} ts_step;

/* Of a graph with tensors: all of its nodes have times, or none. NULL with the error filled. */
ts_step *ts_step_of_graph(ts_arena *arena, const ts_events *graph, ts_error *error);
/* Of a profile and the execution trace of the same step, or of one of the profile's steps. */
ts_step *ts_step_of_profile(ts_arena *arena, ts_events *profile, const ts_events *trace,
                            ts_error *error);

#endif
