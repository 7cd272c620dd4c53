/* Steps that SimuMax's authors measured on eight B200, from their own tables of operators. */
#ifndef TS_ACCURACY_SIMUMAX_H
#define TS_ACCURACY_SIMUMAX_H

#include "tests/accuracy/accuracy.h"

/* A row of ops/simumax_b200.csv. */
bool acc_simumax(const acc_context *c, const csv *t, size_t i, acc_row *row);

#endif
