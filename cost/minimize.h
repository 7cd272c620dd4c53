/* The least of a function, which fits search. */
#ifndef TS_COST_MINIMIZE_H
#define TS_COST_MINIMIZE_H

#include <stddef.h>

typedef struct ts_simplex {
  double (*loss)(const double *x, void *context);
  void *context;
  size_t n;    /* of x */
  double pull; /* to 0, of the mean of squares; then x ends within 8. Negative: x is free */
  int iterations;
  double size; /* of a simplex that is small enough */
} ts_simplex;

/* Moves x to the least loss that a simplex (Nelder and Mead, 1965) finds, which is returned. */
double ts_minimize(const ts_simplex *search, double *x, const double *step);
/* The same for logarithms of factors: x begins at 0. */
void ts_minimize_factors(const ts_simplex *search, double *x);

#endif
