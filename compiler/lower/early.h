/* What a step takes at least, before there is a fragment: from the order of work and the costs of
 * ops alone. */
#ifndef TS_COMPILER_LOWER_EARLY_H
#define TS_COMPILER_LOWER_EARLY_H

#include "compiler/lower/lowering.h"

/* For who asks for it (ts_held), of a step of so many samples: true, that will do. */
bool ts_lower_is_enough_early(ts_lowering *l, int64_t samples);

#endif
