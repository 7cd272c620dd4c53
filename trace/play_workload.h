/* Workloads (trace/read/workload.h) as the programs of an IR: a stage of the pipeline is a program,
 * groups are products of axes. */
#ifndef TS_TRACE_PLAY_WORKLOAD_H
#define TS_TRACE_PLAY_WORKLOAD_H

#include "trace/program_maker.h"
#include "trace/workload_mesh.h"

/* A text workload lists all micro-batches of one stage. Cut into them, and into parts of the stage
 * (virtual stages), it is the work of a pipeline: lines before and behind are done once a step. */
typedef struct ts_workload_pipeline {
  uint32_t first, lines; /* of the first micro-batch; how many each has */
  uint32_t micro_batches, chunks;
} ts_workload_pipeline;
/* False: there is none, or the lines do not show its micro-batches. */
bool ts_workload_pipeline_of(const ts_events *e, const ts_workload_mesh *mesh,
                             ts_workload_pipeline *pipeline);

/* What a policy of an order goes by: of each part of a stage the computations' times, ps, forward,
 * of inputs and of weights. Their kernels are added to the IR. False with the error filled. */
typedef struct ts_workload_times { uint64_t pass[TS_LINE_PASSES]; } ts_workload_times;
bool ts_workload_part_times(ts_ir_builder *b, const ts_events *e, const ts_workload_pipeline *p,
                            const ts_rank_prices *prices, ts_workload_times *parts,
                            ts_error *error);

/* The order in which each rank of a pipeline works, one after the other. `stage` is virtual. */
typedef struct ts_workload_item {
  bool forward, input, weight; /* passes */
  uint32_t stage, chunk, micro_batch;
} ts_workload_item;
typedef struct ts_workload_order {
  uint32_t stages;          /* virtual */
  const uint32_t *rank_of;  /* [stages] */
  const uint32_t *first;    /* [pp + 1] into items */
  const ts_workload_item *items;
} ts_workload_order;

/* What is played, and what is in the file and is not. */
typedef struct ts_workload_facts {
  ts_workload_mesh mesh;
  uint32_t step, steps;      /* played, and how many there are; 0: the file has no steps */
  uint32_t events, left_out; /* of the step; of other steps and of what prepares the job */
  uint32_t computations;
  uint32_t alone;            /* calls of bytes over groups of one rank: they take no time */
  bool stages_alike;         /* several stages, of which the file has one list */
  bool pipelined;            /* and they are played as a pipeline */
  uint32_t untimed;          /* computations without a time: priced by what they state */
  uint32_t placeholders;     /* computations of 1 ns: nothing was measured */
  int64_t measured, measured_comm; /* ns of the step, of its communication; -1: not recorded */
  int64_t micro_batches, virtual_stages, stage_bytes; /* of a pipeline that no line has; or -1 */
} ts_workload_facts;

/* Appends axes, groups, streams, fragments and programs to an IR. `pipeline` and `order` may be
 * NULL: sections are stages, or all ranks do the same. False with the error filled. */
bool ts_workload_play(ts_ir_builder *b, const ts_events *e, const ts_workload_mesh *mesh,
                      int64_t step, const ts_workload_pipeline *pipeline,
                      const ts_workload_order *order, const ts_rank_prices *prices,
                      ts_workload_facts *facts, ts_error *error);

#endif
