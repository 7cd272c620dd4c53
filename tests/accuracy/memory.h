/* Memory against what was measured and published: `./dev accuracy memory`. */
#ifndef TS_ACCURACY_MEMORY_H
#define TS_ACCURACY_MEMORY_H

#include "tests/accuracy/accuracy.h"

void acc_memory_report(const acc_context *c);

#endif
