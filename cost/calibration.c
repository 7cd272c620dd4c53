/* Calibrations: which quantity a thing belongs to, and their files. */
#include "cost/calibration.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"

const char *const ts_quantity_kinds[] = {"kernels", "host", "inside", "between", NULL};

/* A factor beyond this is no calibration: the plan is of something else. */
static const double most_log = 4.6 /* 100 times */, most_bytes = 0x1p56;

uint32_t ts_calibration_of_kernel(const ts_calibration *c, const char *family, const char *format)
{
  uint32_t i = 0;
  while (i < c->count && !(c->quantity[i].kind == TS_QUANTITY_KERNELS &&
                           ts_text_among(c->quantity[i].families, family) &&
                           ts_text_among(c->quantity[i].formats, format)))
    i++;
  return i;
}

uint32_t ts_calibration_of_kind(const ts_calibration *c, ts_quantity_kind kind)
{
  uint32_t i = 0;
  while (i < c->count && c->quantity[i].kind != kind)
    i++;
  return i;
}

uint64_t ts_calibrated_time(const ts_calibration *c, uint32_t quantity, uint64_t time)
{
  if (quantity >= c->count)
    return time;
  double scaled = (double)time * exp(c->quantity[quantity].log);
  return scaled < 0x1p60 ? (uint64_t)llround(scaled) : UINT64_C(1) << 60; /* TS_IR_TIME_MOST */
}

uint64_t ts_calibrated_reserve(const ts_calibration *c, uint64_t reserved)
{
  if (!c->memory.rows)
    return reserved;
  double bytes = (double)reserved + c->memory.bytes;
  return bytes > 0 ? (uint64_t)llround(bytes) : 0;
}

/* ---- Writing ---- */

void ts_calibration_write(const ts_calibration *c, FILE *out)
{
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_line(&w, 1);
  ts_json_put_count(&w, "trainspec-calibration", 1);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "plan", c->plan);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "device", c->device);
  ts_json_put_text(&w, "framework", c->framework);
  ts_json_line(&w, 1);
  ts_json_put_count(&w, "rows", c->rows);
  ts_json_line(&w, 1);
  ts_json_put_number(&w, "noise", "%.17g", c->noise);
  ts_json_put_number(&w, "residual", "%.17g", c->residual);
  ts_json_line(&w, 1);
  ts_json_begin(&w, "quantities", '[');
  for (uint32_t i = 0; i < c->count; i++) {
    const ts_quantity *q = &c->quantity[i];
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '{');
    ts_json_put_text(&w, "name", q->name);
    ts_json_put_text(&w, "kind", ts_quantity_kinds[q->kind]);
    if (q->kind == TS_QUANTITY_KERNELS) {
      ts_json_put_text(&w, "families", q->families);
      ts_json_put_text(&w, "formats", q->formats);
    }
    ts_json_put_number(&w, "prior", "%.17g", q->prior);
    ts_json_put_number(&w, "log", "%.17g", q->log);
    ts_json_end(&w, '}');
  }
  ts_json_last_line(&w, 1);
  ts_json_end(&w, ']');
  ts_json_line(&w, 1);
  ts_json_begin(&w, "covariance", '[');
  for (uint32_t i = 0; i < c->count; i++) {
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '[');
    for (uint32_t j = 0; j < c->count; j++)
      ts_json_put_number(&w, NULL, "%.17g", c->covariance[i][j]);
    ts_json_end(&w, ']');
  }
  ts_json_last_line(&w, 1);
  ts_json_end(&w, ']');
  if (c->memory.rows) {
    ts_json_line(&w, 1);
    ts_json_begin(&w, "memory", '{');
    ts_json_put_count(&w, "rows", c->memory.rows);
    ts_json_put_number(&w, "prior", "%.17g", c->memory.prior);
    ts_json_put_number(&w, "bytes", "%.17g", c->memory.bytes);
    ts_json_put_number(&w, "deviation", "%.17g", c->memory.deviation);
    ts_json_put_number(&w, "residual", "%.17g", c->memory.residual);
    ts_json_end(&w, '}');
  }
  ts_json_last_line(&w, 0);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

void ts_calibration_write_learnt(const ts_calibration *c, FILE *out)
{
  fputs("// Learnt by `trainspec calibrate --learn framework`. A plan of another job of the "
        "framework takes\n// it by `calibration = learnt` (doc/calibration.md).\n"
        "import std.accuracy.calibration\n\nlet learnt: Learnt = {\n  framework: ",
        out);
  ts_put_json_string(out, c->framework);
  fputs(",\n  plan: ", out);
  ts_put_json_string(out, c->plan);
  fprintf(out, ",\n  runs: %u,\n  noise: %.17g,\n  residual: %.17g,\n", c->rows, c->noise,
          c->residual);
  fputs("  quantities: framework_quantities,\n  factors: [", out);
  for (uint32_t i = 0; i < c->count; i++) {
    fputs(i ? ", " : "", out);
    fprintf(out, "%.6g", exp(c->quantity[i].log));
  }
  fputs("],\n  covariance: [\n", out);
  for (uint32_t i = 0; i < c->count; i++) {
    for (uint32_t j = 0; j < c->count; j++) {
      fputs(j ? ", " : "    [", out);
      fprintf(out, "%.17g", c->covariance[i][j]);
    }
    fputs("],\n", out);
  }
  fputs("  ],\n}\n", out);
}

/* ---- Reading ---- */

typedef struct calibration_reader {
  ts_arena *arena;
  ts_error *error;
} calibration_reader;

static bool get_number(calibration_reader *r, const cJSON *in, const char *name, double min,
                       double max, double *value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (!cJSON_IsNumber(item))
    return ts_fail(r->error, NULL, "there is no number `%s`", name);
  *value = item->valuedouble;
  return (*value >= min && *value <= max) ||
         ts_fail(r->error, NULL, "`%s` is %g, which is not from %g to %g", name, *value, min, max);
}

static bool get_count(calibration_reader *r, const cJSON *in, const char *name, uint32_t *value)
{
  double number;
  if (!get_number(r, in, name, 0, 1e6, &number))
    return false;
  *value = (uint32_t)number;
  return true;
}

static bool get_text(calibration_reader *r, const cJSON *in, const char *name, const char **value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (!cJSON_IsString(item))
    return ts_fail(r->error, NULL, "there is no text `%s`", name);
  *value = ts_arena_string(r->arena, item->valuestring, strlen(item->valuestring));
  return true;
}

static bool read_quantity(calibration_reader *r, const cJSON *in, ts_quantity *q)
{
  const char *kind;
  *q = (ts_quantity){.families = "", .formats = ""};
  if (!get_text(r, in, "name", &q->name) || !get_text(r, in, "kind", &kind))
    return false;
  while (q->kind < TS_QUANTITY_KINDS && strcmp(ts_quantity_kinds[q->kind], kind) != 0)
    q->kind++;
  if (q->kind == TS_QUANTITY_KINDS)
    return ts_fail(r->error, NULL, "`%s` is no kind of quantity", kind);
  return (q->kind != TS_QUANTITY_KERNELS || (get_text(r, in, "families", &q->families) &&
                                             get_text(r, in, "formats", &q->formats))) &&
         get_number(r, in, "prior", 0, most_log, &q->prior) &&
         get_number(r, in, "log", -most_log, most_log, &q->log);
}

static bool read_quantities(calibration_reader *r, const cJSON *list, ts_calibration *c)
{
  const cJSON *item;
  int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
  if (size < 0 || size > TS_MOST_QUANTITIES)
    return ts_fail(r->error, NULL, "`quantities` must be a list of %d at most", TS_MOST_QUANTITIES);
  c->quantity = TS_NEW_ARRAY(r->arena, ts_quantity, (size_t)size + 1);
  cJSON_ArrayForEach(item, list)
    if (!read_quantity(r, item, &c->quantity[c->count++]))
      return false;
  return true;
}

/* Of numbers that vary together: symmetrical, no entry beyond what its deviations allow. */
static bool read_covariance(calibration_reader *r, const cJSON *list, ts_calibration *c)
{
  const cJSON *row, *item;
  uint32_t i = 0;
  if (!cJSON_IsArray(list) || (uint32_t)cJSON_GetArraySize(list) != c->count)
    return ts_fail(r->error, NULL, "`covariance` must have a row for each quantity");
  cJSON_ArrayForEach(row, list) {
    uint32_t j = 0;
    if (!cJSON_IsArray(row) || (uint32_t)cJSON_GetArraySize(row) != c->count)
      return ts_fail(r->error, NULL, "row %u of `covariance` must have a number for each quantity",
                     i + 1);
    cJSON_ArrayForEach(item, row) {
      if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= most_log * most_log))
        return ts_fail(r->error, NULL, "row %u of `covariance` has what is no covariance", i + 1);
      c->covariance[i][j++] = item->valuedouble;
    }
    i++;
  }
  return ts_calibration_sound(c, r->error);
}

bool ts_calibration_sound(const ts_calibration *c, ts_error *error)
{
  bool good = c->noise >= 0 && c->noise <= most_log && c->residual >= 0 && c->residual <= most_log;
  for (uint32_t i = 0; i < c->count; i++) {
    const ts_quantity *q = &c->quantity[i];
    good &= q->prior >= 0 && q->prior <= most_log && fabs(q->log) <= most_log;
    for (uint32_t j = 0; j <= i; j++) {
      double max = sqrt(fmax(0, c->covariance[i][i]) * fmax(0, c->covariance[j][j]));
      if (!(c->covariance[i][j] == c->covariance[j][i] && c->covariance[i][i] >= 0 &&
            c->covariance[i][i] <= most_log * most_log &&
            fabs(c->covariance[i][j]) <= max * (1 + 1e-9)))
        return ts_fail(error, NULL, "`covariance` is not one: row %u, column %u", i + 1, j + 1);
    }
  }
  return good ||
         ts_fail(error, NULL, "a factor is from 0.01 to 100, a deviation from 0 to %g", most_log);
}

static bool read_memory(calibration_reader *r, const cJSON *in, ts_memory_constant *m)
{
  return !in || (get_count(r, in, "rows", &m->rows) &&
                 get_number(r, in, "prior", 0, most_bytes, &m->prior) &&
                 get_number(r, in, "bytes", -most_bytes, most_bytes, &m->bytes) &&
                 get_number(r, in, "deviation", 0, most_bytes, &m->deviation) &&
                 get_number(r, in, "residual", 0, most_bytes, &m->residual));
}

static bool read_whole(calibration_reader *r, const cJSON *root, ts_calibration *c)
{
  uint32_t version;
  if (!cJSON_HasObjectItem(root, "trainspec-calibration"))
    return ts_fail(r->error, "`trainspec calibrate` writes such files",
                   "this is no file of a calibration");
  if (!get_count(r, root, "trainspec-calibration", &version))
    return false;
  if (version != 1)
    return ts_fail(r->error, NULL, "version %u of such files is not known", version);
  return get_text(r, root, "plan", &c->plan) && get_text(r, root, "device", &c->device) &&
         get_text(r, root, "framework", &c->framework) &&
         get_count(r, root, "rows", &c->rows) &&
         get_number(r, root, "noise", 0, most_log, &c->noise) &&
         get_number(r, root, "residual", 0, most_log, &c->residual) &&
         read_quantities(r, cJSON_GetObjectItemCaseSensitive(root, "quantities"), c) &&
         read_covariance(r, cJSON_GetObjectItemCaseSensitive(root, "covariance"), c) &&
         read_memory(r, cJSON_GetObjectItemCaseSensitive(root, "memory"), &c->memory);
}

ts_calibration *ts_calibration_read(ts_arena *arena, const char *text, size_t size,
                                    ts_error *error)
{
  calibration_reader r = {arena, error};
  ts_calibration *c = TS_NEW(arena, ts_calibration);
  const char *end = NULL;
  *error = (ts_error){0};
  cJSON *root = ts_json_tree(text, size, &end);
  bool good = root ? read_whole(&r, root, c) :
                     ts_fail_at(error, text, end ? (size_t)(end - text) : 0,
                                end ? (size_t)(end - text) : 0, NULL, "this is not JSON");
  cJSON_Delete(root);
  return good ? c : NULL;
}
