#include "calibrate/slowdown_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "base/table.h"

enum { FOLDS = 5, MOST_COLUMNS = 64 };

/* ---- Tables ---- */

static double number(const char *cell, bool *bad)
{
  char *end;
  if (!*cell)
    return NAN;
  double value = strtod(cell, &end);
  *bad |= *end || !isfinite(value) || value < 0;
  return value;
}

/* Columns as the papers and Nsight Compute call what a field is. */
static const char *field_of(const char *column)
{
  static const char *const others[][2] = {{"sm_throughput", "compute"},
                                          {"compute_throughput", "compute"},
                                          {"memory_throughput", "memory"},
                                          {"dram_throughput", "dram"},
                                          {"achieved_occupancy", "occupancy"},
                                          {"l1_hit", "l1"},
                                          {"l2_hit", "l2"},
                                          {"l1_hit_rate", "l1"},
                                          {"l2_hit_rate", "l2"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(column, others[i][0]) == 0)
      return others[i][1];
  return column;
}

/* False: no column is called so. */
static bool put_cell(ts_slowdown_sample *s, const char *called, const char *cell, bool *bad)
{
  const char *column = field_of(called);
#define NAME(field) else if (strcmp(column, #field) == 0) s->pair.field = cell;
#define NUMBER(field) else if (strcmp(column, #field) == 0) s->pair.field = number(cell, bad);
  if (strcmp(column, "slowdown") == 0)
    s->slowdown = number(cell, bad);
  else if (strcmp(column, "source") == 0)
    s->source = cell;
  else if (strcmp(column, "kernel") == 0)
    s->kernel = cell;
  TS_PAIR_FIELDS(NAME, NUMBER)
  else
    return false;
#undef NAME
#undef NUMBER
  return true;
}

/* NULL, or what is wrong. */
static const char *take_header(ts_arena *arena, char *const *column, size_t columns, uint32_t line)
{
  bool slowdown = false, bad = false;
  ts_slowdown_sample unused = {0};
  for (size_t c = 0; c < columns; c++) {
    slowdown |= strcmp(column[c], "slowdown") == 0;
    if (!put_cell(&unused, column[c], "", &bad))
      return ts_arena_printf(arena, "line %u: no column is named `%s`", line, column[c]);
  }
  return slowdown ? NULL : "there is no column `slowdown`";
}

const char *ts_slowdown_samples_read(ts_arena *arena, const char *text, const char *source,
                                     ts_slowdown_samples *out)
{
  ts_csv csv = {.arena = arena, .text = text, .size = strlen(text), .comment = '#', .trim = true};
  ts_csv_cell cell[MOST_COLUMNS];
  char *column[MOST_COLUMNS];
  size_t columns = 0, count;
  for (ts_csv_kind kind; (kind = ts_csv_next(&csv, cell, MOST_COLUMNS, &count)) != TS_CSV_END;) {
    if (kind == TS_CSV_COMMENT)
      continue;
    if (csv.wrong)
      return ts_arena_printf(arena, "line %u: %s", csv.line, csv.wrong);
    count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    if (!columns) {
      for (; columns < count; columns++) column[columns] = ts_csv_string(arena, cell[columns]);
      const char *wrong = take_header(arena, column, columns, csv.line);
      if (wrong)
        return wrong;
      continue;
    }
    ts_slowdown_sample s = {.pair = TS_PAIR_UNKNOWN, .source = source, .slowdown = NAN};
    bool bad = false;
    for (size_t c = 0; c < columns && c < count; c++)
      put_cell(&s, column[c], ts_csv_string(arena, cell[c]), &bad);
    if (bad || !(s.slowdown > 0 && s.slowdown <= 100))
      return ts_arena_printf(arena,
                             bad ? "line %u: a number is missing or negative" :
                                   "line %u: the slowdown is not between 0 and 100",
                             csv.line);
    TS_PUSH(arena, out, s);
  }
  return columns ? NULL : "the table is empty";
}

static void put_number(FILE *out, double value)
{
  if (isnan(value))
    fputc(',', out);
  else
    fprintf(out, ",%.6g", value);
}

void ts_slowdown_samples_write(const ts_slowdown_samples *samples, FILE *out)
{
  fputs("source,slowdown", out);
#define FIELD(name) ts_put_csv(out, ",%s", #name);
  TS_PAIR_FIELDS(FIELD, FIELD)
#undef FIELD
  fputs(",kernel\n", out);
  for (size_t i = 0; i < samples->count; i++) {
    const ts_slowdown_sample *s = &samples->at[i];
    ts_put_csv(out, "%s,%.4g", s->source, s->slowdown);
#define NAME(field) ts_put_csv(out, ",%s", s->pair.field);
#define NUMBER(field) put_number(out, s->pair.field);
    TS_PAIR_FIELDS(NAME, NUMBER)
#undef NAME
#undef NUMBER
    ts_put_csv(out, ",%s\n", s->kernel ? s->kernel : "");
  }
}

/* ---- What models are worth ---- */

const char *ts_slowdown_way_name(ts_slowdown_way way)
{
  static const char *const names[] = {[TS_BY_NOTHING] = "no slowdown",
                                                      [TS_BY_CONSTANT] = "constant factor",
                                                      [TS_BY_PHYSICS] = "physical"};
  TS_TABLE(names, TS_BY_FACTOR);
  return way >= TS_BY_FACTOR ? ts_learned_way_name((ts_learned_way)(way - TS_BY_FACTOR)) :
                               names[way];
}

typedef struct trial {
  ts_arena *arena;
  uint32_t count;
  ts_pair *pairs;
  double *factor;
  bool *hold;
  double *out[TS_SLOWDOWN_WAYS];
  const ts_progress *progress;
  uint32_t done, trials;
} trial;

static const char *family_of(const trial *t, uint32_t i)
{
  return t->pairs[i].family ? t->pairs[i].family : "not known";
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Predicts what is held out from what is not, in all ways. */
static const char *try_all(trial *t)
{
  double sum = 0, n = 0;
  for (uint32_t i = 0; i < t->count; i++)
    if (!t->hold[i])
      sum += t->factor[i], n++;
  for (uint32_t i = 0; i < t->count; i++) {
    if (!t->hold[i])
      continue;
    t->out[TS_BY_NOTHING][i] = 1;
    t->out[TS_BY_CONSTANT][i] = n > 0 ? sum / n : 1;
    t->out[TS_BY_PHYSICS][i] = ts_slowdown_of(&ts_slowdown_physical, &t->pairs[i]).compute;
  }
  const char *wrong = NULL;
  ts_tick_counted(t->progress, "training", (double)t->done / t->trials, "models",
                  (double)t->done * TS_LEARNED_WAYS);
  t->done++;
  for (int w = 0; w < TS_LEARNED_WAYS && !wrong; w++)
    wrong = ts_learned_train(t->arena, (ts_learned_way)w, t->pairs, t->factor, t->hold, t->count,
                             t->out[TS_BY_FACTOR + w], NULL, NULL);
  return wrong;
}

/* Of the rows of a family; NULL: of all. */
static ts_slowdown_score score_of(const trial *t, int way, const char *family)
{
  static const double bounds[3] = {0.05, 0.10, 0.15};
  ts_slowdown_score s = {0};
  double squares = 0, count = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    if (family && strcmp(family_of(t, i), family) != 0)
      continue;
    double error = t->out[way][i] - t->factor[i];
    count++, squares += error * error;
    for (int b = 0; b < 3; b++)
      s.within[b] += fabs(error) <= bounds[b] * t->factor[i];
  }
  for (int b = 0; b < 3; b++)
    s.within[b] /= count;
  s.rmse = sqrt(squares / count);
  return s;
}

static void score(const trial *t, ts_slowdown_score *scores)
{
  for (int w = 0; w < TS_SLOWDOWN_WAYS; w++)
    scores[w] = score_of(t, w, NULL);
}

const double ts_slowdown_quantile[TS_SLOWDOWN_QUANTILES] = {0.25, 0.5, 0.75, 0.9, 0.95, 1};

static int by_name(const void *a, const void *b)
{
  return strcmp(((const ts_slowdown_family *)a)->name, ((const ts_slowdown_family *)b)->name);
}

/* What the way that is kept is worth, by what was predicted last: where it was chosen. */
static void describe(const trial *t, ts_slowdown_report *r)
{
  ts_slowdown_family *families = TS_NEW_ARRAY(t->arena, ts_slowdown_family, t->count);
  double *errors = TS_NEW_ARRAY(t->arena, double, t->count);
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t f = 0;
    while (f < r->family_count && strcmp(families[f].name, family_of(t, i)) != 0)
      f++;
    if (f == r->family_count)
      families[r->family_count++].name = family_of(t, i);
    families[f].rows++;
    families[f].mean += t->factor[i];
    errors[i] = fabs(t->out[r->best][i] / t->factor[i] - 1);
  }
  for (uint32_t f = 0; f < r->family_count; f++) {
    families[f].mean /= families[f].rows;
    families[f].score = score_of(t, (int)r->best, families[f].name);
  }
  qsort(families, r->family_count, sizeof *families, by_name);
  qsort(errors, t->count, sizeof *errors, by_size);
  for (int q = 0; q < TS_SLOWDOWN_QUANTILES; q++)
    r->error[q] = errors[(uint32_t)ceil(ts_slowdown_quantile[q] * t->count) - 1];
  r->families = families;
}

static bool is_first_of_source(const ts_slowdown_samples *samples, uint32_t i)
{
  for (uint32_t k = 0; k < i; k++)
    if (strcmp(samples->at[k].source, samples->at[i].source) == 0)
      return false;
  return true;
}

static const char *cross_validate(trial *t, const ts_slowdown_samples *samples,
                                  ts_slowdown_report *r)
{
  const char *wrong = NULL;
  for (uint32_t i = 0; i < t->count; i++)
    r->sources += is_first_of_source(samples, i);
  bool several = r->sources > 1;
  t->trials = FOLDS + (several ? r->sources : 0);
  for (uint32_t fold = 0; fold < FOLDS && !wrong; fold++) {
    for (uint32_t i = 0; i < t->count; i++)
      t->hold[i] = i % FOLDS == fold;
    wrong = try_all(t);
  }
  score(t, r->folds);
  for (uint32_t i = 0; several && i < t->count && !wrong; i++) {
    if (!is_first_of_source(samples, i))
      continue;
    for (uint32_t k = 0; k < t->count; k++)
      t->hold[k] = strcmp(samples->at[k].source, samples->at[i].source) == 0;
    wrong = try_all(t);
  }
  if (several)
    score(t, r->left_out);
  return wrong;
}

const char *ts_slowdown_fit(ts_arena *arena, const ts_slowdown_samples *samples, const char *path,
                            ts_slowdown_report *r, const ts_progress *progress)
{
  uint32_t count = (uint32_t)samples->count;
  *r = (ts_slowdown_report){.rows = count, .min = INFINITY};
  if (count < 2 * FOLDS)
    return ts_arena_printf(arena, "%u rows are too few: %d are needed", count, 2 * FOLDS);
  trial t = {.arena = arena,
             .progress = progress,
             .count = count,
             .pairs = TS_NEW_ARRAY(arena, ts_pair, count),
             .factor = TS_NEW_ARRAY(arena, double, count),
             .hold = TS_NEW_ARRAY(arena, bool, count)};
  for (int w = 0; w < TS_SLOWDOWN_WAYS; w++)
    t.out[w] = TS_NEW_ARRAY(arena, double, count);
  for (uint32_t i = 0; i < count; i++) {
    t.pairs[i] = samples->at[i].pair;
    t.factor[i] = samples->at[i].slowdown;
    r->min = fmin(r->min, t.factor[i]);
    r->max = fmax(r->max, t.factor[i]);
    r->mean += t.factor[i] / count;
  }
  const char *wrong = cross_validate(&t, samples, r);
  if (wrong)
    return wrong;
  const ts_slowdown_score *by = r->sources > 1 ? r->left_out : r->folds;
  r->best = by[TS_BY_CORRECTION].rmse <= by[TS_BY_FACTOR].rmse ? TS_BY_CORRECTION : TS_BY_FACTOR;
  describe(&t, r);
  return ts_learned_train(arena, (ts_learned_way)(r->best - TS_BY_FACTOR), t.pairs, t.factor, NULL,
                          count, NULL, path, r->gain);
}
