/* Times as whole picoseconds. */
#ifndef TS_BASE_ROUND_H
#define TS_BASE_ROUND_H

#include <math.h>
#include <stdint.h>

/* To the nearest; what is longer than 4e18 (46 days), or no number, is that long. */
static inline uint64_t ts_round_ps(double ps)
{
  return ps < 4e18 ? (uint64_t)llround(ps) : UINT64_C(4000000000000000000);
}

#endif
