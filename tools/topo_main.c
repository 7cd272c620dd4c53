/* trainspec topo: draws the cluster of a plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "compiler/compile.h"
#include "runtime/report/topology.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum { FORMAT = 1, PATHS, OUTPUT, MOST };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text, dot (Graphviz) or svg (text)", "Drawing"},
  {PATHS, 0, "paths", NULL, "list the path between each pair of devices, link by link", NULL},
  {MOST, 0, "most", "N",
   "draw single devices and switches up to N of them, and arrays beyond (200); list all paths up "
   "to N devices, and those of the first device beyond",
   NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", NULL};
static const char *const notes[] = {
  "FILE is a plan, an IR or the text of one. Dashed links leave the island (tier 1",
  "and above).",
  "",
  "Examples:",
  "$ plan.ts",
  "$ --format dot plan.ts | dot -Tpdf -o cluster.pdf",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program =
  TS_COMMAND("draws the cluster of a plan, or lists its links and paths.");

typedef struct task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *path, *output;
  int form;
  bool paths;
  long long most;
} task;

static bool take(task *t, int id)
{
  static const char *const forms[] = {"text", "dot", "svg", NULL};
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      t->options.status = ts_options_wrong(&t->options, "one FILE at a time");
    else
      t->path = t->options.argument;
    return !t->options.status;
  case FORMAT:
    t->form = ts_options_choice(&t->options, forms);
    if (t->form < 0)
      t->options.status = TS_EXIT_USAGE;
    return t->form >= 0;
  case MOST:
    if (ts_options_number(&t->options, 0, 100000, &t->most))
      return true;
    t->options.status = TS_EXIT_USAGE;
    return false;
  case PATHS: t->paths = true; return true;
  case OUTPUT: t->output = t->options.argument; return true;
  default:
    t->options.status = ts_plan_option(&t->plan, t->arena, &t->options, id);
    return !t->options.status;
  }
}

static bool read_options(task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&t->options)) != TS_OPTIONS_END;)
    if (id == TS_OPTIONS_EXIT || !take(t, id))
      return false;
  if (!t->path) {
    t->options.status = ts_options_wrong(&t->options, "no FILE given");
    return false;
  }
  return true;
}

typedef struct drawing { const task *task; const ts_ir *ir; } drawing;

static void put_drawing(void *closure, FILE *out)
{
  const drawing *d = closure;
  const task *t = d->task;
  if (t->paths)
    ts_topology_paths(out, t->arena, d->ir, (uint32_t)t->most);
  else if (t->form == 0)
    ts_topology_text(out, t->arena, d->ir);
  else
    (t->form == 1 ? ts_topology_dot : ts_topology_svg)(out, t->arena, d->ir, (uint32_t)t->most);
}

int ts_topo_main(int argc, char **argv)
{
  task t = {.arena = ts_arena_new("topo"), .most = 200};
  int status;
  ts_input input;
  if (!read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  bool open = ts_input_open(t.session, t.path, &t.plan.compile, &input);
  status = ts_options_report(&t.options, t.session->diags);
  if (open && !status)
    status = ts_options_write(&t.options, t.output, put_drawing, &(drawing){&t, &input.ir});
  if (open)
    ts_input_close(&input);
  ts_arena_free(t.arena);
  return status;
}
