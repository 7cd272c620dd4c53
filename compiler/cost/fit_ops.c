/* trainspec fit ops: fits the kernels of a device to tables of measured times. A part of the rows is kept in the fit; the others only show how
 * good it is. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/source.h"
#include "compiler/cost/fit.h"

enum { DONE, REJECTED, USAGE, ENVIRONMENT = 4, MAX_TABLES = 32, LEAST_ROWS = 20, MOST_KEPT = 4000 };

static const char usage[] =
  "usage: trainspec fit ops TABLE... --device NAME --units N [OPTION...] -o FILE\n"
  "Fits physical models of kernels to tables of measured times (doc/costs.md) and writes a fit file.\n\n"
  "  --device NAME    what was measured, for reports\n"
  "  --units N        processors of the device that work in parallel (sms of its `gpu`)\n"
  "  --keep SHARE     share of the rows kept in the fit, 0.1; the others validate it\n"
  "  --family NAME    only kernels of this family; all that have a model otherwise\n"
  "  --dtype NAME     only kernels of this type\n"
  "  --model NAME     physical model for them: gemm, attention, stream; that of the family's name otherwise\n"
  "  -o FILE          the fit file\n";

typedef struct options {
  const char *table[MAX_TABLES], *device, *family, *dtype, *model, *out;
  uint32_t table_count;
  double keep, units;
} options;

typedef struct score { uint32_t rows, within[3]; double mean, median, worst; const double *worst_row; } score;
static const double within[3] = {0.05, 0.1, 0.2};

typedef struct trained {
  ts_fit_model model;
  double noise, *weight;
  score fit, physical, roofline;
} trained;

typedef struct data_file { const char *name; char sha256[2 * TS_DIGEST_SIZE + 1]; uint32_t rows, kept; } data_file;

typedef struct job {
  const options *o;
  ts_arena *arena;
  TS_VEC(trained) models;
  TS_VEC(data_file) files;
} job;

static int bad_usage(const char *why, const char *what)
{
  fprintf(stderr, "trainspec fit ops: %s%s\n%s", why, what, usage);
  return USAGE;
}

static bool positive(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return *end == 0 && *value > 0 && isfinite(*value);
}

/* USAGE, or DONE; *help is set when that was asked for. */
static int parse(int argc, char **argv, options *o, bool *help)
{
  *o = (options){.keep = 0.1};
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    static const char *const with_value[] = {"--device", "--units", "--keep", "--family", "--dtype", "--model", "-o"};
    const char **text[] = {&o->device, NULL, NULL, &o->family, &o->dtype, &o->model, &o->out};
    double *number[] = {NULL, &o->units, &o->keep, NULL, NULL, NULL, NULL};
    size_t at = 0, count = sizeof with_value / sizeof *with_value;
    if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)
      return *help = true, DONE;
    while (at < count && strcmp(a, with_value[at]) != 0) at++;
    if (at < count) {
      if (i + 1 == argc)
        return bad_usage("no value for ", a);
      if (text[at])
        *text[at] = argv[++i];
      else if (!positive(argv[++i], number[at]))
        return bad_usage("not a positive number: ", argv[i]);
    } else if (*a == '-' && a[1])
      return bad_usage("no option ", a);
    else if (o->table_count == MAX_TABLES)
      return bad_usage("too many tables: ", a);
    else
      o->table[o->table_count++] = a;
  }
  if (!o->table_count)
    return bad_usage("no table", "");
  if (!o->device || !o->units || !o->out)
    return bad_usage("--device, --units and -o are needed", "");
  if (o->keep > 1)
    return bad_usage("--keep is a share, at most 1", "");
  if (o->model && !ts_kernel_model_find(o->model))
    return bad_usage("no model ", o->model);
  return DONE;
}

/* FNV-1a of the features, mixed: rows are kept by their shape alone, never by their time, and the same ones of every device. */
static uint64_t hash_row(const double *feature, uint32_t width)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
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

/* The kept and the other rows of a table that a model is for. False when there are too few. */
static bool divide(job *j, const ts_table_group *g, const ts_kernel_model *model, ts_fit_rows *kept, ts_fit_rows *rest)
{
  uint32_t width = model->feature_count, count = 0;
  double *all = TS_NEW_ARRAY(j->arena, double, (size_t)g->count * width), *us = TS_NEW_ARRAY(j->arena, double, g->count);
  ts_feature feature[TS_TABLE_MAX_COLUMNS];
  for (uint32_t i = 0; i < g->count; i++) {
    ts_cost_query query = {.feature = feature, .feature_count = g->width};
    for (uint32_t f = 0; f < g->width; f++) {
      double value = g->value[(size_t)i * g->width + f];
      feature[f] = (ts_feature){g->name[f], value};
      if (strcmp(g->name[f], "bytes") == 0)
        query.bytes = value;
    }
    if (width == 1)
      query.feature_count = 0;
    bool usable = ts_query_values(&query, width, model->feature, all + (size_t)count * width);
    for (uint32_t f = 0; usable && f < width; f++) usable = all[(size_t)count * width + f] > 0;
    if (usable)
      us[count++] = 1e6 * g->seconds[i];
  }
  order *by_hash = TS_NEW_ARRAY(j->arena, order, count);
  bool *keep = TS_NEW_ARRAY(j->arena, bool, count);
  for (uint32_t i = 0; i < count; i++) by_hash[i] = (order){hash_row(all + (size_t)i * width, width), i};
  qsort(by_hash, count, sizeof *by_hash, compare_hash);
  uint32_t wanted = (uint32_t)(j->o->keep * count + 0.5);
  for (uint32_t i = 0; i < wanted && i < MOST_KEPT; i++) keep[by_hash[i].row] = true;
  ts_fit_rows *part[] = {rest, kept};
  for (int p = 0; p < 2; p++) {
    double *to = TS_NEW_ARRAY(j->arena, double, (size_t)count * width), *to_us = TS_NEW_ARRAY(j->arena, double, count);
    *part[p] = (ts_fit_rows){0, to, to_us};
    for (uint32_t i = 0; i < count; i++)
      if (keep[i] == p) {
        memcpy(to + (size_t)part[p]->count * width, all + (size_t)i * width, width * sizeof *to);
        to_us[part[p]->count++] = us[i];
      }
  }
  return kept->count >= LEAST_ROWS;
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
static double rounded(double value)
{
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

static void round_model(trained *t)
{
  ts_fit_model *m = &t->model;
  for (uint32_t i = 0; i < m->model->parameter_count; i++) m->parameter[i] = rounded(m->parameter[i]);
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    m->kernel[c].deviation = rounded(m->kernel[c].deviation);
    for (uint32_t d = 0; d < m->input_count; d++) m->kernel[c].scale[d] = rounded(m->kernel[c].scale[d]);
  }
  for (uint32_t i = 0; i < m->row_count; i++) t->weight[i] = rounded(t->weight[i]);
}

static void print_score(const char *what, const score *s)
{
  printf("  %-14s mean %6.2f %%  median %6.2f %%  worst %6.1f %%  within 5/10/20 %%: %3.0f %3.0f %3.0f %%\n", what, 100 * s->mean, 100 * s->median,
    100 * s->worst, 100.0 * s->within[0] / s->rows, 100.0 * s->within[1] / s->rows, 100.0 * s->within[2] / s->rows);
}

static void print_model(const trained *t)
{
  const ts_fit_model *m = &t->model;
  printf("%s %s: %u rows kept, %u others\n", m->family, m->dtype, m->row_count, t->fit.rows);
  if (!t->fit.rows)
    return;
  print_score("fit", &t->fit);
  print_score("physical alone", &t->physical);
  print_score("roofline", &t->roofline);
  printf("  worst row:");
  for (uint32_t f = 0; f < m->model->feature_count; f++) printf(" %s %.10g", m->model->feature[f], t->fit.worst_row[f]);
  printf("\n");
  fflush(stdout);
}

static bool fit_group(job *j, const ts_table_group *g, data_file *file)
{
  const char *dtype = g->dtype ? g->dtype : j->o->dtype;
  const ts_kernel_model *model = ts_kernel_model_find(j->o->model ? j->o->model : g->family);
  ts_fit_rows kept, rest;
  if (!model || !dtype || (j->o->family && strcmp(j->o->family, g->family) != 0) || (j->o->dtype && strcmp(j->o->dtype, dtype) != 0))
    return true;
  if (!divide(j, g, model, &kept, &rest))
    return true;
  trained t = {.model = {.family = g->family, .dtype = dtype, .model = model, .parameter = {[TS_PARAMETER_UNITS] = j->o->units}}};
  t.weight = TS_NEW_ARRAY(j->arena, double, kept.count);
  if (!ts_fit_train(j->arena, &t.model, &kept, &t.noise, t.weight))
    return false;
  round_model(&t);
  ts_fit_prepare(j->arena, &t.model, t.weight);
  predictor roofline = roofline_of(&t.model, &kept);
  t.fit = judge(j->arena, &(predictor){.m = &t.model, .kind = FIT}, &rest);
  t.physical = judge(j->arena, &(predictor){.m = &t.model, .kind = PHYSICAL}, &rest);
  t.roofline = judge(j->arena, &roofline, &rest);
  print_model(&t);
  TS_PUSH(j->arena, &j->models, t);
  file->rows += kept.count + rest.count, file->kept += kept.count;
  return true;
}

static int fit_table(job *j, const char *path)
{
  size_t size;
  int error;
  char *bytes = ts_read_file(j->arena, path, &size, &error);
  if (!bytes) {
    fprintf(stderr, "trainspec fit ops: cannot read %s: %s\n", path, strerror(error));
    return ENVIRONMENT;
  }
  ts_cost_error why;
  size_t text_size;
  const char *text = ts_cost_text(j->arena, bytes, size, &text_size, &why);
  ts_table_options options = {.family = NULL, .dtype = NULL};
  ts_table *table = text ? ts_table_read(j->arena, text, text_size, &options, &why) : NULL;
  if (!table) {
    fprintf(stderr, "%s:%u:%u: error: %s\n", path, why.line, why.column, why.text);
    if (why.help)
      fprintf(stderr, "  help: %s\n", why.help);
    return REJECTED;
  }
  const char *slash = strrchr(path, '/');
  data_file file = {.name = slash ? slash + 1 : path};
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(bytes, size, digest);
  ts_digest_hex(digest, file.sha256);
  printf("%s\n", file.name);
  for (uint32_t i = 0; i < table->group_count; i++)
    if (!fit_group(j, &table->group[i], &file)) {
      fprintf(stderr, "trainspec fit ops: %s: the rows of `%s` cannot be fitted\n", path, table->group[i].family);
      return REJECTED;
    }
  TS_PUSH(j->arena, &j->files, file);
  return DONE;
}

/* Writing. Quotes and control characters in names are dropped: they are file and device names. */
static void put_string(FILE *out, const char *text)
{
  fputc('"', out);
  for (; *text; text++)
    if (*text != '"' && *text != '\\' && (unsigned char)*text >= 32)
      fputc(*text, out);
  fputc('"', out);
}

static void put_score(FILE *out, const char *name, const score *s, const char *after)
{
  fprintf(out, "    \"%s\": {\"rows\": %u, \"mean\": %.4f, \"median\": %.4f, \"worst\": %.4f, \"within_5\": %.3f, \"within_10\": %.3f, \"within_20\": %.3f}%s\n",
    name, s->rows, s->mean, s->median, s->worst, (double)s->within[0] / s->rows, (double)s->within[1] / s->rows, (double)s->within[2] / s->rows, after);
}

static void put_model(FILE *out, const trained *t)
{
  const ts_fit_model *m = &t->model;
  uint32_t width = m->model->feature_count;
  fprintf(out, "  {\"family\": \"%s\", \"dtype\": \"%s\", \"model\": \"%s\",\n   \"parameters\": {", m->family, m->dtype, m->model->name);
  for (uint32_t i = 0; i < m->model->parameter_count; i++) fprintf(out, "%s\"%s\": %.6g", i ? ", " : "", m->model->parameter[i], m->parameter[i]);
  fprintf(out, "},\n   \"validation\": {\n");
  if (t->fit.rows) {
    put_score(out, "fit", &t->fit, ",");
    put_score(out, "physical alone", &t->physical, ",");
    put_score(out, "roofline", &t->roofline, "");
  }
  fprintf(out, "   },\n   \"residual\": {\"shift\": %.3f, \"noise\": %.6g, \"inputs\": [", m->shift, t->noise);
  for (uint32_t d = 0; d < m->input_count; d++) fprintf(out, "%s\"%s\"", d ? ", " : "", m->model->input[d]);
  fprintf(out, "],\n    \"kernels\": [");
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    fprintf(out, "%s{\"smoothness\": %.1f, \"deviation\": %.6g, \"scale\": [", c ? ",\n     " : "", m->kernel[c].smoothness, m->kernel[c].deviation);
    for (uint32_t d = 0; d < m->input_count; d++) fprintf(out, "%s%.6g", d ? ", " : "", m->kernel[c].scale[d]);
    fprintf(out, "]}");
  }
  fprintf(out, "],\n    \"row\": [");
  for (uint32_t f = 0; f < width; f++) fprintf(out, "\"%s\", ", m->model->feature[f]);
  fprintf(out, "\"us\", \"weight\"],\n    \"rows\": [");
  for (uint32_t i = 0; i < m->row_count; i++) {
    fprintf(out, "%s[", i ? ",\n" : "\n");
    for (uint32_t f = 0; f < width; f++) fprintf(out, "%.10g,", m->row[(size_t)i * width + f]);
    fprintf(out, "%.6g,%.6g]", m->row_us[i], t->weight[i]);
  }
  fprintf(out, "]}}");
}

static void put_fit(FILE *out, const job *j)
{
  fprintf(out, "{\"trainspec-fit\": %d, \"device\": ", TS_FIT_VERSION);
  put_string(out, j->o->device);
  fprintf(out, ", \"keep\": %g,\n \"data\": [", j->o->keep);
  for (size_t i = 0; i < j->files.count; i++) {
    fprintf(out, "%s\n  {\"file\": ", i ? "," : "");
    put_string(out, j->files.at[i].name);
    fprintf(out, ", \"sha256\": \"%s\", \"rows\": %u, \"kept\": %u}", j->files.at[i].sha256, j->files.at[i].rows, j->files.at[i].kept);
  }
  fprintf(out, "],\n \"models\": [\n");
  for (size_t i = 0; i < j->models.count; i++) {
    fprintf(out, "%s", i ? ",\n" : "");
    put_model(out, &j->models.at[i]);
  }
  fprintf(out, "]}\n");
}

static int write_fit(const job *j)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  int error = out ? 0 : ENOMEM;
  if (out) {
    put_fit(out, j);
    error = fclose(out) ? ENOMEM : ts_write_file(j->o->out, text, size);
  }
  free(text);
  if (!error)
    return DONE;
  fprintf(stderr, "trainspec fit ops: cannot write %s: %s\n", j->o->out, strerror(error));
  return ENVIRONMENT;
}

int ts_fit_ops_main(int argc, char **argv)
{
  options o;
  bool help = false;
  int status = parse(argc, argv, &o, &help);
  if (help)
    return fputs(usage, stdout) < 0 ? ENVIRONMENT : DONE;
  if (status)
    return status;
  job j = {.o = &o, .arena = ts_arena_new("fit ops")};
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  for (uint32_t i = 0; i < o.table_count && !status; i++) status = fit_table(&j, o.table[i]);
  gsl_set_error_handler(handler);
  if (!status && !j.models.count) {
    fprintf(stderr, "trainspec fit ops: no table has %d rows or more of a family with a model\n", LEAST_ROWS);
    status = REJECTED;
  }
  if (!status)
    status = write_fit(&j);
  ts_arena_free(j.arena);
  return status;
}
