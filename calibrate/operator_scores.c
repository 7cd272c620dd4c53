/* Scores of fits of operators, and what they are compared with. */
#include "calibrate/operator_scores.h"

#include "base/table.h"
#include "calibrate/learners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double within[TS_OP_WITHIN] = {0.05, 0.1, 0.2},
                    bounds[TS_OP_RANGES + 1] = {0, 30, 300, INFINITY};

const char *ts_op_range_name(int range)
{
  static const char *const name[] = {"below 30 us", "30 to 300 us", "above 300 us"};
  TS_TABLE(name, TS_OP_RANGES);
  return name[range];
}

static int compare_doubles(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

/* What a model is compared by. */
typedef struct predictor {
  const ts_fit_model *m;
  double rate, bandwidth;
  enum { FIT, PHYSICAL, ROOFLINE } kind;
} predictor;

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

static ts_op_score operator_scores_judge(ts_arena *arena, const predictor *p,
                                         const ts_fit_rows *rows)
{
  ts_op_score s = {.rows = rows->count};
  double *error = TS_NEW_ARRAY(arena, double, rows->count);
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *feature = rows->feature + (size_t)i * p->m->model->feature_count;
    error[i] = fabs(predict(p, feature) / rows->us[i] - 1);
    s.mean += error[i] / rows->count;
    if (error[i] > s.worst)
      s.worst = error[i], s.worst_row = feature;
    for (int w = 0; w < TS_OP_WITHIN; w++) s.within[w] += error[i] < within[w];
    for (int r = 0; r < TS_OP_RANGES; r++)
      if (rows->us[i] >= bounds[r] && rows->us[i] < bounds[r + 1])
        s.mean_of[r] += (error[i] - s.mean_of[r]) / ++s.of[r];
    s.outside += ts_fit_outside(p->m, feature, NULL) > 1;
  }
  qsort(error, rows->count, sizeof *error, compare_doubles);
  s.median = rows->count ? error[rows->count / 2] : 0;
  return s;
}

/* The best rates seen in any kept row: a roofline of what was reached. */
static predictor roofline_of(const ts_fit_model *m, const ts_fit_rows *fitted)
{
  predictor p = {.m = m, .kind = ROOFLINE};
  for (uint32_t i = 0; i < fitted->count; i++) {
    double flops, bytes;
    m->model->work(fitted->feature + (size_t)i * m->model->feature_count, &flops, &bytes);
    p.rate = fmax(p.rate, flops / fitted->us[i]);
    p.bandwidth = fmax(p.bandwidth, bytes / fitted->us[i]);
  }
  return p;
}

static double rounded(double value, int digits)
{
  char text[32];
  snprintf(text, sizeof text, "%.*g", digits, value);
  return strtod(text, NULL);
}

void ts_op_fit_round(ts_op_fit *fit)
{
  ts_fit_model *m = &fit->model;
  for (uint32_t i = 0; i < m->model->parameter_count; i++)
    m->parameter[i] = rounded(m->parameter[i], 6);
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    m->kernel[c].deviation = rounded(m->kernel[c].deviation, 6);
    for (uint32_t d = 0; d < m->input_count; d++)
      m->kernel[c].scale[d] = rounded(m->kernel[c].scale[d], 6);
  }
  for (uint32_t i = 0; i < m->row_count; i++) fit->weight[i] = rounded(fit->weight[i], 7);
}

bool ts_op_fit_rows(ts_arena *arena, ts_op_fit *fit, const ts_fit_rows *fitted,
                    const ts_fit_rows *rest, bool trees, ts_error *wrong)
{
  ts_op_learner best;
  *wrong = (ts_error){0};
  fit->weight = TS_NEW_ARRAY(arena, double, fitted->count);
  if (!ts_fit_train(arena, &fit->model, fitted, &fit->noise, fit->weight, &fit->left_out))
    return false;
  if (trees && !ts_fit_choose_learner(arena, &fit->model, fitted, fit->noise, fit->weight,
                                      fit->error, &best, wrong))
    return false;
  fit->compared = trees;
  ts_op_fit_judge(arena, fit, fitted, rest);
  return true;
}

void ts_op_fit_judge(ts_arena *arena, ts_op_fit *fit, const ts_fit_rows *fitted,
                     const ts_fit_rows *rest)
{
  ts_op_fit_round(fit);
  ts_fit_prepare(arena, &fit->model, fit->weight);
  predictor roofline = roofline_of(&fit->model, fitted);
  fit->fit = operator_scores_judge(arena, &(predictor){.m = &fit->model, .kind = FIT}, rest);
  fit->physical =
    operator_scores_judge(arena, &(predictor){.m = &fit->model, .kind = PHYSICAL}, rest);
  fit->roofline = operator_scores_judge(arena, &roofline, rest);
}

ts_op_left_out ts_op_judge_left_out(ts_arena *arena, const ts_op_class *c,
                                    const ts_op_device *device, const ts_op_rows *rows, int range)
{
  const ts_op_family *family = ts_op_family_of(c, rows->family);
  ts_op_left_out s = {0};
  double *error = TS_NEW_ARRAY(arena, double, rows->count), sum = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *feature = rows->feature + (size_t)i * c->model->feature_count;
    if (!(rows->us[i] >= bounds[range] && rows->us[i] < bounds[range + 1]))
      continue;
    sum += error[s.rows++] = fabs(ts_op_time(c, family, device, feature) / rows->us[i] - 1);
    s.outside += ts_op_outside(c, family, feature) > 1;
  }
  if (!s.rows)
    return s;
  qsort(error, s.rows, sizeof *error, compare_doubles);
  s.median = error[s.rows / 2];
  s.mean = sum / s.rows;
  s.worst = error[s.rows - 1];
  return s;
}
