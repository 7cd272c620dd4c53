/* Calibration to measured steps: the fit against what must hold at its solution, against fits of
 * fewer rows, and against known truths; and files of calibrations. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calibrate/step_fit.h"
#include "cost/calibration.h"

enum { MOST_ROWS = 12, MOST = 3 };

typedef struct line { /* steps whose logarithms are straight in x */
  uint32_t quantities;
  double at_zero[MOST_ROWS], response[MOST_ROWS * MOST];
  double bend;        /* of the first quantity, so that one round does not suffice */
} line;

static double step_of(const line *l, uint32_t row, const double *x)
{
  double sum = l->at_zero[row] + l->bend * x[0] * x[0];
  for (uint32_t j = 0; j < l->quantities; j++)
    sum += l->response[row * l->quantities + j] * x[j];
  return sum;
}

static bool play(void *closure, ts_step_ask *asks, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    asks[i].log_step = step_of(closure, asks[i].row, asks[i].x);
  return true;
}

static bool refuse(void *closure, ts_step_ask *asks, uint32_t count)
{
  return (void)closure, (void)asks, count == 0;
}

/* Numbers that look random, of a fixed beginning (Knuth's MMIX). */
static uint64_t state;
static double uniform(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(state >> 11) + 0.5) / 0x1p53;
}
static double normal(void)
{
  double r = sqrt(-2 * log(uniform()));
  return r * cos(2 * M_PI * uniform());
}

static const uint32_t each_alone[MOST_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

typedef struct problem {
  line l;
  double measured[MOST_ROWS], prior[MOST];
  ts_step_problem p;
} problem;

static void make(problem *q, uint32_t rows, uint32_t quantities, double noise)
{
  *q = (problem){.l = {.quantities = quantities}};
  for (uint32_t r = 0; r < rows; r++) {
    double sum = 0;
    q->l.at_zero[r] = uniform();
    for (uint32_t j = 0; j < quantities; j++)
      sum += q->l.response[r * quantities + j] = uniform();
    for (uint32_t j = 0; j < quantities; j++)
      q->l.response[r * quantities + j] /= sum;
  }
  for (uint32_t j = 0; j < quantities; j++)
    q->prior[j] = 0.1 + 0.1 * j;
  q->p = (ts_step_problem){rows,  quantities, q->measured, each_alone, q->prior,
                           noise, play,       &q->l};
}

/* Of the truth x, with noise. */
static void measure(problem *q, const double *x, double noise)
{
  for (uint32_t r = 0; r < q->p.rows; r++)
    q->measured[r] = step_of(&q->l, r, x) + noise * normal();
}

/* At the solution the gradient of the posterior is 0, the covariance is the inverse of its
 * curvature, and the noise is what the weighted rows and its prior say. */
Test(calibrate, solution)
{
  ts_arena *arena = ts_arena_new("test");
  state = 1;
  problem q;
  ts_step_fit f;
  make(&q, 8, 3, 0.02);
  measure(&q, (double[]){0.1, -0.2, 0.15}, 0.01);
  q.measured[3] += 0.3;
  cr_assert(ts_step_fit_run(arena, &q.p, &f));
  cr_assert(f.settled);
  double precision[9] = {0}, squares = 4 * 0.02 * 0.02;
  for (uint32_t i = 0; i < 3; i++)
    precision[4 * i] = 1 / (q.prior[i] * q.prior[i]);
  for (uint32_t i = 0; i < 3; i++) {
    double gradient = -f.x[i] / (q.prior[i] * q.prior[i]);
    for (uint32_t r = 0; r < 8; r++) {
      const double *j = &q.l.response[r * 3];
      gradient += f.weight[r] / (f.noise * f.noise) * j[i] * (q.measured[r] - f.after[r]);
      for (uint32_t k = 0; k < 3; k++)
        precision[3 * i + k] += f.weight[r] / (f.noise * f.noise) * j[i] * j[k];
    }
    cr_assert_float_eq(gradient, 0, 1e-3 / q.prior[i], "%g", gradient);
  }
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) {
      double sum = 0;
      for (uint32_t m = 0; m < 3; m++)
        sum += precision[3 * i + m] * f.covariance[3 * m + k];
      cr_assert_float_eq(sum, i == k, 1e-4);
    }
  for (uint32_t r = 0; r < 8; r++) {
    const double *j = &q.l.response[r * 3];
    double e = q.measured[r] - f.after[r], square = e * e;
    for (uint32_t i = 0; i < 9; i++)
      square += j[i / 3] * j[i % 3] * f.covariance[i];
    squares += f.weight[r] * square;
    cr_assert_float_eq(f.weight[r], 5 / (4 + square / (f.noise * f.noise)), 1e-3);
  }
  cr_assert_float_eq(f.noise, sqrt(squares / 12), 1e-5);
  cr_assert_lt(f.weight[3], 0.2);
  ts_arena_free(arena);
}

/* One quantity, two steps alike, noise as expected: the mean of prior and steps. */
Test(calibrate, closed_form)
{
  ts_arena *arena = ts_arena_new("test");
  problem q;
  ts_step_fit f;
  state = 2;
  make(&q, 2, 1, 0.02);
  q.measured[0] = q.l.at_zero[0] + 0.05;
  q.measured[1] = q.l.at_zero[1] + 0.05;
  cr_assert(ts_step_fit_run(arena, &q.p, &f));
  double steps = (f.weight[0] + f.weight[1]) / (f.noise * f.noise), prior = 1 / (0.1 * 0.1);
  cr_assert_float_eq(f.x[0], 0.05 * steps / (steps + prior), 1e-9);
  cr_assert_float_eq(f.deviation[0], 1 / sqrt(steps + prior), 1e-9);
  ts_arena_free(arena);
}

/* Left out, a row is predicted as by a fit that never saw it; rows of a fold, all of them. */
Test(calibrate, left_out)
{
  ts_arena *arena = ts_arena_new("test");
  problem q;
  ts_step_fit all, fewer;
  state = 3;
  make(&q, 7, 3, 0.02);
  measure(&q, (double[]){0.1, 0.1, -0.3}, 0.02);
  static const uint32_t folds[] = {0, 1, 2, 3, 4, 5, 5};
  q.p.fold = folds;
  cr_assert(ts_step_fit_run(arena, &q.p, &all));
  for (uint32_t r = 0; r < 7; r++) {
    problem without = q;
    without.p.measured = without.measured;
    without.p.prior = without.prior;
    without.p.closure = &without.l;
    without.p.fold = each_alone;
    without.p.rows = 0;
    for (uint32_t k = 0; k < 7; k++) {
      if (folds[k] == folds[r])
        continue;
      uint32_t to = without.p.rows++;
      without.measured[to] = q.measured[k];
      without.l.at_zero[to] = q.l.at_zero[k];
      memcpy(&without.l.response[to * 3], &q.l.response[k * 3], 3 * sizeof(double));
    }
    cr_assert(ts_step_fit_run(arena, &without.p, &fewer));
    cr_assert_float_eq(all.left_out[r], step_of(&q.l, r, fewer.x), 1e-6);
    double spread = fewer.noise * fewer.noise;
    for (uint32_t i = 0; i < 9; i++)
      spread += q.l.response[r * 3 + i / 3] * q.l.response[r * 3 + i % 3] * fewer.covariance[i];
    cr_assert_float_eq(all.left_out_deviation[r], sqrt(spread), 1e-6);
  }
  ts_arena_free(arena);
}

/* Truths drawn from the prior, steps from the truths: four in five lie within 1.28 deviations of
 * what is fitted, and of what is predicted of a step that was left out. */
Test(calibrate, deviations_hold)
{
  enum { TRIALS = 400, ROWS = 6 };
  ts_arena *arena = ts_arena_new("test");
  unsigned factors = 0, steps = 0;
  state = 4;
  for (int t = 0; t < TRIALS; t++) {
    problem q;
    ts_step_fit f;
    double x[MOST];
    make(&q, ROWS, MOST, 0.02);
    for (uint32_t j = 0; j < MOST; j++)
      x[j] = q.prior[j] * normal();
    measure(&q, x, 0.02);
    cr_assert(ts_step_fit_run(arena, &q.p, &f));
    for (uint32_t j = 0; j < MOST; j++)
      factors += fabs(x[j] - f.x[j]) <= 1.2816 * f.deviation[j];
    for (uint32_t r = 0; r < ROWS; r++)
      steps += fabs(q.measured[r] - f.left_out[r]) <= 1.2816 * f.left_out_deviation[r];
  }
  double of_factors = factors / (double)(TRIALS * MOST), of_steps = steps / (double)(TRIALS * ROWS);
  cr_assert(of_factors > 0.76 && of_factors < 0.86, "%g", of_factors);
  cr_assert(of_steps > 0.76 && of_steps < 0.88, "%g", of_steps);
  ts_arena_free(arena);
}

/* Steps that all have the same shares say one number: the sum. */
Test(calibrate, not_told_apart)
{
  ts_arena *arena = ts_arena_new("test");
  problem q;
  ts_step_fit f;
  double share;
  state = 5;
  make(&q, 6, 2, 0.01);
  for (uint32_t r = 0; r < 6; r++)
    q.l.response[2 * r] = 0.75, q.l.response[2 * r + 1] = 0.25;
  q.prior[1] = q.prior[0];
  measure(&q, (double[]){0.1, 0.1}, 0.01);
  cr_assert(ts_step_fit_run(arena, &q.p, &f));
  double known = ts_step_pair(&f, 2, 0, 1, &share);
  cr_assert_lt(f.covariance[1] / (f.deviation[0] * f.deviation[1]), -0.9);
  cr_assert_float_eq(share, 0.75, 0.02);
  cr_assert_lt(known, 0.01);
  cr_assert_gt(f.deviation[1], 0.9 * q.prior[1]);
  cr_assert_float_eq(share * f.x[0] + (1 - share) * f.x[1], 0.1, 3 * known);
  ts_arena_free(arena);
}

/* What bends is played again until it settles. */
Test(calibrate, bent)
{
  ts_arena *arena = ts_arena_new("test");
  problem q;
  ts_step_fit f;
  state = 6;
  make(&q, 6, 2, 0.01);
  q.l.bend = 1;
  q.prior[0] = q.prior[1] = 0.3;
  measure(&q, (double[]){0.3, -0.1}, 0);
  cr_assert(ts_step_fit_run(arena, &q.p, &f));
  cr_assert(f.settled && f.rounds > 2);
  cr_assert_float_eq(f.x[0], 0.3, 0.01);
  cr_assert_float_eq(f.x[1], -0.1, 0.01);
  q.p.play = refuse;
  cr_assert_not(ts_step_fit_run(arena, &q.p, &f));
  ts_arena_free(arena);
}

Test(calibrate, constant)
{
  double excess[] = {1.0, 1.2, 0.8, 1.0}, left_out[4];
  ts_constant_fit c = ts_constant_fit_run(excess, 4, 10, 0.2, left_out);
  double precision = 1 / 100.0 + 4 / (c.noise * c.noise);
  cr_assert_float_eq(c.value, 4.0 / (c.noise * c.noise) / precision, 1e-6);
  cr_assert_float_eq(c.deviation, 1 / sqrt(precision), 1e-6);
  cr_assert_float_eq(c.noise, sqrt((4 * 0.04 + 0.08 + 4 / precision) / 8), 1e-3);
  cr_assert_float_eq(left_out[1], 2.8 / 3, 0.01);
}

Test(calibrate, families)
{
  cr_assert(ts_text_among("gemm gemm_* conv", "gemm"));
  cr_assert(ts_text_among("gemm gemm_* conv", "gemm_cast"));
  cr_assert(ts_text_among("gemm gemm_* conv", "conv"));
  cr_assert_not(ts_text_among("gemm gemm_* conv", "conv2"));
  cr_assert_not(ts_text_among("gemm gemm_* conv", "grouped_gemm"));
  cr_assert_not(ts_text_among("gemm", "gem"));
  cr_assert(ts_text_among("a *_directory", "base_output_directory"));
  cr_assert(ts_text_among("offload_*_perc x", "offload_param_cores_perc"));
  cr_assert_not(ts_text_among("offload_*_perc", "offload_param_percent"));
  cr_assert_not(ts_text_among("*_directory", "directory"));
  cr_assert_not(ts_text_among("", "gemm"));
  cr_assert_not(ts_text_among("", ""));
  cr_assert(ts_text_among("*", "x"));
}

/* Two quantities of deviation 0.1 vary together by 0.01 at most. */
Test(calibrate, covariances_are_within_their_deviations)
{
  ts_arena *arena = ts_arena_new("test");
  for (int i = 0; i < 2; i++) {
    char text[1024];
    ts_error error;
    double both = i ? 0.0101 : 0.0099;
    snprintf(text, sizeof text,
             "{\"trainspec-calibration\": 1, \"plan\": \"p\", \"device\": \"d\", \"framework\": "
             "\"f\", \"rows\": 3, \"noise\": 0.1, \"residual\": 0.1, \"quantities\": [{\"name\": "
             "\"a\", \"kind\": \"host\", \"prior\": 0.1, \"log\": 0}, {\"name\": \"b\", "
             "\"kind\": \"inside\", \"prior\": 0.1, \"log\": 0}], \"covariance\": [[0.01, %g], "
             "[%g, 0.01]]}",
             both, both);
    cr_assert_eq(ts_calibration_read(arena, text, strlen(text), &error) != NULL, !i);
  }
  ts_arena_free(arena);
}

Test(calibrate, file)
{
  ts_arena *arena = ts_arena_new("test");
  ts_quantity quantity[] = {{"products", TS_QUANTITY_KERNELS, "gemm", "*", 0.1, 0.0123456789012345},
                            {"host", TS_QUANTITY_HOST, "", "", 0.4, -1.0 / 3}};
  ts_calibration c = {.plan = "a \"plan\"",
                      .device = "h100",
                      .framework = "nemo",
                      .rows = 3,
                      .count = 2,
                      .quantity = quantity,
                      .covariance = {{0.01, -0.002}, {-0.002, 0.1}},
                      .noise = 0.02,
                      .residual = 1.0 / 7,
                      .memory = {2, 1e9, -12345.678, 9.87, 6.54}};
  char *text = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_calibration_write(&c, out);
  fclose(out);
  ts_error error;
  ts_calibration *read = ts_calibration_read(arena, text, size, &error);
  cr_assert(read, "%s", error.message);
  cr_assert_str_eq(read->plan, c.plan);
  cr_assert_eq(read->quantity[1].log, c.quantity[1].log);
  cr_assert_eq(read->covariance[1][0], -0.002);
  cr_assert_eq(read->memory.bytes, c.memory.bytes);
  out = open_memstream(&again, &again_size);
  ts_calibration_write(read, out);
  fclose(out);
  cr_assert_str_eq(text, again);
  cr_assert_eq(ts_calibration_of_kernel(read, "gemm", "bf16"), 0);
  cr_assert_eq(ts_calibration_of_kernel(read, "adam", "bf16"), 2);
  cr_assert_eq(ts_calibration_of_kind(read, TS_QUANTITY_HOST), 1);
  cr_assert_eq(ts_calibration_of_kind(read, TS_QUANTITY_INSIDE), 2);
  cr_assert_eq(ts_calibrated_time(read, 2, 1000), 1000);
  cr_assert_eq(ts_calibrated_time(read, 1, 1000000), (uint64_t)llround(1e6 * exp(-1.0 / 3)));
  cr_assert_eq(ts_calibrated_reserve(read, 100000), (uint64_t)llround(100000 - 12345.678));
  cr_assert_eq(ts_calibrated_reserve(read, 100), 0);
  free(text);
  free(again);
  ts_arena_free(arena);
}
