#include "compiler/machine/network_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/order.h"
#include "compiler/eval/files.h"
#include "compiler/eval/report.h"
#include "compiler/machine/network_file.h"
#include "cost/cost.h"
#include "ir/spelling.h"

/* As tables write them: `all_to_all`, `alltoall`. */
static bool network_table_same_name(const char *a, const char *b)
{
  for (;; a++, b++) {
    while (*a == '_')
      a++;
    while (*b == '_')
      b++;
    if (*a != *b || !*a)
      return *a == *b;
  }
}

const char *ts_collective_name(uint32_t kind) { return ts_ir_collective_names[kind]; }

int ts_collective_named(const char *name)
{
  for (int k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (network_table_same_name(ts_ir_collective_names[k], name))
      return k;
  return -1;
}

/* -- CSV -- */

enum { COLLECTIVE, RANKS, ISLANDS, BYTES, TIME, OTHER };
enum { MAX_COLUMNS = 32 };

typedef struct network_table_reader {
  ts_arena *arena;
  ts_csv csv;
  ts_error *error;
  const char *device;
  uint32_t column[MAX_COLUMNS]; /* what each column is */
  const char *wanted[MAX_COLUMNS]; /* rows must have this text there; NULL: any */
  uint32_t columns;
  const ts_network_options *options;
  uint32_t found;      /* conditions whose column is there */
  double unit;         /* seconds */
  ts_network_table passed; /* counts of it */
  TS_VEC(ts_ir_net_point) points;
} network_table_reader;

static bool bad(network_table_reader *r, const char *text)
{
  r->error->line = r->csv.line ? r->csv.line : 1;
  return ts_fail(r->error, NULL, "%s", text);
}

static void header_name(network_table_reader *r, const char *name)
{
  static const struct { const char *name; uint32_t what; double unit;
  } names[] = {{"collective", COLLECTIVE, 0}, {"operation", COLLECTIVE, 0}, {"ranks", RANKS, 0},
               {"gpus", RANKS, 0},            {"islands", ISLANDS, 0},      {"nodes", ISLANDS, 0},
               {"bytes", BYTES, 0},           {"time_us", TIME, 1e-6},      {"time_ms", TIME, 1e-3},
               {"seconds", TIME, 1}};
  uint32_t what = OTHER;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i].name)) {
      what = names[i].what;
      if (what == TIME)
        r->unit = names[i].unit;
    }
  for (uint32_t i = 0; r->options && i < r->options->where_count; i++)
    if (!strcmp(name, r->options->where[i].column)) {
      r->wanted[r->columns] = r->options->where[i].text;
      r->found |= UINT32_C(1) << i;
    }
  r->column[r->columns++] = what;
}

static bool header(network_table_reader *r, const ts_csv_cell *cell, size_t count)
{
  uint32_t seen = 0;
  if (count > MAX_COLUMNS)
    return bad(r, "more than 32 columns");
  for (size_t c = 0; c < count; c++)
    header_name(r, ts_csv_string(r->arena, cell[c]));
  for (uint32_t i = 0; i < r->columns; i++)
    seen |= 1u << r->column[i];
  if (r->options && r->options->collective >= 0)
    seen |= 1u << COLLECTIVE;
  if ((seen | 1u << ISLANDS | 1u << OTHER) != 0x3f)
    return bad(r, "the first line must name the columns collective, ranks, bytes and time_us (or "
                  "time_ms, seconds), and islands if there are several");
  for (uint32_t i = 0; r->options && i < r->options->where_count; i++)
    if (!(r->found >> i & 1))
      return bad(r, ts_arena_printf(r->arena, "there is no column `%s`, which `where` names",
                                    r->options->where[i].column));
  return true;
}

static bool value(network_table_reader *r, uint32_t what, const char *text, ts_ir_net_point *p)
{
  char *end;
  if (what == COLLECTIVE) {
    int kind = ts_collective_named(text);
    p->collective = (uint32_t)kind;
    return kind >= 0 || bad(r, ts_arena_printf(r->arena, "`%s` is not a collective", text));
  }
  double x = strtod(text, &end);
  if (end == text || *end || !isfinite(x) || x < 0 || (what != TIME && x != floor(x)) ||
      (what != TIME && what != BYTES && (x < 1 || x > 1e7)) ||
      (what == BYTES && x > (double)TS_IR_BYTES_MOST))
    return bad(r, ts_arena_printf(r->arena, "`%s` is not a value of this column", text));
  if (what == RANKS)
    p->ranks = (uint32_t)x;
  else if (what == ISLANDS)
    p->islands = (uint32_t)x;
  else if (what == BYTES)
    p->bytes = (uint64_t)x;
  else if (x * r->unit > 1e5)
    return bad(r, "a collective of more than a day");
  else
    p->time = (uint64_t)llround(x * r->unit * 1e12);
  return true;
}

bool ts_network_measures(const ts_ir_net_point *row, uint32_t line, ts_network_table *t)
{
  if (row->bytes && row->time)
    return true;
  if (!t->passed_over++)
    t->first_passed = line;
  return false;
}

const char *ts_network_passed_over(ts_arena *arena, const ts_network_table *t)
{
  bool one = t->passed_over == 1;
  return t->passed_over ?
           ts_arena_printf(
             arena, "%u row%s of 0 bytes or 0 us, which measure%s nothing, %s passed over",
             t->passed_over, one ? "" : "s", one ? "s" : "", one ? "is" : "are") :
           NULL;
}

static bool network_table_row(network_table_reader *r, const ts_csv_cell *cell, size_t count)
{
  ts_ir_net_point p = {.islands = 1};
  if (r->options && r->options->collective >= 0)
    p.collective = (uint32_t)r->options->collective;
  if (count != r->columns)
    return bad(r, count > r->columns ? "more fields than columns" : "fewer fields than columns");
  for (size_t c = 0; c < count; c++)
    if (r->wanted[c] && !ts_csv_is(cell[c], r->wanted[c]))
      return true;
  for (size_t c = 0; c < count; c++)
    if (r->column[c] != OTHER && !value(r, r->column[c], ts_csv_string(r->arena, cell[c]), &p))
      return false;
  if (p.islands > p.ranks)
    return bad(r, "more islands than ranks");
  if (ts_network_measures(&p, r->csv.line, &r->passed))
    TS_PUSH(r->arena, &r->points, p);
  return true;
}

static int network_table_by_key(const void *left, const void *right)
{
  const ts_ir_net_point *a = left, *b = right;
  int by = ts_by_number(a->collective, b->collective);
  by = by ? by : ts_by_number(a->ranks, b->ranks);
  by = by ? by : ts_by_number(a->islands, b->islands);
  by = by ? by : ts_by_number(a->bytes, b->bytes);
  by = by ? by : ts_by_number(a->time, b->time);
  return by;
}

/* Repeated measurements become their median. */
static uint32_t merge(ts_ir_net_point *p, uint32_t count)
{
  uint32_t distinct = 0;
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i + 1; k < count && p[k].collective == p[i].collective && p[k].ranks == p[i].ranks &&
                    p[k].islands == p[i].islands && p[k].bytes == p[i].bytes;)
      k++;
    p[distinct++] = p[i + (k - i - 1) / 2];
  }
  return distinct;
}

void ts_network_sort_points(ts_ir_net_point *points, uint32_t count)
{
  if (count)
    qsort(points, count, sizeof *points, network_table_by_key);
}

const ts_network_table *ts_network_table_of_points(ts_arena *arena, ts_ir_net_point *points,
                                                   uint32_t count)
{
  ts_network_table *t = TS_NEW(arena, ts_network_table);
  ts_network_sort_points(points, count);
  *t = (ts_network_table){.name = "", .device = "", .count = merge(points, count), .points = points};
  return t;
}

/* A comment line; `# device: NAME` says on which the table was measured. */
static void take_comment(network_table_reader *r)
{
  static const char word[] = "# device:";
  const char *at = r->csv.text + r->csv.begin, *end = r->csv.text + r->csv.end;
  if ((size_t)(end - at) < sizeof word - 1 || memcmp(at, word, sizeof word - 1) != 0)
    return;
  for (at += sizeof word - 1; at < end && (*at == ' ' || *at == '\t');)
    at++;
  r->device = ts_arena_string(r->arena, at, (size_t)(end - at));
}

static bool rows(network_table_reader *r)
{
  ts_csv_cell cell[MAX_COLUMNS];
  size_t count;
  for (ts_csv_kind kind; (kind = ts_csv_next(&r->csv, cell, MAX_COLUMNS, &count)) != TS_CSV_END;)
    if (kind == TS_CSV_COMMENT)
      take_comment(r);
    else if (r->csv.wrong ? !bad(r, r->csv.wrong) :
             r->columns   ? !network_table_row(r, cell, count) :
                            !header(r, cell, count))
      return false;
  return r->points.count || bad(r, r->passed.passed_over ? "all rows are of 0 bytes or 0 us" :
                                   r->options && r->options->where_count ?
                                                           "no row matches `where`" :
                                                           "no rows");
}

const ts_network_table *ts_network_table_read(ts_arena *arena, const char *text, size_t size,
                                              const ts_network_options *options, ts_error *error)
{
  network_table_reader r = {
    .arena = arena,
    .csv = {.arena = arena, .text = text, .size = size, .comment = '#', .trim = true},
    .error = error,
    .device = "",
    .options = options};
  *error = (ts_error){0};
  if (!rows(&r))
    return NULL;
  ts_network_table *t = TS_NEW(arena, ts_network_table);
  if (options && options->repeats)
    *t = (ts_network_table){.count = (uint32_t)r.points.count, .points = r.points.at};
  else
    *t = *ts_network_table_of_points(arena, r.points.at, (uint32_t)r.points.count);
  t->name = "";
  t->device = r.device;
  t->passed_over = r.passed.passed_over;
  t->first_passed = r.passed.first_passed;
  return t;
}

/* -- Lists of the language: a record for each point -- */

static bool number_in(const ts_record *record, const char *name, double min, double max,
                      double *out)
{
  const ts_value *v = ts_record_find(record, name);
  if (!v)
    return *out >= min;
  bool whole = v->type == TS_T_INT;
  *out = whole ? (double)v->u.integer : v->type == TS_T_QUANTITY ? v->u.real : NAN;
  return *out >= min && *out <= max;
}

static const char *point_of(const ts_value *row, ts_ir_net_point *p)
{
  if (row->type != TS_T_RECORD)
    return "it is no record";
  const ts_record *r = row->u.record;
  const ts_value *time = ts_record_find(r, "time"), *bytes = ts_record_find(r, "bytes");
  double ranks = 0, islands = 1, bits = 0, seconds = 0;
  int kind = ts_collective_named(ts_record_text(r, "collective"));
  if (kind < 0)
    return "`collective` is not the name of one";
  if (!number_in(r, "ranks", 1, 1e7, &ranks) || !number_in(r, "islands", 1, ranks, &islands))
    return "`ranks` is a whole number from 1, `islands` one up to it";
  if (!bytes || !ts_dimension_equal(bytes->dimension, TS_DIM_SIZE) ||
      !number_in(r, "bytes", 8, 8e18, &bits))
    return "`bytes` is a size of a byte or more";
  if (!time || !ts_dimension_equal(time->dimension, TS_DIM_TIME) ||
      !number_in(r, "time", 1e-12, 1e5, &seconds))
    return "`time` is a time above 0 and below a day";
  *p = (ts_ir_net_point){.collective = (uint32_t)kind,
                         .ranks = (uint32_t)ranks,
                         .islands = (uint32_t)islands,
                         .bytes = (uint64_t)(bits / 8),
                         .time = (uint64_t)llround(seconds * 1e12)};
  return NULL;
}

static const ts_network_table *table_of_list(ts_session *s, const ts_value *source)
{
  uint32_t count = (uint32_t)ts_sequence_count(*source);
  ts_ir_net_point *points = TS_NEW_ARRAY(s->arena, ts_ir_net_point, count + 1);
  const char *wrong = NULL;
  uint32_t row = 0;
  for (; row < count && !wrong; row += !wrong) {
    ts_value v = ts_sequence_at(*source, row);
    wrong = point_of(&v, &points[row]);
  }
  if (!wrong && count)
    return ts_network_table_of_points(s->arena, points, count);
  ts_diag *d = ts_report(s, TS_E0505, source->span, "rows of `measured` that are no points");
  if (count)
    ts_diag_here(d, "row %u: %s", row + 1, wrong);
  else
    ts_diag_here(d, "there are none");
  ts_diag_help(d, "a row is a record: { collective: \"all_reduce\", ranks: 8, islands: 1, "
                  "bytes: 1 MiB, time: 40 us }");
  return NULL;
}

const ts_network_table *ts_network_table_of(ts_session *s, const ts_value *source,
                                            const ts_network_options *options)
{
  if (source && source->type == TS_T_LIST && !options->where_count)
    return table_of_list(s, source);
  const ts_applied *a =
    source && source->type == TS_T_APPLIED && !source->u.applied->decl ? source->u.applied : NULL;
  const ts_value *file = a && !strcmp(a->name, "table")        ? ts_record_find(&a->args, "file") :
                         source && source->type == TS_T_STRING ? source :
                                                                 NULL;
  size_t size = 0, text_size = 0;
  ts_found found;
  ts_error error;
  if (!file || file->type != TS_T_STRING) {
    ts_diag *d =
      ts_report(s, TS_E0505, source ? source->span : TS_NO_SPAN, "`measured` needs a table");
    ts_diag_here(d, "such as `table \"nccl.csv\"`");
    return NULL;
  }
  char *bytes =
    ts_session_read(s, file->span.file, file->u.string, "table", file->span, &size, &found);
  if (!bytes)
    return NULL;
  const char *text = ts_cost_text(s->arena, bytes, size, &text_size, &error);
  const ts_network_table *t =
    text ? ts_network_table_read(s->arena, text, text_size, options, &error) : NULL;
  if (!t) {
    ts_diag *d = ts_report(s, TS_E0502, file->span, "table `%s` cannot be used for collectives",
                           file->u.string);
    ts_diag_here(d, "%s", ts_error_words(s->arena, &error));
    return NULL;
  }
  ts_network_table *named = TS_NEW(s->arena, ts_network_table);
  *named = *t;
  named->name = ts_session_written(file->u.string);
  if (t->passed_over)
    ts_diag_here(ts_report(s, TS_W0538, file->span, "%s", ts_network_passed_over(s->arena, t)),
                 "the first is line %u of `%s`", t->first_passed, file->u.string);
  return named;
}
