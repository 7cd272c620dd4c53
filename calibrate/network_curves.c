/* The fit goes as TorchSim describes its own: the ratio of upper quartile to fastest of repeated
 * calls, bandwidth curves of each kind of link, then a linear regression of the time over its
 * terms. The model plays regression times ratio, so all of that is compared with what was
 * measured. No factor goes beyond that: repeats on few ranks say nothing of many. Errors are
 * relative: of logarithms. */
#include "calibrate/network_curves.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multilarge.h>
#include <math.h>
#include <string.h>

#include "calibrate/network_fit.h"
#include "cost/minimize.h"
#include "runtime/collective/statistical.h"

enum { PARAMETERS = 5, LEAST_ROWS = 3, LEAST_REPEATS = 4, ITERATIONS = 1500, TIME = 1 };
static const double PULL = 0.02; /* rows: weights that few calls speak of stay */

/* ratio: upper quartile to fastest of repeats; 0: too few. played: what the model is to say, the
 * upper quartile if that is known, else the median; seconds: without stragglers */
typedef struct network_curves_call {
  ts_profile profile;
  double bytes, seconds, played, fastest, ratio;
} network_curves_call;
/* rows about one kind of link */
typedef struct side {
  ts_ir_net_curve *curve;
  const network_curves_call *calls;
  uint32_t count;
  bool between;
} side;

static bool same_call(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  return a->collective == b->collective && a->ranks == b->ranks && a->islands == b->islands &&
         a->bytes == b->bytes;
}

/* Calls of one collective, repeats put together; points of one are sorted by time. */
static uint32_t network_curves_gather(ts_arena *arena, const ts_ir_net_point *p, uint32_t count,
                                      network_curves_call **calls)
{
  uint32_t n = 0, repeated = 0;
  *calls = TS_NEW_ARRAY(arena, network_curves_call, count);
  for (uint32_t i = 0, k; i < count; i += k) {
    for (k = 1; i + k < count && same_call(p + i, p + i + k);)
      k++;
    double fastest = (double)p[i].time, upper = (double)p[i + 3 * (k - 1) / 4].time;
    repeated += k >= LEAST_REPEATS;
    double median = (double)p[i + (k - 1) / 2].time * 1e-12;
    ts_profile profile = ts_fit_profile((ts_fit_links){0, 0}, p[i].ranks, p[i].islands);
    (*calls)[n++] = (network_curves_call){.profile = profile,
                                          .bytes = (double)p[i].bytes,
                                          .seconds = median,
                                          .played = median,
                                          .fastest = fastest * 1e-12,
                                          .ratio = k >= LEAST_REPEATS ? upper / fastest : 0};
  }
  for (uint32_t i = 0; i < n; i++)
    if (repeated < LEAST_ROWS)
      (*calls)[i].ratio = 0;
    else if ((*calls)[i].ratio > 0) { /* its curve is that of calls without stragglers */
      (*calls)[i].seconds = (*calls)[i].fastest;
      (*calls)[i].played = (*calls)[i].fastest * (*calls)[i].ratio;
    }
  return n;
}

static void set_parameters(const side *s, const double *x)
{
  double limit = exp(x[0]), floor = exp(x[1]), slope = exp(x[2]), middle = exp(x[3]);
  uint64_t latency = (uint64_t)llround(exp(x[4]));
  ts_ir_net_curve *c = s->curve;
  if (s->between)
    c->inter_limit = limit, c->inter_floor = floor, c->inter_slope = slope,
    c->inter_middle = middle, c->inter_latency = latency;
  else
    c->intra_limit = limit, c->intra_floor = floor, c->intra_slope = slope,
    c->intra_middle = middle, c->intra_latency = latency;
}

/* Mean squared error of logarithms; far outside of what a network can be, infinite: no step takes
 * less than 10 ns. */
static double loss(const double *x, void *context)
{
  static const double min[PARAMETERS] = {7, 7, -3, 0, 9.2}, max[PARAMETERS] = {34, 34, 2.3, 39, 24};
  const side *s = context;
  double sum = 0;
  for (size_t i = 0; i < PARAMETERS; i++)
    if (!(x[i] >= min[i] && x[i] <= max[i]))
      return INFINITY;
  set_parameters(s, x);
  for (uint32_t i = 0; i < s->count; i++) {
    double e = log(ts_curve_analytic(s->curve, s->calls[i].bytes, &s->calls[i].profile) /
                   s->calls[i].seconds);
    sum += e * e;
  }
  return isfinite(sum) ? sum / s->count : INFINITY;
}

/* From where bandwidth is highest, half of it, and the shortest call. */
static void network_curves_start(const side *s, double slope, double *x)
{
  double best = 0, shortest = INFINITY, middle = 1;
  for (uint32_t i = 0; i < s->count; i++) {
    best = fmax(best, s->calls[i].bytes / s->calls[i].seconds);
    shortest = fmin(shortest, s->calls[i].seconds);
  }
  for (uint32_t i = 0; i < s->count; i++)
    if (s->calls[i].bytes / s->calls[i].seconds < best / 2)
      middle = fmax(middle, s->calls[i].bytes);
  const double at[PARAMETERS] = {log(2 * best), log(fmax(best * 1e-4, 2000)), log(slope),
                                 log(fmax(middle, 2)), log(fmax(shortest * 0.2e12, 2))};
  memcpy(x, at, sizeof at);
}

static void fit_side(const side *s)
{
  static const double slopes[] = {0.5, 1, 2};
  static const double step[PARAMETERS] = {0.5, 0.5, 0.5, 0.5, 0.5};
  double x[PARAMETERS], best[PARAMETERS], min = INFINITY;
  for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
    network_curves_start(s, slopes[k], x);
    double now = ts_minimize(
      &(ts_simplex){loss, (void *)(uintptr_t)s, PARAMETERS, -1, ITERATIONS, 1e-4}, x, step);
    if (now < min) {
      min = now;
      memcpy(best, x, sizeof best);
    }
  }
  if (min < INFINITY)
    set_parameters(s, best);
}

/* Weights by least squares of relative errors, each pulled to where it begins as by `pull` rows at
 * its largest. Row i is `rows + i * n`, and wants `wanted[i]`; both are used up. */
static void fit_weights(double *rows, double *wanted, uint32_t count, double pull, double *weights,
                        size_t n)
{
  double x[TS_IR_CURVE_WEIGHTS], scale[TS_IR_CURVE_WEIGHTS] = {0}, off, length;
  for (uint32_t i = 0; i < count; i++)
    for (size_t k = 0; k < n; k++)
      scale[k] = fmax(scale[k], fabs(rows[i * n + k]));
  for (uint32_t i = 0; i < count; i++)
    for (size_t k = 0; k < n; k++) {
      wanted[i] -= rows[i * n + k] * weights[k];
      rows[i * n + k] /= scale[k] > 0 ? scale[k] : 1;
    }
  gsl_matrix_view all = gsl_matrix_view_array(rows, count, n);
  gsl_vector_view right = gsl_vector_view_array(wanted, count), best = gsl_vector_view_array(x, n);
  gsl_multilarge_linear_workspace *w = gsl_multilarge_linear_alloc(gsl_multilarge_linear_normal, n);
  gsl_multilarge_linear_accumulate(&all.matrix, &right.vector, w);
  gsl_multilarge_linear_solve(sqrt(pull), &best.vector, &off, &length, w);
  gsl_multilarge_linear_free(w);
  for (size_t k = 0; k < n; k++)
    weights[k] += scale[k] > 0 ? x[k] / scale[k] : 0;
}

/* What the regression is to say: the call without stragglers, over the time by curves. */
static double wanted_factor(const ts_ir_net_curve *c, const network_curves_call *k)
{
  return k->played / ts_curve_stragglers(c, k->bytes, k->profile.ranks) /
         ts_curve_analytic(c, k->bytes, &k->profile);
}

/* Equation 11 on relative errors, from the curves' own time on. It changes no time by more than the
 * calls are from each other. */
static void fit_regression(ts_arena *arena, ts_ir_net_curve *c, const network_curves_call *calls,
                           uint32_t count)
{
  enum { N = TS_IR_CURVE_WEIGHTS };
  double *rows = TS_NEW_ARRAY(arena, double, count *N),
         *wanted = TS_NEW_ARRAY(arena, double, count), min = 1, max = 1;
  for (uint32_t i = 0; i < count; i++) {
    double factor = wanted_factor(c, &calls[i]);
    min = fmin(min, factor), max = fmax(max, factor);
    ts_curve_terms(c, calls[i].bytes, &calls[i].profile, rows + i * N);
    for (int k = 0; k < N; k++)
      rows[i * N + k] /= factor;
    wanted[i] = 1;
  }
  c->weights[TIME] = 1;
  c->most_factor = max / min;
  fit_weights(rows, wanted, count, PULL, c->weights, N);
}

/* Equation 13; two weights and more on few groups are as small as they can be. */
static void fit_stragglers(ts_arena *arena, ts_ir_net_curve *c, const network_curves_call *calls,
                           uint32_t count)
{
  enum { N = TS_IR_CURVE_LATE };
  double *rows = TS_NEW_ARRAY(arena, double, count *N),
         *wanted = TS_NEW_ARRAY(arena, double, count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    if (calls[i].ratio > 0) {
      ts_curve_late_terms(c, calls[i].bytes, calls[i].profile.ranks, rows + n * N);
      c->most_late = fmax(c->most_late, calls[i].ratio);
      wanted[n++] = calls[i].ratio;
    }
  if (n)
    fit_weights(rows, wanted, n, 1e-6, c->late, N);
}

static bool fit_collective(ts_arena *arena, const ts_ir_net_point *p, uint32_t count,
                           ts_ir_net_curve *c)
{
  network_curves_call *calls;
  uint32_t n = network_curves_gather(arena, p, count, &calls), near = 0, far = 0;
  network_curves_call *inside = TS_NEW_ARRAY(arena, network_curves_call, n),
                      *outside = TS_NEW_ARRAY(arena, network_curves_call, n);
  *c = (ts_ir_net_curve){.collective = p->collective,
                         .least_ranks = p->ranks,
                         .most_ranks = p->ranks,
                         .least = p->bytes,
                         .most = p->bytes};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t ranks = calls[i].profile.ranks;
    uint64_t bytes = (uint64_t)calls[i].bytes;
    c->least_ranks = ranks < c->least_ranks ? ranks : c->least_ranks;
    c->most_ranks = ranks > c->most_ranks ? ranks : c->most_ranks;
    c->least = bytes < c->least ? bytes : c->least;
    c->most = bytes > c->most ? bytes : c->most;
    if (calls[i].profile.islands > 1)
      outside[far++] = calls[i];
    else
      inside[near++] = calls[i];
  }
  fit_stragglers(arena, c, calls, n);
  for (uint32_t i = 0; i < near + far; i++) {
    network_curves_call *k = i < near ? &inside[i] : &outside[i - near];
    if (k->ratio <= 0)
      k->seconds = k->played / ts_curve_stragglers(c, k->bytes, k->profile.ranks);
  }
  if (near >= LEAST_ROWS)
    fit_side(&(side){c, inside, near, false});
  if (far >= LEAST_ROWS)
    fit_side(&(side){c, outside, far, true});
  uint32_t used = 0; /* the calls whose links have a curve */
  for (uint32_t i = 0; i < n; i++)
    if (calls[i].profile.islands > 1 ? far >= LEAST_ROWS : near >= LEAST_ROWS)
      calls[used++] = calls[i];
  if (!used || c->least_ranks < 2)
    return false;
  fit_regression(arena, c, calls, used);
  return true;
}

/* The largest that each term is among the calls. */
static void largest_terms(const ts_ir_net_curve *c, const network_curves_call *calls, uint32_t n,
                          double largest[TS_IR_CURVE_WEIGHTS])
{
  double x[TS_IR_CURVE_WEIGHTS];
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++)
    largest[k] = 0;
  for (uint32_t i = 0; i < n; i++) {
    ts_curve_terms(c, calls[i].bytes, &calls[i].profile, x);
    for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++)
      largest[k] = fmax(largest[k], x[k]);
  }
}

/* Equation 14 as a step of least mean squares: the error of a call, over the longer of its times,
 * times its terms, each over the largest of its kind. No such step overshoots at a rate up to
 * 1 / terms. */
static void learn(ts_ir_net_curve *c, const network_curves_call *k, const double *largest,
                  double rate)
{
  double x[TS_IR_CURVE_WEIGHTS], wanted = wanted_factor(c, k), error = -wanted;
  ts_curve_terms(c, k->bytes, &k->profile, x);
  for (int i = 0; i < TS_IR_CURVE_WEIGHTS; i++)
    error += c->weights[i] * x[i];
  error /= fmax(wanted, 1);
  for (int i = 0; i < TS_IR_CURVE_WEIGHTS; i++)
    c->weights[i] -= largest[i] > 0 ? rate * error * (x[i] / largest[i]) / largest[i] : 0;
}

static double curve_error(const ts_ir_net_curve *c, const network_curves_call *k)
{
  return fabs(
    (double)ts_curve_estimate(c, (uint64_t)k->bytes, &k->profile).time * 1e-12 / k->played - 1);
}

/* Of the calls that a curve is for. */
static double mean_error(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                         const network_curves_call *calls, uint32_t n)
{
  double sum = 0, of = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ts_ir_net_curve *c = ts_curve_of(curves, count, kind, &calls[i].profile);
    sum += c ? curve_error(c, &calls[i]) : 0, of += c != NULL;
  }
  return sum / fmax(of, 1);
}

/* A step that visits n calls once each, neighbours far apart: tables are sorted by size, not by
 * time. */
static uint32_t spread(uint32_t n)
{
  uint32_t step = (uint32_t)(0.618 * n) + 1;
  for (uint32_t a = n, b = step; b > 0;) {
    uint32_t rest = a % b;
    a = b, b = rest;
    if (b == 0 && a != 1)
      a = n, b = ++step;
  }
  return step;
}

static void update_collective(ts_arena *arena, ts_ir_net_curve *curves, uint32_t count,
                              const ts_ir_net_point *p, uint32_t rows, double rate,
                              ts_network_learnt *out)
{
  network_curves_call *calls;
  double(*largest)[TS_IR_CURVE_WEIGHTS] = ts_arena_alloc(arena, count * sizeof *largest);
  uint32_t n = network_curves_gather(arena, p, rows, &calls), step = spread(n);
  for (uint32_t c = 0; c < count; c++) /* terms do not depend on weights */
    largest_terms(&curves[c], calls, n, largest[c]);
  *out = (ts_network_learnt){.collective = p->collective,
                             .file = mean_error(curves, count, p->collective, calls, n)};
  for (uint32_t i = 0, at = 0; i < n; i++, at = (at + step) % n) {
    const network_curves_call *k = &calls[at];
    const ts_ir_net_curve *of = ts_curve_of(curves, count, p->collective, &k->profile);
    if (!of) {
      out->passed_over++;
      continue;
    }
    ts_ir_net_curve *c = &curves[of - curves];
    double factor = wanted_factor(c, k);
    out->rows++;
    out->coming += curve_error(c, k);
    c->most_factor = fmax(c->most_factor, fmax(factor, 1 / factor));
    learn(c, k, largest[of - curves], rate);
  }
  out->coming /= fmax(out->rows, 1);
  out->after = mean_error(curves, count, p->collective, calls, n);
}

ts_network_learnt *ts_network_update_curves(ts_arena *arena, ts_ir_net_curve *curves,
                                            uint32_t count, const ts_ir_net_point *points,
                                            uint32_t rows, double rate, uint32_t *learnt)
{
  ts_network_learnt *out = TS_NEW_ARRAY(arena, ts_network_learnt, TS_IR_COLLECTIVE_KINDS);
  *learnt = 0;
  for (uint32_t i = 0, n; i < rows; i += n) {
    for (n = 1; i + n < rows && points[i + n].collective == points[i].collective;)
      n++;
    update_collective(arena, curves, count, points + i, n, rate, &out[(*learnt)++]);
  }
  return out;
}

ts_ir_net_curve *ts_network_fit_curves(ts_arena *arena, const ts_ir_net_point *points,
                                       uint32_t count, uint32_t *curves)
{
  ts_ir_net_curve *out = TS_NEW_ARRAY(arena, ts_ir_net_curve, TS_IR_COLLECTIVE_KINDS);
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  *curves = 0;
  for (uint32_t i = 0, n; i < count; i += n) {
    for (n = 1; i + n < count && points[i + n].collective == points[i].collective;)
      n++;
    *curves += fit_collective(arena, points + i, n, &out[*curves]);
  }
  gsl_set_error_handler(handler);
  return out;
}

double ts_network_curves_time(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                              uint64_t bytes, uint32_t ranks, uint32_t islands)
{
  ts_profile profile = ts_fit_profile((ts_fit_links){0, 0}, ranks, islands);
  const ts_ir_net_curve *c = ts_curve_of(curves, count, kind, &profile);
  return c ? (double)ts_curve_estimate(c, bytes, &profile).time * 1e-12 : 0;
}
