/* trainspec diff: what two plans differ in, and what comes of it. */
#include <stdio.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/options.h"
#include "compiler/assertion.h"
#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "runtime/report/confidence.h"
#include "runtime/report/facts.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "runtime/study/compare.h"
#include "tools/cli/choices.h"
#include "tools/cli/diff_comment.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/play_warnings.h"

enum { FORMAT = 1, OUTPUT, FAIL_IF, CHOICES, SAME = 0, DIFFERENT = 1, TROUBLE = 2 };
enum { TEXT, JSON, HTML, MARKDOWN }; /* forms */

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM",
   "text, json, html (a page) or markdown, a comment on a change (text)", "Report"},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {FAIL_IF, 0, "fail-if", "EXPR",
   "end with 1 only where EXPR holds of the figures, which were `before`; repeatable", NULL},
  {CHOICES, 0, "choices", NULL,
   "simulate BEFORE with each choice of AFTER's framework alone, and add them up (text)", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... BEFORE AFTER", NULL};
static const char *const notes[] = {
  "Each is a plan, an IR or the text of an IR. Both are simulated, and only",
  "differences are shown; a lack of memory is a difference like others. Plan",
  "options apply to both; to give each its own, compile them first.",
  "",
  "Examples:",
  "$ old.ts new.ts",
  "$ --format=markdown old.ts new.ts >comment.md",
  "$ --fail-if 'step_time > 1.01 * before' old.ts new.ts",
  "  git difftool -y -x 'trainspec diff -I plans' main -- plans/big.ts",
  "  tsc -D tp=4 -o four.ir plan.ts; trainspec diff four.ir plan.ts",
  "",
  "Exit codes: 0 no difference, 1 differences, 2 one of them cannot be simulated, or",
  "wrong usage, 4 cannot read or write. With --fail-if: 0 none holds, 1 one does.",
  NULL,
};
static const ts_program program = TS_COMMAND("compares two plans and their results.");

typedef struct diff_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *paths[2], *output;
  int path_count, form;
  bool choices;
  const ts_input *inputs[2];
  ts_summary *summaries[2];
  ts_fact_changes changes;
  ts_interval ratio; /* of the step times, after over before */
  TS_VEC(const char *) requested; /* --fail-if */
  TS_VEC(ts_assertion) conditions;
} diff_task;

typedef struct diff_played {
  ts_session *session; /* its own, so that each IR names what it alone was made from */
  ts_input input;
  bool open;
  ts_run *run;
  ts_summary *summary;
} diff_played;

static void diff_take(void *task, int id)
{
  diff_task *t = task;
  static const char *const forms[] = {"text", "json", "html", "markdown", NULL};
  switch (id) {
  case TS_OPERAND:
    ts_options_operand(&t->options, t->paths, &t->path_count, "two plans at a time");
    break;
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case OUTPUT:
    t->output = t->options.argument;
    t->form = ts_options_form(&t->options, forms, t->form);
    break;
  case CHOICES: t->choices = true; break;
  case FAIL_IF: TS_PUSH(t->arena, &t->requested, t->options.argument); break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool diff_read_options(diff_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, diff_take))
    return false;
  if (t->choices && t->form != TEXT) {
    t->options.status = ts_options_wrong(&t->options, "`--choices` is shown in text alone");
    return false;
  }
  bool twice = t->path_count == 2 && !strcmp(t->paths[0], "-") && !strcmp(t->paths[1], "-");
  if (t->path_count == 2 && !twice)
    return true;
  t->options.status =
    twice ?
      ts_options_wrong(&t->options, "only one of the two plans can be standard input") :
      ts_options_wrong(&t->options, "two plans are needed: `%s BEFORE AFTER`", t->options.called);
  return false;
}

/* Names without folders, where these distinguish them; a pipe's, "/dev/fd/63", says nothing. */
static const char *diff_name_of(const diff_task *t, int which, const char *otherwise)
{
  const char *names[2] = {ts_base_name(t->paths[0]), ts_base_name(t->paths[1])};
  bool pipe = !strncmp(t->paths[which], "/dev/fd/", 8) || !strncmp(t->paths[which], "/proc/", 6);
  return pipe || strcmp(names[0], names[1]) == 0 ? otherwise : names[which];
}

static void take_messages(diff_task *t, const ts_session *from)
{
  for (size_t i = 0; i < from->diags->all.count; i++)
    TS_PUSH(t->arena, &t->session->diags->all, from->diags->all.at[i]);
}

/* Plays a plan and sums it up. False after reporting why not. */
static bool diff_play(diff_task *t, int which, diff_played *p)
{
  ts_stop stop = {.arena = t->arena};
  ts_run_options how = {0};
  p->session = ts_session_beside(t->arena, t->session->sources);
  bool opened = ts_input_open(p->session, t->paths[which], &t->plan.compile, &p->input);
  take_messages(t, p->session);
  if (!opened)
    return false;
  p->open = true;
  p->run = ts_run_new(&p->input.ir, &how, &stop);
  if (p->run) {
    const ts_memory *memory = ts_memory_new(t->arena, &p->input.ir, p->run);
    p->summary =
      ts_arena_copy(t->arena, ts_summary_new(t->arena, &p->input.ir, p->run, memory, NULL),
                    sizeof *p->summary);
    ts_plausible(p->summary, &how);
  } else if (!ts_stop_diagnose(&stop, &p->input.ir, ts_session_source_reader(p->session), t->arena,
                               t->session->sources, t->session->diags)) {
    ts_stop_print(&stop, t->options.called, stderr);
  }
  return p->run != NULL;
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

static bool has(const diff_played *p, const ts_ir *ir, const ts_warning *w)
{
  for (size_t i = 0; i < p->summary->warnings.at.count; i++) {
    const ts_warning *v = &p->summary->warnings.at.at[i];
    if (strcmp(v->code, w->code) == 0 && strcmp(v->message, w->message) == 0 &&
        same_place(&p->input.ir, v->loc, ir, w->loc))
      return true;
  }
  return false;
}

/* Warnings of both plans are reported once. */
static void warn(diff_task *t, diff_played *plans)
{
  for (int which = 0; which < 2; which++) {
    diff_played *p = &plans[which];
    for (size_t i = 0; i < p->summary->warnings.at.count; i++) {
      bool shared = has(&plans[!which], &p->input.ir, &p->summary->warnings.at.at[i]);
      ts_warnings one = {0};
      TS_PUSH(t->arena, &one.at, p->summary->warnings.at.at[i]);
      ts_label_play_warnings(t->arena, &one, 0, "plan",
                             shared ? "both" : diff_name_of(t, which, which ? "after" : "before"));
      if (!shared || !which)
        ts_report_play_warnings(t->session, &one, &p->input.ir, p->input.kind == TS_INPUT_PLAN,
                                ts_session_source_reader(p->session));
    }
  }
}

/* The page of the second plan, with the first beside it. */
static void put_page(const diff_task *t, FILE *out)
{
  const ts_summary *before = t->summaries[0];
  ts_summary *after = t->summaries[1];
  after->extras.other = before;
  after->extras.difference = ts_difference_new(t->arena, before->run, after->run);
  after->extras.difference_from = diff_name_of(t, 0, "before");
  after->extras.name = diff_name_of(t, 1, "after");
  ts_report_html(after, out);
}

static void diff_put_report(void *closure, FILE *out)
{
  diff_task *t = closure;
  if (t->form == HTML) {
    put_page(t, out);
  } else if (t->form == MARKDOWN) {
    const ts_diff_side sides[2] = {{diff_name_of(t, 0, "before"), t->inputs[0], t->summaries[0]},
                                   {diff_name_of(t, 1, "after"), t->inputs[1], t->summaries[1]}};
    ts_diff_comment(t->arena, sides, t->changes, &t->ratio, out);
  } else if (t->form == JSON) {
    ts_report_changes_json(t->changes, &t->ratio, out);
  } else {
    ts_report_changes_text(t->changes, diff_name_of(t, 0, "before"), diff_name_of(t, 1, "after"),
                           t->arena, out);
    if (t->changes.count)
      ts_report_ratio_text(&t->ratio, t->arena, out);
    uint64_t steps[2] = {t->summaries[0]->result->step, t->summaries[1]->result->step};
    if (t->choices &&
        !ts_choices_between(t->arena, t->paths, t->inputs, &t->plan.compile, steps, out))
      fputs("\nno choice of a framework differs: plans with frameworks of std are asked for\n",
            out);
  }
}

static bool diff_read_conditions(diff_task *t)
{
  bool good = true;
  for (size_t i = 0; i < t->requested.count; i++) {
    ts_assertion one;
    good &= ts_condition_read(t->session, t->requested.at[i], &one);
    TS_PUSH(t->arena, &t->conditions, one);
  }
  return good;
}

/* Whether no condition holds. */
static bool diff_passes(diff_task *t)
{
  ts_figures before = ts_figures_of(t->summaries[0]), after = ts_figures_of(t->summaries[1]);
  bool passes = true;
  for (size_t i = 0; i < t->conditions.count; i++)
    passes &= ts_condition_passes(t->session, &t->conditions.at[i], &before, &after);
  return passes;
}

static int diff_report(diff_task *t)
{
  const ts_summary *before = t->summaries[0], *after = t->summaries[1];
  t->changes =
    ts_facts_compare(t->arena, ts_facts_of(t->arena, before), ts_facts_of(t->arena, after));
  t->ratio = ts_interval_of_ratio(&after->confidence, &before->confidence);
  int status = ts_options_write(&t->options, t->output, diff_put_report, t);
  if (status != TS_EXIT_DONE)
    return status;
  return t->requested.count ? SAME : t->changes.count ? DIFFERENT : SAME;
}

static int diff_compare(diff_task *t)
{
  diff_played plans[2] = {0};
  bool both = diff_read_conditions(t) && diff_play(t, 0, &plans[0]) && diff_play(t, 1, &plans[1]);
  for (int i = 0; i < 2; i++)
    t->summaries[i] = plans[i].summary, t->inputs[i] = &plans[i].input;
  if (both)
    warn(t, plans);
  bool passes = !both || diff_passes(t);
  int status = ts_options_report(&t->options, t->session->diags);
  if (both && (!status || !passes)) {
    status = diff_report(t);
    status = status == SAME && !passes ? DIFFERENT : status;
  } else if (status != TS_EXIT_ENVIRONMENT) {
    status = TROUBLE;
  }
  for (int i = 0; i < 2; i++) {
    ts_run_free(plans[i].run);
    if (plans[i].open)
      ts_input_close(&plans[i].input);
  }
  return status;
}

int ts_diff_main(int argc, char **argv)
{
  diff_task t = {.arena = ts_arena_new("diff")};
  if (!diff_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  int status = diff_compare(&t);
  ts_arena_free(t.arena);
  return status;
}
