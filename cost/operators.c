#include "cost/operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/table.h"
#include "cost/gp.h"
#include "cost/minimize.h"
#include "cost/trees.h"

enum { CLASS_ROWS = 400, CLASS_STEPS = 800, KEPT_ROWS = 500, FAMILY_ROWS = 100 };

/* What a parameter is measured in, by its name: shares of the device's rate, bandwidth or cache,
 * its processors, bytes a clock of each (caches: the rate to them grows with those that ask), time
 * that is thousands of clocks, or as it is. */
typedef enum scaling {
  SCALE_NONE,
  SCALE_UNITS,
  SCALE_RATE,
  SCALE_BANDWIDTH,
  SCALE_CLOCKS,
  SCALE_CACHE,
  SCALE_CACHE_RATE
} scaling;

static bool ends_in(const char *name, const char *tail)
{
  size_t length = strlen(name), ending = strlen(tail);
  return length >= ending && strcmp(name + length - ending, tail) == 0;
}

static scaling scaling_of(const char *name)
{
  if (strcmp(name, "units") == 0)
    return SCALE_UNITS;
  if (strcmp(name, "tflops") == 0)
    return SCALE_RATE;
  if (strcmp(name, "cache_megabytes") == 0)
    return SCALE_CACHE;
  if (strcmp(name, "cache_terabytes_per_s") == 0)
    return SCALE_CACHE_RATE;
  return ends_in(name, "terabytes_per_s") ? SCALE_BANDWIDTH :
         ends_in(name, "_us")             ? SCALE_CLOCKS :
                                            SCALE_NONE;
}

static double power_of(const ts_op_device *d)
{
  return d->watts > 0 ? log(d->watts / d->tflops) : NAN;
}

/* Of a device that is none of those of the class: 1. */
static double faster_than_sheet(const ts_op_class *c, const ts_op_device *d)
{
  for (uint32_t i = 0; i < c->device_count; i++)
    if (d == &c->device[i])
      return c->faster[i];
  return 1;
}

/* What a family has of its own. */
typedef struct factors { double slope, floor; } factors;
static const factors of_class = {1, 1};

/* Parameters of the physical model on a device. A board that has fewer watts for each FLOP/s of its
 * peak runs large kernels at a lower clock: the share of the peak follows a power of them. Floors
 * of measured calls shrink with the generations, which the bandwidth stands for. */
static void parameters_on(const ts_op_class *c, factors own, const ts_op_device *d,
                          double *parameter)
{
  double power = power_of(d), bandwidth = log(d->terabytes_per_s);
  double slope = own.slope * faster_than_sheet(c, d);
  double rate = isnan(power) || isnan(c->reference[TS_OP_POWER]) ?
                  1 :
                  exp(c->exponent[TS_OP_POWER] * (power - c->reference[TS_OP_POWER]));
  for (uint32_t i = 0; i < c->model->parameter_count; i++) {
    scaling s = scaling_of(c->model->parameter[i]);
    parameter[i] = s == SCALE_UNITS     ? d->units :
                   s == SCALE_RATE      ? c->share[i] * d->tflops * rate * slope :
                   s == SCALE_BANDWIDTH ? c->share[i] * d->terabytes_per_s * slope :
                   s == SCALE_CLOCKS    ? c->share[i] / d->gigahertz :
                   s == SCALE_CACHE     ? c->share[i] * d->cache_megabytes :
                   s == SCALE_CACHE_RATE ?
                                          c->share[i] * 1e-3 * d->units * d->gigahertz * slope :
                                          c->share[i];
  }
  parameter[TS_PARAMETER_FLOOR] *=
    own.floor * exp(c->exponent[TS_OP_FLOOR] * (bandwidth - c->reference[TS_OP_FLOOR]));
}

static double physical(const ts_op_class *c, factors own, const ts_op_device *d,
                       const double *feature)
{
  double parameter[TS_MODEL_MAX_PARAMETERS];
  parameters_on(c, own, d, parameter);
  return c->model->time(parameter, feature).us;
}

/* -- the class -- */

typedef struct operators_search {
  ts_op_class *c;
  double start[TS_MODEL_MAX_PARAMETERS];
  bool free_exponent[TS_OP_EXPONENTS];
  uint32_t stride;
} operators_search;

/* Caches are as the devices state them: tables do not have the sizes that would tell their rate. */
static bool is_searched(const ts_kernel_model *model, uint32_t parameter)
{
  scaling s = scaling_of(model->parameter[parameter]);
  return s != SCALE_UNITS && s != SCALE_CACHE && s != SCALE_CACHE_RATE;
}

static void set_class(const operators_search *s, const double *theta)
{
  ts_op_class *c = s->c;
  size_t at = 0;
  for (uint32_t i = 1; i < c->model->parameter_count; i++)
    c->share[i] = s->start[i] * (is_searched(c->model, i) ? exp(theta[at++]) : 1);
  for (int e = 0; e < TS_OP_EXPONENTS; e++)
    if (s->free_exponent[e])
      c->exponent[e] = theta[at++];
}

/* Mean absolute logarithm of predicted over measured, each family alike. */
static double class_loss(const double *theta, void *context)
{
  const operators_search *s = context;
  const ts_op_class *c = s->c;
  double sum = 0, weights = 0;
  set_class(s, theta);
  for (uint32_t f = 0; f < c->family_count; f++) {
    const ts_op_rows *r = &c->family[f].rows;
    double loss = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->count; i += s->stride, n++)
      loss += fabs(log(physical(c, of_class, &c->device[r->device[i]],
                                r->feature + (size_t)i * c->model->feature_count) /
                       r->us[i]));
    sum += loss / sqrt(n);
    weights += sqrt(n);
  }
  return sum / weights;
}

/* The best shares seen, and the least time. */
static void start_class(operators_search *s)
{
  const ts_op_class *c = s->c;
  double min = INFINITY, rate = 0, bandwidth = 0, flops, bytes;
  for (uint32_t f = 0; f < c->family_count; f++) {
    const ts_op_rows *r = &c->family[f].rows;
    for (uint32_t i = 0; i < r->count; i++) {
      const ts_op_device *d = &c->device[r->device[i]];
      c->model->work(r->feature + (size_t)i * c->model->feature_count, &flops, &bytes);
      min = fmin(min, r->us[i] * d->gigahertz);
      rate = fmax(rate, fmin(1e-6 * flops / r->us[i] / d->tflops, 1));
      bandwidth = fmax(bandwidth, fmin(1e-6 * bytes / r->us[i] / d->terabytes_per_s, 1));
    }
  }
  for (uint32_t i = 0; i < c->model->parameter_count; i++) {
    s->start[i] = c->model->start[i];
    if (i >= TS_PARAMETER_OWN && scaling_of(c->model->parameter[i]) == SCALE_BANDWIDTH)
      s->start[i] = 2 * bandwidth;
    if (scaling_of(c->model->parameter[i]) == SCALE_CACHE)
      s->start[i] = 0.5;
    if (scaling_of(c->model->parameter[i]) == SCALE_CACHE_RATE)
      s->start[i] = 32; /* bytes a clock */
  }
  s->start[TS_PARAMETER_FLOOR] = 0.8 * min;
  s->start[TS_PARAMETER_RATE] = rate > 0 ? rate : 1;
  s->start[TS_PARAMETER_BANDWIDTH] = bandwidth;
}

/* Exponents can be found where rows are of devices that differ: that of power from classes that
 * compute, that of the floor from those that only move data. Those that are given, and those that
 * rows do not tell, stay as they are. */
static void free_exponents(operators_search *s)
{
  ts_op_class *c = s->c;
  double low[TS_OP_EXPONENTS] = {INFINITY, INFINITY},
         high[TS_OP_EXPONENTS] = {-INFINITY, -INFINITY}, sum[TS_OP_EXPONENTS] = {0};
  uint32_t devices = 0, rows = 0;
  double flops, bytes;
  for (uint32_t d = 0; d < c->device_count; d++) {
    bool used = false;
    for (uint32_t f = 0; f < c->family_count && !used; f++)
      for (uint32_t i = 0; i < c->family[f].rows.count && !used; i++)
        used = c->family[f].rows.device[i] == d;
    if (!used)
      continue;
    double x[TS_OP_EXPONENTS] = {power_of(&c->device[d]), log(c->device[d].terabytes_per_s)};
    for (int e = 0; e < TS_OP_EXPONENTS; e++)
      low[e] = fmin(low[e], x[e]), high[e] = fmax(high[e], x[e]), sum[e] += x[e];
    devices++;
  }
  for (uint32_t f = 0; f < c->family_count; f++) rows += c->family[f].rows.count;
  c->model->work(c->family[0].rows.feature, &flops, &bytes);
  for (int e = 0; e < TS_OP_EXPONENTS; e++) {
    c->reference[e] = sum[e] / devices;
    s->free_exponent[e] = !c->exponent[e] && devices > 1 && high[e] - low[e] > 0.1 &&
                          isfinite(c->reference[e]) && (e == TS_OP_POWER) == (flops > 0);
  }
  s->stride = (rows + CLASS_ROWS - 1) / CLASS_ROWS;
}

static void train_class(ts_op_class *c)
{
  operators_search s = {.c = c};
  free_exponents(&s);
  start_class(&s);
  size_t size = (size_t)s.free_exponent[0] + s.free_exponent[1];
  for (uint32_t i = 1; i < c->model->parameter_count; i++) size += is_searched(c->model, i);
  double theta[TS_MODEL_MAX_PARAMETERS + TS_OP_EXPONENTS];
  ts_minimize_factors(&(ts_simplex){class_loss, &s, size, 2e-3, CLASS_STEPS, 0}, theta);
  set_class(&s, theta);
}

/* -- a device -- */

enum { POLISH_ROUNDS = 10, POLISH_ROWS = 16 };

static double median_of(double *value, uint32_t count)
{
  qsort(value, count, sizeof *value, ts_by_double);
  return count ? 0.5 * (value[count / 2] + value[(count - 1) / 2]) : 0;
}

/* Boards run above or below what their sheets let expect, whatever the operator. The logarithms
 * that the class leaves are taken apart into one of each family and one of each device, by medians
 * (Tukey's median polish); that of a device is drawn to 0 as by so many rows. */
static void train_devices(ts_arena *arena, ts_op_class *c)
{
  uint32_t rows = 0, at = 0, *family, *device;
  for (uint32_t f = 0; f < c->family_count; f++) rows += c->family[f].rows.count;
  double *left = TS_NEW_ARRAY(arena, double, rows), *some = TS_NEW_ARRAY(arena, double, rows),
         *of_family = TS_NEW_ARRAY(arena, double, c->family_count),
         *of_device = TS_NEW_ARRAY(arena, double, c->device_count);
  family = TS_NEW_ARRAY(arena, uint32_t, rows), device = TS_NEW_ARRAY(arena, uint32_t, rows);
  for (uint32_t f = 0; f < c->family_count; f++) {
    const ts_op_rows *r = &c->family[f].rows;
    for (uint32_t i = 0; i < r->count; i++, at++) {
      family[at] = f, device[at] = r->device[i];
      left[at] = log(physical(c, of_class, &c->device[r->device[i]],
                              r->feature + (size_t)i * c->model->feature_count) /
                     r->us[i]);
    }
  }
  for (int round = 0; round < POLISH_ROUNDS; round++) {
    for (uint32_t f = 0; f < c->family_count; f++) {
      uint32_t n = 0;
      for (uint32_t i = 0; i < rows; i++)
        if (family[i] == f)
          some[n++] = left[i] - of_device[device[i]];
      of_family[f] = median_of(some, n);
    }
    for (uint32_t d = 0; d < c->device_count; d++) {
      uint32_t n = 0;
      for (uint32_t i = 0; i < rows; i++)
        if (device[i] == d)
          some[n++] = left[i] - of_family[family[i]];
      of_device[d] = median_of(some, n) * n / (n + POLISH_ROWS);
    }
  }
  for (uint32_t d = 0; d < c->device_count; d++)
    c->faster[d] = exp(of_device[d]);
}

/* -- a family -- */

/* What residuals are learned on: logarithms of the sizes, which no device changes. Launches of
 * several products lie one below the other. */
static uint32_t size_inputs(const ts_kernel_model *model, ts_model_input *input)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < model->feature_count; i++)
    if (strcmp(model->feature[i], "count") != 0)
      ts_model_input_parse(model, model->feature[i], &input[n++]);
  return n;
}

static void sizes_of(const ts_kernel_model *model, const double *feature, double *value)
{
  ts_model_input input[TS_MODEL_MAX_INPUTS];
  uint32_t n = size_inputs(model, input);
  for (uint32_t i = 0; i < n; i++)
    value[i] = ts_model_input_value(model, &input[i], NULL, feature, NULL, 0);
}

static double family_loss(const ts_op_class *c, const ts_op_family *f, factors own)
{
  uint32_t stride = (f->rows.count + FAMILY_ROWS - 1) / FAMILY_ROWS;
  double loss = 0.05 * fabs(log(own.slope)) + 0.1 * fabs(log(own.floor));
  for (uint32_t i = 0; i < f->rows.count; i += stride)
    loss += fabs(log(physical(c, own, &c->device[f->rows.device[i]],
                              f->rows.feature + (size_t)i * c->model->feature_count) /
                     f->rows.us[i]));
  return loss;
}

/* The factors with the least mean absolute logarithm, on a grid that becomes finer, pulled to those
 * of the class as by a fraction of a row. */
static void train_family(const ts_op_class *c, ts_op_family *f)
{
  double best = INFINITY;
  factors at = of_class;
  for (double step = 0.4; step > 0.01; step /= 2) {
    factors middle = at;
    for (int i = -6; i <= 6; i++)
      for (int k = -4; k <= 4; k++) {
        factors own = {middle.slope * exp(step * i / 2), middle.floor * exp(step * k / 2)};
        double loss = family_loss(c, f, own);
        if (loss < best)
          best = loss, at = own;
      }
  }
  f->slope = at.slope, f->floor = at.floor;
}

/* Covariance of what is left: rough, over some octaves of the sizes; half of it is common to
 * neighbours, the rest is a row's own. */
static const ts_fit_kernel family_kernel = {.smoothness = 0.5};
static const double family_scale = 3, family_noise = 0.5;

static void train_residual(ts_arena *arena, const ts_op_class *c, ts_op_family *f)
{
  ts_model_input inputs[TS_MODEL_MAX_INPUTS];
  uint32_t width = c->model->feature_count, wide = size_inputs(c->model, inputs),
           stride = (f->rows.count + KEPT_ROWS - 1) / KEPT_ROWS, n = 0;
  uint32_t room = (f->rows.count + stride - 1) / stride;
  double *row = TS_NEW_ARRAY(arena, double, (size_t)room *width),
         *input = TS_NEW_ARRAY(arena, double, (size_t)room *wide);
  double *target = TS_NEW_ARRAY(arena, double, room), *weight = TS_NEW_ARRAY(arena, double, room),
         *left_out = TS_NEW_ARRAY(arena, double, room);
  double *us = TS_NEW_ARRAY(arena, double, room), square = 1e-6;
  uint32_t *device = TS_NEW_ARRAY(arena, uint32_t, room);
  for (uint32_t i = 0; i < f->rows.count; i += stride, n++) {
    const double *x = f->rows.feature + (size_t)i * width;
    memcpy(row + (size_t)n * width, x, width * sizeof *row);
    sizes_of(c->model, x, input + (size_t)n * wide);
    device[n] = f->rows.device[i], us[n] = f->rows.us[i];
    target[n] = log(us[n] / physical(c, (factors){f->slope, f->floor}, &c->device[device[n]], x));
    square += target[n] * target[n];
  }
  f->kernel = family_kernel;
  f->kernel.deviation = sqrt(square / n);
  for (uint32_t d = 0; d < wide; d++) f->kernel.scale[d] = family_scale;
  ts_gp_data data = {n, wide, input, target, NULL};
  if (ts_gp_solve(&data, &f->kernel, 1, family_noise * f->kernel.deviation, weight, left_out,
                  NULL)) {
    f->points = n, f->row = row, f->size = input, f->sizes = wide, f->weight = weight,
    f->row_device = device, f->row_us = us;
  }
}

static void take_range(const ts_op_class *c, ts_op_family *f)
{
  uint32_t width = c->model->feature_count;
  for (uint32_t d = 0; d < width; d++)
    f->low[d] = INFINITY;
  for (uint32_t i = 0; i < f->rows.count; i++)
    for (uint32_t d = 0; d < width; d++) {
      double x = f->rows.feature[(size_t)i * width + d];
      f->low[d] = fmin(f->low[d], x), f->high[d] = fmax(f->high[d], x);
    }
}

ts_op_class *ts_op_train(ts_arena *arena, const ts_kernel_model *model, const ts_op_device *device,
                         uint32_t device_count, const ts_op_rows *families, uint32_t family_count,
                         const double *exponent)
{
  ts_op_class *c = TS_NEW(arena, ts_op_class);
  *c = (ts_op_class){
    .model = model, .device = device, .device_count = device_count, .family_count = family_count};
  if (exponent)
    memcpy(c->exponent, exponent, sizeof c->exponent);
  c->family = TS_NEW_ARRAY(arena, ts_op_family, family_count);
  c->faster = TS_NEW_ARRAY(arena, double, device_count);
  for (uint32_t d = 0; d < device_count; d++) c->faster[d] = 1;
  for (uint32_t f = 0; f < family_count; f++) c->family[f].rows = families[f];
  train_class(c);
  train_devices(arena, c);
  for (uint32_t f = 0; f < family_count; f++) {
    train_family(c, &c->family[f]);
    train_residual(arena, c, &c->family[f]);
    take_range(c, &c->family[f]);
  }
  return c;
}

/* -- learners -- */

enum { LEAST_TREE_ROWS = 32 };

const char *const ts_op_learner_name[] = {
  [TS_OP_GAUSSIAN] = "Gaussian process",
  [TS_OP_ANALYTIC] = "analytic alone",
  [TS_OP_TREES] = "boosted trees",
  [TS_OP_FOREST] = "forest"};
TS_TABLE(ts_op_learner_name, TS_OP_LEARNERS);

ts_op_learner ts_op_best(const double *error)
{
  ts_op_learner best = TS_OP_GAUSSIAN;
  for (int l = 0; l < TS_OP_LEARNERS; l++)
    if (error[l] < error[best])
      best = (ts_op_learner)l;
  return best;
}

static void model_inputs(const ts_op_class *c, factors own, const ts_op_device *d,
                         const double *feature, double *value)
{
  double parameter[TS_MODEL_MAX_PARAMETERS];
  ts_model_input input[TS_MODEL_MAX_INPUTS];
  uint32_t n = ts_model_tree_inputs(c->model, input);
  parameters_on(c, own, d, parameter);
  ts_model_time time = c->model->time(parameter, feature);
  for (uint32_t i = 0; i < n; i++)
    value[i] = ts_model_input_value(c->model, &input[i], parameter, feature, &time, 0);
}

static bool grow(ts_arena *arena, const ts_op_class *c, ts_op_family *f, ts_tree_kind kind,
                 ts_error *wrong)
{
  ts_model_input list[TS_MODEL_MAX_INPUTS];
  uint32_t wide = ts_model_tree_inputs(c->model, list);
  factors own = {f->slope, f->floor};
  double *input = TS_NEW_ARRAY(arena, double, (size_t)f->rows.count *wide),
         *target = TS_NEW_ARRAY(arena, double, f->rows.count);
  for (uint32_t r = 0; r < f->rows.count; r++) {
    const ts_op_device *d = &c->device[f->rows.device[r]];
    const double *x = f->rows.feature + (size_t)r * c->model->feature_count;
    model_inputs(c, own, d, x, input + (size_t)r * wide);
    target[r] = log(f->rows.us[r] / physical(c, own, d, x));
  }
  return ts_trees_grow(arena, kind, input, f->rows.count, wide, target, &f->trees, wrong);
}

ts_op_class *ts_op_learned_by(ts_arena *arena, const ts_op_class *c, ts_op_learner learner,
                              ts_error *wrong)
{
  ts_op_class *copy = ts_arena_copy(arena, c, sizeof *c);
  copy->family = ts_arena_copy(arena, c->family, c->family_count * sizeof *c->family);
  for (uint32_t i = 0; i < c->family_count; i++) {
    ts_op_family *f = &copy->family[i];
    if (learner == TS_OP_ANALYTIC)
      f->points = 0;
    else if (learner != TS_OP_GAUSSIAN && f->rows.count >= LEAST_TREE_ROWS &&
             !grow(arena, c, f, learner == TS_OP_TREES ? TS_TREES_BOOSTED : TS_TREES_FOREST, wrong))
      return NULL;
  }
  return copy;
}

/* Rows of a device, or of all others. */
static uint32_t operators_divide(ts_arena *arena, const ts_op_rows *from, uint32_t count,
                                 uint32_t width, uint32_t device, bool only, ts_op_rows *to)
{
  uint32_t n = 0;
  for (uint32_t f = 0; f < count; f++) {
    double *feature = TS_NEW_ARRAY(arena, double, (size_t)from[f].count *width),
           *us = TS_NEW_ARRAY(arena, double, from[f].count);
    uint32_t *on = TS_NEW_ARRAY(arena, uint32_t, from[f].count), rows = 0;
    for (uint32_t i = 0; i < from[f].count; i++)
      if ((from[f].device[i] == device) == only) {
        memcpy(feature + (size_t)rows * width, from[f].feature + (size_t)i * width,
               width * sizeof *feature);
        us[rows] = from[f].us[i], on[rows++] = from[f].device[i];
      }
    if (rows)
      to[n++] = (ts_op_rows){from[f].family, rows, feature, us, on};
  }
  return n;
}

double ts_op_mean_log(const ts_op_class *c, const ts_op_device *device, const ts_op_rows *out,
                      uint32_t count)
{
  double sum = 0;
  uint32_t n = 0;
  for (uint32_t f = 0; f < count; f++) {
    const ts_op_family *family = ts_op_family_of(c, out[f].family);
    for (uint32_t i = 0; family && i < out[f].count; i++, n++)
      sum += fabs(
        log(ts_op_time(c, family, device, out[f].feature + (size_t)i * c->model->feature_count) /
            out[f].us[i]));
  }
  return n ? sum / n : NAN;
}

bool ts_op_compare(ts_arena *arena, const ts_kernel_model *model, const ts_op_device *device,
                   uint32_t device_count, const ts_op_rows *families, uint32_t family_count,
                   const double *exponent, double *error, ts_op_learner *best, ts_error *wrong)
{
  uint32_t measured = 0;
  *wrong = (ts_error){0};
  *best = TS_OP_GAUSSIAN;
  for (int l = 0; l < TS_OP_LEARNERS; l++) error[l] = 0;
  for (uint32_t d = 0; d < device_count; d++) {
    ts_op_rows *out = TS_NEW_ARRAY(arena, ts_op_rows, family_count),
               *others = TS_NEW_ARRAY(arena, ts_op_rows, family_count);
    uint32_t left =
      operators_divide(arena, families, family_count, model->feature_count, d, true, out);
    uint32_t rest =
      operators_divide(arena, families, family_count, model->feature_count, d, false, others);
    if (!left || !rest)
      continue;
    const ts_op_class *c = ts_op_train(arena, model, device, device_count, others, rest, exponent);
    if (isnan(ts_op_mean_log(c, &device[d], out, left)))
      continue;
    for (int l = 0; l < TS_OP_LEARNERS; l++) {
      const ts_op_class *by = ts_op_learned_by(arena, c, (ts_op_learner)l, wrong);
      if (!by)
        return false;
      error[l] += (ts_op_mean_log(by, &device[d], out, left) - error[l]) / (measured + 1);
    }
    measured++;
  }
  if (!measured)
    return false;
  *best = ts_op_best(error);
  return true;
}

/* -- asking -- */

const ts_op_family *ts_op_family_of(const ts_op_class *c, const char *family)
{
  for (uint32_t f = 0; f < c->family_count; f++)
    if (strcmp(c->family[f].rows.family, family) == 0)
      return &c->family[f];
  return NULL;
}

double ts_op_time(const ts_op_class *c, const ts_op_family *f, const ts_op_device *device,
                  const double *feature)
{
  factors own = f ? (factors){f->slope, f->floor} : of_class;
  double at[TS_MODEL_MAX_INPUTS], residual = 0, us = physical(c, own, device, feature);
  if (f && f->trees.root_count) {
    model_inputs(c, own, device, feature, at);
    return us * exp(ts_trees_sum(&f->trees, at));
  }
  sizes_of(c->model, feature, at);
  for (uint32_t i = 0; f && i < f->points; i++) {
    double square = 0;
    for (uint32_t d = 0; d < f->sizes; d++) {
      double far = (at[d] - f->size[(size_t)i * f->sizes + d]) / f->kernel.scale[d];
      square += far * far;
    }
    residual += f->weight[i] * f->kernel.deviation * f->kernel.deviation * exp(-sqrt(square));
  }
  return us * exp(residual);
}

double ts_op_outside(const ts_op_class *c, const ts_op_family *f, const double *feature)
{
  double most = 1;
  for (uint32_t d = 0; f && d < c->model->feature_count; d++)
    most = fmax(most, fmax(feature[d] / f->high[d], f->low[d] / feature[d]));
  return f ? most : INFINITY;
}

typedef struct placed { const double *row; uint32_t width, device, at; } placed;

static int by_device(const void *x, const void *y)
{
  const placed *a = x, *b = y;
  if (a->device != b->device)
    return a->device < b->device ? -1 : 1;
  for (uint32_t i = 0; i < a->width; i++)
    if (a->row[i] != b->row[i])
      return a->row[i] < b->row[i] ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

void ts_op_instantiate(ts_arena *arena, const ts_op_class *c, const ts_op_family *f,
                       const char *dtype, const ts_op_device *device, ts_fit_model *m,
                       double **weight)
{
  uint32_t width = c->model->feature_count, n = 0;
  placed *order = TS_NEW_ARRAY(arena, placed, f->points);
  double *row = TS_NEW_ARRAY(arena, double, (size_t)f->points *width),
         *us = TS_NEW_ARRAY(arena, double, f->points),
         *table = TS_NEW_ARRAY(arena, double, f->points);
  for (uint32_t i = 0; i < f->points; i++)
    order[i] = (placed){f->row + (size_t)i * width, width, f->row_device[i], i};
  qsort(order, f->points, sizeof *order, by_device);
  *weight = TS_NEW_ARRAY(arena, double, f->points);
  for (uint32_t i = 0; i < f->points; i++) {
    bool same = n && table[n - 1] == order[i].device + 1 &&
                memcmp(row + (size_t)(n - 1) * width, order[i].row, width * sizeof *row) == 0;
    n += !same; /* the weights of equal rows add up */
    memcpy(row + (size_t)(n - 1) * width, order[i].row, width * sizeof *row);
    us[n - 1] = f->row_us[order[i].at];
    table[n - 1] = order[i].device + 1; /* none is the device's own */
    (*weight)[n - 1] += f->weight[order[i].at];
  }
  *m = (ts_fit_model){.family = f->rows.family,
                      .dtype = dtype,
                      .model = c->model,
                      .kernel_count = f->points > 0,
                      .kernel = {f->kernel},
                      .row_count = n,
                      .row = row,
                      .row_us = us,
                      .row_table = table};
  parameters_on(c, (factors){f->slope, f->floor}, device, m->parameter);
  m->input_count = size_inputs(c->model, m->input);
  if (f->trees.root_count) { /* they answer alone */
    m->trees = f->trees, m->kernel_count = 0, m->row_count = 0;
    m->input_count = ts_model_tree_inputs(c->model, m->input);
  }
  memcpy(m->low, f->low, sizeof m->low);
  memcpy(m->high, f->high, sizeof m->high);
}
