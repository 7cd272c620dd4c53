/* Boosted trees: they find steps, the same each time, and fit files hold them; fits say how far
 * beyond their rows they are asked. */
#include "cost/trees.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/xgboost.h"
#include "cost/cost.h"

enum { ROWS = 200 };

static void needs_library(void)
{
  ts_xgboost x;
  if (!ts_xgboost_open(&x))
    cr_skip("no XGBoost library here");
  ts_xgboost_close(&x);
}

Test(cost_trees, steps_are_found_and_growth_repeats)
{
  needs_library();
  ts_arena *arena = ts_arena_new("test");
  double input[2 * ROWS], target[ROWS];
  for (int i = 0; i < ROWS; i++) {
    input[2 * i] = i % 20, input[2 * i + 1] = i / 20;
    target[i] = (i % 20 < 7 ? 0.5 : -0.25) + (i / 20 < 4 ? 0.1 : 0);
  }
  ts_trees a, b;
  cr_assert(ts_trees_grow(arena, TS_TREES_BOOSTED, input, ROWS, 2, target, &a, NULL));
  cr_assert(ts_trees_grow(arena, TS_TREES_BOOSTED, input, ROWS, 2, target, &b, NULL));
  cr_assert_eq(a.node_count, b.node_count);
  for (uint32_t i = 0; i < a.node_count; i++)
    cr_assert(a.node[i].input == b.node[i].input && a.node[i].value == b.node[i].value);
  for (int i = 0; i < ROWS; i++)
    cr_assert(fabs(ts_trees_sum(&a, input + 2 * i) - target[i]) < 0.01, "row %d: %g", i,
              ts_trees_sum(&a, input + 2 * i));
  cr_assert(fabs(ts_trees_sum(&a, (double[]){100, 100}) + 0.25) < 0.01,
            "beyond the rows trees are flat");
  ts_arena_free(arena);
}

#define FIT(range, trees)                                                                          \
  "{\"trainspec-fit\": 1, \"device\": \"d\", \"data\": [], \"models\": [{\"family\": \"gemm\", "   \
  "\"dtype\": \"bf16\", \"model\": \"gemm\", " range                                               \
  "\"parameters\": {\"units\": 100, \"floor_us\": 2, \"tflops\": 300, \"terabytes_per_s\": 2, "    \
  "\"norm\": 3, \"prologue_us\": 1, \"later_prologue\": 0.5, "                                     \
  "\"split_us\": 1, \"partial_terabytes_per_s\": 3, \"edge\": 0.1}, "                              \
  "\"residual\": {\"shift\": 0, \"noise\": 0.1, \"inputs\": [\"m\", \"n\"], \"kernels\": [], "     \
  "\"rows\": []" trees "}}]}"

static ts_cost_source *read_fit(ts_arena *arena, const char *text, ts_error *error)
{
  return ts_cost_fit(arena, text, strlen(text), error);
}

static ts_cost_answer ask(const ts_cost_source *fit, double m)
{
  const ts_feature feature[] = {{"m", m}, {"n", 1024}, {"k", 1024}};
  ts_cost_answer answer = {0};
  cr_assert(ts_cost_ask(
    fit,
    &(ts_cost_query){.family = "gemm", .dtype = "bf16", .feature = feature, .feature_count = 3},
    &answer));
  return answer;
}

Test(cost_trees, fit_files_hold_them)
{
  ts_arena *arena = ts_arena_new("test");
  ts_error error = {0};
  const ts_cost_source *plain = read_fit(arena, FIT("", ""), &error);
  const ts_cost_source *trees = read_fit(
    arena,
    FIT("",
        ", \"trees\": [[[0, 10, 1, 2], [-1, 0.5, 0, 0], [-1, -0.5, 0, 0]], [[-1, 0.25, 0, 0]]]"),
    &error);
  cr_assert(plain && trees, "%s", error.message);
  cr_assert(fabs(ask(trees, 512).seconds / ask(plain, 512).seconds / exp(0.75) - 1) < 1e-6,
            "log2 m below 10");
  cr_assert(fabs(ask(trees, 2048).seconds / ask(plain, 2048).seconds / exp(-0.25) - 1) < 1e-6,
            "above");
  ts_arena_free(arena);
}

Test(cost_trees, hostile_trees_are_refused)
{
  static const char *const bad[] = {FIT("", ", \"trees\": [[]]"),
                                    FIT("", ", \"trees\": [[[0, 1, 0, 0]]]"),
                                    FIT("", ", \"trees\": [[[2, 1, 1, 1], [-1, 0, 0, 0]]]"),
                                    FIT("", ", \"trees\": [[[-2, 1, 1, 1], [-1, 0, 0, 0]]]"),
                                    FIT("", ", \"trees\": [[[0, 1, 1, 9e9], [-1, 0, 0, 0]]]"),
                                    FIT("", ", \"trees\": [[1]]"),
                                    FIT("\"range\": [[1, 2]], ", ""),
                                    FIT("\"range\": [[2, 1], [1, 1], [1, 1], [1, 1]], ", ""),
                                    FIT("\"range\": [3, 1, 1, 1], ", "")};
  ts_arena *arena = ts_arena_new("test");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ts_error error = {0};
    cr_assert_null(read_fit(arena, bad[i], &error), "%zu", i);
    cr_assert(strstr(error.message, "model of gemm bf16"), "%s", error.message);
  }
  ts_arena_free(arena);
}

Test(cost_trees, answers_tell_the_feature_furthest_beyond)
{
  ts_arena *arena = ts_arena_new("test");
  ts_error error = {0};
  const ts_cost_source *fit =
    read_fit(arena, FIT("\"range\": [[64, 4096], [256, 8192], [512, 8192], [1, 1]], ", ""), &error);
  cr_assert(fit, "%s", error.message);
  cr_assert_null(ask(fit, 64).beyond);
  cr_assert_null(ask(fit, 4096).beyond);
  ts_cost_answer a = ask(fit, 16384);
  cr_assert(a.beyond && !strcmp(a.beyond, "m") && a.value == 16384 && a.low == 64 &&
            a.high == 4096);
  cr_assert_str_eq(ask(fit, 8).beyond, "m");
  cr_assert_null(ask(read_fit(arena, FIT("", ""), &error), 1e6).beyond,
                 "nothing is known of the range");
  ts_arena_free(arena);
}
