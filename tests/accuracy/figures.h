/* What predictions say about us: one form for every set. Percentages are of the measured value. */
#ifndef TS_ACCURACY_FIGURES_H
#define TS_ACCURACY_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/container.h"

/* A row: seconds, bytes or a share, the same for both. */
typedef struct acc_point {
  const char *name;
  double predicted, measured;
  double work;      /* done in the time, a device: rates are compared; 0: not a time of work */
  double baseline;  /* what something simpler predicts; 0: one rate of the work for two and more */
  double low, high; /* the 80 % interval; 0 and 0: none */
} acc_point;

typedef TS_VEC(acc_point) acc_points;

/* NaN: cannot be said of these rows */
typedef struct acc_figures {
  size_t rows, worst_row;
  double mean, median, bias, worst; /* of errors; worst and bias with their sign */
  double within[3];                 /* 5, 10, 20 %: share of the rows */
  double within_third, same_sign;   /* share of the rows: for differences */
  double order, rate_order;         /* Spearman: of the values, and of work over them */
  double baseline;                  /* mean error of the baseline */
  double held, width;               /* share of the rows in their interval; its median width */
} acc_figures;

acc_figures acc_figures_of(ts_arena *arena, const acc_point *points, size_t count);

double acc_median(ts_arena *arena, const double *x, size_t n); /* NaN of none */
/* Spearman's rank correlation; NaN of fewer than three, and where one of them is all alike. */
double acc_rank_correlation(ts_arena *arena, const double *x, const double *y, size_t n);

#endif
