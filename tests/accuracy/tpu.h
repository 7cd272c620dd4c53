/* Steps of MaxText on TPUs, from the mesh and the arguments of their recipes. */
#ifndef TS_ACCURACY_TPU_H
#define TS_ACCURACY_TPU_H

#include "tests/accuracy/accuracy.h"

/* For acc_set.row. */
bool acc_tpu(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
