/* trainspec replay of workloads: all ranks together, on the machine of a plan, or on one that is
 * given as numbers. */
#ifndef TS_TOOLS_CLI_REPLAY_WORKLOAD_H
#define TS_TOOLS_CLI_REPLAY_WORKLOAD_H

#include "tools/cli/replay_graph.h"
#include "trace/play_workload.h"

/* The IR of a workload, to be closed; false after reporting what is wrong. */
bool ts_workload_compile(ts_trace_task *t, const ts_events *e, const ts_workload_choice *choice,
                         const ts_replay_place *place, ts_workload_facts *facts, ts_input *input,
                         int *status);
/* The exit code. */
int ts_replay_workload(ts_trace_task *t, const ts_events *e, const ts_workload_choice *choice,
                       const ts_replay_place *place, bool json);

#endif
