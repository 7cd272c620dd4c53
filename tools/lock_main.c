/* trainspec lock: what a plan's answer rests on, in a file for version control. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/options.h"
#include "runtime/account/memory.h"
#include "runtime/report/report.h"
#include "tools/cli/locked.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/play_warnings.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"

enum { OUTPUT = 1, CHECK, NETWORK, CONTENTION };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write to FILE, - for standard output (the plan's name with .lock)",
   "Lock"},
  {CHECK, 0, "check", NULL, "write nothing; say what differs from the lock, and what moved the answer",
   NULL},
  {NETWORK, 0, "network", "NAME", "use only the network models with this name", NULL},
  {CONTENTION, 0, "contention", NULL, "calls share links with others under way", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... PLAN", NULL};
static const char *const notes[] = {
  "A lock has the digest of each input and of -D, the version of TrainSpec, the",
  "options, the step time and the peak of memory. Commit it with the plan.",
  "",
  "Examples:",
  "$ plan.ts                        # writes plan.lock",
  "$ --check plan.ts",
  "  tsrun --locked plan.ts",
  "",
  "Exit codes: 0 done, 1 the plan or the lock is rejected, or --check finds a",
  "difference, 2 wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program = TS_COMMAND("locks what a plan's answer rests on.");

typedef struct lock_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  ts_run_options run;
  ts_progress_bar bar;
  ts_progress progress;
  const char *path, *lock;
  bool check;
  TS_VEC(const char *) requested;
} lock_task;

static void lock_take(void *task, int id)
{
  lock_task *t = task;
  const char *argument = t->options.argument;
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      ts_options_wrong(&t->options, "one plan at a time: `%s` and `%s`", t->path, argument);
    t->path = argument;
    break;
  case OUTPUT: t->lock = argument; break;
  case CHECK: t->check = true; break;
  case NETWORK:
    t->run.network = argument;
    TS_PUSH(t->arena, &t->requested, ts_arena_printf(t->arena, "--network=%s", argument));
    break;
  case CONTENTION:
    t->run.contention = true;
    TS_PUSH(t->arena, &t->requested, "--contention");
    break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool lock_read_options(lock_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, lock_take))
    return false;
  const char *wrong = !t->path                                  ? "no plan given" :
                      !strcmp(t->path, "-") && !t->lock         ? "a plan of standard input needs `-o`" :
                      t->check && t->lock && !strcmp(t->lock, "-") ? "`--check` needs a file" :
                                                                     NULL;
  if (wrong)
    ts_options_wrong(&t->options, "%s", wrong);
  else if (!t->lock)
    t->lock = ts_lock_path(t->arena, t->path);
  return !wrong;
}

static void put_lock(void *closure, FILE *out) { ts_lock_write(closure, out); }

static int write_lock(lock_task *t, ts_lock *now)
{
  int status = ts_options_write(&t->options, t->lock, put_lock, now);
  if (status == TS_EXIT_DONE && strcmp(t->lock, "-") != 0)
    ts_put_text(stderr, "%s: %u inputs, %s, %s\n", t->lock, now->input_count,
                ts_format_time(now->step).text, ts_format_bytes((double)now->peak).text);
  return status;
}

/* TS_EXIT_DONE, or what a stop says; messages are in the queue. */
static int lock(lock_task *t, const ts_input *input)
{
  ts_stop stop = {.arena = t->arena};
  ts_run *run = ts_run_new(&input->ir, &t->run, &stop);
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  if (!run) {
    ts_progress_end(&t->bar);
    if (!ts_stop_diagnose(&stop, &input->ir, ts_session_source_reader(t->session), t->arena,
                          t->session->sources, t->session->diags))
      ts_stop_print(&stop, t->options.called, stderr);
    return stop.exit_code;
  }
  const ts_memory *memory = ts_memory_new(t->arena, &input->ir, run);
  ts_lock now = ts_lock_now(t->session, t->path, input);
  ts_lock_answer(&now, run, memory);
  now.options = t->requested.at;
  now.option_count = (uint32_t)t->requested.count;
  int status = TS_EXIT_DONE;
  if (t->check) {
    const ts_lock *before = ts_lock_open(t->session, t->lock);
    ts_locked_play how = {t->path, t->lock, &t->plan.compile, &t->run};
    if (before)
      ts_lock_check(t->session, &how, before, &now);
    ts_progress_end(&t->bar);
  } else {
    ts_progress_end(&t->bar);
    if (!ts_diags_errors(t->session->diags))
      status = write_lock(t, &now);
  }
  ts_run_free(run);
  return status;
}

int ts_lock_main(int argc, char **argv)
{
  lock_task t = {.arena = ts_arena_new("lock")};
  int status;
  if (!lock_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  ts_input input = {0};
  t.progress = ts_progress_start(&t.bar);
  t.run.progress = &t.progress;
  bool opened = ts_input_open(t.session, t.path, &t.plan.compile, &input);
  if (opened && ts_progress_interrupted())
    ts_progress_die(&t.bar, t.options.called);
  status = opened && !ts_diags_errors(t.session->diags) ? lock(&t, &input) : TS_EXIT_DONE;
  int rejected = ts_options_report(&t.options, t.session->diags);
  if (opened)
    ts_input_close(&input);
  ts_arena_free(t.arena);
  return status == TS_EXIT_DONE ? rejected : status;
}
