/* The statistical model of collectives: its formula by hand, and fits to data that a curve made. */
#include <criterion/criterion.h>
#include <math.h>

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
                                      .inter_middle = 2e7,
                                      .small_few = 1,
                                      .large_few = 1,
                                      .small_many = 1,
                                      .large_many = 1};

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
  c.collective = TS_IR_ALL_GATHER;
  cr_assert_float_eq(ts_curve_analytic(&c, 4e6, &one), 4e6 / 150e9 + 7 * 2e-6, 1e-12);
}

Test(statistical, correction_between_its_corners)
{
  ts_ir_net_curve c = truth;
  c.small_few = 1, c.large_few = 4, c.small_many = 16, c.large_many = 64;
  cr_assert_float_eq(ts_curve_correction(&c, 1 << 14, 4), 1, 1e-12);
  cr_assert_float_eq(ts_curve_correction(&c, 1 << 28, 32), 64, 1e-9);
  /* half way in log bytes */
  cr_assert_float_eq(ts_curve_correction(&c, 1 << 21, 4), 2, 1e-9);
  cr_assert_float_eq(ts_curve_correction(&c, 1 << 14, 8), pow(16, 1.0 / 3), 1e-9);
  /* no further outside */
  cr_assert_float_eq(ts_curve_correction(&c, 1e15, 4), 4, 1e-9);
  ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, 4, 1);
  cr_assert(!ts_curve_estimate(&c, 1 << 20, &p).beyond);
  cr_assert(ts_curve_estimate(&c, 1 << 30, &p).beyond);
  p.ranks = 64;
  cr_assert(ts_curve_estimate(&c, 1 << 20, &p).beyond);
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
  cr_assert_eq(c->straggler + c->straggler_slope, 0.0);
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
