/* A plan's `calibration`: reads the file, and writes it to the IR. Times of kernels and of the host
 * and reserved memory get its factors where they are lowered; times of calls when they are played.
 */
#include "compiler/lower/calibrated.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/lower/device.h"

/* ---- Records of the language ---- */

double ts_calibrated_number(const ts_value *v)
{
  return !v                                               ? 0 :
         v->type == TS_T_INT                              ? (double)v->u.integer :
         v->type == TS_T_REAL || v->type == TS_T_QUANTITY ? v->u.real :
                                                            0;
}

ts_quantity ts_quantity_of_record(const ts_record *r)
{
  const ts_value *host = ts_record_find(r, "host");
  const char *calls = ts_record_text(r, "calls");
  return (ts_quantity){.name = ts_record_text(r, "name"),
                       .kind = host && host->type == TS_T_BOOL && host->u.truth ? TS_QUANTITY_HOST :
                               !strcmp(calls, "inside")  ? TS_QUANTITY_INSIDE :
                               !strcmp(calls, "between") ? TS_QUANTITY_BETWEEN :
                                                           TS_QUANTITY_KERNELS,
                       .families = ts_record_text(r, "kernels"),
                       .formats = ts_record_text(r, "formats"),
                       .prior = ts_calibrated_number(ts_record_find(r, "prior"))};
}

static const ts_list *learnt_list(const ts_record *r, const char *name)
{
  return ts_record_find(r, name)->u.list; /* of a declared type: all fields are there */
}

/* `record` is a Learnt. NULL after an error. */
static const ts_calibration *learnt(ts_session *s, const ts_record *record, ts_span span)
{
  const ts_list *quantities = learnt_list(record, "quantities"),
                *factors = learnt_list(record, "factors"),
                *covariance = learnt_list(record, "covariance");
  ts_calibration *c = TS_NEW(s->arena, ts_calibration);
  *c = (ts_calibration){
    .plan = ts_record_text(record, "plan"),
    .device = "",
    .framework = ts_record_text(record, "framework"),
    .rows = (uint32_t)fmin(fmax(ts_calibrated_number(ts_record_find(record, "runs")), 0), 1e6),
    .noise = ts_calibrated_number(ts_record_find(record, "noise")),
    .residual = ts_calibrated_number(ts_record_find(record, "residual"))};
  bool good = quantities->count <= TS_MOST_QUANTITIES && factors->count == quantities->count &&
              covariance->count == quantities->count;
  c->quantity = TS_NEW_ARRAY(s->arena, ts_quantity, quantities->count + 1);
  for (uint32_t i = 0; good && i < quantities->count; i++) {
    const ts_list *row = covariance->at[i].u.list;
    c->quantity[i] = ts_quantity_of_record(quantities->at[i].u.record);
    c->quantity[i].log = log(ts_calibrated_number(&factors->at[i]));
    good = row->count == quantities->count;
    for (uint32_t j = 0; good && j < row->count; j++)
      c->covariance[i][j] = ts_calibrated_number(&row->at[j]);
    c->count++;
  }
  ts_error error = {0};
  if (good && ts_calibration_sound(c, &error))
    return c;
  ts_diag *d = ts_report(s, TS_E0506, span, "what was learnt cannot be used");
  ts_diag_here(d, "%s",
               good ? error.message :
                      "a factor and a row of `covariance` for each quantity are needed");
  ts_diag_help(d, "write it again with `trainspec calibrate --learn framework`");
  return NULL;
}

/* ---- Files ---- */

static void bad_file(ts_session *s, const ts_value *file, const char *text, size_t size,
                     const ts_error *e)
{
  ts_span at = file->span;
  if (text && e->line)
    at = (ts_span){ts_sources_add(s->sources, file->u.string, "calibration", text, size),
                   (uint32_t)e->begin, (uint32_t)e->end};
  ts_diag *d = ts_report(s, TS_E0506, at, "calibration `%s` cannot be used", file->u.string);
  ts_diag_here(d, "%s", e->message);
  if (at.file != file->span.file)
    ts_diag_note_at(d, file->span, "named here");
  ts_diag_help(d, "%s",
               e->help[0] ? e->help : "write it again with `trainspec calibrate PLAN MEASURED.csv`");
}

static void check_device(ts_session *s, const ts_plan *plan, const ts_calibration *c,
                         const ts_value *file)
{
  const ts_value *gpu = ts_other_gpu(s, plan, c->device);
  if (!gpu)
    return;
  ts_diag *d = ts_report(s, TS_W0534, file->span, "a calibration of `%s` in a plan for `%s`",
                         c->device, gpu->u.record->name);
  ts_diag_here(d, "%u measured steps of plan `%s`", c->rows, c->plan);
  ts_diag_note_at(d, plan->span_of[TS_PLAN_cluster], "no device of this cluster has that name");
  ts_diag_help(d, "measure steps on this cluster and calibrate again; if it is the same device, "
                  "declare so: `called = [\"%s\"]`",
               c->device);
}

static void check_framework(ts_session *s, const ts_plan *plan, const ts_calibration *c,
                            ts_span span)
{
  if (!*c->framework || !*plan->framework || !strcmp(c->framework, plan->framework))
    return;
  ts_diag *d = ts_report(s, TS_W0534, span, "a calibration with `%s` in a plan for `%s`",
                         c->framework, plan->framework);
  ts_diag_here(d, "%u measured steps of plan `%s`", c->rows, c->plan);
  ts_diag_help(d, "frameworks differ in what the host spends and in their kernels: measure steps "
                  "with this one");
}

bool ts_calibration_of_plan(ts_session *s, const ts_plan *plan, ts_named_calibration *out)
{
  ts_value v = plan->calibration;
  *out = (ts_named_calibration){0};
  if (v.type == TS_T_NONE || s->options->uncalibrated)
    return true;
  if (v.type == TS_T_RECORD && v.u.record->type && !strcmp(v.u.record->type->name, "Learnt")) {
    ts_span span = plan->span_of[TS_PLAN_calibration];
    *out = (ts_named_calibration){learnt(s, v.u.record, span), "what was learnt", span};
    if (out->is)
      check_framework(s, plan, out->is, span);
    return out->is;
  }
  const ts_applied *a = v.type == TS_T_APPLIED && !v.u.applied->decl ? v.u.applied : NULL;
  if (!a || strcmp(a->name, "calibrated") != 0) {
    if (v.type == TS_T_ERROR)
      return false;
    ts_diag *d = ts_report(s, TS_E0506, plan->span_of[TS_PLAN_calibration],
                           "`calibration` must be `calibrated(\"FILE\")` or a `Learnt`");
    ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
    return false;
  }
  const ts_value *file = ts_record_find(&a->args, "file");
  ts_found found;
  size_t size = 0;
  ts_error error = {0};
  char *text =
    ts_session_read(s, file->span.file, file->u.string, "calibration", file->span, &size, &found);
  if (!text)
    return false;
  const ts_calibration *c = ts_calibration_read(s->arena, text, size, &error);
  if (!c) {
    bad_file(s, file, text, size, &error);
    return false;
  }
  check_device(s, plan, c, file);
  check_framework(s, plan, c, file->span);
  *out = (ts_named_calibration){c, ts_session_written(file->u.string), a->span};
  return true;
}

static void calibrated_put(ts_lowering *l, const ts_ir_calibration *record)
{
  void *records;
  ts_ir_append(l->b, TS_IR_CALIBRATIONS, 1, &records);
  *(ts_ir_calibration *)records = *record;
}

void ts_lower_calibration(ts_lowering *l)
{
  static const uint32_t kinds[] = {[TS_QUANTITY_KERNELS] = TS_IR_CALIBRATED_KERNELS,
                                   [TS_QUANTITY_HOST] = TS_IR_CALIBRATED_HOST,
                                   [TS_QUANTITY_INSIDE] = TS_IR_CALIBRATED_INSIDE,
                                   [TS_QUANTITY_BETWEEN] = TS_IR_CALIBRATED_BETWEEN};
  const ts_calibration *c = l->calibration.is;
  if (!c)
    return;
  ts_ir_cost_source source = {ts_ir_add_string(l->b, l->calibration.name),
                              ts_ir_add_string(l->b, "calibrated"),
                              ts_ir_loc_of(l, l->calibration.span),
                              ts_ir_add_string(l->b, c->device)};
  ts_ir_calibration k = {.source = ts_ir_intern(l->b, TS_IR_COST_SOURCES, &source),
                         .rows = c->rows};
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    const ts_quantity *q = &c->quantity[i];
    k.name = ts_ir_add_string(l->b, q->name);
    k.kind = kinds[q->kind];
    k.families = ts_ir_add_string(l->b, q->families);
    k.formats = ts_ir_add_string(l->b, q->formats);
    k.value = exp(q->log);
    k.prior = q->prior;
    memset(k.covariance, 0, sizeof k.covariance);
    memcpy(k.covariance, c->covariance[i], c->count * sizeof *k.covariance);
    calibrated_put(l, &k), count++;
  }
  k.families = k.formats = 0;
  k.name = ts_ir_add_string(l->b, "what is left over");
  k.kind = TS_IR_CALIBRATED_STEP;
  k.value = 1;
  k.prior = c->noise;
  memset(k.covariance, 0, sizeof k.covariance);
  k.covariance[count] = c->residual * c->residual;
  calibrated_put(l, &k), count++;
  if (!c->memory.rows)
    return;
  k.name = ts_ir_add_string(l->b, "memory");
  k.kind = TS_IR_CALIBRATED_MEMORY;
  k.rows = c->memory.rows;
  k.value = c->memory.bytes;
  k.prior = c->memory.prior;
  memset(k.covariance, 0, sizeof k.covariance);
  k.covariance[count] =
    c->memory.deviation * c->memory.deviation + c->memory.residual * c->memory.residual;
  calibrated_put(l, &k);
}

bool ts_lower_open_costs(ts_lowering *l)
{
  if (!(l->costing = ts_costing_new(l->s, l->plan)) ||
      !ts_calibration_of_plan(l->s, l->plan, &l->calibration))
    return false;
  const ts_calibration *calibration = l->costing->calibration = l->calibration.is;
  l->calibrated_host = calibration ? ts_calibration_of_kind(calibration, TS_QUANTITY_HOST) : 0;
  return true;
}
