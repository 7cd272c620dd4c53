/* The search in what is sorted: at both ends, of nothing, and where it begins behind. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "base/order.h"

static const uint32_t numbers[] = {2, 3, 3, 5, 9};

static uint32_t first_not_below(uint32_t from, uint32_t to, uint32_t number)
{
  uint32_t at;
  TS_SEARCH(at, from, to, numbers[at] < number);
  return at;
}

Test(order, search)
{
  for (uint32_t to = 0; to <= 5; to++)
    for (uint32_t from = 0; from <= 5; from++)
      for (uint32_t number = 0; number < 12; number++) {
        uint32_t expected = from;
        while (expected < to && numbers[expected] < number)
          expected++;
        cr_expect_eq(first_not_below(from, to, number), expected, "%u to %u: %u", from, to, number);
      }
}

Test(order, compares)
{
  double values[] = {3, -1, 2};
  int64_t signed_ones[] = {3, -1, 2};
  uint64_t large[] = {UINT64_MAX, 0, UINT64_MAX - 1};
  qsort(values, 3, sizeof *values, ts_by_double);
  qsort(signed_ones, 3, sizeof *signed_ones, ts_by_i64);
  qsort(large, 3, sizeof *large, ts_by_u64);
  cr_expect_eq(values[0], -1);
  cr_expect_eq(values[2], 3);
  cr_expect_eq(signed_ones[0], -1);
  cr_expect_eq(large[0], 0);
  cr_expect_eq(large[2], UINT64_MAX);
}
