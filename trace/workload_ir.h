/* Workloads (trace/read/workload.h) as an IR: all ranks of a job, on the axes that the groups of
 * the files name. */
#ifndef TS_TRACE_WORKLOAD_IR_H
#define TS_TRACE_WORKLOAD_IR_H

#include "ir/ir.h"
#include "trace/machine_ir.h"
#include "trace/read/workload.h"

/* Axes from the one whose ranks are neighbours to the one whose ranks are farthest apart, as
 * Megatron-LM orders them. Ranks of data parallel groups differ on `ep` and `dp`. */
enum { TS_WORKLOAD_TP, TS_WORKLOAD_EP, TS_WORKLOAD_DP, TS_WORKLOAD_PP, TS_WORKLOAD_AXES };

typedef struct ts_workload_choice {
  uint32_t size[TS_WORKLOAD_AXES]; /* 0: as the file says */
  int64_t step;                    /* from 1; 0: the last one */
} ts_workload_choice;

/* "tp=8,dp=16": sizes of axes, each at most once. False: it is none. */
bool ts_workload_mesh_read(const char *text, ts_workload_choice *choice);

/* What is played, and what is in the file and is not. */
typedef struct ts_workload_facts {
  uint32_t size[TS_WORKLOAD_AXES], world;
  uint32_t step, steps;    /* played, and how many there are; 0: the file has no steps */
  uint32_t events, left_out; /* of the step; of other steps and of what prepares the job */
  uint32_t computations;
  bool stages_alike;       /* several stages, of which the file has one list */
  uint32_t untimed;        /* computations without a time, priced by --machine or taken as 0 */
  uint32_t placeholders;   /* computations of 1 ns: AICB writes it where nothing was measured */
  int64_t measured, measured_comm; /* ns of the step, of its communication; -1: not recorded */
  int64_t micro_batches, virtual_stages, stage_bytes; /* of a pipeline that no line has; or -1 */
} ts_workload_facts;

/* On the cluster and networks of a plan's IR, or, if that is NULL, of `machine`, which may be NULL
 * too: then nothing communicates. NULL with the error filled. */
ts_ir_builder *ts_workload_ir(const ts_events *e, const ts_workload_choice *choice,
                              const ts_graph_machine *machine, const ts_ir *plan,
                              ts_workload_facts *facts, ts_error *error);

#endif
