/* trainspec replay of GOAL schedules in the LogGOPS model. */
#ifndef TS_TOOLS_CLI_REPLAY_SCHEDULE_H
#define TS_TOOLS_CLI_REPLAY_SCHEDULE_H

#include "tools/cli/trace_open.h"
#include "trace/loggops.h"
#include "compiler/replay/numbers.h"

/* Links of a machine: L is the latency, G the time of a byte, the others are 0. */
ts_loggops ts_loggops_of(const ts_graph_machine *machine);
/* The exit code; -1: the file is no schedule. */
int ts_replay_schedule(ts_trace_task *t, const char *path, const ts_loggops *model, bool json);

#endif
