/* Many repetitions of a step on devices that are not always as fast: how far its time spreads.
 *
 * In each repetition the kernels of every rank take a factor longer that is drawn for the rank. A
 * draw depends on nothing but the seed's name, the repetition and the rank (a digest of the three),
 * so the same name gives the same figures anywhere, and any repetition can be played by itself.
 * Factors are rounded to the thousandth: ranks that draw alike are compiled once. */
#ifndef TS_RUNTIME_STUDY_SPREAD_H
#define TS_RUNTIME_STUDY_SPREAD_H

#include "runtime/account/result.h"

typedef struct ts_jitter {
  double lognormal;         /* sigma; the mean is 1 */
  double normal;            /* sigma; at least a tenth is left */
  double exponential;       /* mean of what is added to 1 */
  double slow_share, slow;  /* this share of ranks takes `slow` times as long on top */
  /* sigma of the time of each distinct collective and message, lognormal */
  double network;
} ts_jitter;

/* "lognormal:2%,slow:0.001:1.5": terms `lognormal:SIGMA`, `normal:SIGMA`, `exponential:MEAN`,
 * `slow:SHARE:FACTOR`, `network:SIGMA`. NULL, or what is wrong. */
const char *ts_jitter_parse(const char *text, ts_jitter *jitter);
/* The factors of a rank, and of a call (a collective, else a port of the IR), in a repetition. */
double ts_jitter_call(const ts_jitter *jitter, const char *seed, uint32_t repetition,
                      uint32_t call);
double ts_jitter_draw(const ts_jitter *jitter, const char *seed, uint32_t repetition,
                      uint32_t rank);

typedef struct ts_spread {
  const char *seed;
  uint32_t count;
  const uint64_t *steps; /* [count] ps, ascending */
  double mean, deviation;
} ts_spread;

/* NULL after filling *stop. */
const ts_spread *ts_spread_new(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                               const ts_jitter *jitter, const char *seed, uint32_t repetitions,
                               ts_stop *stop);
/* The value that a share of the repetitions does not exceed, 0..1; linear between neighbours. */
uint64_t ts_percentile(const ts_spread *spread, double share);

#endif
