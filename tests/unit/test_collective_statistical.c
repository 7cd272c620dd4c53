/* The statistical model of collectives: its formula by hand, and fits to data that a curve made. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "calibrate/network_curves.h"
#include "calibrate/network_fit.h"
#include "runtime/collective/statistical.h"

static const ts_ir_net_curve truth = {.collective = TS_IR_ALL_REDUCE,
                                      .least_ranks = 4,
                                      .most_ranks = 32,
                                      .least = 1 << 14,
                                      .most = 1 << 28,
                                      .intra_latency = 2000000,
                                      .inter_latency = 9000000,
                                      .intra_limit = 300e9,
                                      .intra_floor = 1e6,
                                      .intra_slope = 0.8,
                                      .intra_middle = 4e6,
                                      .inter_limit = 90e9,
                                      .inter_floor = 1e6,
                                      .inter_slope = 1.1,
                                      .inter_middle = 2e7};

Test(statistical, formula)
{
  ts_ir_net_curve c = truth;
  c.intra_floor = c.inter_floor = 0;
  ts_profile one = ts_fit_profile((ts_fit_links){0, 0}, 8, 1),
             four = ts_fit_profile((ts_fit_links){0, 0}, 32, 4);
  /* at the middle half of the limit is reached: 2 * 4e6 / 150e9, and seven steps of 2 us */
  cr_assert_float_eq(ts_curve_analytic(&c, 4e6, &one), 2 * 4e6 / 150e9 + 7 * 2e-6, 1e-12);
  double inside = 2 * 2e7 / (300e9 / (1 + pow(5, -0.8))) + 7 * 2e-6;
  /* floor(log2 4) + 1 steps between islands */
  cr_assert_float_eq(ts_curve_analytic(&c, 2e7, &four), inside + 2 * 2e7 / 45e9 + 3 * 9e-6, 1e-12);
  /* (P-N-1)/(P-N) of the bytes inside, (N-1)/N between, N steps */
  c.collective = TS_IR_ALL_GATHER;
  cr_assert_float_eq(ts_curve_analytic(&c, 4e6, &one), 6. / 7 * 4e6 / 150e9 + 7 * 2e-6, 1e-12);
  inside = 27. / 28 * 2e7 / (300e9 / (1 + pow(5, -0.8))) + 7 * 2e-6;
  cr_assert_float_eq(ts_curve_analytic(&c, 2e7, &four), inside + 0.75 * 2e7 / 45e9 + 4 * 9e-6,
                     1e-12);
  ts_profile alone = ts_fit_profile((ts_fit_links){0, 0}, 4, 4);
  cr_assert_float_eq(ts_curve_analytic(&c, 2e7, &alone), 0.75 * 2e7 / 45e9 + 4 * 9e-6, 1e-12);
  /* a message has one step */
  c.collective = TS_IR_MESSAGE;
  alone = ts_fit_profile((ts_fit_links){0, 0}, 2, 2);
  cr_assert_float_eq(ts_curve_analytic(&c, 2e7, &alone), 2e7 / 45e9 + 9e-6, 1e-12);
}

/* b0 + b1 t + b2 l + b3 P + b3' S + b4 t S + b5 t P + b6 l S, by hand. */
Test(statistical, regression)
{
  ts_ir_net_curve c = truth;
  const double b[] = {3e-6, 1.1, -0.4, 2e-7, 5e-13, 1e-9, 1e-3, 2e-9};
  memcpy(c.weights, b, sizeof b);
  c.most_factor = 100;
  ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, 16, 2);
  double t = ts_curve_analytic(&c, 1 << 20, &p), l = 7 * 2e-6 + 2 * 9e-6, bytes = 1 << 20,
         time = b[0] + b[1] * t + b[2] * l + b[3] * 16 + b[4] * bytes + b[5] * t * bytes +
                b[6] * t * 16 + b[7] * l * bytes;
  cr_assert_float_eq((double)ts_curve_estimate(&c, 1 << 20, &p).time, time * 1e12, 1);
  /* ranks and bytes count no further than they were measured */
  cr_assert_float_eq(ts_curve_regression(&c, 1e15, &p), ts_curve_regression(&c, 1 << 28, &p),
                     1e-12);
  cr_assert(!ts_curve_estimate(&c, 1 << 20, &p).beyond);
  cr_assert(ts_curve_estimate(&c, 1 << 30, &p).beyond);
  /* where it is below 0 it says nothing, and never more than measured calls did */
  c.weights[0] = -1;
  cr_assert_eq(ts_curve_regression(&c, 1 << 20, &p), 1.0);
  c.weights[0] = 1, c.most_factor = 1.5;
  cr_assert_eq(ts_curve_regression(&c, 1 << 20, &p), 1.5);
}

/* Calls of one, two and four islands; repeated `times`, each slower than the last. */
static uint32_t calls(ts_ir_net_point *points, uint32_t times, double slower)
{
  uint32_t n = 0;
  for (uint32_t islands = 1; islands <= 4; islands *= 2)
    for (uint64_t bytes = 1 << 14; bytes <= 1 << 28; bytes *= 4)
      for (uint32_t r = 0; r < times; r++) {
        ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, 8 * islands, islands);
        double seconds =
          ts_curve_analytic(&truth, (double)bytes, &p) * (1 + slower * r / fmax(times - 1, 1));
        points[n++] = (ts_ir_net_point){
          TS_IR_ALL_REDUCE, 8 * islands, islands, 0, bytes, (uint64_t)llround(seconds * 1e12)};
      }
  return n;
}

Test(statistical, fit_finds_the_curve_that_made_the_data)
{
  ts_arena *arena = ts_arena_new("test");
  ts_ir_net_point points[256];
  uint32_t n = calls(points, 1, 0), curves = 0;
  const ts_ir_net_curve *c = ts_network_fit_curves(arena, points, n, &curves);
  cr_assert_eq(curves, 1u);
  cr_assert_null(ts_network_curve_wrong(c));
  for (uint32_t i = 0; i < n; i++)
    cr_assert_float_eq(ts_network_curves_time(c, 1, TS_IR_ALL_REDUCE, points[i].bytes,
                                              points[i].ranks, points[i].islands) /
                         ((double)points[i].time * 1e-12),
                       1, 0.03, "%u ranks, %llu B", points[i].ranks,
                       (unsigned long long)points[i].bytes);
  /* no repeats: nothing is known of stragglers */
  cr_assert_eq(ts_curve_stragglers(c, 1 << 28, 32), 1.0);
  cr_assert_eq(ts_network_curves_time(c, 1, TS_IR_BROADCAST, 1 << 20, 8, 1), 0.0);
  ts_arena_free(arena);
}

Test(statistical, repeats_tell_of_stragglers)
{
  ts_arena *arena = ts_arena_new("test");
  ts_ir_net_point points[256];
  uint32_t n = calls(points, 5, 0.4), curves = 0; /* the upper quartile is 30 % above the fastest */
  const ts_ir_net_curve *c = ts_network_fit_curves(arena, points, n, &curves);
  cr_assert_eq(curves, 1u);
  cr_assert_float_eq(ts_curve_stragglers(c, 1 << 20, 16), 1.3, 0.01);
  ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, 8, 1);
  cr_assert_float_eq(ts_network_curves_time(c, 1, TS_IR_ALL_REDUCE, 1 << 22, 8, 1) /
                       ts_curve_analytic(&truth, 1 << 22, &p),
                     1.3, 0.05);
  ts_arena_free(arena);
}

/* Stragglers on few ranks, growing with ranks and bytes, say nothing of a hundred times as many. */
Test(statistical, stragglers_are_no_more_than_measured)
{
  ts_arena *arena = ts_arena_new("test");
  ts_ir_net_point points[512];
  uint32_t n = 0, curves = 0;
  for (uint32_t islands = 2; islands <= 512; islands *= islands < 8 ? 2 : 8)
    for (uint64_t bytes = 1 << 14; bytes <= 1 << 28; bytes *= 4)
      for (uint32_t r = 0; r < (islands <= 4 ? 5u : 1u); r++) {
        ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, 8 * islands, islands);
        double over = 0.002 * islands * log((double)bytes) * r, few = islands <= 4 ? 1 + over : 1.4;
        points[n++] = (ts_ir_net_point){
          TS_IR_ALL_REDUCE, 8 * islands, islands, 0, bytes,
          (uint64_t)llround(ts_curve_analytic(&truth, (double)bytes, &p) * few * 1e12)};
      }
  const ts_ir_net_curve *c = ts_network_fit_curves(arena, points, n, &curves);
  cr_assert_eq(curves, 1u);
  double most = 1 + 0.002 * 4 * log(1 << 28) * 3; /* the upper quartile of five is the fourth */
  cr_assert(ts_curve_stragglers(c, 1 << 28, 4096) < most * 1.001);
  cr_assert(ts_curve_stragglers(c, 1e15, 100000) < most * 1.001);
  for (uint32_t i = 0; i < n; i++)
    if (points[i].islands > 4)
      cr_assert_float_eq(ts_network_curves_time(c, 1, TS_IR_ALL_REDUCE, points[i].bytes,
                                                points[i].ranks, points[i].islands) /
                           ((double)points[i].time * 1e-12),
                         1, 0.25, "%u ranks, %llu B", points[i].ranks,
                         (unsigned long long)points[i].bytes);
  ts_arena_free(arena);
}

/* Curves of one cluster learn another whose calls take `b` of their time: each call moves them
 * nearer, as least mean squares does by hand for the first. */
Test(statistical, update_learns_another_cluster)
{
  ts_arena *arena = ts_arena_new("test");
  ts_ir_net_point points[256];
  uint32_t n = calls(points, 1, 0), curves = 0, learnt = 0;
  ts_ir_net_curve *c = ts_network_fit_curves(arena, points, n, &curves), first = *c;
  for (uint32_t i = 0; i < n; i++)
    points[i].time = (uint64_t)llround((double)points[i].time * 1.6);
  ts_network_learnt *said =
    ts_network_update_curves(arena, &first, 1, points, 1, TS_NETWORK_RATE, &learnt);
  double x[TS_IR_CURVE_WEIGHTS], error = 0;
  ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, points[0].ranks, points[0].islands);
  ts_curve_terms(c, (double)points[0].bytes, &p, x); /* of one call they are the largest */
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++)
    error += c->weights[k] * x[k];
  double wanted =
    (double)points[0].time * 1e-12 / ts_curve_analytic(c, (double)points[0].bytes, &p);
  error = (error - wanted) / fmax(wanted, 1);
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++) {
    double want = c->weights[k] - TS_NETWORK_RATE * error / x[k];
    cr_assert_float_eq(first.weights[k], want, 1e-9 * fabs(want) + 1e-30, "weight %d", k);
  }
  cr_assert_eq(learnt, 1u);
  cr_assert_eq(said->rows, 1u);
  said = ts_network_update_curves(arena, c, curves, points, n, TS_NETWORK_RATE, &learnt);
  cr_assert_eq(said->rows, n);
  cr_assert_float_eq(said->file, 0.375, 0.02);
  cr_assert(said->coming < 0.8 * said->file, "%g", said->coming);
  cr_assert(said->after < 0.85 * said->file, "%g", said->after);
  for (int again = 0; again < 10; again++)
    said = ts_network_update_curves(arena, c, curves, points, n, TS_NETWORK_RATE, &learnt);
  cr_assert(said->after < 0.1 * 0.375, "%g", said->after);
  cr_assert_null(ts_network_curve_wrong(c));
  /* what no curve is for is counted, not learnt */
  points[0].collective = TS_IR_BROADCAST;
  said = ts_network_update_curves(arena, c, curves, points, 1, TS_NETWORK_RATE, &learnt);
  cr_assert_eq(said->passed_over, 1u);
  cr_assert_eq(said->rows, 0u);
  ts_arena_free(arena);
}
