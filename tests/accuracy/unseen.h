/* Runs of programs that have no profile, for intervals of kinds that were never validated. */
#ifndef TS_ACCURACY_UNSEEN_H
#define TS_ACCURACY_UNSEEN_H

#include "tests/accuracy/accuracy.h"

/* For acc_set.row: of runs/other_steps.csv and of runs/prime_rl.csv. */
bool acc_unseen(const acc_context *c, const csv *table, size_t i, acc_row *row);
bool acc_prime_rl(const acc_context *c, const csv *table, size_t i, acc_row *row);

#endif
