/* The plan's records, decoded: number formats, optimizer, times of the host. */
#ifndef TS_COMPILER_PLAN_RECORDS_H
#define TS_COMPILER_PLAN_RECORDS_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"

/* Places of fields in values of the types: TS_Host_launch. */
#define RECORD(record) enum {
#define FIELD(record, field, type, otherwise) TS_##record##_##field,
#define END };
#include "compiler/plan/records.def"
#undef RECORD
#undef FIELD
#undef END

/* Their declarations, in the language. */
extern const char ts_plan_record_types[];

typedef struct ts_precision {
  const ts_dtype *compute, *weights, *gradients; /* fp32 where nothing is said */
  bool stated;
  bool keep_graph;           /* what the forward saved is held until W */
  bool free_gradients;       /* when a step has used them, until the next one makes them */
  /* bytes moved for a parameter to add a micro-batch's gradient to the sum */
  double accumulate;
  double buffers;            /* bytes held for a parameter beside its gradient */
  /* by kernel family: what it computes in where its tensors are fp32; NULL: as they are */
  const ts_record *arithmetic;
} ts_precision;

typedef struct ts_update_kernel { /* of an optimizer, for each parameter */
  const char *family, *name;   /* name: NULL when not given */
  double bytes, flops;
  bool whole;                  /* of all gradients a rank holds, not of its part of the state */
  ts_span span;
} ts_update_kernel;

typedef struct ts_optimizer {
  bool stated;
  bool listed;               /* its kernels are */
  bool fused;                /* a kernel updates all tensors at once */
  double state, master;      /* bytes of a parameter */
  double temp;               /* ... while it is updated */
  uint32_t kernel_count;
  const ts_update_kernel *kernels;
  ts_span span;
} ts_optimizer;

/* ps; sync: messages block the host */
typedef struct ts_host { uint64_t launch, collective, message, item, step; bool sync; } ts_host;

/* What is wrong with a number goes to the diagnostics; `at` is where the record is asked for. A
 * value of another type, NONE, is a record of which nothing is said. */
ts_precision ts_precision_of(ts_session *s, ts_value v, ts_span at);
/* Sizes that are functions are those for this precision. */
ts_optimizer ts_optimizer_of(ts_session *s, ts_value v, ts_value precision, ts_span at);
ts_host ts_host_of(ts_session *s, ts_value v, ts_span at);

/* Numbers in a plan's records are amounts: not negative, and of what a step can hold. */
bool ts_possible_amount(ts_session *s, const char *what, ts_value v, ts_span at);

#endif
