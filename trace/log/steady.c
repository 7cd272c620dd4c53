#include "trace/log/steady.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

enum { LEAST_LEVEL = 5, FEW = 4, MOST_CHANGES = 100 };

/* A level differs by this share at least, and an outlier lies this far above it: less is noise that
 * nobody acts on. */
static const double min_change = 0.015, min_outlier = 0.05;

typedef struct steady_finder {
  ts_arena *arena;
  const ts_log *log;
  ts_log_use *use;
  uint32_t *row;  /* [count] those that may count */
  double *time;   /* [count] */
  double *sum;    /* [count + 1] of their logarithms, clipped at outliers */
  double *sorted; /* [count] scratch */
  uint32_t count;
  uint32_t changes;
  double noise; /* standard deviation of a logarithm, from differences of neighbours */
  TS_VEC(ts_log_level) levels;
} steady_finder;

double ts_log_median(double *numbers, uint32_t count)
{
  if (!count)
    return NAN;
  gsl_sort(numbers, 1, count);
  return gsl_stats_median_from_sorted_data(numbers, 1, count);
}

static double median_of(steady_finder *f, uint32_t from, uint32_t to)
{
  memcpy(f->sorted, f->time + from, (to - from) * sizeof *f->sorted);
  return ts_log_median(f->sorted, to - from);
}

/* Of a normal distribution, the median distance from the median is 0.6745 standard deviations. */
static double spread_about(steady_finder *f, uint32_t from, uint32_t to, double middle)
{
  for (uint32_t i = from; i < to; i++)
    f->sorted[i - from] = fabs(log(f->time[i] / middle));
  return ts_log_median(f->sorted, to - from) / 0.6745;
}

/* Rows of the last run with the last batch that have a time. */
static void choose_rows(steady_finder *f, ts_log_steady *s)
{
  const ts_log *log = f->log;
  double batch = NAN;
  for (uint32_t i = log->count; i-- > 0;) {
    const ts_log_row *r = &log->rows[i];
    bool last = r->run == log->runs - 1;
    if (last && isnan(batch))
      batch = r->of[TS_LOG_BATCH];
    bool other =
      last && !isnan(batch) && !isnan(r->of[TS_LOG_BATCH]) && r->of[TS_LOG_BATCH] != batch;
    s->other_batch += other;
    f->use[i] = !last || other || isnan(r->of[TS_LOG_SECONDS]) ? TS_LOG_UNTIMED : TS_LOG_COUNTED;
  }
  for (uint32_t i = 0; i < log->count; i++)
    if (f->use[i] == TS_LOG_COUNTED) {
      f->row[f->count] = i;
      f->time[f->count++] = log->rows[i].of[TS_LOG_SECONDS];
    }
}

/* Whether the row's mean has the first step in it. The first row of a log is the mean of as many
 * steps as the second one. */
static bool has_first(const ts_log *log, uint32_t row)
{
  double steps = log->rows[row ? row : log->count > 1].steps;
  return log->rows[row].of[TS_LOG_STEP] - steps < 1;
}

/* The first step compiles, allocates and connects, whatever it says; so do those after it that
 * lie above what the second half of the run has. */
static uint32_t warm_up_of(steady_finder *f)
{
  if (f->count < FEW)
    return f->count > 1 && has_first(f->log, f->row[0]);
  uint32_t half = f->count / 2;
  double middle = median_of(f, half, f->count);
  double limit = middle * exp(fmax(3 * spread_about(f, half, f->count, middle), min_outlier));
  uint32_t skip = has_first(f->log, f->row[0]);
  while (skip < half && f->time[skip] > limit)
    skip++;
  return skip;
}

static void drop_warm_up(steady_finder *f, uint32_t skip)
{
  for (uint32_t i = 0; i < skip; i++)
    f->use[f->row[i]] = TS_LOG_WARM_UP;
  f->row += skip, f->time += skip, f->count -= skip;
}

static void steady_prepare(steady_finder *f)
{
  double middle = median_of(f, 0, f->count);
  double limit = fmax(4 * spread_about(f, 0, f->count, middle), min_outlier);
  f->sum[0] = 0;
  for (uint32_t i = 0; i < f->count; i++)
    f->sum[i + 1] = f->sum[i] + fmax(-limit, fmin(limit, log(f->time[i] / middle)));
  for (uint32_t i = 1; i < f->count; i++)
    f->sorted[i - 1] = fabs(log(f->time[i] / f->time[i - 1]));
  f->noise = f->count > 1 ? ts_log_median(f->sorted, f->count - 1) / (0.6745 * sqrt(2)) : 0;
}

static void end_level(steady_finder *f, uint32_t from, uint32_t to)
{
  double middle = median_of(f, from, to), total = 0;
  double limit = middle * exp(fmax(5 * spread_about(f, from, to, middle), min_outlier));
  ts_log_level l = {.first = f->row[from], .last = f->row[to - 1]};
  for (uint32_t i = from; i < to; i++) {
    total += f->time[i];
    if (f->time[i] > limit)
      f->use[f->row[i]] = TS_LOG_OUTLIER;
    else
      f->sorted[l.count++] = f->time[i];
  }
  l.median = ts_log_median(f->sorted, l.count);
  l.low = gsl_stats_quantile_from_sorted_data(f->sorted, 1, l.count, 0.25);
  l.high = gsl_stats_quantile_from_sorted_data(f->sorted, 1, l.count, 0.75);
  l.mean = total / (to - from);
  TS_PUSH(f->arena, &f->levels, l);
}

/* Binary segmentation: the split that explains most squares, if it explains more than chance does
 * (Yao's criterion, 1988, with a factor for noise that is not independent) and its means differ.
 * Further changes than the most are not looked for, which bounds time and nesting. */
static void steady_split(steady_finder *f, uint32_t from, uint32_t to)
{
  double best = 0;
  uint32_t at = 0;
  for (uint32_t k = from + LEAST_LEVEL; k + LEAST_LEVEL <= to; k++) {
    double left = (f->sum[k] - f->sum[from]) / (k - from);
    double right = (f->sum[to] - f->sum[k]) / (to - k);
    double gain = (double)(k - from) * (to - k) / (to - from) * (left - right) * (left - right);
    if (gain > best && fabs(left - right) > min_change)
      best = gain, at = k;
  }
  if (!at || f->changes == MOST_CHANGES || best <= 9 * f->noise * f->noise * log(f->count)) {
    end_level(f, from, to);
    return;
  }
  f->changes++;
  steady_split(f, from, at);
  steady_split(f, at, to);
}

bool ts_log_find_steady(ts_arena *arena, const ts_log *log, ts_log_steady *s)
{
  steady_finder f = {.arena = arena,
                     .log = log,
                     .use = TS_NEW_ARRAY(arena, ts_log_use, log->count),
                     .row = TS_NEW_ARRAY(arena, uint32_t, log->count),
                     .time = TS_NEW_ARRAY(arena, double, log->count),
                     .sum = TS_NEW_ARRAY(arena, double, (size_t)log->count + 1),
                     .sorted = TS_NEW_ARRAY(arena, double, log->count)};
  *s = (ts_log_steady){.use = f.use};
  choose_rows(&f, s);
  if (!f.count)
    return false;
  s->warm_up = warm_up_of(&f);
  drop_warm_up(&f, s->warm_up);
  steady_prepare(&f);
  steady_split(&f, 0, f.count);
  s->levels = f.levels.at;
  s->level_count = (uint32_t)f.levels.count;
  for (uint32_t l = 0; l < s->level_count; l++)
    for (uint32_t i = s->levels[l].first; i <= s->levels[l].last; i++)
      if (f.use[i] == TS_LOG_OUTLIER) {
        s->outliers++;
        s->lost += (log->rows[i].of[TS_LOG_SECONDS] - s->levels[l].median) * log->rows[i].steps;
      }
  return true;
}

double ts_log_typical(ts_arena *arena, const ts_log *log, const ts_log_steady *steady,
                      ts_log_figure figure)
{
  const ts_log_level *l = &steady->levels[steady->level_count - 1];
  double *at = TS_NEW_ARRAY(arena, double, log->count);
  uint32_t count = 0;
  for (uint32_t i = l->first; i <= l->last; i++)
    if (steady->use[i] == TS_LOG_COUNTED && !isnan(log->rows[i].of[figure]))
      at[count++] = log->rows[i].of[figure];
  return ts_log_median(at, count);
}
