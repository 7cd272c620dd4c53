/* Trains a fitted model: first the parameters of the physical model on logarithms of times, then a
 * Gaussian process on what is left. No random numbers, and sums in a fixed order. */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "cost/fit.h"
#include "cost/gp.h"
#include "cost/minimize.h"

enum {
  PHYSICAL_ROWS = 700,
  PHYSICAL_STEPS = 1200,
  LEARN_ROWS = 1000,
  LEARN_ITERATIONS = 30,
  SPREAD_ROUNDS = 3
};

typedef struct physical { /* training the parameters from FLOOR on; UNITS stay */
  ts_fit_model *m;
  const ts_fit_rows *rows;
  uint32_t stride; /* every so manyth row */
  double start[TS_MODEL_MAX_PARAMETERS];
} physical;

static void set_parameters(const physical *p, const double *theta)
{
  for (uint32_t i = 1; i < p->m->model->parameter_count; i++)
    p->m->parameter[i] = p->start[i] * exp(theta[i - 1]);
}

/* Mean absolute logarithm of predicted over measured, which outliers bend less than squares. */
static double physical_loss(const double *theta, void *context)
{
  const physical *p = context;
  double sum = 0;
  uint32_t count = 0;
  set_parameters(p, theta);
  for (uint32_t i = 0; i < p->rows->count; i += p->stride, count++)
    sum += fabs(log(
      p->m->model->time(p->m->parameter, p->rows->feature + (size_t)i * p->m->model->feature_count)
        .us /
      p->rows->us[i]));
  return sum / count;
}

static void start_parameters(physical *p)
{
  const ts_kernel_model *model = p->m->model;
  double min = INFINITY, rate = 0, bandwidth = 0, flops, bytes;
  for (uint32_t i = 0; i < p->rows->count; i++) {
    model->work(p->rows->feature + (size_t)i * model->feature_count, &flops, &bytes);
    min = fmin(min, p->rows->us[i]);
    rate = fmax(rate, 1e-6 * flops / p->rows->us[i]);
    bandwidth = fmax(bandwidth, 1e-6 * bytes / p->rows->us[i]);
  }
  memcpy(p->start, model->start, sizeof p->start);
  p->start[TS_PARAMETER_FLOOR] = 0.8 * min;
  p->start[TS_PARAMETER_RATE] = rate > 0 ? 1.05 * rate : 1;
  p->start[TS_PARAMETER_BANDWIDTH] = bandwidth;
}

/* Of `powers`: exponents by least squares of logarithms, drawn to 0 by as much as 1 % of a row. */
static void start_powers(physical *p)
{
  uint32_t width = p->m->model->feature_count, n = width + 1;
  gsl_matrix *normal = gsl_matrix_calloc(n, n);
  gsl_vector *right = gsl_vector_calloc(n), *solution = gsl_vector_calloc(n);
  double min = INFINITY, x[TS_MODEL_MAX_FEATURES + 1] = {1};
  for (uint32_t i = 0; i < p->rows->count; i++) {
    for (uint32_t f = 0; f < width; f++)
      x[1 + f] = log(p->rows->feature[(size_t)i * width + f]);
    for (uint32_t a = 0; a < n; a++) {
      *gsl_vector_ptr(right, a) += x[a] * log(p->rows->us[i]);
      for (uint32_t b = 0; b < n; b++) *gsl_matrix_ptr(normal, a, b) += x[a] * x[b];
    }
    min = fmin(min, p->rows->us[i]);
  }
  for (uint32_t a = 1; a < n; a++) *gsl_matrix_ptr(normal, a, a) += 0.01;
  gsl_linalg_HH_solve(normal, right, solution);
  memset(p->start, 0, sizeof p->start);
  p->start[TS_PARAMETER_FLOOR] = 0.3 * min;
  p->start[TS_POWERS_SCALE] = fmin(fmax(exp(gsl_vector_get(solution, 0)), 1e-6), 1e6);
  for (uint32_t f = 0; f < width; f++)
    p->start[TS_POWERS_EXPONENT + f] = fmax(gsl_vector_get(solution, 1 + f), 0.01);
  gsl_matrix_free(normal);
  gsl_vector_free(right);
  gsl_vector_free(solution);
}

static void train_physical(ts_fit_model *m, const ts_fit_rows *rows)
{
  physical p = {.m = m, .rows = rows, .stride = (rows->count + PHYSICAL_ROWS - 1) / PHYSICAL_ROWS};
  double theta[TS_MODEL_MAX_PARAMETERS];
  if (ts_kernel_model_is_powers(m->model))
    start_powers(&p);
  else
    start_parameters(&p);
  ts_minimize_factors(
    &(ts_simplex){physical_loss, &p, m->model->parameter_count - 1, 1e-3, PHYSICAL_STEPS, 0},
    theta);
  set_parameters(&p, theta);
}

/* Kernels begin as a wide smooth one and a narrow one, both of about the size of the residual. */
static void start_kernels(ts_fit_model *m, const ts_gp_data *data, double *noise)
{
  static const struct { double smoothness, scale, share; } start[] = {{1.5, 4, 0.7}, {1.5, 2, 0.5}};
  double square = 1e-6;
  for (uint32_t i = 0; i < data->count; i++)
    square += data->target[i] * data->target[i] / data->count;
  m->kernel_count = sizeof start / sizeof *start;
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    m->kernel[c] = (ts_fit_kernel){.smoothness = start[c].smoothness,
                                   .deviation = start[c].share * sqrt(square)};
    for (uint32_t d = 0; d < m->input_count; d++) m->kernel[c].scale[d] = start[c].scale;
  }
  *noise = 0.3 * sqrt(square);
}

/* The shift with the least mean error in percent where each row is predicted from the others. */
static double best_shift(const ts_gp_data *data, uint32_t own, const double *left_out,
                         double *error)
{
  double best = INFINITY, shift = 0;
  for (int step = -30; step <= 30; step++) {
    double sum = 0;
    for (uint32_t i = 0; i < own; i++)
      sum += fabs(expm1(left_out[i] + 1e-3 * step - data->target[i]));
    if (sum < best)
      best = sum, shift = 1e-3 * step;
  }
  *error = best / own;
  return shift;
}

/* Rows [first, end), evenly thinned to at most so many. */
static void thin(ts_gp_data *few, double *input, double *target, const ts_gp_data *all,
                 uint32_t first, uint32_t end, uint32_t most)
{
  uint32_t stride = most ? (end - first + most - 1) / most : end + 1;
  for (uint32_t i = first; most && i < end; i += stride, few->count++) {
    memcpy(input + (size_t)few->count * all->inputs, all->input + (size_t)i * all->inputs,
           all->inputs * sizeof *input);
    target[few->count] = all->target[i];
  }
}

/* What covariances are learned from: rows of the table that is predicted first, then of others
 * where there is room. */
static ts_gp_data thinned(ts_arena *arena, const ts_gp_data *all, uint32_t own, uint32_t most)
{
  double *input = TS_NEW_ARRAY(arena, double, (size_t)all->count * all->inputs),
         *target = TS_NEW_ARRAY(arena, double, all->count);
  ts_gp_data few = {.inputs = all->inputs, .input = input, .target = target};
  thin(&few, input, target, all, 0, own, most);
  thin(&few, input, target, all, own, all->count, most - few.count);
  return few;
}

/* Noise of Student's t distribution, of so many degrees of freedom: a kernel that runs unlike its
 * neighbours says less of them. It is a normal one of another deviation each row, which is found as
 * Lange, Little and Taylor do ("Robust Statistical Modeling Using the t Distribution", JASA 84,
 * 1989, by expectation maximisation). */
static const double freedom = 4;

static bool solve_robustly(ts_arena *arena, ts_gp_data *data, const ts_fit_model *m, double noise,
                           double *weight, double *left_out)
{
  double *spread = TS_NEW_ARRAY(arena, double, data->count),
         *square = TS_NEW_ARRAY(arena, double, data->count);
  bool good = ts_gp_solve(data, m->kernel, m->kernel_count, noise, weight, left_out, square);
  for (int round = 1; round < SPREAD_ROUNDS && good; round++) {
    for (uint32_t i = 0; i < data->count; i++)
      spread[i] = (freedom + square[i] / (noise * noise)) / (freedom + 1);
    data->spread = spread;
    good = ts_gp_solve(data, m->kernel, m->kernel_count, noise, weight, left_out, square);
  }
  return good;
}

const ts_kernel_model *ts_fit_model_for(const ts_table_group *g, const char *of_bytes)
{
  const ts_kernel_model *model = ts_kernel_model_find(g->family);
  bool bytes = g->width == 1 && strcmp(g->name[0], "bytes") == 0;
  return model || !bytes || !of_bytes ? model : ts_kernel_model_find(of_bytes);
}

bool ts_fit_row_features(const ts_table_group *g, uint32_t row, const ts_kernel_model *model,
                         double *value)
{
  ts_feature feature[TS_TABLE_MAX_COLUMNS];
  ts_cost_query query = {.feature = feature};
  for (uint32_t f = 0; f < g->width; f++) {
    double x = g->value[(size_t)row * g->width + f];
    if (strcmp(g->name[f], "bytes") == 0)
      query.bytes = x;
    else if (strcmp(g->name[f], "flops") == 0)
      query.flops = x;
    else if (!ts_kernel_model_is_of_bytes(model))
      feature[query.feature_count++] = (ts_feature){g->name[f], x};
  }
  bool usable = ts_query_values(&query, model->feature_count, model->feature, value);
  for (uint32_t f = 0; usable && f < model->feature_count; f++) usable = value[f] > 0;
  return usable;
}

/* Logarithms that the physical model leaves of the rows, and the inputs they are learned on. */
static ts_gp_data residual_of(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows)
{
  m->row = rows->feature, m->row_us = rows->us, m->row_table = rows->table,
  m->row_count = rows->count, m->own_rows = rows->own;
  double *input = TS_NEW_ARRAY(arena, double, (size_t)rows->count * m->input_count),
         *target = TS_NEW_ARRAY(arena, double, rows->count);
  for (uint32_t i = 0; i < rows->count; i++)
    target[i] =
      log(rows->us[i] / ts_fit_inputs(m, rows->feature + (size_t)i * m->model->feature_count,
                                      rows->table[i], input + (size_t)i * m->input_count));
  return (ts_gp_data){rows->count, m->input_count, input, target, NULL};
}

static bool solve_residual(ts_arena *arena, ts_fit_model *m, ts_gp_data *data, uint32_t own,
                           double noise, double *weight, double *left_out)
{
  double *without = TS_NEW_ARRAY(arena, double, data->count);
  if (m->input_count && !solve_robustly(arena, data, m, noise, weight, without))
    return false;
  m->shift = best_shift(data, own, without, left_out);
  if (!m->input_count)
    *left_out = NAN;
  return true;
}

bool ts_fit_solve(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double noise,
                  double *weight, double *left_out)
{
  ts_gp_data data = residual_of(arena, m, rows);
  return solve_residual(arena, m, &data, rows->own, noise, weight, left_out);
}

bool ts_fit_train(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double *noise,
                  double *weight, double *left_out)
{
  train_physical(m, rows);
  m->input_count = 0;
  for (const char *const *name = m->model->input; *name; name++)
    ts_model_input_parse(m->model, *name, &m->input[m->input_count++]);
  if (rows->own < rows->count)
    ts_model_input_parse(m->model, "table", &m->input[m->input_count++]);
  ts_gp_data data = residual_of(arena, m, rows);
  if (m->input_count) {
    ts_gp_data few = thinned(arena, &data, rows->own, LEARN_ROWS);
    start_kernels(m, &few, noise);
    ts_gp_learn(&few, m->kernel, m->kernel_count, noise, LEARN_ITERATIONS);
  }
  return solve_residual(arena, m, &data, rows->own, *noise, weight, left_out);
}
