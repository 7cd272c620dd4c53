/* Orders of numbers, for qsort and for what it calls, and the search in what is sorted. */
#ifndef TS_BASE_ORDER_H
#define TS_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

static inline int ts_by_number(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

#define TS_ORDER(name, type)                                                                       \
  static inline int name(const void *a, const void *b)                                             \
  {                                                                                                \
    type x = *(const type *)a, y = *(const type *)b;                                               \
    return (x > y) - (x < y);                                                                      \
  }
TS_ORDER(ts_by_u32, uint32_t)
TS_ORDER(ts_by_u64, uint64_t)
TS_ORDER(ts_by_i64, int64_t)
TS_ORDER(ts_by_double, double)
#undef TS_ORDER

/* Sets `at` to the first place from `from` on where `before`, a condition of `at`, does not hold,
 * or to `to`. It holds at all places before that one and at none behind it. */
#define TS_SEARCH(at, from, to, before)                                                            \
  do {                                                                                             \
    size_t ts_low_ = (from), ts_high_ = (to);                                                      \
    while (ts_low_ < ts_high_) {                                                                   \
      (at) = ts_low_ + (ts_high_ - ts_low_) / 2;                                                   \
      if (before)                                                                                  \
        ts_low_ = (at) + (size_t)1;                                                                \
      else                                                                                         \
        ts_high_ = (at);                                                                           \
    }                                                                                              \
    (at) = ts_low_;                                                                                \
  } while (0)

#endif
