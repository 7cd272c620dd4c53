/* Published runs: vendors' tables and papers, and MLPerf's submissions. */
#ifndef TS_ACCURACY_PUBLISHED_H
#define TS_ACCURACY_PUBLISHED_H

#include "tests/accuracy/accuracy.h"

/* For acc_set.row. A row that cannot be predicted has `missing` set to the reason. */
bool acc_published(const acc_context *c, const csv *table, size_t i, acc_row *row);
bool acc_mlperf(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
