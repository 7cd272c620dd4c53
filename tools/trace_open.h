/* What `trainspec trace`, `table` and `replay` share: opening traces, and telling what is wrong with them. */
#ifndef TS_TOOLS_TRACE_OPEN_H
#define TS_TOOLS_TRACE_OPEN_H

#include "base/options.h"
#include "compiler/import/events.h"

typedef struct ts_trace_task {
  ts_arena *arena;
  ts_options options;
  ts_diags *diags;
  TS_VEC(const char *) paths;
  const char *output;
} ts_trace_task;

ts_trace_task ts_trace_task_start(const ts_program *program, int argc, char **argv);
/* NULL after a message in the queue. */
ts_events *ts_trace_task_read(ts_trace_task *t, const char *path, const ts_events_options *options);
/* Calls `put` with a stream for the output: a file that is replaced whole, or standard output. */
int ts_trace_task_write(ts_trace_task *t, void (*put)(void *closure, FILE *out), void *closure);
/* Prints the queue, frees, and returns the exit code: `status`, or that of the queue if it holds errors. */
int ts_trace_task_end(ts_trace_task *t, int status);

#endif
