/* trainspec export: a plan, an IR or a trace in the formats of other simulators. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/import/export.h"
#include "compiler/import/replay.h"
#include "tools/programs.h"
#include "tools/replay_graph.h"
#include "tools/trace_open.h"

enum { FORMAT = 1, OUTPUT, DEFINE, MACHINE, MOST_RANKS = 4096, MOST_OPERATIONS = 4000000 };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "chakra, goal or graph (chakra)", "Export"},
  {OUTPUT, 'o', "output", "NAME", "chakra: NAME.RANK.et and NAME.groups.json; graph: NAME.RANK.json; goal: the file", NULL},
  {MACHINE, 0, "machine", "F:B:L:T", "execution graphs without times: as for trainspec replay", NULL},
  {DEFINE, 'D', NULL, "NAME=EXPR", "set a parameter of the plan", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... -o NAME FILE...", NULL};
static const char *const notes[] = {
  "FILE is a plan (.ts), an IR (.ir, .tsir), a profiler trace of one rank, or, several,",
  "the execution graphs of all ranks.",
  "",
  "Examples:",
  "$ -o job plan.ts                    # job.0.et ... for ASTRA-sim",
  "$ --format=goal -o job.goal plan.ir # for LogGOPSim",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program = {
  .summary = "TrainSpec: writes what ranks do as Chakra traces or as a GOAL schedule.",
  .usage = usage, .options = options, .notes = notes, .manual = "trainspec(1)",
};

typedef struct task {
  ts_trace_task t;
  TS_VEC(ts_define) defines;
  bool goal, graph;
  ts_graph_machine machine, *given; /* given: &machine, or NULL */
} task;

static int write_file(task *k, const char *path, void (*put)(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error),
                      const ts_events *const *ranks, uint32_t count, ts_import_error *error)
{
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!memory)
    abort(); /* out of memory, as in the arena */
  put(ranks, count, memory, error);
  fclose(memory);
  int failed = error->message[0] ? 0 : ts_write_file(path, text, size);
  free(text);
  if (failed)
    ts_diag_add(k->t.diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", path, strerror(failed));
  return failed;
}

static void put_chakra(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error)
{
  (void)count, (void)error;
  ts_chakra_write(ranks[0], out);
}

static void put_graph(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error)
{
  (void)count, (void)error;
  ts_graph_write(ranks[0], out);
}

static void put_groups(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error)
{
  (void)error;
  ts_chakra_write_groups(ranks, count, out);
}

static void put_goal(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error) { ts_goal_write(ranks, count, out, error); }

static uint64_t group_size(const ts_ir *ir, uint32_t group)
{
  uint64_t size = 1;
  for (uint32_t a = 0; a < ir->axes_count; a++)
    if (ir->groups[group].axes >> a & 1)
      size *= ir->axes[a].size;
  return size;
}

/* Of all ranks together: nodes, and in GOAL the steps of rings. */
static uint64_t operations(const task *k, const ts_ir *ir)
{
  uint64_t sum = 0;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      const ts_ir_fragment *f = &ir->fragments[ir->items[ir->programs[p].first_item + i].fragment];
      sum += f->node_count;
      for (uint32_t n = 0; k->goal && n < f->node_count; n++) {
        const ts_ir_node *node = &ir->nodes[f->first_node + n];
        sum += node->op == TS_IR_COLLECTIVE ? 4 * group_size(ir, ir->collectives[node->arg].group) : 0;
      }
    }
  return sum * (ir->meta->world / ir->programs_count);
}

static int export_ranks(task *k, const ts_events *const *ranks, uint32_t count)
{
  ts_arena *arena = k->t.arena;
  ts_import_error error = {{0}, {0}, 0, 0, 0};
  if (k->goal) {
    write_file(k, k->t.output, put_goal, ranks, count, &error);
  } else {
    for (uint32_t r = 0; r < count; r++)
      if (write_file(k, ts_arena_printf(arena, k->graph ? "%s.%u.json" : "%s.%u.et", k->t.output, r), k->graph ? put_graph : put_chakra, &ranks[r], 1, &error))
        return TS_EXIT_ENVIRONMENT;
    if (!k->graph)
      write_file(k, ts_arena_printf(arena, "%s.groups.json", k->t.output), put_groups, ranks, count, &error);
  }
  if (error.message[0]) {
    ts_diag *d = ts_diag_add(k->t.diags, TS_E0525, TS_NO_SPAN, "cannot export `%s`: %s", k->t.paths.at[0], error.message);
    if (error.help[0])
      ts_diag_help(d, "%s", error.help);
  }
  return TS_EXIT_DONE;
}

static int export_ir(task *k, const ts_ir *ir)
{
  ts_arena *arena = k->t.arena;
  uint32_t world = ir->meta->world;
  uint64_t count = operations(k, ir);
  if (world > MOST_RANKS || count > MOST_OPERATIONS) {
    ts_diag *d = ts_diag_add(k->t.diags, TS_E0525, TS_NO_SPAN, "cannot export `%s`: %u ranks with %llu operations in all; at most %u with %u", k->t.paths.at[0], world,
                             (unsigned long long)count, MOST_RANKS, MOST_OPERATIONS);
    ts_diag_help(d, "export a smaller job: `-D` sets the plan's parameters");
    return TS_EXIT_REJECTED;
  }
  const ts_events **ranks = TS_NEW_ARRAY(arena, const ts_events *, world);
  for (uint32_t r = 0; r < world; r++) ranks[r] = ts_events_of_ir(arena, ir, r);
  return export_ranks(k, ranks, world);
}

/* By way of the IR, which has times, and streams as dependencies. */
static int export_graphs(task *k, const ts_events *const *ranks)
{
  ts_import_error error = {{0}, {0}, 0, 0, 0};
  ts_ir_builder *b = ts_graph_ir(ranks, (uint32_t)k->t.paths.count, k->given, &error);
  if (!b) {
    ts_diag *d = ts_diag_add(k->t.diags, TS_E0525, TS_NO_SPAN, "cannot export `%s`: %s", k->t.paths.at[0], error.message);
    if (error.help[0])
      ts_diag_help(d, "%s", error.help);
    return TS_EXIT_REJECTED;
  }
  ts_ir ir;
  ts_ir_error wrong;
  ts_ir_builder_view(b, &ir);
  int status = TS_EXIT_REJECTED;
  if (ts_ir_verify(&ir, &wrong) < 0)
    ts_diag_add(k->t.diags, TS_E0525, TS_NO_SPAN, "cannot export `%s`: %s", k->t.paths.at[0], wrong.message);
  else
    status = export_ir(k, &ir);
  ts_ir_builder_free(b);
  return status;
}

static int several(task *k) { return ts_options_wrong(&k->t.options, "one file at a time: `%s` and `%s`", k->t.paths.at[0], k->t.paths.at[1]); }

static int export_trace(task *k, const char *path)
{
  ts_import_error error = {{0}, {0}, 0, 0, 0};
  ts_events *e = ts_trace_task_read(&k->t, path, &(ts_events_options){.no_memory = true});
  if (e && e->format == TS_TRACE_GRAPH) {
    const ts_events **ranks = ts_graphs_read(&k->t, e);
    return !ranks ? TS_EXIT_REJECTED : k->graph ? export_ranks(k, ranks, (uint32_t)k->t.paths.count) : export_graphs(k, ranks);
  }
  if (k->t.paths.count > 1)
    return several(k);
  ts_replay *r = e ? ts_replay_new(k->t.arena, e, NULL, &error) : NULL;
  if (e && !r)
    ts_diag_add(k->t.diags, TS_E0525, TS_NO_SPAN, "cannot export `%s`: %s", path, error.message);
  if (!r)
    return TS_EXIT_REJECTED;
  ts_ir ir;
  ts_ir_builder_view(r->ir, &ir);
  int status = export_ir(k, &ir);
  ts_ir_builder_free(r->ir);
  return status;
}

static bool ends_with(const char *path, const char *end)
{
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

static int run(task *k)
{
  const char *path = k->t.paths.at[0];
  if (!ends_with(path, ".ts") && !ends_with(path, ".ir") && !ends_with(path, ".tsir"))
    return export_trace(k, path);
  if (k->t.paths.count > 1)
    return several(k);
  ts_session *s = ts_session_new(k->t.arena);
  ts_compile_options options = {.defines = k->defines.at, .define_count = (uint32_t)k->defines.count};
  ts_input input = {0};
  bool opened = ts_input_open(s, path, &options, &input);
  int status = opened ? export_ir(k, &input.ir) : TS_EXIT_REJECTED;
  int rejected = ts_options_report(&k->t.options, s->diags);
  if (opened)
    ts_input_close(&input);
  return opened ? status : rejected;
}

static int take_define(task *k)
{
  const char *argument = k->t.options.argument, *equals = strchr(argument, '=');
  if (!equals || equals == argument)
    return ts_options_wrong(&k->t.options, "`-D` takes NAME=EXPR, not `%s`", argument);
  TS_PUSH(k->t.arena, &k->defines, (ts_define){ts_arena_string(k->t.arena, argument, (size_t)(equals - argument)), equals + 1});
  return -1;
}

int ts_export_main(int argc, char **argv)
{
  static const char *const forms[] = {"chakra", "goal", "graph", NULL};
  task k = {.t = ts_trace_task_start(&program, argc, argv)};
  int form = 0, status = -1;
  for (int id; status < 0 && (id = ts_options_next(&k.t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = k.t.options.status; break;
    case TS_OPERAND: TS_PUSH(k.t.arena, &k.t.paths, k.t.options.argument); break;
    case OUTPUT: k.t.output = k.t.options.argument; break;
    case MACHINE:
      k.given = &k.machine;
      if (!ts_machine_read(k.t.options.argument, k.given))
        status = ts_options_wrong(&k.t.options, "`--machine` takes FLOPS:BANDWIDTH:LINK:LATENCY as 400T:3T:450G:5us, not `%s`", k.t.options.argument);
      break;
    case DEFINE: status = take_define(&k); break;
    case FORMAT:
      if ((form = ts_options_choice(&k.t.options, forms)) < 0)
        status = TS_EXIT_USAGE;
      break;
    }
  k.goal = form == 1;
  k.graph = form == 2;
  if (status < 0 && !k.t.paths.count)
    status = ts_options_wrong(&k.t.options, "no file given");
  if (status < 0 && !k.t.output)
    status = ts_options_wrong(&k.t.options, "where to? `-o NAME`");
  return ts_trace_task_end(&k.t, status < 0 ? run(&k) : status);
}
