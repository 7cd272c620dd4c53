/* Rows of one cluster: three calibrate, as `trainspec calibrate` does; others are predicted with
 * and without it. Which three is a rule: those of least, middle and most work a device, of all that
 * can be predicted. No measured time has a part in it. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/source.h"
#include "calibrate/scaled_ir.h"
#include "calibrate/step_fit.h"
#include "compiler/compile.h"
#include "compiler/quantities.h"
#include "ir/ir.h"
#include "runtime/account/calibrated.h"
#include "tests/accuracy/accuracy.h"

enum { GIVEN = 3, LEAST_ROWS = 6 };

typedef struct named_row {
  const char *name;
  uint32_t number; /* in its file */
  double measured;
  const ts_define *define;
  uint32_t define_count;
} named_row;

typedef struct step {
  const named_row *row;
  ts_arena *arena;
  ts_session *session;
  const char *dirs[1];
  ts_input input;
  bool open;
  const uint32_t *of;          /* [kernels] quantity */
  double work;
} step;

typedef struct cluster { /* rows that a calibration may hold for */
  const char *name, *plan;
  TS_VEC(named_row) rows;
} cluster;

/* What a process hands back of a row. */
typedef struct answer {
  bool predicted, given;
  double before, after, work;
  double reach; /* of `after`, as a logarithm */
} answer;

typedef struct bench {
  const acc_context *c;
  ts_calibration *quantities;
  TS_VEC(cluster) clusters;
  answer *answers; /* of their rows, one after the other */
} bench;

/* ---- Clusters, as tests/accuracy/compare gives them ---- */

static named_row read_row(ts_arena *arena, const cJSON *item)
{
  const cJSON *given = cJSON_GetObjectItem(item, "given"), *one;
  ts_define *define = TS_NEW_ARRAY(arena, ts_define, (size_t)cJSON_GetArraySize(given) + 1);
  named_row r = {.name = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name")),
                 .number = (uint32_t)cJSON_GetNumberValue(cJSON_GetObjectItem(item, "row")),
                 .measured = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "measured")),
                 .define = define};
  cJSON_ArrayForEach(one, given) define[r.define_count++] =
    (ts_define){one->string, one->valuestring};
  return r;
}

static bool read_clusters(bench *b)
{
  ts_arena *arena = b->c->arena;
  size_t size = 0;
  int error = 0;
  char *text = b->c->rows ? ts_read_file(arena, b->c->rows, &size, &error) : NULL;
  const cJSON *all = text ? cJSON_ParseWithLength(text, size) : NULL, *of, *item;
  cJSON_ArrayForEach(of, all)
  {
    cluster k = {.name = cJSON_GetStringValue(cJSON_GetObjectItem(of, "name")),
                 .plan = cJSON_GetStringValue(cJSON_GetObjectItem(of, "plan"))};
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(of, "rows"))
      TS_PUSH(arena, &k.rows, read_row(arena, item));
    TS_PUSH(arena, &b->clusters, k);
  }
  return all != NULL;
}

/* ---- Steps ---- */

static void open_step(const bench *b, const cluster *k, const named_row *row, step *s)
{
  static const char *const anywhere[] = {"/"}; /* the plans are ours: data may be links */
  *s = (step){.row = row, .arena = ts_arena_new("step")};
  s->session = ts_session_new(s->arena);
  s->dirs[0] = b->c->data;
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(s->arena, "%s/stdlib", b->c->source),
                          .import_dirs = s->dirs,
                          .import_dir_count = 1,
                          .read_dirs = anywhere,
                          .read_dir_count = 1,
                          .defines = row->define,
                          .define_count = row->define_count};
  s->open = ts_input_open(
    s->session, ts_arena_printf(s->arena, "%s/tests/accuracy/plans/%s", b->c->source, k->plan), &o,
    &s->input);
  if (!s->open)
    return;
  const ts_ir_meta *m = s->input.ir.meta;
  s->of = ts_quantities_of_kernels(s->arena, &s->input.ir, b->quantities);
  s->work = m->model_flops_per_step > 0 ? m->model_flops_per_step / m->world : 0;
}

static void close_step(step *s)
{
  if (s->open)
    ts_input_close(&s->input);
  ts_arena_free(s->arena);
}

/* A copy of the strings with two more for each quantity, and the records of the calibration. */
static void add_records(ts_arena *arena, const ts_calibration *c, const ts_step_fit *f, ts_ir *ir)
{
  static const uint32_t kinds[] = {[TS_QUANTITY_KERNELS] = TS_IR_CALIBRATED_KERNELS,
                                   [TS_QUANTITY_HOST] = TS_IR_CALIBRATED_HOST,
                                   [TS_QUANTITY_INSIDE] = TS_IR_CALIBRATED_INSIDE,
                                   [TS_QUANTITY_BETWEEN] = TS_IR_CALIBRATED_BETWEEN};
  size_t size = ir->strings_count, more = 0;
  for (uint32_t i = 0; i < c->count; i++)
    more += strlen(c->quantity[i].families) + strlen(c->quantity[i].formats) + 2;
  char *strings = ts_arena_alloc(arena, size + more);
  ts_ir_calibration *records = TS_NEW_ARRAY(arena, ts_ir_calibration, c->count + 1);
  memcpy(strings, ir->strings, size);
  for (uint32_t i = 0; i < c->count; i++) {
    const ts_quantity *q = &c->quantity[i];
    records[i] = (ts_ir_calibration){
      .kind = kinds[q->kind], .source = TS_IR_NONE, .value = exp(q->log), .prior = q->prior};
    memcpy(records[i].covariance, &f->covariance[i * c->count], c->count * sizeof(double));
    records[i].families = (ts_ir_str)size;
    size += strlen(strcpy(strings + size, q->families)) + 1;
    records[i].formats = (ts_ir_str)size;
    size += strlen(strcpy(strings + size, q->formats)) + 1;
  }
  records[c->count] =
    (ts_ir_calibration){.kind = TS_IR_CALIBRATED_STEP, .source = TS_IR_NONE, .value = 1};
  records[c->count].covariance[c->count] = f->noise * f->noise;
  ir->strings = strings;
  ir->strings_count = (uint32_t)size;
  ir->calibrations = records;
  ir->calibrations_count = c->count + 1;
}

/* NaN: it cannot be played. `f`: and how far its interval reaches. */
static double log_of_step(const bench *b, const step *s, const double *x, const ts_step_fit *f,
                          double *reach)
{
  ts_arena *arena = ts_arena_new("play");
  ts_calibration c = *b->quantities;
  ts_ir ir;
  ts_stop stop = {.arena = arena};
  c.quantity = ts_arena_copy(arena, c.quantity, c.count * sizeof *c.quantity);
  for (uint32_t j = 0; j < c.count; j++)
    c.quantity[j].log = x[j];
  ts_scaled_ir(arena, &s->input.ir, &c, s->of, &ir);
  if (f)
    add_records(arena, &c, f, &ir);
  ts_run *run = ts_run_new(&ir, &(ts_run_options){.threads = 1}, &stop);
  double seconds = run ? (double)ts_run_result(run)->step * 1e-12 : NAN;
  if (run && f)
    *reach =
      ts_calibrated_spread(&ir, ts_calibrated_shares(arena, &ir, ts_run_result(run))).reach;
  ts_run_free(run);
  ts_arena_free(arena);
  return log(seconds);
}

typedef struct given { const bench *b; const step *const *steps; } given;

static bool play(void *closure, ts_step_ask *asks, uint32_t count)
{
  const given *g = closure;
  for (uint32_t i = 0; i < count; i++) {
    asks[i].log_step = log_of_step(g->b, g->steps[asks[i].row], asks[i].x, NULL, NULL);
    if (!isfinite(asks[i].log_step))
      return false;
  }
  return true;
}

static int by_work(const void *x, const void *y)
{
  const step *const *a = x, *const *b = y;
  return (*a)->work != (*b)->work ?
           ((*a)->work < (*b)->work ? -1 : 1) :
           ((*a)->row->number > (*b)->row->number) - ((*a)->row->number < (*b)->row->number);
}

static bool fit(const bench *b, ts_arena *arena, const step *const *steps, uint32_t count,
                ts_step_fit *out)
{
  static const uint32_t folds[GIVEN] = {0, 1, 2};
  double measured[GIVEN], prior[TS_MOST_QUANTITIES];
  given g = {b, steps};
  for (uint32_t i = 0; i < count; i++)
    measured[i] = log(steps[i]->row->measured);
  for (uint32_t j = 0; j < b->quantities->count; j++)
    prior[j] = b->quantities->quantity[j].prior;
  return ts_step_fit_run(arena,
                         &(ts_step_problem){.rows = count,
                                            .quantities = b->quantities->count,
                                            .measured = measured,
                                            .fold = folds,
                                            .prior = prior,
                                            .noise = b->quantities->noise,
                                            .play = play,
                                            .closure = &g},
                         out);
}

/* With -v: which rows calibrate, and what came of them. */
static void tell(const bench *b, const cluster *k, const step *const *steps, const ts_step_fit *f)
{
  printf("  %s\n", k->name);
  for (int i = 0; i < GIVEN; i++)
    printf("    %s: %.4g s, measured %.4g, fitted %.4g\n", steps[i]->row->name,
           exp(f->before[i]), steps[i]->row->measured, exp(f->after[i]));
  for (uint32_t j = 0; j < b->quantities->count; j++)
    if (f->deviation[j] < 0.999 * b->quantities->quantity[j].prior)
      printf("    %s x %.3f +-%.1f %%\n", b->quantities->quantity[j].name, exp(f->x[j]),
             100 * expm1(f->deviation[j]));
  printf("    what is left over +-%.1f %%\n", 100 * expm1(f->noise));
  fflush(stdout);
}

static void predict(const bench *b, const cluster *k, answer *answers)
{
  ts_arena *arena = ts_arena_new("cluster");
  step *steps = TS_NEW_ARRAY(arena, step, k->rows.count);
  const step **order = TS_NEW_ARRAY(arena, const step *, k->rows.count);
  static const double nothing[TS_MOST_QUANTITIES];
  size_t count = 0;
  for (size_t i = 0; i < k->rows.count; i++) {
    open_step(b, k, &k->rows.at[i], &steps[i]);
    if (steps[i].open)
      order[count++] = &steps[i];
  }
  qsort(order, count, sizeof *order, by_work);
  ts_step_fit f;
  if (count >= LEAST_ROWS) {
    const step *calibrate[GIVEN] = {order[0], order[count / 2], order[count - 1]};
    bool good = fit(b, arena, calibrate, GIVEN, &f);
    if (good && b->c->verbose)
      tell(b, k, calibrate, &f);
    for (size_t i = 0; i < k->rows.count && good; i++) {
      const step *s = &steps[i];
      answers[i].given = s == calibrate[0] || s == calibrate[1] || s == calibrate[2];
      if (!s->open)
        continue;
      answers[i].before = exp(log_of_step(b, s, nothing, NULL, NULL));
      answers[i].after = exp(log_of_step(b, s, f.x, &f, &answers[i].reach));
      answers[i].work = s->work;
      answers[i].predicted = isfinite(answers[i].before) && isfinite(answers[i].after);
    }
  }
  for (size_t i = 0; i < k->rows.count; i++)
    close_step(&steps[i]);
  ts_arena_free(arena);
}

static void predict_every(const bench *b, size_t first, size_t processes)
{
  size_t row = 0;
  for (size_t k = 0; k < b->clusters.count; row += b->clusters.at[k++].rows.count)
    if (k % processes == first && b->clusters.at[k].rows.count >= LEAST_ROWS)
      predict(b, &b->clusters.at[k], b->answers + row);
}

/* On as many processes as there are processors. */
static void predict_all(bench *b)
{
  size_t rows = 0;
  for (size_t k = 0; k < b->clusters.count; k++)
    rows += b->clusters.at[k].rows.count;
  size_t size = (rows + 1) * sizeof *b->answers;
  FILE *shared = tmpfile();
  if (!shared || ftruncate(fileno(shared), (off_t)size))
    abort();
  b->answers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t processes = processors > 1 && processors < 64 ? (size_t)processors : 1;
  pid_t child[64];
  if (b->answers == MAP_FAILED)
    abort();
  fflush(stdout);
  for (size_t p = 1; p < processes; p++) {
    child[p] = fork();
    if (child[p] == 0) {
      predict_every(b, p, processes);
      _exit(0);
    }
    if (child[p] < 0)
      abort();
  }
  predict_every(b, 0, processes);
  for (size_t p = 1; p < processes; p++)
    waitpid(child[p], NULL, 0);
}

/* ---- Report ---- */

static void add(const acc_context *c, acc_points *points, const named_row *row, const answer *a,
                bool calibrated)
{
  TS_PUSH(c->arena, points,
          (acc_point){.name = row->name,
                      .predicted = calibrated ? a->after : a->before,
                      .measured = row->measured,
                      .work = a->work,
                      .low = calibrated ? a->after * exp(-a->reach) : 0,
                      .high = calibrated ? a->after * exp(a->reach) : 0});
}

/* False after a message. */
static bool begin(bench *b, const char *quantities)
{
  ts_session *session = ts_session_new(b->c->arena);
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(b->c->arena, "%s/stdlib", b->c->source)};
  b->quantities = ts_quantities_load(session, &o, quantities);
  if (b->quantities && read_clusters(b))
    return true;
  printf("skipped, std.calibration or the rows cannot be read\n\n");
  return false;
}

bool acc_calibrated(const acc_context *c)
{
  acc_result *result = c->result;
  bench b = {.c = c};
  if (!begin(&b, "quantities"))
    return false;
  predict_all(&b);
  acc_part *parts[2] = {acc_part_new(c->arena, result, "other steps, as std has them"),
                        acc_part_new(c->arena, result, "other steps, calibrated")};
  acc_points all[2] = {0};
  size_t row = 0, few = 0;
  for (size_t k = 0; k < b.clusters.count; k++) {
    acc_points points[2] = {0};
    for (size_t i = 0; i < b.clusters.at[k].rows.count; i++, row++) {
      const answer *a = &b.answers[row];
      if (!a->predicted || a->given)
        continue;
      const named_row *r = &b.clusters.at[k].rows.at[i];
      for (int p = 0; p < 2; p++) {
        add(c, &points[p], r, a, p);
        add(c, &all[p], r, a, p);
      }
    }
    few += points[0].count ? 0 : b.clusters.at[k].rows.count;
    for (int p = 0; p < 2; p++)
      acc_line_add(c->arena, parts[p], b.clusters.at[k].name, &points[p]);
  }
  for (int p = 0; p < 2; p++)
    acc_line_add(c->arena, parts[p], "all", &all[p]);
  parts[1]->drawn = true;
  acc_note_add(c->arena, result, "which three",
               "those of least, middle and most model FLOPs a device, of the steps of one machine, "
               "framework, release and number format");
  acc_note_add(c->arena, result, "left out",
               ts_arena_printf(c->arena, "%zu rows of clusters with fewer than %d steps", few,
                               LEAST_ROWS));
  return true;
}

/* ---- Learnt ---- */

enum { MOST_CHOICES = 60 };

/* The k-th of all choices of `count` of n, in order of their numbers. */
static void choice_of(uint64_t k, uint32_t n, uint32_t count, uint32_t *chosen)
{
  for (uint32_t i = 0, next = 0; i < count; i++, next++)
    for (;; next++) {
      uint64_t with = 1;
      for (uint32_t j = 1; j < count - i; j++)
        with = with * (n - next - j) / j;
      if (k < with) {
        chosen[i] = next;
        break;
      }
      k -= with;
    }
}

static uint64_t choices(uint32_t n, uint32_t count)
{
  uint64_t all = 1;
  for (uint32_t j = 0; j < count; j++)
    all = all * (n - j) / (j + 1);
  return all;
}

static void tell_learnt(const bench *b, const step *const *given, uint32_t count,
                        const ts_step_fit *f, double mean)
{
  printf("    %5.1f %%", 100 * mean);
  for (uint32_t j = 0; j < b->quantities->count; j++)
    printf("  %s x %.2f", b->quantities->quantity[j].name, exp(f->x[j]));
  for (uint32_t i = 0; i < count; i++)
    printf("%s %.60s", i ? "," : "  from", given[i]->row->name);
  printf("\n");
  fflush(stdout);
}

static void add_learnt(const bench *b, const step *s, const double *x, acc_points *points)
{
  TS_PUSH(b->c->arena, points,
          ((acc_point){.name = s->row->name,
                       .predicted = exp(log_of_step(b, s, x, NULL, NULL)),
                       .measured = s->row->measured,
                       .work = s->work}));
}

/* Each choice of three runs predicts all the others; of three runs two predict the third. */
static void learn_framework(const bench *b, const cluster *k, acc_points points[2])
{
  static const double nothing[TS_MOST_QUANTITIES];
  ts_arena *arena = ts_arena_new("framework");
  step *steps = TS_NEW_ARRAY(arena, step, k->rows.count);
  uint32_t n = 0;
  for (size_t i = 0; i < k->rows.count; i++) {
    open_step(b, k, &k->rows.at[i], &steps[n]);
    if (steps[n].open)
      n++;
    else
      close_step(&steps[n]);
  }
  uint32_t count = n > GIVEN ? GIVEN : n > 1 ? n - 1 : 0;
  uint64_t all = count ? choices(n, count) : 0, tried = all < MOST_CHOICES ? all : MOST_CHOICES;
  for (uint64_t c = 0; c < tried; c++) {
    uint32_t chosen[GIVEN];
    const step *given[GIVEN];
    ts_step_fit f;
    choice_of(all * c / tried, n, count, chosen);
    for (uint32_t i = 0; i < count; i++)
      given[i] = &steps[chosen[i]];
    ts_arena *work = ts_arena_new("choice");
    bool good = fit(b, work, given, count, &f);
    double sum = 0;
    for (uint32_t i = 0, next = 0; i < n && good; i++) {
      if (next < count && chosen[next] == i) {
        next++;
        continue;
      }
      add_learnt(b, &steps[i], nothing, &points[0]);
      add_learnt(b, &steps[i], f.x, &points[1]);
      const acc_point *p = &points[1].at[points[1].count - 1];
      sum += fabs(p->predicted / p->measured - 1);
    }
    if (good && b->c->verbose)
      tell_learnt(b, given, count, &f, sum / (n - count));
    ts_arena_free(work);
  }
  for (uint32_t i = 0; i < n; i++)
    close_step(&steps[i]);
  ts_arena_free(arena);
}

bool acc_learnt(const acc_context *c)
{
  acc_result *result = c->result;
  bench b = {.c = c};
  if (!begin(&b, "framework_quantities"))
    return false;
  acc_part *parts[2] = {acc_part_new(c->arena, result, "other runs, as std has them"),
                        acc_part_new(c->arena, result, "other runs, learnt")};
  for (size_t k = 0; k < b.clusters.count; k++) {
    acc_points points[2] = {0};
    if (c->verbose)
      printf("  %s\n", b.clusters.at[k].name);
    learn_framework(&b, &b.clusters.at[k], points);
    for (int p = 0; p < 2; p++)
      acc_line_add(c->arena, parts[p], b.clusters.at[k].name, &points[p]);
  }
  acc_note_add(c->arena, result, "which three",
               ts_arena_printf(c->arena,
                               "all choices, of more than %d so many, spread evenly; of "
                               "three runs each two",
                               MOST_CHOICES));
  return true;
}
