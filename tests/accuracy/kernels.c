#include "tests/accuracy/kernels.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "tests/accuracy/coverage.h"

static const char *const gemm_features[] = {"m", "n", "k"};
static const char *const attention_features[] = {"batch", "seq", "heads", "kv_heads", "head_dim"};

/* How rough a table is by itself: each product against the line between the next smaller and the
 * next larger k of its m and n, in the same table, where a fit has a tenth of the rows. */
static const acc_ask product_asks[] = {
  {"*", "b200_sxm", ACC_MEAN, 5,
   "the table is rough: a line between the neighbours in k is 4.0 % off (n of 32 and 64: 5.6 %), "
   "with all rows known; two libraries differ by 5.3 %"},
  {"*", "b300_sxm", ACC_MEAN, 5,
   "the table is rough: a line between the neighbours in k is 4.3 % off (n of 32 and 64: 6.6 %), "
   "with all rows known; no second library was measured on it"},
  {"*", "gb200", ACC_MEAN, 5,
   "the table is rough: a line between the neighbours in k is 4.3 % off (n of 32 and 64: 6.2 %), "
   "with all rows known; two libraries differ by 7.8 %, by 4.9 % after what is smooth"},
  {"*", "h100_sxm", ACC_MEAN, 5,
   "the table is rough: a line between the neighbours in k is 3.8 % off (beyond 300 us: 4.9 %), "
   "with all rows known; two libraries differ by 4.4 %"},
  {"*", "l40s", ACC_MEAN, 5,
   "the table is rougher than what is asked: a line between the neighbours in k is 6.9 % off, with "
   "all rows known (9.4 % from 30 to 300 us)"},
  {"*", "a100_sxm", ACC_MEAN, 5, NULL},
  {"*", "h200_sxm", ACC_MEAN, 5, NULL},
  {"*", "gb300", ACC_MEAN, 5, NULL},
  {0},
};
static const acc_ask attention_asks[] = {{"*", "*", ACC_MEAN, 5, NULL}, {0}};
static const char tables[] =
  "NVIDIA AIConfigurator (github.com/ai-dynamo/aiconfigurator): the tables that the fits name";

const acc_kernels acc_kernel_sets[] = {
  {"gemm", "matrix products, bf16: the fits that ship against all rows they do not keep", "gemm",
   tables, product_asks, gemm_features, 3},
  {"attention", "attention forward, bf16: the same", "attention", tables, attention_asks,
   attention_features, 5},
};
const size_t acc_kernel_set_count = sizeof acc_kernel_sets / sizeof *acc_kernel_sets;

typedef struct tally {
  acc_points points;
  size_t kept, unanswered;
  double flops_rate, bytes_rate;
} tally;

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
  bool good = csv_is(t, i, "dtype", "bfloat16") && !csv_is(t, i, "causal", "0") &&
              (csv_is(t, i, "kv_dtype", "bfloat16") || csv_is(t, i, "kv_dtype", ""));
  for (size_t k = 0; good && k < set->feature_count; k++) {
    f[k] = (ts_feature){set->features[k], csv_number(t, i, set->features[k])};
    good = isfinite(f[k].value);
  }
  *seconds = csv_number(t, i, "time_us") * 1e-6;
  return good && *seconds > 0;
}

/* The naive baseline: work over the best rates seen in the table. */
static void best_rates(const acc_kernels *set, const csv *t, tally *e)
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

static const char *name_of(const acc_context *c, const acc_kernels *set, const ts_feature *f)
{
  char name[160];
  int used = 0;
  for (size_t k = 0; k < set->feature_count; k++)
    used += snprintf(name + used, sizeof name - (size_t)used, "%s%s %.0f", k ? " " : "", f[k].name,
                     f[k].value);
  return ts_arena_printf(c->arena, "%s", name);
}

static void compare(const acc_context *c, const acc_kernels *set, const ts_cost_source *fit,
                    const csv *t, size_t i, const char *device, tally *e)
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
  acc_cover_figure(
    c, set->name,
    &(acc_origin){
      .origin = TS_IR_ORIGIN_KERNELS, .basis = TS_IR_FITTED, .name = set->family, .dtype = "bf16"},
    device, answer.seconds, seconds);
  TS_PUSH(c->arena, &e->points,
          (acc_point){.name = name_of(c, set, f),
                      .predicted = answer.seconds,
                      .measured = seconds,
                      .work = q.flops,
                      .baseline = fmax(q.flops / e->flops_rate, q.bytes / e->bytes_rate)});
}

/* The table that a fit says it was made of, or NULL: it has no such kernels. */
static const char *table_of(ts_arena *arena, const acc_kernels *set, const char *fit)
{
  const char *model =
               ts_arena_printf(arena, "\"family\": \"%s\", \"dtype\": \"bf16\"", set->family),
             *file = ts_arena_printf(arena, "\"file\": \"%s_", set->family),
             *at = strstr(fit, model) ? strstr(fit, file) : NULL;
  if (!at)
    return NULL;
  at += strlen("\"file\": \"");
  return ts_arena_string(arena, at, strcspn(at, "\""));
}

static void one_device(const acc_context *c, const acc_kernels *set, const char *file,
                       acc_result *result, acc_part *part, acc_points *all)
{
  ts_arena *arena = ts_arena_new("kernels");
  const char *device = ts_arena_string(c->arena, file, strlen(file) - strlen(".fit.json"));
  size_t size = 0;
  int error = 0;
  char *text = ts_read_file(arena, ts_arena_printf(arena, "%s/stdlib/fits/%s", c->source, file),
                            &size, &error);
  const char *name = text ? table_of(arena, set, text) : NULL;
  const csv *table =
    name ? csv_read(arena, ts_arena_printf(arena, "%s/ops/%s", c->data, name)) : NULL;
  ts_error bad = {0};
  const ts_cost_source *fit = table ? ts_cost_fit(arena, text, size, &bad) : NULL;
  if (name && !table)
    acc_note_add(c->arena, result, "skipped",
                 ts_arena_printf(c->arena, "there is no ops/%s", name));
  if (table && !fit)
    printf("  %-12s %s\n", device, bad.message[0] ? bad.message : "cannot be read");
  if (fit) {
    tally e = {0};
    best_rates(set, table, &e);
    for (size_t i = 0; i < table->rows; i++)
      compare(c, set, fit, table, i, device, &e);
    for (size_t i = 0; i < e.points.count; i++)
      TS_PUSH(c->arena, all, e.points.at[i]);
    acc_line_add(c->arena, part, device, &e.points);
    acc_note_add(
      c->arena, result, "left out",
      ts_arena_printf(
        c->arena, "%s: %zu rows that the fit keeps%s", device, e.kept,
        e.unanswered ? ts_arena_printf(c->arena, ", %zu without an answer", e.unanswered) : ""));
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
  acc_result *result = acc_result_new(c->arena, c->results, set->name, set->title);
  acc_part *part = acc_part_new(c->arena, result, "rows the fits do not keep", ACC_SECONDS);
  result->sources = set->sources;
  result->asks = set->asks;
  acc_points all = {0};
  part->drawn = true;
  printf("%s: %s\n", set->name, set->title);
  for (int i = 0; i < count; i++) {
    one_device(c, set, entries[i]->d_name, result, part, &all);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  acc_line_add(c->arena, part, "all", &all);
  acc_note_add(c->arena, result, "baseline", "the roofline of the best rates in the table");
  acc_result_print(c->arena, result);
  printf("\n");
}
