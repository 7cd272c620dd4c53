#include "tests/accuracy/kernels.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"

static const char *const gemm_features[] = {"m", "n", "k"};
static const char *const attention_features[] = {"batch", "seq", "heads", "kv_heads", "head_dim"};

const acc_kernels acc_kernel_sets[] = {
  {"gemm", "matrix products, bf16: the fits that ship against all rows they do not keep", "gemm",
   "mean 5 % on each GPU", gemm_features, 3},
  {"attention", "attention forward, bf16: the same", "attention", "mean 5 %", attention_features,
   5},
};
const size_t acc_kernel_set_count = sizeof acc_kernel_sets / sizeof *acc_kernel_sets;

typedef struct errors {
  double *at;
  size_t count;
  double worst, sum;
  char worst_row[160];
  size_t kept, unanswered;
  double *baseline;
  double flops_rate, bytes_rate;
} errors;

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* FLOPs and bytes of a row as the stdlib's ops state them. */
static void work(const acc_kernels *set, const ts_feature *f, double *flops, double *bytes)
{
  if (!strcmp(set->family, "gemm")) {
    *flops = 2 * f[0].value * f[1].value * f[2].value;
    *bytes = 2 * (f[0].value * f[2].value + f[1].value * f[2].value + f[0].value * f[1].value);
  } else {
    double tokens = f[0].value * f[1].value;
    *flops = 2 * tokens * f[1].value * f[2].value * f[4].value;
    *bytes = 2 * tokens * f[4].value * (2 * f[2].value + 2 * f[3].value);
  }
}

static bool read_row(const acc_kernels *set, const csv *t, size_t i, ts_feature *f, double *seconds)
{
  bool good = csv_is(t, i, "dtype", "bfloat16") &&
              (csv_is(t, i, "kv_dtype", "bfloat16") || csv_is(t, i, "kv_dtype", ""));
  for (size_t k = 0; good && k < set->feature_count; k++) {
    f[k] = (ts_feature){set->features[k], csv_number(t, i, set->features[k])};
    good = isfinite(f[k].value);
  }
  *seconds = csv_number(t, i, "time_us") * 1e-6;
  return good && *seconds > 0;
}

/* The naive baseline: work over the best rates seen in the table. */
static void best_rates(const acc_kernels *set, const csv *t, errors *e)
{
  ts_feature f[8];
  double seconds, flops, bytes;
  for (size_t i = 0; i < t->rows; i++)
    if (read_row(set, t, i, f, &seconds)) {
      work(set, f, &flops, &bytes);
      e->flops_rate = fmax(e->flops_rate, flops / seconds);
      e->bytes_rate = fmax(e->bytes_rate, flops > 100 * bytes ? 0 : bytes / seconds);
    }
}

static void compare(const acc_kernels *set, const ts_cost_source *fit, const csv *t, size_t i,
                    errors *e)
{
  ts_feature f[8];
  double seconds;
  ts_cost_query q = {.family = set->family,
                     .dtype = "bf16",
                     .feature = f,
                     .feature_count = (uint32_t)set->feature_count};
  ts_cost_answer answer;
  if (!read_row(set, t, i, f, &seconds))
    return;
  work(set, f, &q.flops, &q.bytes);
  if (!ts_cost_ask(fit, &q, &answer)) {
    e->unanswered++;
    return;
  }
  if (answer.basis == TS_COST_MEASURED) {
    e->kept++;
    return;
  }
  double error = fabs(answer.seconds / seconds - 1);
  if (error > e->worst) {
    int used = 0;
    e->worst = error;
    for (size_t k = 0; k < set->feature_count; k++)
      used += snprintf(e->worst_row + used, sizeof e->worst_row - (size_t)used, "%s%s %.0f",
                       k ? " " : "", f[k].name, f[k].value);
  }
  e->baseline[e->count] =
    fabs(fmax(q.flops / e->flops_rate, q.bytes / e->bytes_rate) / seconds - 1);
  e->at[e->count++] = error;
  e->sum += error;
}

static double below(const errors *e, double limit)
{
  size_t n = 0;
  for (size_t i = 0; i < e->count; i++)
    n += e->at[i] <= limit;
  return 100.0 * (double)n / (double)e->count;
}

static void print(const char *device, errors *e)
{
  double baseline = 0;
  for (size_t i = 0; i < e->count; i++)
    baseline += e->baseline[i];
  qsort(e->at, e->count, sizeof *e->at, by_value);
  printf("  %-12s %6zu rows   mean %5.2f %%   median %5.2f %%   worst %6.1f %%   within 5/10/20 %% "
         "%3.0f %3.0f %3.0f %%   roofline %5.1f %%\n",
         device, e->count, 100 * e->sum / (double)e->count, 100 * e->at[e->count / 2],
         100 * e->worst, below(e, 0.05), below(e, 0.1), below(e, 0.2),
         100 * baseline / (double)e->count);
  printf("    worst row    %s; %zu rows are kept in the fit\n", e->worst_row, e->kept);
  if (e->unanswered)
    printf("    no answer    %zu rows\n", e->unanswered);
}

static void one_device(const acc_context *c, const acc_kernels *set, const char *file)
{
  ts_arena *arena = ts_arena_new("kernels");
  const char *device = ts_arena_string(arena, file, strlen(file) - strlen(".fit.json"));
  const csv *table =
    csv_read(arena, ts_arena_printf(arena, "%s/ops/%s_%s.csv.gz", c->data, set->family, device));
  size_t size = 0;
  int error = 0;
  char *text = ts_read_file(arena, ts_arena_printf(arena, "%s/stdlib/fits/%s", c->source, file),
                            &size, &error);
  ts_error bad = {0};
  const ts_cost_source *fit = table && text ? ts_cost_fit(arena, text, size, &bad) : NULL;
  if (table && !fit)
    printf("  %-12s %s\n", device, bad.message[0] ? bad.message : "cannot be read");
  if (fit) {
    errors e = {.at = TS_NEW_ARRAY(arena, double, table->rows + 1),
                .baseline = TS_NEW_ARRAY(arena, double, table->rows + 1)};
    best_rates(set, table, &e);
    for (size_t i = 0; i < table->rows; i++)
      compare(set, fit, table, i, &e);
    if (e.count)
      print(device, &e);
  }
  ts_arena_free(arena);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_fit(const struct dirent *entry)
{
  const char *end = strstr(entry->d_name, ".fit.json");
  return end && !end[strlen(".fit.json")];
}

void acc_kernels_report(const acc_context *c, const acc_kernels *set)
{
  struct dirent **entries;
  int count =
    scandir(ts_arena_printf(c->arena, "%s/stdlib/fits", c->source), &entries, is_fit, by_name);
  printf("%s: %s\n", set->name, set->title);
  for (int i = 0; i < count; i++) {
    one_device(c, set, entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  printf("    asked for    %s\n\n", set->target);
}
