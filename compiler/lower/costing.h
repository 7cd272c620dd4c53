/* What every distinct kernel takes: the plan's cost sources asked in order. The answer keeps its
 * basis and its source. */
#ifndef TS_COMPILER_LOWER_COSTING_H
#define TS_COMPILER_LOWER_COSTING_H

#include "compiler/shard/shard.h"
#include "cost/calibration.h"

typedef struct ts_priced { /* a kernel with its time */
  const char *family, *dtype;
  double flops, bytes;
  uint64_t time;   /* ps */
  uint32_t basis;  /* ts_ir_basis */
  uint32_t source; /* into ts_costing.sources, or TS_NO_INDEX */
  bool extrapolated; /* by a fit beyond the data it learned from, or by what is assumed */
  uint32_t beyond; /* 1 + which of the warnings of ts_costing_tell it belongs to; 0: none */
  ts_span span;    /* of what states its work */
  uint32_t gpu;    /* into ts_costing.gpus, where there are such */
  const uint32_t *on; /* [gpus] the same kernel on each of them, or NULL: it is alike on all */
} ts_priced;

#define TS_KERNEL_MOST (UINT64_C(100000) * 1000000000000) /* ps that one may take: 1e5 s */

/* device: its times are of it; NULL: not stated */
typedef struct ts_source_name {
  const char *name, *kind;
  ts_span span;
  const char *device;
} ts_source_name;

enum { TS_MAX_GPUS = 32 };

typedef struct ts_costing {
  TS_VEC(ts_priced) kernels;
  /* where devices are not alike: the gpus of the plan's ranks, and how many are on each */
  TS_VEC(const ts_value *) gpus;
  TS_VEC(uint32_t) ranks_on;
  TS_VEC(ts_source_name) sources;
  const ts_calibration *calibration; /* of the plan, or NULL */
  struct ts_traced_models *traced;   /* of a traced model whose gpu the plan names, or NULL */
  struct ts_traced_sources *by;      /* sources of the gpu that ran its table, or NULL */
  double to_step; /* factor on recorded times that makes their sum the recorded step; 0: none */
  struct ts_asking *asking; /* compiler/lower/costing.c */
} ts_costing;

/* Reads the plan's sources. NULL after errors. */
ts_costing *ts_costing_new(ts_session *s, const ts_plan *plan);
/* ps that a kernel takes: its sources' time, calibrated. */
uint64_t ts_costing_time(const ts_costing *c, uint32_t index);
/* The kernel on these of the costing's gpus, as bits; on several: where it takes longest, as ranks
 * that work alike wait for each other. */
uint32_t ts_costing_on(const ts_costing *c, uint32_t index, uint32_t gpus);
/* Index of the kernel's time, or TS_NO_INDEX after E0501. `label` names the op in messages. */
uint32_t ts_costing_kernel(ts_costing *c, const ts_kernel *kernel, const char *label);
/* A kernel that is otherwise as another and takes a share of a measured time, by its bytes. Returns
 * its index. */
uint32_t ts_costing_measured(ts_costing *c, const ts_graph *g, uint32_t like, double seconds,
                             double share);
/* compiler/lower/recorded_step.c: sets `to_step`. False after errors. */
bool ts_costing_step(ts_costing *c, ts_session *s, const ts_graph *g);
/* Sets `cost` of every kernel of every class. False after errors. */
bool ts_costing_classes(ts_costing *c, const ts_graph *g, ts_sharding *sh);
/* Warns of what fits were asked beyond what they learned from (W0505), once for each source and
 * family, where it is a share of the time of all ops that matters. */
void ts_costing_tell(const ts_costing *c, const double *runs);
/* How often each kernel of the costing runs: once for each op of the graph, on each gpu by its
 * share of the ranks. */
double *ts_costing_runs(const ts_costing *c, const ts_graph *g, const ts_sharding *sh);
/* Seconds of each op, forward and backward, of one micro-batch, on these gpus. */
void ts_costing_seconds(const ts_costing *c, const ts_graph *g, const ts_sharding *sh,
                        uint32_t gpus, double *seconds);

/* compiler/lower/cost_sources.c: one source of the plan, ready to be asked. */
typedef struct ts_cost_chain ts_cost_chain;

ts_cost_chain *ts_cost_chain_new(ts_session *s, const ts_plan *plan, ts_value value,
                                 ts_source_name *name);
bool ts_cost_chain_ask(ts_session *s, const ts_cost_chain *a, const ts_cost_query *query,
                       uint32_t pass, ts_span span, ts_cost_answer *answer, bool *failed);
/* Whether it answers kernels of one pass alone. */
bool ts_cost_chain_minds_pass(const ts_cost_chain *a);
/* The gpu it is for alone, `on(gpu, ...)`; NULL: any that its device is. */
const ts_value *ts_cost_chain_gpu(const ts_cost_chain *a);
/* The table at the bottom, if there is one, for nearest rows. */
const ts_cost_source *ts_cost_chain_table(const ts_cost_chain *a);

#endif
