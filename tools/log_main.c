/* trainspec log: what a log of a training run says of its steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/options.h"
#include "base/table.h"
#include "compiler/compile.h"
#include "tools/cli/log_formats.h"
#include "tools/cli/log_picture.h"
#include "tools/cli/programs.h"
#include "trace/log/steady.h"

enum { FORMAT = 1, FORMATS, OUTPUT, STDLIB };
enum { MOST_RUNS = 10 /* the last ones, in text */ };
enum { TEXT, JSON, CSV, SVG };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text, json, csv (a row for each step) or svg (a picture) (text)",
   "Log"},
  {FORMATS, 0, "formats", "FILE", "read the formats of logs from FILE, as std.import.logs has them",
   NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", NULL};
static const char *const notes[] = {
  "FILE is what a training program printed, a trainer_state.json, or a CSV file with",
  "columns for steps and times. Steps of warm-up, evaluations and checkpoints are",
  "left out; of a file with several runs the last one counts.",
  "",
  "Examples:",
  "$ train.log",
  "$ --format svg -o steps.svg train.log",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program = TS_COMMAND("shows the steps of a training log.");

typedef struct log_task {
  ts_options options;
  ts_arena *arena;
  const char *path, *output, *formats, *stdlib;
  int form;
  ts_log log;
  ts_log_steady steady;
} log_task;

static const ts_log_level *level_now(const log_task *t)
{
  return &t->steady.levels[t->steady.level_count - 1];
}

static ts_text log_time_of(double seconds)
{
  return ts_format_time((uint64_t)llround(seconds * 1e12));
}

static double log_typical(const log_task *t, ts_log_figure figure)
{
  return ts_log_typical(t->arena, &t->log, &t->steady, figure);
}

/* ---- Text ---- */

static void put_label(FILE *out, const char *label) { ts_put_text(out, "  %-14s ", label); }

static double log_step_of(const log_task *t, uint32_t row)
{
  return t->log.rows[row].of[TS_LOG_STEP];
}

static void log_put_head(const log_task *t, FILE *out)
{
  const ts_log_level *l = level_now(t);
  ts_put_text(out, "%s: %s, %s row%s of steps\n", ts_base_name(t->path), t->log.format,
              ts_format_count(t->log.count).text, t->log.count == 1 ? "" : "s");
  put_label(out, "step time");
  ts_put_text(out, "%s", log_time_of(l->median).text);
  if (l->count > 1)
    ts_put_text(out, "   median of %u rows, steps %.0f to %.0f; half of them %s to %s", l->count,
                log_step_of(t, l->first), log_step_of(t, l->last), log_time_of(l->low).text,
                log_time_of(l->high).text);
  fputc('\n', out);
}

static void put_times(const log_task *t, FILE *out)
{
  const ts_log_steady *s = &t->steady;
  if (t->log.by_clock) {
    put_label(out, "times");
    ts_put_text(out, "are differences of the lines' clocks: the log states none\n");
  }
  if (t->log.whole) {
    put_label(out, "times");
    ts_put_text(out, "are one: that of the whole run less %s of evaluations and checkpoints\n",
                log_time_of(t->log.pauses).text);
  }
  if (s->warm_up) {
    put_label(out, "warm-up");
    ts_put_text(out, "%u row%s left out\n", s->warm_up, s->warm_up == 1 ? "" : "s");
  }
  for (uint32_t i = 0; s->level_count > 1 && i < s->level_count; i++) {
    const ts_log_level *l = &s->levels[i];
    put_label(out, i ? "" : "levels");
    ts_put_text(out, "%s from step %.0f to %.0f", log_time_of(l->median).text,
                log_step_of(t, l->first), log_step_of(t, l->last));
    if (i)
      ts_put_text(out, ", %+.1f %%", 100 * (l->median / s->levels[i - 1].median - 1));
    fputc('\n', out);
  }
  if (!s->outliers)
    return;
  put_label(out, "outliers");
  ts_put_text(out, "%u row%s above the rest, %s more in all:", s->outliers,
              s->outliers == 1 ? "" : "s", log_time_of(s->lost).text);
  uint32_t shown = 0;
  for (uint32_t i = 0; i < t->log.count && shown < 5; i++)
    if (s->use[i] == TS_LOG_OUTLIER)
      ts_put_text(out, "%s step %.0f (%s)", shown++ ? "," : "", log_step_of(t, i),
                  log_time_of(t->log.rows[i].of[TS_LOG_SECONDS]).text);
  ts_put_text(out, "%s\n", s->outliers > shown ? ", ..." : "");
}

static void put_figure(const log_task *t, FILE *out, ts_log_figure figure, const char *label,
                       const char *what)
{
  double value = log_typical(t, figure);
  if (isnan(value))
    return;
  put_label(out, label);
  bool whole = value == floor(value) && value >= 0 && value < 1e15;
  ts_put_text(out, "%s %s\n",
              whole ? ts_format_count((uint64_t)value).text : ts_format_significant(value).text,
              what);
}

static void log_put_memory(const log_task *t, FILE *out)
{
  const ts_log *log = &t->log;
  bool allocated = log->memory > 0, reserved = log->reserved > 0;
  if (!allocated && !reserved)
    return;
  put_label(out, "memory");
  if (allocated)
    ts_put_text(out, "%s held at most by tensors%s", ts_format_bytes(log->memory).text,
                reserved ? ", " : "");
  if (reserved)
    ts_put_text(out, "%s reserved at most", ts_format_bytes(log->reserved).text);
  ts_put_text(out, ", of the fullest device named\n");
}

/* A run of several in one file, as a log of its own. False: it has no step with a time. */
static bool run_of(const log_task *t, uint32_t run, ts_log *log, ts_log_steady *steady)
{
  const ts_log_row *rows = t->log.rows;
  uint32_t first = 0, end;
  while (first < t->log.count && rows[first].run < run)
    first++;
  for (end = first; end < t->log.count && rows[end].run == run;)
    end++;
  *log = t->log;
  log->rows = rows + first;
  log->count = end - first;
  log->runs = run + 1;
  return log->count && ts_log_find_steady(t->arena, log, steady);
}

static void put_runs(const log_task *t, FILE *out)
{
  double before = NAN;
  put_label(out, "runs");
  ts_put_text(out, "%u: steps began anew; the last one counts\n", t->log.runs);
  for (uint32_t run = t->log.runs > MOST_RUNS ? t->log.runs - MOST_RUNS : 0; run < t->log.runs;
       run++) {
    ts_log log;
    ts_log_steady steady;
    put_label(out, "");
    if (!run_of(t, run, &log, &steady)) {
      ts_put_text(out, "%u: no step with a time\n", run + 1);
      continue;
    }
    const ts_log_level *l = &steady.levels[steady.level_count - 1];
    ts_put_text(out, "%u: %s, steps %.0f to %.0f", run + 1, log_time_of(l->median).text,
                log.rows[l->first].of[TS_LOG_STEP], log.rows[l->last].of[TS_LOG_STEP]);
    if (before > 0)
      ts_put_text(out, ", %+.1f %%", 100 * (l->median / before - 1));
    fputc('\n', out);
    before = l->median;
  }
}

static void put_doubts(const log_task *t, FILE *out)
{
  if (t->log.runs > 1)
    put_runs(t, out);
  if (t->steady.other_batch) {
    put_label(out, "batch");
    ts_put_text(out, "changes: %u rows with another batch than the last one are left out\n",
                t->steady.other_batch);
  }
  if (t->log.jumps) {
    put_label(out, "clock");
    ts_put_text(out, "went back %u time%s: no step is counted there\n", t->log.jumps,
                t->log.jumps == 1 ? "" : "s");
  }
}

static void log_put_text(const log_task *t, FILE *out)
{
  log_put_head(t, out);
  put_times(t, out);
  put_figure(t, out, TS_LOG_BATCH, "batch", "samples a step");
  put_figure(t, out, TS_LOG_SAMPLE_RATE, "samples", "a second, as the log says");
  put_figure(t, out, TS_LOG_TOKEN_RATE, "tokens", "a second and device, as the log says");
  put_figure(t, out, TS_LOG_TFLOPS, "throughput", "TFLOP/s a device, as the log counts them");
  log_put_memory(t, out);
  put_doubts(t, out);
}

/* ---- JSON and CSV ---- */

static void put_json_number(ts_json_writer *json, const char *key, double value)
{
  if (isnan(value))
    ts_json_put_null(json, key);
  else
    ts_json_put_number(json, key, "%.9g", value);
}

static void put_json_level(const log_task *t, ts_json_writer *json, const ts_log_level *l)
{
  ts_json_begin(json, NULL, '{');
  put_json_number(json, "first_step", log_step_of(t, l->first));
  put_json_number(json, "last_step", log_step_of(t, l->last));
  ts_json_put_count(json, "rows", l->count);
  put_json_number(json, "median_s", l->median);
  put_json_number(json, "lower_quartile_s", l->low);
  put_json_number(json, "upper_quartile_s", l->high);
  put_json_number(json, "mean_s", l->mean);
  ts_json_end(json, '}');
}

static void log_put_json(const log_task *t, FILE *out)
{
  ts_json_writer json = {.out = out, .spaced = true};
  ts_json_begin(&json, NULL, '{');
  ts_json_put_text(&json, "type", "trainspec-log");
  ts_json_put_count(&json, "format", 1);
  ts_json_put_text(&json, "program", t->log.format);
  put_json_number(&json, "step_time_s", level_now(t)->median);
  ts_json_begin(&json, "levels", '[');
  for (uint32_t i = 0; i < t->steady.level_count; i++)
    put_json_level(t, &json, &t->steady.levels[i]);
  ts_json_end(&json, ']');
  ts_json_put_count(&json, "rows", t->log.count);
  ts_json_put_count(&json, "runs", t->log.runs);
  ts_json_begin(&json, "step_time_of_runs_s", '[');
  for (uint32_t run = 0; run < t->log.runs; run++) {
    ts_log log;
    ts_log_steady steady;
    bool timed = run_of(t, run, &log, &steady);
    put_json_number(&json, NULL, timed ? steady.levels[steady.level_count - 1].median : NAN);
  }
  ts_json_end(&json, ']');
  ts_json_put_count(&json, "warm_up_rows", t->steady.warm_up);
  ts_json_put_count(&json, "outlier_rows", t->steady.outliers);
  put_json_number(&json, "outlier_s", t->steady.lost);
  ts_json_put_count(&json, "other_batch_rows", t->steady.other_batch);
  ts_json_put_count(&json, "clock_jumps", t->log.jumps);
  ts_json_put_bool(&json, "by_clock", t->log.by_clock);
  ts_json_put_bool(&json, "whole_run", t->log.whole);
  put_json_number(&json, "batch", log_typical(t, TS_LOG_BATCH));
  put_json_number(&json, "samples_per_second", log_typical(t, TS_LOG_SAMPLE_RATE));
  put_json_number(&json, "tokens_per_second_per_device", log_typical(t, TS_LOG_TOKEN_RATE));
  put_json_number(&json, "tflops_per_device", log_typical(t, TS_LOG_TFLOPS));
  put_json_number(&json, "memory_bytes", t->log.memory);
  put_json_number(&json, "reserved_bytes", t->log.reserved);
  ts_json_end(&json, '}');
  ts_json_end_document(&json);
}

static void put_csv(const log_task *t, FILE *out)
{
  static const char *const uses[] = {"counted", "untimed", "warm-up", "outlier"};
  TS_TABLE(uses, TS_LOG_USES);
  fputs("step,seconds,steps,use,batch,loss,line\n", out);
  for (uint32_t i = 0; i < t->log.count; i++) {
    const ts_log_row *r = &t->log.rows[i];
    const double columns[] = {r->of[TS_LOG_STEP], r->of[TS_LOG_SECONDS], r->steps},
                 more[] = {r->of[TS_LOG_BATCH], r->of[TS_LOG_LOSS]};
    for (int c = 0; c < 3; c++)
      ts_put_text(out, isnan(columns[c]) ? "," : "%.9g,", columns[c]);
    ts_put_text(out, "%s,", uses[t->steady.use[i]]);
    for (int c = 0; c < 2; c++)
      ts_put_text(out, isnan(more[c]) ? "," : "%.9g,", more[c]);
    ts_put_text(out, "%u\n", r->line);
  }
}

static void put_log(void *closure, FILE *out)
{
  const log_task *t = closure;
  switch (t->form) {
  case JSON: log_put_json(t, out); break;
  case CSV: put_csv(t, out); break;
  case SVG: ts_log_picture(&t->log, &t->steady, NULL, ts_base_name(t->path), out); break;
  default: log_put_text(t, out);
  }
}

/* ---- The command ---- */

static int show_log(log_task *t, ts_session *s)
{
  int status = ts_log_open(s, t->path, t->formats, &t->log, &t->steady);
  return status ? status : ts_options_write(&t->options, t->output, put_log, t);
}

static void log_take(void *task, int id)
{
  log_task *t = task;
  static const char *const forms[] = {"text", "json", "csv", "svg", NULL};
  switch (id) {
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case FORMATS: t->formats = t->options.argument; break;
  case OUTPUT:
    t->output = t->options.argument;
    t->form = ts_options_form(&t->options, forms, t->form);
    break;
  case STDLIB: t->stdlib = t->options.argument; break;
  case TS_OPERAND:
    if (t->path)
      ts_options_wrong(&t->options, "one FILE at a time");
    t->path = t->options.argument;
  }
}

int ts_log_main(int argc, char **argv)
{
  log_task t = {.arena = ts_arena_new("log"), .options = ts_options_start(&program, argc, argv)};
  bool read = ts_options_read(&t.options, &t, log_take);
  int status = !read || t.path ? t.options.status : ts_options_wrong(&t.options, "no FILE given");
  if (read && t.path) {
    ts_session *s = ts_session_new(t.arena);
    ts_compile_settings(s, &(ts_compile_options){.stdlib_dir = t.stdlib});
    status = show_log(&t, s);
    int rejected = ts_options_report(&t.options, s->diags);
    status = status ? status : rejected;
  }
  ts_arena_free(t.arena);
  return status;
}
