/* trainspec table: a table of costs from traces. */
#include "compiler/import/optable.h"
#include "tools/programs.h"
#include "tools/trace_open.h"

enum { OUTPUT = 1 };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", "Table"},
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE...", NULL};
static const char *const notes[] = {
  "FILE is a trace of the PyTorch profiler that was recorded with shapes, plain or",
  "gzip. Several are put together: ranks or runs of one device.",
  "",
  "Examples:",
  "$ -o ops.csv rank0.json.gz   # then, in a plan: costs = table(\"ops.csv\")",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program = {
  .summary = "TrainSpec: a table of what operators take, from traces, for the costs of a plan.",
  .usage = usage, .options = options, .notes = notes, .manual = "trainspec(1)",
};

typedef struct result { const ts_op_table *table; const ts_events *const *traces; uint32_t count; } result;

static void put(void *closure, FILE *out)
{
  const result *r = closure;
  ts_op_table_write(r->table, r->traces, r->count, out);
}

static int make(ts_trace_task *t)
{
  TS_VEC(const ts_events *) traces = {0};
  for (size_t i = 0; i < t->paths.count; i++) {
    const ts_events *e = ts_trace_task_read(t, t->paths.at[i], &(ts_events_options){.no_memory = true, .modules = true});
    if (!e)
      return TS_EXIT_REJECTED;
    TS_PUSH(t->arena, &traces, e);
  }
  result r = {ts_op_table_new(t->arena, traces.at, (uint32_t)traces.count), traces.at, (uint32_t)traces.count};
  if (r.table->rows.count)
    return ts_trace_task_write(t, put, &r);
  ts_diag *d = ts_diag_add(t->diags, TS_E0525, TS_NO_SPAN, "cannot make a table of `%s`: no operator with shapes ran on a device", t->paths.at[0]);
  ts_diag_help(d, "record with torch.profiler.profile(record_shapes=True)");
  return TS_EXIT_REJECTED;
}

int ts_table_main(int argc, char **argv)
{
  ts_trace_task t = ts_trace_task_start(&program, argc, argv);
  int status = -1;
  for (int id; status < 0 && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = t.options.status; break;
    case TS_OPERAND: TS_PUSH(t.arena, &t.paths, t.options.argument); break;
    case OUTPUT: t.output = t.options.argument; break;
    }
  if (status < 0 && !t.paths.count)
    status = ts_options_wrong(&t.options, "no file given");
  return ts_trace_task_end(&t, status < 0 ? make(&t) : status);
}
