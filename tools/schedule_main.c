/* trainspec schedule: searches a faster schedule for the pipeline of a plan. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/options.h"
#include "tools/cli/play_warnings.h"
#include "runtime/report/report.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/cli/schedule_report.h"

enum { FORMAT = 1, OUTPUT, NAME, FROM, FRESH, WHOLE, MEMORY, BUDGET, SEED, JOBS };
enum { TEXT, LANGUAGE, CSV, JSON }; /* forms */

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM",
   "text, language (a schedule for a plan to import), csv (as torch.distributed.pipelining reads "
   "it) or json (text)",
   "Order"},
  {NAME, 0, "name", "NAME", "of the schedule in the language (found)", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {MEMORY, 0, "memory", "SIZE",
   "what a device may hold, as 40GiB; or own: what the plan's own order takes (what the device "
   "has)",
   "Search"},
  {FROM, 0, "from", "EXPR", "begin with this schedule too, which may name what the plan may", NULL},
  {FRESH, 0, "fresh", NULL, "begin with neither the plan's own order nor the library's", NULL},
  {WHOLE, 0, "whole", NULL, "leave backwards whole, for frameworks that cannot split them", NULL},
  {BUDGET, 0, "budget", "N",
   "orders to time (as many as take some ten seconds, up to 200,000), or a time such as 30s; with "
   "a "
   "time the answer depends on the machine",
   NULL},
  {SEED, 0, "seed", "N", "of the search's random moves (1); the same seed, the same answer", NULL},
  {JOBS, 'j', "jobs", "N", "threads that search (the number of processors); the answer is the same",
   NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... PLAN", NULL};
static const char *const notes[] = {
  "Searches the order in which the ranks of PLAN's pipeline do their work: with the",
  "plan's own times, messages and memory, on the stages as its schedule places them.",
  "What is printed was compiled and simulated.",
  "",
  "Examples:",
  "$ plan.ts",
  "$ --memory=own --format=language -o found.ts plan.ts",
  "$ --from='zb_h1(pp, 32)' --budget=60s plan.ts",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 no order keeps the memory,",
  "4 cannot read or write.",
  NULL,
};
static const ts_program program =
  TS_COMMAND("searches a faster schedule for the pipeline of a plan.");

typedef struct schedule_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  ts_order_task search;
  TS_VEC(const char *) from;
  ts_progress_bar bar;
  ts_progress progress;
  const char *output, *name;
  int form;
} schedule_task;

static void read_memory(schedule_task *t)
{
  t->search.own_memory = !strcmp(t->options.argument, "own");
  if (!t->search.own_memory)
    ts_options_size(&t->options, &t->search.memory);
}

/* "50000", or "30s", "5min", "1h" */
static void read_budget(schedule_task *t)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
  const char *text = t->options.argument;
  char *end;
  double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;
  long long orders;
  for (size_t k = 0; number > 0 && k < sizeof units / sizeof *units; k++)
    if (!strcmp(end, units[k].unit) && number < 1e7) {
      t->search.search.seconds = number * units[k].seconds;
      t->search.search.orders = UINT64_MAX / 2;
      return;
    }
  ts_options_number(&t->options, 1, 1000000000000, &orders);
  t->search.search.orders = (uint64_t)orders;
  t->search.search.seconds = 0;
}

static void read_name(schedule_task *t)
{
  const char *name = t->options.argument;
  bool good = isalpha((unsigned char)*name) || *name == '_';
  for (const char *c = name; good && *c; c++)
    good = isalnum((unsigned char)*c) || *c == '_';
  t->name = name;
  if (!good)
    ts_options_wrong(&t->options, "`%s` takes a name such as `found`, not `%s`", t->options.spelled,
                     name);
}

static void schedule_take(void *task, int id)
{
  schedule_task *t = task;
  static const char *const forms[] = {"text", "language", "csv", "json", NULL};
  long long number;
  switch (id) {
  case TS_OPERAND:
    if (t->search.path)
      ts_options_wrong(&t->options, "one PLAN at a time");
    t->search.path = t->options.argument;
    break;
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case OUTPUT: t->output = t->options.argument; break;
  case NAME: read_name(t); break;
  case FROM: TS_PUSH(t->arena, &t->from, t->options.argument); break;
  case FRESH: t->search.fresh = true; break;
  case WHOLE: t->search.whole = true; break;
  case MEMORY: read_memory(t); break;
  case BUDGET: read_budget(t); break;
  case SEED:
    ts_options_number(&t->options, 0, 1000000000000, &number);
    t->search.search.seed = (uint64_t)number;
    break;
  case JOBS:
    ts_options_number(&t->options, 1, TS_MOST_JOBS, &number);
    t->search.search.jobs = (uint32_t)number;
    break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool schedule_read_options(schedule_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, schedule_take))
    return false;
  if (!t->search.path)
    return !ts_options_wrong(&t->options, "no PLAN given");
  t->search.compile = t->plan.compile;
  t->search.from = t->from.at;
  t->search.from_count = (uint32_t)t->from.count;
  return true;
}

static bool go_on(void *closure, const ts_pipeline_news *news)
{
  schedule_task *t = closure;
  if (news->best < TS_PIPELINE_LATE)
    snprintf(t->bar.note, sizeof t->bar.note, "  best %s",
             ts_format_time((uint64_t)news->best).text);
  bool go_on = ts_tick_counted(&t->progress, "searching", news->share, "orders",
                               (double)news->timed);
  t->bar.note[0] = 0;
  return go_on;
}

typedef struct schedule_page {
  const schedule_task *task;
  const ts_order_answer *answer;
  const char *text;
} schedule_page;

static void schedule_put(void *closure, FILE *out)
{
  const schedule_page *p = closure;
  if (p->text)
    ts_put_lines(out, p->text);
  else
    (p->task->form == JSON ? ts_order_json : ts_order_text)(p->answer, out);
}

static int schedule_report(schedule_task *t, const ts_order_answer *a)
{
  schedule_page p = {t, a, NULL};
  if (t->form == LANGUAGE) {
    const ts_schedule *own = a->own.input.schedule, *sc = a->found.input.schedule;
    p.text = ts_arena_printf(
      t->arena,
      "// An order of %u micro-batches on %u ranks, found by `trainspec schedule` from `%s` of "
      "plan\n// `%s`: %llu ps a step there.\n%s",
      sc->micro_batches * sc->copies, sc->ranks, own->name,
      a->own.input.ir.strings + a->own.input.ir.meta->plan, (unsigned long long)a->found.step,
      ts_schedule_language(a->found.session, sc, t->name));
  } else if (t->form == CSV) {
    p.text = ts_schedule_csv(t->session, a->found.input.schedule);
    if (!p.text)
      return TS_EXIT_REJECTED;
  }
  return ts_options_write(&t->options, t->output, schedule_put, &p);
}

int ts_schedule_main(int argc, char **argv)
{
  schedule_task t = {.arena = ts_arena_new("schedule"), .name = "found"};
  ts_order_answer answer = {0};
  t.search.search = (ts_pipeline_search){.seed = 1, .jobs = (uint32_t)ts_usual_jobs()};
  if (!schedule_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  t.progress = ts_progress_start(&t.bar);
  t.search.progress = &t.progress;
  t.search.search.go_on = go_on;
  t.search.search.closure = &t;
  ts_stop stop = {.arena = t.arena};
  int status = ts_order_search(t.arena, t.session, &t.search, &answer, &stop);
  if (ts_progress_interrupted())
    ts_progress_die(&t.bar, t.options.called);
  ts_progress_end(&t.bar);
  if (!status)
    status = schedule_report(&t, &answer);
  if (stop.exit_code)
    ts_stop_diagnose(&stop, &answer.own.input.ir, ts_session_source_reader(t.session), t.arena,
                     t.session->sources, t.session->diags);
  int reported = ts_options_report(&t.options, t.session->diags);
  ts_order_close(&answer);
  ts_arena_free(t.arena);
  return status ? status : reported;
}
