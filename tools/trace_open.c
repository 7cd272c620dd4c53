#include "tools/trace_open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

ts_trace_task ts_trace_task_start(const ts_program *program, int argc, char **argv)
{
  ts_trace_task t = {.arena = ts_arena_new("trace")};
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  t.options = ts_options_start(program, argc, argv);
  return t;
}

ts_events *ts_trace_task_read(ts_trace_task *t, const char *path, const ts_events_options *options)
{
  ts_import_error error = {0};
  ts_events *e = ts_events_read(t->arena, path, options, &error);
  if (e)
    return e;
  if (error.system) {
    ts_diag_add(t->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, error.message);
    return NULL;
  }
  ts_diag *d = ts_diag_add(t->diags, TS_E0525, TS_NO_SPAN, "cannot read the trace `%s`: %s", path, error.message);
  if (error.line)
    ts_diag_fact(d, "where", "line %" PRIu64 ", byte %" PRIu64 " of the text", error.line, error.offset);
  else if (error.offset)
    ts_diag_fact(d, "where", "byte %" PRIu64, error.offset);
  if (error.help[0])
    ts_diag_help(d, "%s", error.help);
  return NULL;
}

int ts_trace_task_write(ts_trace_task *t, void (*put)(void *closure, FILE *out), void *closure)
{
  if (!t->output || strcmp(t->output, "-") == 0) {
    put(closure, stdout);
    return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
  }
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!memory)
    abort(); /* out of memory, as in the arena */
  put(closure, memory);
  fclose(memory);
  int error = ts_write_file(t->output, text, size);
  free(text);
  if (error)
    ts_diag_add(t->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", t->output, strerror(error));
  return TS_EXIT_DONE;
}

int ts_trace_task_end(ts_trace_task *t, int status)
{
  int rejected = ts_options_report(&t->options, t->diags);
  ts_arena_free(t->arena);
  return rejected ? rejected : status;
}
