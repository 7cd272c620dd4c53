/* Numbers 0..n - 1 in disjoint sets that grow together. Each set is named by its lowest member. */
#ifndef TS_BASE_SETS_H
#define TS_BASE_SETS_H

#include "base/arena.h"

static inline uint32_t *ts_sets_new(ts_arena *arena, size_t count)
{
  uint32_t *sets = TS_NEW_ARRAY(arena, uint32_t, count + 1);
  for (size_t i = 0; i < count; i++)
    sets[i] = (uint32_t)i;
  return sets;
}

static inline uint32_t ts_set_of(uint32_t *sets, uint32_t i)
{
  while (sets[i] != i)
    i = sets[i] = sets[sets[i]];
  return i;
}

static inline void ts_sets_join(uint32_t *sets, uint32_t a, uint32_t b)
{
  a = ts_set_of(sets, a);
  b = ts_set_of(sets, b);
  sets[a > b ? a : b] = a < b ? a : b;
}

/* From now on sets[i] is the set of `i`. */
static inline void ts_sets_settle(uint32_t *sets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    sets[i] = sets[sets[i]];
}

#endif
