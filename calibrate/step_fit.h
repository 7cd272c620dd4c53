/* Fits factors of physical quantities to measured steps: Bayesian least squares of logarithms.
 *
 * A step's logarithm is that of the step played with the factors exp(x), plus noise of Student's t
 * with 4 degrees of freedom, so that an outlying step does not bend the others (Lange, Little and
 * Taylor 1989). Each x_j is normal around 0 with its prior's deviation. The scale of the noise has
 * a prior worth 4 steps. Played steps are linearised around the current x and solved again until
 * x settles (Gauss-Newton; x and scale by expectation and maximisation). Nothing is random. */
#ifndef TS_CALIBRATE_STEP_FIT_H
#define TS_CALIBRATE_STEP_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_step_ask { uint32_t row; const double *x; double log_step; } ts_step_ask;
/* Fills log_step of each. False: it cannot, or was stopped. */
typedef bool ts_step_player(void *closure, ts_step_ask *asks, uint32_t count);

typedef struct ts_step_problem {
  uint32_t rows, quantities;
  const double *measured;   /* [rows] logarithms */
  const uint32_t *fold;     /* [rows] rows of one number are left out together */
  const double *prior;      /* [quantities] deviations */
  double noise;             /* deviation of a measured step, before any was */
  ts_step_player *play;
  void *closure;
} ts_step_problem;

typedef struct ts_step_fit {
  double *x, *deviation;    /* [quantities] */
  double *covariance;       /* [quantities * quantities] */
  double *response;         /* [rows * quantities] of log_step to x, at the solution */
  double *before, *after;   /* [rows] log_step with x = 0, and with x */
  double *weight;           /* [rows] 1: as any step; an outlier counts less */
  double *left_out;         /* [rows] log_step as the rows of other folds have it */
  double *left_out_deviation;
  double noise;
  uint32_t rounds, plays;
  bool settled;
} ts_step_fit;

/* False if the player could not. */
bool ts_step_fit_run(ts_arena *arena, const ts_step_problem *p, ts_step_fit *out);

/* The combination a x_i + (1 - a) x_j that is known best: *a and its deviation. */
double ts_step_pair(const ts_step_fit *fit, uint32_t quantities, uint32_t i, uint32_t j, double *a);

/* A constant: measured = predicted + c + noise, c normal around 0. `noise` as above. The figures
 * that the other rows say stand in left_out. */
typedef struct ts_constant_fit { double value, deviation, noise; } ts_constant_fit;
ts_constant_fit ts_constant_fit_run(const double *excess, uint32_t rows, double prior, double noise,
                                    double *left_out);

#endif
