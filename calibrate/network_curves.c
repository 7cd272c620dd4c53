/* The fit goes as TorchSim describes its own: the ratio of upper quartile to fastest of repeated
 * calls, bandwidth curves of each kind of link, then a linear correction of what both leave. The
 * model plays curve times correction times ratio, so all of that is compared with what was
 * measured. No factor goes beyond that: repeats on few ranks say nothing of many. Errors are
 * relative: of logarithms. */
#include "calibrate/network_curves.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

#include "calibrate/network_fit.h"
#include "runtime/collective/statistical.h"

enum { PARAMETERS = 5, LEAST_ROWS = 3, LEAST_REPEATS = 4, ITERATIONS = 1500 };

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

static void set_parameters(const side *s, const gsl_vector *x)
{
  double limit = exp(gsl_vector_get(x, 0)), floor = exp(gsl_vector_get(x, 1)),
         slope = exp(gsl_vector_get(x, 2)), middle = exp(gsl_vector_get(x, 3));
  uint64_t latency = (uint64_t)llround(exp(gsl_vector_get(x, 4)));
  ts_ir_net_curve *c = s->curve;
  if (s->between)
    c->inter_limit = limit, c->inter_floor = floor, c->inter_slope = slope,
    c->inter_middle = middle, c->inter_latency = latency;
  else
    c->intra_limit = limit, c->intra_floor = floor, c->intra_slope = slope,
    c->intra_middle = middle, c->intra_latency = latency;
}

/* Mean squared error of logarithms; far outside of what a network can be, infinite. */
static double loss(const gsl_vector *x, void *context)
{
  static const double least[PARAMETERS] = {7, 7, -3, 0, 0},
                      most[PARAMETERS] = {34, 34, 2.3, 39, 24};
  const side *s = context;
  double sum = 0;
  for (size_t i = 0; i < PARAMETERS; i++)
    if (!(gsl_vector_get(x, i) >= least[i] && gsl_vector_get(x, i) <= most[i]))
      return GSL_POSINF;
  set_parameters(s, x);
  for (uint32_t i = 0; i < s->count; i++) {
    double e = log(ts_curve_analytic(s->curve, s->calls[i].bytes, &s->calls[i].profile) /
                   s->calls[i].seconds);
    sum += e * e;
  }
  return isfinite(sum) ? sum / s->count : GSL_POSINF;
}

/* From where bandwidth is highest, half of it, and the shortest call. */
static void network_curves_start(const side *s, double slope, gsl_vector *x)
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
  for (size_t i = 0; i < PARAMETERS; i++)
    gsl_vector_set(x, i, at[i]);
}

static void fit_side(const side *s)
{
  static const double slopes[] = {0.5, 1, 2};
  gsl_vector *x = gsl_vector_alloc(PARAMETERS), *step = gsl_vector_alloc(PARAMETERS),
             *best = gsl_vector_alloc(PARAMETERS);
  gsl_multimin_function f = {loss, PARAMETERS, (void *)(uintptr_t)s};
  gsl_multimin_fminimizer *m =
    gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, PARAMETERS);
  double least = INFINITY;
  for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
    network_curves_start(s, slopes[k], x);
    gsl_vector_set_all(step, 0.5);
    gsl_multimin_fminimizer_set(m, &f, x, step);
    for (int i = 0; i < ITERATIONS && !gsl_multimin_fminimizer_iterate(m) &&
                    gsl_multimin_fminimizer_size(m) > 1e-4;
         i++)
      ;
    if (gsl_multimin_fminimizer_minimum(m) < least) {
      least = gsl_multimin_fminimizer_minimum(m);
      gsl_vector_memcpy(best, gsl_multimin_fminimizer_x(m));
    }
  }
  if (least < INFINITY)
    set_parameters(s, best);
  gsl_multimin_fminimizer_free(m);
  gsl_vector_free(x), gsl_vector_free(step), gsl_vector_free(best);
}

/* The logarithm of what is left, linear in log bytes, log ranks and their product: its values at
 * the four corners of what was measured. None is further from no correction than the calls are from
 * each other. */
static void fit_correction(ts_ir_net_curve *c, const network_curves_call *calls, uint32_t count)
{
  double a[16] = {0}, b[4] = {0}, left[4], least = 0, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    double x, n,
      e = log(calls[i].played / ts_curve_analytic(c, calls[i].bytes, &calls[i].profile) /
              ts_curve_stragglers(c, calls[i].bytes, calls[i].profile.ranks));
    least = fmin(least, e), most = fmax(most, e);
    ts_curve_place(c, calls[i].bytes, calls[i].profile.ranks, &x, &n);
    const double corner[4] = {(1 - x) * (1 - n), x * (1 - n), (1 - x) * n, x * n};
    for (int r = 0; r < 4; r++) {
      b[r] += corner[r] * e;
      for (int k = 0; k < 4; k++)
        a[4 * r + k] += corner[r] * corner[k];
    }
  }
  for (int r = 0; r < 4; r++)
    a[5 * r] += 0.02; /* corners that few calls are near stay at no correction */
  gsl_matrix_view matrix = gsl_matrix_view_array(a, 4, 4);
  gsl_vector_view right = gsl_vector_view_array(b, 4), solution = gsl_vector_view_array(left, 4);
  gsl_linalg_cholesky_decomp1(&matrix.matrix);
  gsl_linalg_cholesky_solve(&matrix.matrix, &right.vector, &solution.vector);
  double *corner[4] = {&c->small_few, &c->large_few, &c->small_many, &c->large_many};
  for (int r = 0; r < 4; r++)
    *corner[r] = exp(fmin(fmax(left[r], least - most), most - least));
}

/* ratio - 1 = straggler + straggler_slope * ranks * log bytes, neither below 0, and at the most
 * ranks and bytes no more than any measured. */
static void fit_stragglers(ts_ir_net_curve *c, const network_curves_call *calls, uint32_t count)
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, most = 0,
         end = c->most_ranks * log(fmax((double)c->most, 1));
  for (uint32_t i = 0; i < count; i++) {
    if (calls[i].ratio <= 0)
      continue;
    double at = calls[i].profile.ranks * log(fmax(calls[i].bytes, 1)), over = calls[i].ratio - 1;
    n++, x += at, y += over, xx += at * at, xy += at * over;
    most = fmax(most, over);
  }
  double d = n * xx - x * x;
  if (n < 1)
    return;
  c->straggler_slope = d > 1e-9 * n * xx ? fmax(0, (n * xy - x * y) / d) : 0;
  c->straggler = (y - c->straggler_slope * x) / n;
  if (c->straggler < 0) {
    c->straggler = 0;
    c->straggler_slope = xx > 0 ? fmax(0, xy / xx) : 0;
  }
  if (c->straggler + c->straggler_slope * end <= most)
    return;
  /* through what was measured on the mean, and through the most of it at the end */
  c->straggler_slope = end > x / n ? fmax(0, (most - y / n) / (end - x / n)) : 0;
  c->straggler = fmax(0, y / n - c->straggler_slope * x / n);
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
                         .most = p->bytes,
                         .small_few = 1,
                         .large_few = 1,
                         .small_many = 1,
                         .large_many = 1};
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
  fit_stragglers(c, calls, n);
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
  fit_correction(c, calls, used);
  return true;
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
