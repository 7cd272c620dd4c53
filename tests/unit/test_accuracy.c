/* The figures of `./dev accuracy`: closed forms, and marks that follow from them. */
#include "tests/accuracy/figures.h"
#include "tests/accuracy/result.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void near(double found, double expected, const char *what)
{
  cr_assert(fabs(found - expected) < 1e-9, "%s: %.12g, expected %.12g", what, found, expected);
}

Test(accuracy, medians_of_odd_and_even_numbers)
{
  ts_arena *arena = ts_arena_new("test");
  double x[] = {5, 1, 9, 3};
  near(acc_median(arena, x, 3), 5, "odd");
  near(acc_median(arena, x, 4), 4, "even");
  cr_assert(isnan(acc_median(arena, x, 0)));
  ts_arena_free(arena);
}

/* Without ties: 1 - 6 sum d^2 / (n (n^2 - 1)) (Spearman 1904). */
Test(accuracy, rank_correlation_without_ties)
{
  ts_arena *arena = ts_arena_new("test");
  double x[] = {1, 2, 3, 4, 5}, monotone[] = {1, 8, 27, 64, 125}, back[] = {9, 7, 5, 3, 1},
         y[] = {2, 1, 4, 3, 5};
  near(acc_rank_correlation(arena, x, monotone, 5), 1, "monotone");
  near(acc_rank_correlation(arena, x, back, 5), -1, "the other way");
  near(acc_rank_correlation(arena, x, y, 5), 1 - 6.0 * 4 / (5 * 24), "two swaps");
  cr_assert(isnan(acc_rank_correlation(arena, x, y, 2)), "of two");
  ts_arena_free(arena);
}

/* Ties share their ranks: x has ranks 1.5 1.5 3, y has 1 2 3; Pearson of these is sqrt(3) / 2. */
Test(accuracy, rank_correlation_with_ties)
{
  ts_arena *arena = ts_arena_new("test");
  double x[] = {4, 4, 7}, y[] = {1, 2, 3}, alike[] = {1, 1, 1};
  near(acc_rank_correlation(arena, x, y, 3), sqrt(3) / 2, "one tie");
  cr_assert(isnan(acc_rank_correlation(arena, alike, y, 3)), "all alike");
  ts_arena_free(arena);
}

Test(accuracy, errors_keep_their_sign_and_are_shares_of_what_was_measured)
{
  ts_arena *arena = ts_arena_new("test");
  acc_point points[] = {{.predicted = 104, .measured = 100},
                        {.predicted = 92, .measured = 100},
                        {.predicted = 170, .measured = 200},
                        {.predicted = 130, .measured = 100}};
  acc_figures f = acc_figures_of(arena, points, 4);
  cr_assert(eq(sz, f.rows, 4));
  near(f.mean, (4 + 8 + 15 + 30) / 4.0, "mean");
  near(f.median, (8 + 15) / 2.0, "median");
  near(f.bias, (4 - 8 - 15 + 30) / 4.0, "bias");
  near(f.worst, 30, "worst");
  cr_assert(eq(sz, f.worst_row, 3));
  near(f.within[0], 25, "5 %");
  near(f.within[1], 50, "10 %");
  near(f.within[2], 75, "20 %");
  cr_assert(isnan(f.rate_order) && isnan(f.baseline) && isnan(f.held));
  ts_arena_free(arena);
}

/* Rates are 10, 20 and 40: one rate of 20 predicts 2, 1 and 0.5 times the time. */
Test(accuracy, the_baseline_is_the_median_rate_of_the_rows)
{
  ts_arena *arena = ts_arena_new("test");
  acc_point points[] = {{.predicted = 1, .measured = 1, .work = 10},
                        {.predicted = 2, .measured = 1, .work = 20},
                        {.predicted = 3, .measured = 1, .work = 40}};
  acc_figures f = acc_figures_of(arena, points, 3);
  near(f.baseline, (50 + 0 + 100) / 3.0, "fitted rate");
  near(f.rate_order, sqrt(3) / 2, "rates 10, 10 and 13 1/3 against 10, 20 and 40");
  ts_arena_free(arena);
}

Test(accuracy, a_baseline_that_is_stated_counts)
{
  ts_arena *arena = ts_arena_new("test");
  acc_point points[] = {{.predicted = 1, .measured = 2, .baseline = 1},
                        {.predicted = 1, .measured = 4, .baseline = 5}};
  near(acc_figures_of(arena, points, 2).baseline, (50 + 25) / 2.0, "stated");
  ts_arena_free(arena);
}

Test(accuracy, intervals_hold_their_bounds)
{
  ts_arena *arena = ts_arena_new("test");
  acc_point points[] = {{.predicted = 10, .measured = 9, .low = 9, .high = 12},
                        {.predicted = 10, .measured = 13, .low = 9, .high = 12},
                        {.predicted = 10, .measured = 8, .low = 8, .high = 10},
                        {.predicted = 10, .measured = 10, .low = 9, .high = 13}};
  acc_figures f = acc_figures_of(arena, points, 4);
  near(f.held, 75, "held");
  near(f.width, 30, "median width");
  points[2].low = points[2].high = 0;
  cr_assert(isnan(acc_figures_of(arena, points, 4).held), "a row has none");
  ts_arena_free(arena);
}

/* Differences: the sign, and the size within a third. */
Test(accuracy, differences_are_judged_by_sign_and_size)
{
  ts_arena *arena = ts_arena_new("test");
  acc_point points[] = {{.predicted = 0.13, .measured = 0.1},
                        {.predicted = -0.1, .measured = 0.1},
                        {.predicted = -0.3, .measured = -0.2},
                        {.predicted = -0.1, .measured = -0.1}};
  acc_figures f = acc_figures_of(arena, points, 4);
  near(f.same_sign, 75, "sign");
  near(f.within_third, 50, "size");
  ts_arena_free(arena);
}

static acc_result *two_groups(ts_arena *arena, const acc_ask *asks)
{
  static const acc_point at[] = {{.predicted = 104, .measured = 100},
                                 {.predicted = 108, .measured = 100},
                                 {.predicted = 80, .measured = 100}};
  acc_results all = {0};
  acc_result *r = acc_result_new(arena, &all, "set", "title");
  acc_part *part = acc_part_new(arena, r, "rows not fitted", ACC_SECONDS);
  acc_points first = {0}, second = {0};
  for (int i = 0; i < 3; i++)
    TS_PUSH(arena, i < 2 ? &first : &second, at[i]);
  acc_line_add(arena, part, "maker a", &first);
  acc_line_add(arena, part, "maker b", &second);
  r->asks = asks;
  return r;
}

Test(accuracy, marks_are_computed_line_by_line)
{
  static const acc_ask asks[] = {{"rows not fitted", "maker *", ACC_MEAN, 7, "why"},
                                 {"rows of the fit", "*", ACC_MEAN, 1, NULL},
                                 {0}};
  ts_arena *arena = ts_arena_new("test");
  acc_marks marks = acc_marks_of(arena, two_groups(arena, asks));
  cr_assert(eq(sz, marks.count, 2));
  cr_assert(marks.at[1].missed && !marks.at[0].missed);
  cr_assert_str_eq(marks.at[0].asked, "mean 7 %");
  cr_assert_str_eq(marks.at[0].came, "6.00 %");
  cr_assert_str_eq(marks.at[1].came, "20.00 %");
  ts_arena_free(arena);
}

Test(accuracy, an_order_is_asked_for_from_below_and_only_where_there_is_one)
{
  static const acc_ask asks[] = {{"*", "*", ACC_ORDER, 0.9, NULL},
                                 {"*", "maker b", ACC_WITHIN_FIVE, 90, NULL},
                                 {0}};
  ts_arena *arena = ts_arena_new("test");
  acc_marks marks = acc_marks_of(arena, two_groups(arena, asks));
  cr_assert(eq(sz, marks.count, 1), "groups of one and two rows have no order");
  cr_assert(marks.at[0].missed);
  cr_assert_str_eq(marks.at[0].came, "0 %");
  ts_arena_free(arena);
}
