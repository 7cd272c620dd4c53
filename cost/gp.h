/* Gaussian process regression with a sum of Matern covariances, each with its own scale in every
 * input (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006). */
#ifndef TS_COST_GP_H
#define TS_COST_GP_H

#include "cost/fit.h"

typedef struct ts_gp_data {
  uint32_t count, inputs;
  const double *input /* count x inputs */, *target;
  const double *spread; /* squared noise of each row over that of all; NULL: 1 */
} ts_gp_data;

/* Hyperparameters start where the caller set them and end at a maximum of the marginal likelihood
 * (eq. 5.8), with a weak prior on the scales. `iterations` bounds the work, of count^3 operations
 * each. */
void ts_gp_learn(const ts_gp_data *data, ts_fit_kernel *kernel, uint32_t kernels, double *noise,
                 uint32_t iterations);
/* Weights of the rows (eq. 2.25), and what each row's residual would be predicted as without it
 * (section 5.4.2). square: of each row's noise, as expected given all rows; may be NULL. */
bool ts_gp_solve(const ts_gp_data *data, const ts_fit_kernel *kernel, uint32_t kernels,
                 double noise, double *weight, double *left_out, double *square);
/* Covariance of two inputs: a prediction is the sum of weights times covariances with the rows. */
double ts_gp_covariance(const ts_fit_kernel *kernel, uint32_t kernels, uint32_t inputs,
                        const double *a, const double *b);

#endif
