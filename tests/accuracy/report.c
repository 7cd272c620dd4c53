/* The result of a set of steps, from its rows: errors by group, memory, throughput between the rows
 * of a group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/factors.h"

enum { GROUPS_LISTED = 16 };

typedef double quantity(const acc_row *row);

static double seconds(const acc_row *row) { return row->predicted; }
static double held(const acc_row *row) { return row->predicted_memory; }
static double reserved(const acc_row *row) { return row->reserved_memory; }

/* NULL for `group`: all. */
static acc_points points_of(const acc_context *c, const acc_rows *rows, bool validation,
                            const char *group, quantity *of)
{
  acc_points points = {0};
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    bool time = of == seconds;
    if (!r->done || r->validation != validation || (group && strcmp(r->group, group)) ||
        (!time && !(r->memory > 0)))
      continue;
    TS_PUSH(c->arena, &points,
            (acc_point){.name = r->name,
                        .predicted = of(r),
                        .measured = time ? r->measured : r->memory,
                        .work = !time        ? 0 :
                                r->flops > 0 ? r->flops :
                                               r->work,
                        .low = time ? r->low : of == held ? r->memory_low : 0,
                        .high = time ? r->high : of == held ? r->memory_high : 0});
  }
  return points;
}

/* The groups in the order of their first rows that are predicted. */
static size_t groups_of(const acc_rows *rows, bool validation, const char **groups)
{
  size_t n = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    bool first = r->done && r->validation == validation;
    for (size_t k = 0; k < n && first; k++)
      first = strcmp(groups[k], r->group) != 0;
    if (first)
      groups[n++] = r->group;
  }
  return n;
}

/* One rate for each kind of run, where it has rows enough for one: else the rate of all. */
static void set_baselines(const acc_context *c, const acc_rows *rows, bool validation,
                          acc_points *all)
{
  enum { ENOUGH = 3 };
  double *rate = TS_NEW_ARRAY(c->arena, double, all->count + 1);
  for (size_t i = 0; i < all->count; i++)
    rate[i] = all->at[i].work / all->at[i].measured;
  double common = acc_median(c->arena, rate, all->count);
  for (size_t i = 0, k = 0; i < rows->count; i++) {
    if (!rows->at[i].done || rows->at[i].validation != validation)
      continue;
    acc_points own = points_of(c, rows, validation, rows->at[i].group, seconds);
    for (size_t n = 0; n < own.count; n++)
      rate[n] = own.at[n].work / own.at[n].measured;
    double typical = own.count >= ENOUGH ? acc_median(c->arena, rate, own.count) : common;
    all->at[k].baseline = all->at[k].work / typical;
    k++;
  }
}

/* A line for each group where there are several and not too many, and one for all. */
static acc_part *part(const acc_context *c, acc_result *result, const acc_rows *rows,
                      bool validation, const char *title, quantity *of)
{
  const char **groups = (const char **)TS_NEW_ARRAY(c->arena, char *, rows->count + 1);
  size_t n = groups_of(rows, validation, groups);
  acc_points all = points_of(c, rows, validation, NULL, of);
  if (!all.count)
    return NULL;
  acc_part *p = acc_part_new(c->arena, result, title, of == seconds ? ACC_SECONDS : ACC_BYTES);
  for (size_t i = 0; i < n && n > 1 && n <= GROUPS_LISTED && of == seconds; i++) {
    acc_points points = points_of(c, rows, validation, groups[i], of);
    acc_line_add(c->arena, p, groups[i], &points);
  }
  if (of == seconds && n > 1 && n <= GROUPS_LISTED)
    set_baselines(c, rows, validation, &all);
  acc_line_add(c->arena, p, "all", &all);
  return p;
}

/* Rank correlation within groups of three rows and more, where these are not listed. */
static void order_within_groups(const acc_context *c, acc_result *result, const acc_rows *rows,
                                const char *title)
{
  const char **groups = (const char **)TS_NEW_ARRAY(c->arena, char *, rows->count + 1);
  size_t n = groups_of(rows, true, groups), counted = 0;
  double sum = 0;
  for (size_t i = 0; i < n && n > GROUPS_LISTED; i++) {
    acc_points points = points_of(c, rows, true, groups[i], seconds);
    double order = acc_figures_of(c->arena, points.at, points.count).order;
    if (!isnan(order))
      sum += order, counted++;
  }
  if (counted)
    acc_note_add(c->arena, result, "order",
                 ts_arena_printf(c->arena, "%s: %.3f within %zu groups, on average", title,
                                 sum / (double)counted, counted));
}

/* What a case against its reference says: throughput, of which the baseline knows no difference, or
 * by how much longer it takes, as a share. */
static acc_point difference(const acc_context *c, const acc_row *one, const acc_row *other)
{
  double predicted = one->predicted / other->predicted, measured = one->measured / other->measured;
  const char *comma = strrchr(other->name, ',');
  const char *name =
    ts_arena_printf(c->arena, "%s against%s", one->name, comma ? comma + 1 : other->name);
  if (one->effect)
    return (acc_point){.name = name, .predicted = predicted - 1, .measured = measured - 1};
  return (acc_point){
    .name = name, .predicted = 1 / predicted, .measured = 1 / measured, .baseline = 1};
}

/* Each that is compared against each reference of its group. */
static void relative(const acc_context *c, acc_result *result, const acc_rows *rows)
{
  acc_points points = {0};
  bool effects = false;
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < rows->count; k++) {
      const acc_row *one = &rows->at[i], *other = &rows->at[k];
      if (one->side != ACC_COMPARED || other->side != ACC_REFERENCE || !one->done || !other->done ||
          strcmp(one->group, other->group))
        continue;
      acc_point p = difference(c, one, other);
      effects |= one->effect;
      if (one->effect)
        acc_note_add(c->arena, result, "pair",
                     ts_arena_printf(c->arena, "%s: %+.1f %%, measured %+.1f %%", p.name,
                                     100 * p.predicted, 100 * p.measured));
      TS_PUSH(c->arena, &points, p);
    }
  if (points.count)
    acc_line_add(c->arena,
                 acc_part_new(c->arena, result,
                              effects ? "effects, as shares of the time" : "relative throughput",
                              ACC_PLAIN),
                 "all", &points);
}

/* With measurements of others of their kind, and of a smaller system. */
static void factors(const acc_context *c, acc_result *result, const acc_rows *rows)
{
  size_t alone;
  acc_points points = acc_leave_one_out(c->arena, rows, &alone);
  if (!points.count)
    return;
  acc_line_add(c->arena,
               acc_part_new(c->arena, result, "one factor a kind, of its other rows", ACC_SECONDS),
               "all", &points);
  acc_note_add(c->arena, result, "kinds",
               ts_arena_printf(c->arena,
                               "a GPU, release and precision; the factor is the median of measured "
                               "over predicted of a row's others; %zu rows have no other",
                               alone));
  acc_part *part =
    acc_part_new(c->arena, result, "largest of a series from its smallest", ACC_SECONDS);
  points = acc_largest_from_smallest(c->arena, rows, false);
  acc_line_add(c->arena, part, "a submitter, GPU, benchmark, precision", &points);
  points = acc_largest_from_smallest(c->arena, rows, true);
  acc_line_add(c->arena, part, "... and release", &points);
}

static void print_rows(const acc_rows *rows)
{
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    if (r->done)
      printf("    %-58s %9.4g s  measured %9.4g  %+6.1f %%   memory %5.1f, reserved %5.1f of %5.1f GiB%s\n",
             r->name, r->predicted, r->measured, 100 * (r->predicted / r->measured - 1),
             r->predicted_memory / 0x1p30, r->reserved_memory / 0x1p30, r->memory / 0x1p30, r->validation ? "" : "  (fit)");
  }
}

/* Rows that lack something, by what. */
static void missing(const acc_context *c, acc_result *result, const acc_rows *rows)
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
      acc_note_add(c->arena, result, "not predicted",
                   ts_arena_printf(c->arena, "%zu rows: %s", same, rows->at[i].missing));
  }
}

static const char *first_line(ts_arena *arena, const char *text)
{
  return ts_arena_printf(arena, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Rows whose plan does not compile or play, by the first line of the reason; one whole. */
static void failed(const acc_context *c, acc_result *result, const acc_rows *rows)
{
  typedef struct reason {
    const char *text;
    size_t rows;
  } reason;
  TS_VEC(reason) reasons = {0};
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    size_t k = 0;
    if (r->done || r->missing)
      continue;
    const char *why = first_line(c->arena, r->why ? r->why : "no reason");
    while (k < reasons.count && strcmp(reasons.at[k].text, why))
      k++;
    if (k == reasons.count)
      TS_PUSH(c->arena, &reasons, (reason){why, 0});
    if (!reasons.at[k].rows++)
      printf("    no prediction     %s: %s\n", r->name, r->why ? r->why : "");
    else if (c->verbose)
      printf("    no prediction     %s: %s\n", r->name, why);
  }
  for (size_t k = 0; k < reasons.count; k++)
    acc_note_add(c->arena, result, "no prediction",
                 ts_arena_printf(c->arena, "%zu rows: %s", reasons.at[k].rows, reasons.at[k].text));
}

void acc_report(const acc_context *c, const acc_set *set, const acc_rows *rows)
{
  acc_result *result = acc_result_new(c->arena, c->results, set->name, set->title);
  bool fitted = false;
  result->sources = set->sources;
  result->asks = set->asks;
  for (size_t i = 0; i < rows->count; i++)
    fitted |= rows->at[i].done && !rows->at[i].validation;
  const char *title = fitted ? "rows not fitted" : "all rows";
  printf("%s: %s\n", set->name, set->title);
  if (c->verbose)
    print_rows(rows);
  acc_part *main_part = part(c, result, rows, true, title, seconds);
  if (main_part)
    main_part->drawn = true;
  order_within_groups(c, result, rows, title);
  part(c, result, rows, true, "peak memory", held);
  part(c, result, rows, true, "memory the allocator reserves", reserved);
  relative(c, result, rows);
  factors(c, result, rows);
  acc_part *fit_part = part(c, result, rows, false, "rows of the fit", seconds);
  if (fit_part)
    fit_part->drawn = !main_part;
  part(c, result, rows, false, "rows of the fit, peak memory", held);
  part(c, result, rows, false, "rows of the fit, reserved", reserved);
  if (set->fitted)
    acc_note_add(c->arena, result, "fitted", set->fitted);
  if (set->assumed)
    acc_note_add(c->arena, result, "assumed", set->assumed);
  missing(c, result, rows);
  failed(c, result, rows);
  acc_result_print(c->arena, result);
  printf("\n");
}
