/* trainspec trace: what is in traces. */
#include <stdlib.h>

#include "tools/cli/programs.h"
#include "tools/cli/trace_against.h"
#include "tools/cli/trace_open.h"
#include "trace/by_module.h"
#include "trace/match.h"
#include "trace/summary.h"
#include "trace/trace_diff.h"

enum { FORMAT = 1, OUTPUT, AGAINST, DIFF, BY, DEPTH };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", "Report"},
  {FORMAT, 0, "format", "FORM", "text or json (text)", NULL},
  {AGAINST, 0, "against", "PLAN",
   "compare recorded memory with the memory model of a plan or an IR", NULL},
  {DIFF, 0, "diff", NULL, "compare two recordings: kernels, counts, times, launches", NULL},
  {BY, 0, "by", "WHAT", "time and memory by module or by layer of the model", NULL},
  {DEPTH, 0, "depth", "N", "parts of a module's name that count (module 2, layer 1)", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE...", NULL};
static const char *const notes[] = {
  "FILE is plain or gzip; `-` is standard input. Formats, and how their files begin:",
#define FORMAT(id, record, name, file, ...) "  " name ": " file,
#include "trace/read/formats.def"
#undef FORMAT
  "",
  "Examples:",
  "$ rank0.json.gz",
  "$ --against plan.ts snapshot.json",
  "$ --diff before.json.gz after.json.gz",
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
  const ts_match *match;
  const ts_against *against;
  const ts_trace_diff *diff;
  ts_by_module *const *by; /* of each summary, or NULL */
} report;

static void trace_put_json(void *closure, FILE *out)
{
  const report *r = closure;
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-trace");
  ts_json_put_count(&w, "format", 1);
  ts_json_begin(&w, "traces", '[');
  for (size_t i = 0; i < r->count; i++) {
    ts_json_line(&w, 2);
    ts_trace_summary_json(r->summaries[i], &w, 2);
  }
  ts_json_last_line(&w, 0);
  ts_json_end(&w, ']');
  if (r->diff)
    ts_trace_diff_json(r->diff, &w, "diff");
  if (r->by) {
    ts_json_begin(&w, "by_module", '[');
    for (size_t i = 0; i < r->count; i++) ts_by_module_json(r->by[i], &w, NULL);
    ts_json_end(&w, ']');
  }
  if (r->match)
    ts_match_json(r->match, &w, "together");
  if (r->against)
    ts_against_json(r->against, r->summaries, r->count, &w, "against");
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

static void trace_put_text(void *closure, FILE *out)
{
  const report *r = closure;
  if (r->diff) {
    ts_trace_diff_text(r->diff, out);
    return;
  }
  for (size_t i = 0; i < r->count; i++) {
    if (i)
      fputc('\n', out);
    ts_trace_summary_text(r->summaries[i], out);
    if (r->by)
      ts_by_module_text(r->by[i], out);
  }
  if (r->match) {
    fputc('\n', out);
    ts_match_text(r->match, out);
  }
  if (r->against)
    ts_against_text(r->against, r->summaries, r->count, out);
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

typedef struct by_what { bool stated, layers; uint32_t depth; } by_what;

static int trace_read_all(ts_trace_task *t, bool json, bool diff, by_what by, const char *plan,
                          const ts_plan_options *options)
{
  int status = TS_EXIT_DONE;
  ts_against *against = plan ? ts_against_new(t, plan, options, &status) : NULL;
  if (plan && !against)
    return status;
  TS_VEC(const ts_trace_summary *) summaries = {0};
  TS_VEC(const ts_events *) traces = {0};
  TS_VEC(ts_by_module *) modules = {0};
  const ts_events_options stacks = {.modules = true};
  for (size_t i = 0; i < t->paths.count; i++) {
    ts_events *e = ts_trace_task_read(t, t->paths.at[i], by.stated ? &stacks : NULL);
    if (!e)
      continue;
    TS_PUSH(t->arena, &summaries, ts_trace_summary_new(t->arena, e));
    TS_PUSH(t->arena, &traces, e);
    if (by.stated)
      TS_PUSH(t->arena, &modules, ts_by_module_new(t->arena, e, by.depth, by.layers));
  }
  report r = {summaries.at, summaries.count,
              diff ? NULL : match(t->arena, traces.at, traces.count), against, NULL, modules.at};
  if (diff && summaries.count == 2)
    r.diff = ts_trace_diff_new(t->arena, summaries.at[0], summaries.at[1]);
  else if (diff)
    summaries.count = 0; /* one could not be read */
  status = summaries.count ? ts_trace_task_write(t, json ? trace_put_json : trace_put_text, &r) :
                             TS_EXIT_DONE;
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
  static const char *const kinds[] = {"module", "layer", NULL};
  bool diff = false;
  by_what by = {0};
  char *end;
  ts_plan_options plan_options = {.compile = {0}};
  for (int id; !t.options.status && (id = ts_options_next(&t.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: return ts_trace_task_end(&t, t.options.status);
    case TS_OPERAND: TS_PUSH(t.arena, &t.paths, t.options.argument); break;
    case OUTPUT: t.output = t.options.argument; break;
    case DIFF: diff = true; break;
    case BY:
      by.stated = true;
      by.layers = ts_options_choice(&t.options, kinds) == 1;
      break;
    case DEPTH:
      by.depth = (uint32_t)strtoul(t.options.argument, &end, 10);
      if (!by.depth || *end || by.depth > 64)
        ts_options_wrong(&t.options, "`--depth` takes a number from 1 to 64, not `%s`",
                         t.options.argument);
      break;
    case AGAINST: plan = t.options.argument; break;
    case FORMAT: form = ts_options_choice(&t.options, forms); break;
    default: ts_plan_option(&plan_options, t.arena, &t.options, id); break;
    }
  status = t.options.status ? t.options.status : -1;
  if (status < 0 && !t.paths.count)
    status = ts_options_wrong(&t.options, "no file given");
  if (status < 0 && diff && (t.paths.count != 2 || plan))
    status = ts_options_wrong(&t.options, "`--diff` compares two recordings");
  if (status < 0 && by.depth && !by.stated)
    status = ts_options_wrong(&t.options, "`--depth` needs `--by module` or `--by layer`");
  if (status < 0 && by.stated && diff)
    status = ts_options_wrong(&t.options, "`--diff` compares kernels, not modules");
  by.depth = by.depth ? by.depth : by.layers ? 1 : 2;
  if (status < 0)
    status = trace_read_all(&t, form == 1, diff, by, plan, &plan_options);
  return ts_trace_task_end(&t, status);
}
