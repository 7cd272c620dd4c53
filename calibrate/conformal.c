#include "calibrate/conformal.h"

#include <math.h>
#include <stdlib.h>

double ts_scores_effective(const ts_score *scores, uint32_t count)
{
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += scores[i].weight;
    squares += scores[i].weight * scores[i].weight;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

static int conformal_by_value(const void *x, const void *y)
{
  const ts_score *a = x, *b = y;
  return (a->value > b->value) - (a->value < b->value);
}

double ts_scores_reach(ts_score *scores, uint32_t count, double share)
{
  double n = ts_scores_effective(scores, count), sum = 0, below = 0;
  if (!(n > 0))
    return 0;
  for (uint32_t i = 0; i < count; i++)
    sum += scores[i].weight;
  qsort(scores, count, sizeof *scores, conformal_by_value);
  double wanted = fmin(1, share * (1 + 1 / n)) * sum * (1 - 1e-12); /* sums are rounded */
  for (uint32_t i = 0; i < count; i++) {
    below += scores[i].weight;
    if (below >= wanted)
      return fmax(0, scores[i].value);
  }
  return fmax(0, scores[count - 1].value);
}
