/* trainspec diff: what two plans differ in, and what comes of it. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "runtime/report/confidence.h"
#include "runtime/report/facts.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/play_warnings.h"

enum { FORMAT = 1, OUTPUT, SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text or json (text)", "Report"},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... BEFORE AFTER", NULL};
static const char *const notes[] = {
  "Each is a plan, an IR or the text of an IR. Both are played, and only",
  "differences are shown; a lack of memory is a difference like others. Plan",
  "options apply to both; to give each its own, compile them first.",
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
static const ts_program program = TS_COMMAND("compares two plans and their results.");

typedef struct task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *paths[2], *output;
  int path_count, form;
  ts_fact_changes changes;
  ts_interval ratio; /* of the step times, after over before */
} task;

typedef struct played {
  ts_input input;
  bool open;
  ts_plan_facts facts;
  ts_warnings warnings;
  ts_confidence sure;
} played;

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
  t->options.status =
    twice ?
      ts_options_wrong(&t->options, "only one of the two plans can be standard input") :
      ts_options_wrong(&t->options, "two plans are needed: `%s BEFORE AFTER`", t->options.called);
  return false;
}

/* Names without folders, where these distinguish them. */
static const char *name_of(const task *t, int which, const char *otherwise)
{
  const char *names[2] = {ts_base_name(t->paths[0]), ts_base_name(t->paths[1])};
  return strcmp(names[0], names[1]) == 0 ? otherwise : names[which];
}

/* Plays a plan into its facts and warnings. False after reporting why not. */
static bool play(task *t, int which, played *p)
{
  ts_stop stop = {.arena = t->arena};
  ts_run_options how = {0};
  if (!ts_input_open(t->session, t->paths[which], &t->plan.compile, &p->input))
    return false;
  p->open = true;
  ts_run *run = ts_run_new(&p->input.ir, &how, &stop);
  if (run) {
    ts_summary *s = ts_arena_copy(
      t->arena,
      ts_summary_new(t->arena, &p->input.ir, run, ts_memory_new(t->arena, &p->input.ir, run), NULL),
      sizeof *s);
    p->facts = ts_facts_of(t->arena, s);
    p->sure = ts_confidence_copy(t->arena, &s->confidence);
    ts_plausible(s, &how);
    p->warnings = s->warnings;
  } else if (!ts_stop_diagnose(&stop, &p->input.ir, ts_session_source_reader(t->session), t->arena,
                               t->session->sources, t->session->diags)) {
    ts_stop_print(&stop, t->options.called, stderr);
  }
  ts_run_free(run);
  return run != NULL;
}

static bool same_place(const ts_ir *a, uint32_t x, const ts_ir *b, uint32_t y)
{
  if (x >= a->locs_count || y >= b->locs_count)
    return x >= a->locs_count && y >= b->locs_count;
  const ts_ir_loc *p = &a->locs[x], *q = &b->locs[y];
  return p->line == q->line && p->column == q->column &&
         strcmp(a->strings + a->sources[p->source].name, b->strings + b->sources[q->source].name) ==
           0;
}

static bool has(const played *p, const ts_ir *ir, const ts_warning *w)
{
  for (size_t i = 0; i < p->warnings.at.count; i++) {
    const ts_warning *v = &p->warnings.at.at[i];
    if (strcmp(v->code, w->code) == 0 && strcmp(v->message, w->message) == 0 &&
        same_place(&p->input.ir, v->loc, ir, w->loc))
      return true;
  }
  return false;
}

/* Warnings of both plans are reported once. */
static void warn(task *t, played *plans)
{
  for (int which = 0; which < 2; which++) {
    played *p = &plans[which];
    for (size_t i = 0; i < p->warnings.at.count; i++) {
      bool shared = has(&plans[!which], &p->input.ir, &p->warnings.at.at[i]);
      ts_warnings one = {0};
      TS_PUSH(t->arena, &one.at, p->warnings.at.at[i]);
      ts_label_play_warnings(t->arena, &one, 0, "plan",
                             shared ? "both" : name_of(t, which, which ? "after" : "before"));
      if (!shared || !which)
        ts_report_play_warnings(t->session, &one, &p->input.ir, p->input.kind == TS_INPUT_PLAN,
                                ts_session_source_reader(t->session));
    }
  }
}

static void put_report(void *closure, FILE *out)
{
  task *t = closure;
  if (t->form) {
    ts_report_changes_json(t->changes, &t->ratio, out);
  } else {
    ts_report_changes_text(t->changes, name_of(t, 0, "before"), name_of(t, 1, "after"), t->arena,
                           out);
    if (t->changes.count)
      ts_report_ratio_text(&t->ratio, t->arena, out);
  }
}

static int compare(task *t)
{
  played plans[2] = {0};
  bool both = play(t, 0, &plans[0]) && play(t, 1, &plans[1]);
  if (both)
    warn(t, plans);
  for (int i = 0; i < 2; i++)
    if (plans[i].open)
      ts_input_close(&plans[i].input);
  int reported = ts_options_report(&t->options, t->session->diags);
  if (!both || reported)
    return reported == TS_EXIT_ENVIRONMENT ? reported : TROUBLE;
  t->changes = ts_facts_compare(t->arena, plans[0].facts, plans[1].facts);
  t->ratio = ts_interval_of_ratio(&plans[1].sure, &plans[0].sure);
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
