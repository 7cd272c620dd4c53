/* Pairs of runs that differ in one thing: overlap, recomputation, layout, formats. What is asked is
 * by how much longer one takes than the other. */
#ifndef TS_ACCURACY_PAIRS_H
#define TS_ACCURACY_PAIRS_H

#include "tests/accuracy/accuracy.h"

/* For acc_set.row. */
bool acc_pairs(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
