/* trainspec replay of execution graphs: all ranks of a job together, on a machine that is given as numbers. */
#ifndef TS_TOOLS_REPLAY_GRAPH_H
#define TS_TOOLS_REPLAY_GRAPH_H

#include "compiler/import/rank_graph.h"
#include "tools/trace_open.h"

/* "400T:3T:450G:5us": FLOP/s, bytes/s of memory and of a rank's link, and latency. False: it is none. */
bool ts_machine_read(const char *text, ts_graph_machine *machine);

/* The exit code. `first`: of the paths, when it has been read already, or NULL. */
int ts_replay_graphs(ts_trace_task *t, ts_events *first, const ts_graph_machine *machine, bool json);

/* The graphs of all paths of the task by rank. NULL after telling what is wrong. */
const ts_events **ts_graphs_read(ts_trace_task *t, ts_events *first);

#endif
