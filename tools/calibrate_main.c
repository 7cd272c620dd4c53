/* trainspec calibrate: fits what a few measured steps can tell of a machine, and writes it for
 * plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/source.h"
#include "compiler/quantities.h"
#include "tools/cli/calibrate_report.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/log_formats.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/progress.h"
#include "tools/cli/programs.h"

enum { OUTPUT = 1, FORMAT, NOISE, JOBS, LEARN };

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write the calibration, for `calibrated(\"FILE\")` in a plan",
   "Calibration"},
  {NOISE, 0, "noise", "SHARE",
   "what measured steps are expected to scatter by, such as 1% (that of std.accuracy.calibration)",
   NULL},
  {LEARN, 0, "learn", "framework",
   "learn what holds for other jobs of the framework: FILE is a module of the language, whose "
   "`learnt` a plan's `calibration` takes",
   NULL},
  {FORMAT, 0, "format", "FORM", "of the report: text or json (text)", NULL},
  {JOBS, 'j', "jobs", "N", "steps simulated at the same time (the number of processors)", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... PLAN MEASURED", NULL};
static const char *const notes[] = {
  "A row of MEASURED, a CSV, is a measured step. Columns are parameters of the plan by",
  "name, `step_s` (or step_ms, step_us, or `step` with units), and if wanted `memory`",
  "(bytes, or with units), `group` and `note`. What is fitted, and how far it may move,",
  "stands in std.accuracy.calibration. Each row is also left out and predicted from",
  "the others. Or it is the log of a run of the plan as it stands (trainspec log),",
  "whose steady steps are one row.",
  "",
  "Examples:",
  "$ -o cluster.json plan.ts measured.csv",
  "$ --learn framework -o mine.trainspec plan.ts measured.csv",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system, 70 a bug of",
  "ours.",
  NULL,
};
static const ts_program program = {.summary =
                                     "TrainSpec: calibrates a plan to a few measured steps.",
                                   .usage = usage,
                                   .options = options,
                                   .notes = notes,
                                   .manual = "trainspec(1)"};

typedef struct calibrate_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *paths[2], *output;
  int path_count, form;
  long long jobs;
  bool learn;   /* of the framework, for its other jobs */
  double noise; /* 0: as std.accuracy.calibration has it */
  ts_calibration *calibration;
  ts_measured_steps steps;
  ts_played_steps *played;
  ts_progress_bar bar;
  ts_progress progress;
  uint32_t file;               /* of the measured steps, in the source map */
  ts_step_fit fit;
  ts_calibrated report;
} calibrate_task;

/* ---- Options ---- */

static void take_share(calibrate_task *t)
{
  const char *argument = t->options.argument;
  char *end;
  double share = strtod(argument, &end);
  if (*end == '%')
    share /= 100, end++;
  t->noise = share;
  if (end == argument || *end || !(share >= 1e-4 && share <= 0.5))
    ts_options_wrong(&t->options, "`%s` takes a share from 0.01%% to 50%%, not `%s`",
                     t->options.spelled, argument);
}

static void calibrate_take(void *task, int id)
{
  calibrate_task *t = task;
  static const char *const forms[] = {"text", "json", NULL};
  static const char *const learns[] = {"framework", NULL};
  switch (id) {
  case TS_OPERAND:
    ts_options_operand(&t->options, t->paths, &t->path_count,
                       "one plan and one file of measured steps");
    break;
  case OUTPUT: t->output = t->options.argument; break;
  case NOISE: take_share(t); break;
  case LEARN: t->learn = ts_options_choice(&t->options, learns) == 0; break;
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case JOBS: ts_options_number(&t->options, 1, TS_MOST_JOBS, &t->jobs); break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool calibrate_read_options(calibrate_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, calibrate_take))
    return false;
  const char *wrong = t->path_count < 2 ?
                        "a plan and a file of measured steps are needed" :
                      !strcmp(t->paths[0], "-") ?
                        "a plan is read once for each step: give a file" :
                      t->output && !strcmp(t->output, "-") ?
                        "`-o` takes a file: the report goes to standard output" :
                        NULL;
  if (wrong)
    ts_options_wrong(&t->options, "%s", wrong);
  return !wrong;
}

/* ---- Reading ---- */

static bool bad_steps(calibrate_task *t, const ts_error *e)
{
  ts_span at = {t->file, (uint32_t)e->begin, (uint32_t)e->end};
  ts_diag *d = ts_diag_add(t->session->diags, TS_E0506, e->line ? at : TS_NO_SPAN,
                           "`%s` cannot be used", ts_base_name(t->paths[1]));
  if (e->line)
    ts_diag_here(d, "%s", e->message);
  else
    ts_diag_note(d, "%s", e->message);
  if (e->help[0])
    ts_diag_help(d, "%s", e->help);
  return false;
}

/* A log of a run of the plan as it is: its steady steps are one row. */
static bool steps_of_log(calibrate_task *t)
{
  ts_session *s = ts_session_new(t->arena);
  ts_log log;
  ts_log_steady steady;
  ts_compile_settings(s, &(ts_compile_options){.stdlib_dir = t->plan.compile.stdlib_dir});
  if (ts_log_open(s, t->paths[1], NULL, &log, &steady))
    return false;
  double amount = log.memory > 0 ? log.memory : log.reserved > 0 ? log.reserved : 0;
  ts_measured_step *row = TS_NEW(t->arena, ts_measured_step);
  *row = (ts_measured_step){.line = 1,
                            .words = "",
                            .seconds = steady.levels[steady.level_count - 1].median,
                            .memory = amount,
                            .group = ""};
  t->steps = (ts_measured_steps){.count = 1, .at = row, .memory = amount > 0};
  return true;
}

static bool read_steps(calibrate_task *t, const ts_parameters *parameters)
{
  size_t size;
  int error;
  ts_error why;
  const char *text = ts_read_file(t->arena, t->paths[1], &size, &error);
  if (!text) {
    ts_diag_add(t->session->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", t->paths[1],
                strerror(error));
    return false;
  }
  t->file = ts_sources_add(t->session->sources, t->paths[1], "measured steps", text, size);
  ts_measured_parameter *list =
    TS_NEW_ARRAY(t->arena, ts_measured_parameter, parameters->count + 1);
  uint32_t count = 0;
  for (size_t i = 0; i < parameters->count; i++)
    if (parameters->at[i].name)
      list[count++] =
        (ts_measured_parameter){parameters->at[i].name, !strcmp(parameters->at[i].type, "String")};
  return ts_measured_steps_read(t->arena, text, size, list, count, &t->steps, &why) ||
         steps_of_log(t) || bad_steps(t, &why);
}

/* ---- Fitting ---- */

/* Rows of the same parameters are one fold: a repetition would tell what is left out. By group:
 * rows of one group are. */
static uint32_t *folds(const calibrate_task *t, bool by_group)
{
  uint32_t *fold = TS_NEW_ARRAY(t->arena, uint32_t, t->steps.count + 1);
  for (uint32_t r = 0; r < t->steps.count; r++) {
    const ts_measured_step *s = &t->steps.at[r];
    fold[r] = r;
    for (uint32_t k = r; k-- > 0;)
      if (by_group ? *s->group && !strcmp(t->steps.at[k].group, s->group) :
                     !strcmp(t->steps.at[k].words, s->words))
        fold[r] = fold[k];
  }
  return fold;
}

static bool calibrate_fit(calibrate_task *t)
{
  uint32_t rows = t->steps.count, count = t->calibration->count;
  double *measured = TS_NEW_ARRAY(t->arena, double, rows + 1),
         *prior = TS_NEW_ARRAY(t->arena, double, count + 1);
  for (uint32_t r = 0; r < rows; r++)
    measured[r] = log(t->steps.at[r].seconds);
  for (uint32_t i = 0; i < count; i++)
    prior[i] = t->calibration->quantity[i].prior;
  ts_step_problem p = {.rows = rows,
                       .quantities = count,
                       .measured = measured,
                       .fold = folds(t, false),
                       .prior = prior,
                       .noise = t->calibration->noise,
                       .play = ts_play_steps,
                       .closure = t->played};
  if (!ts_step_fit_run(t->arena, &p, &t->fit))
    return false;
  if (t->steps.groups) {
    ts_step_fit by_group;
    p.fold = folds(t, true);
    if (!ts_step_fit_run(t->arena, &p, &by_group))
      return false;
    t->report.group_out = by_group.left_out;
  }
  ts_calibration *c = t->calibration;
  for (uint32_t i = 0; i < count; i++) {
    c->quantity[i].log = t->fit.x[i];
    for (uint32_t j = 0; j < count; j++)
      c->covariance[i][j] = t->fit.covariance[i * count + j];
  }
  c->residual = t->fit.noise;
  return true;
}

/* The share of a measured peak that the model of allocations leaves, before anything is known. */
static const double memory_noise = 0.02;

static void fit_memory(calibrate_task *t)
{
  uint32_t rows = 0, *of = TS_NEW_ARRAY(t->arena, uint32_t, t->steps.count + 1);
  double *excess = TS_NEW_ARRAY(t->arena, double, t->steps.count + 1),
         *left_out = TS_NEW_ARRAY(t->arena, double, t->steps.count + 1),
         *out = TS_NEW_ARRAY(t->arena, double, t->steps.count + 1), mean = 0;
  for (uint32_t r = 0; r < t->steps.count; r++)
    if (t->steps.at[r].memory > 0) {
      excess[rows] = t->steps.at[r].memory - ts_played_memory(t->played, r);
      mean += t->steps.at[r].memory;
      of[rows++] = r;
    }
  if (!rows)
    return;
  ts_memory_constant *m = &t->calibration->memory;
  ts_constant_fit c =
    ts_constant_fit_run(excess, rows, m->prior, memory_noise * mean / rows, left_out);
  for (uint32_t i = 0; i < rows; i++)
    out[of[i]] = left_out[i];
  *m = (ts_memory_constant){rows, m->prior, c.value, c.deviation, c.noise};
  t->report.memory_out = out;
}

/* ---- The whole ---- */

static void calibrate_put_report(void *closure, FILE *out)
{
  const calibrate_task *t = closure;
  if (t->form)
    ts_calibrated_json(&t->report, out);
  else
    ts_calibrated_text(&t->report, out);
}

static void put_calibration(void *closure, FILE *out)
{
  const calibrate_task *t = closure;
  (t->learn ? ts_calibration_write_learnt : ts_calibration_write)(t->calibration, out);
}

static int calibrate(calibrate_task *t)
{
  ts_session *s = t->session;
  ts_parameters parameters;
  const char *plan;
  t->calibration =
    ts_quantities_load(s, &t->plan.compile, t->learn ? "framework_quantities" : "quantities");
  if (!t->calibration ||
      !ts_parameters_load(s, t->paths[0], &t->plan.compile, &plan, &parameters) ||
      !read_steps(t, &parameters))
    return TS_EXIT_REJECTED;
  t->calibration->noise = t->noise > 0 ? t->noise : t->calibration->noise;
  t->calibration->plan = plan;
  t->calibration->rows = t->steps.count;
  t->played = ts_played_steps_new(s, t->paths[0], &t->plan.compile, &t->steps, t->file,
                                  t->calibration, (long)t->jobs, &t->progress);
  if (!t->played) {
    ts_progress_end(&t->bar);
    return TS_EXIT_REJECTED;
  }
  t->calibration->device = ts_arena_printf(t->arena, "%s", ts_played_device(t->played));
  t->calibration->framework = ts_arena_printf(t->arena, "%s", ts_played_framework(t->played));
  int status = TS_EXIT_REJECTED;
  bool fitted = calibrate_fit(t);
  ts_progress_end(&t->bar);
  if (fitted) {
    fit_memory(t);
    t->report.arena = t->arena;
    t->report.calibration = t->calibration;
    t->report.steps = &t->steps;
    t->report.played = t->played;
    t->report.fit = &t->fit;
    ts_interrupt_plain();
    status = t->output ? ts_options_write(&t->options, t->output, put_calibration, t) :
                         TS_EXIT_DONE;
    if (status == TS_EXIT_DONE)
      status = ts_options_write(&t->options, NULL, calibrate_put_report, t);
  }
  ts_played_steps_free(t->played);
  return status;
}

int ts_calibrate_main(int argc, char **argv)
{
  calibrate_task t = {.arena = ts_arena_new("calibrate"), .jobs = ts_usual_jobs()};
  if (!calibrate_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  ts_interrupt_ends(
    ts_arena_printf(t.arena, "%s: interrupted; nothing was written\n", t.options.called));
  t.progress = ts_progress_shown(&t.bar);
  int status = calibrate(&t), rejected = ts_options_report(&t.options, t.session->diags);
  ts_arena_free(t.arena);
  return status == TS_EXIT_REJECTED ? rejected : status;
}
