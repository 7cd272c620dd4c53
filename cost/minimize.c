#include "cost/minimize.h"

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static double loss_at(const gsl_vector *x, void *context)
{
  const ts_simplex *s = context;
  double far = 0;
  for (size_t i = 0; i < s->n && s->pull >= 0; i++) {
    if (!(fabs(x->data[i]) < 8))
      return 1e3;
    far += x->data[i] * x->data[i];
  }
  return s->loss(x->data, s->context) + fmax(s->pull, 0) * far / (double)s->n;
}

double ts_minimize(const ts_simplex *s, double *x, const double *step)
{
  gsl_multimin_function f = {loss_at, s->n, (void *)(uintptr_t)s};
  gsl_multimin_fminimizer *m =
    gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, s->n);
  gsl_vector_const_view from = gsl_vector_const_view_array(x, s->n),
                        steps = gsl_vector_const_view_array(step, s->n);
  gsl_multimin_fminimizer_set(m, &f, &from.vector, &steps.vector);
  for (int i = 0; i < s->iterations && !gsl_multimin_fminimizer_iterate(m) &&
                  gsl_multimin_fminimizer_size(m) > s->size;)
    i++;
  double least = gsl_multimin_fminimizer_minimum(m);
  memcpy(x, gsl_multimin_fminimizer_x(m)->data, s->n * sizeof *x);
  gsl_multimin_fminimizer_free(m);
  return least;
}

void ts_minimize_factors(const ts_simplex *s, double *x)
{
  enum { ROUNDS = 3, MOST = 32 }; /* a simplex shrinks too early: begin again where it ended */
  double step[MOST];
  memset(x, 0, s->n * sizeof *x);
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < s->n; i++)
      step[i] = 0.4 / (1 + round);
    ts_minimize(s, x, step);
  }
}
