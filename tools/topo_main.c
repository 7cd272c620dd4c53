/* trainspec topo: draws the cluster of a plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/options.h"
#include "compiler/compile.h"
#include "runtime/account/run.h"
#include "runtime/report/report.h"
#include "runtime/report/topology.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/play_warnings.h"
#include "tools/cli/programs.h"

typedef enum form { TEXT, JSON, HTML, SVG, DOT } form;

enum { FORMAT = 1, PATHS, RUN, OUTPUT, MOST };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text, json, html, svg or dot (Graphviz) (text)", "Drawing"},
  {RUN, 0, "run", NULL, "simulate a step, and say how busy it keeps the links", NULL},
  {PATHS, 0, "paths", NULL, "list the path between each pair of devices, link by link", NULL},
  {MOST, 0, "most", "N",
   "for dot: draw single devices and switches up to N of them, and arrays beyond (200); for paths: "
   "list all up to N devices, and those of the first device beyond",
   NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", NULL};
static const char *const notes[] = {
  "FILE is a plan, an IR or the text of one. Pictures show alike islands once; dashed",
  "links leave the island (tier 1 and above).",
  "",
  "Examples:",
  "$ plan.ts",
  "$ --run --format html -o cluster.html plan.ts",
  "$ --format dot plan.ts | dot -Tpdf -o cluster.pdf",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 the step stalls or finds no",
  "path, 4 cannot read or write.",
  NULL,
};
static const ts_program program =
  TS_COMMAND("draws the cluster of a plan, or lists its links and paths.");

typedef struct topo_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *path, *output;
  int form;
  bool paths, run;
  long long most;
} topo_task;

static void topo_take(void *task, int id)
{
  topo_task *t = task;
  static const char *const forms[] = {"text", "json", "html", "svg", "dot", NULL};
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      ts_options_wrong(&t->options, "one FILE at a time");
    t->path = t->options.argument;
    break;
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case MOST: ts_options_number(&t->options, 0, 100000, &t->most); break;
  case PATHS: t->paths = true; break;
  case RUN: t->run = true; break;
  case OUTPUT:
    t->output = t->options.argument;
    t->form = ts_options_form(&t->options, forms, t->form);
    break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool topo_read_options(topo_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  return ts_options_read(&t->options, t, topo_take) &&
         (t->path || !ts_options_wrong(&t->options, "no FILE given"));
}

typedef struct drawing {
  const topo_task *task;
  const ts_ir *ir;
  ts_link_loads loads;
  uint64_t step; /* 0: not played */
} drawing;

static void put_drawing(void *closure, FILE *out)
{
  const drawing *d = closure;
  const topo_task *t = d->task;
  if (t->paths)
    ts_topology_paths(out, t->arena, d->ir, (uint32_t)t->most);
  else if (t->form == TEXT)
    ts_topology_text(out, t->arena, d->ir, d->loads.share);
  else if (t->form == JSON)
    ts_topology_json(out, t->arena, d->ir);
  else if (t->form == DOT)
    ts_topology_dot(out, t->arena, d->ir, (uint32_t)t->most);
  else if (t->form == SVG)
    ts_topology_svg(out, ts_cluster_fold_new(t->arena, d->ir, &d->loads),
                    ts_topology_title(t->arena, d->ir));
  else
    ts_topology_page(out, ts_cluster_fold_new(t->arena, d->ir, &d->loads), d->step);
}

/* Plays a step, for what its links have to do. */
static int topo_play(topo_task *t, drawing *d)
{
  ts_stop stop = {.arena = t->arena};
  ts_run_options how = {0};
  ts_run *run = ts_run_new(d->ir, &how, &stop);
  if (run) {
    d->step = ts_run_result(run)->step;
    d->loads = ts_run_link_loads(run, t->arena);
    ts_run_free(run);
    return TS_EXIT_DONE;
  }
  if (!ts_stop_diagnose(&stop, d->ir, ts_session_source_reader(t->session), t->arena,
                        t->session->sources, t->session->diags))
    ts_stop_print(&stop, t->options.called, stderr);
  return stop.exit_code;
}

static int topo_draw(topo_task *t, const ts_ir *ir)
{
  drawing d = {.task = t, .ir = ir};
  int status = t->run ? topo_play(t, &d) : TS_EXIT_DONE;
  int reported = ts_options_report(&t->options, t->session->diags);
  if (status || reported)
    return status ? status : reported;
  if (t->run && !d.loads.share)
    ts_put_text(stderr,
                "%s: how busy links are is not known: the cluster has none, or the job is too "
                "large\n",
                t->options.called);
  return ts_options_write(&t->options, t->output, put_drawing, &d);
}

int ts_topo_main(int argc, char **argv)
{
  topo_task t = {.arena = ts_arena_new("topo"), .most = 200};
  int status;
  ts_input input;
  if (!topo_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  bool open = ts_input_open(t.session, t.path, &t.plan.compile, &input);
  status = open ? topo_draw(&t, &input.ir) : ts_options_report(&t.options, t.session->diags);
  if (open)
    ts_input_close(&input);
  ts_arena_free(t.arena);
  return status;
}
