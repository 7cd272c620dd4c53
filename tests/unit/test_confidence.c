/* Intervals around predictions: quantiles and spreads against closed forms, and what must hold of
 * any plan. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate/conformal.h"
#include "ir/run_kind.h"
#include "ir/spread.h"
#include "runtime/account/confidence.h"
#include "runtime/account/memory.h"
#include "runtime/report/confidence.h"
#include "tests/unit/ir_text.h"
#include "tests/unit/random_ir.h"

/* ---- Reach ---- */

static double reach_of(const double *values, uint32_t n, double weight, double share)
{
  ts_score scores[200];
  for (uint32_t i = 0; i < n; i++)
    scores[i] = (ts_score){values[i], weight};
  return ts_scores_reach(scores, n, share);
}

/* Of n alike, the reach is the ceil(share (n + 1))-th smallest. */
Test(conformal, reach_is_an_order_statistic)
{
  for (uint32_t n = 1; n <= 200; n++) {
    double values[200];
    for (uint32_t i = 0; i < n; i++)
      values[i] = (i * 37 + 11) % n + 1; /* 1 to n where 37 and n have no divisor in common */
    if (n % 37 == 0)
      continue;
    uint32_t rank = (uint32_t)ceil(0.9 * (n + 1) - 1e-9);
    cr_assert_eq(reach_of(values, n, 3, 0.9), rank < n ? rank : n, "of %u", n);
  }
}

Test(conformal, reach_is_never_negative)
{
  double values[] = {-3, -2, -1};
  cr_assert_eq(reach_of(values, 3, 1, 0.9), 0);
  cr_assert_eq(ts_scores_reach(NULL, 0, 0.9), 0);
}

/* A score of twice the weight is not two scores: it stands for as much, but the effective number is
 * smaller. */
Test(conformal, effective_number)
{
  ts_score alike[] = {{1, 2}, {2, 2}, {3, 2}}, one[] = {{1, 1}, {2, 0}, {3, 0}},
           mixed[] = {{1, 2}, {2, 1}};
  cr_assert_float_eq(ts_scores_effective(alike, 3), 3, 1e-12);
  cr_assert_float_eq(ts_scores_effective(one, 3), 1, 1e-12);
  cr_assert_float_eq(ts_scores_effective(mixed, 2), 9.0 / 5, 1e-12);
}

/* Coverage of new draws from the same distribution, any distribution: at least the share, and no
 * more than 1 / (n + 1) above it. */
Test(conformal, new_draws_are_held)
{
  enum { N = 39, TRIES = 20000 };
  random_ir g = {.state = 5};
  uint32_t held = 0;
  for (int t = 0; t < TRIES; t++) {
    double values[N];
    for (int i = 0; i < N; i++)
      values[i] = exp(random_below(&g, 1000000) * 1e-6);
    held += exp(random_below(&g, 1000000) * 1e-6) <= reach_of(values, N, 1, 0.9);
  }
  double share = (double)held / TRIES, deviation = sqrt(0.09 / TRIES);
  cr_assert_geq(share, 0.9 - 4 * deviation);
  cr_assert_leq(share, 0.9 + 1.0 / (N + 1) + 4 * deviation);
}

/* ---- Spreads ---- */

Test(confidence, families_add_up_as_squares)
{
  ts_uncertain_part parts[] = {{.share = 0.6, .spread = 0.05}, {.share = 0.4, .spread = 0.1}};
  cr_assert_float_eq(ts_spread_of_parts(parts, 2), sqrt(0.03 * 0.03 + 0.04 * 0.04), 1e-15);
  cr_assert_eq(ts_spread_of_parts(parts, 0), 0);
}

Test(confidence, interval_is_in_spreads)
{
  ts_ir_validation on = {.below = 0.5, .above = 2};
  ts_interval i = ts_interval_around(10, 0.1, &on), none = ts_interval_around(10, 0.1, NULL);
  cr_assert_float_eq(i.low, 10 * exp(-0.05), 1e-12);
  cr_assert_float_eq(i.high, 10 * exp(0.2), 1e-12);
  cr_assert_eq(none.low, 10);
  cr_assert_eq(none.high, 10);
}

#define TWO_GEMMS                                                                                  \
  "stream compute\n"                                                                               \
  "kernel gemm 600 us dtype bf16 basis fitted\n"                                                   \
  "kernel wide 200 us named gemm dtype fp8 basis fitted\n"                                         \
  "kernel norm 200 us basis roofline\n"                                                            \
  "fragment F {\n compute gemm\n compute wide\n compute norm\n}\n"                                 \
  "program {\n F 0\n}\n"                                                                           \
  "spread kernels fitted of gemm by 0.1\n"                                                         \
  "spread kernels fitted of gemm dtype fp8 by 0.2\n"                                               \
  "spread kernels fitted by 0.9\n"                                                                 \
  "validated step_time below 1 above 1 apart 1 on \"these\" rows 9 groups 3\n"                     \
  "validated peak_memory below 0.1 above 0.2 apart 0.15\n"

typedef struct played {
  ts_ir_builder *b;
  ts_ir ir;
  ts_arena *arena;
  ts_run *run;
  ts_confidence sure;
} played;

static played play(ts_ir_builder *b)
{
  played p = {.b = b, .arena = ts_arena_new("confidence")};
  ts_stop stop = {.arena = p.arena};
  ts_ir_builder_view(p.b, &p.ir);
  p.run = ts_run_new(&p.ir, &(ts_run_options){0}, &stop);
  cr_assert(p.run, "%s", stop.title);
  p.sure = ts_confidence_new(p.arena, &p.ir, ts_run_result(p.run), 100, 10);
  return p;
}

static void end(played *p)
{
  ts_run_free(p->run);
  ts_arena_free(p->arena);
  ts_ir_builder_free(p->b);
}

static played play_text(const char *text)
{
  ts_error error;
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  return play(b);
}

/* The record that names most counts; within a family shares times spreads add up, and a family by
 * itself with the roofline's as squares. */
Test(confidence, parts_of_a_step)
{
  played p = play_text(TWO_GEMMS "spread kernels roofline by 0.5\n");
  cr_assert_eq(p.sure.part_count, 2);
  cr_assert_str_eq(p.sure.parts[1].name, "gemm");
  cr_assert_float_eq(p.sure.parts[1].share, 0.8, 1e-12);
  cr_assert_float_eq(p.sure.parts[1].share * p.sure.parts[1].spread, 0.6 * 0.1 + 0.2 * 0.2, 1e-12);
  cr_assert_float_eq(p.sure.spread, sqrt(0.1 * 0.1 + 0.1 * 0.1), 1e-12);
  cr_assert_float_eq(p.sure.step.low, 1e-3 * exp(-p.sure.spread), 1e-12);
  cr_assert_float_eq(p.sure.step.high, 1e-3 * exp(p.sure.spread), 1e-12);
  end(&p);
}

/* Libraries hold what they hold: the interval of memory is around the rest. */
Test(confidence, reserved_memory_is_known)
{
  played p = play_text(TWO_GEMMS);
  cr_assert_float_eq(p.sure.memory.figure, 110, 1e-12);
  cr_assert_float_eq(p.sure.memory.low, 10 + 100 * exp(-0.1), 1e-9);
  cr_assert_float_eq(p.sure.memory.high, 10 + 100 * exp(0.2), 1e-9);
  end(&p);
}

static double width_with(const char *more)
{
  char text[2000];
  snprintf(text, sizeof text, "%s%s", TWO_GEMMS, more);
  played p = play_text(text);
  double width = p.sure.step.high / p.sure.step.low;
  end(&p);
  return width;
}

Test(confidence, more_that_is_assumed_widens)
{
  double width = 0;
  for (int i = 0; i <= 30; i++) {
    char more[80];
    snprintf(more, sizeof more, "spread kernels roofline by %g\n", i * 0.1);
    double wider = width_with(more);
    cr_assert_gt(wider, width, "by %g", i * 0.1);
    width = wider;
  }
}

Test(confidence, larger_calls_have_their_own_spread)
{
  ts_ir_spread s[] = {
    {.origin = TS_IR_ORIGIN_NETWORK, .basis = TS_IR_NET_WHITE_BOX, .between = 1, .spread = 0.4},
    {.origin = TS_IR_ORIGIN_NETWORK,
     .basis = TS_IR_NET_WHITE_BOX,
     .between = 1,
     .least_kib = 1024,
     .spread = 0.2},
    {.origin = TS_IR_ORIGIN_NETWORK,
     .basis = TS_IR_NET_WHITE_BOX,
     .between = 1,
     .least_kib = 16384,
     .spread = 0.1}};
  ts_spread_query q = {.origin = TS_IR_ORIGIN_NETWORK,
                       .basis = TS_IR_NET_WHITE_BOX,
                       .name = "",
                       .dtype = "",
                       .between = true};
  const double bytes[] = {1000, 1 << 20, 17 << 20};
  for (uint32_t i = 0; i < 3; i++) {
    q.bytes = bytes[i];
    cr_assert_eq(ts_spread_find(s, 3, "", &q), i);
  }
  q.assumed = true;
  cr_assert_eq(ts_spread_find(s, 3, "", &q), TS_IR_NONE);
}

/* ---- Two plans ---- */

/* Alike plans: of a^2 + a^2 - 2 r a^2 the root, r being 0.7; what no plan says does not cancel. */
Test(confidence, ratio_of_two)
{
  ts_ir_validation on = {.below = 1, .above = 2, .apart = 1.25};
  ts_uncertain_part part = {.name = "gemm", .share = 1, .spread = 0.1},
                    run = {.origin = TS_IR_ORIGIN_RUN, .name = "", .share = 1, .spread = 0.1};
  ts_confidence a = {.part_count = 1, .parts = &part, .spread = 0.1, .step = {10, 9, 12, &on}},
                b = a;
  ts_interval same = ts_interval_of_ratio(&a, &b);
  cr_assert_float_eq(same.figure, 1, 1e-15);
  cr_assert_float_eq(log(same.high), 1.25 * 0.1 * sqrt(2 - 1.4), 1e-12);
  cr_assert_float_eq(log(same.low), -log(same.high), 1e-12);
  b.parts = a.parts = &run;
  cr_assert_float_eq(log(ts_interval_of_ratio(&a, &b).high), 1.25 * 0.1 * sqrt(2), 1e-12);
  b.kind = 1; /* of another kind: one may be too low and the other too high */
  ts_interval other = ts_interval_of_ratio(&a, &b);
  cr_assert_float_eq(log(other.high), hypot(2 * 0.1, 1 * 0.1), 1e-12);
  cr_assert_float_eq(log(other.low), -hypot(1 * 0.1, 2 * 0.1), 1e-12);
  b.step.on = NULL;
  cr_assert_null(ts_interval_of_ratio(&a, &b).on);
}

/* ---- Any plan ---- */

Test(confidence, intervals_hold_the_prediction)
{
  for (uint64_t seed = 1; seed <= 300; seed++) {
    played p = play(random_ir_new(seed));
    double step = (double)ts_run_result(p.run)->step * 1e-12, sum = 0;
    cr_assert_leq(p.sure.step.low, step);
    cr_assert_geq(p.sure.step.high, step);
    cr_assert_leq(p.sure.memory.low, p.sure.memory.figure);
    cr_assert_geq(p.sure.memory.high, p.sure.memory.figure);
    cr_assert(isfinite(p.sure.spread) && p.sure.spread >= 0);
    for (uint32_t i = 0; i < p.sure.part_count; i++)
      sum += p.sure.parts[i].origin == TS_IR_ORIGIN_RUN ? 0 : p.sure.parts[i].share;
    cr_assert_leq(sum, 1 + 1e-9, "seed %llu: parts of %g", (unsigned long long)seed, sum);
    end(&p);
  }
}

/* ---- In words ---- */

Test(confidence, words)
{
  ts_arena *arena = ts_arena_new("words");
  ts_ir_validation on = {0};
  ts_interval i = {.figure = 22.18, .low = 20.912, .high = 24.0249, .on = &on};
  cr_assert_str_eq(ts_interval_text(arena, &i, (ts_text){"22.18 s"}), "80 %: 20.91 to 24.02");
  i = (ts_interval){.figure = 1043.5, .low = 990.04, .high = 1100.06, .on = &on};
  cr_assert_str_eq(ts_interval_text(arena, &i, (ts_text){"1,043.5 s"}), "80 %: 990.0 to 1100.1");
  i = (ts_interval){.figure = 8e9, .low = 4e9, .high = 16e9, .on = &on};
  cr_assert_str_eq(ts_interval_text(arena, &i, (ts_text){"8 GB"}), "80 %: 4 to 16");
  i.on = NULL;
  cr_assert_str_eq(ts_interval_text(arena, &i, (ts_text){"8 GB"}), "");
  ts_arena_free(arena);
}

Test(confidence, kind_of_run)
{
  played p = play_text("framework lab\nrun bits 8 experts nodes\n" TWO_GEMMS);
  cr_assert_str_eq(ts_ir_run_kind(p.arena, &p.ir), "lab, 8 bits, experts, several nodes");
  cr_assert_str_eq(ts_ir_gpu_of(&p.ir), "");
  end(&p);
}
