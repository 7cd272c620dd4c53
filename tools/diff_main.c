/* trainspec diff: what two plans differ in, and what comes of it. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "runtime/report/facts.h"
#include "runtime/report/report.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum { FORMAT = 1, OUTPUT, SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text or json (text)", "Report"},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... BEFORE AFTER", NULL};
static const char *const notes[] = {
  "Both are plans, IRs or the text of one. Both are played; only what differs is",
  "shown, and that memory does not suffice is a difference like others. Options of",
  "the plan hold for both; where they are to differ, compile first.",
  "",
  "Examples:",
  "$ old.ts new.ts",
  "  git difftool -y -x 'trainspec diff -I plans' main -- plans/big.ts",
  "  tsc -D tp=4 -o four.ir plan.ts; trainspec diff four.ir plan.ts",
  "",
  "Exit codes: 0 no difference, 1 differences, 2 one of them cannot be played, or",
  "wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program = {
  .summary = "TrainSpec: what two plans differ in, and what comes of it.", .usage = usage, .options = options, .notes = notes, .manual = "trainspec(1)"};

typedef struct task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *paths[2], *output;
  int path_count, form;
  ts_fact_changes changes;
} task;

static bool take(task *t, int id)
{
  static const char *const forms[] = {"text", "json", NULL};
  switch (id) {
  case TS_OPERAND:
    if (t->path_count == 2)
      t->options.status = ts_options_wrong(&t->options, "two plans at a time");
    else
      t->paths[t->path_count++] = t->options.argument;
    return !t->options.status;
  case FORMAT:
    t->form = ts_options_choice(&t->options, forms);
    if (t->form < 0)
      t->options.status = TS_EXIT_USAGE;
    return t->form >= 0;
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
  bool twice = t->path_count == 2 && !strcmp(t->paths[0], "-") && !strcmp(t->paths[1], "-");
  if (t->path_count == 2 && !twice)
    return true;
  t->options.status = twice ? ts_options_wrong(&t->options, "standard input is one of the two plans, not both") : ts_options_wrong(&t->options, "which two plans? `%s BEFORE AFTER`", t->options.called);
  return false;
}

/* Plays a plan into its facts. False after telling why not. */
static bool play(task *t, const char *path, ts_plan_facts *facts)
{
  ts_input input = {0};
  ts_stop stop = {.arena = t->arena};
  ts_run_options how = {0};
  if (!ts_input_open(t->session, path, &t->plan.compile, &input))
    return false;
  ts_run *run = ts_run_new(&input.ir, &how, &stop);
  if (run)
    *facts = ts_facts_of(t->arena, ts_summary_new(t->arena, &input.ir, run, ts_memory_new(t->arena, &input.ir, run), NULL));
  else if (!ts_stop_diagnose(&stop, &input.ir, (ts_source_reader){0}, t->arena, t->session->sources, t->session->diags))
    ts_stop_print(&stop, t->options.called, stderr);
  ts_run_free(run);
  ts_input_close(&input);
  return run != NULL;
}

/* Names without folders, where these tell them apart. */
static const char *name_of(const task *t, int which, const char *otherwise)
{
  const char *names[2] = {ts_base_name(t->paths[0]), ts_base_name(t->paths[1])};
  return strcmp(names[0], names[1]) == 0 ? otherwise : names[which];
}

static void put_report(void *closure, FILE *out)
{
  task *t = closure;
  if (t->form)
    ts_report_changes_json(t->changes, out);
  else
    ts_report_changes_text(t->changes, name_of(t, 0, "before"), name_of(t, 1, "after"), t->arena, out);
}

static int compare(task *t)
{
  ts_plan_facts facts[2];
  bool played = play(t, t->paths[0], &facts[0]) && play(t, t->paths[1], &facts[1]);
  int told = ts_options_report(&t->options, t->session->diags);
  if (!played || told)
    return told == TS_EXIT_ENVIRONMENT ? told : TROUBLE;
  t->changes = ts_facts_compare(t->arena, facts[0], facts[1]);
  int status = ts_options_write(&t->options, t->output, put_report, t);
  return status != TS_EXIT_DONE ? status : t->changes.count ? DIFFERENT : SAME;
}

int ts_diff_main(int argc, char **argv)
{
  task t = {.arena = ts_arena_new("diff")};
  if (!read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  int status = compare(&t);
  ts_arena_free(t.arena);
  return status;
}
