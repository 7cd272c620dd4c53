/* Memory of regression runs whose command lines are known: `./dev accuracy megatron_memory`. */
#ifndef TS_ACCURACY_MEGATRON_H
#define TS_ACCURACY_MEGATRON_H

#include "tests/accuracy/accuracy.h"

void acc_megatron_report(const acc_context *c);

#endif
