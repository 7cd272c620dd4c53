/* What a machine's own measurements buy in `./dev accuracy`: no row helps itself. */
#include "tests/accuracy/factors.h"

#include <math.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static acc_row row(const char *kind, const char *series, double size, double predicted,
                   double measured)
{
  return (acc_row){.name = "a row",
                   .kind = kind,
                   .series = series,
                   .size = size,
                   .predicted = predicted,
                   .measured = measured,
                   .validation = true,
                   .done = true};
}

static void near(double found, double expected)
{
  cr_assert(fabs(found - expected) < 1e-9, "%.12g, expected %.12g", found, expected);
}

/* Ratios 2, 3 and 8: a row's factor is the geometric middle of the two others. */
Test(accuracy_factors, a_row_is_left_out_of_its_own_factor)
{
  ts_arena *arena = ts_arena_new("test");
  acc_row at[] = {row("k", NULL, 0, 1, 2), row("k", NULL, 0, 1, 3), row("k", NULL, 0, 1, 8),
                  row("alone", NULL, 0, 1, 100)};
  size_t alone;
  acc_points points = acc_leave_one_out(arena, &(acc_rows){at, 4}, &alone);
  cr_assert(eq(sz, points.count, 3));
  cr_assert(eq(sz, alone, 1));
  near(points.at[0].predicted, sqrt(3 * 8));
  near(points.at[1].predicted, sqrt(2 * 8));
  near(points.at[2].predicted, sqrt(2 * 3));
  ts_arena_free(arena);
}

Test(accuracy_factors, a_wrong_level_does_not_matter_where_the_ratio_is_right)
{
  ts_arena *arena = ts_arena_new("test");
  acc_row at[] = {row("k", "s", 64, 10, 20), row("k", "s", 8, 70, 140), row("k", "s", 16, 36, 90),
                  row("k", "t", 8, 1, 1)};
  acc_points points = acc_largest_from_smallest(arena, &(acc_rows){at, 4}, false);
  cr_assert(eq(sz, points.count, 1), "one series of several sizes");
  near(points.at[0].predicted, 20);
  near(points.at[0].measured, 20);
  ts_arena_free(arena);
}

Test(accuracy_factors, the_smallest_is_of_the_same_kind_where_there_is_one)
{
  ts_arena *arena = ts_arena_new("test");
  acc_row at[] = {row("old", "s", 8, 1, 5), row("new", "s", 8, 1, 2), row("new", "s", 64, 3, 6),
                  row("old", "s", 4, 1, 9)};
  acc_points any = acc_largest_from_smallest(arena, &(acc_rows){at, 3}, false),
             one = acc_largest_from_smallest(arena, &(acc_rows){at, 4}, true);
  cr_assert(eq(sz, any.count, 1));
  near(any.at[0].predicted, 6);
  cr_assert(eq(sz, one.count, 2), "the old kind has a largest of its own");
  near(one.at[0].predicted, 9);
  near(one.at[1].predicted, 6);
  ts_arena_free(arena);
}
