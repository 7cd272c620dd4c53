/* trainspec replay of execution graphs and GOAL schedules: all ranks of a job together, on the
 * machine of a plan, or on one that is given as numbers, which becomes a plan too. */
#ifndef TS_TOOLS_CLI_REPLAY_GRAPH_H
#define TS_TOOLS_CLI_REPLAY_GRAPH_H

#include "base/json_writer.h"
#include "compiler/compile.h"
#include "tools/cli/trace_open.h"
#include "compiler/replay/numbers.h"

/* Where ranks play; all may be left zero. */
typedef struct ts_replay_place {
  const ts_graph_machine *machine; /* given as numbers, or NULL */
  const char *plan;                /* the file of a plan, or NULL */
  ts_compile_options options;      /* of the plan */
  uint32_t devices;                /* of the numbers: 0: as many as files */
} ts_replay_place;

/* "400T:3T:450G:5us": FLOP/s, bytes/s of memory and of a rank's link, and latency. False: it is
 * none. */
bool ts_machine_read(const char *text, ts_graph_machine *machine);

/* The ranks of the graphs or the schedule of the task's paths, the first of which has been read.
 * NULL after reporting what is wrong. */
const ts_events **ts_graphs_read(ts_trace_task *t, ts_events *first, uint32_t *count);
/* What they play, as an IR. Its messages are reported; false: it has errors, *status is the exit
 * code. The session is freed with the task. */
bool ts_graphs_compile(ts_trace_task *t, const ts_events *const *ranks, uint32_t count,
                       const ts_replay_place *place, ts_input *input, int *status);

/* The exit code. `first` of the paths has been read. */
int ts_replay_graphs(ts_trace_task *t, ts_events *first, const ts_replay_place *place, bool json);

/* What a report says beside times: lines of text, and members of the JSON's object. */
typedef struct ts_replay_notes {
  void (*text)(void *closure, uint64_t step, FILE *out); /* step: ps */
  void (*json)(void *closure, ts_json_writer *w);
  void *closure;
} ts_replay_notes;

/* Plays an IR that was made of `file`, and reports it. `notes` may be NULL. */
int ts_replay_made(ts_trace_task *t, const ts_ir *ir, const char *file, bool json,
                   const ts_replay_notes *notes);

#endif
