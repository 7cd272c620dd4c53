#include "tests/accuracy/result.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/output.h"
#include "ir/spelling.h"

acc_part *acc_part_new(ts_arena *arena, acc_result *r, const char *title)
{
  acc_part *part = TS_NEW(arena, acc_part);
  part->title = title;
  TS_PUSH(arena, &r->parts, part);
  return part;
}

void acc_line_add(ts_arena *arena, acc_part *part, const char *name, const acc_points *points)
{
  if (points->count)
    TS_PUSH(arena, &part->lines, ((acc_line){name, *points}));
}

void acc_note_add(ts_arena *arena, acc_result *r, const char *label, const char *text)
{
  TS_PUSH(arena, &r->notes, ((acc_note){label, text}));
}

void acc_seen_add(ts_arena *arena, acc_result *r, acc_seen seen) { TS_PUSH(arena, &r->seen, seen); }

static double error_of(const acc_point *p) { return fabs(100 * (p->predicted / p->measured - 1)); }

double acc_mean_error(const acc_points *points)
{
  double mean = 0;
  for (size_t i = 0; i < points->count; i++)
    mean += error_of(&points->at[i]) / (double)points->count;
  return mean;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double acc_median_error(ts_arena *arena, const acc_points *points)
{
  size_t n = points->count;
  double *x = TS_NEW_ARRAY(arena, double, n + 1);
  for (size_t i = 0; i < n; i++)
    x[i] = error_of(&points->at[i]);
  qsort(x, n, sizeof *x, by_value);
  return !n ? NAN : n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* -- JSON -- */

static void put(ts_json_writer *w, double x) { ts_json_put_number(w, NULL, "%.17g", x); }

static void put_points(ts_json_writer *w, const acc_points *points)
{
  ts_json_begin(w, "points", '[');
  for (size_t i = 0; i < points->count; i++) {
    const acc_point *p = &points->at[i];
    ts_json_begin(w, NULL, '[');
    ts_json_put_text(w, NULL, p->name ? p->name : "");
    put(w, p->predicted);
    put(w, p->measured);
    put(w, p->work);
    put(w, p->baseline);
    put(w, p->low);
    put(w, p->high);
    ts_json_end(w, ']');
  }
  ts_json_end(w, ']');
}

static void put_part(ts_json_writer *w, const acc_part *part)
{
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "title", part->title);
  ts_json_put_bool(w, "drawn", part->drawn);
  ts_json_begin(w, "lines", '[');
  for (size_t i = 0; i < part->lines.count; i++) {
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", part->lines.at[i].name);
    put_points(w, &part->lines.at[i].points);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}

/* As std.errors names it. */
static void put_origin(ts_json_writer *w, const acc_origin *of)
{
  bool kernels = of->origin == TS_IR_ORIGIN_KERNELS;
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "of", ts_ir_origin_names[of->origin]);
  ts_json_put_text(w, "basis", kernels ? ts_ir_basis_names[of->basis] : ts_ir_net_names[of->basis]);
  if (of->name)
    ts_json_put_text(w, "name", of->name);
  if (of->dtype)
    ts_json_put_text(w, "dtype", of->dtype);
  ts_json_put_bool(w, "between", of->between);
  ts_json_put_count(w, "kib", of->least_kib);
  ts_json_end(w, '}');
}

static void put_seen(ts_json_writer *w, const acc_seen *s)
{
  ts_json_begin(w, NULL, '[');
  put_origin(w, &s->of);
  ts_json_put_text(w, NULL, s->group);
  put(w, s->predicted);
  put(w, s->measured);
  ts_json_end(w, ']');
}

static void put_result(void *closure, FILE *out)
{
  const acc_result *r = closure;
  ts_json_writer w = {.out = out};
  ts_json_begin(&w, NULL, '{');
  ts_json_begin(&w, "parts", '[');
  for (size_t i = 0; i < r->parts.count; i++)
    put_part(&w, r->parts.at[i]);
  ts_json_end(&w, ']');
  ts_json_begin(&w, "notes", '[');
  for (size_t i = 0; i < r->notes.count; i++) {
    ts_json_begin(&w, NULL, '[');
    ts_json_put_text(&w, NULL, r->notes.at[i].label);
    ts_json_put_text(&w, NULL, r->notes.at[i].text);
    ts_json_end(&w, ']');
  }
  ts_json_end(&w, ']');
  ts_json_begin(&w, "seen", '[');
  for (size_t i = 0; i < r->seen.count; i++)
    put_seen(&w, &r->seen.at[i]);
  ts_json_end(&w, ']');
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

int acc_result_write(acc_result *r, const char *path) { return ts_print_file(path, put_result, r); }
