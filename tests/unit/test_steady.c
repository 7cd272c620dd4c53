/* Logs of training runs: numbers of lines, times that are derived, and the steady steps among them,
 * against series whose levels, outliers and warm-up are known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/log/steady.h"

enum { STEPS = 400 };

static const char *const has[] = {"step", NULL}, *const eval[] = {"eval", NULL}, *none[] = {NULL};
static const ts_log_reading reads[] = {{TS_LOG_STEP, "step", "", 1},
                                       {TS_LOG_SECONDS, "ms:", "", 1e-3},
                                       {TS_LOG_BATCH, "batch:", "", 1},
                                       {TS_LOG_SAMPLE_RATE, "rate:", "", 1},
                                       {TS_LOG_MEMORY, "mem:", "", 1}};
static const ts_log_line lines[] = {{TS_LOG_DONE, has, reads, 5, false},
                                    {TS_LOG_PAUSED, eval, NULL, 0, false}};
static const ts_log_format formats[] = {{"test", lines, 2}};
static const ts_log_formats all = {formats, 1, reads, 0, none};

static ts_log read_log(ts_arena *arena, const char *text)
{
  ts_log log;
  ts_error error;
  cr_assert(ts_log_read(arena, &all, text, strlen(text), &log, &error), "%s", error.message);
  return log;
}

/* Between -1 and 1. */
static double noise(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1;
}

static ts_log_steady steady_of(ts_arena *arena, const double *time, uint32_t count)
{
  ts_log_row *rows = TS_NEW_ARRAY(arena, ts_log_row, count);
  ts_log log = {.rows = rows, .count = count, .runs = 1};
  ts_log_steady s;
  for (uint32_t i = 0; i < count; i++) {
    for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
      rows[i].of[f] = NAN;
    rows[i].of[TS_LOG_STEP] = i + 1;
    rows[i].of[TS_LOG_SECONDS] = time[i];
    rows[i].steps = 1;
  }
  cr_assert(ts_log_find_steady(arena, &log, &s));
  return s;
}

Test(steady, numbers_are_read_as_programs_print_them)
{
  ts_arena *arena = ts_arena_new("test");
  ts_log log =
    read_log(arena, "step 1 ms: 1,234.5 mem: 66.91GiB(37%)\nstep=2, ms: 1.23K mem: 2048MB\n"
                    "step 3 \"ms:\": 5e2 mem: 7\nstep 4 ms: 1.5s\nstep 5 ms: 850ms\n"
                    "step 6 ms: 1.5m\nstep 7 rate: 1.5k batch: 3\n");
  cr_assert_eq(log.count, 7);
  cr_assert_float_eq(log.rows[3].of[TS_LOG_SECONDS], 1.5,
                     1e-12); /* a unit says more than the key */
  cr_assert_float_eq(log.rows[4].of[TS_LOG_SECONDS], 0.85, 1e-12);
  cr_assert_float_eq(log.rows[5].of[TS_LOG_SECONDS], 90, 1e-12);
  cr_assert_float_eq(log.rows[6].of[TS_LOG_SAMPLE_RATE], 1500, 1e-9);
  cr_assert_float_eq(log.rows[0].of[TS_LOG_SECONDS], 1.2345, 1e-12);
  cr_assert_float_eq(log.rows[1].of[TS_LOG_SECONDS], 1.23, 1e-12);
  cr_assert_float_eq(log.rows[2].of[TS_LOG_SECONDS], 0.5, 1e-12);
  cr_assert_float_eq(log.rows[1].of[TS_LOG_MEMORY], 2048.0 * 1024 * 1024, 1);
  cr_assert_float_eq(log.memory, 66.91 * 1024 * 1024 * 1024, 1);
  ts_arena_free(arena);
}

Test(steady, times_are_stated_else_by_rates_else_by_clocks)
{
  ts_arena *arena = ts_arena_new("test");
  ts_log log = read_log(arena, "step 1 ms: 500 batch: 8 rate: 1\nstep 2 batch: 8 rate: 1\n");
  cr_assert_float_eq(log.rows[0].of[TS_LOG_SECONDS], 0.5, 1e-12);
  cr_assert(isnan(log.rows[1].of[TS_LOG_SECONDS]), "a rate beside stated times");
  log = read_log(arena, "step 1 batch: 8 rate: 2\nstep 2 batch: 8 rate: 4\n");
  cr_assert_float_eq(log.rows[1].of[TS_LOG_SECONDS], 2, 1e-12);
  cr_assert_not(log.by_clock);
  /* Over the end of a February with 29 days; a pause; a clock that goes back. */
  log = read_log(arena, "2028-02-29 23:59:58,5 step 10\n20280301 00:00:03 step 15\neval\n"
                        "2028-03-01T00:00:23 step 20\n2028-03-01 00:00:13 step 25\n");
  cr_assert(log.by_clock);
  cr_assert_float_eq(log.rows[1].of[TS_LOG_SECONDS], 0.9, 1e-6);
  cr_assert(isnan(log.rows[2].of[TS_LOG_SECONDS]) && isnan(log.rows[3].of[TS_LOG_SECONDS]));
  cr_assert_eq(log.jumps, 1);
  ts_arena_free(arena);
}

Test(steady, ranks_that_print_a_step_are_one_and_a_run_begun_anew_is_another)
{
  ts_arena *arena = ts_arena_new("test");
  ts_log log = read_log(arena, "step 1 ms: 500\nstep 1 ms: 510\nstep 2 ms: 500\nstep 1 ms: 700\n"
                               "step 2 ms: 701\n");
  ts_log_steady s;
  cr_assert_eq(log.count, 4);
  cr_assert_eq(log.runs, 2);
  cr_assert_float_eq(log.rows[0].of[TS_LOG_SECONDS], 0.51, 1e-12);
  cr_assert(ts_log_find_steady(arena, &log, &s));
  cr_assert_float_eq(s.levels[0].median, 0.701, 1e-12);
  log = read_log(arena, "step 1 ms: 9 batch: 4\nstep 2 ms: 9 batch: 4\nstep 3 ms: 18 batch: 8\n");
  cr_assert(ts_log_find_steady(arena, &log, &s));
  cr_assert_eq(s.other_batch, 2);
  cr_assert_float_eq(s.levels[0].median, 0.018, 1e-12);
  ts_arena_free(arena);
}

Test(steady, levels_outliers_and_warm_up_are_found_where_they_are)
{
  ts_arena *arena = ts_arena_new("test");
  double time[STEPS];
  uint32_t state = 7;
  for (uint32_t i = 0; i < STEPS; i++)
    time[i] = (i < 250 ? 2.0 : 2.1) * (1 + 0.01 * noise(&state));
  time[0] = 9, time[1] = 4, time[100] = 5, time[300] = 2.6;
  ts_log_steady s = steady_of(arena, time, STEPS);
  cr_assert_eq(s.warm_up, 2);
  cr_assert_eq(s.level_count, 2);
  cr_assert_eq(s.levels[1].first, 250);
  cr_assert_eq(s.levels[1].last, STEPS - 1);
  cr_assert_float_eq(s.levels[0].median, 2.0, 0.01);
  cr_assert_float_eq(s.levels[1].median, 2.1, 0.01);
  cr_assert_eq(s.outliers, 2);
  cr_assert_eq(s.use[100], TS_LOG_OUTLIER);
  cr_assert_float_eq(s.lost, 3.0 + 0.5, 0.05);
  ts_arena_free(arena);
}

Test(steady, noise_alone_has_one_level)
{
  ts_arena *arena = ts_arena_new("test");
  double time[STEPS];
  for (uint32_t seed = 1; seed <= 200; seed++) {
    uint32_t state = seed;
    for (uint32_t i = 0; i < STEPS; i++)
      time[i] = 1 + 0.08 * (noise(&state) + noise(&state));
    ts_log_steady s = steady_of(arena, time, STEPS);
    cr_assert_eq(s.level_count, 1, "seed %u: %u levels", seed, s.level_count);
  }
  ts_arena_free(arena);
}

Test(steady, one_row_is_its_own_median)
{
  ts_arena *arena = ts_arena_new("test");
  double time[] = {3.5};
  ts_log_steady s = steady_of(arena, time, 1);
  cr_assert_eq(s.warm_up, 0);
  cr_assert_float_eq(s.levels[0].median, 3.5, 1e-12);
  ts_arena_free(arena);
}
