/* trainspec replay: one rank's trace through the engine, against what was measured. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/order.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/replay_graph.h"
#include "tools/cli/replay_schedule.h"
#include "tools/cli/replay_workload.h"
#include "tools/cli/trace_open.h"
#include "trace/chakra_ranks.h"
#include "trace/play_rank_graph.h"
#include "trace/replay.h"

enum { FORMAT = 1, OUTPUT, STEP, MACHINE, MESH, PLAN, LOGGOPS, PRICED };

static const ts_option options[] = {
  {STEP, 0, "step", "N", "replay only the work launched in step N, from 1", "Replay"},
  {PLAN, 'p', "plan", "PLAN", "simulate on the machine of a plan: cluster, costs, network, host",
   "Graphs, schedules, workloads"},
  {MACHINE, 0, "machine", "F:B:L:T",
   "... on one of FLOP/s, bytes/s of memory, bytes/s of a link, latency in us", NULL},
  {PRICED, 0, "priced", NULL, "... where the costs price all work, also what has a time", NULL},
  {LOGGOPS, 0, "loggops", "L=..,o=..",
   "for schedules: L, o, g and S of the model, G and O a byte, as L=2000,o=100,G=0.04 (ns)", NULL},
  {MESH, 0, "mesh", "SIZES", "for workloads: sizes of their groups, as tp=8,ep=2,dp=16,pp=4", NULL},
  {PLAN_DEFINE, 'D', "define", "NAME=EXPR", "set a parameter of the plan", NULL},
  {PLAN_IMPORT, 'I', "import-dir", "DIR", "also look for imports and data in DIR", NULL},
  {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {PLAN_READ, 0, "allow-read", "DIR", "let the plan read files in DIR", NULL},
  {OUTPUT, 'o', "output", "FILE", "also write the IR, for tsrun", NULL},
  {FORMAT, 0, "format", "FORM", "text or json (text)", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", "[OPTION]... GRAPH...",
                                    "[OPTION]... SCHEDULE", NULL};
static const char *const notes[] = {
  "FILE is a recording of one rank, plain or gzip. GRAPHs are the",
  "execution graphs of all ranks of a job (trainspec-trace writes them): simulated",
  "together; what they give no time for takes what the machine says. A SCHEDULE in GOAL",
  "is a whole job, simulated likewise, and so is a workload of AICB, SimAI or ASTRA-sim.",
  "Chakra traces of all ranks are simulated too. A plan whose model is graph(FILES) is",
  "simulated by tsrun, with all its reports.",
  "",
  "Formats: "
#define FORMAT(id, record, name, file, remedy, table, plays, slows) TS_FORMAT_##plays(name ", ")
#include "trace/read/formats.def"
#undef FORMAT
  "plain or gzip.",
  "",
  "Examples:",
  "$ rank0.json.gz",
  "$ --plan machine.ts graph.*.json",
  "$ --machine 400T:3T:450G:5us graph.*.json",
  "$ --loggops L=2000,o=100,G=0.04 job.goal",
  "$ --plan cluster.ts workload.csv",
  "$ --step 2 -o step.ir rank0.json.gz   # then: tsrun step.ir",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program =
  TS_COMMAND("replays a rank's trace through the engine and compares the step with the measured "
             "one.");

typedef struct replay_played {
  const ts_replay *replay;
  const ts_ir_node *nodes;
  ts_busy *busy;       /* by event of replay->chosen */
  int64_t *start;      /* [chosen_count] ns */
  uint32_t *position;  /* [events] in chosen */
  uint32_t count;
  ts_time_shares shares;
  /* ns between the start measured and played, both from the first kernel */
  double median_shift, largest_shift;
  bool json;
} replay_played;

static void take_event(void *closure, const ts_span_event *span)
{
  replay_played *p = closure;
  uint32_t event = p->replay->event_of[span->node - p->nodes];
  if (event == TS_EVENT_NONE)
    return;
  int64_t start =
    (int64_t)(span->start / 1000) + p->replay->gaps[p->replay->gap_class[p->position[event]]];
  int64_t end = (int64_t)(span->end / 1000);
  p->start[p->position[event]] = start;
  p->busy[p->count++] =
    (ts_busy){start, end > start ? end : start,
              ts_event_at(p->replay->events, event)->kind == TS_KERNEL_COMMUNICATION};
}

static void replay_compare(ts_trace_task *t, replay_played *p, const ts_run *run, const ts_ir *ir)
{
  const ts_replay *r = p->replay;
  p->nodes = ir->nodes + ir->fragments[0].first_node;
  p->busy = TS_NEW_ARRAY(t->arena, ts_busy, r->chosen_count + 1);
  p->start = TS_NEW_ARRAY(t->arena, int64_t, r->chosen_count + 1);
  p->position = TS_NEW_ARRAY(t->arena, uint32_t, r->events->count + 1);
  for (uint32_t i = 0; i < r->chosen_count; i++) p->position[r->chosen[i]] = i;
  ts_run_timeline(run, 0, take_event, p);
  p->shares = ts_time_shares_of(p->busy, p->count);
  double *shift = TS_NEW_ARRAY(t->arena, double, r->chosen_count + 1);
  for (uint32_t i = 0; i < r->chosen_count; i++)
    shift[i] = fabs((double)((p->start[i] - p->shares.begin) -
                             (ts_event_at(r->events, r->chosen[i])->start - r->measured.begin)));
  qsort(shift, r->chosen_count, sizeof *shift, ts_by_double);
  p->median_shift = shift[r->chosen_count / 2];
  p->largest_shift = shift[r->chosen_count - 1];
}

static double replay_share(int64_t part, const ts_time_shares *of)
{
  return of->span ? 100.0 * (double)part / (double)of->span : 0;
}

static void replay_put_row(FILE *out, const char *name, const ts_time_shares *m, int64_t measured,
                           const ts_time_shares *p, int64_t played)
{
  ts_put_text(out, "  %-26s %12.3f ms %5.1f %% %12.3f ms %5.1f %%\n", name, (double)measured / 1e6,
              replay_share(measured, m), (double)played / 1e6, replay_share(played, p));
}

static void replay_put_text(const replay_played *p, FILE *out)
{
  const ts_replay *r = p->replay;
  const ts_time_shares *m = &r->measured, *s = &p->shares;
  ts_put_text(out, "%s: %u kernels on %u streams\n\n", r->events->file, r->chosen_count,
              r->streams);
  ts_put_text(out, "  %-26s %15s %7s %15s\n", "", "measured", "", "replayed");
  replay_put_row(out, "first to last kernel", m, m->span, s, s->span);
  replay_put_row(out, "  computes", m, m->compute, s, s->compute);
  replay_put_row(out, "  communicates", m, m->comm, s, s->comm);
  replay_put_row(out, "    hidden behind compute", m, m->overlap, s, s->overlap);
  replay_put_row(out, "  idle", m, m->idle, s, s->idle);
  fprintf(out, "\n  step %+.2f %%; starts of kernels: median off by %.1f us, at most %.1f us\n",
          m->span ? 100.0 * ((double)s->span - (double)m->span) / (double)m->span : 0,
          p->median_shift / 1e3, p->largest_shift / 1e3);
  fprintf(out, "  from the trace: %.1f us from launch to kernel, %.1f us between kernels\n",
          (double)r->latency / 1e3, (double)r->gap / 1e3);
  fprintf(out,
          "  dependencies between streams: %u recorded, %u from calls and times, %u from\n  times "
          "alone; the host waits %u times\n",
          r->waits_exact, r->waits_guessed, r->waits_by_time, r->syncs);
  if (r->crowded)
    fprintf(out, "  kernels found the device full for %.3f ms in all: simulated as measured\n",
            (double)r->crowded / 1e6);
  if (r->unexplained)
    fprintf(
      out,
      "  %u kernels (%u without a launching call) start at their recorded times, as nothing in "
      "the\n  trace explains the delay: %.3f ms in all, %.1f %% of the step, which what-if "
      "cannot move\n",
      r->delayed_kernels, r->delayed_unlaunched, (double)r->unexplained / 1e6,
      replay_share(r->unexplained, m));
  if (r->unlaunched)
    fprintf(out, "  %u kernels have no launching call: issued with the work before them\n",
            r->unlaunched);
  if (r->overlapping)
    fprintf(out, "  %u kernels overlap on their stream: simulated in sequence\n", r->overlapping);
  if (r->carried)
    fprintf(out, "  %u streams were still busy with earlier work\n", r->carried);
  fputs("  communication kernels keep their measured times, waiting for peers included\n", out);
}

static void put_shares(ts_json_writer *w, const char *key, const ts_time_shares *s)
{
  ts_json_line(w, 1);
  ts_json_begin(w, key, '{');
  ts_json_put_signed(w, "span_ns", s->span);
  ts_json_put_signed(w, "compute_ns", s->compute);
  ts_json_put_signed(w, "communication_ns", s->comm);
  ts_json_put_signed(w, "overlap_ns", s->overlap);
  ts_json_put_signed(w, "idle_ns", s->idle);
  ts_json_end(w, '}');
}

static void replay_put(void *closure, FILE *out)
{
  const replay_played *p = closure;
  const ts_replay *r = p->replay;
  ts_json_writer writer = {.out = out, .spaced = true}, *w = &writer;
  if (!p->json) {
    replay_put_text(p, out);
    return;
  }
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "type", "trainspec-replay");
  ts_json_put_count(w, "format", 1);
  ts_json_put_text(w, "of", "recording");
  ts_json_put_count(w, "kernels", r->chosen_count);
  ts_json_put_count(w, "streams", r->streams);
  put_shares(w, "measured", &r->measured);
  put_shares(w, "replayed", &p->shares);
  ts_json_line(w, 1);
  ts_json_put_number(w, "median_shift_ns", "%.0f", p->median_shift);
  ts_json_put_number(w, "largest_shift_ns", "%.0f", p->largest_shift);
  ts_json_put_signed(w, "launch_ns", r->latency);
  ts_json_put_signed(w, "gap_ns", r->gap);
  ts_json_line(w, 1);
  ts_json_put_count(w, "waits_recorded", r->waits_exact);
  ts_json_put_count(w, "waits_from_calls", r->waits_guessed);
  ts_json_put_count(w, "waits_from_times", r->waits_by_time);
  ts_json_put_count(w, "host_waits", r->syncs);
  ts_json_line(w, 1);
  ts_json_put_signed(w, "crowded_ns", r->crowded);
  ts_json_put_signed(w, "unexplained_ns", r->unexplained);
  ts_json_put_count(w, "without_launch", r->unlaunched);
  ts_json_put_count(w, "held_kernels", r->delayed_kernels);
  ts_json_put_count(w, "held_without_launch", r->delayed_unlaunched);
  ts_json_put_count(w, "overlapping", r->overlapping);
  ts_json_put_count(w, "carried_streams", r->carried);
  ts_json_end(w, '}');
  ts_json_end_document(w);
}

static int replay_play(ts_trace_task *t, const ts_replay *replay, bool json)
{
  ts_ir ir;
  int status;
  ts_ir_builder_view(replay->ir, &ir);
  ts_run *run = ts_trace_task_play(t, &ir, replay->events->file, &status);
  if (!run)
    return status;
  replay_played p = {.replay = replay, .json = json};
  replay_compare(t, &p, run, &ir);
  ts_run_free(run);
  return ts_trace_task_write(t, replay_put, &p);
}

/* Of one schedule, unless its IR is asked for; -1: there is none. */
static int replay_schedule(ts_trace_task *t, const ts_replay_place *on, const ts_loggops *model,
                           bool json)
{
  ts_loggops links;
  if (t->paths.count > 1 || on->plan || t->output || (!model && !on->machine) ||
      strcmp(t->paths.at[0], "-") == 0)
    return -1;
  if (!model) {
    links = ts_loggops_of(on->machine);
    model = &links;
  }
  return ts_replay_schedule(t, t->paths.at[0], model, json);
}

static int replay(ts_trace_task *t, const ts_workload_choice *choice, const ts_replay_place *on,
                  const ts_loggops *model, bool json)
{
  int done = replay_schedule(t, on, model, json);
  if (done >= 0)
    return done;
  ts_events *e = ts_trace_task_read(t, t->paths.at[0], &(ts_events_options){.no_memory = true});
  if (!e)
    return TS_EXIT_REJECTED;
  if (e->workload && t->paths.count == 1)
    return ts_replay_workload(t, e, choice, on, json);
  if (ts_is_rank_graph(e) || ts_is_chakra(e))
    return ts_replay_graphs(t, e, on, json);
  if (t->paths.count > 1)
    return ts_options_wrong(&t->options, "one file at a time: `%s` and `%s`", t->paths.at[0],
                            t->paths.at[1]);
  ts_error error = {0};
  int64_t step = choice->step;
  if (step > e->step_count)
    ts_fail(
      &error, "steps are marked by profiler.step(); without --step the whole trace is simulated",
      "the trace has %u step%s, not %" PRId64, e->step_count, e->step_count == 1 ? "" : "s", step);
  const ts_event *mark = step && step <= e->step_count ? ts_event_at(e, e->steps[step - 1]) : NULL;
  ts_replay *r = error.message[0] ? NULL : ts_replay_new(t->arena, e, mark, &error);
  if (!r)
    return ts_trace_task_refuse(t, "replay", e->file, &error);
  int status = replay_play(t, r, json);
  ts_ir_builder_free(r->ir);
  return status;
}

int ts_replay_main(int argc, char **argv)
{
  static const char *const forms[] = {"text", "json", NULL};
  ts_trace_task t = ts_trace_task_start(&program, argc, argv);
  int form = 0, status = -1;
  long long step = 0;
  ts_graph_machine machine;
  ts_replay_place on = {0};
  ts_workload_choice choice = {0};
  ts_loggops model, *given = NULL;
  ts_plan_options plan = {0};
  for (int id; !t.options.status && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: return ts_trace_task_end(&t, t.options.status);
    case TS_OPERAND: TS_PUSH(t.arena, &t.paths, t.options.argument); break;
    case OUTPUT: t.output = t.options.argument; break;
    case MACHINE:
      on.machine = &machine;
      if (!ts_machine_read(t.options.argument, &machine))
        ts_options_wrong(
          &t.options,
          "`--machine` takes FLOPS:BANDWIDTH:LINK:LATENCY as 400T:3T:450G:5us, not `%s`",
          t.options.argument);
      break;
    case LOGGOPS:
      given = &model;
      if (!ts_loggops_read(t.options.argument, given))
        ts_options_wrong(&t.options,
                         "`--loggops` takes L, o, g, G, O and S as L=2000,o=100,G=0.04, not `%s`",
                         t.options.argument);
      break;
    case PRICED: on.options.priced = true; break;
    case PLAN: on.plan = t.options.argument; break;
    case MESH:
      if (!ts_workload_mesh_read(t.options.argument, &choice))
        ts_options_wrong(&t.options, "`--mesh` takes sizes as tp=8,ep=2,dp=16,pp=4, not `%s`",
                         t.options.argument);
      break;
    case STEP: ts_options_number(&t.options, 1, 1000000, &step); break;
    case FORMAT: form = ts_options_choice(&t.options, forms); break;
    default: ts_plan_option(&plan, t.arena, &t.options, id); break;
    }
  status = t.options.status ? t.options.status : -1;
  if (status < 0 && on.plan && on.machine)
    status = ts_options_wrong(&t.options, "one machine: `--plan` or `--machine`");
  if (status < 0 && t.output && !strcmp(t.output, "-"))
    status = ts_options_wrong(&t.options, "`-o` takes a file: the report goes to standard output");
  if (status < 0 && !t.paths.count)
    status = ts_options_wrong(&t.options, "no file given");
  choice.step = step;
  plan.compile.priced = on.options.priced;
  on.options = plan.compile;
  if (status < 0)
    status = replay(&t, &choice, &on, given, form == 1);
  return ts_trace_task_end(&t, status);
}
