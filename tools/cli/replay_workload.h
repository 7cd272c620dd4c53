/* trainspec replay of workloads: all ranks together, on the cluster and networks of a plan, or on a
 * machine that is given as numbers. */
#ifndef TS_TOOLS_CLI_REPLAY_WORKLOAD_H
#define TS_TOOLS_CLI_REPLAY_WORKLOAD_H

#include "tools/cli/trace_open.h"
#include "trace/workload_ir.h"

typedef struct ts_workload_run {
  ts_workload_choice choice;
  const ts_graph_machine *machine; /* or NULL */
  const char *plan;                /* a file, or NULL */
} ts_workload_run;

/* The IR of a workload; NULL after reporting what is wrong. */
ts_ir_builder *ts_workload_made(ts_trace_task *t, const ts_events *e, const ts_workload_run *run,
                                ts_workload_facts *facts);
/* The exit code. */
int ts_replay_workload(ts_trace_task *t, const ts_events *e, const ts_workload_run *run, bool json);

#endif
