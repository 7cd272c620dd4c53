/* Workloads of AICB, SimAI and ASTRA-sim as what ranks of a plan do: their mesh, and the order of
 * work of a pipeline that the file has one stage of. */
#ifndef TS_COMPILER_REPLAY_WORKLOAD_H
#define TS_COMPILER_REPLAY_WORKLOAD_H

#include "compiler/eval/mesh.h"
#include "compiler/lower/lowering.h"
#include "trace/play_workload.h"

typedef struct ts_replayed_workload {
  const ts_events *e;
  ts_workload_choice choice;
  ts_workload_mesh mesh;
  bool pipelined;                 /* then: */
  ts_workload_pipeline pipeline;
  ts_workload_order order;
  ts_schedule *placed;            /* whose order that is, or, of a policy, will be */
  ts_mesh placed_on;              /* of which its axes are */
  uint32_t axes_as[32];           /* by axis of the plan's mesh: as bits of its own */
} ts_replayed_workload;

/* Sizes are those of the session's choice, or of a plan of its own: the plan's `mesh`. The
 * session's mesh then is the workload's. False after messages, or with the error filled. */
bool ts_replayed_workload_new(ts_session *s, const ts_plan *plan, const ts_events *e,
                              ts_replayed_workload *w, ts_error *error);
/* Finds the order of a policy, now that times are known. False after messages, or with the error
 * filled. */
bool ts_replayed_workload_settle(ts_lowering *l, ts_replayed_workload *w,
                                 const ts_rank_prices *prices, ts_error *error);
/* What it rests on, as lines of *Assumed*. */
void ts_replayed_workload_tell(ts_lowering *l, const ts_replayed_workload *w,
                               const ts_workload_facts *facts);

#endif
