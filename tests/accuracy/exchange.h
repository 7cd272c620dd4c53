/* Dispatch and combine of tokens by library (DeepEP, HybridEP) against what their pages print. */
#ifndef TS_ACCURACY_EXCHANGE_H
#define TS_ACCURACY_EXCHANGE_H

#include "tests/accuracy/accuracy.h"

/* For acc_set.row. A row that cannot be predicted has `missing` set to the reason. */
bool acc_exchange(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
