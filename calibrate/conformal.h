/* How far an interval must reach so that it holds a share of what was seen: quantiles of scores, as
 * split conformal prediction takes them (Lei et al., JASA 113, 2018), with weights (Tibshirani,
 * Barber, Candes, Ramdas, NeurIPS 2019). */
#ifndef TS_CALIBRATE_CONFORMAL_H
#define TS_CALIBRATE_CONFORMAL_H

#include <stdint.h>

typedef struct ts_score { double value, weight; } ts_score;

/* Kish's effective number of weighted scores. */
double ts_scores_effective(const ts_score *scores, uint32_t count);
/* The least reach >= 0 such that scores of `share` (1 + 1/n) of the weight, at most all of it, are
 * not above it; n is the effective number. 0 without scores. Sorts them. */
double ts_scores_reach(ts_score *scores, uint32_t count, double share);

#endif
