/* trainspec fit ops: fits the kernels of a device to tables of measured times. A part of the rows is kept in the fit; the others only show how
 * good it is. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/escape.h"
#include "base/options.h"
#include "base/source.h"
#include "calibrate/operators.h"
#include "tools/cli/programs.h"

enum { MAX_TABLES = 32, LEAST_ROWS = 8, MOST_KEPT = 4000 };
enum { DEVICE = 1, SHEETS, UNITS, KEEP, FAMILY, DTYPE, TREES, ALSO, MODEL, OUTPUT };

static const ts_option option_list[] = {
  {DEVICE, 0, "device", "NAME", "what was measured, for reports; of the second form: a row of SHEETS", "Devices"},
  {SHEETS, 0, "devices", "SHEETS", "CSV: device,tflops,terabytes_per_s,watts,units,gigahertz (peak of the type in the tables; watts may be empty)", NULL},
  {UNITS, 0, "units", "N", "processors of the device that work in parallel (sms of its `gpu`)", NULL},
  {KEEP, 0, "keep", "SHARE", "share of the rows kept in the fit; the others validate it (0.1)", "Rows"},
  {FAMILY, 0, "family", "NAME", "only kernels of this family, which is that of tables that do not say; all that have a model otherwise", NULL},
  {DTYPE, 0, "dtype", "NAME", "only kernels of this type, likewise", NULL},
  {MODEL, 0, "model", "NAME", "physical model for them: gemm, attention, attention_apart, stream; that of the family's name otherwise", "Fit"},
  {TREES, 0, "trees", NULL, "of the second form: boosted trees (XGBoost's library is needed) for kernels that compute, where they predict devices left out better than the Gaussian process", NULL},
  {ALSO, 0, "also", "NAME", "another type that runs at the same rate, answered alike", NULL},
  {OUTPUT, 'o', NULL, "FILE", "the fit file", NULL},
  {0},
};
static const char *const usage[] = {"TABLE... --device NAME --units N [OPTION]... -o FILE", "DEVICE=TABLE... --devices SHEETS --device NAME [OPTION]... -o FILE", NULL};
static const char *const notes[] = {
  "Fits physical models of kernels to tables of measured times (doc/costs.md) and",
  "writes a fit file. The first table that has a kind of kernel is the one that is",
  "predicted; further tables of it, of the same device but measured otherwise, only",
  "help.",
  "",
  "The second form fits devices together, by shares of their data sheets, and writes",
  "what is expected of the device NAME, which nobody need have measured; each device",
  "is also left out once and predicted from the others.",
  "",
  "Examples:",
  "$ gemms.csv --device mine --units 132 -o mine.fit.json",
  "",
  "Exit codes: 0 done, 1 a table cannot be used, or too few rows, 2 wrong usage, 4 files",
  "or system.",
  NULL};
static const ts_program program = {
  .summary = "TrainSpec: fits the kernels of a device to tables of measured times.", .usage = usage, .options = option_list, .notes = notes, .manual = "trainspec(1)"};

typedef struct options {
  const char *table[MAX_TABLES], *device, *family, *dtype, *also, *model, *out, *devices;
  uint32_t table_count;
  double keep, units;
  bool trees;
} options;

/* Errors of rows; also of those that take less than 30 us, up to 300, and longer, since launches, caches and rates are missed differently. */
enum { RANGES = 3 };
typedef struct score { uint32_t rows, within[3], outside, of[RANGES]; double mean, median, worst, mean_of[RANGES]; const double *worst_row; } score;
static const double within[3] = {0.05, 0.1, 0.2}, bounds[RANGES + 1] = {0, 30, 300, INFINITY};
static const char *const range_name[RANGES] = {"below 30 us", "30 to 300 us", "above 300 us"};

typedef struct trained {
  ts_fit_model model;
  double noise, left_out, *weight;
  score fit, physical, roofline;
} trained;

typedef struct data_file {
  const char *name;
  char sha256[2 * TS_DIGEST_SIZE + 1];
  const ts_table *table;
  uint32_t rows, kept;
} data_file;

typedef struct job {
  const options *o;
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  TS_VEC(trained) models;
  TS_VEC(data_file) files;
} job;

static bool positive(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return *text && *end == 0 && *value > 0 && isfinite(*value);
}

static bool take_number(const ts_options *line, double most, double *value)
{
  if (positive(line->argument, value) && *value <= most)
    return true;
  if (isinf(most))
    ts_options_wrong(line, "`%s` takes a number above 0, not `%s`", line->spelled, line->argument);
  else
    ts_options_wrong(line, "`%s` takes a share, above 0 and at most %g, not `%s`", line->spelled, most, line->argument);
  return false;
}

/* False after telling a mistake. */
static bool take(options *o, const ts_options *line, int id)
{
  const char **text[] = {[DEVICE] = &o->device, [SHEETS] = &o->devices, [FAMILY] = &o->family, [DTYPE] = &o->dtype, [ALSO] = &o->also, [MODEL] = &o->model, [OUTPUT] = &o->out};
  switch (id) {
  case UNITS: return take_number(line, INFINITY, &o->units);
  case KEEP: return take_number(line, 1, &o->keep);
  case TREES: return o->trees = true;
  case TS_OPERAND:
    if (o->table_count == MAX_TABLES)
      return ts_options_wrong(line, "more than %d tables: `%s`", MAX_TABLES, line->argument), false;
    o->table[o->table_count++] = line->argument;
    return true;
  default: *text[id] = line->argument; return true;
  }
}

/* False when main is to return line->status. */
static bool parse(ts_options *line, options *o)
{
  *o = (options){.keep = 0.1};
  for (int id; (id = ts_options_next(line)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT)
      return false;
    line->status = TS_EXIT_USAGE;
    if (!take(o, line, id))
      return false;
  }
  const char *wrong = !o->table_count ? "no table given" :
                      !o->device || !(o->units || o->devices) || !o->out ? "`--device`, `--units` (or `--devices`) and `-o` are needed" :
                      !strcmp(o->out, "-") ? "`-o` takes a file: standard output has the figures" :
                      o->trees && !o->devices ? "`--trees` goes with `--devices`" : NULL;
  for (uint32_t i = 0; o->devices && i < o->table_count && !wrong; i++)
    wrong = strchr(o->table[i], '=') ? NULL : "with `--devices` tables are DEVICE=TABLE";
  line->status = TS_EXIT_USAGE;
  if (wrong)
    ts_options_wrong(line, "%s", wrong);
  else if (o->model && !ts_kernel_model_find(o->model))
    ts_options_wrong(line, "there is no model `%s`", o->model);
  else
    line->status = TS_EXIT_DONE;
  return line->status == TS_EXIT_DONE;
}

/* FNV-1a of the features, mixed: rows are kept by their shape alone, never by their time: the same
 * ones of every device, others of a second table. */
static uint64_t hash_row(const double *feature, uint32_t width, uint32_t table)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325) + table;
  for (uint32_t f = 0; f < width; f++) {
    uint64_t v = (uint64_t)(feature[f] * 1024);
    for (int b = 0; b < 8; b++) h = (h ^ (v >> 8 * b & 255)) * UINT64_C(0x100000001b3);
  }
  h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
  return h ^ h >> 31;
}

typedef struct order { uint64_t hash; uint32_t row; } order;

static int compare_hash(const void *x, const void *y)
{
  const order *a = x, *b = y;
  return a->hash != b->hash ? (a->hash > b->hash) - (a->hash < b->hash) : (a->row > b->row) - (a->row < b->row);
}

static int compare_doubles(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

typedef struct sorted { double cell[1 + TS_MODEL_MAX_FEATURES], us; } sorted; /* table and features */

static int compare_sorted(const void *x, const void *y)
{
  const sorted *a = x, *b = y;
  int c = 0;
  for (size_t i = 0; !c && i < sizeof a->cell / sizeof *a->cell; i++) c = compare_doubles(&a->cell[i], &b->cell[i]);
  return c ? c : compare_doubles(&a->us, &b->us);
}

/* Growing rows of a model. */
typedef struct row_list { TS_VEC(double) feature, us, table; } row_list;

static void add_row(ts_arena *arena, row_list *list, const double *feature, uint32_t width, double us, uint32_t table)
{
  for (uint32_t f = 0; f < width; f++) TS_PUSH(arena, &list->feature, feature[f]);
  TS_PUSH(arena, &list->us, us);
  TS_PUSH(arena, &list->table, table);
}

/* Adds the rows of a group to those that are kept or to the rest. */
static void divide(job *j, const ts_table_group *g, const ts_kernel_model *model, uint32_t table, row_list *kept, row_list *rest)
{
  uint32_t width = model->feature_count, count = 0;
  double value[TS_MODEL_MAX_FEATURES];
  order *by_hash = TS_NEW_ARRAY(j->arena, order, g->count);
  bool *keep = TS_NEW_ARRAY(j->arena, bool, g->count);
  for (uint32_t i = 0; i < g->count; i++)
    if (ts_fit_row_features(g, i, model, value))
      by_hash[count++] = (order){hash_row(value, width, table), i};
  qsort(by_hash, count, sizeof *by_hash, compare_hash);
  uint32_t wanted = (uint32_t)(j->o->keep * count + 0.5);
  for (uint32_t i = 0; i < wanted && i < MOST_KEPT; i++) keep[by_hash[i].row] = true;
  for (uint32_t i = 0; i < g->count; i++)
    if (ts_fit_row_features(g, i, model, value))
      add_row(j->arena, keep[i] ? kept : rest, value, width, 1e6 * g->seconds[i], table);
}

/* In order of the table, then of the features, as a fit file has them: groups of a table are in the order of its columns. */
static void sort_rows(ts_arena *arena, row_list *list, uint32_t width)
{
  sorted *rows = TS_NEW_ARRAY(arena, sorted, list->us.count);
  for (size_t i = 0; i < list->us.count; i++) {
    rows[i] = (sorted){.cell = {list->table.at[i]}, .us = list->us.at[i]};
    memcpy(rows[i].cell + 1, list->feature.at + i * width, width * sizeof *rows->cell);
  }
  qsort(rows, list->us.count, sizeof *rows, compare_sorted);
  for (size_t i = 0; i < list->us.count; i++) {
    list->table.at[i] = rows[i].cell[0];
    list->us.at[i] = rows[i].us;
    memcpy(list->feature.at + i * width, rows[i].cell + 1, width * sizeof *rows->cell);
  }
}

static ts_fit_rows rows_of(const row_list *list)
{
  ts_fit_rows rows = {(uint32_t)list->us.count, 0, list->feature.at, list->us.at, list->table.at};
  for (uint32_t i = 0; i < rows.count; i++) rows.own += rows.table[i] == 0;
  return rows;
}

/* What a model is compared by. */
typedef struct predictor { const ts_fit_model *m; double rate, bandwidth; enum { FIT, PHYSICAL, ROOFLINE } kind; } predictor;

static double predict(const predictor *p, const double *feature)
{
  double flops, bytes;
  if (p->kind == FIT)
    return ts_fit_evaluate(p->m, feature);
  if (p->kind == PHYSICAL)
    return p->m->model->time(p->m->parameter, feature).us;
  p->m->model->work(feature, &flops, &bytes);
  return fmax(p->rate > 0 ? flops / p->rate : 0, bytes / p->bandwidth);
}

static score judge(ts_arena *arena, const predictor *p, const ts_fit_rows *rows)
{
  score s = {.rows = rows->count};
  double *error = TS_NEW_ARRAY(arena, double, rows->count);
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *feature = rows->feature + (size_t)i * p->m->model->feature_count;
    error[i] = fabs(predict(p, feature) / rows->us[i] - 1);
    s.mean += error[i] / rows->count;
    if (error[i] > s.worst)
      s.worst = error[i], s.worst_row = feature;
    for (int w = 0; w < 3; w++) s.within[w] += error[i] < within[w];
    for (int r = 0; r < RANGES; r++)
      if (rows->us[i] >= bounds[r] && rows->us[i] < bounds[r + 1])
        s.mean_of[r] += (error[i] - s.mean_of[r]) / ++s.of[r];
    s.outside += ts_fit_outside(p->m, feature, NULL) > 1;
  }
  qsort(error, rows->count, sizeof *error, compare_doubles);
  s.median = rows->count ? error[rows->count / 2] : 0;
  return s;
}

/* The best rates seen in any kept row: a roofline of what was reached. */
static predictor roofline_of(const ts_fit_model *m, const ts_fit_rows *kept)
{
  predictor p = {.m = m, .kind = ROOFLINE};
  for (uint32_t i = 0; i < kept->count; i++) {
    double flops, bytes;
    m->model->work(kept->feature + (size_t)i * m->model->feature_count, &flops, &bytes);
    p.rate = fmax(p.rate, flops / kept->us[i]);
    p.bandwidth = fmax(p.bandwidth, bytes / kept->us[i]);
  }
  return p;
}

/* Digits as they will stand in the file, so that what is judged is what will be read. */
static double rounded(double value, int digits)
{
  char text[32];
  snprintf(text, sizeof text, "%.*g", digits, value);
  return strtod(text, NULL);
}

static void round_model(trained *t)
{
  ts_fit_model *m = &t->model;
  for (uint32_t i = 0; i < m->model->parameter_count; i++) m->parameter[i] = rounded(m->parameter[i], 6);
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    m->kernel[c].deviation = rounded(m->kernel[c].deviation, 6);
    for (uint32_t d = 0; d < m->input_count; d++) m->kernel[c].scale[d] = rounded(m->kernel[c].scale[d], 6);
  }
  for (uint32_t i = 0; i < m->row_count; i++) t->weight[i] = rounded(t->weight[i], 7);
}

static void print_score(const char *what, const score *s)
{
  ts_put_text(stdout, "  %-14s mean %6.2f %%  median %6.2f %%  worst %6.1f %%  within 5/10/20 %%: %3.0f %3.0f %3.0f %%\n", what, 100 * s->mean, 100 * s->median,
    100 * s->worst, 100.0 * s->within[0] / s->rows, 100.0 * s->within[1] / s->rows, 100.0 * s->within[2] / s->rows);
}

/* Before training, which takes a while. */
static void print_rows(const ts_table_group *g, const char *dtype, const ts_fit_rows *kept, uint32_t rest)
{
  ts_put_text(stdout, "%s %s: %u rows kept", g->family, dtype, kept->own);
  if (kept->own < kept->count)
    printf(" and %u of other tables", kept->count - kept->own);
  printf(", %u to compare with\n", rest);
  fflush(stdout);
}

static void print_model(const trained *t)
{
  const ts_fit_model *m = &t->model;
  if (!isnan(t->left_out))
    printf("  cross-validated: each kept row from all others, mean %.2f %%\n", 100 * t->left_out);
  if (!t->fit.rows)
    return;
  print_score("fit", &t->fit);
  print_score("physical alone", &t->physical);
  print_score("roofline", &t->roofline);
  printf("  fit, by time: ");
  for (int r = 0, n = 0; r < RANGES; r++)
    if (t->fit.of[r])
      ts_put_text(stdout, "%s%s mean %.2f %% (%u)", n++ ? ", " : "", range_name[r], 100 * t->fit.mean_of[r], t->fit.of[r]);
  printf("\n");
  if (t->fit.outside)
    printf("  %u of these rows lie beyond the kept ones: extrapolated\n", t->fit.outside);
  printf("  worst row:");
  for (uint32_t f = 0; f < m->model->feature_count; f++) ts_put_text(stdout, " %s %.10g", m->model->feature[f], t->fit.worst_row[f]);
  printf("\n");
  fflush(stdout);
}

static bool same_kind(const ts_table_group *a, const ts_table_group *b)
{
  return strcmp(a->family, b->family) == 0 && strcmp(a->dtype ? a->dtype : "", b->dtype ? b->dtype : "") == 0;
}

static bool in_earlier_table(const job *j, size_t table, const ts_table_group *g)
{
  for (size_t t = 0; t < table; t++)
    for (uint32_t i = 0; i < j->files.at[t].table->group_count; i++)
      if (same_kind(&j->files.at[t].table->group[i], g))
        return true;
  return false;
}

/* Rows of a kind in this table and the later ones. */
static void collect(job *j, size_t first, const ts_table_group *kind, const ts_kernel_model *model, row_list *kept, row_list *rest)
{
  row_list ignored = {0};
  uint32_t number = 0;
  for (size_t t = first; t < j->files.count; t++) {
    data_file *file = &j->files.at[t];
    size_t before = kept->us.count, before_rest = rest->us.count + ignored.us.count;
    for (uint32_t i = 0; i < file->table->group_count; i++)
      if (same_kind(&file->table->group[i], kind))
        divide(j, &file->table->group[i], model, number, kept, number ? &ignored : rest);
    uint32_t added = (uint32_t)(kept->us.count - before);
    file->kept += added;
    file->rows += added + (uint32_t)(rest->us.count + ignored.us.count - before_rest);
    number += added > 0;
  }
}

static bool wanted(const job *j, const ts_table_group *g, const char *dtype)
{
  return (!j->o->family || strcmp(j->o->family, g->family) == 0) && (!j->o->dtype || !dtype || strcmp(ts_dtype_canonical(j->o->dtype), dtype) == 0);
}

static void not_fitted(const ts_table_group *g, const char *dtype, const char *why)
{
  ts_put_text(stdout, "%s %s: not fitted: %s\n", g->family, dtype ? dtype : "of no type", why);
}

static bool fit_group(job *j, size_t table, const ts_table_group *g)
{
  const char *dtype = g->dtype;
  const ts_kernel_model *model = j->o->model ? ts_kernel_model_find(j->o->model) : ts_fit_model_for(g, "stream");
  if (!wanted(j, g, dtype) || in_earlier_table(j, table, g))
    return true;
  if (!model || !dtype)
    return not_fitted(g, dtype, model ? "its rows have no type (--dtype)" : "no model is known for it (--model)"), true;
  row_list kept_list = {0}, rest_list = {0};
  collect(j, table, g, model, &kept_list, &rest_list);
  sort_rows(j->arena, &kept_list, model->feature_count);
  ts_fit_rows kept = rows_of(&kept_list), rest = rows_of(&rest_list);
  if (kept.own < LEAST_ROWS)
    return not_fitted(g, dtype, ts_arena_printf(j->arena, "%u rows, of which %u are kept; %d are needed (--keep)", kept.own + rest.count, kept.own, LEAST_ROWS)), true;
  print_rows(g, dtype, &kept, rest.count);
  trained t = {.model = {.family = g->family, .dtype = dtype, .also = j->o->also, .model = model, .parameter = {[TS_PARAMETER_UNITS] = j->o->units}}};
  t.weight = TS_NEW_ARRAY(j->arena, double, kept.count);
  if (!ts_fit_train(j->arena, &t.model, &kept, &t.noise, t.weight, &t.left_out))
    return false;
  round_model(&t);
  ts_fit_prepare(j->arena, &t.model, t.weight);
  predictor roofline = roofline_of(&t.model, &kept);
  t.fit = judge(j->arena, &(predictor){.m = &t.model, .kind = FIT}, &rest);
  t.physical = judge(j->arena, &(predictor){.m = &t.model, .kind = PHYSICAL}, &rest);
  t.roofline = judge(j->arena, &roofline, &rest);
  print_model(&t);
  TS_PUSH(j->arena, &j->models, t);
  return true;
}

/* Both return false: what is wrong is in the queue. */
static bool cannot_read(job *j, const char *path, int error)
{
  ts_diag_add(j->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
  return false;
}

static bool refuse(job *j, const char *why, const char *help)
{
  ts_diag *d = ts_diag_add(j->diags, TS_E0502, TS_NO_SPAN, "%s", why);
  if (help)
    ts_diag_help(d, "%s", help);
  return false;
}

static bool refuse_line(job *j, const char *path, uint32_t line, const char *why) { return refuse(j, ts_arena_printf(j->arena, "%s:%u: %s", path, line, why), NULL); }

static bool bad_table(job *j, const char *path, const char *text, size_t size, const ts_cost_error *why)
{
  if (!text || !why->line)
    return refuse(j, ts_arena_printf(j->arena, "table `%s` cannot be used: %s", path, why->text), why->help);
  ts_span at = {ts_sources_add(j->sources, path, "table", text, size), (uint32_t)why->begin, (uint32_t)why->end};
  ts_diag *d = ts_diag_add(j->diags, TS_E0502, at, "table `%s` cannot be used", path);
  ts_diag_here(d, "%s", why->text);
  if (why->help)
    ts_diag_help(d, "%s", why->help);
  return false;
}

static bool read_table(job *j, const char *path)
{
  size_t size;
  int error;
  char *bytes = ts_read_file(j->arena, path, &size, &error);
  if (!bytes)
    return cannot_read(j, path, error);
  ts_cost_error why = {0};
  size_t text_size = 0;
  ts_table_options stated = {j->o->family, j->o->dtype ? ts_dtype_canonical(j->o->dtype) : NULL}; /* where the table does not say */
  const char *text = ts_cost_text(j->arena, bytes, size, &text_size, &why);
  data_file file = {.name = ts_base_name(path)};
  file.table = text ? ts_table_read(j->arena, text, text_size, &stated, &why) : NULL;
  if (!file.table)
    return bad_table(j, path, text, text_size, &why);
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(bytes, size, digest);
  ts_digest_hex(digest, file.sha256);
  TS_PUSH(j->arena, &j->files, file);
  return true;
}

static bool fit_tables(job *j)
{
  for (size_t t = 0; t < j->files.count; t++)
    for (uint32_t i = 0; i < j->files.at[t].table->group_count; i++) {
      const ts_table_group *g = &j->files.at[t].table->group[i];
      if (!fit_group(j, t, g))
        return refuse(j, ts_arena_printf(j->arena, "%s: the rows of `%s` cannot be fitted", j->files.at[t].name, g->family), NULL);
    }
  if (j->models.count)
    return true;
  return refuse(j, ts_arena_printf(j->arena, "nothing to fit: no table has %d rows to keep of a family with a model%s", LEAST_ROWS,
    j->o->family || j->o->dtype ? " and of what `--family` and `--dtype` say" : ""), "keep more of them with `--keep`, or name the model with `--model`");
}

/* -- several devices -- */

typedef struct sheets { uint32_t count; ts_op_device at[MAX_TABLES]; } sheets;

/* Cells of a line, cut in place. */
static uint32_t cells_of(char *line, char **cell, uint32_t room)
{
  uint32_t n = 0;
  for (; line && n < room; n++) {
    cell[n] = line;
    if ((line = strchr(line, ',')))
      *line++ = 0;
  }
  return n;
}

static const char *const columns[] = {"device", "tflops", "terabytes_per_s", "watts", "units", "gigahertz"};
enum { COLUMNS = sizeof columns / sizeof *columns, WATTS = 3, CELLS = 32 };

static bool read_header(job *j, char *const *cell, uint32_t n, uint32_t number, int *where)
{
  for (int c = 0; c < COLUMNS; c++) {
    for (uint32_t i = 0; i < n; i++)
      if (strcmp(cell[i], columns[c]) == 0)
        where[c] = (int)i;
    if (where[c] < 0)
      return refuse_line(j, j->o->devices, number, ts_arena_printf(j->arena, "there is no column `%s`", columns[c]));
  }
  return true;
}

static bool read_sheet(job *j, sheets *s, char *const *cell, uint32_t n, uint32_t number, const int *where)
{
  double value[COLUMNS] = {0};
  for (int c = 1; c < COLUMNS; c++) {
    const char *at = (uint32_t)where[c] < n ? cell[where[c]] : "";
    if (!(c == WATTS && !*at) && !positive(at, &value[c]))
      return refuse_line(j, j->o->devices, number, ts_arena_printf(j->arena, "`%s` is not a positive number, for `%s`", at, columns[c]));
  }
  if (s->count == MAX_TABLES || (uint32_t)where[0] >= n)
    return refuse_line(j, j->o->devices, number, s->count == MAX_TABLES ? "too many devices" : "no name of a device");
  s->at[s->count++] = (ts_op_device){cell[where[0]], value[1], value[2], value[3], value[4], value[5]};
  return true;
}

static bool read_sheets(job *j, sheets *s)
{
  size_t size;
  int error, where[COLUMNS] = {-1, -1, -1, -1, -1, -1};
  bool header = true;
  char *text = ts_read_file(j->arena, j->o->devices, &size, &error), *cell[CELLS], *rest = text, *line;
  if (!text)
    return cannot_read(j, j->o->devices, error);
  for (uint32_t number = 1; rest; number++) {
    line = rest;
    if ((rest = strchr(line, '\n')))
      *rest++ = 0;
    line[strcspn(line, "\r")] = 0;
    if (!*line || *line == '#')
      continue;
    uint32_t n = cells_of(line, cell, CELLS);
    if (!(header ? read_header(j, cell, n, number, where) : read_sheet(j, s, cell, n, number, where)))
      return false;
    header = false;
  }
  return true;
}

static uint32_t sheet_of(job *j, const sheets *s, const char *name, size_t length)
{
  for (uint32_t d = 0; d < s->count; d++)
    if (strlen(s->at[d].name) == length && strncmp(s->at[d].name, name, length) == 0)
      return d;
  refuse(j, ts_arena_printf(j->arena, "`%s` has no data sheet of `%.*s`", j->o->devices, (int)length, name), "add a line for it");
  return UINT32_MAX;
}

/* Rows of all tables of the kinds of one class: a physical model and a type. `without`: a device to leave out, and to judge by. */
typedef struct gathered { TS_VEC(ts_op_rows) families; } gathered;

static const ts_kernel_model *class_of(const job *j, const ts_table_group *g)
{
  if ((j->o->family && strcmp(j->o->family, g->family) != 0) || (j->o->dtype && g->dtype && strcmp(j->o->dtype, g->dtype) != 0))
    return NULL;
  return j->o->model ? ts_kernel_model_find(j->o->model) : ts_fit_model_for(g, "segments");
}

static const char *type_of(const job *j, const ts_table_group *g) { return g->dtype ? g->dtype : j->o->dtype; }

static gathered gather(job *j, const ts_kernel_model *model, const char *dtype, const uint32_t *device, uint32_t without, bool only)
{
  gathered all = {0};
  for (size_t t = 0; t < j->files.count; t++)
    for (uint32_t i = 0; i < j->files.at[t].table->group_count; i++) {
      const ts_table_group *g = &j->files.at[t].table->group[i];
      if (class_of(j, g) != model || !type_of(j, g) || strcmp(type_of(j, g), dtype) != 0 || (device[t] == without) != only)
        continue;
      size_t f = 0;
      while (f < all.families.count && strcmp(all.families.at[f].family, g->family) != 0) f++;
      ts_op_rows before = f < all.families.count ? all.families.at[f] : (ts_op_rows){.family = g->family};
      uint32_t width = model->feature_count, n = before.count;
      double *feature = TS_NEW_ARRAY(j->arena, double, (size_t)(n + g->count) * width), *us = TS_NEW_ARRAY(j->arena, double, n + g->count);
      uint32_t *on = TS_NEW_ARRAY(j->arena, uint32_t, n + g->count);
      if (n) {
        memcpy(feature, before.feature, (size_t)n * width * sizeof *feature);
        memcpy(us, before.us, n * sizeof *us);
        memcpy(on, before.device, n * sizeof *on);
      }
      for (uint32_t r = 0; r < g->count; r++)
        if (ts_fit_row_features(g, r, model, feature + (size_t)n * width))
          us[n] = 1e6 * g->seconds[r], on[n++] = device[t];
      if (without == UINT32_MAX) /* all of them: what the fit is made from */
        j->files.at[t].rows += n - before.count;
      ts_op_rows rows = {g->family, n, feature, us, on};
      if (!n)
        continue;
      if (f < all.families.count)
        all.families.at[f] = rows;
      else
        TS_PUSH(j->arena, &all.families, rows);
    }
  return all;
}

/* Each device predicted from the others: errors by family, and by how long the operators take. */
static void judge_left_out(job *j, const ts_op_class *c, const sheets *s, uint32_t left_out, const gathered *rows)
{
  for (size_t f = 0; f < rows->families.count; f++) {
    const ts_op_rows *r = &rows->families.at[f];
    const ts_op_family *family = ts_op_family_of(c, r->family);
    double *error = TS_NEW_ARRAY(j->arena, double, r->count);
    for (int range = 0; range < RANGES; range++) {
      uint32_t n = 0, outside = 0;
      double sum = 0;
      for (uint32_t i = 0; i < r->count; i++) {
        const double *x = r->feature + (size_t)i * c->model->feature_count;
        if (!(r->us[i] >= bounds[range] && r->us[i] < bounds[range + 1]))
          continue;
        sum += error[n] = fabs(ts_op_time(c, family, &s->at[left_out], x) / r->us[i] - 1);
        n++;
        outside += ts_op_outside(c, family, x) > 1;
      }
      if (!n)
        continue;
      qsort(error, n, sizeof *error, compare_doubles);
      ts_put_text(stdout, "  %-18s %-16s %-12s %6u rows  median %5.1f %%  mean %5.1f %%  worst %6.1f %%", s->at[left_out].name, r->family,
        range_name[range], n, 100 * error[n / 2], 100 * sum / n, 100 * error[n - 1]);
      if (outside)
        printf("  (%u extrapolated)", outside);
      printf("\n");
    }
  }
}

static void no_trees(job *j, const char *wrong) { ts_diag_add(j->diags, TS_E0701, TS_NO_SPAN, "no trees: %s", wrong); }

/* In the way chosen, or NULL after an error. */
static const ts_op_class *train_ops(job *j, const ts_kernel_model *model, const sheets *s, const gathered *rows, ts_op_learner learner)
{
  const ts_op_class *c = ts_op_train(j->arena, model, s->at, s->count, rows->families.at, (uint32_t)rows->families.count, NULL);
  const char *wrong = NULL;
  if (learner == TS_OP_TREES)
    c = ts_op_by_trees(j->arena, c, &wrong);
  if (wrong)
    no_trees(j, wrong);
  return c;
}

/* What is better on devices left out. */
static bool choose(job *j, const ts_kernel_model *model, const sheets *s, const gathered *all, ts_op_learner *best)
{
  double error[TS_OP_LEARNERS];
  const char *wrong = NULL;
  *best = TS_OP_GAUSSIAN;
  if (!j->o->trees || !*model->input) /* those that only move data have curves */
    return true;
  if (ts_op_compare(j->arena, model, s->at, s->count, all->families.at, (uint32_t)all->families.count, NULL, error, best, &wrong))
    ts_put_text(stdout, "  on devices left out, mean of |log(predicted / measured)|: Gaussian process %.3f, trees %.3f; %s\n", error[TS_OP_GAUSSIAN], error[TS_OP_TREES],
      *best == TS_OP_TREES ? "trees are taken" : "the Gaussian process stays");
  if (wrong)
    no_trees(j, wrong);
  return !wrong;
}

static bool fit_class(job *j, const ts_kernel_model *model, const char *dtype, const sheets *s, const uint32_t *device, uint32_t target, const gathered *all)
{
  uint32_t measured = 0;
  ts_op_learner learner;
  ts_put_text(stdout, "%s %s: each device from the others\n", model->name, dtype);
  if (!choose(j, model, s, all, &learner))
    return false;
  for (uint32_t d = 0; d < s->count; d++) {
    gathered out = gather(j, model, dtype, device, d, true), others = gather(j, model, dtype, device, d, false);
    measured += out.families.count > 0;
    if (!out.families.count || !others.families.count)
      continue;
    const ts_op_class *c = train_ops(j, model, s, &others, learner);
    if (!c)
      return false;
    judge_left_out(j, c, s, d, &out);
  }
  if (measured < 2)
    printf("  only one device was measured: nothing to compare with\n");
  const ts_op_class *c = train_ops(j, model, s, all, learner);
  for (uint32_t f = 0; c && f < c->family_count; f++) {
    trained t = {0};
    ts_op_instantiate(j->arena, c, &c->family[f], dtype, &s->at[target], &t.model, &t.weight);
    t.model.also = j->o->also;
    t.noise = c->family[f].kernel.deviation;
    round_model(&t);
    TS_PUSH(j->arena, &j->models, t);
  }
  return c != NULL;
}

static bool fit_devices(job *j, const sheets *s, const uint32_t *device)
{
  uint32_t target = sheet_of(j, s, j->o->device, strlen(j->o->device));
  if (target == UINT32_MAX)
    return false;
  typedef struct kind { const ts_kernel_model *model; const char *dtype; } kind;
  TS_VEC(kind) done = {0};
  for (size_t t = 0; t < j->files.count; t++)
    for (uint32_t i = 0; i < j->files.at[t].table->group_count; i++) {
      const ts_table_group *g = &j->files.at[t].table->group[i];
      kind k = {class_of(j, g), type_of(j, g)};
      bool known = !k.model || !k.dtype;
      for (size_t n = 0; n < done.count && !known; n++)
        known = done.at[n].model == k.model && strcmp(done.at[n].dtype, k.dtype) == 0;
      gathered all = known ? (gathered){0} : gather(j, k.model, k.dtype, device, UINT32_MAX, false);
      if (!all.families.count)
        continue;
      TS_PUSH(j->arena, &done, k);
      if (!fit_class(j, k.model, k.dtype, s, device, target, &all))
        return false;
    }
  return j->models.count || refuse(j, "no table has rows of a family with a model", "rows need a type: name that of tables without one with `--dtype`");
}

static bool read_devices(job *j, sheets *s, uint32_t *device)
{
  bool good = read_sheets(j, s);
  for (uint32_t i = 0; i < j->o->table_count && good; i++) {
    const char *equals = strchr(j->o->table[i], '=');
    device[i] = sheet_of(j, s, j->o->table[i], (size_t)(equals - j->o->table[i]));
    good = device[i] != UINT32_MAX && read_table(j, equals + 1);
  }
  return good;
}

/* ---- Writing ---- */

/* The lines `# source:` of a table. */
static void put_sources(ts_arena *arena, FILE *out, const char *lines)
{
  for (const char *separator = ", \"source\": ["; *lines; separator = ", ") {
    size_t length = strcspn(lines, "\n");
    ts_put_raw(out, separator);
    ts_put_json_string(out, ts_arena_string(arena, lines, length));
    lines += length + (lines[length] != 0);
    if (!*lines)
      fputs("]", out);
  }
}

static void put_score(FILE *out, const char *name, const score *s, const char *after)
{
  ts_put_json(out, "    \"%s\": {\"rows\": %u, \"mean\": %.4f, \"median\": %.4f, \"worst\": %.4f, \"within_5\": %.3f, \"within_10\": %.3f, \"within_20\": %.3f}%s\n",
    name, s->rows, s->mean, s->median, s->worst, (double)s->within[0] / s->rows, (double)s->within[1] / s->rows, (double)s->within[2] / s->rows, after);
}

static const char *input_name(const ts_fit_model *m, uint32_t d)
{
  if (m->input[d].code < TS_MODEL_MAX_FEATURES)
    return m->model->feature[m->input[d].code];
  return m->model->input[d] ? m->model->input[d] : "table";
}

static void put_range(FILE *out, const ts_fit_model *m)
{
  for (uint32_t f = 0; m->high[0] > 0 && f < m->model->feature_count; f++)
    fprintf(out, f ? ", [%.10g, %.10g]" : "   \"range\": [[%.10g, %.10g]", m->low[f], m->high[f]);
  if (m->high[0] > 0)
    fputs("],\n", out);
}

/* Nine digits give a float back. */
static void put_trees(FILE *out, const ts_trees *trees)
{
  for (uint32_t t = 0; t < trees->root_count; t++) {
    uint32_t first = trees->root[t], end = t + 1 < trees->root_count ? trees->root[t + 1] : trees->node_count;
    fprintf(out, t ? ",\n" : ",\n    \"trees\": [\n");
    for (uint32_t i = first; i < end; i++) {
      const ts_tree_node *n = &trees->node[i];
      bool leaf = n->input == TS_TREE_LEAF;
      ts_put_json(out, "%s[%d,%.9g,%u,%u]", i == first ? "[" : ",", n->input, (double)n->value, leaf ? 0 : n->less - first, leaf ? 0 : n->otherwise - first);
    }
    fprintf(out, "]");
  }
  if (trees->root_count)
    fprintf(out, "]");
}

static void put_model(FILE *out, const trained *t)
{
  const ts_fit_model *m = &t->model;
  uint32_t width = m->model->feature_count;
  ts_put_json(out, "  {\"family\": \"%s\", \"dtype\": \"%s\", \"model\": \"%s\",", m->family, m->dtype, m->model->name);
  if (m->also) {
    fprintf(out, " \"also\": ");
    ts_put_json_string(out, m->also);
    fprintf(out, ",");
  }
  fprintf(out, "\n   \"parameters\": {");
  for (uint32_t i = 0; i < m->model->parameter_count; i++) ts_put_json(out, "%s\"%s\": %.6g", i ? ", " : "", m->model->parameter[i], m->parameter[i]);
  fprintf(out, "},\n");
  put_range(out, m);
  fprintf(out, "   \"validation\": {\n");
  if (t->fit.rows) {
    put_score(out, "fit", &t->fit, ",");
    put_score(out, "physical alone", &t->physical, ",");
    put_score(out, "roofline", &t->roofline, "");
  }
  fprintf(out, "   },\n   \"residual\": {\"shift\": %.3f, \"noise\": %.6g, \"inputs\": [", m->shift, t->noise);
  for (uint32_t d = 0; d < m->input_count; d++) ts_put_json(out, "%s\"%s\"", d ? ", " : "", input_name(m, d));
  fprintf(out, "],\n    \"kernels\": [");
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    fputs(c ? ",\n     " : "", out);
    fprintf(out, "{\"smoothness\": %.1f, \"deviation\": %.6g, \"scale\": [", m->kernel[c].smoothness, m->kernel[c].deviation);
    for (uint32_t d = 0; d < m->input_count; d++) ts_put_json(out, "%s%.6g", d ? ", " : "", m->kernel[c].scale[d]);
    fprintf(out, "]}");
  }
  fprintf(out, "],\n    \"row\": [");
  for (uint32_t f = 0; f < width; f++) ts_put_json(out, "\"%s\", ", m->model->feature[f]);
  fprintf(out, "\"us\", \"weight\", \"table\"],\n    \"rows\": [");
  for (uint32_t i = 0; i < m->row_count; i++) {
    fputs(i ? ",\n[" : "\n[", out);
    for (uint32_t f = 0; f < width; f++) fprintf(out, "%.10g,", m->row[(size_t)i * width + f]);
    fprintf(out, "%.5g,%.7g,%g]", m->row_us[i], t->weight[i], m->row_table[i]);
  }
  fprintf(out, "]");
  put_trees(out, &m->trees);
  fprintf(out, "}}");
}

static void put_fit(void *closure, FILE *out)
{
  const job *j = closure;
  fprintf(out, "{\"trainspec-fit\": %d, \"device\": ", TS_FIT_VERSION);
  ts_put_json_string(out, j->o->device);
  if (!j->o->devices) /* fits of devices together are made from all rows */
    fprintf(out, ", \"keep\": %g", j->o->keep);
  fprintf(out, ",\n \"data\": [");
  for (size_t i = 0; i < j->files.count; i++) {
    ts_put_json(out, "%s\n  {\"file\": ", i ? "," : "");
    ts_put_json_string(out, j->files.at[i].name);
    ts_put_json(out, ", \"sha256\": \"%s\", \"rows\": %u", j->files.at[i].sha256, j->files.at[i].rows);
    if (!j->o->devices)
      fprintf(out, ", \"kept\": %u", j->files.at[i].kept);
    put_sources(j->arena, out, j->files.at[i].table->provenance);
    fprintf(out, "}");
  }
  fprintf(out, "],\n \"models\": [\n");
  for (size_t i = 0; i < j->models.count; i++) {
    fputs(i ? ",\n" : "", out);
    put_model(out, &j->models.at[i]);
  }
  fprintf(out, "]}\n");
}

static bool fit(job *j)
{
  sheets s = {0};
  uint32_t device[MAX_TABLES];
  if (j->o->devices)
    return read_devices(j, &s, device) && fit_devices(j, &s, device);
  for (uint32_t i = 0; i < j->o->table_count; i++)
    if (!read_table(j, j->o->table[i]))
      return false;
  return fit_tables(j);
}

/* Told before the work, not after. */
static bool can_write(job *j)
{
  const char *slash = strrchr(j->o->out, '/');
  struct stat info;
  bool stream = stat(j->o->out, &info) == 0 && !S_ISREG(info.st_mode);
  if (stream || access(slash ? ts_arena_string(j->arena, j->o->out, (size_t)(slash - j->o->out) + 1) : ".", W_OK) == 0)
    return true;
  ts_diag_add(j->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", j->o->out, strerror(errno));
  return false;
}

int ts_fit_ops_main(int argc, char **argv)
{
  options o;
  ts_options line = ts_options_start(&program, argc, argv);
  if (!parse(&line, &o))
    return line.status;
  job j = {.o = &o, .arena = ts_arena_new("fit ops")};
  j.sources = ts_sources_new(j.arena);
  j.diags = ts_diags_new(j.arena, j.sources);
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  bool good = can_write(&j) && fit(&j);
  gsl_set_error_handler(handler);
  int status = ts_options_report(&line, j.diags);
  if (good && !status)
    status = ts_options_finish(&line, stdout, ts_options_write(&line, o.out, put_fit, &j));
  ts_arena_free(j.arena);
  return status;
}
