/* trainspec sweep: plays all plans of a search and says which are best. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag_record.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/heap.h"
#include "base/options.h"
#include "base/output.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/sweep/apart.h"
#include "tools/sweep/budget.h"
#include "tools/sweep/journaled.h"
#include "tools/sweep/listed.h"
#include "tools/sweep/live.h"
#include "tools/sweep/merge.h"
#include "tools/sweep/play.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/report.h"
#include "tools/sweep/status.h"
#include "tools/sweep/team.h"
#include "tools/sweep/wire.h"

enum {
  SEARCH = 1,
  VARY,
  SET,
  REQUIRE,
  MINIMIZE,
  MAXIMIZE,
  TOP,
  FORMAT,
  OUTPUT,
  DRY_RUN,
  JOBS,
  JOURNAL,
  RESUME,
  SHARD,
  SBATCH,
  ALL,
  PAGES,
  SERVE,
  BUDGET,
  SEED
};
enum { PROGRESS_AFTER = 1 /* s */ };

static const ts_option options[] = {
  {SEARCH, 0, "search", "NAME", "the search to use, where the file has several", "Search"},
  {VARY, 0, "vary", "NAME=LIST", "values of a parameter, instead of a search in the file", NULL},
  {SET, 0, "set", "NAME=EXPR", "a parameter computed from those", NULL},
  {REQUIRE, 0, "require", "EXPR", "leave out plans that do not satisfy this", NULL},
  {MINIMIZE, 0, "minimize", "EXPR", "the goal, instead of that in the file (step_time)", NULL},
  {MAXIMIZE, 0, "maximize", "EXPR", "likewise", NULL},
  {TOP, 0, "top", "N", "show the best N plans; 0 shows all (10)", "Report"},
  {FORMAT, 0, "format", "FORM", "text, csv, json or html; all but text have all plans (text)",
   NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {PAGES, 0, "pages", "DIR",
   "also write the pages of the plans that --top shows into DIR, to which the html of -o links",
   NULL},
  {DRY_RUN, 0, "dry-run", NULL, "only report how many plans there are and how long they may take",
   NULL},
  {ALL, 0, "all", NULL,
   "simulate all plans, also those that cannot be among the best by their bounds", NULL},
  {BUDGET, 0, "budget", "N|TIME",
   "simulate at most N plans, or begin none after TIME (60s): drawn, then near the best", NULL},
  {SEED, 0, "seed", "N", "of the plans that are drawn (1)", NULL},
  {JOBS, 'j', "jobs", "N", "plans simulated at the same time (the number of processors)", NULL},
  {JOURNAL, 0, "journal", "FILE", "keep what becomes of each plan in FILE, as soon as it is known",
   "Journal"},
  {RESUME, 0, "resume", NULL, "go on in a journal that is there: its plans are not simulated again",
   NULL},
  {SERVE, 0, "serve", "PORT", "show a page of the journal at that port while the sweep runs", NULL},
  {SHARD, 0, "shard", "I/N",
   "only part I of N; auto: by the task of Slurm or Kubernetes; all: each after the other", NULL},
  {SBATCH, 0, "sbatch", "N", "only print a script for Slurm that runs the sweep in N parts", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", "status [OPTION]... JOURNAL",
                                    "merge -o FILE JOURNAL...", NULL};
static const char *const notes[] = {
  "Conditions and goals may use "
#define FIGURE(id, name, ...) name ", "
#include "base/figures.def"
#undef FIGURE
  "and parameters of the plan. Plans that do not fit in memory are left out.",
  "",
  "Examples:",
  "$ plan.ts",
  "$ --vary 'tp=[1, 2, 4, 8]' --set 'dp=64 / tp' plan.ts",
  "$ --format=csv -o all.csv plan.ts",
  "$ --journal=plans.db --resume plan.ts",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 no plan is possible,",
  "4 files or system, 70 a bug of ours.",
  NULL,
};
static const ts_program program = TS_COMMAND("simulates a family of plans and ranks them.");

typedef enum form { TEXT, CSV, JSON, HTML } form;

typedef struct sweep_task {
  ts_options options;
  ts_plan_options plan;
  const char *output, *search_name, *items, *journal, *serve, *pages;
  bool dry_run, resume, all, varies; /* varies: by options, so the file's searches do not matter */
  form form;
  const char *folder; /* of --pages, as seen from the report */
  ts_sweep_budget budget;
  long long top, jobs, seed, sbatch; /* sbatch: parts of the script; 0: none */
  ts_sweep sweep;
  ts_journaled *journaled; /* NULL: no journal */
  ts_team *team;      /* NULL: this process is alone */
  ts_live *live;      /* NULL: no page is shown */
  double begun, took; /* s */
  size_t page_count;  /* written into the folder of --pages */
  size_t done, requested; /* plans played, and to be played */
  bool shown;         /* a line of progress */
} sweep_task;

/* ---- Options ---- */

static bool has_budget(const sweep_task *t) { return t->budget.plans || t->budget.seconds > 0; }

/* `1,2,4` as a list: what is written has a comma outside of brackets and quotes. */
static const char *vary_list(ts_arena *arena, const char *text)
{
  int depth = 0;
  bool quoted = false;
  for (const char *c = text; *c; c++) {
    quoted ^= *c == '"';
    depth += !quoted && strchr("([{", *c) ? 1 : !quoted && strchr(")]}", *c) ? -1 : 0;
    if (*c == ',' && !depth && !quoted)
      return ts_arena_printf(arena, "[%s]", text);
  }
  return text;
}

/* An option as the line of a search that it stands for. */
static void add_item(sweep_task *t, int id)
{
  const char *argument = t->options.argument, *equals = strchr(argument, '='), *line = NULL;
  const char *before = t->items ? t->items : "";
  if ((id == VARY || id == SET) && (!equals || equals == argument)) {
    ts_options_wrong(&t->options, "`%s` takes NAME=%s, not `%s`", t->options.spelled,
                     id == VARY ? "LIST, such as tp=1,2,4 or tp=1..9" : "EXPR", argument);
    return;
  }
  switch (id) {
  case VARY:
    line = ts_arena_printf(t->sweep.arena, "vary %.*s in %s", (int)(equals - argument), argument,
                           vary_list(t->sweep.arena, equals + 1));
    break;
  case SET: line = ts_arena_printf(t->sweep.arena, "set %s", argument); break;
  case REQUIRE:
    line = ts_arena_printf(t->sweep.arena, "require %s, \"%s\"", argument,
                           strpbrk(argument, "\"\\") ? "--require" : argument);
    break;
  case MINIMIZE: line = ts_arena_printf(t->sweep.arena, "minimize %s", argument); break;
  case MAXIMIZE: line = ts_arena_printf(t->sweep.arena, "maximize %s", argument); break;
  }
  t->items = ts_arena_printf(t->sweep.arena, "%s%s\n", before, line);
  t->varies |= id == VARY || id == SET;
}

static void sweep_take(void *task, int id)
{
  sweep_task *t = task;
  static const char *const forms[] = {"text", "csv", "json", "html", NULL};
  const char *argument = t->options.argument;
  switch (id) {
  case TS_OPERAND:
    if (t->sweep.path)
      ts_options_wrong(&t->options, "one FILE at a time");
    t->sweep.path = argument;
    break;
  case SEARCH: t->search_name = argument; break;
  case VARY:
  case SET:
  case REQUIRE:
  case MINIMIZE:
  case MAXIMIZE: add_item(t, id); break;
  case TOP: ts_options_number(&t->options, 0, ts_limits_usual.plans, &t->top); break;
  case JOBS: ts_options_number(&t->options, 1, TS_MOST_JOBS, &t->jobs); break;
  case FORMAT: t->form = (enum form)ts_options_choice(&t->options, forms); break;
  case OUTPUT:
    t->output = argument;
    t->form = (enum form)ts_options_form(&t->options, forms, (int)t->form);
    break;
  case DRY_RUN: t->dry_run = true; break;
  case JOURNAL: t->journal = argument; break;
  case RESUME: t->resume = true; break;
  case PAGES: t->pages = argument; break;
  case SERVE: t->serve = argument; break;
  case ALL: t->all = true; break;
  case BUDGET: ts_sweep_budget_read(&t->options, &t->budget); break;
  case SEED: ts_options_number(&t->options, 0, INT64_MAX, &t->seed); break;
  case SHARD: ts_sweep_shard_read(&t->options, &t->sweep.shard); break;
  case SBATCH: ts_options_number(&t->options, 1, 1000000, &t->sbatch); break;
  default: ts_plan_option(&t->plan, t->sweep.arena, &t->options, id);
  }
}

/* Whether the pages lie where the report can name them; from there on. */
static bool pages_below(sweep_task *t)
{
  size_t head = (size_t)(ts_base_name(t->output) - t->output);
  t->folder = strncmp(t->pages, t->output, head) ? t->pages : t->pages + head;
  return *t->folder && (!head || t->folder != t->pages);
}

static bool sweep_read_options(sweep_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, sweep_take))
    return false;
  long long parts = t->sbatch ? t->sbatch : t->sweep.shard.count;
  const char *wrong = !t->sweep.path ?
                        "no FILE given" :
                      strcmp(t->sweep.path, "-") == 0 ?
                        "a sweep reads its plan repeatedly: give a file" :
                      ts_same_file(t->output, t->sweep.path) ?
                        "`-o` names the plan itself: give the report another file" :
                      ts_same_file(t->output, t->journal) ?
                        "`-o` and `--journal` name the same file" :
                      t->varies && t->search_name ?
                        "`--search` names one of the file; `--vary` and `--set` make another" :
                      t->pages && (t->form != HTML || !t->output || !pages_below(t)) ?
                        "`--pages` is of a page, and below its folder: `-o FILE.html`" :
                      t->resume && !t->journal ?
                        "`--resume` goes on in a journal: name it with `--journal`" :
                      t->serve && !t->journal ?
                        "`--serve` shows a journal: name one with `--journal`" :
                      t->budget.seconds > 0 && parts ?
                        "parts share a budget in plans, not in time: what a part does in a time is "
                        "not the same again" :
                      t->budget.plans && t->budget.plans < parts ?
                        "a budget of so few plans has no more parts than plans" :
                      parts && t->sweep.shard.index != TS_SHARD_ALL && !t->journal ?
                        "parts of a sweep are put together from journals: name one with "
                        "`--journal`" :
                        NULL;
  if (wrong)
    ts_options_wrong(&t->options, "%s", wrong);
  return !wrong;
}

/* ---- Playing ---- */

/* On a terminal, how far it got. */
static void sweep_show(sweep_task *t)
{
  if (!ts_progress_terminal() || ts_clock() - t->begun < PROGRESS_AFTER)
    return;
  fprintf(stderr, "\r%zu of %zu plans", t->done, t->requested);
  fflush(stderr);
  t->shown = true;
}

static void hide(sweep_task *t)
{
  if (t->shown)
    fputs("\r\033[K", stderr);
  t->shown = false;
}

/* On a terminal, below the report: how many of its plans were played depends on the threads. */
static void tell_effort(sweep_task *t)
{
  size_t played = 0;
  if (!ts_progress_terminal() || (t->team && ts_team_follows(t->team)))
    return;
  for (size_t i = 0; i < t->sweep.count; i++)
    played += t->sweep.outcomes[i].played;
  fflush(stdout);
  fprintf(stderr, "%zu of %zu plans simulated, %.2f s\n", played, t->sweep.count, t->took);
}

/* What is played so far is in the journal; plans under way are lost. */
static void end_if_requested(sweep_task *t)
{
  int number = ts_interrupt_pending();
  if (!number)
    return;
  size_t count = ts_journaled_count(t->journaled);
  hide(t);
  if (ts_journaled_close(t->journaled, false))
    ts_put_text(
      stderr, "%s: interrupted; %zu of %zu plans are in `%s`, and `--resume` goes on from there\n",
      t->options.called, count, t->sweep.count, t->journal);
  signal(number, SIG_DFL);
  raise(number);
}

static void take_play(void *closure, size_t index, double seconds)
{
  sweep_task *t = closure;
  t->done++;
  ts_sweep_note(&t->sweep, index);
  ts_sweep_judge(&t->sweep); /* its errors are seen at the next tick */
  if (t->journaled)
    ts_journaled_take(t->journaled, index, seconds);
}

static bool tick(void *closure)
{
  sweep_task *t = closure;
  bool good = ts_sweep_judge(&t->sweep);
  if (t->journaled) {
    good = ts_journaled_write(t->journaled) && good;
    end_if_requested(t);
  }
  sweep_show(t);
  return good;
}

static bool sweep_play(sweep_task *t, ts_sweep *s, const ts_sweep_plays *plays)
{
  return t->team ? ts_team_play(t->team, s, plays) : ts_sweep_play(s, plays);
}

static bool play_by_team(void *closure, const ts_sweep_plays *plays)
{
  sweep_task *t = closure;
  return ts_team_play(t->team, &t->sweep, plays);
}

static void take_look(void *closure, size_t index, double seconds)
{
  (void)closure;
  (void)index;
  (void)seconds;
}

static bool tick_look(void *closure)
{
  sweep_task *t = closure;
  bool good = !t->journaled || ts_journaled_write(t->journaled);
  if (t->journaled)
    end_if_requested(t);
  return good;
}

/* Of an open search: finds the bounds of plans. What a journal knows of them is not looked at
 * again; that they were played tells nothing here, or parts would see what others played. */
static bool look_at_some(void *closure, ts_outcome *outcomes, size_t count)
{
  sweep_task *t = closure;
  ts_sweep looking = t->sweep;
  size_t *unknown = TS_NEW_ARRAY(t->sweep.arena, size_t, count + 1), unknown_count = 0;
  looking.outcomes = outcomes;
  looking.count = count;
  for (size_t i = 0; i < count; i++) {
    ts_outcome found = {.point = outcomes[i].point}, *o = &outcomes[i];
    if (t->journaled && !ts_journaled_find(t->journaled, &found))
      return false;
    if (found.state == TS_REFUSED && found.known)
      *o = found;
    else if (found.known)
      *o = ts_sweep_looked(&t->sweep, found.point, &found.bounds);
    else
      unknown[unknown_count++] = i;
  }
  return !unknown_count || sweep_play(t, &looking,
                                      &(ts_sweep_plays){.jobs = t->jobs,
                                                        .count = unknown_count,
                                                        .todo = unknown,
                                                        .done = take_look,
                                                        .tick = tick_look,
                                                        .closure = t});
}

/* Of an open search: plays what no journal knows. */
static bool play_some(void *closure, const size_t *todo, size_t count)
{
  sweep_task *t = closure;
  size_t *unknown = TS_NEW_ARRAY(t->sweep.arena, size_t, count), unknown_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (t->journaled && !ts_journaled_know(t->journaled, todo[i]))
      return false;
    if (!t->sweep.outcomes[todo[i]].known)
      unknown[unknown_count++] = todo[i];
  }
  t->requested += unknown_count;
  return sweep_play(t, &t->sweep,
                    &(ts_sweep_plays){.jobs = t->jobs,
                                      .count = unknown_count,
                                      .todo = unknown,
                                      .done = take_play,
                                      .tick = tick,
                                      .closure = t});
}

/* Plays what no journal knows. False after an error. */
static bool play_all(sweep_task *t)
{
  ts_sweep *s = &t->sweep;
  for (size_t i = 0; i < s->count; i++) {
    t->requested += !s->outcomes[i].known;
    if (s->outcomes[i].known)
      ts_sweep_note(s, i);
  }
  t->begun = ts_clock();
  ts_sweep_player player = {look_at_some, play_some, t};
  if (s->search->open && !ts_sweep_search(s, &t->budget, &player))
    return false;
  ts_sweep_plays plays = {.jobs = t->jobs, .done = take_play, .tick = tick, .closure = t};
  bool good = ts_sweep_play_listed(s, &plays, t->team ? play_by_team : NULL);
  hide(t);
  t->took = ts_clock() - t->begun;
  if (t->journaled)
    good = ts_journaled_close(t->journaled, good) && good;
  return good;
}

/* ---- The whole ---- */

/* No plan could be played, all for one reason, which is then reported in full. */
static bool refused_for_one_reason(const ts_sweep *s)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->outcomes[i].state != TS_REFUSED || strcmp(s->outcomes[i].why, s->outcomes[0].why) != 0)
      return false;
  return s->count > 0;
}

/* A ranking without a plan that nobody could read would be no answer; nor would one of plans that
 * read different versions of a file. */
static bool some_unread(ts_sweep *s)
{
  if (s->inputs->changed) {
    ts_diag *d =
      ts_diag_add(s->session->diags, TS_E0701, TS_NO_SPAN,
                  "`%s` changed while plans that read it were simulated", s->inputs->changed);
    ts_diag_help(d, "start again: plans before and after the change cannot be compared");
    return true;
  }
  for (size_t i = 0; i < s->count; i++)
    if (s->outcomes[i].unread) {
      ts_diag_add(s->session->diags, TS_E0701, TS_NO_SPAN, "%s", s->outcomes[i].why);
      return true;
    }
  return false;
}

/* The first plan's messages are those of the sweep. */
static void report_refusal(ts_sweep *s)
{
  s->session = ts_session_new(s->arena);
  ts_sweep_tell(s, s->outcomes[0].point);
}

/* Those of the best plan too, when there is one; each says first of which plan it is. */
static void report_best(ts_sweep *s)
{
  const ts_outcome *best = &s->outcomes[0];
  ts_diags *all = s->session->diags;
  if (best->state != TS_RANKED || !best->warning_count)
    return;
  size_t first = all->all.count;
  ts_sweep_tell(s, best->point);
  for (size_t i = first; i < all->all.count; i++) {
    ts_diag *d = all->all.at[i];
    ts_diag_fact(d, "plan", "%s", ts_sweep_point_text(s, best->point, s->arena));
    ts_diag_child fact = d->children.at[d->children.count - 1];
    memmove(d->children.at + 1, d->children.at, (d->children.count - 1) * sizeof fact);
    d->children.at[0] = fact;
  }
}

static void sweep_put_report(void *closure, FILE *out)
{
  const sweep_task *t = closure;
  switch (t->form) {
  case TEXT: ts_sweep_put_text(&t->sweep, (size_t)t->top, out); break;
  case CSV: ts_sweep_put_csv(&t->sweep, out); break;
  case JSON: ts_sweep_put_json(&t->sweep, out); break;
  case HTML: ts_sweep_put_html(&t->sweep, t->folder, t->page_count, out); break;
  }
}

/* A million plans are written as they are printed. */
static int write_report(sweep_task *t)
{
  ts_output o;
  if (t->form == TEXT || !t->output || !strcmp(t->output, "-"))
    return ts_options_write(&t->options, t->output, sweep_put_report, t);
  int error = ts_output_open(&o, t->output);
  if (!error) {
    sweep_put_report(t, o.out);
    error = ts_output_close(&o, true);
  }
  if (!error)
    return TS_EXIT_DONE;
  ts_put_text(stderr, "%s: cannot write %s: %s\n", t->options.called, t->output, strerror(error));
  return TS_EXIT_ENVIRONMENT;
}

static int write_pages(sweep_task *t)
{
  if (!t->pages)
    return TS_EXIT_DONE;
  int error = ts_sweep_put_pages(&t->sweep, t->pages, (size_t)t->top, &t->page_count);
  if (!error)
    return TS_EXIT_DONE;
  ts_put_text(stderr, "%s: cannot write into %s: %s\n", t->options.called, t->pages,
              strerror(error));
  return TS_EXIT_ENVIRONMENT;
}

/* The command that shows the best plan in full. */
static void hint(const sweep_task *t)
{
  const char *hints = getenv("TRAINSPEC_HINTS");
  const ts_sweep *s = &t->sweep;
  const ts_outcome *best = &s->outcomes[0];
  if (t->form != TEXT || t->output || !isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO) ||
      (hints && strcmp(hints, "0") == 0) || best->state != TS_RANKED)
    return;
  fputs("\nhint: the best in full: tsrun", stderr);
  uint32_t count;
  const ts_define *defines = ts_search_defines_at(s->search, best->point, s->arena, &count);
  for (uint32_t i = 0; i < count; i++) {
    const ts_define *d = &defines[i];
    bool plain = !strpbrk(d->expression, " \"'`$&|;<>()[]{}*?!~\\");
    ts_put_text(stderr, plain ? " -D %s=%s" : " -D '%s=%s'", d->name, d->expression);
  }
  ts_put_text(stderr, " %s\n", s->path);
}

/* How long all plans may take, by the middle one. */
static int dry_run(sweep_task *t)
{
  const ts_sweep *s = &t->sweep;
  size_t count = s->count;
  if (s->search->open) {
    if (!ts_search_draw(s->search, s->seed))
      return TS_EXIT_REJECTED;
    ts_put_text(stdout, "%s combinations of values, before conditions; of the budget:\n",
                ts_format_combinations(s->search->combinations).text);
    count = t->budget.plans ? (size_t)t->budget.plans : 1;
  }
  ts_arena *arena = ts_arena_new("plan of a sweep");
  double begin = ts_clock();
  ts_sweep_play_one(s, s->search->point_count / 2, arena);
  double each = ts_clock() - begin;
  ts_arena_free(arena);
  ts_put_text(stdout, "%s plans to compile and simulate, about %s each: about %s\n",
              ts_format_count(count).text, ts_format_time((uint64_t)(each * 1e12)).text,
              ts_format_time((uint64_t)(each * 1e12 * (double)count / (double)t->jobs)).text);
  return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
}

/* The other processes need not wait for the report. */
static void sweep_leave(sweep_task *t)
{
  if (t->team)
    ts_team_leave(t->team, t->sweep.session ? t->sweep.session->diags : NULL);
  t->team = NULL;
}

static int sweep_report(sweep_task *t)
{
  ts_sweep *s = &t->sweep;
  if (some_unread(s))
    return TS_EXIT_ENVIRONMENT;
  if (refused_for_one_reason(s)) {
    report_refusal(s);
    return TS_EXIT_REJECTED;
  }
  if (!ts_sweep_rank(s))
    return TS_EXIT_REJECTED;
  int status = write_pages(t);
  if (status == TS_EXIT_DONE)
    status = write_report(t);
  if (status != TS_EXIT_DONE)
    return status;
  if (s->outcomes[0].state != TS_RANKED)
    return TS_EXIT_NO;
  report_best(s);
  hint(t);
  return TS_EXIT_DONE;
}

/* What would stop it in the end, or could not be shown, stops it before it begins: the journal is
 * as it was, and no plan is played in vain. */
static bool can_answer(sweep_task *t)
{
  ts_error error = {0};
  int wrong = t->output ? ts_output_try(t->output) : 0;
  if (wrong)
    ts_diag_add(t->sweep.session->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", t->output,
                strerror(wrong));
  else if (t->serve && !(t->live = ts_live_open(t->sweep.arena, t->serve, &error)))
    ts_diag_add_error(t->sweep.session->diags, TS_E0709, &error, "cannot show the journal `%s`",
                      t->journal);
  return !ts_diags_errors(t->sweep.session->diags);
}

static bool show_live(sweep_task *t)
{
  ts_error error = {0};
  if (ts_live_read(t->live, t->journal, &error) && ts_live_begin(t->live)) {
    ts_put_text(stderr, "%s: %s shows how far it is\n", t->options.called, ts_live_url(t->live));
    return true;
  }
  t->live = NULL;
  ts_diag_add_error(t->sweep.session->diags, TS_E0709, &error, "cannot show the journal `%s`",
                    t->journal);
  ts_journaled_close(t->journaled, false);
  return false;
}

/* "12 days" */
static const char *long_time(const sweep_task *t, double seconds)
{
  static const struct { const char *name; double seconds; } units[] = {
    {"years", 365.25 * 86400}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
  size_t u = 0;
  while (u + 1 < sizeof units / sizeof *units && seconds < 2 * units[u].seconds)
    u++;
  double number = seconds / units[u].seconds;
  return ts_arena_printf(t->sweep.arena, number < 1e6 ? "%.0f %s" : "%.1e %s", number, units[u].name);
}

/* There are too many plans to list: how many, how long they would take, what to do. Always false.
 */
static bool is_endless(sweep_task *t)
{
  ts_sweep *s = &t->sweep;
  size_t messages = s->session->diags->all.count;
  double each = 0;
  bool first = s->search->point_count > 0;
  ts_search_draw(s->search, 1); /* for the number of combinations */
  if (first) {
    ts_arena *arena = ts_arena_new("plan of a sweep");
    double begin = ts_clock();
    ts_sweep_play_one(s, 0, arena);
    each = ts_clock() - begin;
    ts_arena_free(arena);
  }
  s->session->diags->all.count = messages;
  ts_diag *d = ts_diag_add(s->session->diags, TS_E0234, TS_NO_SPAN,
                           "the search has more than %s plans: %s combinations of values, before "
                           "conditions",
                           ts_format_count(ts_limits_usual.plans).text,
                           ts_format_combinations(s->search->combinations).text);
  if (each > 0)
    ts_diag_note(d, "if all take as long as the first one: about %s",
                 long_time(t, each * s->search->combinations / (double)t->jobs));
  ts_diag_help(d, "give a budget: `--budget 500` or `--budget 10min` tries some, and those near the best; or "
                  "`require` more of them");
  return false;
}

/* Of an open search. */
static int nothing_tried(const ts_sweep *s)
{
  ts_diag *d = ts_diag_add(s->session->diags, TS_E0234, TS_NO_SPAN, "%s",
                           s->exhausted ? "no plan was drawn that the conditions allow" :
                                          "the budget ended before any plan was tried");
  ts_diag_help(d, s->exhausted ? "relax a `require`, or vary over shorter lists" : "give more time");
  return TS_EXIT_REJECTED;
}

static bool is_file(const char *path)
{
  struct stat there;
  return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

static int sweep(sweep_task *t)
{
  ts_sweep *s = &t->sweep;
  s->compile = t->plan.compile;
  s->seed = (uint64_t)t->seed;
  s->common = ts_common_new(s->path, &s->compile);
  if (s->common) /* the search is in the same files */
    s->session = ts_session_with(s->arena, s->common);
  s->search = ts_search_load_within(s->session, s->path, &s->compile, t->search_name, t->items,
                                    !t->varies, ts_sweep_budget_lists(&t->budget));
  if (!s->search || (s->search->open && !has_budget(t) && !is_endless(t)))
    return TS_EXIT_REJECTED;
  s->top = (size_t)t->top;
  s->all = t->all || t->form != TEXT;
  ts_sweep_prepare(s);
  if (!s->count && !s->search->open) {
    ts_diag_help(ts_diag_add(s->session->diags, TS_E0234, TS_NO_SPAN,
                             "part %lld of %lld has no plans: the search has %zu",
                             s->shard.index + 1, s->shard.count, s->search->point_count),
                 "make at most as many parts as there are plans");
    return TS_EXIT_REJECTED;
  }
  if (t->dry_run)
    return dry_run(t);
  if (t->team && ts_team_follows(t->team)) {
    ts_team_follow(t->team, s, t->jobs);
    return TS_EXIT_DONE;
  }
  if (!can_answer(t))
    return TS_EXIT_REJECTED;
  if (t->journal) {
    t->journaled = ts_journaled_open(s, t->journal, t->resume || ts_apart());
    if (!t->journaled)
      return TS_EXIT_REJECTED;
    if (t->serve && !show_live(t))
      return TS_EXIT_REJECTED;
    ts_interrupt_asks();
  }
  /* a team's processes are not begun anew, nor what was read from a pipe */
  ts_apart_instead(!t->team && !ts_apart() && is_file(s->path));
  bool played = play_all(t);
  ts_apart_instead(false);
  sweep_leave(t);
  if (t->live)
    ts_live_end(t->live);
  if (!played)
    return TS_EXIT_REJECTED;
  ts_interrupt_plain();
  int status = s->count ? sweep_report(t) : nothing_tried(s);
  tell_effort(t);
  return status;
}

/* A file of that name is "./status". The command gets its own name for its messages. */
static int run_command(int argc, char **argv, int (*run)(int argc, char **argv))
{
  char name[256];
  snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
  argv[1] = name;
  return run(argc - 1, argv + 1);
}

/* Of several processes the first one speaks. */
static int sweep_join(sweep_task *t, const char *called)
{
  t->jobs = ts_usual_jobs();
  if (ts_wire_missing()) {
    ts_put_text(stderr,
                "%s: several processes were started, and this build cannot share a sweep among "
                "them: configure it `--with-mpi`, or start one without `mpirun`\n",
                called);
    return TS_EXIT_ENVIRONMENT;
  }
  t->team = ts_team_join(t->sweep.arena, called);
  if (!t->team)
    return TS_EXIT_DONE;
  t->jobs = ts_team_jobs(t->team);
  if (ts_team_follows(t->team))
    ts_outputs_silence();
  return TS_EXIT_DONE;
}

static int sweep_run(sweep_task *t, int argc, char **argv)
{
  ts_arena *arena = t->sweep.arena;
  if (!sweep_read_options(t, argc, argv))
    return t->options.status;
  if (t->sbatch) {
    ts_sweep_shard_put_script(t->sbatch, t->journal, has_budget(t), argc, argv, stdout);
    return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
  }
  t->sweep.session = ts_session_new(arena);
  ts_interrupt_ends(
    ts_arena_printf(arena, "%s: interrupted; nothing was written\n", t->options.called));
  int status = sweep(t), rejected;
  sweep_leave(t);
  rejected = ts_options_report(&t->options, t->sweep.session->diags);
  if (t->sweep.common)
    ts_common_free(t->sweep.common);
  return rejected ? rejected : status;
}

int ts_sweep_main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "status") == 0)
    return run_command(argc, argv, ts_sweep_status_main);
  if (argc > 1 && strcmp(argv[1], "merge") == 0)
    return run_command(argc, argv, ts_sweep_merge_main);
  ts_heap_reuse();
  sweep_task t = {.top = 10, .seed = 1, .sweep = {.arena = ts_arena_new("sweep")}};
  ts_apart_words(t.sweep.arena, argc, argv);
  int status = sweep_join(&t, argv[0]);
  bool follows = t.team && ts_team_follows(t.team);
  if (status == TS_EXIT_DONE)
    status = sweep_run(&t, argc, argv);
  sweep_leave(&t);
  ts_arena_free(t.sweep.arena);
  return follows ? TS_EXIT_DONE : status; /* launchers end all when one has failed */
}
