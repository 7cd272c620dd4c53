/* Several steps one after the other: streams and hosts go on from one to the next, so the first
 * ones fill what later ones find full, and a step's end overlaps with the next one's beginning as
 * far as streams and dependencies allow.
 *
 * The state in which a step leaves the job is when each stream and each host is free: its CLOCKS;
 * nothing else crosses from one step to the next. The next state is a maximum of sums of these. Let
 * no clock move by more than L in two steps in a row, and let A be those that move by L in the
 * first, and in the second, too. A clock in A then waited for one in A (had it waited for one that
 * moved by less, it would have moved by less), and as these gain on all others, it does so for
 * ever: all of A move by L in every later step, and no clock by more (max-plus maps are homogeneous
 * and nonexpansive: Baccelli et al., "Synchronization and Linearity", 1992, chapter 3). If the last
 * clock of all is in A, L is the STEADY step. Clocks that are not in A run ahead, as a host does
 * that never waits. */
#ifndef TS_RUNTIME_STUDY_STEPS_H
#define TS_RUNTIME_STUDY_STEPS_H

#include "runtime/account/result.h"

enum { TS_MOST_STEPS = 1000 };

/* after so many steps (0: never) every host waits for its streams and is busy for so long, ps */
typedef struct ts_checkpoint { uint64_t every, time; } ts_checkpoint;

typedef struct ts_steps {
  uint32_t count;
  /* [count] ps: when the last node of the step, and of those before, has ended */
  const uint64_t *ends;
  uint32_t steady_from;  /* the first step, from 0, that is known to be steady; count: none is */
  /* ps a step; not steady: the mean of the last half, with checkpoints of all rounds but the first
   * */
  uint64_t steady;
  uint32_t clocks;       /* that set it: the size of A */
} ts_steps;

/* NULL after filling *stop. */
const ts_steps *ts_steps_new(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                             uint32_t count, const ts_checkpoint *checkpoint, ts_stop *stop);

#endif
