/* The fits that ship against the tables they were fitted to: rows that a fit keeps are answered as
 * measured and do not count. */

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "cost/cost.h"
#include "ir/ir.h"
#include "tests/accuracy/accuracy.h"

static const char *const gemm_features[] = {"m", "n", "k"};
static const char *const attention_features[] = {"batch", "seq", "heads", "kv_heads", "head_dim"};

typedef struct acc_kernels {
  const char *family;
  const char *const *features;
  size_t feature_count;
} acc_kernels;

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
  acc_seen_add(c->arena, c->result,
               (acc_seen){.of = {.origin = TS_IR_ORIGIN_KERNELS,
                                 .basis = TS_IR_FITTED,
                                 .name = set->family,
                                 .dtype = "bf16"},
                          .group = device,
                          .predicted = answer.seconds,
                          .measured = seconds});
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
                       acc_part *part, acc_points *all)
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
    acc_note_add(c->arena, c->result, "skipped",
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
      c->arena, c->result, "left out",
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

static bool kernels(const acc_context *c, const acc_kernels *set)
{
  struct dirent **entries;
  int count =
    scandir(ts_arena_printf(c->arena, "%s/stdlib/fits", c->source), &entries, is_fit, by_name);
  acc_part *part = acc_part_new(c->arena, c->result, "rows the fits do not keep");
  acc_points all = {0};
  part->drawn = true;
  for (int i = 0; i < count; i++) {
    one_device(c, set, entries[i]->d_name, part, &all);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  acc_line_add(c->arena, part, "all", &all);
  acc_note_add(c->arena, c->result, "baseline", "the roofline of the best rates in the table");
  return true;
}

bool acc_gemm(const acc_context *c) { return kernels(c, &(acc_kernels){"gemm", gemm_features, 3}); }

bool acc_attention(const acc_context *c)
{
  return kernels(c, &(acc_kernels){"attention", attention_features, 5});
}
