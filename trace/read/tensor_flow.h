/* Which tensors the nodes of a graph take and give: of timed graphs of the tracer, and of execution
 * traces. */
#ifndef TS_TRACE_READ_TENSOR_FLOW_H
#define TS_TRACE_READ_TENSOR_FLOW_H

#include "trace/read/events.h"

/* Which tensors a node takes and gives, in the order of its shapes: numbers.at[first], `takes` of
 * them and then `gives`. gradient_of: of a node of the backward, the tensor whose operator's it is;
 * TS_TENSOR_NONE: not said. */
#define TS_TENSOR_NONE UINT64_MAX
typedef struct ts_flow_node {
  uint32_t event, first, takes, gives;
  uint64_t gradient_of;
} ts_flow_node;

/* storage: tensors of equal ones share memory, 0: not known; of: the tensor that it is a view of, by the operator `op`; kind: "parameter", "buffer" or "";
 * name: of the module that holds it; shapes: of ts_events.shapes, one tensor. */
typedef struct ts_flow_tensor {
  uint64_t id, storage, of;
  uint32_t op, kind, name, shapes;
} ts_flow_tensor;

/* Of an execution trace a tensor is listed each time that it is taken or given; numbers are then
 * places in `tensors`. */
struct ts_tensor_flow {
  TS_VEC(ts_flow_node) nodes; /* in the order of events */
  TS_VEC(uint64_t) numbers;
  TS_VEC(ts_flow_tensor) tensors;
};

#endif
