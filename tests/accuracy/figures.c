#include "tests/accuracy/figures.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double acc_median(ts_arena *arena, const double *x, size_t n)
{
  if (!n)
    return NAN;
  double *sorted = ts_arena_copy(arena, x, n * sizeof *x);
  qsort(sorted, n, sizeof *sorted, by_value);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

typedef struct ranked {
  double value;
  size_t index;
} ranked;

static int by_rank(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

/* Equal values share the mean of their ranks. */
static double *ranks(ts_arena *arena, const double *x, size_t n)
{
  double *rank = TS_NEW_ARRAY(arena, double, n);
  ranked *sorted = TS_NEW_ARRAY(arena, ranked, n);
  for (size_t i = 0; i < n; i++)
    sorted[i] = (ranked){x[i], i};
  qsort(sorted, n, sizeof *sorted, by_rank);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && sorted[end].value == sorted[i].value;)
      end++;
    for (size_t k = i; k < end; k++)
      rank[sorted[k].index] = (double)(i + end + 1) / 2;
  }
  return rank;
}

double acc_rank_correlation(ts_arena *arena, const double *x, const double *y, size_t n)
{
  if (n < 3)
    return NAN;
  const double *a = ranks(arena, x, n), *b = ranks(arena, y, n), middle = ((double)n + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; i++) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

static double error_of(double predicted, double measured)
{
  return 100 * (predicted / measured - 1);
}

static double share_of(size_t rows, size_t n) { return 100.0 * (double)rows / (double)n; }

static void add_errors(ts_arena *arena, const acc_point *p, size_t n, acc_figures *f)
{
  static const double limits[] = {5, 10, 20};
  double *error = TS_NEW_ARRAY(arena, double, n);
  size_t within[3] = {0}, third = 0, same = 0;
  f->worst = 0;
  for (size_t i = 0; i < n; i++) {
    double e = error_of(p[i].predicted, p[i].measured);
    error[i] = fabs(e);
    f->mean += fabs(e) / (double)n;
    f->bias += e / (double)n;
    if (fabs(e) > fabs(f->worst))
      f->worst = e, f->worst_row = i;
    for (int k = 0; k < 3; k++)
      within[k] += fabs(e) <= limits[k];
    third += fabs(e) <= 100.0 / 3;
    same += p[i].predicted * p[i].measured > 0;
  }
  for (int k = 0; k < 3; k++)
    f->within[k] = share_of(within[k], n);
  f->within_third = share_of(third, n);
  f->same_sign = share_of(same, n);
  f->median = acc_median(arena, error, n);
}

/* The baseline knows the work, and one rate: the median of the measured ones, fitted to the very
 * rows that it is compared on. */
static void add_rates(ts_arena *arena, const acc_point *p, size_t n, acc_figures *f)
{
  double *predicted = TS_NEW_ARRAY(arena, double, n), *measured = TS_NEW_ARRAY(arena, double, n);
  bool worked = true, stated = true;
  for (size_t i = 0; i < n; i++) {
    worked &= p[i].work > 0;
    stated &= p[i].baseline != 0;
    predicted[i] = p[i].work / p[i].predicted;
    measured[i] = p[i].work / p[i].measured;
  }
  if (worked)
    f->rate_order = acc_rank_correlation(arena, predicted, measured, n);
  if (!stated && (!worked || n < 2))
    return;
  double rate = stated ? 0 : acc_median(arena, measured, n);
  f->baseline = 0;
  for (size_t i = 0; i < n; i++)
    f->baseline +=
      fabs(error_of(stated ? p[i].baseline : p[i].work / rate, p[i].measured)) / (double)n;
}

static void add_intervals(ts_arena *arena, const acc_point *p, size_t n, acc_figures *f)
{
  double *width = TS_NEW_ARRAY(arena, double, n), held = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(p[i].high > p[i].low))
      return;
    width[i] = 100 * (p[i].high - p[i].low) / p[i].predicted;
    held += p[i].low <= p[i].measured && p[i].measured <= p[i].high;
  }
  f->held = 100 * held / (double)n;
  f->width = acc_median(arena, width, n);
}

acc_figures acc_figures_of(ts_arena *arena, const acc_point *points, size_t count)
{
  acc_figures f = {
    .rows = count, .order = NAN, .rate_order = NAN, .baseline = NAN, .held = NAN, .width = NAN};
  double *predicted = TS_NEW_ARRAY(arena, double, count + 1),
         *measured = TS_NEW_ARRAY(arena, double, count + 1);
  if (!count)
    return f;
  for (size_t i = 0; i < count; i++) {
    predicted[i] = points[i].predicted;
    measured[i] = points[i].measured;
  }
  f.order = acc_rank_correlation(arena, predicted, measured, count);
  add_errors(arena, points, count, &f);
  add_rates(arena, points, count, &f);
  add_intervals(arena, points, count, &f);
  return f;
}
