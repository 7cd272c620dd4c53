/* trainspec collective: a call as a white box sees it: algorithm, protocol, channels, chunks, and
 * the four parts of its time; and its messages, one by one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/source.h"
#include "calibrate/network_fit.h"
#include "compiler/eval/files.h"
#include "compiler/eval/session.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/machine/network_fabric.h"
#include "compiler/machine/network_table.h"
#include "ir/spelling.h"
#include "runtime/collective/plain_cluster.h"
#include "runtime/report/report.h"
#include "tools/cli/calls.h"
#include "tools/cli/flows.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum {
  OF = 1,
  RANKS,
  ISLANDS,
  BYTES,
  CALLS,
  INTRA,
  INTER,
  BETWEEN,
  VARIABLE,
  PARTS,
  SWEEP,
  FLOWS,
  FORMAT,
  OUTPUT,
  OVER,
  RANK,
  MAX_VARIABLES = 32
};
enum { TEXT, CSV, JSON, SVG };

static const ts_option options[] = {
  {OF, 0, "of", "COLLECTIVE",
   "all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all, message (all_reduce)",
   "The call"},
  {RANKS, 0, "ranks", "N", "ranks in the group (8)", NULL},
  {ISLANDS, 0, "islands", "N", "islands that hold them (1)", NULL},
  {BYTES, 0, "bytes", "N", "bytes, counted as in nccl-tests; without it 1 kB to 1 GiB", NULL},
  {CALLS, 0, "grouped", "N", "N calls of these bytes in one group (1)", NULL},
  {INTRA, 0, "intra", "GB/S", "bandwidth of a device inside its island, one direction (450)",
   "The links"},
  {INTER, 0, "inter", "GB/S", "bandwidth of an island to all others, one direction (400)", NULL},
  {BETWEEN, 0, "between", "FILE", "the fabric between islands: std/networks/infiniband.json", NULL},
  {VARIABLE, 'v', NULL, "NAME=VALUE", "set a variable of the library, such as NCCL_ALGO=ring",
   "The library"},
  {OVER, 0, "over", "GROUP", "the group that makes the call", "A group of a plan"},
  {RANK, 0, "rank", "N", "a rank of the group's instance (its first one)", NULL},
  {PARTS, 0, "parts", NULL, "the parts of a call's time under the model that answers for it", NULL},
  {SWEEP, 0, "sweep", NULL,
   "time and bandwidths by size, 1 KiB to 8 GiB, as nccl-tests has them, under each model", NULL},
  {FLOWS, 0, "flows", NULL,
   "list the messages of one call of --bytes: who sends what to whom in which step",
   "Messages, tables"},
  {FORMAT, 0, "format", "FORM", "text, csv, json, or svg, a picture of a sweep (text)", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", "--parts [OPTION]... PLAN",
                                    "--sweep [OPTION]... PLAN", "--flows [OPTION]... PLAN", NULL};
static const char *const notes[] = {
  "FILE is a network file; std/... names one of the standard library. PLAN is a plan",
  "or an IR: the call is made over one of its groups, as its networks make it.",
  "",
  "Examples:",
  "$ std/networks/nccl_hopper.json --ranks 32 --islands 4",
  "$ std/networks/nccl_hopper.json --between std/networks/roce.json --islands 2 --ranks 16",
  "$ std/networks/nccl_hopper.json -v NCCL_ALGO=ring --bytes 67108864",
  "$ --sweep --over dp --format svg -o dp.svg plan.ts",
  "$ --flows --bytes 67108864 --over dp --format csv plan.ts",
  "",
  "Exit codes: 0 done, 1 the file cannot be used or has no way to do it, 2 wrong",
  "usage, 4 cannot read.",
  NULL,
};
static const ts_program program =
  TS_COMMAND("breaks a collective down into the parts of a white-box model.");

typedef struct setting { const char *name, *value; } setting;

typedef struct collective_job {
  ts_options options;
  ts_arena *arena;
  const char *path, *between;
  int of;
  long long ranks, islands, bytes, calls;
  ts_fit_links links;
  setting variables[MAX_VARIABLES];
  uint32_t variable_count;
  bool flows, parts, sweep;
  int form;
  const char *output, *over;
  long long rank; /* -1: not named */
  ts_plan_options plan;
} collective_job;

static void take_variable(collective_job *j)
{
  char *text = ts_arena_string(j->arena, j->options.argument, strlen(j->options.argument)),
       *equals = strchr(text, '=');
  if (!equals || equals == text || j->variable_count == MAX_VARIABLES) {
    ts_options_wrong(&j->options, "`-v` takes NAME=VALUE, at most %d times", MAX_VARIABLES);
    return;
  }
  *equals = 0;
  j->variables[j->variable_count++] = (setting){text, equals + 1};
}

static void collective_take(void *task, int id)
{
  collective_job *j = task;
  static const char *const forms[] = {"text", "csv", "json", "svg", NULL};
  switch (id) {
  case TS_OPERAND: j->path = j->options.argument; break;
  case RANKS: ts_options_number(&j->options, 1, 1 << 24, &j->ranks); break;
  case ISLANDS: ts_options_number(&j->options, 1, 1 << 24, &j->islands); break;
  case BYTES: ts_options_number(&j->options, 1, 1LL << 50, &j->bytes); break;
  case CALLS: ts_options_number(&j->options, 1, 1 << 16, &j->calls); break;
  case INTRA: ts_options_rate(&j->options, &j->links.intra); break;
  case INTER: ts_options_rate(&j->options, &j->links.inter); break;
  case BETWEEN: j->between = j->options.argument; break;
  case VARIABLE: take_variable(j); break;
  case FLOWS: j->flows = true; break;
  case PARTS: j->parts = true; break;
  case SWEEP: j->sweep = true; break;
  case OUTPUT: j->output = j->options.argument; break;
  case OVER: j->over = j->options.argument; break;
  case RANK: ts_options_number(&j->options, 0, 1 << 24, &j->rank); break;
  case FORMAT: j->form = ts_options_choice(&j->options, forms); break;
  case OF:
    j->of = ts_collective_named(j->options.argument);
    if (j->of < 0)
      ts_options_wrong(&j->options, "no collective is named `%s`", j->options.argument);
    break;
  default: ts_plan_option(&j->plan, j->arena, &j->options, id);
  }
}

static bool is_plan(const char *path)
{
  static const char *const ends[] = {".ts", ".trainspec", ".ir", ".tsir"};
  size_t length = strlen(path);
  for (int i = 0; i < 4; i++) {
    size_t tail = strlen(ends[i]);
    if (length > tail && !strcmp(path + length - tail, ends[i]))
      return true;
  }
  return false;
}

static bool collective_read_options(collective_job *j, int argc, char **argv)
{
  j->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&j->options, j, collective_take))
    return false;
  bool tables = j->parts || j->sweep, plan = j->path && is_plan(j->path);
  const char *wrong =
    !j->path ? "no FILE given" :
    j->ranks < 2 ?
               "a collective takes two ranks or more" :
    j->islands > j->ranks ?
               "more islands than ranks" :
    j->flows + j->parts + j->sweep > 1 ?
               "one of `--flows`, `--parts` and `--sweep`" :
    j->flows && !j->bytes ?
               "`--flows` lists one call: of how many `--bytes`?" :
    (j->flows || tables) && j->calls > 1 ?
               "`--grouped` is of a network file's parts" :
    !j->flows && !tables && (j->form || j->output || j->over || j->rank >= 0) ?
               "`--format`, `-o`, `--over` and `--rank` are of `--flows`, `--parts` and `--sweep`" :
    !j->flows && !tables && plan ? "a plan needs `--flows`, `--parts` or `--sweep`" :
    tables && !plan              ? "`--parts` and `--sweep` are of a plan" :
    j->flows && !plan && (j->over || j->rank >= 0) ? "`--over` and `--rank` are of a plan" :
    !j->sweep && j->form == SVG                    ? "`svg` is a picture of `--sweep`" :
                                                     NULL;
  if (wrong)
    ts_options_wrong(&j->options, "%s", wrong);
  return !wrong;
}

static int complain(const collective_job *j, int status, const char *what)
{
  ts_put_text(stderr, "%s: %s\n", j->options.called, what);
  return status;
}

/* NULL after a message, with its status. */
static ts_network_file *read_file(const collective_job *j, const char *path, int *status)
{
  const ts_embedded_file *embedded = ts_session_embedded(path);
  size_t size = embedded ? embedded->size : 0;
  int error = 0;
  ts_error wrong = {0};
  const char *text =
    embedded ? (const char *)embedded->bytes : ts_read_file(j->arena, path, &size, &error);
  if (!text) {
    *status =
      complain(j, TS_EXIT_ENVIRONMENT,
               ts_arena_printf(j->arena, "%s: %s", path, strerror(error ? error : EIO)));
    return NULL;
  }
  ts_network_file *file = ts_network_file_read(j->arena, text, size, &wrong);
  if (!file)
    *status = complain(j, TS_EXIT_REJECTED,
                       ts_arena_printf(j->arena, wrong.line ? "%s:%u: %s" : "%s:%.0u %s", path,
                                       wrong.line, wrong.message));
  return file;
}

/* The fabric's constants in the library's methods. */
static int collective_join(const collective_job *j, ts_network_file *file)
{
  int status = 0;
  const ts_network_file *fabric = read_file(j, j->between, &status);
  if (fabric && !fabric->between)
    return complain(
      j, TS_EXIT_REJECTED,
      ts_arena_printf(j->arena, "%s: is no file of a fabric: no `between`", j->between));
  if (fabric)
    ts_fabric_apply(j->arena, fabric->between, file);
  return status;
}

static const char *set_variables(collective_job *j, ts_network_file *file)
{
  bool changed = false;
  uint32_t done = 0;
  for (uint32_t rank = 0; done < j->variable_count; rank++)
    for (uint32_t i = 0; i < j->variable_count; i++) {
      const setting *v = &j->variables[i];
      if (ts_network_variable_rank(v->name) != rank)
        continue;
      const char *error = ts_network_variable(j->arena, v->name, v->value, file, &changed);
      if (error)
        return error;
      if (ts_network_variable_left(v->name, v->value))
        ts_put_text(stdout, "%s: passed over, %s\n", v->name,
                    ts_network_variable_left(v->name, v->value) == TS_NETWORK_HARMLESS ?
                      "it changes no time" :
                      "though it changes paths, transports or chunks");
      done++;
    }
  if (changed)
    ts_network_forget_measured(file);
  return NULL;
}

static void print_call(const collective_job *j, const ts_white_box_plan *plan, uint64_t bytes)
{
  ts_white_box b = ts_white_box_grouped(plan, bytes, (uint32_t)j->calls);
  ts_estimate e = ts_white_box_parts(&b);
  double us = 1e-6, total = (b.connection + b.intra + b.inter + b.reduction) * b.factor * us;
  double volume =
    ts_ring_volume(b.method->collective, (uint32_t)j->ranks) * (double)bytes * (double)j->calls;
  ts_put_text(
    stdout, "%11llu  %-16s %-6s %4u %4u %8.0f %5.0f %10.2f %11.2f %11.2f %11.2f %12.2f %8.2f%s\n",
    (unsigned long long)bytes, ts_ir_algorithm_names[b.method->algorithm],
    ts_ir_protocol_names[b.method->protocol], b.channels, b.threads, b.method->chunk, b.rounds,
    (double)e.base * us, (double)e.intra * us, (double)e.inter * us, (double)e.reduction * us,
    total, volume / total * 1e-3, b.beyond ? "  beyond what was measured" : "");
}

/* ---- Messages ---- */

static int put_list(const collective_job *j, const ts_ir *ir, ts_link_graph *graph,
                    const uint32_t *vertex, const uint32_t *rank, uint32_t ranks,
                    const ts_call_way *way, const char *model)
{
  static ts_print *const put[] = {ts_flow_list_text, ts_flow_list_csv, ts_flow_list_json};
  ts_sends *sends = ts_sends_new(j->arena, ir, graph, vertex, ranks, way, false);
  if (sends->why)
    return complain(j, TS_EXIT_REJECTED,
                    ts_arena_printf(j->arena, "%s: no messages of %s by %s: %s", j->path,
                                    ts_collective_name(way->kind),
                                    ts_ir_algorithm_names[way->algorithm], sends->why));
  ts_flow_list list = {j->arena, ir, sends, rank, model};
  return ts_options_write(&j->options, j->output, put[j->form], &list);
}

/* As a network file has it, over a cluster of its islands. */
static int list_of_file(const collective_job *j, const ts_white_box_plan *plan)
{
  ts_ir ir;
  uint32_t ranks = (uint32_t)j->ranks, *rank = TS_NEW_ARRAY(j->arena, uint32_t, ranks);
  ts_white_box box = ts_white_box_estimate(plan, (uint64_t)j->bytes);
  ts_call_way way = ts_white_box_way(&box, (uint32_t)j->of, (uint64_t)j->bytes);
  ts_ir_builder *b =
    ts_plain_cluster(ranks, (uint32_t)j->islands, j->links.intra, j->links.inter);
  ts_ir_builder_view(b, &ir);
  for (uint32_t r = 0; r < ranks; r++) rank[r] = r;
  int status = put_list(j, &ir, ts_graph_new(j->arena, &ir), rank, rank, ranks, &way, NULL);
  ts_ir_builder_free(b);
  return status;
}

/* The group of a plan that is meant, by its name; TS_IR_NONE after a message. */
static uint32_t group_meant(const collective_job *j, const ts_ir *ir, const ts_ranks *ranks)
{
  const char *names = "";
  uint32_t found = TS_IR_NONE, count = 0;
  for (uint32_t g = 0; g < ir->groups_count; g++) {
    const char *name = ir->strings + ir->groups[g].name;
    if (!ranks->groups[g].used || ranks->groups[g].size < 2)
      continue;
    if (!j->over || !strcmp(name, j->over))
      found = g;
    names = ts_arena_printf(j->arena, "%s%s%s", names, count++ ? ", " : "", name);
  }
  if (found != TS_IR_NONE && (j->over || count == 1))
    return found;
  complain(j, TS_EXIT_REJECTED,
           !count  ? ts_arena_printf(j->arena, "%s: no group makes any call", j->path) :
           j->over ? ts_arena_printf(j->arena, "no group `%s` makes calls; there are %s", j->over,
                                     names) :
                     ts_arena_printf(j->arena, "`--over` which group? There are %s", names));
  return TS_IR_NONE;
}

/* The group that is meant and a rank of it; TS_IR_NONE after a message. */
static uint32_t rank_meant(const collective_job *j, const ts_ir *ir, const ts_ranks *ranks,
                           uint32_t *group)
{
  if ((*group = group_meant(j, ir, ranks)) == TS_IR_NONE)
    return TS_IR_NONE;
  const ts_rank_group *g = &ranks->groups[*group];
  uint32_t rank = j->rank < 0 ? g->ranks[0] : (uint32_t)j->rank;
  if (rank >= ranks->world || g->instance_of[rank] == TS_IR_NONE)
    complain(j, TS_EXIT_REJECTED, ts_arena_printf(j->arena, "rank %u is in no such group", rank));
  else if (!ranks->vertex)
    complain(j, TS_EXIT_REJECTED,
             ts_arena_printf(j->arena, "%s: the plan has no cluster", j->path));
  else
    return rank;
  return TS_IR_NONE;
}

static int list_over(const collective_job *j, const ts_ir *ir)
{
  const ts_ranks *ranks = ts_ranks_new(j->arena, ir);
  ts_stop stop = {.arena = j->arena};
  uint32_t g, rank = rank_meant(j, ir, ranks, &g);
  if (rank == TS_IR_NONE)
    return TS_EXIT_REJECTED;
  const ts_rank_group *group = &ranks->groups[g];
  uint32_t instance = group->instance_of[rank];
  ts_network *network = ts_network_new(j->arena, ir, ranks, NULL, &stop);
  const uint32_t *profile = network ? ts_network_group(network, g, &stop) : NULL,
                 *members = ts_instance_ranks(group, instance);
  if (!profile) {
    ts_stop_print(&stop, j->options.called, stderr);
    return stop.exit_code;
  }
  uint32_t *vertex = TS_NEW_ARRAY(j->arena, uint32_t, group->size);
  for (uint32_t i = 0; i < group->size; i++) vertex[i] = ranks->vertex[members[i]];
  ts_call_way way =
    ts_network_call_way(network, ir, (uint32_t)j->of, (uint64_t)j->bytes, profile[instance]);
  return put_list(j, ir, ts_graph_new(j->arena, ir), vertex, members, group->size, &way,
                  way.model == TS_IR_NONE ? TS_NETWORK_LINKS :
                                            ir->strings + ir->net_models[way.model].name);
}

/* Calls by size: those of `--bytes`, or of powers of two (of four, in parts). */
static int tabulate(const collective_job *j, const ts_ir *ir)
{
  enum { SMALLEST = 10, LARGEST = 33 };
  static ts_print *const put[] = {NULL, ts_call_table_csv, ts_call_table_json, ts_call_table_svg};
  uint64_t sizes[LARGEST - SMALLEST + 1] = {(uint64_t)j->bytes};
  uint32_t count = j->bytes ? 1 : 0;
  for (int power = SMALLEST; !j->bytes && power <= LARGEST; power += j->parts ? 2 : 1)
    sizes[count++] = UINT64_C(1) << power;
  ts_stop stop = {.arena = j->arena};
  ts_call_table t = {.arena = j->arena,
                     .ir = ir,
                     .ranks = ts_ranks_new(j->arena, ir),
                     .kind = (uint32_t)j->of,
                     .bytes = sizes,
                     .size_count = count};
  if ((t.rank = rank_meant(j, ir, t.ranks, &t.group)) == TS_IR_NONE)
    return TS_EXIT_REJECTED;
  if (ts_call_table_fill(&t, j->sweep, &stop)) {
    ts_stop_print(&stop, j->options.called, stderr);
    return stop.exit_code;
  }
  return ts_options_write(&j->options, j->output,
                          j->form  ? put[j->form] :
                          j->parts ? ts_call_parts_text :
                                     ts_call_sweep_text,
                          &t);
}

static int list_of_plan(collective_job *j)
{
  ts_session *s = ts_session_new(j->arena);
  ts_input input;
  bool open = ts_input_open(s, j->path, &j->plan.compile, &input);
  int status = ts_options_report(&j->options, s->diags);
  if (open && !status)
    status = j->flows ? list_over(j, &input.ir) : tabulate(j, &input.ir);
  if (open)
    ts_input_close(&input);
  return status;
}

/* ---- Parts of its time ---- */

static int explain(collective_job *j)
{
  int status = 0;
  ts_network_file *file = read_file(j, j->path, &status);
  if (!file)
    return status;
  const char *variable = set_variables(j, file);
  if (variable)
    return complain(j, TS_EXIT_REJECTED, variable);
  if (j->between && (status = collective_join(j, file)))
    return status;
  ts_profile profile = ts_fit_profile(j->links, (uint32_t)j->ranks, (uint32_t)j->islands);
  const ts_white_box_plan *plan = ts_network_file_plan(j->arena, file, (uint32_t)j->of, &profile);
  if (!plan)
    return complain(j, TS_EXIT_REJECTED,
                    ts_arena_printf(j->arena,
                                    "%s: no method for %s over %lld ranks in %lld islands", j->path,
                                    ts_collective_name((uint32_t)j->of), j->ranks, j->islands));
  if (j->flows)
    return list_of_file(j, plan);
  ts_put_text(stdout, "%11s  %-16s %-6s %4s %4s %8s %5s %10s %11s %11s %11s %12s %8s\n", "bytes",
              "algorithm", "by", "chan", "thr", "chunk", "loops", "connect us", "intra us",
              "inter us", "reduce us", "time us", "bus GB/s");
  for (uint64_t bytes = 1024; !j->bytes && bytes <= UINT64_C(1) << 30; bytes *= 4)
    print_call(j, plan, bytes);
  if (j->bytes)
    print_call(j, plan, (uint64_t)j->bytes);
  return ts_options_finish(&j->options, stdout, TS_EXIT_DONE);
}

int ts_collective_main(int argc, char **argv)
{
  collective_job j = {.arena = ts_arena_new("collective"),
                      .of = TS_IR_ALL_REDUCE,
                      .ranks = 8,
                      .islands = 1,
                      .calls = 1,
                      .rank = -1,
                      .links = {450e9, 400e9}};
  int status = !collective_read_options(&j, argc, argv) ? j.options.status :
               is_plan(j.path)                          ? list_of_plan(&j) :
                                                          explain(&j);
  ts_arena_free(j.arena);
  return status;
}
