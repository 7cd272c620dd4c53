/* White boxes of collective libraries against measured calls: calibrated on a half of a table's
 * sizes and asked for the others, and from the hardware's constants alone. */
#ifndef TS_ACCURACY_COLLECTIVES_H
#define TS_ACCURACY_COLLECTIVES_H

#include "tests/accuracy/accuracy.h"

/* `thin`: of each table every third row only, chosen by a hash of what was called, as if the table
 * had few sizes of each group. */
void acc_collectives_report(const acc_context *c, bool thin);

#endif
