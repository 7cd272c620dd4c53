/* Gauss-Newton around expectation and maximisation, with rows left out. */
#include "calibrate/step_fit.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

enum { MOST_ROUNDS = 8, MOST_TURNS = 400 };
static const double freedom = 4;     /* of Student's t */
static const double prior_steps = 4; /* that the prior of the noise is worth */
static const double min_noise = 1e-3, apart = 0.02, close_enough = 5e-4, longest = 0.5;

/* Rows in a straight line: log_step = f + J (x - at). */
typedef struct lined {
  const ts_step_problem *p;
  const double *at, *f, *response;
  uint32_t without;            /* the fold that is left out; UINT32_MAX: none */
} lined;

/* x, covariance and right are views of arrays in the arena: GSL's own memory may run out. */
typedef struct solved {
  gsl_vector_view x_view, right_view;
  gsl_matrix_view covariance_view;
  gsl_vector *x, *right;
  gsl_matrix *covariance;
  double *weight;              /* [rows] */
  double noise;
} solved;

static const double *step_fit_row_of(const lined *l, uint32_t row)
{
  return l->response + (size_t)row * l->p->quantities;
}

static bool counts(const lined *l, uint32_t row) { return l->p->fold[row] != l->without; }

/* What is measured of the row beyond its line at x = 0. */
static double target(const lined *l, uint32_t row)
{
  double sum = l->p->measured[row] - l->f[row];
  for (uint32_t j = 0; j < l->p->quantities; j++)
    sum += step_fit_row_of(l, row)[j] * l->at[j];
  return sum;
}

/* Deviation squared of what x says of the row. */
static double spread(const lined *l, const solved *s, uint32_t row)
{
  double sum = 0;
  for (uint32_t i = 0; i < l->p->quantities; i++)
    for (uint32_t j = 0; j < l->p->quantities; j++)
      sum += step_fit_row_of(l, row)[i] * step_fit_row_of(l, row)[j] *
             gsl_matrix_get(s->covariance, i, j);
  return sum;
}

static double error_of(const lined *l, const solved *s, uint32_t row)
{
  double sum = target(l, row);
  for (uint32_t j = 0; j < l->p->quantities; j++)
    sum -= step_fit_row_of(l, row)[j] * gsl_vector_get(s->x, j);
  return sum;
}

/* x and its covariance for the weights and the noise at hand. The precision is that of the priors
 * and more, so it has a Cholesky factor. */
static void solve_x(const lined *l, solved *s)
{
  uint32_t q = l->p->quantities;
  double scale = 1 / (s->noise * s->noise);
  gsl_matrix_set_zero(s->covariance);
  gsl_vector *right = s->right;
  gsl_vector_set_zero(right);
  for (uint32_t i = 0; i < q; i++)
    gsl_matrix_set(s->covariance, i, i, 1 / (l->p->prior[i] * l->p->prior[i]));
  for (uint32_t r = 0; r < l->p->rows; r++) {
    double w = counts(l, r) ? s->weight[r] * scale : 0;
    for (uint32_t i = 0; i < q && w > 0; i++) {
      *gsl_vector_ptr(right, i) += w * step_fit_row_of(l, r)[i] * target(l, r);
      for (uint32_t j = 0; j < q; j++)
        *gsl_matrix_ptr(s->covariance, i, j) +=
          w * step_fit_row_of(l, r)[i] * step_fit_row_of(l, r)[j];
    }
  }
  gsl_linalg_cholesky_decomp1(s->covariance);
  gsl_linalg_cholesky_solve(s->covariance, right, s->x);
  gsl_linalg_cholesky_invert(s->covariance);
}

/* How much each row counts, and the noise that follows. */
static double take_noise(const lined *l, solved *s)
{
  double sum = prior_steps * l->p->noise * l->p->noise, rows = prior_steps;
  for (uint32_t r = 0; r < l->p->rows; r++) {
    if (!counts(l, r))
      continue;
    double e = error_of(l, s, r), square = e * e + spread(l, s, r);
    s->weight[r] = (freedom + 1) / (freedom + square / (s->noise * s->noise));
    sum += s->weight[r] * square;
    rows++;
  }
  return fmax(min_noise, sqrt(sum / rows));
}

/* The first turn takes all rows alike, and the noise as it was before anything was measured. */
static void solve(const lined *l, solved *s)
{
  s->noise = l->p->noise;
  for (uint32_t r = 0; r < l->p->rows; r++)
    s->weight[r] = 1;
  solve_x(l, s);
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    double before = s->noise;
    s->noise = take_noise(l, s);
    solve_x(l, s);
    if (fabs(s->noise - before) < 1e-7 * before)
      break;
  }
}

/* ---- Playing ---- */

/* Every row at x, and where `response` is asked for with each quantity a little larger. */
static bool play_rows(ts_arena *arena, const ts_step_problem *p, const double *x, double *f,
                      double *response, uint32_t *plays)
{
  uint32_t each = response ? p->quantities + 1 : 1, count = p->rows * each;
  ts_step_ask *asks = TS_NEW_ARRAY(arena, ts_step_ask, count);
  double *moved = TS_NEW_ARRAY(arena, double, (size_t)each * p->quantities);
  for (uint32_t k = 0; k < each; k++) {
    memcpy(moved + (size_t)k * p->quantities, x, p->quantities * sizeof *x);
    if (k)
      moved[(size_t)k * p->quantities + k - 1] += apart;
  }
  for (uint32_t i = 0; i < count; i++)
    asks[i] = (ts_step_ask){i / each, moved + (size_t)(i % each) * p->quantities, 0};
  *plays += count;
  if (!p->play(p->closure, asks, count))
    return false;
  for (uint32_t r = 0; r < p->rows; r++) {
    const ts_step_ask *row = &asks[(size_t)r * each];
    f[r] = row->log_step;
    for (uint32_t j = 0; response && j < p->quantities; j++)
      response[(size_t)r * p->quantities + j] = (row[j + 1].log_step - f[r]) / apart;
  }
  return true;
}

/* Each row as the rows of other folds have it, solved on the same line and then played. */
static bool leave_out(ts_arena *arena, const ts_step_problem *p, const lined *line, solved *s,
                      ts_step_fit *out)
{
  ts_step_ask *asks = TS_NEW_ARRAY(arena, ts_step_ask, p->rows);
  double *x = TS_NEW_ARRAY(arena, double, (size_t)p->rows * p->quantities + 1);
  lined without = *line;
  for (uint32_t r = 0; r < p->rows; r++) {
    without.without = p->fold[r];
    solve(&without, s);
    for (uint32_t j = 0; j < p->quantities; j++)
      x[(size_t)r * p->quantities + j] = gsl_vector_get(s->x, j);
    out->left_out_deviation[r] = sqrt(s->noise * s->noise + spread(&without, s, r));
    asks[r] = (ts_step_ask){r, x + (size_t)r * p->quantities, 0};
  }
  out->plays += p->rows;
  bool good = p->play(p->closure, asks, p->rows);
  for (uint32_t r = 0; r < p->rows; r++)
    out->left_out[r] = asks[r].log_step;
  return good;
}

static void step_fit_keep(const ts_step_problem *p, const solved *s, ts_step_fit *out)
{
  uint32_t q = p->quantities;
  for (uint32_t i = 0; i < q; i++) {
    out->deviation[i] = sqrt(gsl_matrix_get(s->covariance, i, i));
    for (uint32_t j = 0; j < q; j++)
      out->covariance[i * q + j] =
        (gsl_matrix_get(s->covariance, i, j) + gsl_matrix_get(s->covariance, j, i)) / 2 +
        0.0; /* no -0 */
  }
  memcpy(out->weight, s->weight, p->rows * sizeof *s->weight);
  out->noise = s->noise;
}

static bool step_fit(ts_arena *arena, const ts_step_problem *p, solved *s, ts_step_fit *out)
{
  double *at = TS_NEW_ARRAY(arena, double, p->quantities + 1),
         *f = TS_NEW_ARRAY(arena, double, p->rows + 1);
  lined line = {p, at, f, out->response, UINT32_MAX};
  while (!out->settled && out->rounds < MOST_ROUNDS) {
    memcpy(at, out->x, p->quantities * sizeof *at);
    if (!play_rows(arena, p, at, f, out->response, &out->plays))
      return false;
    if (!out->rounds)
      memcpy(out->before, f, p->rows * sizeof *f);
    solve(&line, s);
    double most = 0;
    for (uint32_t j = 0; j < p->quantities; j++) {
      double step = gsl_vector_get(s->x, j) - at[j];
      out->x[j] = at[j] + fmax(-longest, fmin(longest, step));
      most = fmax(most, fabs(step));
    }
    out->rounds++;
    out->settled = most < close_enough;
  }
  step_fit_keep(p, s, out);
  return play_rows(arena, p, out->x, out->after, NULL, &out->plays) &&
         leave_out(arena, p, &line, s, out);
}

bool ts_step_fit_run(ts_arena *arena, const ts_step_problem *p, ts_step_fit *out)
{
  uint32_t q = p->quantities, rows = p->rows;
  *out = (ts_step_fit){.x = TS_NEW_ARRAY(arena, double, q + 1),
                       .deviation = TS_NEW_ARRAY(arena, double, q + 1),
                       .covariance = TS_NEW_ARRAY(arena, double, (size_t)q * q + 1),
                       .response = TS_NEW_ARRAY(arena, double, (size_t)rows * q + 1),
                       .before = TS_NEW_ARRAY(arena, double, rows + 1),
                       .after = TS_NEW_ARRAY(arena, double, rows + 1),
                       .weight = TS_NEW_ARRAY(arena, double, rows + 1),
                       .left_out = TS_NEW_ARRAY(arena, double, rows + 1),
                       .left_out_deviation = TS_NEW_ARRAY(arena, double, rows + 1)};
  if (!q || !rows)
    return false;
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  solved s = {
    .x_view = gsl_vector_view_array(TS_NEW_ARRAY(arena, double, q), q),
    .right_view = gsl_vector_view_array(TS_NEW_ARRAY(arena, double, q), q),
    .covariance_view = gsl_matrix_view_array(TS_NEW_ARRAY(arena, double, (size_t)q * q), q, q),
    .weight = TS_NEW_ARRAY(arena, double, rows)};
  s.x = &s.x_view.vector;
  s.right = &s.right_view.vector;
  s.covariance = &s.covariance_view.matrix;
  bool good = step_fit(arena, p, &s, out);
  gsl_set_error_handler(handler);
  return good;
}

double ts_step_pair(const ts_step_fit *fit, uint32_t quantities, uint32_t i, uint32_t j, double *a)
{
  double ii = fit->covariance[i * quantities + i], jj = fit->covariance[j * quantities + j],
         ij = fit->covariance[i * quantities + j], apart_ = ii + jj - 2 * ij;
  *a = apart_ > 0 ? (jj - ij) / apart_ : 0.5;
  return sqrt(fmax(0, *a * *a * ii + (1 - *a) * (1 - *a) * jj + 2 * *a * (1 - *a) * ij));
}

/* ---- A constant ---- */

static ts_constant_fit constant(const double *excess, uint32_t rows, uint32_t without, double prior,
                                double noise)
{
  ts_constant_fit c = {.noise = noise};
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    double precision = 1 / (prior * prior), sum = 0, squares = prior_steps * noise * noise,
           count = prior_steps, before = c.noise;
    for (uint32_t r = 0; r < rows; r++)
      if (r != without)
        precision += 1 / (c.noise * c.noise), sum += excess[r] / (c.noise * c.noise);
    c.value = sum / precision;
    c.deviation = sqrt(1 / precision);
    for (uint32_t r = 0; r < rows; r++)
      if (r != without)
        squares += (excess[r] - c.value) * (excess[r] - c.value) + 1 / precision, count++;
    c.noise = sqrt(squares / count);
    if (fabs(c.noise - before) < 1e-7 * before)
      break;
  }
  return c;
}

ts_constant_fit ts_constant_fit_run(const double *excess, uint32_t rows, double prior, double noise,
                                    double *left_out)
{
  for (uint32_t r = 0; r < rows; r++)
    left_out[r] = constant(excess, rows, r, prior, noise).value;
  return constant(excess, rows, UINT32_MAX, prior, noise);
}
