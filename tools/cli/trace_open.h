/* What `trainspec trace`, `table` and `replay` share: opening traces, and reporting what is wrong
 * with them. */
#ifndef TS_TOOLS_CLI_TRACE_OPEN_H
#define TS_TOOLS_CLI_TRACE_OPEN_H

#include "base/options.h"
#include "base/output.h"
#include "runtime/account/result.h"
#include "trace/read/events.h"

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
/* "cannot WHAT `path`: ...", with where and the help, into the queue. Returns the exit code. */
int ts_trace_task_refuse(ts_trace_task *t, const char *what, const char *path,
                         const ts_error *error);
/* Calls `put` with a stream for the output: a file that is replaced whole, or standard output. */
int ts_trace_task_write(ts_trace_task *t, ts_print *put, void *closure);
/* Verifies what was made of `path`, writes it to the output if there is one (which is then done),
 * and plays it. NULL after a message, with the exit code. */
ts_run *ts_trace_task_play(ts_trace_task *t, const ts_ir *ir, const char *path, int *status);
/* Prints the queue, frees, and returns the exit code: `status`, or that of the queue if it holds
 * errors. */
int ts_trace_task_end(ts_trace_task *t, int status);

#endif
