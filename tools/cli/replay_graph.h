/* trainspec replay of execution graphs and GOAL schedules: all ranks of a job together, on a
 * machine that is given as numbers. */
#ifndef TS_TOOLS_CLI_REPLAY_GRAPH_H
#define TS_TOOLS_CLI_REPLAY_GRAPH_H

#include "base/json_writer.h"
#include "tools/cli/trace_open.h"
#include "trace/read/rank_graph.h"

/* "400T:3T:450G:5us": FLOP/s, bytes/s of memory and of a rank's link, and latency. False: it is
 * none. */
bool ts_machine_read(const char *text, ts_graph_machine *machine);

/* The exit code. `first` of the paths has been read. */
int ts_replay_graphs(ts_trace_task *t, ts_events *first, const ts_graph_machine *machine,
                     bool json);

/* What a report says beside times: lines of text, and members of the JSON's object. */
typedef struct ts_replay_notes {
  void (*text)(void *closure, uint64_t step, FILE *out); /* step: ps */
  void (*json)(void *closure, ts_json_writer *w);
  void *closure;
} ts_replay_notes;

/* Plays an IR that was made of `file`, and reports it. `notes` may be NULL. */
int ts_replay_made(ts_trace_task *t, const ts_ir *ir, const char *file, bool json,
                   const ts_replay_notes *notes);

/* Does a table hold what all ranks are played from: the graph of one, or a schedule of all? */
bool ts_is_graph(const ts_events *e);
/* The ranks of the graphs or the schedule of the task's paths, the first of which has been read.
 * NULL after reporting what is wrong. */
const ts_events **ts_graphs_read(ts_trace_task *t, ts_events *first, uint32_t *count);

#endif
