/* What a set says about us: errors, order, memory; beside them a baseline that knows nothing but 6
 * N tokens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(ts_arena *arena, const double *x, size_t n)
{
  if (!n)
    return NAN;
  double *sorted = ts_arena_copy(arena, x, n * sizeof *x);
  qsort(sorted, n, sizeof *sorted, by_value);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double share_below(const double *x, size_t n, double limit)
{
  size_t below = 0;
  for (size_t i = 0; i < n; i++)
    below += x[i] <= limit;
  return n ? 100.0 * (double)below / (double)n : NAN;
}

static double mean(const double *x, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i];
  return n ? sum / (double)n : NAN;
}

static void ranks(const double *x, size_t n, double *rank)
{
  for (size_t i = 0; i < n; i++) {
    double below = 0, equal = 0;
    for (size_t k = 0; k < n; k++) {
      below += x[k] < x[i];
      equal += x[k] == x[i];
    }
    rank[i] = below + (equal + 1) / 2;
  }
}

/* Spearman's rank correlation. */
static double correlation(ts_arena *arena, const double *x, const double *y, size_t n)
{
  double *a = TS_NEW_ARRAY(arena, double, n + 1), *b = TS_NEW_ARRAY(arena, double, n + 1), ab = 0,
         aa = 0, bb = 0;
  ranks(x, n, a);
  ranks(y, n, b);
  double middle = ((double)n + 1) / 2;
  for (size_t i = 0; i < n; i++) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

typedef struct sample {
  size_t count;
  double *error, *predicted, *measured, *baseline, *memory, *reserved;
  size_t memory_count;
  const acc_row **row;
} sample;

static sample take(ts_arena *arena, const acc_rows *rows, bool validation, const char *group)
{
  sample s = {0};
  double **arrays[] = {&s.error, &s.predicted, &s.measured, &s.baseline, &s.memory, &s.reserved};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = TS_NEW_ARRAY(arena, double, rows->count + 1);
  s.row = (const acc_row **)TS_NEW_ARRAY(arena, acc_row *, rows->count + 1);
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    if (!r->done || r->validation != validation || (group && strcmp(r->group, group)))
      continue;
    s.row[s.count] = r;
    s.predicted[s.count] = r->predicted;
    s.measured[s.count] = r->measured;
    s.baseline[s.count] = 100 * fabs(r->baseline / r->measured - 1);
    s.error[s.count++] = 100 * fabs(r->predicted / r->measured - 1);
    if (!isfinite(r->memory) || !(r->memory > 0))
      continue;
    s.reserved[s.memory_count] = 100 * fabs(r->reserved_memory / r->memory - 1);
    s.memory[s.memory_count++] = 100 * fabs(r->predicted_memory / r->memory - 1);
  }
  return s;
}

/* The rate at which 6 N tokens / devices comes nearest to the measured rows: the median of the
 * rates. */
static void set_baseline(ts_arena *arena, const acc_rows *rows)
{
  double *rate = TS_NEW_ARRAY(arena, double, rows->count + 1);
  size_t n = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->at[i].done)
      rate[n++] = rows->at[i].work / rows->at[i].measured;
  double typical = median(arena, rate, n);
  for (size_t i = 0; i < rows->count; i++)
    rows->at[i].baseline = rows->at[i].work / typical;
}

/* Mean over groups of at least three rows. */
static double order_within_groups(ts_arena *arena, const acc_rows *rows, bool validation,
                                  size_t *groups)
{
  double sum = 0;
  *groups = 0;
  for (size_t i = 0; i < rows->count; i++) {
    bool first = true;
    for (size_t k = 0; k < i; k++)
      first &= strcmp(rows->at[k].group, rows->at[i].group) != 0;
    if (!first)
      continue;
    sample s = take(arena, rows, validation, rows->at[i].group);
    double r = s.count >= 3 ? correlation(arena, s.predicted, s.measured, s.count) : NAN;
    if (isfinite(r)) {
      sum += r;
      ++*groups;
    }
  }
  return *groups ? sum / (double)*groups : NAN;
}

static void part(const acc_context *c, const acc_rows *rows, bool validation, const char *title)
{
  sample s = take(c->arena, rows, validation, NULL);
  size_t worst = 0, groups;
  if (!s.count)
    return;
  for (size_t i = 1; i < s.count; i++)
    if (s.error[i] > s.error[worst])
      worst = i;
  printf("  %-28s %4zu rows   mean %5.2f %%   median %5.2f %%   worst %6.2f %%\n", title, s.count,
         mean(s.error, s.count), median(c->arena, s.error, s.count), s.error[worst]);
  printf("    within 5/10/20 %%          %3.0f %3.0f %3.0f %%", share_below(s.error, s.count, 5),
         share_below(s.error, s.count, 10), share_below(s.error, s.count, 20));
  if (s.count >= 3)
    printf("   rank correlation %.3f", correlation(c->arena, s.predicted, s.measured, s.count));
  double within = order_within_groups(c->arena, rows, validation, &groups);
  if (groups > 1)
    printf(", within groups %.3f", within);
  printf("\n    worst row                 %s: %.4g s, measured %.4g s\n", s.row[worst]->name,
         s.predicted[worst], s.measured[worst]);
  printf("    baseline, 6 N tokens      mean %5.2f %%   median %5.2f %%\n",
         mean(s.baseline, s.count), median(c->arena, s.baseline, s.count));
  if (!s.memory_count)
    return;
  printf("    peak memory               %4zu rows   mean %5.2f %%   median %5.2f %%   within 10 "
         "%%: %3.0f %%\n",
         s.memory_count, mean(s.memory, s.memory_count), median(c->arena, s.memory, s.memory_count),
         share_below(s.memory, s.memory_count, 10));
  printf("    as the allocator reserves             mean %5.2f %%   median %5.2f %%   within 10 "
         "%%: %3.0f %%\n",
         mean(s.reserved, s.memory_count), median(c->arena, s.reserved, s.memory_count),
         share_below(s.reserved, s.memory_count, 10));
}

/* Throughput against the references of the same group: predicted against measured; the baseline
 * knows no difference. */
static void relative(const acc_context *c, const acc_rows *rows)
{
  double *error = TS_NEW_ARRAY(c->arena, double, rows->count * rows->count + 1),
         *baseline = TS_NEW_ARRAY(c->arena, double, rows->count * rows->count + 1);
  const char *worst = "";
  double most = -1;
  size_t n = 0;
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < rows->count; k++) {
      const acc_row *one = &rows->at[i], *other = &rows->at[k];
      if (one->side != ACC_COMPARED || other->side != ACC_REFERENCE || !one->done || !other->done ||
          strcmp(one->group, other->group))
        continue;
      double measured = other->measured / one->measured,
             predicted = other->predicted / one->predicted;
      error[n] = 100 * fabs(predicted / measured - 1);
      baseline[n] = 100 * fabs(1 / measured - 1);
      const char *name = ts_arena_printf(c->arena, "%s against %s: %.3f, measured %.3f", one->name,
                                         strrchr(other->name, ' ') + 1, predicted, measured);
      if (c->verbose)
        printf("  %s\n", name);
      if (error[n] > most) {
        most = error[n];
        worst = name;
      }
      n++;
    }
  if (!n)
    return;
  printf("  relative throughput          %4zu pairs  mean %5.2f %%   median %5.2f %%   worst %6.2f "
         "%%\n    worst pair                %s\n",
         n, mean(error, n), median(c->arena, error, n), most, worst);
  printf("    baseline, no difference   mean %5.2f %%   median %5.2f %%\n", mean(baseline, n),
         median(c->arena, baseline, n));
}

/* -- sets by group -- */

typedef struct group_figures {
  size_t count;
  double *error, *predicted, *measured, *predicted_rate, *measured_rate, *baseline, bias;
  const acc_row *worst;
} group_figures;

/* Rows of a group (all: NULL). The baseline is one rate of the model's FLOPs for all of them, the
 * median of the measured ones: fitted to the very rows that it is compared on. */
static group_figures figures(ts_arena *arena, const acc_rows *rows, bool validation,
                             const char *group)
{
  group_figures g = {0};
  double **arrays[] = {&g.error,          &g.predicted,     &g.measured,
                       &g.predicted_rate, &g.measured_rate, &g.baseline};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = TS_NEW_ARRAY(arena, double, rows->count + 1);
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    if (!r->done || r->validation != validation || (group && strcmp(r->group, group)))
      continue;
    size_t n = g.count++;
    g.predicted[n] = r->predicted;
    g.measured[n] = r->measured;
    g.predicted_rate[n] = r->flops / r->predicted;
    g.measured_rate[n] = r->flops / r->measured;
    g.error[n] = 100 * fabs(r->predicted / r->measured - 1);
    g.bias += 100 * (r->predicted / r->measured - 1);
    if (!g.worst || fabs(r->predicted / r->measured - 1) >
                      fabs(g.worst->predicted / g.worst->measured - 1))
      g.worst = r;
  }
  double rate = median(arena, g.measured_rate, g.count);
  for (size_t n = 0; n < g.count; n++)
    g.baseline[n] = 100 * fabs(g.measured_rate[n] / rate - 1);
  g.bias /= g.count ? (double)g.count : 1;
  return g;
}

static void print_group(ts_arena *arena, const char *title, const group_figures *g)
{
  printf("  %-26s %4zu  %6.1f %6.1f %6.1f  %+6.1f   %3.0f %3.0f %3.0f", title, g->count,
         mean(g->error, g->count), median(arena, g->error, g->count),
         g->worst ? 100 * (g->worst->predicted / g->worst->measured - 1) : NAN, g->bias,
         share_below(g->error, g->count, 5), share_below(g->error, g->count, 10),
         share_below(g->error, g->count, 20));
  if (g->count >= 3)
    printf("   %6.3f %6.3f", correlation(arena, g->predicted, g->measured, g->count),
           correlation(arena, g->predicted_rate, g->measured_rate, g->count));
  else
    printf("   %6s %6s", "-", "-");
  printf("   %6.1f\n", mean(g->baseline, g->count));
}

static void by_group(const acc_context *c, const acc_rows *rows, bool validation,
                     const char *title)
{
  group_figures all = figures(c->arena, rows, validation, NULL);
  if (!all.count)
    return;
  printf("  %-26s rows    mean median  worst    bias   5/10/20 %%    order  FLOP/s   one MFU\n",
         title);
  for (size_t i = 0; i < rows->count; i++) {
    bool first = !rows->at[i].missing;
    for (size_t k = 0; k < i; k++)
      first &= rows->at[k].missing || strcmp(rows->at[k].group, rows->at[i].group);
    group_figures g = {0};
    if (first)
      g = figures(c->arena, rows, validation, rows->at[i].group);
    if (g.count)
      print_group(c->arena, rows->at[i].group, &g);
  }
  print_group(c->arena, "all", &all);
  if (all.worst)
    printf("    worst row                 %s: %.4g s, measured %.4g s\n", all.worst->name,
           all.worst->predicted, all.worst->measured);
}

/* Rows that lack something, by what. */
static void missing(const acc_rows *rows)
{
  for (size_t i = 0; i < rows->count; i++) {
    size_t same = 0;
    bool first = rows->at[i].missing != NULL;
    for (size_t k = 0; k < rows->count && first; k++)
      if (rows->at[k].missing && !strcmp(rows->at[k].missing, rows->at[i].missing)) {
        first = k >= i;
        same++;
      }
    if (first)
      printf("    not predicted             %zu rows: %s\n", same, rows->at[i].missing);
  }
}

void acc_report(const acc_context *c, const acc_set *set, const acc_rows *rows)
{
  size_t failed = 0, fitted = 0;
  set_baseline(c->arena, rows);
  printf("%s: %s\n", set->name, set->title);
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    failed += !r->done && !r->missing;
    fitted += r->done && !r->validation;
    if (c->verbose && r->done)
      printf("    %-58s %9.4g s  measured %9.4g  %+6.1f %%   memory %5.1f of %5.1f GiB%s\n",
             r->name, r->predicted, r->measured, 100 * (r->predicted / r->measured - 1),
             r->predicted_memory / 1073741824.0, r->memory / 1073741824.0,
             r->validation ? "" : "  (fit)");
  }
  if (set->by_group) {
    by_group(c, rows, true, fitted ? "rows not fitted, errors in %" : "errors in %");
    by_group(c, rows, false, "rows of the fits");
    printf("    order, FLOP/s             rank correlations of time and of FLOP/s a device\n"
           "    one MFU                   mean error of one rate for the line, fitted to its rows\n");
  } else if (fitted) {
    part(c, rows, true, "rows not fitted");
    part(c, rows, false, "rows of the fit");
  } else {
    part(c, rows, true, "all rows");
  }
  relative(c, rows);
  if (set->fitted)
    printf("    fitted                    %s\n", set->fitted);
  if (set->target)
    printf("    asked for                 %s\n", set->target);
  missing(rows);
  if (failed) {
    printf("    no prediction             %zu rows\n", failed);
    for (size_t i = 0, reported = 0; i < rows->count && reported < (c->verbose ? rows->count : 1);
         i++)
      if (!rows->at[i].done && !rows->at[i].missing) {
        printf("      %s: %s\n", rows->at[i].name, rows->at[i].why ? rows->at[i].why : "");
        reported++;
      }
  }
  printf("\n");
}
