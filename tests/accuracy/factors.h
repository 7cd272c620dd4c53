/* What little of a machine's own measurements buys: rows predicted with a factor from other rows of
 * their kind, and the largest system of a series from its smallest. */
#ifndef TS_ACCURACY_FACTORS_H
#define TS_ACCURACY_FACTORS_H

#include "tests/accuracy/accuracy.h"

/* Of rows with `kind`: the prediction times the median of measured over predicted of the other rows
 * of that kind. *alone: rows whose kind has no other, which are not among the points. */
acc_points acc_leave_one_out(ts_arena *arena, const acc_rows *rows, size_t *alone);

/* Of rows with `series`: the largest system (`size`), from the smallest as measured and the ratio
 * that we predict. Several of one size: the first in the file that is of the same kind as the
 * largest, else the first. `one_kind`: rows of other kinds do not count. */
acc_points acc_largest_from_smallest(ts_arena *arena, const acc_rows *rows, bool one_kind);

#endif
