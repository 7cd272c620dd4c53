/* trainspec trace: what is in traces. */
#include "tools/cli/programs.h"
#include "tools/cli/trace_against.h"
#include "tools/cli/trace_open.h"
#include "trace/match.h"
#include "trace/summary.h"

enum { FORMAT = 1, OUTPUT, AGAINST };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", "Report"},
  {FORMAT, 0, "format", "FORM", "text or json (text)", NULL},
  {AGAINST, 0, "against", "PLAN",
   "compare recorded memory with the memory model of a plan or an IR", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE...", NULL};
static const char *const notes[] = {
  "FILE is a trace of the PyTorch profiler, a PyTorch execution trace, a Chakra",
  "trace (protobuf or JSON), a memory snapshot, an execution graph, a GOAL schedule or a",
  "text workload of SimAI; plain or gzip. `-` is standard input. SQLite exports of Nsight",
  "Systems are read from a file; of TrioSim's tables, trace.csv.",
  "",
  "Examples:",
  "$ rank0.json.gz",
  "$ --against plan.ts snapshot.json",
  "$ --format=json rank*.json.gz | jq '.traces[].device.idle_ns'",
  "",
  "Exit codes: 0 done, 1 a file is no trace, 2 wrong usage, 4 files or system.",
  NULL};
static const ts_program program =
  TS_COMMAND("summarises traces: streams, kernels, collectives, overlap, idle time, memory, and "
             "missing parts.");

typedef struct report {
  const ts_trace_summary *const *summaries;
  size_t count;
  bool json;
  const ts_match *match;
  const ts_against *against;
} report;

static void put(void *closure, FILE *out)
{
  const report *r = closure;
  if (r->json)
    fputs("{\"version\": 1, \"traces\": [\n", out);
  for (size_t i = 0; i < r->count; i++) {
    if (i)
      fputs(r->json ? ",\n" : "\n", out);
    if (r->json)
      ts_trace_summary_json(r->summaries[i], out, "  ");
    else
      ts_trace_summary_text(r->summaries[i], out);
  }
  if (r->json)
    fputs("\n]", out);
  if (r->match) {
    fputs(r->json ? ", \"together\": " : "\n", out);
    (r->json ? ts_match_json : ts_match_text)(r->match, out);
  }
  if (r->against) {
    fputs(r->json ? ", \"against\": [" : "", out);
    ts_against_put(r->against, r->summaries, r->count, r->json, out);
    fputs(r->json ? "]" : "", out);
  }
  if (r->json)
    fputs("}\n", out);
}

/* Traces of ranks of one job: each another rank, with communication. */
static const ts_match *match(ts_arena *arena, const ts_events *const *traces, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (traces[i]->rank < 0 || traces[i]->world != traces[0]->world)
      return NULL;
    for (size_t k = 0; k < i; k++)
      if (traces[k]->rank == traces[i]->rank)
        return NULL;
  }
  return count > 1 ? ts_match_new(arena, traces, (uint32_t)count) : NULL;
}

static int read_all(ts_trace_task *t, bool json, const char *plan, const ts_plan_options *options)
{
  int status = TS_EXIT_DONE;
  ts_against *against = plan ? ts_against_new(t, plan, options, &status) : NULL;
  if (plan && !against)
    return status;
  TS_VEC(const ts_trace_summary *) summaries = {0};
  TS_VEC(const ts_events *) traces = {0};
  for (size_t i = 0; i < t->paths.count; i++) {
    ts_events *e = ts_trace_task_read(t, t->paths.at[i], NULL);
    if (!e)
      continue;
    TS_PUSH(t->arena, &summaries, ts_trace_summary_new(t->arena, e));
    TS_PUSH(t->arena, &traces, e);
  }
  report r = {summaries.at, summaries.count, json, match(t->arena, traces.at, traces.count),
              against};
  status = summaries.count ? ts_trace_task_write(t, put, &r) : TS_EXIT_DONE;
  if (against)
    ts_against_free(against);
  return status;
}

int ts_trace_main(int argc, char **argv)
{
  static const char *const forms[] = {"text", "json", NULL};
  ts_trace_task t = ts_trace_task_start(&program, argc, argv);
  int form = 0, status = -1;
  const char *plan = NULL;
  ts_plan_options plan_options = {.compile = {0}};
  for (int id; status < 0 && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = t.options.status; break;
    case TS_OPERAND: TS_PUSH(t.arena, &t.paths, t.options.argument); break;
    case OUTPUT: t.output = t.options.argument; break;
    case AGAINST: plan = t.options.argument; break;
    case FORMAT:
      if ((form = ts_options_choice(&t.options, forms)) < 0)
        status = TS_EXIT_USAGE;
      break;
    default:
      status =
        ts_plan_option(&plan_options, t.arena, &t.options, id) == TS_EXIT_DONE ? -1 : TS_EXIT_USAGE;
      break;
    }
  if (status < 0 && !t.paths.count)
    status = ts_options_wrong(&t.options, "no file given");
  return ts_trace_task_end(&t, status < 0 ? read_all(&t, form == 1, plan, &plan_options) : status);
}
