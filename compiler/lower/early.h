/* What a step takes at least, before there is a fragment: from the order of work and the costs of
 * ops alone. */
#ifndef TS_COMPILER_LOWER_EARLY_H
#define TS_COMPILER_LOWER_EARLY_H

#include "compiler/lower/lowering.h"

/* For who asks for it (ts_memory_bound). */
ts_pass_status ts_lower_early(ts_lowering *l);

#endif
