/* trainspec table: a table of costs from traces. */
#include "tools/cli/programs.h"
#include "tools/cli/trace_open.h"
#include "trace/join.h"
#include "trace/model_table.h"
#include "trace/optable.h"

enum { OUTPUT = 1, MODEL };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", "Table"},
  {MODEL, 'm', "model", NULL, "operators in order with what they take, for trace(...)", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE...", NULL};
static const char *const notes[] = {
  "FILE is a trace of the PyTorch profiler that was recorded with shapes, or without",
  "and beside it the execution trace of the same steps, which has them; or an execution",
  "graph with times. Several are put together: ranks or runs of one device.",
  "Formats: "
#define FORMAT(id, record, name, file, remedy, table, plays, slows) TS_FORMAT_##table(name ", ")
#include "trace/read/formats.def"
#undef FORMAT
  "plain or gzip.",
  "",
  "Examples:",
  "$ -o ops.csv rank0.json.gz   # then, in a plan: costs = table(\"ops.csv\")",
  "$ -o ops.csv profile.json execution.json",
  "$ --model -o model.csv graph.0.json   # model = trace(\"model.csv\", recorded())",
  "$ --model -o model.csv profile.json execution.json",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program =
  TS_COMMAND("makes a table of operator times from traces, for the costs of a plan.");

typedef struct result {
  const ts_op_table *table;
  const ts_events *const *traces;
  uint32_t count;
} result;

static void table_put(void *closure, FILE *out)
{
  const result *r = closure;
  ts_op_table_write(r->table, r->traces, r->count, out);
}

static void put_model(void *closure, FILE *out)
{
  const ts_model_table *table = closure;
  ts_model_table_write(table, table->step->source, out);
}

typedef struct inputs { TS_VEC(ts_events *) traces, shapes; } inputs; /* shapes: execution traces */

static int table_refuse(ts_trace_task *t, const char *path, const char *help, const char *wrong)
{
  ts_error error = {0};
  ts_fail(&error, help, "%s", wrong);
  return ts_trace_task_refuse(t, "make a table of", path, &error);
}

/* One execution trace for each profile, in their order, or one for all. */
static int table_join(ts_trace_task *t, inputs *in)
{
  for (size_t i = 0; in->shapes.count && i < in->traces.count; i++)
    if (in->traces.at[i]->format != TS_TRACE_KINETO)
      return table_refuse(t, in->traces.at[i]->file, NULL,
                          "an execution trace has the shapes of profiles alone");
  if (in->shapes.count && !in->traces.count)
    return table_refuse(t, in->shapes.at[0]->file, "give the profile of the same steps, too",
                        "an execution trace has no times");
  if (in->shapes.count > 1 && in->shapes.count != in->traces.count)
    return table_refuse(
      t, in->shapes.at[0]->file,
      "give one execution trace for each profile, in the same order, or one for all",
      "there are not as many profiles as execution traces");
  for (size_t i = 0; in->shapes.count && i < in->traces.count; i++)
    if (!ts_events_join_shapes(in->traces.at[i], in->shapes.at[in->shapes.count > 1 ? i : 0]))
      return table_refuse(t, in->traces.at[i]->file, "record both in the same steps",
                          "it shares no operators with the execution trace");
  return TS_EXIT_DONE;
}

static int make_model(ts_trace_task *t, const inputs *in)
{
  ts_error error = {0};
  const ts_events *e = in->traces.count ? in->traces.at[0] : in->shapes.at[0];
  ts_step *step = NULL;
  bool profile = e->format == TS_TRACE_KINETO;
  if (in->traces.count != 1 || in->shapes.count > 1)
    return table_refuse(t, t->paths.at[0],
                        "give one graph with times, or a profile and its execution trace",
                        "a model is made of one recording");
  if (e->format == TS_TRACE_GRAPH && !in->shapes.count)
    step = ts_step_of_graph(t->arena, e, &error);
  else if (profile && in->shapes.count)
    step = ts_step_of_profile(t->arena, in->traces.at[0], in->shapes.at[0], &error);
  else
    return table_refuse(t, e->file,
                        profile ? "give the execution trace of the same step, too, or trace with "
                                  "`trainspec-trace --timed`" :
                                  "trace with `trainspec-trace --timed`",
                        "it does not say which tensors operators take");
  if (!step)
    return ts_trace_task_refuse(t, "make a model of", e->file, &error);
  ts_model_table *table = ts_model_table_new(t->arena, step);
  if (table->parameters)
    return ts_trace_task_write(t, put_model, table);
  return table_refuse(t, e->file, "record a whole step: forward, backward and optimizer",
                      "no operator takes a parameter");
}

static int make(ts_trace_task *t, bool model)
{
  inputs in = {0};
  for (size_t i = 0; i < t->paths.count; i++) {
    ts_events *e = ts_trace_task_read(t, t->paths.at[i],
                                      &(ts_events_options){.no_memory = true, .modules = true});
    if (!e)
      return TS_EXIT_REJECTED;
    if (e->format == TS_TRACE_EXECUTION)
      TS_PUSH(t->arena, &in.shapes, e);
    else
      TS_PUSH(t->arena, &in.traces, e);
  }
  if (model)
    return make_model(t, &in);
  int status = table_join(t, &in);
  if (status != TS_EXIT_DONE)
    return status;
  const ts_events *const *traces = (const ts_events *const *)in.traces.at;
  result r = {ts_op_table_new(t->arena, traces, (uint32_t)in.traces.count), traces,
              (uint32_t)in.traces.count};
  if (r.table->rows.count)
    return ts_trace_task_write(t, table_put, &r);
  return table_refuse(
    t, t->paths.at[0],
    "record with torch.profiler.profile(record_shapes=True), or give the execution "
    "trace of the same steps, too",
    "no operator with shapes ran on a device");
}

int ts_table_main(int argc, char **argv)
{
  ts_trace_task t = ts_trace_task_start(&program, argc, argv);
  int status = -1;
  bool model = false;
  for (int id; status < 0 && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = t.options.status; break;
    case TS_OPERAND: TS_PUSH(t.arena, &t.paths, t.options.argument); break;
    case OUTPUT: t.output = t.options.argument; break;
    case MODEL: model = true; break;
    }
  if (status < 0 && !t.paths.count)
    status = ts_options_wrong(&t.options, "no file given");
  return ts_trace_task_end(&t, status < 0 ? make(&t, model) : status);
}
