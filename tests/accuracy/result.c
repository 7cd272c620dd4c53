#include "tests/accuracy/result.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

acc_result *acc_result_new(ts_arena *arena, acc_results *all, const char *name, const char *title)
{
  acc_result *r = TS_NEW(arena, acc_result);
  r->name = name;
  r->title = title;
  TS_PUSH(arena, all, r);
  return r;
}

acc_part *acc_part_new(ts_arena *arena, acc_result *r, const char *title, acc_unit unit)
{
  acc_part *part = TS_NEW(arena, acc_part);
  part->title = title;
  part->unit = unit;
  TS_PUSH(arena, &r->parts, part);
  return part;
}

void acc_line_add(ts_arena *arena, acc_part *part, const char *name, const acc_points *points)
{
  if (points->count)
    TS_PUSH(arena, &part->lines,
            (acc_line){name, points->at, acc_figures_of(arena, points->at, points->count)});
}

void acc_note_add(ts_arena *arena, acc_result *r, const char *label, const char *text)
{
  TS_PUSH(arena, &r->notes, (acc_note){label, text});
}

/* -- what is asked -- */

static const char *const names[] = {
  [ACC_MEAN] = "mean",
  [ACC_MEDIAN] = "median",
  [ACC_WORST] = "worst",
  [ACC_ORDER] = "rank correlation",
  [ACC_RATE_ORDER] = "rank correlation of FLOP/s",
  [ACC_WITHIN_FIVE] = "within 5 %",
  [ACC_WITHIN_THIRD] = "within a third",
  [ACC_SAME_SIGN] = "sign right",
};

static double value_of(const acc_figures *f, acc_figure kind)
{
  switch (kind) {
  case ACC_MEAN: return f->mean;
  case ACC_MEDIAN: return f->median;
  case ACC_WORST: return fabs(f->worst);
  case ACC_ORDER: return f->order;
  case ACC_RATE_ORDER: return f->rate_order;
  case ACC_WITHIN_FIVE: return f->within[0];
  case ACC_WITHIN_THIRD: return f->within_third;
  case ACC_SAME_SIGN: return f->same_sign;
  }
  return NAN;
}

static void mark(ts_arena *arena, const acc_ask *a, const acc_part *part, const acc_line *line,
                 acc_marks *to)
{
  double value = value_of(&line->figures, a->figure);
  bool order = a->figure == ACC_ORDER || a->figure == ACC_RATE_ORDER,
       share = a->figure >= ACC_WITHIN_FIVE;
  if (isnan(value))
    return;
  TS_PUSH(
    arena, to,
    (acc_mark){.ask = a,
               .part = part,
               .line = line,
               .missed = order || share ? value < a->limit : value > a->limit,
               .asked = order ? ts_arena_printf(arena, "%s %g", names[a->figure], a->limit) :
                        share ? ts_arena_printf(arena, "%s: %.3g %% of the rows", names[a->figure],
                                                a->limit) :
                                ts_arena_printf(arena, "%s %g %%", names[a->figure], a->limit),
               .came = order ? ts_arena_printf(arena, "%.3f", value) :
                               ts_arena_printf(arena, share ? "%.0f %%" : "%.2f %%", value)});
}

static bool is_asked(const acc_ask *a, const acc_part *part, const acc_line *line)
{
  if (!strcmp(line->name, "all") && part->lines.count > 1)
    return !strcmp(a->line, "all");
  return !fnmatch(a->line, line->name, 0);
}

acc_marks acc_marks_of(ts_arena *arena, const acc_result *r)
{
  acc_marks marks = {0};
  for (const acc_ask *a = r->asks; a && a->part; a++)
    for (size_t p = 0; p < r->parts.count; p++)
      for (size_t l = 0; l < r->parts.at[p]->lines.count; l++) {
        const acc_line *line = &r->parts.at[p]->lines.at[l];
        if (!fnmatch(a->part, r->parts.at[p]->title, 0) && is_asked(a, r->parts.at[p], line))
          mark(arena, a, r->parts.at[p], line, &marks);
      }
  return marks;
}

/* -- print -- */

static void print_number(int digits, int width, double x)
{
  if (isnan(x))
    printf(" %*s", width, "-");
  else
    printf(" %*.*f", width, digits, x);
}

static void print_line(const acc_line *line, bool intervals)
{
  const acc_figures *f = &line->figures;
  printf("  %-42s %5zu  %6.2f %6.2f %7.1f  %+6.1f   %3.0f %3.0f %3.0f  ", line->name, f->rows,
         f->mean, f->median, f->worst, f->bias, f->within[0], f->within[1], f->within[2]);
  print_number(3, 6, f->order);
  print_number(3, 6, f->rate_order);
  printf("  ");
  print_number(1, 8, f->baseline);
  if (intervals) {
    printf("    ");
    print_number(0, 3, f->held);
    print_number(0, 4, f->width);
  }
  printf("\n");
}

static void print_worst(const acc_part *part)
{
  const acc_line *line = &part->lines.at[0];
  for (size_t i = 1; i < part->lines.count; i++)
    if (fabs(part->lines.at[i].figures.worst) > fabs(line->figures.worst))
      line = &part->lines.at[i];
  const acc_point *p = &line->points[line->figures.worst_row];
  double unit = part->unit == ACC_BYTES ? 0x1p30 : 1;
  if (p->name)
    printf("    worst row         %s: %.4g%s, measured %.4g\n", p->name, p->predicted / unit,
           part->unit == ACC_SECONDS ? " s" :
           part->unit == ACC_BYTES   ? " GiB" :
                                       "",
           p->measured / unit);
}

static void print_part(const acc_part *part)
{
  bool intervals = false;
  if (!part->lines.count)
    return;
  for (size_t i = 0; i < part->lines.count; i++)
    intervals |= !isnan(part->lines.at[i].figures.held);
  printf(
    "  %-42s  rows    mean median   worst    bias   5/10/20 %%     order FLOP/s   baseline%s\n",
    part->title, intervals ? "   held wide" : "");
  for (size_t i = 0; i < part->lines.count; i++)
    print_line(&part->lines.at[i], intervals);
  print_worst(part);
}

static void print_marks(ts_arena *arena, const acc_result *r)
{
  acc_marks marks = acc_marks_of(arena, r);
  for (size_t i = 0; i < marks.count; i++) {
    const acc_mark *m = &marks.at[i];
    printf("    asked for         %s, %s: %s; %s%s\n", m->part->title, m->line->name, m->asked,
           m->came, m->missed ? ", MISSED" : "");
  }
  for (const acc_ask *a = r->asks; a && a->part; a++)
    for (size_t i = 0; i < marks.count; i++)
      if (marks.at[i].ask == a && marks.at[i].missed) {
        printf("    missed            %s: %s\n", names[a->figure],
               a->found ? a->found : "the reason was not found");
        break;
      }
}

void acc_result_print(ts_arena *arena, const acc_result *r)
{
  for (size_t i = 0; i < r->parts.count; i++)
    print_part(r->parts.at[i]);
  for (size_t i = 0; i < r->notes.count; i++)
    printf("    %-17s %s\n", r->notes.at[i].label, r->notes.at[i].text);
  print_marks(arena, r);
}
