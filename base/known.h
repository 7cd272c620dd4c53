/* Figures that need not be known: NaN is one that is not, and 0 is a value. */
#ifndef TS_BASE_KNOWN_H
#define TS_BASE_KNOWN_H

#include <math.h>
#include <stdbool.h>

#define TS_NOT_KNOWN ((double)NAN)

static inline bool ts_is_stated(double figure) { return !isnan(figure); }
/* Of what cannot be 0, and is where nobody states it. */
static inline double ts_unless_zero(double value) { return value > 0 ? value : TS_NOT_KNOWN; }

#endif
