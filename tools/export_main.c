/* trainspec export: a plan, an IR or a trace in the formats of other simulators. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "compiler/compile.h"
#include "compiler/launch_line.h"
#include "runtime/report/report.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/played_calls.h"
#include "tools/cli/programs.h"
#include "tools/cli/replay_graph.h"
#include "tools/cli/replay_workload.h"
#include "tools/cli/progress.h"
#include "tools/cli/trace_open.h"
#include "trace/chakra_ranks.h"
#include "trace/play_rank_graph.h"
#include "trace/replay.h"
#include "trace/write/export.h"

enum { FORMAT = 1, OUTPUT, MACHINE, ON, MESH, FOR };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "chakra, goal, goal-binary, graph, aicb or simai (chakra)",
   "Export"},
  {OUTPUT, 'o', "output", "NAME",
   "chakra: NAME.RANK.et and NAME.groups.json; graph: NAME.RANK.json; others: the file", NULL},
  {ON, 0, "on", "PLAN", "for graphs and workloads: the plan on whose machine they run", NULL},
  {MESH, 0, "mesh", "SIZES", "for workloads: sizes of their groups, as tp=8,ep=2,dp=16,pp=4", NULL},
  {FOR, 0, "for", "NAME", "for `launch`: the framework; std.frameworks.launch has which", NULL},
  {MACHINE, 0, "machine", "F:B:L:T", "for execution graphs without times, as in trainspec replay",
   NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... -o NAME FILE...",
                                    "[OPTION]... launch PLAN --for NAME", NULL};
static const char *const notes[] = {
  "FILE is a plan (.ts, .trainspec), an IR (.ir, .tsir), a recording of one rank, a",
  "GOAL schedule, a workload, or, several, the execution graphs of all ranks.",
  "Formats of recordings: "
#define FORMAT(id, record, name, file, remedy, table, plays, slows) TS_FORMAT_##plays(name ", ")
#include "trace/read/formats.def"
#undef FORMAT
  "plain or gzip.",
  "",
  "Examples:",
  "$ -o job plan.ts                    # job.0.et ... for ASTRA-sim",
  "$ --format=goal -o job.goal plan.ir # for LogGOPSim",
  "$ launch plan.ts --for NAME         # the arguments that start such a job",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program =
  TS_COMMAND("writes the operations of ranks as Chakra traces, execution graphs or a GOAL "
             "schedule.");

typedef struct export_task {
  ts_trace_task t;
  ts_plan_options plan;
  ts_export_form form;
  bool binary; /* GOAL */
  const char *framework;            /* `launch`: for which; or NULL */
  ts_graph_machine machine, *given; /* given: &machine, or NULL */
  const char *on; /* a plan, or NULL */
  ts_workload_choice choice;
  ts_progress_bar bar;
  ts_progress progress;
} export_task;

/* ---- Files, rank by rank ---- */

static bool cannot_write(export_task *k, const char *path, int error)
{
  ts_diag *d = error ? ts_diag_add(k->t.diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", path,
                                   strerror(error)) :
                       NULL;
  if (error == ENOSPC)
    ts_diag_help(
      d,
      "ranks that were written are whole files; `-D` sets the plan's parameters for a smaller job");
  return error != 0;
}

static bool is_one_file(ts_export_form form)
{
  return form == TS_EXPORT_GOAL || form == TS_EXPORT_AICB || form == TS_EXPORT_SIMAI;
}

static const char *path_of(const export_task *k, ts_arena *work, uint32_t rank)
{
  return is_one_file(k->form) ?
           k->t.output :
           ts_arena_printf(work, k->form == TS_EXPORT_GRAPH ? "%s.%u.json" : "%s.%u.et",
                           k->t.output, rank);
}

/* What is written of a rank: a file of its own, or what comes next in the one file. */
typedef struct sink {
  export_task *k;
  ts_output file;
  uint32_t world;
} sink;

/* last: of those that are written. */
static bool export_put_rank(sink *s, ts_export *x, uint32_t rank, bool last, ts_error *error)
{
  ts_arena *work = ts_arena_new("path");
  const char *path = path_of(s->k, work, rank);
  bool whole = is_one_file(s->k->form), good = true;
  if (!s->file.out) {
    good = !cannot_write(s->k, path, ts_output_open(&s->file, path));
    if (good && s->k->form == TS_EXPORT_GOAL)
      ts_goal_write_head(s->world, s->file.out);
  }
  good = good && ts_export_write(x, s->file.out, error);
  if (s->file.out && (!good || !whole || last || ferror(s->file.out)))
    good = !cannot_write(s->k, path, ts_output_close(&s->file, good)) && good;
  ts_arena_free(work);
  return good;
}

static int export_ranks(export_task *k, const ts_events *const *ranks, uint32_t count)
{
  ts_error error = {0};
  sink s = {.k = k, .world = count};
  bool good = true;
  for (uint32_t r = 0; r < count && good; r++) {
    ts_arena *work = ts_arena_new("rank");
    ts_export *x = ts_export_new(work, k->form, ranks[r], count, 0);
    good = export_put_rank(&s, x, r, r + 1 == count, &error);
    ts_tick_counted(&k->progress, "writing ranks", (r + 1.0) / count, "ranks", r + 1.0);
    ts_arena_free(work);
  }
  ts_progress_end(&k->bar);
  return error.message[0] ? ts_trace_task_refuse(&k->t, "export", k->t.paths.at[0], &error) :
                            TS_EXIT_DONE;
}

static void print_groups(void *closure, FILE *out) { ts_chakra_write_groups(closure, out); }

typedef struct export_played {
  ts_played_calls *calls;
  ts_call_plan plan;
} export_played;

/* How many ranks one that is written stands for: of workloads those of its program, which are
 * neighbours where the axis of the pipeline is the outermost one. */
static uint32_t ranks_each(const export_task *k, const ts_ir *ir)
{
  uint32_t axis = ir->meta->pipeline_axis;
  return k->form == TS_EXPORT_SIMAI                        ? ir->meta->world :
         k->form == TS_EXPORT_AICB && axis != TS_IR_NONE ? ir->axes[axis].stride :
         k->form == TS_EXPORT_AICB                         ? ir->meta->world :
                                                             1;
}

/* GOAL has no calls of several ranks: it gets the messages that are played. False after a
 * message. */
static bool take_calls(export_task *k, const ts_ir *ir, export_played *p, int *status)
{
  ts_stop stop = {.arena = k->t.arena};
  if (k->form != TS_EXPORT_GOAL)
    return true;
  p->calls = ts_played_calls_new(k->t.arena, ir, &stop);
  if (p->calls) {
    p->plan = ts_played_calls_plan(p->calls);
    return true;
  }
  ts_stop_print(&stop, k->t.options.called, stderr);
  *status = stop.exit_code;
  return false;
}

static void tell_left(export_task *k, const export_played *p)
{
  const char *left = p->calls ? ts_played_calls_left(p->calls, k->t.arena) : "";
  if (*left)
    ts_put_text(stderr,
                "%s: calls that switches have a part in are written as rings, as GOAL has no "
                "switches: %s\n",
                k->t.options.called, left);
}

static int export_ir(export_task *k, const ts_ir *ir)
{
  ts_arena *arena = k->t.arena;
  ts_error error = {0};
  export_played p = {0};
  int status;
  if (!take_calls(k, ir, &p, &status))
    return status;
  ts_ir_ranks *ranks = ts_ir_ranks_new(arena, ir);
  ts_export **of_program = TS_NEW_ARRAY(arena, ts_export *, ir->programs_count + 1);
  sink s = {.k = k, .world = ir->meta->world};
  bool good = true;
  uint32_t step = ranks_each(k, ir), axis = ir->meta->pipeline_axis;
  if (k->form == TS_EXPORT_AICB && axis != TS_IR_NONE &&
      (uint64_t)ir->axes[axis].stride * ir->axes[axis].size != s.world)
    ts_fail(&error, "put the axis of the pipeline last in `mesh`",
            "the ranks of a stage are no neighbours, which sections of AICB list");
  good = !error.message[0];
  for (uint32_t r = 0; r < s.world && good; r += step) {
    const ts_events *e = ts_ir_ranks_at(ranks, r);
    ts_export **x = &of_program[ts_ir_ranks_program(ranks, r)];
    if (!*x)
      *x = ts_export_new(arena, k->form, e, s.world, ir->programs_count);
    if (p.calls)
      ts_export_calls(*x, &p.plan);
    good = export_put_rank(&s, *x, r, step >= s.world - r, &error);
    ts_tick_counted(&k->progress, "writing ranks", (r + 1.0) / s.world, "ranks", r + 1.0);
  }
  ts_progress_end(&k->bar);
  const char *groups = ts_arena_printf(arena, "%s.groups.json", k->t.output);
  if (good && k->form == TS_EXPORT_CHAKRA)
    cannot_write(k, groups, ts_print_file(groups, print_groups, (void *)(uintptr_t)ir));
  tell_left(k, &p);
  return error.message[0] ? ts_trace_task_refuse(&k->t, "export", k->t.paths.at[0], &error) :
                            TS_EXIT_DONE;
}

/* ---- What is exported ---- */

/* An IR made of recordings; frees it. */
static int export_made(export_task *k, ts_ir_builder *b)
{
  ts_ir ir;
  ts_error error;
  ts_ir_builder_view(b, &ir);
  int status = ts_ir_verify(&ir, &error) < 0 ?
                 ts_trace_task_refuse(&k->t, "export", k->t.paths.at[0], &error) :
                 export_ir(k, &ir);
  ts_ir_builder_free(b);
  return status;
}

/* By way of the IR, which has times, and streams as dependencies. */
static int export_graphs(export_task *k, const ts_events *const *ranks, uint32_t count)
{
  int status;
  ts_input input = {0};
  const ts_replay_place place = {.machine = k->given, .plan = k->on, .options = k->plan.compile};
  if (!ts_graphs_compile(&k->t, ranks, count, &place, &input, &status))
    return status;
  status = export_ir(k, &input.ir);
  ts_input_close(&input);
  return status;
}

static int export_workload(export_task *k, const ts_events *e)
{
  int status;
  ts_input input = {0};
  ts_workload_facts facts;
  const ts_replay_place place = {.machine = k->given, .plan = k->on, .options = k->plan.compile};
  if (!ts_workload_compile(&k->t, e, &k->choice, &place, &facts, &input, &status))
    return status;
  status = export_ir(k, &input.ir);
  ts_input_close(&input);
  return status;
}

static void print_binary(void *closure, FILE *out) { ts_goal_binary_write(closure, out); }

/* From text, or from the same. */
static int export_binary(export_task *k, const char *path)
{
  ts_error error = {0};
  ts_goal_job *s = ts_goal_job_read(path, &error);
  if (!s && error.kind == TS_ERROR_UNREADABLE) {
    ts_diag_add(k->t.diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, error.message);
    return TS_EXIT_REJECTED;
  }
  if (!s && !error.message[0])
    ts_fail(&error, "export --format=goal first", "the binary form is made of a GOAL schedule");
  else if (s && s->cut)
    ts_fail(&error, "copy the file again", "the file ends early");
  else
    cannot_write(k, k->t.output, s ? ts_print_file(k->t.output, print_binary, s) : 0);
  ts_goal_job_free(s);
  return error.message[0] ? ts_trace_task_refuse(&k->t, "export", path, &error) : TS_EXIT_DONE;
}

static int several(export_task *k)
{
  return ts_options_wrong(&k->t.options, "one file at a time: `%s` and `%s`", k->t.paths.at[0],
                          k->t.paths.at[1]);
}

static int export_trace(export_task *k, const char *path)
{
  ts_error error = {0};
  ts_events *e = ts_trace_task_read(&k->t, path, &(ts_events_options){.no_memory = true});
  if (e && e->workload && k->t.paths.count == 1)
    return export_workload(k, e);
  if (e && (ts_is_rank_graph(e) || ts_is_chakra(e))) {
    uint32_t count;
    const ts_events **ranks = ts_graphs_read(&k->t, e, &count);
    return !ranks                     ? TS_EXIT_REJECTED :
           k->form == TS_EXPORT_GRAPH ? export_ranks(k, ranks, count) :
                                        export_graphs(k, ranks, count);
  }
  if (k->t.paths.count > 1)
    return several(k);
  if (!e)
    return TS_EXIT_REJECTED;
  ts_replay *r = ts_replay_new(k->t.arena, e, NULL, &error);
  return r ? export_made(k, r->ir) : ts_trace_task_refuse(&k->t, "export", path, &error);
}

static bool ends_with(const char *path, const char *end)
{
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

static void print_launch(void *closure, FILE *out) { ts_put_lines(out, closure); }

/* The words `launch` and a plan. */
static int export_launch(export_task *k)
{
  ts_options *o = &k->t.options;
  if (k->t.paths.count != 2 || strcmp(k->t.paths.at[0], "launch") != 0)
    return ts_options_wrong(o, "`--for` goes with `launch PLAN`");
  ts_session *s = ts_session_new(k->t.arena);
  ts_compile_settings(s, &k->plan.compile);
  const char *const *names = ts_launch_frameworks(s), *text = NULL;
  for (size_t i = 0; names[i]; i++)
    if (strcmp(names[i], k->framework) == 0)
      text = ts_launch_text(s, k->t.paths.at[1], k->plan.compile.plan_name, names[i]);
  if (!text && !ts_diags_errors(s->diags))
    return ts_options_not_among(o, "framework", k->framework, names);
  int status = ts_options_report(o, s->diags);
  return status || !text ? TS_EXIT_REJECTED :
                           ts_options_write(o, k->t.output, print_launch, (void *)(uintptr_t)text);
}

static int export_run(export_task *k)
{
  if (k->framework)
    return export_launch(k);
  const char *path = k->t.paths.at[0];
  if (k->binary)
    return k->t.paths.count > 1 ? several(k) : export_binary(k, path);
  bool plan = ends_with(path, ".ts") || ends_with(path, ".trainspec");
  if (!plan && !ends_with(path, ".ir") && !ends_with(path, ".tsir"))
    return export_trace(k, path);
  if (k->t.paths.count > 1)
    return several(k);
  ts_session *s = ts_session_new(k->t.arena);
  ts_input input = {0};
  bool opened = ts_input_open(s, path, &k->plan.compile, &input);
  int status = opened ? export_ir(k, &input.ir) : TS_EXIT_REJECTED;
  int rejected = ts_options_report(&k->t.options, s->diags);
  if (opened)
    ts_input_close(&input);
  return opened ? status : rejected;
}

int ts_export_main(int argc, char **argv)
{
  static const char *const forms[] = {"chakra", "goal", "graph", "aicb", "simai", "goal-binary",
                                     NULL};
  export_task k = {.t = ts_trace_task_start(&program, argc, argv)};
  int form = 0, status = -1;
  k.progress = ts_progress_shown(&k.bar);
  for (int id; !k.t.options.status && (id = ts_options_next(&k.t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: return ts_trace_task_end(&k.t, k.t.options.status);
    case TS_OPERAND: TS_PUSH(k.t.arena, &k.t.paths, k.t.options.argument); break;
    case OUTPUT: k.t.output = k.t.options.argument; break;
    case MACHINE:
      k.given = &k.machine;
      if (!ts_machine_read(k.t.options.argument, k.given))
        ts_options_wrong(
          &k.t.options,
          "`--machine` takes FLOPS:BANDWIDTH:LINK:LATENCY as 400T:3T:450G:5us, not `%s`",
          k.t.options.argument);
      break;
    case ON: k.on = k.t.options.argument; break;
    case FOR: k.framework = k.t.options.argument; break;
    case MESH:
      if (!ts_workload_mesh_read(k.t.options.argument, &k.choice))
        ts_options_wrong(&k.t.options, "`--mesh` takes sizes as tp=8,ep=2,dp=16,pp=4, not `%s`",
                         k.t.options.argument);
      break;
    case FORMAT: form = ts_options_choice(&k.t.options, forms); break;
    default: ts_plan_option(&k.plan, k.t.arena, &k.t.options, id); break;
    }
  status = k.t.options.status ? k.t.options.status : -1;
  k.binary = form == 5;
  k.form = k.binary ? TS_EXPORT_GOAL : (ts_export_form)form; /* as `forms` */
  if (status < 0 && !k.t.paths.count)
    status = ts_options_wrong(&k.t.options, "no file given");
  if (status < 0 && !k.framework && strcmp(k.t.paths.at[0], "launch") == 0)
    status = ts_options_wrong(&k.t.options, "for which framework? `--for NAME`");
  if (status < 0 && !k.t.output && !k.framework)
    status = ts_options_wrong(&k.t.options, "where to? `-o NAME`");
  if (status < 0 && k.t.output && !k.framework && !strcmp(k.t.output, "-") &&
      (k.binary || !is_one_file(k.form)))
    status = ts_options_wrong(
      &k.t.options, "`-o -` needs `--format=goal`, aicb or simai: others write a file a rank");
  return ts_trace_task_end(&k.t, status < 0 ? export_run(&k) : status);
}
