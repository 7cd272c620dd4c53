/* A day with failures at given times, against a clock that ticks second by second and knows no
 * formula. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

#include "runtime/study/goodput.h"

enum { DAY = 86400, CASES = 400, MOST = 12 };

static uint32_t next(uint32_t *state, uint32_t below)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

/* All in whole seconds. A step or a checkpoint counts when it has ended; what a failure finds begun
 * since the last checkpoint is lost. */
static ts_day ticked(uint32_t step, uint32_t every, uint32_t checkpoint, uint32_t restart,
                     const double *at, uint32_t count)
{
  ts_day d = {0};
  uint32_t down = 0, worked = 0, steps = 0, failed = 0, round = step * every + checkpoint;
  for (uint32_t now = 0; now < DAY; now++) {
    for (; failed < count && at[failed] == now; failed++) { /* at the beginning of this second */
      d.lost += worked;
      d.failures++;
      worked = steps = 0;
      down = restart;
    }
    if (down) {
      down--;
      d.restarts++;
      continue;
    }
    worked++;
    if (worked <= step * every && worked % step == 0)
      steps++;
    if (worked == round) {
      d.useful += step * every;
      d.steps += every;
      d.checkpoints += checkpoint;
      worked = steps = 0;
    }
  }
  d.useful += steps * step; /* the day ends without a failure: steps done are kept */
  d.steps += steps;
  d.lost += worked - steps * step;
  return d;
}

Test(goodput, days_agree_with_a_clock)
{
  uint32_t state = 7, during = 0;
  for (uint32_t i = 0; i < CASES; i++) {
    uint32_t step = 1 + next(&state, 50), every = 1 + next(&state, 200),
             checkpoint = next(&state, 90), restart = next(&state, 20000),
             count = next(&state, MOST + 1);
    double at[MOST];
    for (uint32_t k = 0; k < count; k++) {
      uint32_t place = k;
      double time = next(&state, DAY);
      for (; place && at[place - 1] > time; place--)
        at[place] = at[place - 1];
      at[place] = time;
    }
    for (uint32_t k = 1; k < count; k++)
      during += at[k] < at[k - 1] + restart;
    ts_faults f = {.restart = restart, .checkpoint = checkpoint, .every = every};
    ts_day found = ts_day_of(step, &f, at, count),
           said = ticked(step, every, checkpoint, restart, at, count);
    cr_expect_eq(found.failures, said.failures, "case %u: %u failures, not %u", i, found.failures,
                 said.failures);
    cr_expect_eq(found.steps, said.steps, "case %u: %llu steps, not %llu", i,
                 (unsigned long long)found.steps, (unsigned long long)said.steps);
    cr_expect(
      fabs(found.useful - said.useful) < 1e-6 && fabs(found.lost - said.lost) < 1e-6 &&
        fabs(found.checkpoints - said.checkpoints) < 1e-6 &&
        fabs(found.restarts - said.restarts) < 1e-6,
      "case %u: %g useful, %g lost, %g checkpoints, %g restarts; the clock says %g, %g, %g, %g", i,
      found.useful, found.lost, found.checkpoints, found.restarts, said.useful, said.lost,
      said.checkpoints, said.restarts);
    cr_expect_float_eq(found.useful + found.lost + found.checkpoints + found.restarts, DAY, 1e-6);
  }
  cr_expect_gt(during, CASES / 4, "failures during a restart: %u", during);
}
