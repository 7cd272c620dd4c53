/* trainspec watch: follows a growing log beside what its plan predicts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/options.h"
#include "runtime/account/memory.h"
#include "runtime/report/report.h"
#include "tools/cli/log_formats.h"
#include "tools/cli/log_picture.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/play_warnings.h"
#include "tools/cli/programs.h"

enum { ONCE = 1, EVERY, IDLE, BAND, EXEC, STOP, PICTURE, FORMATS };

static const ts_option options[] = {
  {ONCE, 0, "once", NULL, "look at the log as it is, and end", "Watch"},
  {EVERY, 0, "every", "SECONDS", "look that often (10)", NULL},
  {IDLE, 0, "idle", "SECONDS", "end when the log has not grown for so long", NULL},
  {BAND, 0, "band", "SHARE", "the step may lie this far off, such as 5% (the interval of the plan)",
   NULL},
  {EXEC, 0, "exec", "COMMAND",
   "run COMMAND by the shell when the step leaves its band, with TRAINSPEC_STEP, "
   "TRAINSPEC_PREDICTED (s) and TRAINSPEC_MESSAGE in its environment",
   NULL},
  {STOP, 0, "stop", NULL, "end when the step leaves its band", NULL},
  {PICTURE, 'o', "output", "FILE",
   "write a picture (SVG) of the steps and the band, each time anew", NULL},
  {FORMATS, 0, "formats", "FILE", "read the formats of logs from FILE, as std.import.logs has them",
   NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... PLAN LOG", NULL};
static const char *const notes[] = {
  "Each time that the log has grown, its steady steps are found anew (trainspec log).",
  "A line is printed for each new level, when the step leaves its band or comes back,",
  "and for a drift within a level.",
  "",
  "Examples:",
  "$ plan.ts train.log",
  "$ --once --band 3% -o steps.svg plan.ts train.log",
  "$ --exec 'curl -d \"$TRAINSPEC_MESSAGE\" https://hooks.example.org/x' plan.ts train.log",
  "",
  "Exit codes: 0 inside of the band at the end, 1 input rejected, 2 wrong usage,",
  "3 outside, 4 cannot read or write.",
  NULL,
};
static const ts_program program = TS_COMMAND("compares a growing log with its plan.");

typedef struct watch_task {
  ts_options options;
  ts_arena *arena;
  ts_plan_options plan;
  const char *paths[2], *picture, *formats, *command;
  int path_count;
  bool once, stop;
  long long every, idle;
  double share; /* of the band; 0: the plan's interval */
  ts_log_band band;
  uint32_t reported; /* levels of the log, of which a line was printed */
  bool began, outside, drifted;
} watch_task;

/* ---- Options ---- */

static void watch_share(watch_task *t)
{
  const char *argument = t->options.argument;
  char *end;
  t->share = strtod(argument, &end);
  if (*end == '%')
    t->share /= 100, end++;
  if (end == argument || *end || !(t->share > 0 && t->share < 1))
    ts_options_wrong(&t->options, "`%s` takes a share below 100%%, not `%s`", t->options.spelled,
                     argument);
}

static void watch_take(void *task, int id)
{
  watch_task *t = task;
  const char *argument = t->options.argument;
  switch (id) {
  case TS_OPERAND:
    ts_options_operand(&t->options, t->paths, &t->path_count, "one plan and one log at a time");
    break;
  case ONCE: t->once = true; break;
  case STOP: t->stop = true; break;
  case EVERY: ts_options_number(&t->options, 1, 1000000, &t->every); break;
  case IDLE: ts_options_number(&t->options, 1, 1000000, &t->idle); break;
  case BAND: watch_share(t); break;
  case EXEC: t->command = argument; break;
  case PICTURE: t->picture = argument; break;
  case FORMATS: t->formats = argument; break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool watch_read_options(watch_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  return ts_options_read(&t->options, t, watch_take) &&
         (t->path_count == 2 || !ts_options_wrong(&t->options, "a plan and a log are needed"));
}

/* ---- The prediction ---- */

static int watch_predict(watch_task *t)
{
  ts_session *s = ts_session_new(t->arena);
  ts_stop stop = {.arena = t->arena};
  ts_input input;
  int status = TS_EXIT_REJECTED;
  if (ts_input_open(s, t->paths[0], &t->plan.compile, &input)) {
    ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
    if (run) {
      const ts_summary *m =
        ts_summary_new(t->arena, &input.ir, run, ts_memory_new(t->arena, &input.ir, run), NULL);
      const ts_interval *i = &m->confidence.step;
      double share = t->share > 0 ? t->share : 0.2; /* where no interval is known */
      bool stated = i->on && !(t->share > 0);
      t->band = (ts_log_band){m->seconds, stated ? i->low : m->seconds * (1 - share),
                              stated ? i->high : m->seconds * (1 + share)};
      status = TS_EXIT_DONE;
    } else if (!ts_stop_diagnose(&stop, &input.ir, ts_session_source_reader(s), t->arena,
                                 s->sources, s->diags)) {
      ts_stop_print(&stop, t->options.called, stderr);
    }
    ts_run_free(run);
    ts_input_close(&input);
  }
  int rejected = ts_options_report(&t->options, s->diags);
  return status ? rejected : TS_EXIT_DONE;
}

/* ---- A look at the log ---- */

static const char *watch_time(ts_arena *arena, double seconds)
{
  return ts_arena_printf(arena, "%s", ts_format_time((uint64_t)fmin(seconds * 1e12, 9e18)).text);
}

/* By which share the second half of a level is slower than the first; 0: too few rows to tell. */
static double drift_of(ts_arena *arena, const ts_log *log, const ts_log_steady *s,
                       const ts_log_level *l)
{
  enum { FEWEST = 20 };
  double *half[2] = {TS_NEW_ARRAY(arena, double, log->count),
                     TS_NEW_ARRAY(arena, double, log->count)};
  uint32_t count[2] = {0}, seen = 0;
  for (uint32_t i = l->first; i <= l->last; i++)
    if (s->use[i] == TS_LOG_COUNTED) {
      int which = seen++ >= l->count / 2;
      half[which][count[which]++] = log->rows[i].of[TS_LOG_SECONDS];
    }
  return l->count < FEWEST ?
           0 :
           ts_log_median(half[1], count[1]) / ts_log_median(half[0], count[0]) - 1;
}

static void watch_alarm(watch_task *t, double seconds, const char *message)
{
  char step[32], predicted[32];
  if (!t->command)
    return;
  snprintf(step, sizeof step, "%.9g", seconds);
  snprintf(predicted, sizeof predicted, "%.9g", t->band.predicted);
  setenv("TRAINSPEC_STEP", step, 1);
  setenv("TRAINSPEC_PREDICTED", predicted, 1);
  setenv("TRAINSPEC_MESSAGE", message, 1);
  fflush(stdout);
  if (system(t->command) != 0)
    ts_put_text(stderr, "%s: `--exec` failed\n", t->options.called);
}

static void tell_level(watch_task *t, ts_arena *arena, const ts_log *log, const ts_log_steady *s,
                       uint32_t level)
{
  const ts_log_level *l = &s->levels[level];
  bool outside = l->median < t->band.low || l->median > t->band.high,
       last = level + 1 == s->level_count;
  const char *message = ts_arena_printf(
    arena, "steps %.0f to %.0f: %s, %.1f %% %s than predicted, %s the band",
    log->rows[l->first].of[TS_LOG_STEP], log->rows[l->last].of[TS_LOG_STEP],
    watch_time(arena, l->median), 100 * fabs(l->median / t->band.predicted - 1),
    l->median < t->band.predicted ? "less" : "more", outside ? "outside of" : "inside");
  if (level)
    message = ts_arena_printf(arena, "%s; a change by %+.1f %%", message,
                              100 * (l->median / s->levels[level - 1].median - 1));
  if (level >= t->reported || (last && (!t->began || outside != t->outside)))
    ts_put_text(stdout, "%s\n", message);
  if (!last)
    return;
  if (outside && !(t->began && t->outside))
    watch_alarm(t, l->median, message);
  t->outside = outside;
  t->began = true;
}

static void tell_drift(watch_task *t, ts_arena *arena, const ts_log *log, const ts_log_steady *s)
{
  double drift = drift_of(arena, log, s, &s->levels[s->level_count - 1]);
  bool drifts = fabs(drift) >= 0.01;
  if (drifts && !t->drifted)
    ts_put_text(stdout, "drift: the second half of these steps takes %+.1f %%\n", 100 * drift);
  t->drifted = drifts;
}

typedef struct watch_picture {
  const watch_task *task;
  const ts_log *log;
  const ts_log_steady *steady;
} watch_picture;

static void watch_put_picture(void *closure, FILE *out)
{
  const watch_picture *p = closure;
  ts_log_picture(p->log, p->steady, &p->task->band, ts_base_name(p->task->paths[1]), out);
}

/* A log without a step yet is waited for, unless it is looked at once. */
static int watch_look(watch_task *t)
{
  ts_arena *arena = ts_arena_new("a look");
  ts_session *s = ts_session_new(arena);
  ts_log log;
  ts_log_steady steady;
  ts_compile_settings(s, &(ts_compile_options){.stdlib_dir = t->plan.compile.stdlib_dir});
  int status = ts_log_open(s, t->paths[1], t->formats, &log, &steady);
  if (!status) {
    for (uint32_t i = 0; i < steady.level_count; i++)
      tell_level(t, arena, &log, &steady, i);
    t->reported = steady.level_count;
    tell_drift(t, arena, &log, &steady);
    if (t->picture)
      status = ts_options_write(&t->options, t->picture, watch_put_picture,
                                &(watch_picture){t, &log, &steady});
  } else if (t->once || status == TS_EXIT_ENVIRONMENT) {
    ts_options_report(&t->options, s->diags);
  } else {
    status = TS_EXIT_DONE;
  }
  fflush(stdout);
  ts_arena_free(arena);
  return status;
}

/* ---- The command ---- */

static long long size_of(const char *path)
{
  struct stat is;
  return stat(path, &is) ? -1 : (long long)is.st_size;
}

static int watch_follow(watch_task *t)
{
  long long size = -2;
  double grown = ts_clock();
  for (;;) {
    long long now = size_of(t->paths[1]);
    if (now != size) {
      int status = watch_look(t);
      if (status)
        return status;
      grown = ts_clock();
      size = now;
    }
    if (t->once || (t->stop && t->outside) || (t->idle && ts_clock() - grown >= (double)t->idle))
      return t->outside ? TS_EXIT_NO : TS_EXIT_DONE;
    nanosleep(&(struct timespec){.tv_sec = (time_t)t->every}, NULL);
  }
}

int ts_watch_main(int argc, char **argv)
{
  watch_task t = {.arena = ts_arena_new("watch"), .every = 10};
  int status = TS_EXIT_USAGE;
  if (!watch_read_options(&t, argc, argv)) {
    status = t.options.status;
  } else if (!(status = watch_predict(&t))) {
    ts_put_text(stdout, "%s: %s a step predicted, the band is %s to %s\n", ts_base_name(t.paths[0]),
                watch_time(t.arena, t.band.predicted), watch_time(t.arena, t.band.low),
                watch_time(t.arena, t.band.high));
    fflush(stdout);
    status = watch_follow(&t);
  }
  ts_arena_free(t.arena);
  return status;
}
