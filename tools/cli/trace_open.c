#include "tools/cli/trace_open.h"

#include <string.h>

#include "runtime/report/report.h"
#include "tools/cli/progress.h"

ts_trace_task ts_trace_task_start(const ts_program *program, int argc, char **argv)
{
  ts_trace_task t = {.arena = ts_arena_new("trace")};
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  t.options = ts_options_start(program, argc, argv);
  return t;
}

int ts_trace_task_refuse(ts_trace_task *t, const char *what, const char *path,
                         const ts_error *error)
{
  ts_diag_add_error(t->diags, TS_E0525, error, "cannot %s `%s`", what, path);
  return TS_EXIT_REJECTED;
}

ts_events *ts_trace_task_read(ts_trace_task *t, const char *path, const ts_events_options *options)
{
  ts_error error = {0};
  ts_progress_bar bar;
  ts_progress progress = ts_progress_shown(&bar);
  ts_events_options watched = options ? *options : (ts_events_options){0};
  watched.progress = &progress;
  ts_events *e = ts_events_read(t->arena, path, &watched, &error);
  ts_progress_end(&bar);
  if (e)
    return e;
  if (error.kind == TS_ERROR_UNREADABLE) {
    ts_diag_add(t->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, error.message);
    return NULL;
  }
  ts_trace_task_refuse(t, "read the trace", path, &error);
  return NULL;
}

int ts_trace_task_write(ts_trace_task *t, ts_print *put, void *closure)
{
  if (!t->output || strcmp(t->output, "-") == 0) {
    put(closure, stdout);
    return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
  }
  int error = ts_print_file(t->output, put, closure);
  if (error)
    ts_diag_add(t->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", t->output,
                strerror(error));
  return TS_EXIT_DONE;
}

ts_run *ts_trace_task_play(ts_trace_task *t, const ts_ir *ir, const char *path, int *status)
{
  ts_error error = {0};
  *status = TS_EXIT_REJECTED;
  if (ts_ir_verify(ir, &error) < 0) {
    ts_trace_task_refuse(t, "replay", path, &error);
    return NULL;
  }
  if (t->output && ts_ir_write_file(ir, t->output, &error) < 0) {
    ts_diag_add(t->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", t->output, error.message);
    return NULL;
  }
  t->output = NULL;
  ts_stop stop = {.arena = t->arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  if (!run) {
    ts_stop_print(&stop, t->options.called, stderr);
    *status = stop.exit_code;
  }
  return run;
}

int ts_trace_task_end(ts_trace_task *t, int status)
{
  int rejected = ts_options_report(&t->options, t->diags);
  ts_arena_free(t->arena);
  return rejected ? rejected : status;
}
