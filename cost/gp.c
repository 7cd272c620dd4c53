#include "cost/gp.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

/* Matrices are square with rows padded to whole chunks, so that inner loops have a fixed length and
 * vectorise without reordering sums. */
enum { CHUNK = 8 };
typedef struct matrix { uint32_t size, stride; double *at; } matrix;

/* Deviations far above 1 would make weights that cancel in the last digits. */
static const double PRIOR_SCALE = 3, PRIOR_WEIGHT = 0.05, DEVIATION_WEIGHT = 100;

static matrix new_matrix(ts_arena *arena, uint32_t size)
{
  matrix m = {.size = size, .stride = (size + CHUNK - 1) / CHUNK * CHUNK};
  m.at = TS_NEW_ARRAY(arena, double, (size_t)size * m.stride);
  return m;
}

static double *gp_row_of(const matrix *m, uint32_t i) { return m->at + (size_t)i * m->stride; }

/* y -= sum of f[r] x[r], over chunks from that of `begin`. */
static void subtract_rows(double *y, const double *const x[4], const double f[4], uint32_t begin,
                          uint32_t stride)
{
  for (uint32_t j = begin / CHUNK * CHUNK; j < stride; j += CHUNK)
    for (int l = 0; l < CHUNK; l++)
      y[j + l] -= f[0] * x[0][j + l] + f[1] * x[1][j + l] + f[2] * x[2][j + l] + f[3] * x[3][j + l];
}

static double dot(const double *x, const double *y, uint32_t begin, uint32_t stride)
{
  double sum[CHUNK] = {0}, total = 0;
  for (uint32_t j = begin / CHUNK * CHUNK; j < stride; j += CHUNK)
    for (int l = 0; l < CHUNK; l++) sum[l] += x[j + l] * y[j + l];
  for (int l = 0; l < CHUNK; l++) total += sum[l];
  return total;
}

/* The upper half becomes U of K = U'U, below it zeros. */
static bool factorise(matrix *k)
{
  for (uint32_t i = 0; i < k->size; i++) {
    double *row = gp_row_of(k, i);
    memset(row, 0, i * sizeof *row);
    for (uint32_t p = 0; p < i; p += 4) {
      const double *x[4];
      double f[4];
      for (uint32_t r = 0; r < 4; r++) {
        x[r] = gp_row_of(k, p + r < i ? p + r : 0);
        f[r] = p + r < i ? x[r][i] : 0;
      }
      subtract_rows(row, x, f, i, k->stride);
    }
    memset(row, 0, i * sizeof *row);
    if (!(row[i] > 0))
      return false;
    double pivot = sqrt(row[i]);
    for (uint32_t j = i; j < k->size; j++) row[j] /= pivot;
  }
  return true;
}

/* V = inverse of U. */
static void invert_factor(const matrix *u, matrix *v)
{
  for (uint32_t i = u->size; i-- > 0;) {
    double *row = gp_row_of(v, i);
    memset(row, 0, v->stride * sizeof *row);
    row[i] = 1;
    for (uint32_t p = i + 1; p < u->size; p += 4) {
      const double *x[4];
      double f[4];
      for (uint32_t r = 0; r < 4; r++) {
        x[r] = gp_row_of(v, p + r < u->size ? p + r : p);
        f[r] = p + r < u->size ? gp_row_of(u, i)[p + r] : 0;
      }
      subtract_rows(row, x, f, p, v->stride);
    }
    for (uint32_t j = i; j < v->size; j++)
      row[j] /= gp_row_of(u, i)[i];
  }
}

static double distance_between(const ts_fit_kernel *kernel, uint32_t inputs, const double *a,
                               const double *b)
{
  double q = 0;
  for (uint32_t d = 0; d < inputs; d++) {
    double x = (a[d] - b[d]) / kernel->scale[d];
    q += x * x;
  }
  return q;
}

static double square_distance(const ts_gp_data *data, const ts_fit_kernel *kernel, uint32_t i,
                              uint32_t j)
{
  return distance_between(kernel, data->inputs, data->input + (size_t)i * data->inputs,
                          data->input + (size_t)j * data->inputs);
}

/* Covariance at a squared distance, for deviation 1; *slope: -2 times its derivative. */
static double matern(double smoothness, double q, double *slope)
{
  double r = sqrt(smoothness > 1 ? 3 * q : q), e = exp(-r);
  *slope = smoothness > 1 ? 3 * e : e / (r + 1e-9);
  return smoothness > 1 ? (1 + r) * e : e;
}

double ts_gp_covariance(const ts_fit_kernel *kernel, uint32_t kernels, uint32_t inputs,
                        const double *a, const double *b)
{
  double slope, sum = 0;
  for (uint32_t c = 0; c < kernels; c++)
    sum += kernel[c].deviation * kernel[c].deviation *
           matern(kernel[c].smoothness, distance_between(&kernel[c], inputs, a, b), &slope);
  return sum;
}

static double spread_of(const ts_gp_data *data, uint32_t row)
{
  return data->spread ? data->spread[row] : 1;
}

static void covariance(const ts_gp_data *data, const ts_fit_kernel *kernel, uint32_t kernels,
                       double noise, matrix *k)
{
  double slope, common = 0;
  for (uint32_t c = 0; c < kernels; c++) common += kernel[c].deviation * kernel[c].deviation;
  for (uint32_t i = 0; i < data->count; i++) {
    gp_row_of(k, i)[i] = common + noise * noise * spread_of(data, i);
    for (uint32_t j = i + 1; j < data->count; j++) {
      double sum = 0;
      for (uint32_t c = 0; c < kernels; c++)
        sum += kernel[c].deviation * kernel[c].deviation *
               matern(kernel[c].smoothness, square_distance(data, &kernel[c], i, j), &slope);
      gp_row_of(k, i)[j] = sum;
    }
  }
}

typedef struct gp_search {
  const ts_gp_data *data;
  ts_fit_kernel *kernel;
  uint32_t kernels;
  matrix k, v;
  double *half, *weight; /* V' target; K^-1 target */
} gp_search;

static void solve(gp_search *s)
{
  uint32_t n = s->data->count;
  memset(s->half, 0, s->v.stride * sizeof *s->half);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++)
      s->half[j] += gp_row_of(&s->v, i)[j] * s->data->target[i];
  for (uint32_t i = 0; i < n; i++)
    s->weight[i] = dot(gp_row_of(&s->v, i), s->half, i, s->v.stride);
}

static void read_theta(gp_search *s, const gsl_vector *theta, double *noise)
{
  uint32_t at = 0;
  for (uint32_t c = 0; c < s->kernels; c++) {
    for (uint32_t d = 0; d < s->data->inputs; d++)
      s->kernel[c].scale[d] = exp(gsl_vector_get(theta, at++));
    s->kernel[c].deviation = exp(gsl_vector_get(theta, at++));
  }
  *noise = exp(gsl_vector_get(theta, at));
}

/* Negative logarithm of the marginal likelihood and its gradient (eq. 5.9) in the logarithms of the
 * hyperparameters. */
static double loss(gp_search *s, const gsl_vector *theta, gsl_vector *gradient)
{
  const ts_gp_data *data = s->data;
  double noise, sum = 0, g[TS_FIT_MAX_KERNELS][TS_MODEL_MAX_INPUTS + 1] = {0}, trace = 0;
  if (gradient)
    gsl_vector_set_zero(gradient);
  for (size_t i = 0; i < theta->size; i++)
    if (!(fabs(gsl_vector_get(theta, i)) < 12))
      return 1e10;
  read_theta(s, theta, &noise);
  covariance(data, s->kernel, s->kernels, noise, &s->k);
  if (!factorise(&s->k))
    return 1e10;
  invert_factor(&s->k, &s->v);
  solve(s);
  for (uint32_t i = 0; i < data->count; i++)
    sum += 0.5 * data->target[i] * s->weight[i] + log(gp_row_of(&s->k, i)[i]);
  for (uint32_t c = 0, at = 0; c < s->kernels; c++, at++)
    for (uint32_t d = 0; d < data->inputs; d++, at++) {
      double off = gsl_vector_get(theta, at) - log(PRIOR_SCALE);
      sum += 0.5 * PRIOR_WEIGHT * off * off;
      g[c][d] += PRIOR_WEIGHT * off;
    }
  for (uint32_t c = 0; c < s->kernels; c++) {
    double over = fmax(log(s->kernel[c].deviation), 0);
    sum += 0.5 * DEVIATION_WEIGHT * over * over;
    g[c][data->inputs] += DEVIATION_WEIGHT * over;
  }
  if (!gradient)
    return sum;
  for (uint32_t i = 0; i < data->count; i++)
    for (uint32_t j = i; j < data->count; j++) {
      double w =
        s->weight[i] * s->weight[j] - dot(gp_row_of(&s->v, i), gp_row_of(&s->v, j), j, s->v.stride);
      trace += i == j ? w * spread_of(data, i) : 0;
      for (uint32_t c = 0; c < s->kernels; c++) {
        const ts_fit_kernel *kernel = &s->kernel[c];
        const double *a = data->input + (size_t)i * data->inputs,
                     *b = data->input + (size_t)j * data->inputs;
        double slope, factor = w * kernel->deviation * kernel->deviation * (i == j ? 0.5 : 1);
        g[c][data->inputs] -=
          2 * factor * matern(kernel->smoothness, square_distance(data, kernel, i, j), &slope);
        for (uint32_t d = 0; i != j && d < data->inputs; d++) {
          double x = (a[d] - b[d]) / kernel->scale[d];
          g[c][d] -= factor * slope * x * x;
        }
      }
    }
  uint32_t at = 0;
  for (uint32_t c = 0; c < s->kernels; c++)
    for (uint32_t d = 0; d <= data->inputs; d++) gsl_vector_set(gradient, at++, g[c][d]);
  gsl_vector_set(gradient, at, -noise * noise * trace);
  return sum;
}

static double loss_only(const gsl_vector *theta, void *s) { return loss(s, theta, NULL); }
static void loss_gradient(const gsl_vector *theta, void *s, gsl_vector *gradient)
{
  loss(s, theta, gradient);
}
static void loss_both(const gsl_vector *theta, void *s, double *value, gsl_vector *gradient)
{
  *value = loss(s, theta, gradient);
}

static gp_search new_search(ts_arena *arena, const ts_gp_data *data, ts_fit_kernel *kernel,
                            uint32_t kernels)
{
  gp_search s = {.data = data,
                 .kernel = kernel,
                 .kernels = kernels,
                 .k = new_matrix(arena, data->count),
                 .v = new_matrix(arena, data->count)};
  s.half = TS_NEW_ARRAY(arena, double, s.v.stride);
  s.weight = TS_NEW_ARRAY(arena, double, s.v.stride);
  return s;
}

void ts_gp_learn(const ts_gp_data *data, ts_fit_kernel *kernel, uint32_t kernels, double *noise,
                 uint32_t iterations)
{
  ts_arena *arena = ts_arena_new("gaussian process");
  gp_search s = new_search(arena, data, kernel, kernels);
  size_t size = kernels * (data->inputs + 1) + 1;
  gsl_vector *theta = gsl_vector_alloc(size);
  uint32_t at = 0;
  for (uint32_t c = 0; c < kernels; c++) {
    for (uint32_t d = 0; d < data->inputs; d++)
      gsl_vector_set(theta, at++, log(kernel[c].scale[d]));
    gsl_vector_set(theta, at++, log(kernel[c].deviation));
  }
  gsl_vector_set(theta, at, log(*noise));
  gsl_multimin_function_fdf f = {
    .f = loss_only, .df = loss_gradient, .fdf = loss_both, .n = size, .params = &s};
  gsl_multimin_fdfminimizer *minimizer =
    gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, size);
  gsl_multimin_fdfminimizer_set(minimizer, &f, theta, 0.3, 0.1);
  for (uint32_t i = 0;
       i < iterations && gsl_multimin_fdfminimizer_iterate(minimizer) == GSL_SUCCESS; i++) {}
  read_theta(&s, gsl_multimin_fdfminimizer_x(minimizer), noise);
  gsl_multimin_fdfminimizer_free(minimizer);
  gsl_vector_free(theta);
  ts_arena_free(arena);
}

bool ts_gp_solve(const ts_gp_data *data, const ts_fit_kernel *kernel, uint32_t kernels,
                 double noise, double *weight, double *left_out, double *square)
{
  ts_arena *arena = ts_arena_new("gaussian process");
  ts_fit_kernel copy[TS_FIT_MAX_KERNELS];
  memcpy(copy, kernel, kernels * sizeof *kernel);
  gp_search s = new_search(arena, data, copy, kernels);
  covariance(data, kernel, kernels, noise, &s.k);
  bool good = factorise(&s.k);
  if (good) {
    invert_factor(&s.k, &s.v);
    solve(&s);
    memcpy(weight, s.weight, data->count * sizeof *weight);
    for (uint32_t i = 0; i < data->count; i++) {
      double inverse = dot(gp_row_of(&s.v, i), gp_row_of(&s.v, i), i, s.v.stride),
             own = noise * noise * spread_of(data, i);
      left_out[i] = data->target[i] - s.weight[i] / inverse;
      if (square)
        square[i] = own * own * s.weight[i] * s.weight[i] + fmax(own - own * own * inverse, 0);
    }
  }
  ts_arena_free(arena);
  return good;
}
