#include "tools/sweep/status.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "tools/cli/programs.h"
#include "tools/sweep/journal.h"
#include "tools/sweep/live.h"
#include "tools/sweep/progress.h"

enum { FORMAT = 1, SERVE };
enum { SILENT = 60 /* s without a row, after which a sweep may no longer run */ };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text or json (text)", "Report"},
  {SERVE, 0, "serve", "PORT", "show a page of it at that port, until interrupted", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... JOURNAL", NULL};
static const char *const notes[] = {
  "Says what is in the journal of sweeps, and how far each of them has come. It may",
  "be asked while a sweep runs. `--serve` shows it as a page that follows the sweep, at",
  "http://127.0.0.1:PORT/, until it is interrupted; ADDRESS:PORT lets other machines see it.",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL,
};
static const ts_program program = TS_COMMAND("how far a sweep has come.");

typedef struct status_task {
  ts_arena *arena;
  ts_options options;
  ts_diags *diags;
  const char *path;
  const char *serve; /* where; NULL: nowhere */
  bool json;
  double now; /* s since 1970 */
  ts_journal_about about;
  uint64_t plans;
  TS_VEC(ts_journal_sweep) sweeps;
} status_task;

static void status_keep(void *closure, const ts_journal_sweep *sweep)
{
  status_task *t = closure;
  TS_PUSH(t->arena, &t->sweeps, *sweep);
}

static ts_text seconds(double s)
{
  double most = 1.8e7; /* of 64 bits of ps */
  return ts_format_time((uint64_t)(1e12 * (s < most ? s : most)));
}

/* One writes at a time, so only the last of them may be under way. */
static void put_sweep(const status_task *t, const ts_journal_sweep *s, bool last, FILE *out)
{
  double silent = t->now - s->seen;
  ts_put_text(out, "%s, %s\n  %s of %s plans, %s of them by this sweep", s->title, s->goal,
              ts_format_count(ts_progress_done(s)).text, ts_format_count(s->plans).text,
              ts_format_count(s->played).text);
  if (ts_progress_rate(s) > 0)
    ts_put_text(out, ", %s a second", ts_format_significant(ts_progress_rate(s)).text);
  if (s->ended)
    fputs("; done\n", out);
  else if (!last)
    fputs("; was ended before it was done\n", out);
  else if (silent > SILENT)
    ts_put_text(out, "; nothing for %s: it may have ended, and `--resume` goes on\n",
                seconds(silent).text);
  else if (ts_progress_left(s) >= 0)
    ts_put_text(out, "; about %s to go\n", seconds(ts_progress_left(s)).text);
  else
    fputs("; under way\n", out);
  if (*s->best)
    ts_put_text(out, "  best so far: %s\n", s->best);
}

static void status_put_text(const status_task *t, FILE *out)
{
  ts_put_text(out, "%s: %s plan%s of %s, TrainSpec %s\n", t->path,
              ts_format_count(t->plans).text, t->plans == 1 ? "" : "s", t->about.file,
              t->about.version);
  for (size_t i = 0; i < t->sweeps.count; i++) {
    fputc('\n', out);
    put_sweep(t, &t->sweeps.at[i], i + 1 == t->sweeps.count, out);
  }
}

static void status_put_json(const status_task *t, FILE *out)
{
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-journal");
  ts_json_put_count(&w, "format", 1);
  ts_json_put_text(&w, "file", t->about.file);
  ts_json_put_text(&w, "version", t->about.version);
  ts_json_put_text(&w, "inputs", t->about.inputs);
  ts_json_put_count(&w, "plans", t->plans);
  ts_json_begin(&w, "sweeps", '[');
  for (size_t i = 0; i < t->sweeps.count; i++) {
    const ts_journal_sweep *s = &t->sweeps.at[i];
    bool last = i + 1 == t->sweeps.count;
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '{');
    ts_progress_put_json(s, t->now, last, &w);
    ts_json_end(&w, '}');
  }
  ts_json_end(&w, ']');
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

static int status_show(status_task *t)
{
  ts_error error = {0};
  struct timespec now;
  ts_journal *j = ts_journal_open(t->arena, t->path, TS_JOURNAL_READ, &error);
  bool read = j && ts_journal_about_of(j, t->arena, &t->about, &error) &&
              ts_journal_sweeps(j, t->arena, status_keep, t, &error) &&
              ts_journal_plans(j, &t->plans, &error);
  ts_journal_close(j);
  if (!read) {
    ts_diag_add_error(t->diags, TS_E0709, &error, "cannot use the journal `%s`", t->path);
    return TS_EXIT_REJECTED;
  }
  clock_gettime(CLOCK_REALTIME, &now);
  t->now = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (t->json)
    status_put_json(t, stdout);
  else
    status_put_text(t, stdout);
  return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
}

/* Until it is interrupted. */
static int serve(status_task *t)
{
  static const atomic_bool never;
  ts_error error = {0};
  ts_live *live = ts_live_open(t->arena, t->serve, &error);
  if (!live || !ts_live_read(live, t->path, &error)) {
    ts_diag_add_error(t->diags, TS_E0709, &error, "cannot show the journal `%s`", t->path);
    return TS_EXIT_REJECTED;
  }
  ts_put_text(stdout, "%s\n", ts_live_url(live));
  int status = ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
  ts_live_serve(live, &never);
  return status;
}

static void status_take(void *task, int id)
{
  status_task *t = task;
  static const char *const forms[] = {"text", "json", NULL};
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      ts_options_wrong(&t->options, "one JOURNAL at a time");
    t->path = t->options.argument;
    break;
  case SERVE: t->serve = t->options.argument; break;
  case FORMAT: t->json = ts_options_choice(&t->options, forms) == 1; break;
  }
}

static int status_run(status_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, status_take))
    return t->options.status;
  if (!t->path)
    return ts_options_wrong(&t->options, "no JOURNAL given");
  return t->serve ? serve(t) : status_show(t);
}

int ts_sweep_status_main(int argc, char **argv)
{
  status_task t = {.arena = ts_arena_new("status")};
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  int status = status_run(&t, argc, argv), rejected = ts_options_report(&t.options, t.diags);
  ts_arena_free(t.arena);
  return rejected ? rejected : status;
}
