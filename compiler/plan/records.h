/* The plan's records, decoded: number formats, optimizer, times of the host. Fields that a plan
 * leaves out have their usual values. */
#ifndef TS_COMPILER_PLAN_RECORDS_H
#define TS_COMPILER_PLAN_RECORDS_H

#include "compiler/eval/value.h"

typedef struct ts_precision {
  const ts_dtype *compute, *weights, *gradients; /* fp32 where nothing is said */
  bool compute_stated;
  bool keep_graph;           /* what the forward saved is held until W */
  /* bytes moved for a parameter to add a micro-batch's gradient to the sum */
  double accumulate;
  double buffers;            /* bytes held for a parameter beside its gradient */
  /* by kernel family: what it computes in where its tensors are fp32; NULL: as they are */
  const ts_record *arithmetic;
} ts_precision;

typedef struct ts_update_kernel { /* of an optimizer, for each parameter */
  const char *family, *name;   /* name: NULL when not given */
  double bytes, flops;
  ts_span span;
} ts_update_kernel;

typedef struct ts_optimizer {
  bool stated;
  bool listed;               /* its kernels are */
  bool fused;                /* a kernel updates all tensors at once */
  double state, master;      /* bytes of a parameter */
  uint32_t kernel_count;
  const ts_update_kernel *kernels;
  ts_span span;
} ts_optimizer;

/* ps; sync: messages block the host */
typedef struct ts_host { uint64_t launch, collective, message, item, step; bool sync; } ts_host;

/* `v`: a RECORD whose fields have been checked, or another value: nothing was said. */
ts_precision ts_precision_of(ts_value v);
ts_optimizer ts_optimizer_of(ts_arena *arena, ts_value v);
ts_host ts_host_of(ts_value v);

#endif
