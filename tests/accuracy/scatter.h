/* Predicted against measured, both on logarithmic axes, with bands of 5, 10 and 20 %: an SVG that
 * needs nothing else. Points lie on a grid that keeps the file small; equal ones are drawn once. */
#ifndef TS_ACCURACY_SCATTER_H
#define TS_ACCURACY_SCATTER_H

#include <stdio.h>

#include "tests/accuracy/result.h"

/* The parts of a result that are drawn have points. */
bool acc_scatter_has(const acc_result *r);
void acc_scatter_write(ts_arena *arena, const acc_result *r, FILE *out);

#endif
